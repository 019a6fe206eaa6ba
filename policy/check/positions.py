"""The position rules of language.md section 5: what claims and presence tests may do where a condition grants or
prohibits, seen through `not`, `define` and quantifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum

from policy.check.environment import Environment
from policy.check.report import is_broken, quoted
from policy.ir import nodes as ir
from policy.ir.reads import children, reads
from policy.source.diagnostic import Related
from policy.source.records import dataclass
from policy.source.text import Span
from policy.types.kinds import Field, ListOf, MapOf, Record, Trust, Type
from policy.types.names import Presence


class Position(Enum):
    """What the truth of a condition does."""

    GRANTING = "granting"
    """It lets something pass: `when` of an `allow`, `unless` of a rule, `where`."""
    PROHIBITING = "prohibiting"
    """It makes a rule apply: `when` of a rule, `unless` of an `allow`."""
    VALUE = "value"
    """It is no condition but a value that is used."""


Steps = tuple[str | int | ir.Expression, ...]


@dataclass(frozen=True, slots=True)
class _Binding:
    """A quantifier variable: the list it runs over, and the variables that the list itself may read."""

    container: ir.Expression
    outer: Mapping[str, _Binding]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a part of a condition stands."""

    positive: bool
    """Whether its truth counts for the truth of the whole; false behind a `not`."""
    test: bool = True
    """Whether only `and`, `or`, `not`, quantifiers and definitions lie between it and the whole."""
    guards: frozenset[tuple[str | int, ...]] = frozenset()
    """Claims whose presence is asked beside it."""
    use: Span | None = None
    """The use of a definition that it was reached through."""
    claimed: frozenset[str] = frozenset()
    """Quantifier variables that run over claims."""
    variables: Mapping[str, _Binding] = field(default_factory=dict, compare=False)
    """The quantifier variables; a definition has none of its user's."""


def check_position(
    condition: ir.Expression, position: Position, env: Environment, *, positive: bool = True, claims: bool = True
) -> None:
    """Report what the position of a condition does not allow.

    `positive` is false where its falsehood has the effect; `claims` is false where they were refused already.
    """
    walk = _Walk(env=env, position=position, claims=claims, seen=set())
    walk.run(condition, _Place(positive=positive, test=position is not Position.VALUE))


@dataclass(slots=True, kw_only=True)
class _Walk:
    """One walk over one condition."""

    env: Environment
    position: Position
    claims: bool
    seen: set[tuple[int, _Place]]

    def run(self, condition: ir.Expression, place: _Place) -> None:
        stack = [(condition, place)]
        while stack:
            node, here = stack.pop()
            if is_broken(node):
                continue
            stack.extend(reversed(self._below(node, here)))

    def _below(self, node: ir.Expression, here: _Place) -> list[tuple[ir.Expression, _Place]]:
        match node:
            case ir.Shared():
                return self._shared(node, here)
            case ir.Exists():
                return self._presence(node, here)
            case ir.Read():
                self._claim(node, here)
                return [(step, replace(here, test=False)) for step in node.steps if isinstance(step, ir.Node)]
            case ir.Not():
                inner = replace(here, positive=not here.positive)
                return [(node.operand, inner if here.test else replace(inner, positive=False))]
            case ir.And() if here.test:
                inner = replace(here, guards=here.guards | self._guards(node)) if here.positive else here
                return [(operand, inner) for operand in node.operands]
            case ir.Or() if here.test:
                return [(operand, here) for operand in node.operands]
            case ir.And() | ir.Or():
                return [(operand, replace(here, positive=False)) for operand in node.operands]
            case ir.Quantified():
                return self._quantified(node, here)
            case ir.Total():
                inner = replace(here, test=False)
                return [(node.container, inner), (node.value, self._bind(node.variable, node.container, inner))]
            case _:
                return [(child, replace(here, test=False)) for child in children(node)]

    def _shared(self, node: ir.Shared, here: _Place) -> list[tuple[ir.Expression, _Place]]:
        known = self.env.facts.get(id(node.value))
        if known is not None and known.quiet:
            return []
        inner = here if here.use is not None else replace(here, use=node.span)
        key = (id(node.value), inner)
        if key in self.seen:
            return []
        self.seen.add(key)
        return [(node.value, inner)]

    def _quantified(self, node: ir.Quantified, here: _Place) -> list[tuple[ir.Expression, _Place]]:
        sign = here.positive if node.quantifier != "no" else not here.positive
        if not here.test:
            sign = False
        inner = self._bind(node.variable, node.container, replace(here, positive=sign))
        return [(node.container, replace(here, test=False, positive=sign)), (node.body, inner)]

    def _bind(self, name: str, container: ir.Expression, here: _Place) -> _Place:
        over_claims = any(self._is_claim(read, here) for read in reads(container))
        return replace(
            here,
            claimed=here.claimed | {name} if over_claims else here.claimed - {name},
            variables={**here.variables, name: _Binding(container, here.variables)},
        )

    def _is_claim(self, read: ir.Read, here: _Place) -> bool:
        if read.variable:
            return read.root in here.claimed
        return self.env.built_ins[read.root].trust is Trust.UNVERIFIED

    def _guards(self, node: ir.And) -> frozenset[tuple[str | int, ...]]:
        found = set()
        for operand in node.operands:
            test = operand
            while isinstance(test, ir.Shared):
                test = test.value
            if isinstance(test, ir.Exists) and not test.missing:
                read = _base(test.value)
                if read is not None and not read.variable and read.root == "claims" and read.steps:
                    constant = _constant(read.steps)
                    if len(constant) == len(read.steps):
                        found.add(constant)
        return frozenset(found)

    def _claim(self, read: ir.Read, here: _Place) -> None:
        if not self.claims or not self._is_claim(read, here):
            return
        if self.position is Position.GRANTING:
            message = f"`{read.text}` is the caller's claim, and a claim never grants"
            self._report("trust.claims", message, read.span, here, help="read what the runtime vouches for")
        elif not here.positive:
            message = f"the claim `{read.text}` stands behind a negation: the caller could switch the rule off with it"
            self._report("trust.claims_negated", message, read.span, here, help="a claim may only make a rule apply")
        elif not read.variable and not self._guarded(read.steps, here):
            message = f"the rule would apply without the claim `{read.text}`, and the caller could lift it with one"
            help = f"write `{_member_text(read)} exists and …`"
            self._report("trust.claims_unguarded", message, read.span, here, help=help)

    def _guarded(self, steps: Steps, here: _Place) -> bool:
        constant = _constant(steps)
        return any(constant[: len(guard)] == guard for guard in here.guards)

    def _presence(self, node: ir.Exists, here: _Place) -> list[tuple[ir.Expression, _Place]]:
        read = _base(node.value)
        if not here.test:
            word = "missing" if node.missing else "exists"
            message = f"`{word}` stands only as a condition of its own, or joined with `and`, `or` and `not`"
            self._report("type.presence_position", message, node.span, here)
            return []
        asks_presence = node.missing != here.positive
        if read is None:
            return self._worked_out(node, (node.value,), here, asks_presence=asks_presence)
        if self._is_claim(read, here):
            if self.position is Position.GRANTING:
                self._claim(read, here)
            elif not asks_presence and self.claims:
                message = f"the rule would apply where `{read.text}` is left out, and the caller could lift it with one"
                self._report(
                    "trust.claims_negated", message, node.span, here, help="ask `exists`, and not its negation"
                )
        elif self._may_be_absent(read, here):
            self._trusted(node, read, here, asks_presence=asks_presence)
        keys = tuple(step for step in read.steps if isinstance(step, ir.Node))
        return self._worked_out(node, keys, here, asks_presence=asks_presence)

    def _worked_out(
        self, node: ir.Exists, parts: tuple[ir.Expression, ...], here: _Place, *, asks_presence: bool
    ) -> list[tuple[ir.Expression, _Place]]:
        """Keys and literals of a path that is tested: where one of their reads is missing, so is the whole path."""
        for read in (read for part in parts for read in reads(part)):
            if self._may_be_absent(read, here):
                self._trusted(node, read, here, asks_presence=asks_presence)
        return [(part, replace(here, test=False)) for part in parts]

    def _trusted(self, node: ir.Exists, read: ir.Read, here: _Place, *, asks_presence: bool) -> None:
        if self.position is Position.GRANTING and not asks_presence:
            message = f"where the runtime does not state `{read.text}`, this test would grant"
            help = f"declare it `or null`, or ask for its value instead of {quoted(node.span.text)}"
            self._report("law.absence", message, node.span, here, help=help if read.root == "context" else None)
        elif self.position is Position.PROHIBITING and asks_presence:
            message = f"where the runtime does not state `{read.text}`, this test switches the rule off"
            help = "drop the test to fail closed"
            if read.root == "context":
                help = f"declare it `or null`, or {help}"
            self._report("law.presence", message, node.span, here, help=help)

    def _may_be_absent(self, read: ir.Read, here: _Place) -> bool:
        if read.variable:
            return bool(read.steps) and self._item_may_lack(read, here)
        built_in = self.env.built_ins[read.root]
        if built_in.trust is not Trust.TRUSTED:
            return False
        if read.root == "context":
            return _optional_on_the_way(built_in.type, read.steps)
        return built_in.presence is Presence.RUNTIME

    def _item_may_lack(self, read: ir.Read, here: _Place) -> bool:
        """Whether a member of the item that a variable stands for may not be stated."""
        binding = here.variables.get(read.root)
        if binding is None:
            return False
        container, outer = binding.container, replace(here, variables=binding.outer)
        base = _base(container)
        if base is None:
            return any(self._part_may_lack(part, read.steps, outer) for part in reads(container))
        if base.variable:
            return self._item_may_lack(replace(base, steps=(*base.steps, 0, *read.steps)), outer)
        if base.root != "context":
            return self._may_be_absent(base, outer)
        item = container.type.item if isinstance(container.type, ListOf) else container.type
        return _optional_on_the_way(item, read.steps)

    def _part_may_lack(self, part: ir.Read, steps: Steps, here: _Place) -> bool:
        """Whether a member of something that a literal is made of may not be stated."""
        trusted = part.variable or self.env.built_ins[part.root].trust is Trust.TRUSTED
        within = replace(part, steps=(*part.steps, *steps))
        return self._may_be_absent(within, here) or (trusted and _holds_optional(part.type))

    def _report(self, code: str, message: str, span: Span, here: _Place, *, help: str | None = None) -> None:
        if here.use is None:
            self.env.report.add(code, message, span, help=help)
        else:
            related = (Related(message="the definition says so here", span=span),)
            self.env.report.add(code, message, here.use, help=help, related=related)


def _base(value: ir.Expression) -> ir.Read | None:
    """The path of a value, behind definitions and with the keys of the lookups in it; None where it has none."""
    keys: list[str | int | ir.Expression] = []
    while True:
        match value:
            case ir.Shared():
                value = value.value
            case ir.Lookup():
                constant = value.key.value if isinstance(value.key, ir.Constant) else None
                keys.append(constant if isinstance(constant, str | int) else value.key)
                value = value.value
            case ir.Read():
                return replace(value, steps=(*value.steps, *reversed(keys))) if keys else value
            case _:
                return None


def _constant(steps: Steps) -> tuple[str | int, ...]:
    """The steps up to the first one that is worked out."""
    found: list[str | int] = []
    for step in steps:
        if not isinstance(step, str | int):
            break
        found.append(step)
    return tuple(found)


def _member_text(read: ir.Read) -> str:
    first = read.steps[0] if read.steps else None
    return f"claims.{first}" if isinstance(first, str) else read.text


def _optional_on_the_way(type_: Type, steps: Steps) -> bool:
    """Whether a declared member on a path is `optional`."""
    for step in steps:
        match type_:
            case Record():
                member: Field | None = type_.field(step) if isinstance(step, str) else None
                if member is None:
                    return False
                if member.optional:
                    return True
                type_ = member.type
            case ListOf(item) | MapOf(item):
                type_ = item
            case _:
                return False
    return False


def _holds_optional(type_: Type) -> bool:
    """Whether a type has a member that is `optional`, at any depth."""
    match type_:
        case Record():
            return any(member.optional or _holds_optional(member.type) for _, member in type_.fields)
        case ListOf(item) | MapOf(item):
            return _holds_optional(item)
        case _:
            return False
