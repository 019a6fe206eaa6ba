"""Why a condition has no answer, in words and in a fixed choice among several reasons."""

from __future__ import annotations

from collections.abc import Iterable

from policy.ir import nodes as ir
from policy.types.comparison import kind_of
from policy.types.values import Unevaluable

_LONGEST_NAME = 80


def name_of(node: ir.Expression) -> str:
    """An expression as people know it: a path or a definition by its name, else its text on one line."""
    match node:
        case ir.Read():
            return node.text
        case ir.Shared():
            return node.name
        case _:
            text = " ".join(node.span.text.split())
            return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"


def problem(node: ir.Expression, what: str) -> Unevaluable:
    """The reason `what` about an expression, at its place."""
    return Unevaluable(name_of(node), what, node.span.location)


def ill_typed(node: ir.Expression, value: object, wanted: str) -> Unevaluable:
    """The reason that an expression's value is not what the operation takes."""
    return problem(node, f"is {kind_of(value)}, not {wanted}")


def least(reasons: Iterable[object]) -> Unevaluable | None:
    """The reason to report among several: the smallest by path, problem and place, whatever their order.

    What is not a reason is passed over; None where there is none.
    """
    found = [reason for reason in reasons if isinstance(reason, Unevaluable)]
    return min(found, key=_rank) if found else None


def _rank(reason: Unevaluable) -> tuple[str, str, str]:
    return reason.path, reason.problem, reason.location


def written(node: ir.Expression) -> ir.Expression:
    """What stands behind a definition's name, and behind the names that it consists of."""
    while isinstance(node, ir.Shared):
        node = node.value
    return node


def differ(left: ir.Expression, left_value: object, right: ir.Expression, right_value: object) -> Unevaluable:
    """The reason that two values cannot be compared, told of the side that is no literal."""
    sides = [
        problem(node, _difference(value, other))
        for node, value, other in ((left, left_value, right_value), (right, right_value, left_value))
        if not isinstance(node, ir.Constant)
    ]
    return least(sides) or problem(left, _difference(left_value, right_value))


def _difference(value: object, other: object) -> str:
    kind, other_kind = kind_of(value), kind_of(other)
    if kind != other_kind:
        return f"is {kind} and cannot be compared with {other_kind}"
    if isinstance(value, list | dict):
        return f"is {kind} with parts of other types than what it is compared with"
    return f"is {kind}, which has no order"
