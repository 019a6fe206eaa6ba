"""Releasing what was approved: decided again right before the execution, once, and only the very action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from policy import Engine
from policy.plugins import ApprovalError, ApprovalStore, Authorizer, MemoryApprovalStore, SqliteApprovalStore
from tests.plugins.world import (
    INES,
    LOOSER,
    OMAR,
    POLICY,
    STRICTER,
    Clock,
    Directory,
    Json,
    action,
    approved,
    authorizer,
    catalog,
    context,
    denials,
    document,
    person,
)


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ApprovalStore:
    return MemoryApprovalStore() if request.param == "memory" else SqliteApprovalStore(tmp_path / "approvals.sqlite")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def made(store: ApprovalStore, clock: Clock, directory: Directory, tmp_path: Path) -> Iterator[Authorizer]:
    with authorizer(tmp_path, approvals=store, clock=clock, resolver=directory) as one:
        yield one


def state(made: Authorizer, handle: str) -> str:
    request = made.request(handle)
    assert request is not None
    return request.state


def release(made: Authorizer, handle: str, asked: Json | None = None, **members: Any) -> list[str]:
    """The codes that deny; `["pending"]` for a call that still waits, nothing for an allow."""
    given = action() if asked is None else asked
    answer = made.release(given, given["capability_id"], context(**members), handle=handle)
    return ["pending"] if answer.pending else denials(answer.decision)


def test_approved_then_released_once(made: Authorizer) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None and state(made, handle) == "pending"
    assert made.vote(handle, by=INES).state == "pending"
    assert release(made, handle) == ["pending"]
    assert made.vote(handle, by=OMAR).state == "approved"
    assert made.pending() == []
    released = made.release(action(), "payment.pay", context(), handle=handle)
    assert (released.allowed, released.handle) == (True, handle)
    assert state(made, handle) == "consumed"
    assert release(made, handle) == ["approval.consumed"]


def test_an_approved_call_is_not_allowed_without_its_release(made: Authorizer) -> None:
    handle = approved(made, action())
    again = made.authorize(action(), "payment.pay", context())
    assert (again.pending, again.handle) == (True, handle)
    assert release(made, handle) == []


def test_asking_again_after_the_release_never_opens_it_again(made: Authorizer) -> None:
    handle = approved(made, action())
    assert release(made, handle) == []
    again = made.authorize(action(), "payment.pay", context())
    assert (denials(again.decision), again.handle) == (["approval.consumed"], None)
    assert made.pending() == []


def test_the_votes_of_one_call_do_not_count_for_another(made: Authorizer) -> None:
    first = approved(made, action())
    second = made.authorize(action(name="a-2"), "payment.pay", context()).handle
    assert second is not None and second != first
    assert release(made, second, action(name="a-2")) == ["pending"]
    assert release(made, first) == []
    assert release(made, second, action(name="a-2")) == ["pending"]


def test_a_denial_holds_for_the_next_call_of_the_same_request_until_it_is_withdrawn(made: Authorizer) -> None:
    first = made.authorize(action(), "payment.pay", context()).handle
    assert first is not None
    denied = made.vote(first, by=INES, decision="denied", decision_id="no")
    assert denied.state == "denied"
    again = made.authorize(action(name="a-2"), "payment.pay", context())
    assert (denials(again.decision), again.handle) == (["approval.denied"], None)
    made.withdraw(first, by=INES, decision_id="no")
    assert made.authorize(action(name="a-2"), "payment.pay", context()).pending


@pytest.mark.parametrize(
    ("changed", "members"),
    [
        (action(amount=901), {}),
        (action(mode="async"), {}),
        (action(), {"session": "another"}),
        (action(), {"tenant": {"id": "acme"}}),
        (action(), {"requester": person("lena")}),
        (action(), {"operator": {"id": "agent-8", "kind": "agent", "roles": []}}),
        (action(), {"delegation": [{"from": person("rosa"), "to": person("rosa"), "scope": "payment.**"}]}),
    ],
)
def test_a_changed_action_or_context_never_releases(made: Authorizer, changed: Json, members: Json) -> None:
    handle = approved(made, action())
    assert "approval.action_changed" in release(made, handle, changed, **members)
    assert release(made, handle) == []


def test_another_capability_never_releases(made: Authorizer) -> None:
    handle = approved(made, action())
    other = document("payment.pay", risk="medium")
    assert "approval.action_changed" in denials(made.release(action(), other, context(), handle=handle).decision)
    other_id = action("order.read")
    assert "approval.action_changed" in release(made, handle, other_id)


def test_what_cannot_be_read_never_releases(made: Authorizer) -> None:
    handle = approved(made, action())
    answer = made.release({**action(), "surplus": 1}, "payment.pay", context(), handle=handle)
    assert denials(answer.decision) == ["input.malformed"]
    answer = made.release(action(), "payment.payy", context(), handle=handle)
    assert denials(answer.decision) == ["capability.unknown"]
    assert release(made, handle) == []


def test_an_unknown_handle_never_releases(made: Authorizer) -> None:
    approved(made, action())
    assert release(made, "guessed") == ["approval.request_unknown"]
    assert release(made, "guessed", action("order.read")) == ["approval.request_unknown"]
    assert made.request("guessed") is None


def test_the_attributes_of_the_instant_are_judged_again(made: Authorizer) -> None:
    handle = approved(made, action())
    assert release(made, handle, attributes={"environment": "frozen"}) == ["rule.denied"]
    assert release(made, handle) == []


def test_an_expired_request_never_releases(made: Authorizer, clock: Clock) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    clock.move(hours=23, minutes=59, seconds=58)
    for voter in (INES, OMAR):
        made.vote(handle, by=voter)
    clock.move(seconds=1)
    assert state(made, handle) == "approved"
    clock.move(seconds=1)
    assert state(made, handle) == "expired"
    assert release(made, handle) == ["approval.request_expired"]
    with pytest.raises(ApprovalError) as raised:
        made.vote(handle, by=INES)
    assert raised.value.code == "approval.request_expired"
    again = made.authorize(action(), "payment.pay", context())
    assert (denials(again.decision), again.handle) == (["approval.request_expired"], None)


def test_how_long_a_request_is_open_is_configured(tmp_path: Path, clock: Clock) -> None:
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), clock=clock, requests_valid_for="10m") as made:
        handle = approved(made, action())
        request = made.request(handle)
        assert request is not None
        assert (request.opened_at, request.expires_at) == ("2026-06-10T12:00:00Z", "2026-06-10T12:10:00Z")
        clock.move(minutes=10)
        assert release(made, handle) == ["approval.request_expired"]


def test_a_vote_that_expired_does_not_count(made: Authorizer, clock: Clock) -> None:
    handle = approved(made, action())
    clock.move(hours=4)
    assert state(made, handle) == "pending"
    assert release(made, handle) == ["pending"]


def test_a_withdrawn_request_never_releases(made: Authorizer) -> None:
    handle = approved(made, action())
    assert made.cancel(handle, by=person("rosa")).state == "withdrawn"
    assert made.cancel(handle, by=person("rosa")).state == "withdrawn"
    assert release(made, handle) == ["approval.request_withdrawn"]
    with pytest.raises(ApprovalError) as raised:
        made.vote(handle, by=INES)
    assert raised.value.code == "approval.request_withdrawn"
    again = made.authorize(action(), "payment.pay", context())
    assert (denials(again.decision), again.handle) == (["approval.request_withdrawn"], None)


def test_a_consumed_request_is_not_withdrawn(made: Authorizer) -> None:
    handle = approved(made, action())
    assert release(made, handle) == []
    with pytest.raises(ApprovalError) as raised:
        made.cancel(handle, by=person("rosa"))
    assert raised.value.code == "approval.consumed"
    assert state(made, handle) == "consumed"


def test_a_withdrawn_vote_does_not_count(made: Authorizer, clock: Clock) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    made.vote(handle, by=INES, decision_id="yes")
    made.vote(handle, by=OMAR)
    assert made.withdraw(handle, by=INES, decision_id="yes").state == "pending"
    assert release(made, handle) == ["pending"]
    assert len(made.withdraw(handle, by=INES, decision_id="yes").votes) == 3
    clock.move(seconds=1)
    assert made.vote(handle, by=INES).state == "approved"


def test_a_clock_that_is_set_back_puts_no_denial_behind_an_approval(made: Authorizer, clock: Clock) -> None:
    handle = approved(made, action())
    clock.move(minutes=-5)
    request = made.vote(handle, by=INES, decision="denied")
    assert [each["decided_at"] for each in request.votes] == [
        "2026-06-10T12:00:00Z",
        "2026-06-10T12:00:00Z",
        "2026-06-10T12:00:00.000000001Z",
    ]
    clock.move(minutes=10)
    assert release(made, handle) == ["approval.denied"]


def test_somebody_else_does_not_withdraw_a_vote(made: Authorizer) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    made.vote(handle, by=INES, decision_id="yes")
    made.vote(handle, by=OMAR)
    assert made.withdraw(handle, by={"id": "lena", "kind": "human"}, decision_id="yes").state == "approved"
    with pytest.raises(ApprovalError, match="no vote of this decision id"):
        made.withdraw(handle, by=INES, decision_id="maybe")


def test_a_denied_request_never_releases(made: Authorizer) -> None:
    handle = approved(made, action())
    assert made.vote(handle, by={"id": "lena", "kind": "human"}, decision="denied").state == "denied"
    assert release(made, handle) == ["approval.denied"]


def test_somebody_who_lost_the_role_does_not_count_any_more(made: Authorizer, directory: Directory) -> None:
    handle = approved(made, action())
    directory.roles["ines"] = []
    assert release(made, handle) == ["pending"]
    assert state(made, handle) == "pending"


def test_a_party_does_not_approve_its_own_call(made: Authorizer) -> None:
    handle = approved(made, action(), by=(INES, {"id": "rosa", "kind": "human", "person_id": "rosa"}))
    assert release(made, handle) == ["pending"]


def test_a_vote_of_the_host_s_context_loosens_nothing(made: Authorizer) -> None:
    waiting = made.authorize(action(), "payment.pay", context())
    assert waiting.handle is not None
    made.vote(waiting.handle, by=INES, decision="denied", decision_id="no")
    bound = {
        "decided_at": "2026-06-10T12:00:00Z",
        "request_digest": waiting.decision.request_digest,
        "policy_hash": made.engine.policy_hash,
    }
    approvals = [
        {"decision": "approved", "decision_id": f"host-{name}", "approver": {"id": name, "kind": "human"}, **bound}
        for name in ("omar", "lena")
    ]
    lifting = {"decision": "revoked", "decision_id": "h", "target_decision_id": "no", "approver": INES, **bound}
    stated: Any = {"approvals": [*approvals, lifting], "used_votes": []}
    assert release(made, waiting.handle, **stated) == ["approval.denied"]
    made.withdraw(waiting.handle, by=INES, decision_id="no")
    assert release(made, waiting.handle, **stated) == ["pending"]


def test_what_restrains_in_the_host_s_context_counts(made: Authorizer) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    for voter, name in ((INES, "yes-1"), (OMAR, "yes-2")):
        made.vote(handle, by=voter, decision_id=name)
    request = made.request(handle)
    assert request is not None
    bound = {"decided_at": "2026-06-10T12:00:00Z", "request_digest": request.request_digest}
    denial = {"decision": "denied", "decision_id": "h", "approver": {"id": "lena", "kind": "human"}, **bound}
    taken_back = {"decision": "revoked", "decision_id": "h", "target_decision_id": "yes-1", "approver": INES, **bound}
    assert release(made, handle, approvals=[denial]) == ["approval.denied"]
    assert release(made, handle, approvals=[taken_back]) == ["pending"]
    assert release(made, handle, used_votes=["yes-2"]) == ["pending"]
    assert release(made, handle) == []


def change(made: Authorizer, folder: Path, policy: str) -> None:
    (folder / "payments.policy").write_text(policy)
    assert made.reload_now()


def test_a_changed_policy_decides_again(made: Authorizer, tmp_path: Path, clock: Clock) -> None:
    handle = approved(made, action())
    change(made, tmp_path, STRICTER)
    answer = made.release(action(), "payment.pay", context(), handle=handle)
    (pending,) = answer.decision.approvals
    assert answer.pending
    assert {each.code for each in pending.not_counted} == {"approval.policy_changed"}
    request = made.request(handle)
    assert request is not None and request.policy_hash == made.engine.policy_hash
    clock.move(seconds=1)
    for voter in (INES, OMAR):
        made.vote(handle, by=voter)
    assert release(made, handle) == []


def test_a_voter_who_saw_the_old_policy_is_told(made: Authorizer, tmp_path: Path) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    seen = made.request(handle)
    assert seen is not None
    change(made, tmp_path, STRICTER)
    assert [each.policy_hash for each in made.pending()] == [made.engine.policy_hash]
    with pytest.raises(ApprovalError, match="the policy has changed since"):
        made.vote(handle, by=INES, policy_hash=seen.policy_hash)
    assert made.vote(handle, by=INES, policy_hash=made.engine.policy_hash).state == "pending"


def test_a_policy_that_forbids_releases_nothing(made: Authorizer, tmp_path: Path) -> None:
    handle = approved(made, action())
    change(made, tmp_path, POLICY.replace("deny payment.bulk", "deny payment.*"))
    assert state(made, handle) == "denied"
    assert release(made, handle) == ["scope.denied"]


def test_what_the_policy_came_to_allow_runs_once(made: Authorizer, tmp_path: Path) -> None:
    handle = approved(made, action())
    change(made, tmp_path, LOOSER)
    assert made.authorize(action(), "payment.pay", context()).allowed
    assert made.authorize(action(), "payment.pay", context()).allowed
    assert state(made, handle) == "withdrawn"
    assert release(made, handle) == ["approval.request_withdrawn"]
    change(made, tmp_path, POLICY)
    assert denials(made.authorize(action(), "payment.pay", context()).decision) == ["approval.request_withdrawn"]


def test_an_approved_call_that_needs_no_approval_any_more_is_released_once(made: Authorizer, tmp_path: Path) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    change(made, tmp_path, LOOSER)
    assert release(made, handle) == []
    assert release(made, handle) == ["approval.consumed"]
    assert denials(made.authorize(action(), "payment.pay", context()).decision) == ["approval.consumed"]


def test_a_document_that_the_host_vouched_for_is_decided_on_again(made: Authorizer) -> None:
    given = document("payment.wire", requires_human_approval=True)
    asked = action("payment.wire")
    policy = POLICY.replace('"payments" {', '"payments" { default approval "two"')
    engine = Engine.from_source(policy, resolver=Directory())
    own = Authorizer(policies=engine, catalog=catalog(), approvals=MemoryApprovalStore(), clock=Clock())
    handle = own.authorize(asked, given, context()).handle
    assert handle is not None
    assert [each.state for each in own.pending()] == ["pending"]
    own.vote(handle, by=INES)
    assert own.vote(handle, by=OMAR).state == "approved"
    assert own.release(asked, given, context(), handle=handle).allowed


Vote = Callable[[Authorizer, str], object]


@pytest.mark.parametrize(
    "vote",
    [
        lambda made, handle: made.vote(handle, by={"id": "ines"}),
        lambda made, handle: made.vote(handle, by={"kind": "human"}),
        lambda made, handle: made.vote(handle, by=None),
        lambda made, handle: made.vote(handle, by=INES, decision="revoked"),
        lambda made, handle: made.vote(handle, by=INES, reason="x" * 20_000),
        lambda made, handle: made.vote(handle, by=INES, reason="\ud800"),
        lambda made, handle: made.vote(handle, by=INES, decision_id=""),
        lambda made, handle: made.vote(handle, by=INES, evidence=[{"kind": "ticket"}]),
        lambda made, handle: made.vote(handle, by=INES, expires_at="tomorrow"),
        lambda made, handle: made.withdraw(handle, by={"id": "ines"}, decision_id="first"),
    ],
)
def test_a_malformed_vote_is_refused(made: Authorizer, vote: Vote) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    made.vote(handle, by=OMAR, decision_id="first")
    with pytest.raises(ApprovalError) as raised:
        vote(made, handle)
    assert raised.value.code == "approval.vote_refused"
    request = made.request(handle)
    assert request is not None and len(request.votes) == 1


def test_a_vote_carries_what_it_is_bound_to_and_what_the_voter_brings(made: Authorizer, clock: Clock) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    clock.move(minutes=3)
    ticket = {"id": "T-1", "kind": "external_ticket", "uri": "https://tickets.example/T-1"}
    limit = {"field": "/amount", "operator": "lte", "value": 1_000}
    request = made.vote(
        handle, by=INES, reason="checked", evidence=[ticket], constraints=[limit], decision_id="d-1", approval_id="two"
    )
    assert request.votes == (
        {
            "approval_id": "two",
            "decision": "approved",
            "decision_id": "d-1",
            "approver": INES,
            "decided_at": "2026-06-10T12:03:00Z",
            "request_digest": request.request_digest,
            "policy_hash": made.engine.policy_hash,
            "reason": "checked",
            "evidence": [ticket],
            "constraints": [limit],
        },
    )


def test_a_vote_sent_twice_is_one(made: Authorizer, clock: Clock) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    for _ in range(3):
        request = made.vote(handle, by=INES, decision_id="d-1")
        clock.move(seconds=1)
    assert len(request.votes) == 1
    with pytest.raises(ApprovalError, match="used for another vote"):
        made.vote(handle, by=OMAR, decision_id="d-1")
    with pytest.raises(ApprovalError, match="used for another vote"):
        made.vote(handle, by=INES, decision_id="d-1", decision="denied")
