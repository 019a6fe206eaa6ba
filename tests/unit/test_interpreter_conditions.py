"""The reference interpreter: reading, three-valued logic, comparison and membership, with exact answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.backend.interpreter import evaluate, evaluate_condition
from policy.ir import nodes as ir
from policy.types.values import Unevaluable
from tests.properties.budget import budget
from tests.unit.expressions import (
    FACTS,
    compare,
    conjunction,
    constant,
    disjunction,
    exists,
    is_in,
    item,
    listed,
    lookup,
    mapped,
    missing,
    negated,
    quantified,
    read,
    shared,
    stepped,
    unevaluable,
)

QUANTIFIERS = ("any", "every", "no")
TRUE, FALSE = constant(True), constant(False)
UNKNOWN = read("input.unknown")
NO_ANSWER = unevaluable("input.unknown", "is missing")
ATOMS: dict[str, ir.Expression] = {"t": TRUE, "f": FALSE, "u": UNKNOWN}


def answer(expression: ir.Expression) -> object:
    return evaluate(expression, FACTS)


def letter(value: object) -> str:
    return "u" if isinstance(value, Unevaluable) else "t" if value is True else "f"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("input.amount", 50),
        ("input.tags.1", "blue"),
        ("input.lines.1.amount", 2.5),
        ("scope", "payment.create"),
        ("input.unknown", unevaluable("input.unknown", "is missing")),
        ("input.nothing", unevaluable("input.nothing", "is missing")),
        ("input.nothing.deeper", unevaluable("input.nothing.deeper", "is missing")),
        ("input.unknown.deeper.still", unevaluable("input.unknown.deeper.still", "is missing")),
        ("input.tags.2", unevaluable("input.tags.2", "is missing")),
        ("input.holes.0", unevaluable("input.holes.0", "is missing")),
        ("input.tags.length", unevaluable("input.tags.length", "is missing")),
        ("route", unevaluable("route", "is missing")),
        ("subject.id", unevaluable("subject.id", "is missing")),
        (
            "input.note.length",
            unevaluable("input.note.length", "is missing: a string stands where a list or object is read"),
        ),
        (
            "input.amount.0",
            unevaluable("input.amount.0", "is missing: a number stands where a list or object is read"),
        ),
    ],
)
def test_a_path_resolves_when_every_step_finds_a_member(path: str, expected: object) -> None:
    assert answer(read(path)) == expected
    assert answer(exists(read(path))) is (not isinstance(expected, Unevaluable))
    assert answer(missing(read(path))) is isinstance(expected, Unevaluable)


def test_steps_may_be_expressions() -> None:
    owners = stepped("context", "owners", constant("cc-1"), text='context.owners["cc-1"]')
    assert answer(owners) == "ines"
    assert answer(stepped("input", "tags", constant(1), text="input.tags[1]")) == "blue"
    assert answer(stepped("input", "tags", constant(1.0), text="input.tags[1.0]")) == "blue"
    assert answer(stepped("input", "odd key", text='input["odd key"]')) == 1
    absent = stepped("context", "owners", read("input.cc"), text="context.owners[input.cc]")
    assert answer(absent) == unevaluable("input.cc", "is missing")
    assert answer(exists(absent)) is False
    for key in (constant(True), constant(-1), constant(0.5), constant("0"), constant("red")):
        found = stepped("input", "tags", key, text="input.tags[key]")
        assert answer(found) == unevaluable("input.tags[key]", "is missing")
    assert answer(stepped("context", "owners", constant(1), text="context.owners[1]")) == unevaluable(
        "context.owners[1]", "is missing"
    )


def test_maps_and_lists_are_looked_up() -> None:
    limits = mapped(EUR=constant(10), USD=constant(20))
    assert answer(lookup(limits, constant("USD"))) == 20
    assert answer(lookup(limits, constant("GBP"))) == unevaluable("{…}[key]", "is missing")
    assert answer(lookup(limits, read("input.currency"))) == unevaluable("input.currency", "is missing")
    assert answer(lookup(listed(constant(7)), constant(0))) == 7
    assert answer(mapped(EUR=read("input.unknown"))) == NO_ANSWER
    assert answer(listed(constant(1), read("input.unknown"))) == NO_ANSWER
    assert answer(mapped(EUR=constant(10))) == {"EUR": 10}


@pytest.mark.parametrize(("left", "right"), list(itertools.product("tfu", repeat=2)))
def test_kleene_tables(left: str, right: str) -> None:
    strong_and = {"tt": "t", "tf": "f", "ft": "f", "ff": "f", "tu": "u", "ut": "u", "uu": "u", "fu": "f", "uf": "f"}
    strong_or = {"tt": "t", "tf": "t", "ft": "t", "ff": "f", "tu": "t", "ut": "t", "uu": "u", "fu": "u", "uf": "u"}
    assert letter(answer(conjunction(ATOMS[left], ATOMS[right]))) == strong_and[left + right]
    assert letter(answer(disjunction(ATOMS[left], ATOMS[right]))) == strong_or[left + right]
    assert letter(answer(negated(ATOMS[left]))) == {"t": "f", "f": "t", "u": "u"}[left]


@pytest.mark.parametrize(
    "other", [read("input.amount"), read("input.note"), read("input.tags"), constant(1), constant("")]
)
def test_nothing_but_a_boolean_is_a_condition(other: ir.Expression) -> None:
    assert isinstance(answer(negated(other)), Unevaluable)
    assert isinstance(answer(conjunction(TRUE, other)), Unevaluable)
    assert answer(conjunction(FALSE, other)) is False
    assert answer(disjunction(other, TRUE)) is True
    assert isinstance(evaluate_condition(other, FACTS), Unevaluable)
    assert isinstance(answer(quantified("any", "x", read("input.numbers"), other)), Unevaluable)


def test_a_condition_that_is_no_boolean_says_so() -> None:
    assert evaluate_condition(read("input.amount"), FACTS) == unevaluable("input.amount", "is a number, not a boolean")
    assert evaluate_condition(read("input.flag"), FACTS) is True


def test_the_reason_does_not_depend_on_the_order() -> None:
    parts: list[ir.Expression] = [
        read("input.zulu", offset=2),
        read("input.alpha", offset=9),
        negated(read("input.note")),
        TRUE,
    ]
    reasons = {answer(conjunction(*order)) for order in itertools.permutations(parts)}
    assert reasons == {unevaluable("input.alpha", "is missing", 10)}
    other_place = read("input.alpha", offset=3)
    assert answer(disjunction(parts[1], other_place, FALSE)) == unevaluable("input.alpha", "is missing", 10)
    assert answer(disjunction(other_place, parts[1], FALSE)) == unevaluable("input.alpha", "is missing", 10)


ATOM = st.sampled_from(
    [
        TRUE,
        FALSE,
        UNKNOWN,
        read("input.flag"),
        read("input.note"),
        compare(read("input.amount"), ">", constant(10)),
        compare(read("input.note"), "==", constant(1)),
        exists(read("input.unknown")),
        is_in(constant("red"), read("input.mixed")),
    ]
)


def trees(inner: st.SearchStrategy[ir.Expression]) -> st.SearchStrategy[ir.Expression]:
    several = st.lists(inner, min_size=2, max_size=4)
    return st.one_of(
        several.map(lambda parts: conjunction(*parts)),
        several.map(lambda parts: disjunction(*parts)),
        inner.map(negated),
        inner.map(lambda part: shared("definition", part)),
    )


CONDITIONS = st.recursive(ATOM, trees, max_leaves=10)


def reordered(node: ir.Expression) -> ir.Expression:
    match node:
        case ir.And():
            return conjunction(*(reordered(part) for part in reversed(node.operands)))
        case ir.Or():
            return disjunction(*(reordered(part) for part in reversed(node.operands)))
        case ir.Not():
            return negated(reordered(node.operand))
        case ir.Shared():
            return shared(node.name, reordered(node.value))
        case _:
            return node


def dual(node: ir.Expression) -> ir.Expression:
    """De Morgan's dual of a condition: its negation, pushed down to the atoms."""
    match node:
        case ir.And():
            return disjunction(*(dual(part) for part in node.operands))
        case ir.Or():
            return conjunction(*(dual(part) for part in node.operands))
        case ir.Not():
            return node.operand
        case ir.Shared():
            return dual(node.value)
        case _:
            return negated(node)


@budget(200)
@given(CONDITIONS)
def test_order_changes_neither_answer_nor_reason(condition: ir.Expression) -> None:
    assert evaluate_condition(reordered(condition), FACTS) == evaluate_condition(condition, FACTS)


@budget(200)
@given(CONDITIONS)
def test_negation_goes_through_and_and_or(condition: ir.Expression) -> None:
    assert letter(evaluate_condition(dual(condition), FACTS)) == letter(evaluate_condition(negated(condition), FACTS))


@pytest.mark.parametrize(
    ("quantifier", "container", "body", "expected"),
    [
        ("any", "input.numbers", lambda x: compare(x, ">", constant(2)), True),
        ("any", "input.numbers", lambda x: compare(x, ">", constant(3)), False),
        ("every", "input.numbers", lambda x: compare(x, ">", constant(0)), True),
        ("every", "input.numbers", lambda x: compare(x, ">", constant(1)), False),
        ("no", "input.numbers", lambda x: compare(x, ">", constant(3)), True),
        ("no", "input.numbers", lambda x: compare(x, ">", constant(2)), False),
        ("any", "input.empty", lambda _: TRUE, False),
        ("no", "input.empty", lambda _: TRUE, True),
        ("every", "input.empty", lambda _: TRUE, unevaluable("input.empty", "is empty")),
        ("any", "input.mixed", lambda x: compare(x, "==", constant("red")), True),
        ("every", "input.mixed", lambda x: compare(x, "==", constant("blue")), False),
        (
            "any",
            "input.mixed",
            lambda x: compare(x, "==", constant("blue")),
            unevaluable("x", "is a number and cannot be compared with a string"),
        ),
        ("any", "input.holes", exists, True),
        ("every", "input.holes", exists, False),
        ("no", "input.holes", missing, False),
        ("any", "input.holes", lambda x: compare(x, "==", constant("x")), unevaluable("x", "is missing")),
        ("any", "input.truths", lambda x: x, True),
        ("every", "input.truths", lambda x: x, False),
        ("any", "input.unknown", lambda _: TRUE, NO_ANSWER),
        ("no", "input.note", lambda _: TRUE, unevaluable("input.note", "is a string, not a list")),
        ("no", "input", lambda _: TRUE, unevaluable("input", "is an object, not a list")),
    ],
)
def test_quantifiers(
    quantifier: str, container: str, body: Callable[[ir.Expression], ir.Expression], expected: object
) -> None:
    assert answer(quantified(quantifier, "x", read(container), body(item("x")))) == expected


def test_items_are_read_through_their_variable() -> None:
    dear = quantified("any", "line", read("input.lines"), compare(item("line.amount"), ">", constant(2)))
    assert answer(dear) is True
    every = quantified("every", "line", read("input.lines"), compare(item("line.amount"), ">", constant(0)))
    assert answer(every) == unevaluable("line.amount", "is missing")
    inner = quantified("any", "tag", read("input.tags"), compare(item("tag"), "==", item("line.sku")))
    assert answer(quantified("no", "line", read("input.lines"), inner)) is True


@budget(150)
@given(st.lists(st.sampled_from([True, False, None, 1]), max_size=5))
def test_quantifiers_are_and_and_or_over_the_items(values: list[object]) -> None:
    facts = {"input": {"items": values}}
    parts = [stepped("input", "items", index, text="x") for index in range(len(values))]
    any_of, all_of, none_of = (
        evaluate(quantified(quantifier, "x", read("input.items"), item("x")), facts) for quantifier in QUANTIFIERS
    )
    assert any_of == evaluate(disjunction(*parts), facts)
    assert none_of == evaluate(conjunction(*(negated(part) for part in parts)), facts)
    if values:
        assert all_of == evaluate(conjunction(*parts), facts)
    else:
        assert all_of == unevaluable("input.items", "is empty")
