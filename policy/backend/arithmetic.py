"""`+ - *` and the minus sign on runtime values: exact, or unevaluable."""

from __future__ import annotations

from policy.backend.problems import ill_typed, least, problem
from policy.ir import nodes as ir
from policy.types import numbers
from policy.types.instants import timestamp_at
from policy.types.numbers import is_number
from policy.types.values import Duration, Timestamp, Unevaluable

_OPERATIONS = {"+": numbers.add, "-": numbers.subtract, "*": numbers.multiply}
_TOO_LONG = f"has no exact value of at most {numbers.MAX_DIGITS} digits"


def combine(node: ir.Arithmetic, left: object, right: object) -> object:
    """The value of one operation: two numbers, timestamp ± duration, duration + timestamp, timestamp − timestamp."""
    if isinstance(left, Timestamp) and node.operator in ("+", "-"):
        return _move(node, left, right)
    if isinstance(left, Duration) and isinstance(right, Timestamp) and node.operator == "+":
        return _move(node, right, left)
    if not is_number(left):
        return ill_typed(node.left, left, "a number")
    if not is_number(right):
        return ill_typed(node.right, right, "a number")
    result = _OPERATIONS[node.operator](left, right)
    return problem(node, _TOO_LONG) if result is None else result


def _move(node: ir.Arithmetic, left: Timestamp, right: object) -> object:
    if node.operator == "-" and isinstance(right, Timestamp):
        return Duration(left.nanoseconds - right.nanoseconds)
    if not isinstance(right, Duration):
        wanted = "a duration" if node.operator == "+" else "a duration or a timestamp"
        return ill_typed(node.right, right, wanted)
    by = right.nanoseconds if node.operator == "+" else -right.nanoseconds
    moved = timestamp_at(left.nanoseconds + by)
    return problem(node, "is out of the years 1-9999") if moved is None else moved


def negative(node: ir.Negative, value: object) -> object:
    """The number with the other sign."""
    return numbers.negate(value) if is_number(value) else ill_typed(node.operand, value, "a number")


def sum_of(node: ir.Total, values: list[object] | Unevaluable) -> object:
    """The exact total of the values for the items of a list, whatever their order; 0 of none."""
    if isinstance(values, Unevaluable):
        return values
    amounts = [value for value in values if is_number(value)]
    if len(amounts) < len(values):
        others = (value for value in values if not is_number(value))
        return least(
            value if isinstance(value, Unevaluable) else ill_typed(node.value, value, "a number") for value in others
        )
    result = numbers.total(amounts)
    return problem(node, _TOO_LONG) if result is None else result
