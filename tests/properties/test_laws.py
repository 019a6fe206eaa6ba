"""The laws of language.md section 10, over generated policies that use the whole language."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from policy import Engine, Outcome
from tests.properties.budget import budget
from tests.properties.generators.capabilities import capabilities
from tests.properties.generators.policies import policies, statements
from tests.properties.generators.requests import contexts, hostile, inputs, requests
from tests.properties.harness import Request, engine_of, essence, rank, voted

SEEDS = st.integers(0, 2**32)
STATED_ONLY = ("delegation.", "tenant.mismatch", "credential.")
"""Guards that judge only what is stated: taking the datum away takes their reason away."""


@budget(40)
@given(st.data())
def test_decide_never_raises_and_repeats_itself(data: st.DataObject) -> None:
    engine = engine_of(data.draw(policies(claims=True)))
    request = data.draw(hostile())
    first, second = engine.decide(*request), engine.decide(*copy.deepcopy(request))
    assert first.model_dump_json() == second.model_dump_json()
    assert "engine.failure" not in {reason.code for reason in first.reasons}
    assert first.outcome is not Outcome.ALLOW or first.request_digest is not None


@budget(40)
@given(st.data())
def test_a_well_formed_request_is_judged_not_malformed(data: st.DataObject) -> None:
    engine = engine_of(data.draw(policies(claims=True)))
    request = data.draw(voted(engine))
    decision = engine.decide(*request)
    codes = {reason.code for reason in decision.reasons}
    assert not codes & {"engine.failure", "input.malformed", "capability.invalid"}, decision.reasons
    assert json.loads(decision.model_dump_json())["outcome"] == decision.outcome.value


def _removals(action: dict[str, Any], context: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every context with one granting datum taken away, with a name for it."""
    found: list[tuple[str, dict[str, Any]]] = []
    whole = ("requester", "operator", "subject", "delegation", "route", "region", "tenant", "credential")
    for name in (*whole, "history", "used_votes", "authorities"):
        if name in context:
            found.append((name, {key: value for key, value in context.items() if key != name}))
    for party in ("requester", "operator", "subject"):
        for member in ("roles", "groups", "attributes", "person_id"):
            if member in context.get(party, {}):
                shorter = {key: value for key, value in context[party].items() if key != member}
                found.append((f"{party}.{member}", {**context, party: shorter}))
    for name in context.get("attributes", {}):
        rest = {key: value for key, value in context["attributes"].items() if key != name}
        found.append((f"context.{name}", {**context, "attributes": rest}))
        if name != "incident":
            found.append((f"context.{name} null", {**context, "attributes": {**rest, name: None}}))
    for number, vote in enumerate(context.get("approvals", ())):
        if vote["decision"] == "approved":
            rest_votes = [one for position, one in enumerate(context["approvals"]) if position != number]
            found.append((f"approval {number}", {**context, "approvals": rest_votes}))
            for part in ("reason", "evidence", "request_digest", "policy_hash"):
                if part in vote:
                    poorer = {key: value for key, value in vote.items() if key != part}
                    changed = [
                        poorer if position == number else one for position, one in enumerate(context["approvals"])
                    ]
                    found.append((f"approval {number} {part}", {**context, "approvals": changed}))
    denied = {vote["approver"]["id"] for vote in context.get("approvals", ()) if vote["decision"] == "denied"}
    for number, record in enumerate(context.get("authorities", ())):
        rest_records = [one for position, one in enumerate(context["authorities"]) if position != number]
        if record["principal_id"] not in denied:
            found.append((f"record {number}", {**context, "authorities": rest_records}))
    return found


@budget(40)
@given(st.data())
def test_less_is_not_more(data: st.DataObject) -> None:
    engine = engine_of(data.draw(policies()))
    assume(not any(diagnostic.code == "law.presence" for diagnostic in engine.diagnostics))
    action, capability, context = data.draw(voted(engine))
    before = engine.decide(action, capability, context)
    if any(reason.effect == "deny" and reason.code.startswith(STATED_ONLY) for reason in before.reasons):
        return
    denial = any(vote["decision"] == "denied" for vote in context.get("approvals", ()))
    withdrawal = any(vote["decision"] == "revoked" for vote in context.get("approvals", ()))
    for name, poorer in _removals(action, context):
        after = engine.decide(action, capability, poorer)
        if denial or withdrawal:
            assert after.outcome is not Outcome.ALLOW or before.outcome is Outcome.ALLOW, (name, before, after)
        else:
            assert rank(after) >= rank(before), (name, before.reasons, after.reasons)


@budget(30)
@given(st.data(), SEEDS)
def test_order_changes_nothing(data: st.DataObject, seed: int) -> None:
    parts = data.draw(statements(claims=True))
    engine = engine_of("\n".join(parts))
    action, capability, context = data.draw(voted(engine))
    shuffler = random.Random(seed)
    mixed = parts[1:]
    shuffler.shuffle(mixed)
    other = engine_of("\n".join([parts[0], *mixed]))
    shuffled = {key: context[key] for key in shuffler.sample(list(context), len(context))}
    for name in ("approvals", "authorities"):
        if name in shuffled:
            shuffled[name] = shuffler.sample(shuffled[name], len(shuffled[name]))
    assert engine.policy_hash == other.policy_hash
    assert essence(engine.decide(action, capability, context)) == essence(other.decide(action, capability, shuffled))


@budget(40)
@given(st.data())
def test_claims_only_tighten(data: st.DataObject) -> None:
    engine = engine_of(data.draw(policies(claims=True)))
    action, capability, context = data.draw(voted(engine))
    silent = {name: value for name, value in action.items() if name not in {"compliance", "identity", "approval"}}
    assert rank(engine.decide(action, capability, context)) >= rank(engine.decide(silent, capability, context))


EXTRA = (
    'deny "extra" { for pay.** when input.amount > 50 }',
    'deny "extra" { unless subject.roles has "clerk" }',
    'require "extra" { when input.amount > 50 approval "two" }',
    'raise "extra" { to high when input.amount > 50 }',
    'separation "extra" { requester differs from operator }',
    'separation "extra" { for pay.** approver differs from context.change.author }',
    'obligation "extra" { set note = input.name }',
)


@budget(40)
@given(st.data())
def test_adding_a_restriction_never_loosens(data: st.DataObject) -> None:
    text = data.draw(policies(claims=True))
    engine = engine_of(text)
    request = data.draw(requests())
    stricter = engine_of(text + "\n" + data.draw(st.sampled_from(EXTRA)))
    before, after = engine.decide(*request), stricter.decide(*request)
    if "raise" not in text and "risk" not in text:
        assert rank(after) >= rank(before), (before.reasons, after.reasons)
    elif before.outcome is not Outcome.ALLOW:
        assert after.outcome is not Outcome.ALLOW or "raise" in text


@budget(30)
@given(st.data())
def test_an_inner_layer_never_loosens(data: st.DataObject) -> None:
    outer = data.draw(policies())
    engine = engine_of(outer)
    request = data.draw(requests())
    inner = 'route "desk" { allow pay.** allow note.read }\n' + data.draw(st.sampled_from(EXTRA[:2]))
    layered = Engine.from_source(outer, inner)
    before, after = engine.decide(*request), layered.decide(*request)
    assert rank(after) >= rank(before)


@budget(30)
@given(st.data())
def test_adding_an_allow_removes_only_reasons_of_reach(data: st.DataObject) -> None:
    text = data.draw(policies())
    request = data.draw(requests())
    before = engine_of(text).decide(*request)
    after = engine_of(text + '\nroute "desk" { allow ** }').decide(*request)
    removable = {"scope.not_allowed", "scope.condition_false", "scope.condition_unevaluable", "route.unknown"}
    stayed = {(reason.code, reason.rule) for reason in after.reasons}
    for reason in before.reasons:
        assert reason.code in removable or (reason.code, reason.rule) in stayed or reason.effect == "allow"


@budget(30)
@given(st.data())
def test_a_rule_that_does_not_match_changes_nothing_but_the_hash(data: st.DataObject) -> None:
    text = data.draw(policies())
    request = data.draw(requests())
    engine, wider = engine_of(text), engine_of(text + '\ndeny "elsewhere" { for zoo.feed when input.amount > 5 }')
    before, after = essence(engine.decide(*request)), essence(wider.decide(*request))
    assert before.pop("policy_hash") != after.pop("policy_hash")
    assert before == after


@budget(40)
@given(st.data())
def test_what_may_run_is_shown(data: st.DataObject) -> None:
    engine = engine_of(data.draw(policies()))
    action, capability, context = data.draw(requests())
    if engine.decide(action, capability, context).outcome is not Outcome.DENY:
        assert engine.exposes(capability, context).outcome is Outcome.ALLOW


@budget(30)
@given(capabilities(), contexts(), inputs(), inputs())
def test_the_digest_tells_requests_apart(
    capability: dict[str, Any], context: dict[str, Any], one: dict[str, Any], other: dict[str, Any]
) -> None:
    engine = Engine.from_source('route "desk" { allow pay.** }\n' + _DECLARATIONS)
    first: Request = ({"id": "a", "capability_id": capability["id"], "input": one}, capability, context)
    second: Request = ({"id": "b", "capability_id": capability["id"], "input": other}, capability, context)
    same = json.loads(json.dumps(first[0], sort_keys=True))
    assume(engine.request_digest(*first) is not None)
    assert engine.request_digest(*first) == engine.request_digest(same, capability, context)
    assert (engine.request_digest(*first) == engine.request_digest(*second)) is (one == other)


_DECLARATIONS = """context {
  env: one of "prod", "test" incident: string or null limit: number quick: boolean level: risk clearance: sensitivity
  address: ip optional deadline: timestamp wait: duration optional owners: map of string tags: list of string
  change: { author: string contributors: list of string } optional
}"""
