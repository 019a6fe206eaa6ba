"""Denials that stand, withdrawals, and which of a person's votes is the last (language.md section 7)."""

from __future__ import annotations

from typing import Any

import pytest

from policy.model.decision import Approval
from tests.unit.approval_world import (
    HOUR,
    Json,
    at,
    decided,
    deny,
    differs,
    judged,
    leaf,
    make_context,
    make_request,
    pool,
    record,
    requirement,
    role,
    summary,
    vote,
    withdraw,
)
from tests.unit.expressions import compare, read

ONE = requirement(role("teller"))
TWO = requirement(pool(2, role("teller"), role("manager")))
INES = record("ines", "teller")
OMAR = record("omar", "teller")
LENA = record("lena", "teller")


def state(votes: list[Json], records: list[Json], asked: Any = ONE, **members: Any) -> Approval:
    return decided(asked, make_request(make_context(votes, records, **members)))


def standing(approval: Approval) -> list[str]:
    return [each.decision_id for each in approval.denials]


def refused(approval: Approval) -> dict[str, str]:
    return {each.decision_id: each.code for each in approval.not_counted}


@pytest.mark.parametrize("seconds", [-900, -100])
def test_a_denial_ends_the_requirement_whatever_else_is_satisfied(seconds: int) -> None:
    votes = [vote("ines", -600), vote("omar", -500), deny("lena", seconds)]
    approval = state(votes, [INES, OMAR, LENA], TWO)
    assert (approval.state, approval.missing, standing(approval)) == ("denied", 0, [f"lena{seconds}"])


def test_the_reasons_of_a_denied_requirement() -> None:
    (only,) = judged(ONE, make_request(make_context([deny("ines")], [INES])))
    assert [(each.code, each.effect) for each in only.reasons] == [
        ("approval.denied", "deny"),
        ("rule.requires_approval", "require-approval"),
    ]
    assert only.reasons[0].message == "`ines` said no"


def test_a_denial_outlives_its_age_its_policy_and_its_record() -> None:
    old = deny("ines", -100 * 3600, policy_hash="sha256:older", expires_at=at(-1))
    gone = record("ines", "teller", revoked=True, expires_at=at(-1), kind="agent")
    assert state([old], [gone]).state == "denied"
    assert state([deny("ines", policy_hash=None)], [INES]).state == "denied"
    assert state([deny("ines", 60)], [INES]).state == "denied"


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"request_digest": "sha256:other"}, "approval.request_changed"), ({"request_digest": None}, "approval.unbound")],
)
def test_a_denial_of_another_request_is_listed_and_means_nothing(changed: Json, code: str) -> None:
    approval = state([deny("ines", **changed), vote("omar")], [INES, OMAR])
    assert (approval.state, refused(approval)) == ("satisfied", {"ines-600": code})


def test_a_denial_by_a_party_counts_without_a_record() -> None:
    assert state([deny("rosa")], []).state == "denied"
    assert state([deny({"id": "rosa-phone", "kind": "human", "person_id": "rosa"})], []).state == "denied"


def test_a_denial_by_somebody_not_entitled_does_not_count() -> None:
    approval = state([deny("otto"), vote("ines")], [INES, record("otto", "support")])
    assert (approval.state, refused(approval)) == ("satisfied", {"otto-600": "approval.not_eligible"})


@pytest.mark.parametrize(
    ("records", "failures", "code"),
    [
        ([], [], "approval.authority_unknown"),
        ([], ["otto"], "approval.authority_unavailable"),
        ([record("otto", "teller", tenant_id="other")], [], "approval.authority_tenant"),
    ],
)
def test_a_denial_that_cannot_be_resolved_keeps_the_requirement_pending(
    records: list[Json], failures: list[str], code: str
) -> None:
    context = make_context([deny("otto"), vote("ines")], [INES, *records])
    (only,) = judged(ONE, make_request(context, failures=failures))
    assert summary(only.approval) == ("pending", 0, ["ines"], {"otto-600": code})
    assert [each.code for each in only.reasons] == ["rule.requires_approval", "approval.denial_unresolved"]


def test_a_denial_under_a_condition_that_has_no_answer_keeps_the_requirement_pending() -> None:
    owner = pool(1, leaf("principal", read("context.owner")), role("manager"))
    votes = [deny("omar"), vote("ines")]
    records = [record("ines", "manager"), record("omar")]
    assert state(votes, records, requirement(owner), attributes={"owner": "omar"}).state == "denied"
    assert state(votes, records, requirement(owner), attributes={"owner": "lena"}).state == "satisfied"
    assert state(votes, records, requirement(owner)).state == "pending"
    where = compare(read("approver.attributes.limit"), ">=", read("context.limit"))
    limited = requirement(pool(1, role("teller", where=where), role("manager")))
    records = [record("ines", "manager"), record("omar", "teller", attributes={"limit": 5})]
    assert state(votes, records, limited, attributes={"limit": 5}).state == "denied"
    assert state(votes, records, limited, attributes={"limit": 6}).state == "satisfied"
    assert state(votes, records, limited).state == "pending"


def test_as_many_people_as_end_it() -> None:
    two = requirement(role("teller"), denied_by=2)
    accounts = [INES, record("ines-admin", "teller", person_id="ines"), OMAR, LENA]
    votes = [vote("omar"), deny("ines"), deny("ines-admin", -500)]
    approval = state(votes, accounts, two)
    assert (approval.state, standing(approval)) == ("satisfied", ["ines-admin-500"])
    assert refused(approval) == {"ines-600": "approval.superseded"}
    assert state([*votes, deny("lena")], accounts, two).state == "denied"


def test_a_later_approval_that_counts_lifts_a_denial() -> None:
    approval = state([deny("ines", -600), vote("ines", -500)], [INES])
    assert summary(approval) == ("satisfied", 0, ["ines"], {"ines-600": "approval.superseded"})


@pytest.mark.parametrize(
    "changed",
    [
        {"request_digest": "sha256:other"},
        {"policy_hash": "sha256:older"},
        {"expires_at": at(-1)},
        {"constraints": [{"field": "/amount", "operator": "eq", "value": 1}]},
    ],
)
def test_a_later_approval_that_does_not_count_lifts_nothing(changed: Json) -> None:
    approval = state([deny("ines", -600), vote("ines", -500, **changed)], [INES])
    assert (approval.state, standing(approval)) == ("denied", ["ines-600"])


def test_a_denial_is_lifted_only_as_long_as_the_later_approval_counts() -> None:
    votes = [deny("ines", -3 * 3600), vote("ines", -2 * 3600)]
    short = requirement(role("teller"), valid_for=2 * HOUR)
    assert state(votes, [INES]).state == "satisfied"
    assert state(votes, [INES], short).state == "denied"
    assert state(votes, [INES], used_votes=["ines-7200"]).state == "denied"


def test_an_earlier_approval_does_not_survive_a_denial() -> None:
    approval = state([vote("ines", -600), deny("ines", -500)], [INES], requirement(role("teller"), denied_by=2))
    assert summary(approval) == ("pending", 1, [], {"ines-600": "approval.superseded"})


def test_at_the_same_instant_a_denial_is_the_later() -> None:
    votes = [vote("ines", decision_id="z"), deny("ines", decision_id="a")]
    for order in (votes, votes[::-1]):
        approval = state(order, [INES])
        assert (approval.state, refused(approval)) == ("denied", {"z": "approval.superseded"})


def test_of_two_approvals_at_the_same_instant_the_larger_id_is_the_later() -> None:
    votes = [vote("ines", decision_id="b"), vote("ines", decision_id="a")]
    for order in (votes, votes[::-1]):
        approval = state(order, [INES])
        assert [each.decision_id for each in approval.counted] == ["b"]
        assert refused(approval) == {"a": "approval.superseded"}


def test_a_withdrawn_approval_does_not_count_even_after_completion() -> None:
    votes = [vote("ines"), vote("omar", -500)]
    assert state(votes, [INES, OMAR], TWO).state == "satisfied"
    for age in (-60, -100_000, 60):
        approval = state([*votes, withdraw("ines", "ines-600", age)], [INES, OMAR], TWO)
        assert summary(approval) == ("pending", 1, ["omar"], {"ines-600": "approval.withdrawn"})


def test_a_withdrawal_is_no_vote_and_supersedes_nothing() -> None:
    votes = [vote("ines"), withdraw("ines", "omar-500"), vote("omar", -500)]
    approval = state(votes, [INES, OMAR], TWO)
    assert summary(approval) == ("satisfied", 0, ["ines", "omar"], {})


def test_a_withdrawn_vote_still_supersedes_the_earlier_one() -> None:
    approval = state([vote("ines"), vote("ines", -500), withdraw("ines", "ines-500")], [INES])
    expected = {"ines-600": "approval.superseded", "ines-500": "approval.withdrawn"}
    assert summary(approval) == ("pending", 1, [], expected)


@pytest.mark.parametrize(
    ("records", "failures", "code"),
    [
        ([record("boss", may_revoke=True)], [], "approval.withdrawn"),
        ([record("boss", may_revoke=True, revoked=True)], [], "approval.withdrawn"),
        ([record("boss")], [], None),
        ([record("boss")], ["boss"], "approval.withdrawn"),
        ([], [], "approval.withdrawn"),
        ([record("boss", tenant_id="other")], [], "approval.withdrawn"),
    ],
)
def test_a_withdrawal_by_somebody_else(records: list[Json], failures: list[str], code: str | None) -> None:
    context = make_context([vote("ines"), withdraw("boss", "ines-600")], [INES, *records])
    approval = decided(ONE, make_request(context, failures=failures))
    assert refused(approval) == ({} if code is None else {"ines-600": code})


def test_another_account_of_the_voter_withdraws_as_the_voter() -> None:
    records = [INES, record("ines-admin", person_id="ines")]
    approval = state([vote("ines"), withdraw("ines-admin", "ines-600")], records)
    assert refused(approval) == {"ines-600": "approval.withdrawn"}


def test_only_its_voter_withdraws_a_denial() -> None:
    boss = record("boss", may_revoke=True)
    votes = [deny("ines"), vote("omar")]
    assert state([*votes, withdraw("boss", "ines-600")], [INES, OMAR, boss]).state == "denied"
    approval = state([*votes, withdraw("ines", "ines-600")], [INES, OMAR])
    assert summary(approval) == ("satisfied", 0, ["omar"], {"ines-600": "approval.withdrawn"})


def test_withdrawing_the_last_denial_leaves_the_earlier_ones() -> None:
    votes = [deny("ines", -600), deny("ines", -500), withdraw("ines", "ines-500")]
    approval = state(votes, [INES])
    assert (approval.state, standing(approval)) == ("denied", ["ines-600"])
    assert refused(approval) == {"ines-500": "approval.withdrawn"}


def test_a_denial_speaks_for_the_requirement_that_it_names() -> None:
    other = requirement(role("teller"), "other")
    request = make_request(make_context([deny("ines", approval_id="other"), vote("omar")], [INES, OMAR]))
    first, second = judged([ONE, other], request)
    assert (first.approval.state, second.approval.state) == ("satisfied", "denied")
    assert refused(first.approval) == {"ines-600": "approval.other_requirement"}


def test_a_denial_that_names_no_requirement_of_the_request_speaks_for_all() -> None:
    assert state([deny("ines", approval_id="renamed"), vote("omar")], [INES, OMAR]).state == "denied"


def test_self_and_separated_people_may_still_deny() -> None:
    context = make_context([deny("ines")], [INES], attributes={"author": "ines"})
    assert decided(ONE, make_request(context), differs("approver", "context.author")).state == "denied"
