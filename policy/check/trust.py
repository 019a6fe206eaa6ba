"""Who may vouch for what: names that a place may not read, claims, and operands where a trusted value is needed."""

from __future__ import annotations

from collections.abc import Mapping

from policy.check.environment import Environment
from policy.check.report import is_broken
from policy.ir import nodes as ir
from policy.ir.reads import children, reads
from policy.source.diagnostic import Related
from policy.types.kinds import Trust

Refusals = Mapping[str, tuple[str, str]]
"""Built-in name to the code and message of the finding where it is read."""

OUTSIDE_WHERE: Refusals = {
    "approver": ("name.approver_outside_where", "`approver` is known only in the `where` of an approval"),
}
NO_CLAIMS: Refusals = {
    "claims": (
        "trust.claims",
        "claims may not be read here: nobody vouches for them, and the caller may leave them out",
    ),
}
IN_RAISE: Refusals = {
    "risk": ("risk.read_in_raise", "a `raise` makes the risk, so it cannot read it: read `declared_risk`"),
}
IN_WHERE: Refusals = {
    name: (
        "trust.where",
        f"`where` reads `approver`, what the runtime and the declaration state, and `input`, not `{name}`",
    )
    for name in ("mode", "idempotency_key", "transaction")
}


def refuse(expression: ir.Expression, refusals: Refusals, env: Environment) -> None:
    """Report every place at which an expression reads one of the names, through definitions too."""
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Shared):
            known = env.facts.get(id(node.value))
            for name in sorted(refusals.keys() & (known.roots if known is not None else frozenset())):
                code, message = refusals[name]
                env.report.add(code, message, node.span, related=_read_in(node, name))
            continue
        if isinstance(node, ir.Read) and not node.variable and node.root in refusals:
            code, message = refusals[node.root]
            env.report.add(code, message, node.span)
        stack.extend(reversed(children(node)))


def _read_in(shared: ir.Shared, root: str) -> tuple[Related, ...]:
    for read in reads(shared.value):
        if read.root == root and not read.variable:
            return (Related(message=f"`{read.text}` is read here", span=read.span),)
    return ()


def roots(expression: ir.Expression, env: Environment) -> frozenset[str]:
    """The built-in names that an expression reads, through definitions."""
    found: set[str] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Shared):
            known = env.facts.get(id(node.value))
            found |= known.roots if known is not None else frozenset()
            continue
        if isinstance(node, ir.Read) and not node.variable:
            found.add(node.root)
        stack.extend(children(node))
    return frozenset(found)


def untrusted(value: ir.Expression, env: Environment) -> ir.Read | None:
    """The path that the caller chooses in a value that must be trusted, or None.

    An operand may be the key of a lookup; a claim may not even be that.
    """
    stack = [(value, False)]
    while stack:
        node, is_key = stack.pop()
        match node:
            case ir.Shared():
                stack.append((node.value, is_key))
            case ir.Read():
                trust = env.built_ins[node.root].trust if not node.variable else Trust.TRUSTED
                if trust is Trust.UNVERIFIED or (trust is Trust.OPERAND and not is_key):
                    return node
                stack.extend((step, True) for step in node.steps if isinstance(step, ir.Node))
            case ir.Lookup():
                stack.append((node.value, is_key))
                stack.append((node.key, True))
            case _:
                stack.extend((child, is_key) for child in children(node))
    return None


def as_read(value: ir.Expression) -> ir.Read | None:
    """The path behind an expression, through definitions, or None where it is none."""
    while isinstance(value, ir.Shared):
        value = value.value
    return value if isinstance(value, ir.Read) and not is_broken(value) else None
