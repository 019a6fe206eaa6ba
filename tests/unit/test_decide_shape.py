"""Stage 1: malformed actions, capabilities and contexts are denials that say what is wrong; nothing raises."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from policy import Action, Context, Engine
from policy.model.context import AuthorityRecord
from tests.unit.decide_world import NOW, OPEN, ROSA, acc, action, codes, context, decide, engine

Json = dict[str, Any]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def cyclic() -> Json:
    value: Json = {}
    value["self"] = value
    return value


MALFORMED_ACTIONS: list[Any] = [
    None,
    [],
    "action",
    5,
    {},
    {"id": "a", "capability_id": "refund.create"},
    {"id": "", "capability_id": "refund.create", "input": {}},
    {"id": "a", "capability_id": "refund.create", "input": {}, "mdoe": "sync"},
    {"id": "a", "capability_id": "refund.create", "input": {}, "mode": "later"},
    {"id": "a", "capability_id": "refund.create", "input": {}, "timeout_ms": 0},
    {"id": "a", "capability_id": "refund.create", "input": {}, "timeout_ms": "5"},
    {"id": "a", "capability_id": "refund.create", "input": {}, "transaction": {"mode": "undo"}},
    {"id": "a", "capability_id": "refund.create", "input": {"amount": float("nan")}},
    {"id": "a", "capability_id": "refund.create", "input": {"amount": float("inf")}},
    {"id": "a", "capability_id": "refund.create", "input": {"amount": 2**53}},
    {"id": "a", "capability_id": "refund.create", "input": {"note": "\ud800"}},
    {"id": "a", "capability_id": "refund.create", "input": {"note": b"x"}},
    {"id": "a", "capability_id": "refund.create", "input": {1: "x"}},
    {"id": "a", "capability_id": "refund.create", "input": {"note": "x" * (1 << 20)}},
    {"id": "a", "capability_id": "refund.create", "input": nested(100)},
    {"id": "a", "capability_id": "refund.create", "input": nested(100_000)},
    {"id": "a", "capability_id": "refund.create", "input": cyclic()},
    {"id": "a", "capability_id": "refund.create", "input": {}, "approval": nested(100)},
    Action.model_construct(id="a", capability_id="refund.create", input={"amount": float("nan")}),
    Action.model_construct(id="a", capability_id="refund.create", input=cyclic()),
    Action.model_construct(id=5, capability_id="refund.create", input={}),
]


@pytest.mark.parametrize("malformed", MALFORMED_ACTIONS)
def test_a_malformed_action_is_denied(malformed: Any) -> None:
    decision = engine(OPEN).decide(malformed, acc(), context())

    assert decision.outcome.value == "deny"
    assert set(codes(decision, None)) == {"input.malformed"}
    assert (decision.request_digest, decision.capability_id is None) == (None, False)


@pytest.mark.parametrize(
    "malformed",
    [None, 5, {}, {"id": "x"}, {"acc": {"version": 1, "enabled": True}}, {"id": "x", "name": "x", "kind": "tool"}],
)
def test_a_capability_that_is_not_admitted_is_denied(malformed: Any) -> None:
    decision = engine(OPEN).decide(action(acc(), {}), malformed, context())

    assert set(codes(decision, None)) == {"capability.invalid"}
    assert (decision.capability_id, decision.risk.declared) == ("refund.create", None)


MALFORMED_CONTEXTS: list[Any] = [
    None,
    [],
    {"route": "desk"},
    {**context(), "rote": "desk"},
    {**context(), "now": "2026-06-10T12:00:00"},
    {**context(), "now": 5},
    {**context(), "subject": {"id": "rosa"}},
    {**context(), "subject": {"id": "rosa", "kind": "robot"}},
    {**context(), "subject": {**ROSA, "roles": "admin"}},
    {**context(), "subject": {**ROSA, "attributes": {"n": float("nan")}}},
    {**context(), "delegation": [{"from": ROSA, "scope": "a"}]},
    {**context(), "credential": {"expires_at": "2026-06-11"}},
    {**context(), "approvals": [{"decision": "approved"}]},
    {**context(), "used_votes": "d-1"},
    {**context(), "attributes": nested(70)},
    Context.model_construct(route="desk", now=NOW, subject=5),
]


@pytest.mark.parametrize("malformed", MALFORMED_CONTEXTS)
def test_a_malformed_context_is_denied(malformed: Any) -> None:
    decision = engine(OPEN).decide(action(acc(), {}), acc(), malformed)

    assert decision.outcome.value == "deny"
    assert set(codes(decision, None)) == {"context.invalid"}


def test_all_three_parts_speak_at_once() -> None:
    decision = engine(OPEN).decide({}, {}, {})

    assert set(codes(decision)) == {"input.malformed", "capability.invalid", "context.invalid"}


def test_what_is_wrong_is_told_with_its_place() -> None:
    decision = engine(OPEN).decide(action(acc(), {}, mode="later"), acc(), {**context(), "subject": {"id": "rosa"}})

    assert [each.message for each in decision.reasons] == [
        "`/subject/kind` is missing; add it",
        "`/mode` is `later`; use one of `sync`, `async`, `streaming`",
    ]


def record(principal: str, person: str, tenant: str | None = "acme") -> Json:
    return {"principal_id": principal, "kind": "human", "person_id": person, "tenant_id": tenant}


def vote(name: str, **members: Any) -> Json:
    return {
        "decision": "approved",
        "decision_id": name,
        "approver": {"id": "ines", "kind": "human"},
        "decided_at": NOW,
        **members,
    }


@pytest.mark.parametrize(
    ("members", "invalid"),
    [
        ({"approvals": [vote("d-1"), vote("d-1", decision="denied")]}, True),
        ({"approvals": [vote("d-1"), vote("d-1")]}, False),
        ({"authorities": [record("ines", "ines"), record("ines", "ines")]}, True),
        ({"authorities": [record("ines", "ines"), record("ines", "ines", "other")]}, False),
        ({"authorities": [record("rosa", "somebody")]}, True),
        ({"authorities": [record("rosa", "somebody", "other")]}, False),
    ],
)
def test_a_context_that_contradicts_itself_is_invalid(members: Json, invalid: bool) -> None:
    decision = decide(stated=context(**members))

    assert set(codes(decision)) == ({"context.invalid"} if invalid else set())


DECLARED = """
context {
  text: string
  level: risk optional
  since: timestamp optional
  stage: one of "test", "production" optional
  incident: string or null
  change: { author: string reviewers: list of string optional } optional
}
"""
FULL = {"text": "x", "incident": None}


@pytest.mark.parametrize(
    ("attributes", "problem"),
    [
        (FULL, None),
        ({**FULL, "incident": "INC-7"}, None),
        ({**FULL, "level": "high", "since": NOW, "stage": "test", "change": {"author": "a"}}, None),
        ({**FULL, "level": None, "since": None, "change": None}, None),
        ({"incident": None}, "`context.text` is missing"),
        ({"text": None, "incident": None}, "`context.text` is missing"),
        ({"text": "x"}, "`context.incident` is missing"),
        ({**FULL, "text": 5}, "`context.text` is a number, not a string"),
        ({**FULL, "level": "severe"}, "`context.level` is not one of low, medium, high, critical"),
        ({**FULL, "since": "yesterday"}, "`context.since` is not an RFC 3339 timestamp with an offset"),
        ({**FULL, "stage": "prod"}, "`context.stage` is not one of `test`, `production`"),
        ({**FULL, "change": {}}, "`context.change.author` is missing"),
        (
            {**FULL, "change": {"author": "a", "reviewers": ["b", 5]}},
            "`context.change.reviewers[1]` is a number, not a string",
        ),
    ],
)
def test_declared_attributes_are_of_their_type(attributes: Json, problem: str | None) -> None:
    decision = decide(OPEN + DECLARED, stated=context(attributes=attributes))

    denied = [(each.code, each.message) for each in decision.reasons if each.effect == "deny"]
    assert denied == ([] if problem is None else [("context.invalid", problem)])


def test_undeclared_attributes_are_ignored_with_a_note() -> None:
    decision = decide(OPEN + DECLARED, stated=context(attributes={**FULL, "sinse": 5, "other": {}}))

    assert decision.outcome.value == "allow"
    assert [(each.code, each.message) for each in decision.reasons if each.effect == "note"] == [
        ("context.undeclared", "no policy declares the attribute `other`; it is ignored"),
        ("context.undeclared", "no policy declares the attribute `sinse`; it is ignored (did you mean `since`?)"),
    ]


def test_an_attribute_of_a_party_has_its_declared_type() -> None:
    text = OPEN + "directory { attributes { limit: number optional since: timestamp optional } }"

    for attributes, expected in (
        ({"limit": 5, "since": NOW, "else": []}, []),
        ({"limit": None}, []),
        ({"limit": "5"}, ["context.invalid"]),
        ({"since": "yesterday"}, ["context.invalid"]),
    ):
        assert codes(decide(text, stated=context(subject={**ROSA, "attributes": attributes}))) == expected


def test_now_is_the_contexts_else_the_clocks() -> None:
    called = action(acc(), {})
    without = context(now=None)
    assert [each.message for each in engine(OPEN).decide(called, acc(), without).reasons] == [
        "`now` is missing; state the instant of the call, or give the engine a clock"
    ]
    clocked = Engine.from_source(OPEN, clock=lambda: datetime(2026, 1, 2, tzinfo=UTC))
    assert clocked.decide(called, acc(), without).evaluated_at == "2026-01-02T00:00:00Z"
    assert clocked.decide(called, acc(), context()).evaluated_at == NOW
    naive = Engine.from_source(OPEN, clock=lambda: datetime(2026, 1, 2))
    assert codes(naive.decide(called, acc(), without)) == ["context.invalid"]


def test_a_resolver_gives_the_records_and_its_contradictions_count() -> None:
    class Directory:
        def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
            return AuthorityRecord(
                principal_id=principal_id, kind="human", person_id=f"person-of-{principal_id}", tenant_id=tenant_id
            )

    called = action(acc(), {})
    resolving = Engine.from_source(OPEN, resolver=Directory())
    untold = context(requester={"id": "rosa", "kind": "human"}, subject={"id": "rosa", "kind": "human"})
    voted = context(approvals=[vote("d-1", approver={"id": "ines", "kind": "human", "person_id": "somebody"})])

    assert resolving.decide(called, acc(), untold).outcome.value == "allow"
    assert codes(resolving.decide(called, acc(), voted)) == ["context.invalid"]


def test_any_number_of_mistakes_is_told_within_bounds() -> None:
    many = {**context(), **{f"k{number:05}": 1 for number in range(3_000)}}
    decision = engine(OPEN).decide(action(acc(), {}), acc(), many)

    assert (len(decision.reasons), decision.reasons_omitted) == (1_000, 1)
    assert set(codes(decision, None)) == {"context.invalid"}


def test_near_words_are_looked_for_only_where_few_attributes_are_undeclared() -> None:
    stated = {**FULL, **{f"sinse{number}": 1 for number in range(11)}}
    decision = decide(OPEN + DECLARED, stated=context(attributes=stated))

    assert {each.message for each in decision.reasons if each.effect == "note"} == {
        f"no policy declares the attribute `sinse{number}`; it is ignored" for number in range(11)
    }
