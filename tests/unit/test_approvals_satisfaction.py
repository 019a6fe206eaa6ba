"""Trees of needs, and what is still missing: matched, never counted greedily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from policy.decide.approvals.judge import judge
from policy.decide.approvals.satisfaction import Standing, Supporter, standing
from policy.ir import nodes as ir
from policy.ir.alternatives import Group, quorum_of
from policy.source.limits import Limits
from tests.unit.approval_world import (
    all_of,
    any_of,
    decided,
    leaf,
    make_context,
    make_request,
    pool,
    record,
    requirement,
    role,
    slots,
    vote,
)

A, B, C, D, E = (role(letter) for letter in "abcde")


def outcome(need: ir.Need, *people: str, **members: Any) -> tuple[str, int]:
    """State and missing, with voters `1`, `2`, … who hold the letters of their text as roles."""
    votes = [vote(str(number), -600 + number) for number, _ in enumerate(people)]
    records = [record(str(number), *roles) for number, roles in enumerate(people)]
    approval = decided(requirement(need, **members), make_request(make_context(votes, records)))
    return approval.state, approval.missing


@pytest.mark.parametrize(
    ("need", "people", "expected"),
    [
        (A, ["b"], ("pending", 1)),
        (A, ["a"], ("satisfied", 0)),
        (pool(3, A, B), ["a", "b"], ("pending", 1)),
        (pool(2, A, B), ["ab", "a"], ("satisfied", 0)),
        # One person with both roles is one person.
        (all_of(A, B), ["ab"], ("pending", 1)),
        # Whoever gives the first voter to `a` finds nobody for `b`.
        (all_of(A, B), ["ab", "a"], ("satisfied", 0)),
        (all_of(A, B), ["a", "ab"], ("satisfied", 0)),
        (all_of(B, A), ["ab", "a"], ("satisfied", 0)),
        # Two votes of one role do not fill two different slots.
        (all_of(A, B), ["a", "a"], ("pending", 1)),
        (all_of(A, A), ["a"], ("pending", 1)),
        (all_of(A, A), ["a", "a"], ("satisfied", 0)),
        (slots(2, A, B, C), ["a", "c"], ("satisfied", 0)),
        (slots(2, A, B, C), ["a", "a"], ("pending", 1)),
        (slots(2, A, B, C), ["ab", "a"], ("satisfied", 0)),
        # The choice among leaves is made anew when somebody chosen is needed elsewhere.
        (all_of(slots(2, A, B, C), all_of(D, E)), ["ad", "b", "c", "e"], ("satisfied", 0)),
        (all_of(slots(2, A, B, C), all_of(D, E)), ["ad", "b", "b", "e"], ("pending", 1)),
        (any_of(A, B), ["b"], ("satisfied", 0)),
        (all_of(any_of(A, B), A), ["ab", "a"], ("satisfied", 0)),
        (all_of(any_of(A, B), A), ["b", "b"], ("pending", 1)),
        # Composite children: a pool that is chosen is filled whole.
        (any_of(pool(2, A), pool(2, B)), ["a", "b"], ("pending", 1)),
        (any_of(pool(2, A), pool(2, B)), ["a", "b", "b"], ("satisfied", 0)),
        (slots(2, pool(2, A), all_of(A, B), C), ["a", "ab", "c"], ("satisfied", 0)),
        (slots(2, pool(2, A), all_of(A, B), C), ["a", "ab", "a"], ("pending", 1)),
        (slots(2, all_of(A, B), all_of(B, C), all_of(A, C)), ["ab", "bc", "ac"], ("pending", 1)),
        (slots(2, all_of(A, B), all_of(B, C), all_of(A, C)), ["ab", "bc", "ac", "b"], ("satisfied", 0)),
        (all_of(pool(2, A, B), any_of(C, pool(2, B))), ["ac", "a", "b"], ("satisfied", 0)),
        # The root may let one person stand for several children.
        (all_of(A, B, same_person=True), ["ab"], ("satisfied", 0)),
        (all_of(A, B, same_person=True), ["a"], ("pending", 1)),
        (all_of(A, B, same_person=True), [], ("pending", 1)),
        (all_of(pool(2, A), B, same_person=True), ["ab"], ("pending", 1)),
        (slots(2, A, B, pool(2, C), same_person=True), ["c", "bc"], ("satisfied", 0)),
        (slots(2, A, B, C, same_person=True), ["a"], ("pending", 1)),
    ],
)
def test_trees(need: ir.Need, people: Sequence[str], expected: tuple[str, int]) -> None:
    assert outcome(need, *people) == expected


def test_at_least_so_many_people() -> None:
    assert outcome(any_of(A, B), "a", at_least=2) == ("pending", 1)
    assert outcome(any_of(A, B), "a", "a", at_least=2) == ("satisfied", 0)
    assert outcome(all_of(A, B, same_person=True), "ab", at_least=3) == ("pending", 2)
    assert outcome(pool(3, A), "a", at_least=2) == ("pending", 2)
    # Somebody who matches no leaf is nobody who approves.
    assert outcome(any_of(A, B), "a", "c", at_least=2) == ("pending", 1)


def test_distinct_values_serve_one_slot_each() -> None:
    votes = [vote(name) for name in ("ines", "omar", "lena")]

    def state(need: ir.Need, *departments: str | None) -> tuple[str, int, list[str]]:
        records = [
            record(name, *roles, attributes={} if department is None else {"department": department})
            for name, roles, department in zip(("ines", "omar", "lena"), ("a", "ab", "b"), departments, strict=True)
        ]
        asked = requirement(need, distinct_by="department")
        approval = decided(asked, make_request(make_context(votes, records)))
        return approval.state, approval.missing, [each.code for each in approval.not_counted]

    assert state(all_of(A, B), "x", "y", "x") == ("satisfied", 0, [])
    assert state(all_of(A, B), "x", "x", "x") == ("pending", 1, [])
    # Matching people first would pick ines and lena, who share a value, though omar and lena do not.
    assert state(all_of(A, B), "x", "x", "y") == ("satisfied", 0, [])
    assert state(pool(3, A, B), "x", "y", "x") == ("pending", 1, [])
    assert state(all_of(A, B), None, "y", "x") == ("satisfied", 0, ["approval.distinct_unknown"])
    assert state(all_of(A, B), "x", "", "") == ("pending", 1, ["approval.distinct_unknown"] * 2)


def test_the_attribute_is_a_string() -> None:
    records = [record("ines", "a", attributes={"department": 5})]
    asked = requirement(A, distinct_by="department")
    approval = decided(asked, make_request(make_context([vote("ines")], records)))
    assert [each.code for each in approval.not_counted] == ["approval.distinct_unknown"]


def alternatives(need: ir.Need) -> int:
    quorum = quorum_of(need, 256)
    assert quorum is not None
    return sum(len(branch) for branch in quorum.branches)


@pytest.mark.parametrize(
    ("need", "expected"),
    [
        (A, 1),
        (pool(3, A, B), 1),
        (slots(2, *[A] * 30), 1),
        (all_of(pool(2, A), pool(2, B)), 1),
        (any_of(pool(2, A), pool(2, B)), 2),
        (slots(2, *[pool(2, A)] * 4), 6),
        (all_of(any_of(pool(2, A), pool(2, B)), any_of(pool(2, A), pool(2, B))), 4),
        # Of mixed children only the composite ones are chosen; the leaves are chosen by the matching.
        (slots(2, A, B, C, pool(2, A)), 2),
        (any_of(pool(1, A, B), any_of(A, B)), 1),
        (all_of(A, pool(2, B), same_person=True), 2),
    ],
)
def test_how_many_alternatives_there_are(need: ir.Need, expected: int) -> None:
    assert alternatives(need) == expected


def test_the_bound_on_alternatives() -> None:
    doubled = all_of(*[any_of(pool(2, A), pool(2, B))] * 8)
    assert alternatives(doubled) == 256
    assert quorum_of(all_of(doubled, any_of(pool(2, A), pool(2, B))), 256) is None
    # Branches that are judged independently are bounded each by itself.
    assert alternatives(all_of(*[A] * 300, same_person=True)) == 300
    # Found without expanding what is beyond the bound.
    assert quorum_of(slots(30, *[pool(2, A)] * 60), 256) is None
    with pytest.raises(ValueError, match="the approval quorum has more than 3 alternatives"):
        judge([requirement(doubled)], make_request(make_context()), (), Limits(alternatives=3))


def test_leaves_are_numbered_in_the_order_of_the_text() -> None:
    quorum = quorum_of(all_of(A, pool(2, B, C), slots(1, A, all_of(B, C))), 256)
    assert quorum is not None
    common = (Group(1, ((0b1, 1),)), Group(2, ((0b110, 2),)))
    first = (*common, Group(1, ((0b1000, 1),)))
    second = (*common, Group(2, ((0b10000, 1), (0b100000, 1))))
    assert quorum.branches[0] == (
        (Group(1, ((0b1, 1),)), Group(2, ((0b110, 2),)), *first[2:]),
        second,
    )


def test_the_leaves_that_bring_it_nearer() -> None:
    quorum = quorum_of(all_of(A, B, C), 256)
    assert quorum is not None
    assert standing(quorum, [Supporter(0b011)], 1, distinct=False) == Standing(2, 0b111)
    assert standing(quorum, [Supporter(0b001)], 1, distinct=False) == Standing(2, 0b110)
    assert standing(quorum, [Supporter(0b001), Supporter(0b011)], 1, distinct=False) == Standing(1, 0b100)
    assert standing(quorum, [Supporter(0b001), Supporter(0b010), Supporter(0b100)], 5, distinct=False) == Standing(
        2, 0b111
    )


def test_many_votes_over_many_leaves() -> None:
    """2,000 people over 50 leaves, by the shape that breaks greedy counting: everybody could take the scarce leaf."""
    leaves = [role(f"r{number}") for number in range(50)]
    quorum = quorum_of(all_of(*leaves), 256)
    assert quorum is not None
    crowd = [Supporter(0b11 << (number % 49)) for number in range(2000)]
    assert standing(quorum, crowd, 1, distinct=False) == Standing(0, 0)
    chain = [Supporter((1 << 50) - (1 << number)) for number in range(50)]
    assert standing(quorum, chain, 1, distinct=False) == Standing(0, 0)
    assert standing(quorum, chain[1:], 1, distinct=False) == Standing(1, 0b1)
    assert standing(quorum, chain[:-1], 1, distinct=False) == Standing(1, (1 << 50) - 1)


def test_principals_named_twice_are_one_person() -> None:
    need = pool(2, leaf("principal", "ines"), leaf("principal", "ines"))
    approval = decided(requirement(need), make_request(make_context([vote("ines")], [record("ines")])))
    assert (approval.state, approval.missing) == ("pending", 1)
