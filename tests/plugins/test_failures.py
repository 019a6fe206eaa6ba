"""Never open on a failure: whatever the authorizer needs may fail, and the call is denied with a code."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from policy import Engine
from policy.plugins import ApprovalError, Authorizer, ConfigurationError, DecisionLog, MemoryApprovalStore
from policy.plugins.problems import StoreError
from tests.plugins.world import (
    INES,
    SEPARATED,
    Clock,
    Directory,
    action,
    approved,
    authorizer,
    context,
    denials,
)


class Faulty(MemoryApprovalStore):
    """A store of which some methods fail, with an error of its own kind."""

    failing: frozenset[str] = frozenset()
    error: Exception = OSError("a secret of the store")

    def __getattribute__(self, name: str) -> Any:
        if name in object.__getattribute__(self, "failing"):

            def fail(*arguments: object) -> None:
                raise object.__getattribute__(self, "error")

            return fail
        return object.__getattribute__(self, name)


def faulty(*failing: str, error: Exception | None = None) -> Faulty:
    store = Faulty()
    store.failing = frozenset(failing)
    store.error = error or OSError("a secret of the store")
    return store


@pytest.mark.parametrize("error", [OSError("x"), KeyError("x"), StoreError("x"), RecursionError("x"), MemoryError("x")])
@pytest.mark.parametrize("failing", ["find", "votes", "open"])
def test_a_store_that_fails_when_a_request_is_opened(tmp_path: Path, failing: str, error: Exception) -> None:
    with authorizer(tmp_path, approvals=faulty(failing, error=error)) as made:
        answer = made.authorize(action(), "payment.pay", context())
        assert denials(answer.decision) == ["approval.store_unavailable"]
        assert (answer.handle, answer.call) == (None, "a-1")
        assert answer.message == (
            "denied: the store of approvals failed, or there is none; nothing is allowed on a failure "
            "(approval.store_unavailable)"
        )
        assert (answer.decision.action_id, answer.decision.capability_id) == ("a-1", "payment.pay")


@pytest.mark.parametrize("failing", ["read", "votes", "consume"])
def test_a_store_that_fails_when_a_call_is_released(tmp_path: Path, failing: str) -> None:
    store = faulty()
    with authorizer(tmp_path, approvals=store) as made:
        handle = approved(made, action())
        store.failing = frozenset({failing})
        answer = made.release(action(), "payment.pay", context(), handle=handle)
        assert denials(answer.decision) == ["approval.store_unavailable"]
        store.failing = frozenset()
        assert made.release(action(), "payment.pay", context(), handle=handle).allowed


@pytest.mark.parametrize("failing", ["history", "complete_since", "record"])
def test_a_store_that_fails_about_executions(tmp_path: Path, failing: str) -> None:
    with authorizer(tmp_path, SEPARATED, approvals=faulty(failing)) as made:
        answer = made.authorize(action("payment.create", amount=1), "payment.create", context())
        assert denials(answer.decision) == ["approval.store_unavailable"]
        assert made.authorize(action("order.read"), "order.read", context()).allowed


def test_a_store_that_never_settles(tmp_path: Path) -> None:
    class Restless(MemoryApprovalStore):
        number = 0

        def votes(self, handle: str | None, request_digest: str) -> Any:
            self.number += 1
            return super().votes(handle, request_digest).__class__(votes=(), used=(), position=self.number + 10)

    with authorizer(tmp_path, 'route "desk" { allow payment.** }', approvals=Restless()) as made:
        waiting = made.authorize(action(), "payment.pay", context())
        assert waiting.allowed
    store = Restless()
    with authorizer(tmp_path, approvals=store) as made:
        handle = made.authorize(action(), "payment.pay", context()).handle
        assert handle is not None
        (tmp_path / "payments.policy").write_text('route "desk" { allow payment.** }')
        assert made.reload_now()
        answer = made.release(action(), "payment.pay", context(), handle=handle)
        assert denials(answer.decision) == ["approval.store_unavailable"]


def test_a_store_that_fails_shows_it_to_people(tmp_path: Path) -> None:
    store = faulty()
    with authorizer(tmp_path, approvals=store) as made:
        handle = made.authorize(action(), "payment.pay", context()).handle
        assert handle is not None
        questions: list[tuple[str, Callable[[], object]]] = [
            ("read", lambda: made.request(handle)),
            ("votes", lambda: made.request(handle)),
            ("open_requests", made.pending),
            ("add_vote", lambda: made.vote(handle, by=INES)),
            ("ballots", lambda: made.withdraw(handle, by=INES, decision_id="d")),
            ("close_request", lambda: made.cancel(handle, by=INES)),
        ]
        for failing, ask in questions:
            store.failing = frozenset({failing})
            with pytest.raises(ApprovalError) as raised:
                ask()
            assert raised.value.code == "approval.store_unavailable"
            assert "secret" not in raised.value.message


def test_a_store_that_fails_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text(SEPARATED)
    with pytest.raises(ConfigurationError, match="the store of approvals does not answer"):
        Authorizer(policies=tmp_path / "p.policy", approvals=faulty("remember_steps"))


def test_a_closed_store(tmp_path: Path) -> None:
    with authorizer(tmp_path, approvals=MemoryApprovalStore()) as made:
        handle = approved(made, action())
        made.close()
        for answer in (
            made.authorize(action(), "payment.pay", context()),
            made.release(action(), "payment.pay", context(), handle=handle),
        ):
            assert denials(answer.decision) == ["approval.store_unavailable"]


def test_a_directory_that_fails_is_a_denial_and_spends_nothing(tmp_path: Path) -> None:
    directory = Directory()
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), resolver=directory) as made:
        handle = approved(made, action())
        directory.fails = True
        answer = made.release(action(), "payment.pay", context(), handle=handle)
        assert denials(answer.decision) == ["authority.unavailable"]
        again = made.authorize(action(), "payment.pay", context())
        assert (denials(again.decision), again.handle) == (["authority.unavailable"], None)
        directory.fails = False
        assert made.release(action(), "payment.pay", context(), handle=handle).allowed


def test_a_directory_that_fails_about_a_party_is_a_denial(tmp_path: Path) -> None:
    unnamed = {"id": "rosa", "kind": "human", "roles": []}
    stated = context(requester=unnamed, subject=unnamed)
    with authorizer(tmp_path, resolver=Directory(fails=True)) as made:
        answer = made.authorize(action("order.read"), "order.read", stated)
        assert denials(answer.decision) == ["authority.unavailable"]
        assert made.authorize(action("order.read"), "order.read", context()).allowed, "nobody was asked about"


def test_a_directory_that_answers_about_somebody_else_is_a_denial(tmp_path: Path) -> None:
    class Mixing(Directory):
        def resolve(self, principal_id: str, tenant_id: str | None) -> Any:
            return super().resolve("somebody-else", tenant_id)

    with authorizer(tmp_path, approvals=MemoryApprovalStore(), resolver=Mixing()) as made:
        handle = approved(made, action())
        answer = made.release(action(), "payment.pay", context(), handle=handle)
        assert denials(answer.decision) == ["authority.unavailable"]


@pytest.mark.parametrize("error", [ValueError("a secret"), RecursionError(), MemoryError()])
def test_a_clock_that_fails(tmp_path: Path, error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    state: dict[str, Exception | None] = {"error": None}

    def clock() -> Any:
        if state["error"] is not None:
            raise state["error"]
        return Clock()()

    with authorizer(tmp_path, clock=clock) as made:
        state["error"] = error
        for answer in (
            made.authorize(action("order.read"), "order.read", context()),
            made.release(action("order.read"), "order.read", context(), handle="h"),
        ):
            assert denials(answer.decision) == ["authorizer.failed"]
            assert answer.message == (
                "denied: something that the authorizer needs failed; nothing is allowed on a failure "
                "(authorizer.failed)"
            )
            assert "secret" not in answer.decision.model_dump_json()
        assert made.visible(["order.read"], context()) == []
    assert "authorizer.failed: a call was denied" in caplog.text


def test_a_clock_that_gives_no_instant(tmp_path: Path) -> None:
    with authorizer(tmp_path, clock=lambda: "noon") as made:
        answer = made.authorize(action("order.read"), "order.read", context())
        assert "context.invalid" in denials(answer.decision)


def test_an_engine_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with authorizer(tmp_path, approvals=MemoryApprovalStore()) as made:
        handle = approved(made, action())

        def fail(*arguments: object) -> None:
            raise ZeroDivisionError

        for name in ("decide", "request_digest"):
            with monkeypatch.context() as patch:
                patch.setattr(Engine, name, fail)
                assert denials(made.authorize(action(), "payment.pay", context()).decision) == ["authorizer.failed"]
                answer = made.release(action(), "payment.pay", context(), handle=handle)
                assert denials(answer.decision) == ["authorizer.failed"]
        assert made.release(action(), "payment.pay", context(), handle=handle).allowed


def test_what_interrupts_the_process_passes(tmp_path: Path) -> None:
    def clock() -> Any:
        raise KeyboardInterrupt

    (tmp_path / "p.policy").write_text('route "desk" { allow order.** }')
    made = Authorizer(policies=tmp_path / "p.policy", clock=clock)
    with pytest.raises(KeyboardInterrupt):
        made.authorize(action("order.read"), "order.read", context())


class Full:
    """A place for lines that is full, or becomes so."""

    def __init__(self, full: bool = True) -> None:
        self.full = full
        self.lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        if self.full:
            raise OSError("no space left, says a secret")
        self.lines.append(line)

    def close(self) -> None:
        pass


def test_a_log_that_fails_denies_where_it_says_so(tmp_path: Path) -> None:
    sink = Full()
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), log=DecisionLog(sink, on_failure="deny")) as made:
        allowed = made.authorize(action("order.read"), "order.read", context())
        assert denials(allowed.decision) == ["log.unavailable"]
        assert allowed.decision.capability_id == "order.read"
        waiting = made.authorize(action(), "payment.pay", context())
        assert (denials(waiting.decision), waiting.handle) == (["log.unavailable"], None)
        denied = made.authorize(action("payment.bulk"), "payment.bulk", context())
        assert denials(denied.decision) == ["scope.denied"]
        sink.full = False
        assert made.authorize(action("order.read"), "order.read", context()).allowed
        assert made.authorize(action(), "payment.pay", context()).handle is not None


def test_a_release_that_cannot_be_logged_spends_nothing(tmp_path: Path) -> None:
    sink = Full(full=False)
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), log=DecisionLog(sink, on_failure="deny")) as made:
        handle = approved(made, action())
        sink.full = True
        answer = made.release(action(), "payment.pay", context(), handle=handle)
        assert denials(answer.decision) == ["log.unavailable"]
        request = made.request(handle)
        assert request is not None and request.state == "approved"
        sink.full = False
        assert made.release(action(), "payment.pay", context(), handle=handle).allowed


def test_a_vote_that_cannot_be_logged_is_not_kept(tmp_path: Path) -> None:
    sink = Full(full=False)
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), log=DecisionLog(sink, on_failure="deny")) as made:
        handle = made.authorize(action(), "payment.pay", context()).handle
        assert handle is not None
        sink.full = True
        with pytest.raises(ApprovalError, match="could not be logged, and was not kept"):
            made.vote(handle, by=INES)
        with pytest.raises(ApprovalError, match="could not be logged, and was not kept"):
            made.cancel(handle, by=INES)
        request = made.request(handle)
        assert request is not None and (request.state, request.votes) == ("pending", ())


def test_a_log_that_fails_goes_on_where_it_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = DecisionLog(Full(), on_failure="continue")
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), log=log) as made, caplog.at_level(logging.ERROR):
        handle = approved(made, action())
        assert made.release(action(), "payment.pay", context(), handle=handle).allowed
        assert made.status()["log"] == {
            "on_failure": "continue",
            "failures": 4,
            "last_error": "no space left, says a secret",
        }
    assert caplog.text.count("an entry of the decision log was not written") == 4
