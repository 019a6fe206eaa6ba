"""The models of action, context and decision: strict, closed, frozen, published as JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from policy.model.action import Action
from policy.model.base import Model
from policy.model.context import Context, Principal
from policy.model.decision import Decision, Outcome
from policy.model.published import DIALECT
from policy.types.names import CLAIM_MEMBERS

_ACTION = {"id": "a-1", "capability_id": "c-1", "input": {"x": 1}}
_ROSA = {"id": "rosa", "kind": "human"}
_VOTE = {"decision": "approved", "decision_id": "d-1", "approver": _ROSA, "decided_at": "2026-11-30T10:00:00Z"}
_DECISION = {
    "outcome": Outcome.DENY,
    "reasons": [{"code": "rule.denied", "effect": "deny", "message": "no"}],
    "risk": {"declared": None, "effective": None},
    "policy_hash": "sha256:0",
}


def test_an_action_has_the_defaults_of_aip() -> None:
    action = Action.model_validate(_ACTION)
    assert (action.mode, action.idempotency_key, action.timeout_ms, action.transaction) == ("sync", None, None, None)
    assert [getattr(action, claim) for claim in CLAIM_MEMBERS] == [None] * 9


@pytest.mark.parametrize("claim", CLAIM_MEMBERS)
@pytest.mark.parametrize("value", [None, True, 1, "x", [1], {"any": {"thing": []}}], ids=repr)
def test_a_claim_is_any_json(claim: str, value: Any) -> None:
    assert getattr(Action.model_validate({**_ACTION, claim: value}), claim) == value


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"id": 1},
        {"id": None},
        {"capability_id": ""},
        {"mode": "later"},
        {"mode": None},
        {"idempotency_key": 1},
        {"timeout_ms": 0},
        {"timeout_ms": True},
        {"timeout_ms": "5"},
        {"transaction": {"mode": "explode"}},
        {"transaction": {"unknown": 1}},
        {"unknown": 1},
        {"Input": {}},
    ],
    ids=repr,
)
def test_a_malformed_action_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Action.model_validate({**_ACTION, **change})


@pytest.mark.parametrize("member", ["id", "capability_id", "input"])
def test_the_members_of_an_action_that_must_be_there(member: str) -> None:
    with pytest.raises(ValidationError, match=member):
        Action.model_validate({name: value for name, value in _ACTION.items() if name != member})


def test_what_a_context_does_not_state_is_unknown() -> None:
    context = Context.model_validate({"requester": _ROSA})
    assert context.requester is not None
    assert (context.requester.roles, context.requester.groups, context.history, context.used_votes) == (None,) * 4
    assert Principal.model_validate({**_ROSA, "roles": []}).roles == []


@pytest.mark.parametrize(
    "context",
    [
        {"now": "2026-11-30T10:00:00"},
        {"now": "2026-02-30T10:00:00Z"},
        {"now": "2026-11-30"},
        {"now": "0000-01-01T00:00:00Z"},
        {"now": 1764496800},
        {"route": ""},
        {"route": 5},
        {"rotue": "desk"},
        {"requester": "rosa"},
        {"requester": {"id": "rosa"}},
        {"requester": {"id": "rosa", "kind": "robot"}},
        {"requester": {"id": "", "kind": "human"}},
        {"requester": {**_ROSA, "roles": "admin"}},
        {"requester": {**_ROSA, "roles": [""]}},
        {"requester": {**_ROSA, "roles": ("admin",)}},
        {"requester": {**_ROSA, "role": ["admin"]}},
        {"delegation": {}},
        {"delegation": [{"from": _ROSA, "to": _ROSA}]},
        {"approvals": [{**_VOTE, "decision": "yes"}]},
        {"approvals": [{**_VOTE, "decided_at": "now"}]},
        {"approvals": [{name: value for name, value in _VOTE.items() if name != "decision_id"}]},
        {"authorities": [{"principal_id": "ines", "kind": "human"}]},
        {"history": [{}]},
        {"history": {"entries": [{"scope": "a", "people": [], "keys": {}, "at": "yesterday"}]}},
        {"attributes": []},
        {"environment": "production"},
    ],
    ids=repr,
)
def test_a_malformed_context_is_refused(context: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Context.model_validate(context)


def test_a_limit_is_a_number_that_can_be_compared() -> None:
    def delegated(value: Any) -> Any:
        record = {
            "principal_id": "i",
            "kind": "human",
            "person_id": "i",
            "delegated_scopes": [{"scope": "a", "max_value": value}],
        }
        return Context.model_validate({"authorities": [record]})

    assert delegated(0.5).authorities[0].delegated_scopes[0].max_value == 0.5
    for wrong in (float("nan"), float("inf"), True, "5"):
        with pytest.raises(ValidationError):
            delegated(wrong)


def test_a_hop_is_written_with_from() -> None:
    hop = {"from": _ROSA, "to": _ROSA, "scope": "a.**"}
    context = Context.model_validate({"delegation": [hop]})
    assert context.delegation is not None
    assert context.delegation[0].from_.id == "rosa"
    assert context.model_dump(by_alias=True, exclude_unset=True) == {"delegation": [hop]}


def test_one_principal_stands_for_all_three_parties() -> None:
    context = Context.for_principal(_ROSA, route="desk")
    assert [context.requester, context.operator, context.subject] == [Principal.model_validate(_ROSA)] * 3
    assert context.route == "desk"
    assert context.delegation is None
    with pytest.raises(ValidationError):
        Context.for_principal(_ROSA, rotue="desk")


@pytest.mark.parametrize("model", [Action.model_validate(_ACTION), Context(), Decision.model_validate(_DECISION)])
def test_models_do_not_change(model: BaseModel) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        model.id = "other"  # type: ignore[attr-defined]


@pytest.mark.parametrize("model", [Action, Context, Decision])
def test_every_public_model_publishes_a_schema_with_a_word_on_every_member(model: type[Model]) -> None:
    schema = model.json_schema()
    assert schema["$schema"] == DIALECT
    Draft202012Validator.check_schema(schema)
    silent = [
        f"{name}.{member}"
        for name, part in {"": schema, **schema["$defs"]}.items()
        for member, described in part.get("properties", {}).items()
        if not described.get("description")
    ]
    assert silent == []


def test_the_published_schemas_take_what_the_models_take() -> None:
    decision = Decision.model_validate(_DECISION)
    assert list(Draft202012Validator(Decision.json_schema()).iter_errors(decision.model_dump(mode="json"))) == []
    assert list(Draft202012Validator(Action.json_schema()).iter_errors(_ACTION)) == []
    context = {"requester": _ROSA, "approvals": [_VOTE], "delegation": [{"from": _ROSA, "to": _ROSA, "scope": "a"}]}
    assert list(Draft202012Validator(Context.json_schema()).iter_errors(context)) == []
    assert [error.validator for error in Draft202012Validator(Context.json_schema()).iter_errors({"rotue": "x"})] == [
        "additionalProperties"
    ]


def test_only_allow_is_allowed() -> None:
    outcomes = {outcome: Decision.model_validate({**_DECISION, "outcome": outcome}).allowed for outcome in Outcome}
    assert outcomes == {Outcome.ALLOW: True, Outcome.REQUIRE_APPROVAL: False, Outcome.DENY: False}
