"""Which approvals count, and the first reason against each that does not (language.md section 7)."""

from __future__ import annotations

from typing import Any

import pytest

from policy.model.canonical import digest
from tests.unit.approval_world import (
    DEFAULT_INPUT,
    HOUR,
    NOW,
    Json,
    agent,
    all_of,
    any_of,
    at,
    decided,
    leaf,
    make_context,
    make_request,
    person,
    pool,
    record,
    requirement,
    role,
    summary,
    vote,
)
from tests.unit.expressions import read

ONE = requirement(role("teller"))
TWO = requirement(pool(2, role("teller"), leaf("group", "treasury")))
INES = record("ines", "teller")
OMAR = record("omar", groups=["treasury"])


def code(stated: Json, records: list[Json] | None = None, asked: Any = ONE, **members: Any) -> str | None:
    """The code of the one vote; None where it counts."""
    context = make_context([stated], [INES] if records is None else records, **members)
    return code_in(context, asked)


def code_in(context: Json, asked: Any = ONE, **members: Any) -> str | None:
    approval = decided(asked, make_request(context, **members))
    assert len(approval.counted) + len(approval.not_counted) == 1
    return approval.not_counted[0].code if approval.not_counted else None


def test_two_people_of_the_pool_satisfy_it() -> None:
    context = make_context([vote("ines"), vote("omar", -300)], [INES, OMAR])
    assert summary(decided(TWO, make_request(context))) == ("satisfied", 0, ["ines", "omar"], {})


def test_two_approvals_by_one_person_are_one() -> None:
    context = make_context([vote("ines"), vote("ines", -300)], [INES])
    expected = ("pending", 1, ["ines"], {"ines-600": "approval.superseded"})
    assert summary(decided(TWO, make_request(context))) == expected


def test_two_accounts_of_one_person_are_one_person() -> None:
    records = [INES, record("ines-admin", "teller", person_id="ines")]
    context = make_context([vote("ines"), vote("ines-admin", -300)], records)
    expected = ("pending", 1, ["ines-admin"], {"ines-600": "approval.superseded"})
    assert summary(decided(TWO, make_request(context))) == expected


def test_persons_are_linked_through_other_principals() -> None:
    # The hop says that `bot` is p-1 and the vote that it is p-2, so that both person ids are one person.
    hop = {"from": agent("bot", person_id="p-1"), "to": agent("bot", person_id="p-2"), "scope": "**"}
    records = [record("ines", "teller", person_id="p-1"), record("omar", "teller", person_id="p-2")]
    context = make_context([vote("ines"), vote("omar", -300)], records, delegation=[hop])
    approval = decided(TWO, make_request(context))
    assert {each.decision_id: each.code for each in approval.not_counted} == {
        "ines-600": "approval.superseded",
        "omar-300": "approval.self",
    }


def test_the_same_vote_twice_counts_once() -> None:
    context = make_context([vote("ines"), vote("ines")], [INES])
    assert summary(decided(TWO, make_request(context))) == ("pending", 1, ["ines"], {})


@pytest.mark.parametrize("party", ["requester", "operator", "subject"])
def test_a_party_does_not_approve(party: str) -> None:
    members: Any = {party: person("ines", roles=[])}
    assert code(vote("ines"), **members) == "approval.self"


def test_a_delegator_does_not_approve() -> None:
    hop = {"from": person("ines"), "to": agent("agent-7"), "scope": "payment.**"}
    assert code(vote("ines"), delegation=[hop]) == "approval.self"


def test_a_party_does_not_approve_through_another_account() -> None:
    records = [record("rosa-admin", "teller", person_id="rosa")]
    assert code(vote("rosa-admin"), records) == "approval.self"


def test_self_approval_is_allowed_only_where_it_is_written() -> None:
    asked = requirement(leaf("principal", read("subject")), self_approval=True)
    assert code(vote("rosa"), [record("rosa")], asked) is None
    assert code(vote("rosa"), [record("rosa")], requirement(leaf("principal", read("subject")))) == "approval.self"


def test_an_agent_does_not_approve() -> None:
    records = [record("agent-9", "teller", kind="agent")]
    assert code(vote(agent("agent-9")), records) == "approval.kind"


def test_other_kinds_approve_where_they_are_accepted() -> None:
    records = [record("agent-9", "teller", kind="agent")]
    asked = requirement(role("teller"), kinds=("human", "agent"))
    assert code(vote(agent("agent-9")), records, asked) is None
    humans = requirement(role("teller"), kinds=("human", "agent"), humans_only=True)
    assert code(vote(agent("agent-9")), records, humans) == "approval.kind"


def test_the_kind_of_the_vote_is_the_kind_of_the_record() -> None:
    asked = requirement(role("teller"), kinds=("human", "agent"))
    assert code(vote(agent("ines")), [INES], asked) == "approval.kind"


def test_somebody_of_the_wrong_role_does_not_count() -> None:
    assert code(vote("ines"), [record("ines", "support")]) == "approval.not_eligible"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"revoked": True}, "approval.authority_revoked"),
        ({"expires_at": NOW}, "approval.authority_expired"),
        ({"expires_at": at(1)}, None),
        ({"tenant_id": "other"}, "approval.authority_tenant"),
        ({"tenant_id": None}, "approval.authority_tenant"),
        ({"roles": []}, "approval.not_eligible"),
        ({"roles": None}, "approval.not_eligible"),
        ({"principal_id": "nobody"}, "approval.authority_unknown"),
    ],
)
def test_the_record_of_the_voter(members: Json, expected: str | None) -> None:
    assert code(vote("ines"), [record("ines", **{"roles": ["teller"], **members})]) == expected


def test_a_record_of_a_tenant_does_not_serve_a_call_without_one() -> None:
    assert code(vote("ines"), tenant=None) == "approval.authority_tenant"
    assert code(vote("ines"), [record("ines", "teller", tenant_id=None)], tenant=None) is None


def test_a_record_of_this_tenant_serves_beside_one_of_another() -> None:
    records = [record("ines", "teller"), record("ines", "teller", tenant_id="other", person_id="someone")]
    assert code(vote("ines"), records) is None


def test_authorities_that_are_not_stated_are_unknown() -> None:
    assert code_in(make_context([vote("ines")], None)) == "approval.authority_unknown"


def test_a_record_that_could_not_be_fetched_is_unavailable() -> None:
    assert code_in(make_context([vote("ines")], []), failures=["ines"]) == "approval.authority_unavailable"
    assert code_in(make_context([vote("ines")], [INES]), failures=["ines"]) == "approval.authority_unavailable"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"request_digest": None}, "approval.unbound"),
        ({"policy_hash": None}, "approval.unbound"),
        ({"request_digest": "sha256:other"}, "approval.request_changed"),
        ({"policy_hash": "sha256:older"}, "approval.policy_changed"),
        ({"approval_id": "another"}, "approval.other_requirement"),
        ({"approval_id": "quorum"}, None),
        ({"decided_at": at(1)}, "approval.not_yet_valid"),
        ({"decided_at": at(0)}, None),
        ({"decided_at": at(-4 * 3600)}, "approval.expired"),
        ({"decided_at": at(-4 * 3600 + 1)}, None),
        ({"expires_at": NOW}, "approval.expired"),
        ({"expires_at": "2026-06-10T12:00:00.000000001Z"}, None),
        ({"expires_at": "2026-06-10T09:00:00.5-03:00"}, None),
        ({"expires_at": "2026-06-10T14:00:00+02:00"}, "approval.expired"),
    ],
)
def test_binding_and_time(members: Json, expected: str | None) -> None:
    assert code(vote("ines", **members)) == expected


def _digest_of(payment: Json | None = None, **members: Any) -> str:
    scope = members.pop("scope", "payment.release")
    return make_request(make_context(**members), payment, scope=scope).digest


@pytest.mark.parametrize(
    "other",
    [
        {"payment": {"amount": 901, "payment_id": "p-1"}},
        {"scope": "payment.create"},
        {"tenant": {"id": "other"}},
        {"session": "run-2"},
        {"route": "kiosk"},
        {"operator": agent("agent-8", roles=[])},
    ],
)
def test_a_vote_for_another_request_does_not_count(other: Json) -> None:
    assert code(vote("ines", request_digest=_digest_of(**other))) == "approval.request_changed"


def test_votes_of_two_waiting_requests_are_not_interchangeable() -> None:
    large = {"amount": 9000, "payment_id": "p-2"}
    small_digest, large_digest = _digest_of(), _digest_of(large)
    votes = [
        vote("ines", decision_id="small", request_digest=small_digest),
        vote("ines", -300, decision_id="large", decision="denied", request_digest=large_digest),
    ]
    context = make_context(votes, [INES])
    assert decided(ONE, make_request(context)).state == "satisfied"
    assert decided(ONE, make_request(context, large)).state == "denied"
    swapped = [{**votes[0], "request_digest": large_digest}, {**votes[1], "request_digest": small_digest}]
    assert decided(ONE, make_request(make_context(swapped, [INES]))).state == "denied"


def test_usage() -> None:
    assert code(vote("ines"), used_votes=["ines-600"]) == "approval.used"
    assert code(vote("ines"), used_votes=["another"]) is None
    assert code(vote("ines"), used_votes=None) == "approval.usage_unknown"


@pytest.mark.parametrize("party", ["requester", "operator", "subject", "delegation"])
def test_a_party_that_is_not_stated_keeps_everybody_from_approving(party: str) -> None:
    assert code(vote("ines"), **{party: None}) == "approval.parties_unknown"


@pytest.mark.parametrize("kind", ["human", "customer", "contact"])
def test_a_party_whose_person_is_not_told(kind: str) -> None:
    subject = {"id": "rosa", "kind": kind, "roles": []}
    assert code(vote("ines"), requester=subject, subject=subject) == "approval.person_unknown"
    told = [INES, record("rosa", kind=kind)]
    assert code(vote("ines"), told, requester=subject, subject=subject) is None


EVIDENCE: list[tuple[str, Json, str | None]] = [
    ("reason", {}, "approval.evidence_missing"),
    ("reason", {"reason": " "}, "approval.evidence_missing"),
    ("reason", {"reason": "checked"}, None),
    ("external_ticket", {"evidence": [{"id": "T-1", "kind": "external_ticket"}]}, "approval.evidence_missing"),
    (
        "external_ticket",
        {"evidence": [{"id": "T-1", "kind": "external_ticket", "uri": " "}]},
        "approval.evidence_missing",
    ),
    ("external_ticket", {"evidence": [{"id": "T-1", "kind": "external_ticket", "uri": "https://t.example/1"}]}, None),
    ("external_ticket", {"evidence": [{"id": "T-1", "kind": "external_ticket", "hash": "sha256:1"}]}, None),
    ("external_ticket", {"evidence": [{"id": "T-1", "kind": "attachment", "uri": "u"}]}, "approval.evidence_missing"),
    ("input_snapshot", {"evidence": [{"id": "s", "kind": "input_snapshot", "uri": "u"}]}, "approval.evidence_missing"),
    (
        "input_snapshot",
        {"evidence": [{"id": "s", "kind": "input_snapshot", "hash": digest({"amount": 1})}]},
        "approval.evidence_missing",
    ),
    ("input_snapshot", {"evidence": [{"id": "s", "kind": "input_snapshot", "hash": digest(DEFAULT_INPUT)}]}, None),
    ("policy_decision", {"evidence": [{"id": "s", "kind": "policy_decision", "hash": "sha256:" + "1" * 64}]}, None),
    (
        "policy_decision",
        {"evidence": [{"id": "s", "kind": "policy_decision", "hash": "sha256:2"}]},
        "approval.evidence_missing",
    ),
]


@pytest.mark.parametrize(("kind", "members", "expected"), EVIDENCE)
def test_evidence(kind: str, members: Json, expected: str | None) -> None:
    asked = requirement(role("teller"), evidence=(kind,))
    assert code(vote("ines", **members), asked=asked) == expected


PAYLOAD = {"amount": 900, "note": "rent", "tags": ["a", "b"], "ready": True, "none": None, "a/b": {"~": 1}}


@pytest.mark.parametrize(
    ("field", "operator", "value", "holds"),
    [
        ("/amount", "eq", 900.0, True),
        ("/amount", "eq", "900", False),
        ("/amount", "neq", 901, True),
        ("/amount", "neq", "900", False),
        ("/amount", "lt", 901, True),
        ("/amount", "lt", 900, False),
        ("/amount", "lte", 900, True),
        ("/amount", "gt", 899, True),
        ("/amount", "gte", 901, False),
        ("/note", "gte", "a", False),
        ("/note", "contains", "en", True),
        ("/tags", "contains", "b", True),
        ("/tags", "contains", "c", False),
        ("/amount", "contains", 9, False),
        ("/note", "in", ["rent", "loan"], True),
        ("/ready", "in", [1], False),
        ("/note", "in", "rent", False),
        ("/note", "max_length", 4, True),
        ("/note", "max_length", 3, False),
        ("/tags", "min_length", 2, True),
        ("/note", "min_length", True, False),
        ("/amount", "max_length", 9, False),
        ("/ready", "eq", 1, False),
        ("/none", "eq", None, False),
        ("/absent", "eq", None, False),
        ("/absent", "neq", 1, False),
        ("/amount", "matches", 900, False),
        ("/amount", "==", 900, False),
        ("amount", "eq", 900, False),
        ("/tags/1", "eq", "b", True),
        ("/tags/01", "eq", "b", False),
        ("/tags/-", "eq", "b", False),
        ("/tags/2", "eq", "b", False),
        ("/a~1b/~0", "eq", 1, True),
        ("/a~2b", "eq", 1, False),
        ("", "eq", 1, False),
    ],
)
def test_constraints(field: str, operator: str, value: object, holds: bool) -> None:
    stated = vote("ines", constraints=[{"field": field, "operator": operator, "value": value}])
    found = code_in(make_context([stated], [INES]), payment=PAYLOAD)
    assert found == (None if holds else "approval.constraint_failed")


def test_every_constraint_must_hold() -> None:
    both = [{"field": "/amount", "operator": "lte", "value": limit} for limit in (1000, 100)]
    assert code(vote("ines", constraints=both)) == "approval.constraint_failed"


def test_the_order_of_reasons() -> None:
    """A vote against which everything speaks: taking one reason away shows the next."""
    asked = requirement(role("teller"), evidence=("reason",), valid_for=HOUR)
    stated = vote(
        "ines",
        -3700,
        decision_id="d",
        request_digest=None,
        policy_hash="sha256:older",
        approval_id="another",
        constraints=[{"field": "/amount", "operator": "eq", "value": 1}],
    )
    later = vote("ines", -3650, decision_id="later", policy_hash="sha256:older")
    entry: Json = {"tenant_id": "other", "revoked": True, "expires_at": at(-1), "kind": "agent", "roles": ["support"]}
    context: Json = {"used_votes": None, "subject": None}
    removals: list[tuple[str, Json, Json, Json]] = [
        ("approval.unbound", {}, {}, {}),
        ("approval.request_changed", {"request_digest": "sha256:other"}, {}, {}),
        ("approval.policy_changed", {"request_digest": "THIS"}, {}, {}),
        ("approval.other_requirement", {"policy_hash": "sha256:" + "1" * 64}, {}, {}),
        ("approval.authority_tenant", {"approval_id": None}, {}, {}),
        ("approval.authority_revoked", {}, {"tenant_id": "acme"}, {}),
        ("approval.authority_expired", {}, {"revoked": False}, {}),
        ("approval.kind", {}, {"expires_at": None}, {}),
        ("approval.expired", {}, {"kind": "human"}, {}),
        ("approval.usage_unknown", {"decided_at": at(-600)}, {}, {}),
        ("approval.used", {}, {}, {"used_votes": ["d"]}),
        ("approval.superseded", {"decided_at": at(-3655)}, {}, {"used_votes": []}),
        ("approval.evidence_missing", {"decided_at": at(-600)}, {}, {}),
        ("approval.constraint_failed", {"reason": "checked"}, {}, {}),
        ("approval.parties_unknown", {"constraints": None}, {}, {}),
        ("approval.self", {}, {}, {"subject": person("ines", roles=[])}),
        ("approval.not_eligible", {}, {}, {"subject": person("rosa", roles=[])}),
    ]
    for expected, changed, recorded, known in removals:
        if expected == "approval.superseded":
            asked = requirement(role("teller"), evidence=("reason",), valid_for=2 * HOUR)
        stated = {name: value for name, value in {**stated, **changed}.items() if value is not None}
        entry = {**entry, **recorded}
        context = {**context, **known}
        request = make_request(make_context([stated, later], [record("ines", **entry)], **context))
        codes = {each.decision_id: each.code for each in decided(asked, request).not_counted}
        assert codes["d"] == expected


def test_one_vote_serves_every_requirement_unless_it_names_one() -> None:
    context = make_context([vote("ines", approval_id="quorum")], [INES])
    other = requirement(any_of(role("teller"), role("manager")), "other")
    request = make_request(context)
    assert decided(ONE, request).state == "satisfied"
    assert summary(decided(other, request)) == ("pending", 1, [], {"ines-600": "approval.other_requirement"})
    everything = make_request(make_context([vote("ines")], [INES]))
    assert [decided(each, everything).state for each in (ONE, other)] == ["satisfied", "satisfied"]


def test_a_requirement_unmet_stays_so_beside_one_that_is_met() -> None:
    leads = requirement(all_of(role("lead")), "leads")
    context = make_context([vote("rosa"), vote("ines")], [record("rosa", "lead"), INES])
    request = make_request(context)
    assert decided(ONE, request).state == "satisfied"
    expected = {"rosa-600": "approval.self", "ines-600": "approval.not_eligible"}
    assert summary(decided(leads, request)) == ("pending", 1, [], expected)
