"""Executions as the store remembers them: what different people must perform, told from runs, never from claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from policy.model.context import History
from policy.plugins import ApprovalStore, Authorizer, MemoryApprovalStore, SqliteApprovalStore
from tests.plugins.world import (
    INES,
    OMAR,
    POLICY,
    SEPARATED,
    Clock,
    Json,
    approved,
    authorizer,
    context,
    denials,
    person,
)

TWO = SEPARATED.replace("for payment.pay\n", "for payment.pay, payment.release\n")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ApprovalStore:
    if request.param == "memory":
        return MemoryApprovalStore(complete_history=True)
    return SqliteApprovalStore(tmp_path / "approvals.sqlite", complete_history=True)


@pytest.fixture
def made(store: ApprovalStore, tmp_path: Path) -> Iterator[Authorizer]:
    with authorizer(tmp_path, SEPARATED, approvals=store) as one:
        yield one


def call(scope: str, name: str, payment: str = "p-1", **members: Any) -> Json:
    return {"id": name, "capability_id": scope, "input": {"amount": 1, "payment_id": payment}, **members}


def ask(made: Authorizer, asked: Json, who: str = "rosa", **members: Any) -> list[str]:
    stated = context(requester=person(who), subject=person(who), **members)
    return denials(made.authorize(asked, asked["capability_id"], stated).decision)


def test_who_created_a_payment_does_not_release_it(made: Authorizer) -> None:
    assert ask(made, call("payment.create", "c-1")) == []
    assert ask(made, call("payment.release", "c-2")) == ["separation.same_performer"]
    assert ask(made, call("payment.release", "c-2"), "omar") == []


def test_another_payment_is_another_object(made: Authorizer) -> None:
    assert ask(made, call("payment.create", "c-1", "p-1")) == []
    assert ask(made, call("payment.release", "c-2", "p-2")) == []


def test_asking_again_finds_no_trace_of_itself(made: Authorizer) -> None:
    for _ in range(3):
        assert ask(made, call("payment.create", "c-1")) == []
    assert ask(made, call("payment.release", "c-2"), "omar") == []
    assert ask(made, call("payment.create", "c-1")) == []


def test_a_denied_or_waiting_call_is_no_execution(store: ApprovalStore, tmp_path: Path) -> None:
    with authorizer(tmp_path, TWO, approvals=store) as made:
        large = {**call("payment.release", "c-1"), "input": {"amount": 900, "payment_id": "p-1"}}
        assert made.authorize(large, "payment.release", context()).pending
        assert ask(made, call("payment.release", "c-9"), attributes={"environment": "frozen"}) == ["rule.denied"]
        assert ask(made, call("payment.create", "c-2")) == []


def test_a_dry_run_is_no_execution(made: Authorizer) -> None:
    made_of = call("payment.create", "c-1", transaction={"mode": "dry_run"})
    assert ask(made, made_of) == ["transaction.unsupported"]
    assert ask(made, call("payment.release", "c-2")) == []


def test_a_released_call_is_an_execution(store: ApprovalStore, tmp_path: Path) -> None:
    with authorizer(tmp_path, TWO, approvals=store) as made:
        large = {**call("payment.release", "c-1"), "input": {"amount": 900, "payment_id": "p-1"}}
        handle = approved(made, large)
        assert ask(made, call("payment.create", "c-2"), "lena") == []
        assert made.release(large, "payment.release", context(), handle=handle).allowed
        assert ask(made, call("payment.create", "c-3")) == ["separation.same_performer"]
        assert made.request(handle) is not None


def test_an_approver_who_performed_another_step_does_not_count(store: ApprovalStore, tmp_path: Path) -> None:
    with authorizer(tmp_path, TWO, approvals=store) as made:
        assert ask(made, call("payment.create", "c-1"), "ines") == []
        large = {**call("payment.release", "c-2"), "input": {"amount": 900, "payment_id": "p-1"}}
        handle = approved(made, large, by=(INES, OMAR))
        answer = made.release(large, "payment.release", context(), handle=handle)
        assert answer.pending
        (pending,) = answer.decision.approvals
        assert {each.approver: each.code for each in pending.not_counted} == {"ines": "approval.separation"}


def test_an_old_execution_is_forgotten_by_the_window(store: ApprovalStore, tmp_path: Path) -> None:
    clock = Clock()
    with authorizer(tmp_path, SEPARATED, approvals=store, clock=clock) as made:
        assert ask(made, call("payment.create", "c-1")) == []
        clock.move(days=30)
        assert ask(made, call("payment.release", "c-2")) == ["separation.same_performer"]
        clock.move(seconds=1)
        assert ask(made, call("payment.release", "c-2")) == []


def test_an_execution_of_another_tenant_is_about_another_object(made: Authorizer) -> None:
    assert ask(made, call("payment.create", "c-1"), tenant={"id": "acme"}) == []
    assert ask(made, call("payment.release", "c-2"), tenant={"id": "other"}) == []
    assert ask(made, call("payment.release", "c-3"), tenant={"id": "acme"}) == ["separation.same_performer"]


def test_a_person_is_told_by_the_directory_at_the_time_of_the_execution(made: Authorizer) -> None:
    unnamed = {"id": "rosa", "kind": "human", "roles": []}
    stated = context(requester=unnamed, subject=unnamed)
    assert made.authorize(call("payment.create", "c-1"), "payment.create", stated).allowed
    assert ask(made, call("payment.release", "c-2")) == ["separation.same_performer"]
    assert ask(made, call("payment.release", "c-2"), "omar") == []


def test_what_was_before_the_store_is_unknown(tmp_path: Path) -> None:
    clock = Clock()
    with authorizer(tmp_path, SEPARATED, approvals=SqliteApprovalStore(tmp_path / "a.sqlite"), clock=clock) as made:
        assert ask(made, call("payment.create", "c-1")) == ["separation.history_unavailable"]
        clock.move(days=30)
        assert ask(made, call("payment.create", "c-1")) == []


def test_what_was_before_a_step_was_recorded_is_unknown(store: ApprovalStore, tmp_path: Path) -> None:
    clock = Clock()
    with authorizer(tmp_path, POLICY, approvals=store, clock=clock) as made:
        assert ask(made, call("payment.create", "c-1")) == []
        (tmp_path / "payments.policy").write_text(SEPARATED)
        assert made.reload_now()
        assert ask(made, call("payment.release", "c-2")) == ["separation.history_unavailable"]
        clock.move(days=30, seconds=61)
        assert ask(made, call("payment.release", "c-2")) == []
        # What is not recorded for a while is unknown again.
        (tmp_path / "payments.policy").write_text(POLICY)
        assert made.reload_now()
        (tmp_path / "payments.policy").write_text(SEPARATED)
        assert made.reload_now()
        assert ask(made, call("payment.release", "c-3")) == ["separation.history_unavailable"]


@dataclass
class Source:
    """A record of executions that is not the store's."""

    entries: list[Json] = field(default_factory=list)
    given: Any = None
    asked: list[str | None] = field(default_factory=list)

    def history(self, tenant_id: str | None) -> History | Mapping[str, Any]:
        self.asked.append(tenant_id)
        if isinstance(self.given, Exception):
            raise self.given
        return {"entries": self.entries} if self.given is None else self.given


ENTRY = {
    "scope": "payment.create",
    "people": [{"id": "rosa", "kind": "human", "person_id": "rosa"}],
    "keys": {"input.payment_id": "p-1"},
    "at": "2026-06-09T12:00:00Z",
}


@pytest.mark.parametrize("own", [True, False])
def test_a_source_of_history_vouches_for_it(tmp_path: Path, own: bool) -> None:
    source = Source([ENTRY])
    store = MemoryApprovalStore(complete_history=False) if own else None
    with authorizer(tmp_path, SEPARATED, approvals=store, history=source) as made:
        assert ask(made, call("payment.release", "c-1"), tenant={"id": "acme"}) == ["separation.same_performer"]
        assert ask(made, call("payment.release", "c-2"), "omar") == []
        assert source.asked == ["acme", None]
        assert ask(made, call("order.read", "c-3")) == []
        assert len(source.asked) == 2, "nobody asks about a history that no separation reads"
        assert ask(made, call("payment.create", "c-4"), "omar") == (["separation.same_performer"] if own else [])


def test_a_model_is_a_history_too(tmp_path: Path) -> None:
    source = Source(given=History.model_validate({"entries": [ENTRY]}))
    with authorizer(tmp_path, SEPARATED, history=source) as made:
        assert ask(made, call("payment.release", "c-1")) == ["separation.same_performer"]


@pytest.mark.parametrize("given", [ConnectionError("down"), {"entries": "many"}, {"entries": [{}]}, 7, []])
def test_a_source_of_history_that_fails_is_a_denial(tmp_path: Path, given: Any) -> None:
    with authorizer(tmp_path, SEPARATED, history=Source(given=given)) as made:
        assert ask(made, call("payment.release", "c-1")) == ["history.unavailable"]
        assert ask(made, call("order.read", "c-2")) == []


def test_the_history_of_the_host_s_context_is_added_to_the_store_s(made: Authorizer) -> None:
    stated: Any = {"history": {"entries": [ENTRY]}}
    assert ask(made, call("payment.release", "c-1"), **stated) == ["separation.same_performer"]
    assert ask(made, call("payment.create", "c-2", "p-2")) == []
    assert ask(made, call("payment.release", "c-3", "p-2"), **stated) == ["separation.same_performer"]
    assert ask(made, call("payment.release", "c-4"), history={"entries": "many"}) == ["context.invalid"]
