"""Equality, order and membership of runtime values, without any coercion (language.md section 5).

None is the third answer: values of different types met, so there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address

from policy.types.numbers import compare, is_number
from policy.types.values import Duration, RiskLevel, Sensitivity, TimeOfDay, Timestamp

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    ((int, float, Decimal), "a number"),
    (str, "a string"),
    (list, "a list"),
    (dict, "an object"),
    (Timestamp, "a timestamp"),
    (Duration, "a duration"),
    (TimeOfDay, "a time of day"),
    (RiskLevel, "a risk level"),
    (Sensitivity, "a sensitivity"),
    ((IPv4Address, IPv6Address), "an ip address"),
)
_OPERATORS = ("<", "<=", ">", ">=")


def kind_of(value: object) -> str:
    """The type of a runtime value in words for people: `a number`, `an object`, `null`."""
    if value is None:
        return "null"
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    raise TypeError("not a runtime value of the language")


def any_holds(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's `or`: true where one is true, else None where one has no answer, else false (also for none at all)."""
    result: bool | None = False
    for answer in answers:
        if answer is True:
            return True
        if answer is None:
            result = None
    return result


def all_hold(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's `and`: false where one is false, else None where one has no answer, else true (also for none at all)."""
    result: bool | None = True
    for answer in answers:
        if answer is False:
            return False
        if answer is None:
            result = None
    return result


def equal(left: object, right: object) -> bool | None:
    """Equality by JSON type and value, deeply: `true` is not `1`, `1` is `1.0`, strings by code point.

    Lists and objects are equal where they have the same length or members and all parts are equal (Kleene's `and`).
    """
    if is_number(left) and is_number(right):
        return compare(left, right) == 0
    if kind_of(left) != kind_of(right) or is_number(left) or isinstance(left, float):
        # A float that is no number of the language (NaN, an infinity) equals nothing and has no answer.
        return None
    if isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            return False
        return all_hold(equal(one, other) for one, other in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        if left.keys() != right.keys():
            return False
        return all_hold(equal(value, right[name]) for name, value in left.items())
    return left == right


def ordered(operator: str, left: object, right: object) -> bool | None:
    """`left OPERATOR right` for < <= > >= on two numbers, timestamps, durations, times of day, risk levels or
    sensitivities; None for anything else."""
    if operator not in _OPERATORS:
        raise ValueError(f"not an operator of order: {operator}")
    order = _order(left, right)
    if order is None:
        return None
    if operator in ("<", "<="):
        return order < 0 or (order == 0 and operator == "<=")
    return order > 0 or (order == 0 and operator == ">=")


def _order(left: object, right: object) -> int | None:
    if is_number(left) and is_number(right):
        return compare(left, right)
    match left, right:
        case (Timestamp(a), Timestamp(b)) | (Duration(a), Duration(b)) | (TimeOfDay(a), TimeOfDay(b)):
            return (a > b) - (a < b)
        case (RiskLevel(rank=a), RiskLevel(rank=b)) | (Sensitivity(rank=a), Sensitivity(rank=b)):
            return a - b
        case _:
            return None


def contains(items: Sequence[object], item: object) -> bool | None:
    """Whether a list has an item: Kleene's `or` of the equalities, so a part of another type leaves no answer
    unless another part is equal."""
    return any_holds(equal(part, item) for part in items)
