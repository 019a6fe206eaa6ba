"""The leaves of an approval, resolved for one request: whom they name, and whether their own limits hold."""

from __future__ import annotations

from policy.decide.request import Request
from policy.ir import nodes as ir
from policy.ir.reads import roots
from policy.source.records import dataclass
from policy.source.text import Span
from policy.types.kinds import Basic
from policy.types.numbers import Number, compare, is_number
from policy.types.patterns import parse_scope_pattern
from policy.types.values import RiskLevel, Unevaluable


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedLeaf:
    """One leaf, as far as it does not depend on the voter."""

    leaf: ir.Leaf
    names: tuple[str, ...] | None
    """What it names; None where that is missing or ill-typed, so that it matches nobody."""
    holds: bool | None
    """Whether its own limits and a `where` that does not read `approver` hold; None where that has no answer."""
    conditional: bool
    """Whether its `where` reads `approver`."""
    scopes: tuple[tuple[str, ...], ...] = ()
    """For `delegated`: the segments of the patterns of which a grant must cover one."""
    values: tuple[Number, ...] = ()
    """For `delegated`: the values that a grant's `max_value` must reach."""

    @property
    def wildcard(self) -> bool:
        """Whether its name may end in `*`: a group that the policy spells out."""
        return self.leaf.kind == "group" and isinstance(self.leaf.value, ir.Constant)


def resolve(leaf: ir.Leaf, request: Request) -> ResolvedLeaf:
    """Evaluate everything of a leaf that does not depend on the voter."""
    names: tuple[str, ...] | None = ()
    if leaf.value is not None:
        names = named(request.conditions.evaluate(leaf.value), principals=leaf.kind == "principal")
    conditional = leaf.where is not None and "approver" in roots(leaf.where)
    answers = [] if conditional or leaf.where is None else [_condition(leaf.where, request)]
    scopes: tuple[tuple[str, ...], ...] = ()
    values: tuple[Number, ...] = ()
    if leaf.kind == "delegated":
        patterns = [parse_scope_pattern(name) for name in names or ()]
        scopes = tuple(pattern for pattern in patterns if pattern is not None)
        values = _values(leaf, request)
        answers.extend(_limits(leaf, request))
    holds = False if False in answers else None if None in answers else True
    return ResolvedLeaf(leaf=leaf, names=names, holds=holds, conditional=conditional, scopes=scopes, values=values)


def named(value: object, *, principals: bool) -> tuple[str, ...] | None:
    """The names in a string or a list of strings (with `principals`, also in principals); None for anything else."""
    names = []
    for item in value if isinstance(value, list) else [value]:
        name = item.get("id") if principals and isinstance(item, dict) else item
        if not isinstance(name, str):
            return None
        names.append(name)
    return tuple(names)


def risk_within(level: RiskLevel, span: Span, request: Request) -> bool | None:
    """Whether the effective risk is at most a level; None where it is unknown, or uncertain around that level."""
    comparison = ir.Compare(
        span=span,
        type=Basic.BOOLEAN,
        operator="<=",
        left=ir.Read(span=span, type=Basic.RISK, root="risk", variable=False, steps=(), text="risk"),
        right=ir.Constant(span=span, type=Basic.RISK, value=level),
    )
    return _condition(comparison, request)


def _condition(expression: ir.Expression, request: Request) -> bool | None:
    answer = request.conditions.condition(expression)
    return None if isinstance(answer, Unevaluable) else answer


def _limits(leaf: ir.Leaf, request: Request) -> list[bool | None]:
    """An answer for every limit that the leaf itself states; None where what it limits is unknown."""
    answers: list[bool | None] = []
    if leaf.max_risk is not None:
        answers.append(risk_within(leaf.max_risk, leaf.span, request))
    if leaf.max_value is not None:
        value = _number(leaf.value_of, request)
        answers.append(None if value is None else compare(value, leaf.max_value) <= 0)
    if leaf.covering is not None and _number(leaf.covering, request) is None:
        answers.append(None)
    return answers


def _values(leaf: ir.Leaf, request: Request) -> tuple[Number, ...]:
    values = (_number(leaf.covering, request), _number(leaf.value_of, request))
    return tuple(value for value in values if value is not None)


def _number(path: ir.Expression | None, request: Request) -> Number | None:
    value = None if path is None else request.conditions.evaluate(path)
    return value if is_number(value) else None
