"""The number model: the numbers that I-JSON (RFC 7493) carries, and exact arithmetic on them.

A number of data is an int within ±(2^53−1) or a finite float that is not integral; a float means its shortest
decimal text, so `0.1` is one tenth. Results of arithmetic may also be a Decimal. A bool is never a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, Subnormal
from math import isfinite
from typing import TypeGuard

MAX_INTEGER = 2**53 - 1
"""The largest integer of data; the smallest is its negative."""
MAX_DIGITS = 400
"""Significant digits of a result. Wide enough that adding numbers of data is never inexact."""

Number = int | float | Decimal

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_EXPONENT = 2_000
_MAX_TEXT = 1_100
"""Longer texts have no value that a double gives back: 17 digits and 324 zeros behind the point."""


def _context(digits: int, exponent: int) -> Context:
    # A context carries flags, so each operation has its own: nothing is shared between threads.
    return Context(prec=digits, Emax=exponent, Emin=-exponent, traps=[Inexact, Overflow, Subnormal, InvalidOperation])


def is_number(value: object) -> TypeGuard[Number]:
    """Whether a runtime value is a number: never a bool, never NaN or infinite."""
    kind = type(value)
    if kind is int:
        return True
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, Decimal) and value.is_finite()


def normalise(value: Number) -> Number:
    """The one form of a finite number: an int where it is integral and within ±(2^53−1), else as it is."""
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= MAX_INTEGER else value
    if abs(value) > MAX_INTEGER or value != value.to_integral_value():
        return value
    return int(value)


def data_number(value: int | float) -> int | float | None:
    """A number of an action or context in its one form, or None where the model has no such number.

    Refused are bools, NaN, infinities, and whatever is integral beyond ±(2^53−1), `1e300` too.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) <= MAX_INTEGER else None
    if not isfinite(value):
        return None
    if value.is_integer():
        return int(value) if abs(value) <= MAX_INTEGER else None
    return value


def parse_number(text: str) -> int | float | None:
    """The number of a JSON number's text (RFC 8259), or None where it is no number of the model.

    A decimal must be the shortest text of its double, by value: `0.1`, `1.50`, `1e-3`; not `0.10000000000000001`.
    """
    if len(text) > _MAX_TEXT or _JSON_NUMBER.fullmatch(text) is None:
        return None
    value = data_number(float(text))
    if value is None:
        return None
    try:
        written = Decimal(text)
    except InvalidOperation:
        # An exponent beyond what Decimal holds belongs to zero or to a number no double is near.
        return None
    return value if written == as_decimal(value) else None


def as_decimal(value: Number) -> Decimal:
    """The exact decimal value; a float means its shortest decimal text."""
    if isinstance(value, float):
        return Decimal(repr(value))
    return Decimal(value)


def to_json_number(value: Number) -> int | float | None:
    """The JSON number that means exactly this, or None where the model has none (`set` of an obligation)."""
    if not isinstance(value, Decimal):
        return data_number(value)
    nearest = data_number(float(value))
    return nearest if nearest is not None and as_decimal(nearest) == value else None


def compare(left: Number, right: Number) -> int:
    """-1, 0 or 1: the exact order of two numbers."""
    if type(left) is not type(right):
        left, right = as_decimal(left), as_decimal(right)
    return (left > right) - (left < right)


def add(left: Number, right: Number) -> Number | None:
    """The exact sum, or None where it needs more than `MAX_DIGITS` digits."""
    return _exactly(lambda context: context.add(as_decimal(left), as_decimal(right)))


def subtract(left: Number, right: Number) -> Number | None:
    """The exact difference, or None where it needs more than `MAX_DIGITS` digits."""
    return _exactly(lambda context: context.subtract(as_decimal(left), as_decimal(right)))


def multiply(left: Number, right: Number) -> Number | None:
    """The exact product, or None where it needs more than `MAX_DIGITS` digits or is out of range."""
    return _exactly(lambda context: context.multiply(as_decimal(left), as_decimal(right)))


def negate(value: Number) -> Number:
    """The number with the other sign."""
    return normalise(as_decimal(value).copy_negate())


def total(values: Iterable[Number]) -> Number | None:
    """The exact sum of any number of numbers, 0 of none; None where the sum needs more than `MAX_DIGITS` digits.

    Only the sum is bounded, not what stands on the way to it, so the order of the values cannot matter.
    """
    # Terms have at most MAX_DIGITS digits and exponents within ±_MAX_EXPONENT: no sum of 10^50 of them is inexact.
    wide = _context(2 * _MAX_EXPONENT + MAX_DIGITS + 50, 2 * _MAX_EXPONENT)
    running = Decimal(0)
    for value in values:
        running = wide.add(running, as_decimal(value))
    return _exactly(lambda context: context.plus(running))


def _exactly(operation: Callable[[Context], Decimal]) -> Number | None:
    try:
        return normalise(operation(_context(MAX_DIGITS, _MAX_EXPONENT)))
    except (Inexact, Overflow, Subnormal):
        return None
