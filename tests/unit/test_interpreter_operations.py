"""The reference interpreter: comparison, membership, text, patterns and places, with exact answers."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.backend.interpreter import evaluate
from policy.ir import nodes as ir
from policy.types.values import RiskLevel, Timestamp, Unevaluable
from tests.properties.budget import budget
from tests.unit.expressions import (
    FACTS,
    capability_glob,
    compare,
    constant,
    disjunction,
    has,
    in_network,
    is_in,
    listed,
    matches,
    path_inside,
    read,
    scope_pattern,
    shared,
    text_test,
    texts,
    unevaluable,
    within,
)

NO_ANSWER = unevaluable("input.unknown", "is missing")


def answer(expression: ir.Expression) -> object:
    return evaluate(expression, FACTS)


def letter(value: object) -> str:
    return "u" if isinstance(value, Unevaluable) else "t" if value is True else "f"


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        (read("input.amount"), "==", constant(50.0), True),
        (read("input.amount"), "!=", constant(50), False),
        (read("input.amount"), ">", constant(49.99), True),
        (read("input.half"), "==", constant(Decimal("0.50")), True),
        (read("input.tags"), "==", texts("red", "blue"), True),
        (read("input.flag"), "==", constant(True), True),
        (read("risk"), ">=", constant(RiskLevel.MEDIUM), True),
        (read("risk"), "<", constant(RiskLevel.MEDIUM), False),
        (read("input.unknown"), "==", constant(1), NO_ANSWER),
        (constant(1), "!=", read("input.unknown"), NO_ANSWER),
        (read("input.unknown"), "==", read("input.nothing"), unevaluable("input.nothing", "is missing")),
        (
            read("input.flag"),
            "==",
            constant(1),
            unevaluable("input.flag", "is a boolean and cannot be compared with a number"),
        ),
        (
            constant("50"),
            "!=",
            read("input.amount"),
            unevaluable("input.amount", "is a number and cannot be compared with a string"),
        ),
        (read("input.note"), "<", constant("Z"), unevaluable("input.note", "is a string, which has no order")),
        (
            read("input.mixed"),
            "==",
            listed(constant("red"), constant("1")),
            unevaluable("[…]", "is a list with parts of other types than what it is compared with"),
        ),
    ],
)
def test_comparisons(left: ir.Expression, operator: str, right: ir.Expression, expected: object) -> None:
    assert answer(compare(left, operator, right)) == expected


@pytest.mark.parametrize(
    ("value", "container", "expected"),
    [
        (constant("red"), read("input.tags"), True),
        (constant("green"), read("input.tags"), False),
        (constant("Red"), read("input.tags"), False),
        (constant(1.0), read("input.numbers"), True),
        (constant("x"), read("input.empty"), False),
        (constant("red"), read("input.mixed"), True),
        (constant("green"), read("input.mixed"), "u"),
        (constant("red"), read("input.holes"), True),
        (constant("green"), read("input.holes"), "u"),
        (read("input.unknown"), read("input.tags"), "u"),
        (read("input.unknown"), read("input.empty"), "u"),
        (constant("x"), read("input.unknown"), "u"),
        (constant("x"), read("input.note"), "u"),
        (constant("x"), listed(read("input.unknown"), constant("x")), True),
        (constant("y"), listed(read("input.unknown"), constant("x")), "u"),
        (constant("y"), listed(read("input.note"), constant("x")), False),
        (read("input.flag"), listed(constant(1), constant(0)), "u"),
        (constant("y"), shared("words", listed(read("input.unknown"), constant("y"))), True),
        (constant("y"), shared("words", shared("more", texts("y"))), True),
    ],
)
def test_membership(value: ir.Expression, container: ir.Expression, expected: object) -> None:
    wanted = expected if expected != "u" else Unevaluable
    for result, turned in (
        (answer(is_in(value, container)), False),
        (answer(has(container, value)), False),
        (answer(is_in(value, container, negated=True)), True),
    ):
        if wanted is Unevaluable:
            assert isinstance(result, Unevaluable)
        else:
            assert result is (wanted is not turned)


@budget(150)
@given(
    st.sampled_from(["input.amount", "input.note", "input.unknown", "input.flag", "input.tags"]),
    st.lists(st.sampled_from(["input.amount", "input.note", "input.unknown", "input.flag", "input.tags"]), max_size=5),
)
def test_in_is_an_or_of_equalities(value: str, items: list[str]) -> None:
    wanted = read(value)
    parts = [read(path) for path in items]
    if items or value != "input.unknown":
        expected = answer(disjunction(*(compare(wanted, "==", part) for part in parts)))
        assert letter(answer(is_in(wanted, listed(*parts)))) == letter(expected)
        assert letter(answer(has(listed(*parts), wanted))) == letter(expected)


@pytest.mark.parametrize(
    ("container", "wanted", "expected"),
    [
        ("input.tags", texts("green", "blue"), "t"),
        ("input.tags", texts("green"), "f"),
        ("input.tags", listed(), "f"),
        ("input.tags", listed(constant(1)), "u"),
        ("input.tags", listed(constant(1), constant("red")), "t"),
        ("input.tags", listed(read("input.unknown"), constant("red")), "t"),
        ("input.tags", listed(read("input.unknown"), constant("green")), "u"),
        ("input.tags", read("input.mixed"), "t"),
        ("input.numbers", read("input.mixed"), "t"),
        ("input.numbers", read("input.tags"), "u"),
        ("input.empty", read("input.tags"), "f"),
        ("input.tags", read("input.empty"), "f"),
        ("input.tags", read("input.unknown"), "u"),
        ("input.unknown", texts("red"), "u"),
        ("input.note", texts("red"), "u"),
    ],
)
def test_has_any_of(container: str, wanted: ir.Expression, expected: str) -> None:
    assert letter(answer(has(read(container), wanted, any_of=True))) == expected


LIST_REASONS: list[tuple[ir.Expression, Unevaluable]] = [
    (is_in(constant("x"), read("input.note")), unevaluable("input.note", "is a string, not a list")),
    (
        is_in(constant("green"), read("input.mixed")),
        unevaluable("input.mixed", "is compared with a value of another type"),
    ),
    (is_in(read("input.amount"), texts("a")), unevaluable("input.amount", "is compared with a value of another type")),
]


@pytest.mark.parametrize(("expression", "reason"), LIST_REASONS)
def test_why_membership_has_no_answer(expression: ir.Expression, reason: Unevaluable) -> None:
    assert answer(expression) == reason


@pytest.mark.parametrize(
    ("operator", "value", "any_of", "expected"),
    [
        ("contains", constant("ACME"), False, True),
        ("contains", constant("acme"), False, False),
        ("starts_with", constant("Pay"), False, True),
        ("ends_with", constant("ME"), False, True),
        ("starts_with", constant("ME"), False, False),
        ("contains", texts("nope", "for"), True, True),
        ("contains", texts("nope"), True, False),
        ("contains", listed(), True, False),
        ("contains", listed(constant(1), constant("for")), True, True),
        ("contains", constant(1), False, unevaluable("1", "is a number, not a string")),
        (
            "contains",
            listed(constant(1), constant("x")),
            True,
            unevaluable("[…]", "has a number among its items, where only strings are compared"),
        ),
        ("contains", listed(read("input.unknown"), constant("x")), True, NO_ANSWER),
        ("contains", read("input.unknown"), True, NO_ANSWER),
        ("contains", read("input.amount"), True, unevaluable("input.amount", "is a number, not a list")),
    ],
)
def test_text_tests(operator: str, value: ir.Expression, any_of: bool, expected: object) -> None:
    assert answer(text_test(read("input.note"), operator, value, any_of=any_of)) == expected


def test_text_tests_are_of_text() -> None:
    tags = text_test(read("input.tags"), "contains", constant("red"))
    assert answer(tags) == unevaluable("input.tags", "is a list, not a string")
    both = text_test(read("input.zulu"), "contains", listed(read("input.alpha")), any_of=True)
    assert answer(both) == unevaluable("input.alpha", "is missing")


@pytest.mark.parametrize(
    ("value", "patterns", "expected"),
    [
        (read("scope"), (scope_pattern("payment.*"),), True),
        (read("scope"), (scope_pattern("refund.**"), scope_pattern("payment.**")), True),
        (read("scope"), (scope_pattern("refund.**"),), False),
        (read("scope"), (capability_glob("cap:payments:*"),), True),
        (read("scope"), (capability_glob("payment*"),), False),
        (shared("own", read("scope")), (capability_glob("cap:*"),), True),
        (read("capability.id"), (capability_glob("cap:payments:*"),), True),
        (
            read("input.note"),
            (scope_pattern("**"),),
            unevaluable("input.note", "is not a well-formed scope or capability id"),
        ),
        (read("input.amount"), (scope_pattern("**"),), unevaluable("input.amount", "is a number, not a string")),
        (read("input.unknown"), (scope_pattern("**"),), NO_ANSWER),
    ],
)
def test_matches(value: ir.Expression, patterns: tuple[ir.ActionPattern, ...], expected: object) -> None:
    assert answer(matches(value, *patterns)) == expected


def test_a_glob_on_the_scope_needs_the_capability() -> None:
    facts = {"scope": "payment.create"}
    assert evaluate(matches(read("scope"), capability_glob("*")), facts) == unevaluable("capability.id", "is missing")


@pytest.mark.parametrize(
    ("value", "network", "expected"),
    [
        (read("context.ip"), "10.0.0.0/8", True),
        (read("context.ip"), "10.1.2.4/32", False),
        (read("context.ip"), "2001:db8::/32", False),
        (read("context.ip6"), "2001:db8::/32", True),
        (read("context.ip6"), "0.0.0.0/0", False),
        (read("input.note"), "10.0.0.0/8", unevaluable("input.note", "is a string, not an ip address")),
        (read("input.unknown"), "10.0.0.0/8", NO_ANSWER),
    ],
)
def test_networks(value: ir.Expression, network: str, expected: object) -> None:
    assert answer(in_network(value, network)) == expected


@pytest.mark.parametrize(
    ("value", "root", "expected"),
    [
        (read("input.path"), constant("/srv/data"), True),
        (read("input.path"), constant("/srv/dat"), False),
        (read("input.note"), constant("/srv"), unevaluable("input.note", "is not an absolute path in plain form")),
        (read("input.path"), constant("srv"), unevaluable("srv", "is not an absolute path in plain form")),
        (read("input.amount"), constant("/srv"), unevaluable("input.amount", "is a number, not a string")),
        (read("input.path"), read("input.amount"), unevaluable("input.amount", "is a number, not a string")),
        (read("input.unknown"), constant("/srv"), NO_ANSWER),
    ],
)
def test_paths(value: ir.Expression, root: ir.Expression, expected: object) -> None:
    assert answer(path_inside(value, root)) == expected


def test_windows() -> None:
    # The epoch was a Thursday, 01:00 in Berlin.
    assert answer(within(read("now"), {3}, 60, 120, "Europe/Berlin")) is True
    assert answer(within(read("now"), {3}, 0, 60, "Europe/Berlin")) is False
    assert answer(within(read("input.note"), {3}, 0, 60, "UTC")) == unevaluable(
        "input.note", "is a string, not a timestamp"
    )
    assert answer(within(read("input.unknown"), {3}, 0, 60, "UTC")) == NO_ANSWER
    assert evaluate(within(read("now"), {3}, 0, 60, "America/New_York"), {"now": Timestamp(-62135596800 * 10**9)}) == (
        unevaluable("now", "is out of the years 1-9999 in that zone")
    )
