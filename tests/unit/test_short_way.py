"""The short way to a decision gives what the long way gives, whatever a caller hands over and does to it afterwards."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from pydantic import BaseModel

from policy import Action, Context, Decision, Engine, Principal
from policy.contracts.admission import admit
from policy.decide.brief import decide_briefly
from policy.decide.plans import Plans
from policy.model.admitted import AdmittedCapability
from policy.model.context import Credential, DelegationHop, History, Tenant

POLICY = 'policy "p" { version "1" }\nroute "r" { allow a.b }\n'
ASKING = POLICY + 'require "q" { for a.b approval "lead" }\napproval "lead" { need role "lead" }\n'
DOCUMENT = {"acc": {"version": 1, "enabled": True, "scope": "a.b"}, "input_schema": {"type": "object"}}
ACTION: dict[str, Any] = {"id": "x", "capability_id": "a.b", "input": {}}
ROSA: dict[str, Any] = {"id": "rosa", "kind": "human", "person_id": "rosa"}
CONTEXT: dict[str, Any] = {
    "route": "r",
    "now": "2026-01-01T00:00:00Z",
    "delegation": [],
    "used_votes": [],
    "requester": ROSA,
    "operator": {"id": "agent", "kind": "agent"},
    "subject": ROSA,
}


def both(
    action: object, context: object, capability: Any = DOCUMENT, *, policy: str = POLICY
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the compiled engine and the reference interpreter decide."""
    engine = Engine.from_source(policy)
    oracle = Engine(engine.compiled, backend="interpreter")
    given: Any = (action, capability, context)
    return engine.decide(*given).model_dump(), oracle.decide(*given).model_dump()


def admitted() -> AdmittedCapability:
    found = admit(DOCUMENT).capability
    assert found is not None
    return found


def context(**members: Any) -> Context:
    return Context.model_validate({**CONTEXT, **members})


def unchecked(**members: Any) -> Context:
    """A context whose members were not validated."""
    return context().model_copy(update=members)


def person(**members: Any) -> Principal:
    return Principal.model_construct(**{**ROSA, **members})


def grown(role: object) -> Context:
    """A context whose list of roles grew after it was validated."""
    made = context(subject={**ROSA, "roles": ["clerk"]})
    assert made.subject is not None and made.subject.roles is not None
    made.subject.roles.append(role)  # type: ignore[arg-type]
    return made


def with_member(model: Any, name: str, value: object) -> Any:
    model.__dict__[name] = value
    return model


_BAD_ACTIONS: dict[str, Any] = {
    "claims that nobody set": Action.model_construct(_fields_set=set(), **ACTION, approval=float("nan")),
    "claims written past the model": with_member(Action(**ACTION), "approval", {"x": float("nan")}),
    "an empty id": Action.model_construct(id="", capability_id="a.b", input={}),
    "a lone surrogate": Action.model_construct(id="\ud800", capability_id="a.b", input={}),
    "no id": Action.model_construct(capability_id="a.b", input={}),
    "an id too long": Action(id="x" * 2_000_000, capability_id="a.b", input={}),
    "a key with a lone surrogate": Action.model_construct(**ACTION, idempotency_key="\udc00"),
    "a mode that cannot be looked up": Action.model_construct(**ACTION, mode=[]),
    "another mode": Action.model_construct(**ACTION, mode="fast"),
}


@pytest.mark.parametrize("action", _BAD_ACTIONS.values(), ids=_BAD_ACTIONS.keys())
def test_an_action_that_was_not_validated_is_judged_by_what_it_holds(action: object) -> None:
    decided, expected = both(action, context())
    assert decided == expected
    assert decided["outcome"] == "deny" and decided["reasons"][0]["code"] == "input.malformed"


_BAD_CONTEXTS: dict[str, Any] = {
    "roles beyond the bound": context(subject={**ROSA, "roles": ["clerk"] * 150_000}),
    "a role that is a number": grown(5),
    "a role that is a lone surrogate": grown("\ud800"),
    "an empty role": grown(""),
    "used votes of other types": unchecked(used_votes=[1]),
    "a number as session": unchecked(session=5),
    "a lone surrogate as session": unchecked(session="\ud800"),
    "an empty session": unchecked(session=""),
    "a list as region": unchecked(region=[]),
    "a number as tenant": unchecked(tenant=Tenant.model_construct(id=5)),
    "no instant": unchecked(now="yesterday"),
    "an unknown kind": unchecked(subject=person(kind="god")),
    "a kind that cannot be looked up": unchecked(subject=person(kind=[])),
    "a tuple of roles": unchecked(subject=person(roles=("clerk",))),
    "a number as person": unchecked(subject=person(person_id=7)),
    "a lone surrogate as name": unchecked(subject=person(display_name="\ud800")),
    "attributes with numbers as names": unchecked(subject=person(attributes={"a": {1: 2}})),
    "a list of attributes": unchecked(attributes=[]),
    "nothing as attributes": unchecked(attributes=0),
    "nothing as hops": unchecked(delegation=0),
    "an object of hops": unchecked(delegation={}),
    "text as votes": unchecked(approvals=""),
    "nothing as entries": unchecked(history=History.model_construct(entries=0)),
    "text as history": unchecked(history="x"),
    "a credential that ends never": unchecked(credential=Credential.model_construct(expires_at="never")),
    "scopes that are numbers": unchecked(credential=Credential.model_construct(scopes=[1])),
    "text as transaction": unchecked(transaction="q"),
}


@pytest.mark.parametrize("stated", _BAD_CONTEXTS.values(), ids=_BAD_CONTEXTS.keys())
def test_a_context_that_was_not_validated_is_judged_by_what_it_holds(stated: Context) -> None:
    decided, expected = both(Action(**ACTION), stated)
    assert decided == expected
    assert decided["outcome"] == "deny" and decided["reasons"][0]["code"] == "context.invalid"


def test_a_part_that_is_plain_data_is_read_as_such() -> None:
    decided, expected = both(Action(**ACTION), unchecked(tenant={"id": "t"}, subject=ROSA))
    assert decided == expected
    assert decided["outcome"] == "allow"


@pytest.mark.parametrize("policy", [POLICY, ASKING], ids=["allow", "require-approval"])
def test_nothing_that_a_decision_tells_follows_a_later_change(policy: str) -> None:
    action, stated = Action(**{**ACTION, "input": {"list": [1]}}), context(subject={**ROSA, "roles": ["clerk"]})
    engine = Engine.from_source(policy)
    expected = engine.decide(action, DOCUMENT, stated).model_dump_json()
    decided = engine.decide(action, DOCUMENT, stated)
    hop = DelegationHop.model_validate({"from": ROSA, "to": ROSA, "scope": "**"})
    assert stated.delegation is not None and stated.subject is not None and stated.subject.roles is not None
    stated.delegation.append(hop)
    stated.subject.roles.append("lead")
    action.input["list"].append(2)
    for model, name, value in (
        (action, "id", "other"),
        (action, "mode", "async"),
        (stated, "session", "other"),
        (stated, "now", "2027-01-01T00:00:00Z"),
        (stated.subject, "id", "other"),
    ):
        with_member(model, name, value)
    assert decided.model_dump_json() == expected


_STATES = (
    ("used_votes", None),
    ("delegation", None),
    ("subject", None),
    ("subject", {"id": "z", "kind": "human"}),
)


@pytest.mark.parametrize(("member", "value"), _STATES)
def test_it_is_told_where_no_approval_can_count(member: str, value: object) -> None:
    decided, expected = both(ACTION, {**CONTEXT, member: value}, policy=ASKING)
    assert decided == expected
    assert decided["reasons"][0]["code"] == "approval.none_counts"


_OTHERS: dict[str, dict[str, Any]] = {
    "capability.disabled": {"enabled": False},
    "capability.not_callable": {"callable": False},
    "capability.unsupported_version": {"supported_version": False},
    "scope.malformed": {"scope_wellformed": False},
}


@pytest.mark.parametrize(("code", "changed"), _OTHERS.items(), ids=_OTHERS.keys())
def test_a_plan_belongs_to_all_that_was_made_of_a_document(code: str, changed: dict[str, Any]) -> None:
    engine, known = Engine.from_source(POLICY), admitted()
    assert engine.decide(ACTION, known, CONTEXT).allowed
    refused = engine.decide(ACTION, dataclasses.replace(known, **changed), CONTEXT)
    assert code in [reason.code for reason in refused.reasons] and not refused.allowed


def test_plain_requests_go_the_short_way() -> None:
    engine = Engine.from_source(POLICY)
    plans = Plans(engine.compiled)

    def never(action: Action, stated: Context) -> Any:
        raise AssertionError("nothing is asked of anybody")

    for action, stated in ((ACTION, CONTEXT), (Action(**ACTION), context())):
        brief = decide_briefly(
            engine.compiled, plans, action=action, capability=admitted(), context=stated, again=never
        )
        assert brief is not None and brief.allowed


@pytest.mark.parametrize("policy", [POLICY, ASKING], ids=["allow", "require-approval"])
def test_a_decision_that_was_not_read_is_written_out_whole(policy: str) -> None:
    class Holder(BaseModel):
        decision: Decision

    engine = Engine.from_source(policy)
    whole = Engine(engine.compiled, backend="interpreter").decide(ACTION, DOCUMENT, CONTEXT)

    def unread() -> Decision:
        return engine.decide(ACTION, DOCUMENT, CONTEXT)

    assert pickle.loads(pickle.dumps(unread())) == copy.copy(unread()) == copy.deepcopy(unread()) == whole
    assert repr(unread()) == repr(whole) and dict(unread()) == dict(whole)
    assert unread().model_fields_set == whole.model_fields_set
    assert unread().model_copy(update={"session": "s"}) == whole.model_copy(update={"session": "s"})
    assert unread().model_dump(exclude_unset=True) == whole.model_dump(exclude_unset=True)
    assert unread().model_dump(exclude_defaults=True) == whole.model_dump(exclude_defaults=True)
    assert unread().model_dump(include={"outcome", "risk"}) == whole.model_dump(include={"outcome", "risk"})
    without: Any = {"reasons": {0: {"code"}}}
    assert unread().model_dump(exclude=without) == whole.model_dump(exclude=without)
    assert Holder(decision=unread()) == Holder(decision=whole)
    assert Holder(decision=unread()).model_dump_json() == Holder(decision=whole).model_dump_json()
