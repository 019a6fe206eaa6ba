"""Approvals and separation of duties from policy text to decision, through the public interface."""

from __future__ import annotations

from typing import Any

import pytest

from policy import Capability, Decision, Engine
from policy.model.context import AuthorityRecord
from tests.unit.approval_world import Json, agent, deny, make_context, person, record, vote
from tests.unit.contract_documents import approval, contract

POLICY = """
policy "payments" { version "1" }
context {
  account_owner: string optional
  authors: list of string optional
}
directory {
  roles "teller", "manager", "maker", "checker"
  groups "treasury", "treasury-eu"
  attributes { department: string optional limit: number optional }
}
route "desk" { allow payment.** }

require "pool" { for payment.pool approval "pool" because "two tellers look at it" }
approval "pool" { need 2 approvals from { role "teller" group "treasury*" } denied by 2 people }

require "slots" { for payment.slots approval "slots" }
approval "slots" {
  need all of { role "teller" any of { role "manager" principal context.account_owner } }
  distinct by department
}

require "choice" { for payment.choice approval "choice" }
approval "choice" {
  need any of { 2 approvals from role "teller" all of { role "manager" group "treasury" } }
  at least 2 people
  evidence reason
}

require "limit" { for payment.limit approval "limit" }
approval "limit" { need role "teller" where approver.attributes.limit >= input.amount valid for 1h }

require "own" { for payment.own approval "own" }
approval "own" { need principal subject allow self approval valid for 10m }

require "grant" { for payment.grant approval "grant" }
approval "grant" { need delegated "payment.grant" max risk high covering input.amount }

separation "authors" { for payment.limit approver differs from context.authors }
separation "toxic" { for payment.pool roles "maker", "checker" conflict }
separation "maker-checker" { different people perform payment.prepare, payment.slots per input.payment_id within 30d }
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.from_source(POLICY)


def document(scope: str) -> Json:
    return {"id": scope, "name": scope, "kind": "tool", "scope": scope, "input_schema": True, "risk": "medium"}


def decide(engine: Engine, scope: str, votes: list[Json], records: list[Json] | None, **members: Any) -> Decision:
    """Votes marked THIS are bound to the request and to the policy that decides."""
    capability = Capability.model_validate(document(scope))
    action = {"id": "a-1", "capability_id": scope, "input": members.pop("input", {"amount": 900, "payment_id": "p-1"})}
    context = make_context([], records, **members)
    digest = engine.request_digest(action, capability, context)
    own = {"request_digest": digest, "policy_hash": engine.policy_hash}
    return engine.decide(action, capability, {**context, "approvals": [{**each, **own} for each in votes]})


def outcome(decision: Decision) -> tuple[str, list[str], dict[str, str]]:
    """The outcome, who counts, and why others do not."""
    (only,) = decision.approvals
    refused = {each.approver: each.code for each in only.not_counted}
    return decision.outcome.value, [each.approver for each in only.counted], refused


INES = record("ines", "teller", attributes={"department": "front", "limit": 1000})
OMAR = record("omar", groups=["treasury-eu"])
LENA = record("lena", "teller", "manager", attributes={"department": "back"})


def test_a_pool(engine: Engine) -> None:
    votes = [vote("ines"), vote("omar"), vote("rosa")]
    decision = decide(engine, "payment.pool", votes, [INES, OMAR, record("rosa", "teller")])
    assert outcome(decision) == ("allow", ["ines", "omar"], {"rosa": "approval.self"})
    pending = decide(engine, "payment.pool", votes[:1], [INES, OMAR])
    assert outcome(pending) == ("require-approval", ["ines"], {})
    (only,) = pending.approvals
    assert only.needs == '2 approvals from { role "teller" group "treasury*" }'
    assert only.next == ["role teller", "group treasury*"]
    assert only.candidates == ["omar"]
    (reason,) = [each for each in pending.reasons if each.effect == "require-approval"]
    assert (reason.code, reason.rule, reason.message) == ("rule.requires_approval", "pool", "two tellers look at it")


def test_two_people_end_it(engine: Engine) -> None:
    approvals = [vote("ines"), vote("omar")]
    records = [INES, OMAR, LENA, record("kim", "teller")]
    one = decide(engine, "payment.pool", [*approvals, deny("lena")], records)
    assert outcome(one) == ("allow", ["ines", "omar"], {})
    two = decide(engine, "payment.pool", [*approvals, deny("lena"), deny("kim")], records)
    assert outcome(two)[0] == "deny"
    assert [each.code for each in two.reasons if each.effect == "deny"] == ["approval.denied"]


def test_conflicting_roles(engine: Engine) -> None:
    records = [record("ines", "teller", "maker", "checker"), OMAR]
    decision = decide(engine, "payment.pool", [vote("ines"), vote("omar")], records)
    assert outcome(decision) == ("require-approval", ["omar"], {"ines": "approval.role_conflict"})
    both = person("dora", roles=["maker", "checker"])
    denied = decide(engine, "payment.pool", [vote("ines"), vote("omar")], [INES, OMAR], requester=both)
    assert [each.code for each in denied.reasons if each.effect == "deny"] == ["separation.role_conflict"]


def test_slots_of_different_departments(engine: Engine) -> None:
    votes = [vote("ines"), vote("lena")]
    assert outcome(decide(engine, "payment.slots", votes, [INES, LENA]))[0] == "allow"
    front = record("lena", "teller", "manager", attributes={"department": "front"})
    assert outcome(decide(engine, "payment.slots", votes, [INES, front]))[0] == "require-approval"


def test_the_owner_is_named_by_trusted_data(engine: Engine) -> None:
    records = [INES, record("omar", attributes={"department": "back"})]
    votes = [vote("ines"), vote("omar")]
    named = decide(engine, "payment.slots", votes, records, attributes={"account_owner": "omar"})
    assert outcome(named)[0] == "allow"
    unnamed = decide(engine, "payment.slots", votes, records)
    assert outcome(unnamed) == ("require-approval", ["ines"], {"omar": "approval.not_eligible"})


def test_a_choice_of_composite_children(engine: Engine) -> None:
    reason: Any = {"reason": "checked"}
    records = [INES, LENA, record("kim", groups=["treasury"])]
    mixed = [vote("ines", **reason), vote("kim", **reason)]
    assert outcome(decide(engine, "payment.choice", mixed, records))[0] == "require-approval"
    assert outcome(decide(engine, "payment.choice", [*mixed, vote("lena", **reason)], records))[0] == "allow"
    silent = decide(engine, "payment.choice", [vote("ines"), vote("lena", **reason)], records)
    assert outcome(silent) == ("require-approval", ["lena"], {"ines": "approval.evidence_missing"})


def test_a_condition_on_the_approver_and_a_separation(engine: Engine) -> None:
    members: Any = {"attributes": {"authors": ["omar"]}}
    assert outcome(decide(engine, "payment.limit", [vote("ines")], [INES], **members))[0] == "allow"
    large = {"amount": 1001, "payment_id": "p-1"}
    over = decide(engine, "payment.limit", [vote("ines")], [INES], input=large, **members)
    assert outcome(over) == ("require-approval", [], {"ines": "approval.not_eligible"})
    old = decide(engine, "payment.limit", [vote("ines", -3600)], [INES], **members)
    assert outcome(old) == ("require-approval", [], {"ines": "approval.expired"})
    unstated = decide(engine, "payment.limit", [vote("ines")], [INES])
    assert outcome(unstated) == ("require-approval", [], {"ines": "approval.parties_unknown"})
    author = decide(engine, "payment.limit", [vote("ines")], [INES], attributes={"authors": ["ines"]})
    assert outcome(author) == ("require-approval", [], {"ines": "approval.separation"})


def test_self_approval_and_delegated_authority(engine: Engine) -> None:
    assert outcome(decide(engine, "payment.own", [vote("rosa", -60)], [record("rosa")]))[0] == "allow"
    other = decide(engine, "payment.own", [vote("ines", -60)], [INES])
    assert outcome(other) == ("require-approval", [], {"ines": "approval.not_eligible"})
    for limit, expected in ((900, "allow"), (899, "require-approval"), (None, "require-approval")):
        grant = {"scope": "payment.*", "max_value": limit}
        records = [record("ines", delegated_scopes=[{name: each for name, each in grant.items() if each is not None}])]
        assert outcome(decide(engine, "payment.grant", [vote("ines")], records))[0] == expected


def test_the_history_keeps_performers_apart(engine: Engine) -> None:
    entry = {
        "scope": "payment.prepare",
        "people": [person("rosa")],
        "keys": {"input.payment_id": "p-1"},
        "at": "2026-06-01T00:00:00Z",
    }
    decision = decide(engine, "payment.slots", [], [], history={"entries": [entry]})
    assert [each.code for each in decision.reasons if each.effect == "deny"] == ["separation.same_performer"]
    absent = decide(engine, "payment.slots", [], [], history=None)
    assert [each.code for each in absent.reasons if each.effect == "deny"] == ["separation.history_unavailable"]
    by_voter = decide(
        engine, "payment.slots", [vote("ines")], [INES], history={"entries": [{**entry, "people": [person("ines")]}]}
    )
    assert outcome(by_voter) == ("require-approval", [], {"ines": "approval.separation"})


def test_contradictions_are_denied(engine: Engine) -> None:
    votes = [vote("ines", decision_id="d"), deny("ines", decision_id="d")]
    decision = decide(engine, "payment.pool", votes, [INES])
    assert decision.outcome.value == "deny"
    assert [each.code for each in decision.reasons] == ["context.invalid"]


class Directory:
    """Answers from a table; `down` raises."""

    def __init__(self, entries: dict[str, Json]) -> None:
        self.entries = entries

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        if principal_id == "down":
            raise ConnectionError("the directory does not answer")
        entry = self.entries.get(principal_id)
        return None if entry is None else AuthorityRecord.model_validate(entry)


def test_a_resolver_is_asked_at_decision_time() -> None:
    directory = Directory({"ines": INES, "omar": OMAR})
    asking = Engine.from_source(POLICY, resolver=directory)
    votes = [vote("ines"), vote("omar"), vote("down"), vote("nobody")]
    unresolved = {"down": "approval.authority_unavailable", "nobody": "approval.authority_unknown"}
    assert outcome(decide(asking, "payment.pool", votes, None)) == ("allow", ["ines", "omar"], unresolved)
    directory.entries["omar"] = record("omar", "support")
    again = decide(asking, "payment.pool", votes, [OMAR])
    assert outcome(again) == ("require-approval", ["ines"], {**unresolved, "omar": "approval.not_eligible"})


def test_a_resolver_tells_the_persons_that_a_separation_names() -> None:
    directory = Directory(
        {
            "ines-admin": record("ines-admin", "teller", person_id="p-7", attributes={"limit": 1000}),
            "ines": record("ines", person_id="p-7"),
        }
    )
    asking = Engine.from_source(POLICY, resolver=directory)
    decision = decide(asking, "payment.limit", [vote("ines-admin")], None, attributes={"authors": ["ines"]})
    assert outcome(decision) == ("require-approval", [], {"ines-admin": "approval.separation"})
    failing = decide(asking, "payment.limit", [vote("ines-admin")], None, attributes={"authors": ["down"]})
    assert outcome(failing) == ("require-approval", [], {"ines-admin": "approval.parties_unknown"})


def test_a_contract_asks_through_the_same_evaluator(engine: Engine) -> None:
    scope = "payment.contract"
    rule = {
        "operator": "all",
        "rules": [
            {"operator": "role", "name": "teller"},
            {"operator": "quorum", "required": 1, "rules": [{"operator": "group", "name": "treasury"}]},
        ],
    }
    policy = approval(
        reason="paid out at once",
        approver_selector={"type": "role", "name": "teller"},
        rule=rule,
        ttl_ms=3_600_000,
        minimum_distinct_principals=2,
        separation_of_duties={"allow_self_approval": True},
    )
    quiet = contract(approval=policy, idempotency={**contract()["idempotency"], "requirement": "optional"})
    capability = Capability.model_validate({**document(scope), "contract": quiet})
    action = {"id": "a-1", "capability_id": scope, "input": {}}
    records = [INES, record("omar", groups=["treasury"]), record("rosa", "teller", groups=["treasury"])]
    context = make_context([], records, operator=agent("agent-7", roles=[]))
    own = {"request_digest": engine.request_digest(action, capability, context), "policy_hash": engine.policy_hash}

    def decided(*names: str, seconds: int = -600) -> tuple[str, list[str], dict[str, str]]:
        votes = [{**vote(name, seconds), **own} for name in names]
        decision = engine.decide(action, capability, {**context, "approvals": votes})
        assert decision.approvals[0].id == "contract"
        return outcome(decision)

    assert decided("ines", "omar") == ("allow", ["ines", "omar"], {})
    assert decided("ines", "rosa") == ("require-approval", ["ines"], {"rosa": "approval.self"})
    assert decided("ines", "omar", seconds=-3600) == (
        "require-approval",
        [],
        {"ines": "approval.expired", "omar": "approval.expired"},
    )
