"""Approvals that can never be satisfied, against an oracle that tries every assignment of people."""

from __future__ import annotations

from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from policy.check.quorum import most_people, satisfiable
from policy.ir import nodes as ir
from policy.ir.alternatives import quorum_of
from policy.source.text import Source, Span
from policy.types.kinds import Basic

SPAN = Span(Source("p.policy", ""), 0, 0)
NAMES = ("ines", "omar", "rosa")


def leaf(name: str | None) -> ir.Leaf:
    """A leaf that names one person, or (None) one that many may match."""
    value = ir.Constant(span=SPAN, type=Basic.STRING, value=name or "manager")
    return ir.Leaf(
        span=SPAN,
        kind="role" if name is None else "principal",
        value=value,
        max_risk=None,
        max_value=None,
        value_of=None,
        covering=None,
        where=None,
        text="",
    )


def pool(count: int, leaves: list[ir.Leaf]) -> ir.Pool:
    return ir.Pool(span=SPAN, count=count, leaves=tuple(leaves))


def slots(count: int, children: list[ir.Need]) -> ir.Slots:
    return ir.Slots(span=SPAN, count=min(count, len(children)), children=tuple(children), same_person=False)


def needs() -> st.SearchStrategy[ir.Need]:
    leaves = st.sampled_from((*NAMES, None)).map(leaf)
    pools = st.builds(pool, st.integers(1, 3), st.lists(leaves, min_size=1, max_size=3))
    simple: st.SearchStrategy[ir.Need] = st.one_of(leaves, pools)
    return st.recursive(
        simple, lambda inner: st.builds(slots, st.integers(1, 3), st.lists(inner, min_size=1, max_size=3)), max_leaves=6
    )


def demands(need: ir.Need) -> list[list[frozenset[str]]]:
    """Every way of meeting a need, each as the leaves' people per approval; strangers stand for whom nobody names."""
    match need:
        case ir.Leaf():
            return [[people(need)]]
        case ir.Pool():
            every = frozenset[str]().union(*(people(each) for each in need.leaves))
            return [[every] * need.count]
        case ir.Slots():
            return [
                [slot for part in parts for slot in part]
                for chosen in combinations(need.children, need.count)
                for parts in product(*(demands(child) for child in chosen))
            ]


def people(each: ir.Leaf) -> frozenset[str]:
    assert isinstance(each.value, ir.Constant)
    return frozenset({str(each.value.value)} if each.kind == "principal" else {f"stranger {n}" for n in range(12)})


def assigned(slots_left: list[frozenset[str]], taken: frozenset[str]) -> bool:
    if not slots_left:
        return True
    return any(assigned(slots_left[1:], taken | {person}) for person in sorted(slots_left[0] - taken))


@settings(max_examples=150, deadline=None)
@given(needs())
def test_a_need_is_reported_exactly_where_no_people_can_meet_it(need: ir.Need) -> None:
    # The slots that strangers may fill come last, so that the oracle fails fast; order never matters to it.
    possible = any(assigned(sorted(way, key=len), frozenset()) for way in demands(need))
    quorum = quorum_of(need, 10_000)
    assert quorum is not None
    assert satisfiable(quorum) is possible


def test_people_are_counted_once_however_often_they_are_named() -> None:
    assert most_people(pool(2, [leaf("ines"), leaf("omar"), leaf("ines")])) == 2
    assert most_people(pool(2, [leaf("ines"), leaf(None)])) is None


def test_thousands_of_slots_are_no_recursion() -> None:
    quorum = quorum_of(slots(1_500, [pool(2, [leaf(None)]) for _ in range(1_500)]), 256)
    assert quorum is not None
    assert satisfiable(quorum)
