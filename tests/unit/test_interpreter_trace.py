"""The trace of an evaluation, and what a condition could be while names are unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.backend.abstract import possible
from policy.backend.interpreter import evaluate, evaluate_condition
from policy.backend.trace import TRACED_ITEMS, Trace, TraceNode
from policy.ir import nodes as ir
from policy.types.values import Unevaluable
from tests.properties.budget import budget
from tests.unit.expressions import (
    FACTS,
    capability_glob,
    compare,
    conjunction,
    constant,
    disjunction,
    exists,
    has,
    is_in,
    item,
    listed,
    matches,
    missing,
    negated,
    quantified,
    read,
    shared,
    total,
    unevaluable,
)

TRUE, FALSE = constant(True), constant(False)


def traced(expression: ir.Expression, facts: dict[str, object] | None = None) -> TraceNode:
    trace = Trace()
    value = evaluate(expression, FACTS if facts is None else facts, trace)
    (node,) = trace.nodes
    assert node.value == value
    return node


def outline(node: TraceNode) -> list[tuple[int, str, object]]:
    return [(depth, each.text, each.value) for depth, each in node.walk()]


def test_every_condition_is_traced_with_what_was_read() -> None:
    large = compare(read("input.amount"), ">", constant(10))
    known = exists(read("input.unknown"))
    assert outline(traced(disjunction(large, known))) == [
        (0, "… or …", True),
        (1, "… > …", True),
        (2, "input.amount", 50),
        (2, "10", 10),
        (1, "… exists", False),
        (2, "input.unknown", unevaluable("input.unknown", "is missing")),
    ]


def test_nodes_name_their_place() -> None:
    assert traced(read("input.amount", offset=4)).location == "test.policy:1:5"


def test_a_definition_is_shown_where_it_is_used_first() -> None:
    large = shared("large", compare(read("input.amount"), ">", constant(10)))
    node = traced(conjunction(large, negated(large)))
    first, second = node.children[0], node.children[1].children[0]
    assert (first.text, first.value, first.repeated, len(first.children)) == ("large", True, False, 1)
    assert (second.text, second.value, second.repeated, second.children) == ("large", True, True, ())


def test_definitions_of_definitions_are_shown_below_them() -> None:
    inner = shared("inner", read("input.flag"))
    outer = shared("outer", negated(inner))
    assert outline(traced(conjunction(outer, inner))) == [
        (0, "… and …", False),
        (1, "outer", False),
        (2, "not …", False),
        (3, "inner", True),
        (4, "input.flag", True),
        (1, "inner", True),
    ]


def test_items_are_traced_with_their_position() -> None:
    node = traced(quantified("any", "x", read("input.numbers"), compare(item("x"), ">", constant(1))))
    assert [(child.text, child.item, child.value) for child in node.children] == [
        ("input.numbers", None, [1, 2, 3]),
        ("x[0]", 1, False),
        ("x[1]", 2, True),
        ("x[2]", 3, True),
    ]
    assert [child.text for child in node.children[1].children] == ["… > …"]
    summed = traced(total(item("x"), "x", read("input.numbers")))
    assert [child.text for child in summed.children] == ["input.numbers", "x[0]", "x[1]", "x[2]"]


def test_long_lists_are_traced_in_part_with_the_item_that_decides() -> None:
    facts: dict[str, object] = {"input": {"numbers": list(range(1_000))}}
    node = traced(quantified("any", "x", read("input.numbers"), compare(item("x"), ">=", constant(500))), facts)
    assert node.value is True
    assert [child.text for child in node.children[-2:]] == [f"x[{TRACED_ITEMS - 1}]", "x[500]"]
    assert node.omitted == 1_000 - TRACED_ITEMS - 1


def test_a_trace_collects_several_trees() -> None:
    trace = Trace()
    large = shared("large", read("input.flag"))
    evaluate(large, FACTS, trace)
    evaluate(large, FACTS, trace)
    assert [(node.text, node.repeated, len(node.children)) for node in trace.nodes] == [("large", False, 1)] * 2


def test_traces_of_chains_are_walked_without_recursion() -> None:
    chain: ir.Expression = read("input.flag")
    for number in range(3_000):
        chain = shared(f"definition_{number}", conjunction(TRUE, chain))
    assert max(depth for depth, _ in traced(chain).walk()) == 6_000


PATHS = ["input.a", "input.b", "route", "subject.id", "input.list"]
LEAVES = st.one_of(
    st.sampled_from([TRUE, FALSE]),
    st.sampled_from(PATHS).map(read),
    st.sampled_from(PATHS).map(read).map(exists),
    st.sampled_from(PATHS).map(read).map(missing),
    st.builds(
        compare,
        st.sampled_from(PATHS).map(read),
        st.sampled_from(["==", "!=", "<"]),
        st.one_of(st.sampled_from([1, "desk"]).map(constant), st.sampled_from(PATHS).map(read)),
    ),
    st.builds(is_in, st.sampled_from(PATHS).map(read), st.sampled_from(PATHS).map(read)),
    st.builds(
        is_in,
        st.sampled_from(PATHS).map(read),
        st.lists(st.sampled_from(PATHS).map(read), max_size=2).map(lambda parts: listed(*parts)),
    ),
    st.builds(has, st.sampled_from(PATHS).map(read), st.sampled_from(PATHS).map(read)),
)


def branches(inner: st.SearchStrategy[ir.Expression]) -> st.SearchStrategy[ir.Expression]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda parts: conjunction(*parts)),
        several.map(lambda parts: disjunction(*parts)),
        inner.map(negated),
        inner.map(lambda part: shared("definition", part)),
        st.builds(
            lambda quantifier, path, part: quantified(quantifier, "x", read(path), part),
            st.sampled_from(["any", "every", "no"]),
            st.sampled_from(["input.list", "groups"]),
            inner,
        ),
    )


CONDITIONS = st.recursive(LEAVES, branches, max_leaves=8)
VALUES = st.sampled_from([True, False, 1, "desk", None, [1], ["desk", None], [], {"id": 1}])
INPUTS = st.dictionaries(st.sampled_from(["a", "b", "list"]), VALUES, max_size=3)
KNOWN: dict[str, object] = {"route": "desk", "groups": ["desk", 1]}


def plain(answer: object) -> object:
    return None if isinstance(answer, Unevaluable) else answer


@budget(300)
@given(CONDITIONS, INPUTS)
def test_what_is_possible_holds_every_answer(condition: ir.Expression, value: dict[str, object]) -> None:
    answers = possible(condition, KNOWN, frozenset({"input"}))
    assert plain(evaluate_condition(condition, {**KNOWN, "input": value})) in answers
    assert plain(evaluate_condition(condition, KNOWN)) in answers


@budget(200)
@given(CONDITIONS, INPUTS)
def test_what_reads_nothing_unknown_has_one_answer(condition: ir.Expression, value: dict[str, object]) -> None:
    facts = {**KNOWN, "input": value}
    assert possible(condition, facts, frozenset({"mode"})) == {plain(evaluate_condition(condition, facts))}


UNKNOWN = compare(read("input.amount"), ">", constant(10))
ANYTHING = {True, False, None}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (UNKNOWN, ANYTHING),
        (negated(UNKNOWN), ANYTHING),
        (conjunction(FALSE, UNKNOWN), {False}),
        (conjunction(TRUE, UNKNOWN), ANYTHING),
        (disjunction(TRUE, UNKNOWN), {True}),
        (conjunction(read("context.gone"), UNKNOWN), {False, None}),
        (disjunction(read("context.gone"), UNKNOWN), {True, None}),
        (compare(read("context.gone"), "==", read("input.a")), {None}),
        (is_in(read("context.gone"), read("input.a")), {None}),
        (exists(read("input.a")), {True, False}),
        (shared("d", conjunction(FALSE, UNKNOWN)), {False}),
        (quantified("any", "x", read("input.a"), FALSE), ANYTHING),
        (quantified("any", "x", read("empty"), UNKNOWN), {False}),
        (quantified("no", "x", read("empty"), UNKNOWN), {True}),
        (quantified("every", "x", read("empty"), UNKNOWN), {None}),
        (
            quantified("every", "x", read("groups"), conjunction(compare(item("x"), "==", constant("a")), UNKNOWN)),
            {False},
        ),
        (
            quantified("any", "x", read("groups"), disjunction(compare(item("x"), "==", constant("desk")), UNKNOWN)),
            {True},
        ),
        (matches(read("scope"), capability_glob("*")), {True}),
    ],
)
def test_possible_answers(condition: ir.Expression, expected: set[bool | None]) -> None:
    facts = {**KNOWN, "groups": ["desk", "hall"], "empty": [], "scope": "a.b", "capability": {"id": "x"}}
    assert possible(condition, facts, frozenset({"input", "mode"})) == expected


def test_a_glob_on_an_unknown_capability_may_be_anything() -> None:
    condition = matches(read("scope"), capability_glob("*"))
    assert possible(condition, {"scope": "a.b"}, frozenset({"capability"})) == ANYTHING


def test_chains_of_unknown_definitions_fit_the_stack() -> None:
    chain: ir.Expression = UNKNOWN
    for number in range(5_000):
        chain = shared(f"definition_{number}", conjunction(TRUE, chain))
    assert possible(chain, {}, frozenset({"input"})) == ANYTHING
