"""The reference interpreter: arithmetic, totals, functions, and the bounds that keep every answer in reach."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.backend.interpreter import Evaluation, evaluate, evaluate_condition
from policy.ir import nodes as ir
from policy.ir.reads import reads, roots, walk
from policy.source.limits import Limits
from policy.types.numbers import as_decimal, is_number
from policy.types.values import Duration, TimeOfDay, Timestamp, Unevaluable
from tests.properties.budget import budget
from tests.unit.expressions import (
    FACTS,
    arithmetic,
    call,
    capability_glob,
    compare,
    conjunction,
    constant,
    disjunction,
    has,
    is_in,
    item,
    listed,
    matches,
    negated,
    negative,
    quantified,
    read,
    scope_pattern,
    shared,
    stepped,
    text_test,
    total,
    unevaluable,
)

HOUR = 3_600 * 10**9
NOW, SPAN = constant(Timestamp(0)), constant(Duration(HOUR))
TRUE, FALSE = constant(True), constant(False)


def answer(expression: ir.Expression) -> object:
    return evaluate(expression, FACTS)


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        (constant(0.1), "+", constant(0.2), Decimal("0.3")),
        (constant(1), "-", constant(0.9), Decimal("0.1")),
        (constant(1.1), "*", constant(1.1), Decimal("1.21")),
        (read("input.amount"), "*", constant(2), 100),
        (constant(9007199254740991), "+", constant(1), Decimal(2**53)),
        (NOW, "+", SPAN, Timestamp(HOUR)),
        (NOW, "-", SPAN, Timestamp(-HOUR)),
        (constant(Timestamp(HOUR)), "-", NOW, Duration(HOUR)),
        (NOW, "-", constant(Timestamp(HOUR)), Duration(-HOUR)),
        (read("input.flag"), "+", constant(1), unevaluable("input.flag", "is a boolean, not a number")),
        (constant(1), "+", read("input.note"), unevaluable("input.note", "is a string, not a number")),
        (read("input.note"), "+", read("input.note"), unevaluable("input.note", "is a string, not a number")),
        (read("input.unknown"), "+", read("input.zulu"), unevaluable("input.unknown", "is missing")),
        (NOW, "+", NOW, unevaluable("1970", "")),
        (NOW, "*", constant(2), unevaluable("1970", "")),
        (SPAN, "+", SPAN, unevaluable("1h", "")),
        (SPAN, "+", NOW, Timestamp(HOUR)),
        (SPAN, "-", NOW, unevaluable("1h", "")),
    ],
)
def test_arithmetic(left: ir.Expression, operator: str, right: ir.Expression, expected: object) -> None:
    result = answer(arithmetic(left, operator, right))
    if isinstance(expected, Unevaluable) and not expected.problem:
        assert isinstance(result, Unevaluable)
    else:
        assert result == expected
        assert type(result) is type(expected)


def test_instants_out_of_the_years_are_no_result() -> None:
    last = constant(Timestamp(253_402_300_799 * 10**9))
    assert answer(arithmetic(last, "+", SPAN)) == unevaluable("… + …", "is out of the years 1-9999")
    assert answer(arithmetic(NOW, "+", read("input.amount"))) == unevaluable(
        "input.amount", "is a number, not a duration"
    )
    assert answer(arithmetic(NOW, "-", read("input.amount"))) == unevaluable(
        "input.amount", "is a number, not a duration or a timestamp"
    )


def test_overlong_numbers_are_no_result() -> None:
    product: ir.Expression = constant(1.0000000000000002)
    for _ in range(30):
        product = arithmetic(product, "*", constant(1.0000000000000002))
    assert answer(product) == unevaluable("… * …", "has no exact value of at most 400 digits")


def test_the_minus_sign() -> None:
    assert answer(negative(read("input.half"))) == Decimal("-0.5")
    assert answer(negative(constant(3))) == -3
    assert answer(negative(read("input.flag"))) == unevaluable("input.flag", "is a boolean, not a number")
    assert answer(negative(SPAN)) == unevaluable(str(SPAN.value), "is a duration, not a number")


NUMBERS = st.one_of(st.integers(-1000, 1000), st.decimals(-100, 100, places=3).map(float))


@budget(150)
@given(st.lists(st.tuples(st.sampled_from("+-*"), NUMBERS), min_size=1, max_size=6))
def test_chains_of_operations_are_those_of_fractions(steps: list[tuple[str, float]]) -> None:
    operations: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
    }
    chain: ir.Expression = constant(1)
    expected = Fraction(1)
    for operator, value in steps:
        chain = arithmetic(chain, operator, constant(value))
        expected = operations[operator](expected, Fraction(as_decimal(value)))
    result = answer(chain)
    assert is_number(result)
    assert Fraction(as_decimal(result)) == expected


def test_totals() -> None:
    assert answer(total(item("x"), "x", read("input.numbers"))) == 6
    assert answer(total(item("x"), "x", read("input.empty"))) == 0
    doubled = arithmetic(item("x"), "*", constant(0.1))
    assert answer(total(doubled, "x", read("input.numbers"))) == Decimal("0.6")
    assert answer(total(item("line.amount"), "line", read("input.lines"))) == unevaluable("line.amount", "is missing")
    assert answer(total(item("x"), "x", read("input.tags"))) == unevaluable("x", "is a string, not a number")
    assert answer(total(item("x"), "x", read("input.truths"))) == unevaluable("x", "is a boolean, not a number")
    assert answer(total(item("x"), "x", read("input.unknown"))) == unevaluable("input.unknown", "is missing")
    assert answer(total(item("x"), "x", read("input.note"))) == unevaluable("input.note", "is a string, not a list")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (call("count", read("input.tags")), 2),
        (call("count", read("input.holes")), 2),
        (call("count", read("input.note")), unevaluable("input.note", "is a string, not a list")),
        (call("count", read("input")), unevaluable("input", "is an object, not a list")),
        (call("count", read("input.unknown")), unevaluable("input.unknown", "is missing")),
        (call("length", read("input.note")), 16),
        (call("length", read("input.tags")), unevaluable("input.tags", "is a list, not a string")),
        (call("lower", read("input.note")), "payment for acme"),
        (call("timestamp", constant("1970-01-01T01:00:00Z")), Timestamp(HOUR)),
        (
            call("timestamp", read("input.note")),
            unevaluable(
                "input.note",
                "is not an RFC 3339 timestamp with an offset, at most 9 fraction digits and a year 1-9999",
            ),
        ),
        (call("ip", read("input.note")), unevaluable("input.note", "is not an IPv4 or IPv6 address in plain form")),
        (call("duration", constant("1h")), Duration(HOUR)),
        (call("time", read("now"), constant("Europe/Berlin")), TimeOfDay(HOUR)),
        (call("date", read("now"), constant("America/New_York")), "1969-12-31"),
        (call("weekday", read("now"), constant("America/New_York")), "wed"),
        (
            call("weekday", read("input.note"), constant("UTC")),
            unevaluable("input.note", "is a string, not a timestamp"),
        ),
        (call("host", constant("https://A.example/")), "a.example"),
        (call("host", read("input.note")), unevaluable("input.note", "is not a URL in plain form")),
        (call("mail_domain", read("input.note")), unevaluable("input.note", "is not a mail address in plain form")),
    ],
)
def test_functions(expression: ir.Expression, expected: object) -> None:
    assert answer(expression) == expected


# --- bounds -----------------------------------------------------------------------------------

TOO_LONG = "is too long: no more than 100000 items are walked"


def of_length(length: int, value: object = 1) -> dict[str, object]:
    return {"input": {"long": [value] * length, "other": [value] * length, "pair": [1, 2]}}


def test_a_list_over_the_bound_is_not_walked() -> None:
    for quantifier in ("any", "every", "no"):
        long = quantified(quantifier, "x", read("input.long"), compare(item("x"), "==", constant(1)))
        assert evaluate(long, of_length(100_001)) == unevaluable("input.long", TOO_LONG)
        assert evaluate(long, of_length(1_000)) is (quantifier != "no")
    summed = total(item("x"), "x", read("input.long"))
    assert evaluate(summed, of_length(100_001)) == unevaluable("input.long", TOO_LONG)
    assert evaluate(summed, of_length(1_000)) == 1_000


def test_the_bound_is_on_the_product_of_the_lengths() -> None:
    inner = quantified("any", "y", read("input.other"), compare(item("x"), "==", item("y")))
    outer = quantified("every", "x", read("input.long"), inner)
    limits = Limits(iterations=100)
    assert evaluate(outer, of_length(10), limits=limits) is True
    reason = unevaluable("input.other", "is too long: no more than 100 items are walked")
    assert evaluate(outer, of_length(11), limits=limits) == reason
    summed = quantified(
        "any", "x", read("input.long"), compare(total(item("y"), "y", read("input.other")), ">", item("x"))
    )
    assert evaluate(summed, of_length(10), limits=limits) is True
    assert evaluate(summed, of_length(11), limits=limits) == reason


def test_a_definition_is_walked_once_wherever_it_is_used() -> None:
    summed = shared("sum", total(item("y"), "y", read("input.other")))
    outer = quantified("every", "x", read("input.long"), compare(item("x"), "<", summed))
    assert evaluate(outer, of_length(60_000)) is True


def test_long_lists_are_searched_without_comparing_every_pair() -> None:
    values = [f"item {number}" for number in range(40_000)]
    facts = {"input": {"long": values, "other": list(reversed(values)), "objects": [{"a": v} for v in values[:400]]}}
    inside = quantified("every", "x", read("input.long"), is_in(item("x"), read("input.other")))
    assert evaluate(inside, facts) is True
    assert evaluate(has(read("input.long"), read("input.other"), any_of=True), facts) is True
    objects = quantified("every", "x", read("input.objects"), is_in(item("x"), read("input.objects")))
    assert evaluate(objects, facts) == unevaluable("input.objects", TOO_LONG)
    words = text_test(item("x"), "contains", read("input.other"), any_of=True)
    assert evaluate(quantified("any", "x", read("input.long"), words), facts) == unevaluable("input.other", TOO_LONG)


def nested(depth: int, innermost: ir.Expression) -> ir.Expression:
    node = innermost
    for _ in range(depth):
        node = negated(quantified("any", "x", read("input.pair"), conjunction(TRUE, negated(node))))
        node = disjunction(FALSE, node)
    return node


def test_the_deepest_nesting_fits_the_stack() -> None:
    limits = Limits(iterations=2**70)
    facts = {"input": {"pair": [1]}}
    assert sys.getrecursionlimit() == 1_000
    # 64 levels of brackets, several operations each.
    assert evaluate(nested(64, TRUE), facts, limits=limits) is True
    assert evaluate(nested(64, FALSE), facts, limits=limits) is False
    deep = TRUE
    chain: ir.Expression = deep
    for _ in range(64):
        chain = negated(conjunction(TRUE, chain))
    for _ in range(64):
        chain = conjunction(TRUE, shared("deep", chain))
    assert evaluate(chain, {}) is True


def test_flat_operations_may_be_long() -> None:
    operands = [compare(read("input.amount"), ">", constant(number)) for number in range(20_000)]
    assert answer(disjunction(*operands)) is True
    assert answer(conjunction(*operands)) is False
    chain: ir.Expression = constant(0)
    for _ in range(20_000):
        chain = arithmetic(chain, "+", constant(1))
    assert answer(chain) == 20_000


def test_chains_of_definitions_may_be_longer_than_the_stack_is_deep() -> None:
    chain: ir.Expression = compare(read("input.amount"), "==", constant(50))
    for number in range(5_000):
        chain = shared(f"definition_{number}", conjunction(TRUE, chain))
    assert answer(chain) is True
    assert roots(chain) == {"input"}


def test_definitions_that_double_take_no_time() -> None:
    doubled: ir.Expression = shared("first", read("input.flag"))
    for number in range(200):
        doubled = shared(f"definition_{number}", conjunction(doubled, doubled))
    assert answer(doubled) is True
    assert len(list(walk(doubled))) < 1_000


def test_one_evaluation_answers_many_expressions() -> None:
    evaluation = Evaluation(FACTS)
    large = shared("large", compare(read("input.amount"), ">", constant(10)))
    assert [evaluation.condition(large), evaluation.condition(negated(large)), evaluation.value(large)] == [
        True,
        False,
        True,
    ]


@budget(150)
@given(
    st.sampled_from([5, "a", None, True, [], {}, 0.5, [None], {"a": {"b": 1}}]),
    st.sampled_from(["a", "a.b", "0", "0.a"]),
)
def test_no_value_makes_a_condition_raise(value: object, path: str) -> None:
    facts: dict[str, object] = {"input": {"v": value}}
    target = read(f"input.v.{path}")
    whole = read("input.v")
    for expression in (
        compare(target, "<", whole),
        compare(whole, "==", target),
        is_in(target, whole),
        has(whole, target, any_of=True),
        text_test(whole, "contains", target),
        quantified("every", "x", whole, compare(item("x.a"), "==", target)),
        compare(total(item("x"), "x", whole), ">", constant(0)),
        matches(whole, scope_pattern("**"), capability_glob("*")),
        compare(call("count", whole), "==", call("length", whole)),
        compare(arithmetic(whole, "+", target), "==", negative(whole)),
        is_in(whole, listed(target, whole)),
    ):
        assert isinstance(evaluate_condition(expression, facts), bool | Unevaluable)


def test_reads_go_through_definitions_and_steps() -> None:
    inner = stepped("context", "owners", read("input.cc"), text="context.owners[input.cc]")
    expression = conjunction(
        shared("d", compare(inner, "==", read("subject.id"))),
        shared("d", compare(inner, "==", read("subject.id"))),
        quantified("any", "x", read("input.lines"), compare(item("x.a"), "==", read("route"))),
    )
    assert roots(expression) == {"context", "input", "subject", "route"}
    assert {node.text for node in reads(expression) if node.variable} == {"x.a"}
    assert roots(matches(read("scope"), capability_glob("a"))) == {"scope", "capability"}
    assert roots(matches(read("scope"), scope_pattern("a"))) == {"scope"}
    assert roots(matches(read("input.id"), capability_glob("a"))) == {"input"}
