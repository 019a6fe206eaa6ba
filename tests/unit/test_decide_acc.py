"""ACC's own conditions: JSON equality, absent parameters, arrays, and what cannot be judged (model.md section 2)."""

from __future__ import annotations

from typing import Any

import pytest

from policy.decide.acc import describe, filled_prompt, holds, json_equal
from policy.model.admitted import AccCondition


def condition(path: str, operator: str, value: Any = None, label: str | None = None) -> AccCondition:
    return AccCondition(steps=tuple(path.split(".")), operator=operator, value=value, label=label)


@pytest.mark.parametrize(
    ("path", "operator", "value", "given", "asks"),
    [
        ("n", ">", 5, {"n": 6}, True),
        ("n", ">", 5, {"n": 5}, False),
        ("n", ">=", 5, {"n": 5.0}, True),
        ("n", "<", 5, {"n": 4}, True),
        ("n", "<", 5, {"n": 5}, False),
        ("n", "<=", 5, {"n": 5}, True),
        ("n", "<=", 0.3, {"n": 0.1}, True),
        ("n", ">", 5, {}, True),
        ("n", ">", 5, {"n": None}, True),
        ("n", ">", 5, {"n": "9"}, True),
        ("n", ">", 0, {"n": True}, True),
        ("n", "==", 1, {"n": 1.0}, True),
        ("n", "==", 1, {"n": True}, False),
        ("n", "==", "1", {"n": 1}, False),
        ("n", "==", None, {"n": None}, True),
        ("n", "==", 1, {}, False),
        ("n", "!=", 1, {"n": True}, True),
        ("n", "!=", 1, {"n": 1}, False),
        ("n", "!=", 1, {}, True),
        ("n", "in", [1, "a"], {"n": "a"}, True),
        ("n", "in", [1, "a"], {"n": "b"}, False),
        ("n", "in", [0, 1], {"n": True}, False),
        ("n", "in", [[False]], {"n": [0]}, False),
        ("n", "in", [1], {}, False),
        ("t", "contains", "b", {"t": "abc"}, True),
        ("t", "contains", "B", {"t": "abc"}, False),
        ("t", "contains", 1, {"t": [1.0]}, True),
        ("t", "contains", 1, {"t": [True]}, False),
        ("t", "contains", "x", {}, True),
        ("t", "contains", "x", {"t": 5}, True),
        ("t", "exists", None, {"t": ""}, True),
        ("t", "exists", None, {"t": None}, False),
        ("t", "exists", None, {}, False),
        ("a.b", ">", 5, {"a": {"b": 6}}, True),
        ("a.b", ">", 5, {"a": {"b": 1}}, False),
        ("a.b", ">", 5, {"a": [{"b": 1}, {"b": 6}]}, True),
        ("a.b", ">", 5, {"a": [{"b": 1}, {"b": 2}]}, False),
        ("a.b", ">", 5, {"a": []}, False),
        ("a.b", ">", 5, {}, True),
        ("a.b", "==", 5, {}, False),
        ("a.b", "==", 5, {"a": [{"b": 1}, {}]}, True),
        ("a.b", "exists", None, {"a": [{}]}, True),
        ("a.b", "in", [5], {"a": [[{"b": 5}]]}, True),
    ],
)
def test_a_condition(path: str, operator: str, value: Any, given: Any, asks: bool) -> None:
    assert holds(condition(path, operator, value), given) is asks


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
        ([1, 2], [2, 1], False),
        (False, 0, False),
        (None, False, False),
        ("é", "e\u0301", False),
    ],
)
def test_json_equality(one: Any, other: Any, expected: bool) -> None:
    assert json_equal(one, other) is expected
    assert json_equal(other, one) is expected


def test_a_condition_speaks_in_the_declarations_words() -> None:
    assert describe(condition("a.b", ">", 5, "a large one")) == "a large one"
    assert describe(condition("a.b", ">", 5)) == "`a.b` > 5"
    assert describe(condition("a", "in", ["x"])) == '`a` in ["x"]'
    assert describe(condition("a", "exists")) == "`a` exists"


def test_what_is_filled_into_a_prompt_is_never_read_again() -> None:
    given = {"a": "{b}", "b": "secret", "c.d": 1, "items": [{"n": 1}, {"n": 2}]}

    assert filled_prompt("{a} {c.d} {items.n} {x} {} {{a}}", given) == ('"{b}" 1 1, 2 (not given) (not given) {"{b}"}')


def test_a_long_value_is_cut_in_a_prompt() -> None:
    assert len(filled_prompt("{a}", {"a": "x" * 5_000})) == 201
