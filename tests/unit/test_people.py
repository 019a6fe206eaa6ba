"""Which principals are one person, and contexts that contradict themselves."""

from __future__ import annotations

from typing import Any

import pytest

from policy.decide.people import People, context_problems, parties_of
from policy.model.context import Context
from tests.unit.approval_world import Json, agent, deny, make_context, person, record, vote, withdraw


def context(votes: list[Json] | None = None, records: list[Json] | None = None, **members: Any) -> Context:
    return Context.model_validate(make_context(votes or [], records, **members))


def test_principals_of_one_person() -> None:
    people = People(
        context(
            [vote({"id": "ines-phone", "kind": "human", "person_id": "p-1"})],
            [record("ines", person_id="p-1"), record("omar", person_id="p-2")],
        )
    )
    assert people.same_person("ines", "ines-phone")
    assert not people.same_person("ines", "omar")
    assert people.same_person("stranger", "stranger")
    assert not people.same_person("stranger", "p-1")
    assert (people.told("ines"), people.told("stranger")) == (True, False)


def test_persons_are_linked_transitively_whatever_the_order() -> None:
    votes = [
        vote({"id": name, "kind": "human", "person_id": each}, seconds)
        for name, each, seconds in (
            ("x", "p-1", -1),
            ("x", "p-2", -2),
            ("y", "p-3", -3),
            ("y", "p-2", -4),
            ("z", "p-3", -5),
        )
    ]
    for order in (votes, votes[::-1]):
        people = People(context([*order, vote({"id": "w", "kind": "human", "person_id": "p-1"})]))
        assert {people.person(name) for name in "xyzw"} == {(True, "p-1")}
        assert people.identified("p-3") == (True, "p-1")


def test_a_record_of_another_tenant_says_nothing() -> None:
    people = People(context([], [record("ines", tenant_id="other", person_id="rosa")]))
    assert (people.records, people.foreign) == ({}, frozenset({"ines"}))
    assert not people.told("ines")


def test_parties() -> None:
    stated = parties_of(context(delegation=[{"from": person("dora"), "to": agent("agent-7"), "scope": "**"}]))
    assert stated.known
    assert [party.id for party in stated.stated] == ["rosa", "agent-7", "rosa", "dora"]
    assert [party.id for party in stated.people] == ["rosa", "rosa", "dora"]
    robots = parties_of(context(requester=agent("a"), subject=agent("b")))
    assert [party.id for party in robots.people] == ["a", "agent-7", "b"]
    assert not parties_of(context(delegation=None)).known


TWO_IDS = "two different votes have the decision_id `d`; give every vote an id of its own"


@pytest.mark.parametrize(
    ("votes", "records", "expected"),
    [
        ([vote("ines"), vote("ines", -500)], [record("ines")], []),
        ([vote("ines"), vote("ines")], [], []),
        ([vote("ines", decision_id="d"), deny("ines", decision_id="d")], [], [TWO_IDS]),
        ([vote("ines", decision_id="d"), withdraw("ines", "x", decision_id="d")], [], [TWO_IDS]),
        (
            [
                vote("ines", decision_id="d", constraints=[{"field": "/a", "operator": "eq", "value": value}])
                for value in (True, 1)
            ],
            [],
            [TWO_IDS],
        ),
        (
            [vote("ines", decision_id="w", decision="revoked")],
            [],
            ["the withdrawal `w` names no vote; state its `target_decision_id`"],
        ),
        ([], [record("ines"), record("ines")], ["`ines` has two authority records in tenant `acme`; send one"]),
        (
            [],
            [record("ines", tenant_id=None), record("ines", tenant_id=None)],
            ["`ines` has two authority records without a tenant; send one"],
        ),
        ([], [record("ines"), record("ines", tenant_id="other")], []),
        (
            [vote({"id": "ines", "kind": "human", "person_id": "p-1"})],
            [record("ines", person_id="p-2")],
            ["`ines` is the person `p-1` and by its authority record `p-2`; state one person"],
        ),
        ([vote({"id": "ines", "kind": "human", "person_id": "p-1"})], [record("ines", person_id="p-1")], []),
        ([vote({"id": "ines", "kind": "human", "person_id": "p-1"})], [record("ines", tenant_id="other")], []),
        (
            [],
            [record("rosa", person_id="p-2")],
            ["`rosa` is the person `rosa` and by its authority record `p-2`; state one person"],
        ),
    ],
)
def test_contexts_that_contradict_themselves(votes: list[Json], records: list[Json], expected: list[str]) -> None:
    assert context_problems(context(votes, records)) == expected
    assert context_problems(context(votes[::-1], records[::-1])) == expected
