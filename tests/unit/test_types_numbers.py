"""The number model: which texts and values are numbers, and arithmetic that is exact or not there."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from policy.types.numbers import (
    MAX_INTEGER,
    Number,
    add,
    as_decimal,
    compare,
    data_number,
    is_number,
    multiply,
    negate,
    normalise,
    parse_number,
    subtract,
    to_json_number,
    total,
)
from tests.properties.budget import budget

INTEGERS = st.integers(-MAX_INTEGER, MAX_INTEGER)
DECIMALS = st.floats(allow_nan=False, allow_infinity=False).filter(lambda value: abs(value) < 2**53)
NUMBERS = st.one_of(INTEGERS, DECIMALS, st.decimals(-1000, 1000, places=2).map(float))


def exact(value: Number | None) -> Fraction:
    assert value is not None
    return Fraction(as_decimal(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("-0.0", 0),
        ("1.0", 1),
        ("1e2", 100),
        ("1.5", 1.5),
        ("1.50", 1.5),
        ("0.1", 0.1),
        ("1E-7", 1e-7),
        ("0.30000000000000004", 0.30000000000000004),
        ("9007199254740991", MAX_INTEGER),
        ("-9007199254740991", -MAX_INTEGER),
        ("9007199254740991.0", MAX_INTEGER),
        ("5e-324", 5e-324),
    ],
)
def test_numbers_that_json_carries_between_machines(text: str, value: float) -> None:
    read = parse_number(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "9007199254740992",
        "9007199254740993",
        "-9007199254740992",
        "1e16",
        "1e300",
        "1e400",
        "-1e400",
        "0.10000000000000001",
        "0.1000000000000000055511151231257827",
        "3.14159265358979323846",
        "4503599627370496.25",
        "1e-400",
        "1e-99999999999999999999",
        "NaN",
        "Infinity",
        "-Infinity",
        "",
        "01",
        "+1",
        ".5",
        "1.",
        "1e",
        "0x10",
        "1_000",
        " 1",
        "1\n",
        "１",
        "0." + "1" * 2_000,
    ],
)
def test_numbers_that_do_not_survive_a_double_are_none(text: str) -> None:
    assert parse_number(text) is None


def test_only_numbers_are_numbers() -> None:
    assert [is_number(value) for value in (0, 1.5, Decimal("0.1"))] == [True] * 3
    others: tuple[object, ...] = (True, False, "1", None, math.nan, math.inf, -math.inf, Decimal("NaN"), [1], {})
    assert [is_number(value) for value in others] == [False] * len(others)


def test_data_numbers_are_bounded_by_value() -> None:
    assert data_number(1.0) == 1
    assert type(data_number(1.0)) is int
    assert type(data_number(-0.0)) is int
    refused = (2**53, -(2**53), 2.0**53, 1e300, math.nan, math.inf, True, False)
    assert [data_number(value) for value in refused] == [None] * len(refused)


@budget(300)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_double_is_that_double(value: float) -> None:
    assert parse_number(repr(value)) == (data_number(value))


@budget(300)
@given(NUMBERS, NUMBERS)
def test_arithmetic_is_that_of_fractions(left: float, right: float) -> None:
    assert exact(add(left, right)) == exact(left) + exact(right)
    assert exact(subtract(left, right)) == exact(left) - exact(right)
    product = multiply(left, right)
    # The product of two doubles needs 34 digits and 680 places at most, which the bounds always hold.
    assert exact(product) == exact(left) * exact(right)
    assert exact(negate(left)) == -exact(left)


@budget(300)
@given(NUMBERS, NUMBERS)
def test_order_is_that_of_fractions(left: float, right: float) -> None:
    expected = (exact(left) > exact(right)) - (exact(left) < exact(right))
    assert compare(left, right) == expected
    assert compare(as_decimal(left), right) == expected


@budget(150)
@given(st.lists(NUMBERS, max_size=8))
def test_totals_are_exact_in_any_order(values: list[float]) -> None:
    expected = sum((exact(value) for value in values), Fraction(0))
    assert exact(total(values)) == expected
    assert exact(total(reversed(values))) == expected


def test_totals_do_not_depend_on_what_stands_between() -> None:
    tiny = multiply(5e-324, 5e-324)
    assert tiny is not None
    assert total([tiny, MAX_INTEGER, -MAX_INTEGER]) == tiny
    assert total([MAX_INTEGER, -MAX_INTEGER, tiny]) == tiny
    assert total([tiny, MAX_INTEGER]) is None
    assert total([]) == 0


def test_tenths_add_up() -> None:
    assert add(0.1, 0.2) == Decimal("0.3")
    assert compare(add(0.1, 0.2) or 0, 0.3) == 0
    assert compare(0.30000000000000004, 0.3) == 1
    assert multiply(1.1, 1.1) == Decimal("1.21")
    assert subtract(1, 0.9) == Decimal("0.1")


def test_what_is_overlong_or_out_of_range_is_none() -> None:
    value: Number | None = 1.0000000000000002
    for _ in range(20):
        assert value is not None
        value = multiply(value, 1.0000000000000002)
    assert value is not None
    while value is not None:
        last = value
        value = multiply(value, 1.0000000000000002)
    assert len(as_decimal(last).as_tuple().digits) <= 400
    small: Number | None = 5e-324
    for _ in range(5):
        small = None if small is None else multiply(small, 5e-324)
    assert small is not None
    assert multiply(small, 5e-324) is None


def test_results_that_are_integers_are_ints() -> None:
    assert type(add(0.5, 0.5)) is int
    assert type(multiply(0.1, 10)) is int
    assert type(multiply(0.0, 1e-300)) is int
    assert normalise(Decimal("0E+500")) == 0
    assert type(normalise(Decimal("0E+500"))) is int
    assert add(MAX_INTEGER, 1) == Decimal(2**53)
    assert compare(add(MAX_INTEGER, 1) or 0, MAX_INTEGER) == 1


def test_results_go_back_to_json_only_where_json_has_them() -> None:
    assert to_json_number(Decimal("0.3")) == 0.3
    assert to_json_number(Decimal("3.00")) == 3
    assert to_json_number(Decimal("0.1000000000000000000001")) is None
    assert to_json_number(Decimal(2**53)) is None
    assert to_json_number(2**53) is None


@budget(100)
@given(NUMBERS)
def test_data_numbers_go_back_as_they_came(value: float) -> None:
    assume(data_number(value) is not None)
    assert to_json_number(as_decimal(value)) == value
