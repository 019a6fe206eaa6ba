"""Equality, order and membership: strict by JSON type, with no answer where types differ."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import Decimal
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.backend.lists import Membership
from policy.types.comparison import all_hold, any_holds, contains, equal, kind_of, ordered
from policy.types.values import Duration, RiskLevel, Sensitivity, TimeOfDay, Timestamp
from tests.properties.budget import budget

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.5, 1.0, -1.5]),
    st.sampled_from(["", "1", "a", "true"]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 1.0, True),
        (1, Decimal(1), True),
        (0.1, Decimal("0.1"), True),
        (0.3, 0.30000000000000004, False),
        (True, 1, None),
        (False, 0, None),
        (True, True, True),
        (True, False, False),
        ("1", 1, None),
        ("a", "a", True),
        ("a", "A", False),
        ("\u00e9", "e\u0301", False),
        (None, None, True),
        (None, 0, None),
        (None, "", None),
        ([], [], True),
        ([], {}, None),
        ([1], [1.0], True),
        ([True], [1], None),
        ([[False]], [[0]], None),
        ([1, "a"], [2, 1], False),
        ([1, "a"], [1, 1], None),
        ([1], [1, 2], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
        ({"a": 1}, {"a": True}, None),
        ({"a": 1}, {"b": 1}, False),
        ({"a": None}, {}, False),
        (float("nan"), float("nan"), None),
        (Timestamp(1), Timestamp(1), True),
        (Timestamp(1), Duration(1), None),
        (Timestamp(1), 1, None),
        (RiskLevel.LOW, RiskLevel.LOW, True),
        (RiskLevel.LOW, "low", None),
        (RiskLevel.LOW, RiskLevel.HIGH, False),
        (ip_address("10.0.0.1"), ip_address("::1"), False),
        (ip_address("10.0.0.1"), "10.0.0.1", None),
    ],
)
def test_equality(left: object, right: object, expected: bool | None) -> None:
    assert equal(left, right) is expected
    assert equal(right, left) is expected


@budget(200)
@given(JSON, JSON)
def test_equality_is_reflexive_symmetric_and_by_type(left: Any, right: Any) -> None:
    assert equal(left, left) is True
    assert equal(left, right) is equal(right, left)
    if kind_of(left) != kind_of(right):
        assert equal(left, right) is None
    if equal(left, right) is True:
        assert left == right


@budget(200)
@given(JSON, JSON, JSON)
def test_equality_is_transitive(one: Any, two: Any, three: Any) -> None:
    if equal(one, two) is True and equal(two, three) is True:
        assert equal(one, three) is True


@pytest.mark.parametrize("make", [int, float, Decimal, Timestamp, Duration, TimeOfDay])
def test_order(make: Callable[[int], object]) -> None:
    low, high = make(1), make(2)
    assert [ordered(operator, low, high) for operator in ("<", "<=", ">", ">=")] == [True, True, False, False]
    assert [ordered(operator, high, low) for operator in ("<", "<=", ">", ">=")] == [False, False, True, True]
    assert [ordered(operator, low, make(1)) for operator in ("<", "<=", ">", ">=")] == [False, True, False, True]


def test_levels_are_ordered_by_severity_not_by_text() -> None:
    levels = ["low", "medium", "high", "critical"]
    assert all(ordered("<", RiskLevel(a), RiskLevel(b)) for a, b in itertools.pairwise(levels))
    kinds = ["public", "internal", "confidential", "restricted", "regulated", "unknown"]
    assert all(ordered("<", Sensitivity(a), Sensitivity(b)) for a, b in itertools.pairwise(kinds))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a", "b"),
        (True, False),
        (1, "2"),
        (1, True),
        ([], []),
        (Timestamp(1), Duration(2)),
        (RiskLevel.LOW, Sensitivity.PUBLIC),
    ],
)
def test_what_has_no_order(left: object, right: object) -> None:
    assert ordered("<", left, right) is None


def test_an_operator_without_order_is_a_defect_of_the_caller() -> None:
    with pytest.raises(ValueError, match="not an operator of order: =="):
        ordered("==", 1, 2)


@pytest.mark.parametrize(
    ("items", "item", "expected"),
    [
        ([], 1, False),
        ([1, 2], 1.0, True),
        ([1, 2], 3, False),
        (["1", 1], 1, True),
        (["1", 2], 1, None),
        ([True], 1, None),
        ([None], "a", None),
        ([[1]], [1.0], True),
        ([[1], "x"], [2], None),
        ([[1], [3]], [2], False),
    ],
)
def test_membership_is_an_or_of_equalities(items: list[object], item: object, expected: bool | None) -> None:
    assert contains(items, item) is expected
    assert Membership(items).holds(item) is expected


@budget(300)
@given(st.lists(JSON, max_size=6), JSON)
def test_arranged_lists_answer_like_scanned_ones(items: list[Any], item: Any) -> None:
    assert Membership(items).holds(item) is contains(items, item)


def test_kleene_tables() -> None:
    assert [
        any_holds(pair) for pair in [(True, None), (None, True), (False, None), (None, None), (False, False), ()]
    ] == [
        True,
        True,
        None,
        None,
        False,
        False,
    ]
    assert [
        all_hold(pair) for pair in [(False, None), (None, False), (True, None), (None, None), (True, True), ()]
    ] == [
        False,
        False,
        None,
        None,
        True,
        True,
    ]


def test_kinds_have_names_for_people() -> None:
    values: list[object] = [
        None,
        True,
        1,
        0.5,
        Decimal(1),
        "a",
        [],
        {},
        Timestamp(0),
        Duration(0),
        TimeOfDay(0),
        RiskLevel.LOW,
    ]
    names = "null, a boolean, a number, a number, a number, a string, a list, an object, a timestamp, a duration"
    assert ", ".join(kind_of(value) for value in values) == f"{names}, a time of day, a risk level"
    with pytest.raises(TypeError, match="not a runtime value of the language"):
        kind_of(("a",))
