"""Satisfaction by flow against an oracle that tries every assignment.

2,600 examples a run, 2,000 of them of what is missing; `POLICY_TEST_SCALE=10` gives ten times as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from policy.decide.approvals.satisfaction import Supporter, standing
from policy.ir import nodes as ir
from policy.ir.alternatives import leaves_of, quorum_of
from tests.properties.budget import budget
from tests.unit.approval_world import pool, role, slots

_MOST = 6
"""Approvals that a need of these tests asks for, at most: the oracle tries every assignment of them."""


def _leaf() -> st.SearchStrategy[ir.Need]:
    # Every leaf is an object of its own: its place in the tree is what counts.
    return st.builds(lambda: role("r"))


def _pool() -> st.SearchStrategy[ir.Need]:
    return st.integers(1, 3).flatmap(
        lambda count: st.integers(1, 3).map(lambda leaves: pool(count, *(role("r") for _ in range(leaves))))
    )


def _slots(children: st.SearchStrategy[ir.Need], *, same_person: bool = False) -> st.SearchStrategy[ir.Need]:
    def choose(needs: list[ir.Need]) -> st.SearchStrategy[ir.Need]:
        return st.integers(1, len(needs)).map(lambda count: slots(count, *needs, same_person=same_person))

    return st.lists(children, min_size=1, max_size=3).flatmap(choose)


_SMALL = _leaf() | _pool()
_TREE = _SMALL | _slots(_SMALL | _slots(_SMALL))


def _demand(need: ir.Need) -> int:
    match need:
        case ir.Leaf():
            return 1
        case ir.Pool():
            return need.count
        case ir.Slots():
            return sum(sorted(_demand(child) for child in need.children)[-need.count :])


def _groups(sizes: list[tuple[int, int]]) -> ir.Need:
    """Choices among leaves that all must hold: whoever serves one choice may be needed in another."""
    return slots(
        len(sizes), *(slots(min(count, leaves), *(role("r") for _ in range(leaves))) for count, leaves in sizes)
    )


_GROUPS = st.lists(st.tuples(st.integers(1, 3), st.integers(2, 4)), min_size=2, max_size=3).map(_groups)
_NEED = (_GROUPS | _TREE | _slots(_TREE, same_person=True)).filter(
    lambda need: len(leaves_of(need)) <= 7 and _demand(need) <= _MOST
)


@st.composite
def _supporters(draw: st.DrawFn, leaves: int) -> list[Supporter]:
    # People who match one leaf or two leave the fewest ways out, so that augmenting paths become long.
    bit = st.integers(0, leaves - 1).map(lambda number: 1 << number)
    mask = bit | st.builds(lambda one, other: one | other, bit, bit) | st.integers(1, (1 << leaves) - 1)
    masks = draw(st.lists(mask, max_size=6))
    return [Supporter(mask, draw(st.sampled_from("xyz"))) for mask in masks]


@st.composite
def _questions(draw: st.DrawFn) -> tuple[ir.Need, list[Supporter], int, bool]:
    need = draw(_NEED)
    independent = isinstance(need, ir.Slots) and need.same_person
    distinct = draw(st.booleans()) and not independent
    return need, draw(_supporters(len(leaves_of(need)))), draw(st.integers(1, 4)), distinct


def _fillings(need: ir.Need, first: int, people: list[Supporter], used: frozenset[str]) -> Iterator[frozenset[str]]:
    """Every set of people (by key) that fills the need beside those already used; leaves count from `first`."""
    match need:
        case ir.Leaf():
            yield from _taken(1 << first, 1, people, used)
        case ir.Pool():
            yield from _taken(((1 << len(need.leaves)) - 1) << first, need.count, people, used)
        case ir.Slots():
            placed = []
            for child in need.children:
                placed.append((child, first))
                first += len(leaves_of(child))
            for picked in combinations(placed, need.count):
                yield from _each(picked, people, used)


def _each(
    picked: tuple[tuple[ir.Need, int], ...], people: list[Supporter], used: frozenset[str]
) -> Iterator[frozenset[str]]:
    if not picked:
        yield used
        return
    (need, first), *rest = picked
    for filled in set(_fillings(need, first, people, used)):
        yield from _each(tuple(rest), people, filled)


def _taken(mask: int, count: int, people: list[Supporter], used: frozenset[str]) -> Iterator[frozenset[str]]:
    fitting = [person for person in people if person.leaves & mask and str(person.value) not in used]
    for chosen in combinations(fitting, count):
        keys = frozenset(str(person.value) for person in chosen)
        if len(keys) == count:
            yield used | keys


def _satisfied(need: ir.Need, people: list[Supporter]) -> bool:
    """Whether some assignment fills the need; the `value` of a person is the key that serves one slot only."""
    if isinstance(need, ir.Slots) and need.same_person:
        first = 0
        held = 0
        for child in need.children:
            held += any(True for _ in _fillings(child, first, people, frozenset()))
            first += len(leaves_of(child))
        return held >= need.count
    return any(True for _ in _fillings(need, 0, people, frozenset()))


def _missing(need: ir.Need, people: list[Supporter], at_least: int) -> int:
    """How many people who match everything must be added."""
    everything = (1 << len(leaves_of(need))) - 1
    for more in range(_MOST + 1):
        added = [Supporter(everything, f"new-{number}") for number in range(more)]
        if len(people) + more >= at_least and _satisfied(need, people + added):
            return more
    raise AssertionError("the need asks for more people than the oracle tries")


def _keyed(people: list[Supporter], *, distinct: bool) -> list[Supporter]:
    return people if distinct else [Supporter(each.leaves, str(number)) for number, each in enumerate(people)]


@budget(2000)
@given(_questions())
def test_flow_agrees_with_every_assignment(question: tuple[ir.Need, list[Supporter], int, bool]) -> None:
    need, people, at_least, distinct = question
    quorum = quorum_of(need, 256)
    assert quorum is not None
    expected = _missing(need, _keyed(people, distinct=distinct), at_least)
    assert standing(quorum, people, at_least, distinct=distinct).missing == expected


@budget(300)
@given(_questions())
def test_a_leaf_is_wanted_exactly_where_one_person_of_it_brings_the_quorum_nearer(
    question: tuple[ir.Need, list[Supporter], int, bool],
) -> None:
    need, people, at_least, distinct = question
    if isinstance(need, ir.Slots) and need.same_person:
        need = slots(need.count, *need.children)
    quorum = quorum_of(need, 256)
    assert quorum is not None
    found = standing(quorum, people, at_least, distinct=distinct)
    for number in range(len(quorum.leaves)):
        more = [*people, Supporter(1 << number, "new")]
        nearer = _missing(need, _keyed(more, distinct=distinct), at_least) < found.missing
        assert bool(found.wanted >> number & 1) == nearer


@budget(300)
@given(_questions(), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_of_alternatives_matters(
    question: tuple[ir.Need, list[Supporter], int, bool], random: object
) -> None:
    need, people, at_least, distinct = question
    quorum = quorum_of(need, 256)
    assert quorum is not None
    shuffled = list(people)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert standing(quorum, shuffled, at_least, distinct=distinct) == standing(
        quorum, people, at_least, distinct=distinct
    )
