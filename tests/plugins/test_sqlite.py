"""The file of approvals: what is acknowledged is on the disk, and no other file is taken for one."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from policy.plugins import ApprovalStore, ConfigurationError, MemoryApprovalStore, SqliteApprovalStore
from policy.plugins.approvals.history import HistoryQuery
from policy.plugins.approvals.protocol import Closed, Execution, Opening, Seen, nothing
from policy.plugins.problems import RequestClosedError, StoreChangedError, StoreError
from tests.plugins.world import INES, OMAR, action, approved, authorizer, context, denials

DIGEST = "sha256:" + "1" * 64
OPENING = Opening(
    call="c-1",
    request_digest=DIGEST,
    policy_hash="sha256:p",
    capability_id="payment.pay",
    action={"id": "c-1"},
    context={"route": "desk"},
    document=None,
    decision={"outcome": "require-approval"},
    opened_at=100,
    expires_at=200,
)
EXECUTION = Execution(call="c-1", request_digest=DIGEST, entry=None, at=150)


def vote(name: str, decision: str = "approved", who: str = "ines") -> dict[str, Any]:
    return {
        "decision_id": name,
        "decision": decision,
        "approver": {"id": who, "kind": "human"},
        "decided_at": "2026-06-10T12:00:00Z",
        "request_digest": DIGEST,
    }


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApprovalStore]:
    made: ApprovalStore
    made = MemoryApprovalStore() if request.param == "memory" else SqliteApprovalStore(tmp_path / "a.sqlite")
    yield made
    made.close()


def test_a_request_is_kept_as_it_was_opened(store: ApprovalStore) -> None:
    opened = store.open(OPENING)
    assert (opened.opening, opened.closed, opened.closed_at) == (OPENING, None, None)
    assert store.open(replace(OPENING, decision={"another": 1}, opened_at=101)) == opened
    assert store.read(opened.handle) == store.find("c-1", DIGEST) == opened
    assert store.read("another") is store.find("c-2", DIGEST) is store.find("c-1", "sha256:2") is None


def test_open_requests(store: ApprovalStore) -> None:
    first = store.open(OPENING)
    second = store.open(replace(OPENING, call="c-2", opened_at=120, expires_at=180))
    third = store.open(replace(OPENING, call="c-3", opened_at=130))
    assert [each.handle for each in store.open_requests(179)] == [first.handle, second.handle, third.handle]
    assert [each.handle for each in store.open_requests(180)] == [first.handle, third.handle]
    store.close_request(first.handle, "withdrawn", None, 150, nothing)
    assert [each.handle for each in store.open_requests(180)] == [third.handle]


def test_votes_that_speak(store: ApprovalStore) -> None:
    first, second = store.open(OPENING), store.open(replace(OPENING, call="c-2"))
    other = store.open(replace(OPENING, call="c-3", request_digest="sha256:2"))
    for handle, given in (
        (first.handle, vote("yes-1")),
        (first.handle, vote("no-1", "denied", "omar")),
        (second.handle, vote("yes-2")),
        (other.handle, {**vote("no-3", "denied"), "request_digest": "sha256:2"}),
    ):
        assert store.add_vote(handle, given, 150, nothing)
    found = store.votes(first.handle, DIGEST)
    assert [each["decision_id"] for each in found.votes] == ["yes-1", "no-1"]
    assert [each["decision_id"] for each in store.votes(second.handle, DIGEST).votes] == ["no-1", "yes-2"]
    assert [each["decision_id"] for each in store.votes(None, DIGEST).votes] == ["no-1"]
    assert [each["decision_id"] for each in store.ballots(first.handle)] == ["yes-1", "no-1"]
    store.consume(first.handle, ["yes-1"], EXECUTION, Seen(), nothing)
    assert store.votes(first.handle, DIGEST).used == ("yes-1",)
    assert store.votes(second.handle, DIGEST).used == ()


def test_a_request_is_consumed_once(store: ApprovalStore) -> None:
    opened = store.open(OPENING)
    store.add_vote(opened.handle, vote("yes"), 150, nothing)
    store.consume(opened.handle, ["yes"], EXECUTION, Seen(), nothing)
    with pytest.raises(RequestClosedError) as raised:
        store.consume(opened.handle, ["yes"], EXECUTION, Seen(), nothing)
    assert raised.value.closed == "consumed"
    read = store.read(opened.handle)
    assert read is not None and (read.closed, read.closed_at) == ("consumed", 150)


@pytest.mark.parametrize("closed", ["withdrawn", "superseded"])
def test_a_request_that_was_closed_is_not_consumed(store: ApprovalStore, closed: Closed) -> None:
    opened = store.open(OPENING)
    store.close_request(opened.handle, closed, INES, 150, nothing)
    with pytest.raises(RequestClosedError) as raised:
        store.consume(opened.handle, [], EXECUTION, Seen(), nothing)
    assert raised.value.closed == closed
    with pytest.raises(RequestClosedError):
        store.add_vote(opened.handle, vote("late"), 151, nothing)
    assert store.record(EXECUTION, Seen(), nothing), "nothing was recorded as executed"


def test_a_vote_is_used_once(store: ApprovalStore) -> None:
    first, second = store.open(OPENING), store.open(replace(OPENING, call="c-2"))
    store.add_vote(first.handle, vote("yes"), 150, nothing)
    store.consume(first.handle, ["yes"], EXECUTION, Seen(), nothing)
    with pytest.raises(RequestClosedError):
        store.consume(second.handle, ["yes"], replace(EXECUTION, call="c-2"), Seen(), nothing)
    read = store.read(second.handle)
    assert read is not None and read.closed is None


def test_a_call_is_executed_once(store: ApprovalStore) -> None:
    opened = store.open(OPENING)
    assert store.record(EXECUTION, Seen(), nothing)
    assert not store.record(EXECUTION, Seen(), nothing)
    with pytest.raises(RequestClosedError):
        store.consume(opened.handle, [], EXECUTION, Seen(), nothing)


def test_what_was_decided_on_older_votes_is_not_recorded(store: ApprovalStore) -> None:
    opened = store.open(OPENING)
    store.add_vote(opened.handle, vote("yes"), 150, nothing)
    seen = store.votes(opened.handle, DIGEST).position
    sibling = store.open(replace(OPENING, call="c-2"))
    store.add_vote(sibling.handle, vote("no", "denied"), 150, nothing)
    with pytest.raises(StoreChangedError):
        store.consume(opened.handle, ["yes"], EXECUTION, Seen(votes=seen), nothing)
    with pytest.raises(StoreChangedError):
        store.record(EXECUTION, Seen(votes=seen), nothing)
    now = store.votes(opened.handle, DIGEST).position
    store.consume(opened.handle, ["yes"], EXECUTION, Seen(votes=now), nothing)


def refuse() -> None:
    raise InterruptedError


def test_what_is_refused_at_the_last_moment_leaves_nothing_behind(store: ApprovalStore) -> None:
    opened = store.open(OPENING)
    for ask in (
        lambda: store.add_vote(opened.handle, vote("yes"), 150, refuse),
        lambda: store.close_request(opened.handle, "withdrawn", None, 150, refuse),
        lambda: store.consume(opened.handle, [], EXECUTION, Seen(), refuse),
        lambda: store.record(EXECUTION, Seen(), refuse),
    ):
        with pytest.raises(InterruptedError):
            ask()
    assert store.read(opened.handle) == opened
    assert store.ballots(opened.handle) == ()
    assert store.record(EXECUTION, Seen(), nothing)


def test_an_unknown_handle(store: ApprovalStore) -> None:
    for ask in (
        lambda: store.add_vote("x", vote("yes"), 150, nothing),
        lambda: store.close_request("x", "withdrawn", None, 150, nothing),
        lambda: store.consume("x", [], EXECUTION, Seen(), nothing),
    ):
        with pytest.raises(KeyError):
            ask()


def test_steps_that_are_not_noted(store: ApprovalStore) -> None:
    store.remember_steps(["a"], 10)
    with pytest.raises(StoreError, match="not noted"):
        store.complete_since(["a", "b"])
    assert store.complete_since([]) is None


def test_a_closed_store_answers_nothing(store: ApprovalStore) -> None:
    store.close()
    store.close()
    query = HistoryQuery(call="c", request_digest="d", tenant_id=None, interests=())
    for ask in (
        lambda: store.read("x"),
        lambda: store.open(OPENING),
        lambda: store.history(query),
        lambda: store.remember_steps([], 1),
    ):
        with pytest.raises(StoreError, match="the store is closed"):
            ask()


def test_everything_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with authorizer(tmp_path, approvals=SqliteApprovalStore(path)) as made:
        handle = approved(made, action(), by=(INES,))
    with authorizer(tmp_path, approvals=SqliteApprovalStore(path)) as made:
        assert [each.handle for each in made.pending()] == [handle]
        assert made.authorize(action(), "payment.pay", context()).handle == handle
        made.vote(handle, by=OMAR)
        assert made.release(action(), "payment.pay", context(), handle=handle).allowed
    with authorizer(tmp_path, approvals=SqliteApprovalStore(path)) as made:
        answer = made.release(action(), "payment.pay", context(), handle=handle)
        assert denials(answer.decision) == ["approval.consumed"]


def test_several_stores_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    one, other = SqliteApprovalStore(path), SqliteApprovalStore(path)
    handle = one.open(OPENING).handle
    assert other.open(OPENING).handle == handle
    other.add_vote(handle, vote("yes"), 150, nothing)
    assert [each["decision_id"] for each in one.ballots(handle)] == ["yes"]
    one.close()
    other.close()


def test_how_the_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    store = SqliteApprovalStore(path)
    assert store.path == path
    connection = store._connection
    settings = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys", "user_version", "busy_timeout")
    }
    store.close()
    # 2 is FULL: a commit is on the disk before it is acknowledged.
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "user_version": 1,
        "busy_timeout": 10_000,
    }
    assert path.stat().st_mode & 0o777 == 0o600


def test_other_files_are_not_taken_for_approvals(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database at all, but long enough to be looked at" * 20)
    with pytest.raises(ConfigurationError, match="cannot be opened: file is not a database"):
        SqliteApprovalStore(tmp_path / "text")
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE accounts (name TEXT)")
    other.commit()
    other.close()
    with pytest.raises(ConfigurationError, match="is another program's database"):
        SqliteApprovalStore(tmp_path / "other")
    with pytest.raises(ConfigurationError, match="cannot be opened: no such file or directory"):
        SqliteApprovalStore(tmp_path / "nowhere" / "a")
    with pytest.raises(ConfigurationError, match="cannot be opened: is a directory"):
        SqliteApprovalStore(tmp_path)


def test_tables_of_another_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    SqliteApprovalStore(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(ConfigurationError, match="has tables of version 2; this release reads version 1"):
        SqliteApprovalStore(path)


def test_a_file_that_is_spoiled_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with authorizer(tmp_path, approvals=SqliteApprovalStore(path)) as made:
        handle = approved(made, action())
        connection = sqlite3.connect(path)
        connection.execute("DROP TABLE executions")
        connection.close()
        answer = made.release(action(), "payment.pay", context(), handle=handle)
        assert denials(answer.decision) == ["approval.store_unavailable"]
        request = made.request(handle)
        assert request is not None and request.state == "approved"


def test_a_file_that_another_process_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    store = SqliteApprovalStore(path)
    store._connection.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="do not answer: database is locked"):
        store.open(OPENING)
    other.execute("ROLLBACK")
    other.close()
    assert store.open(OPENING).opening == OPENING
    store.close()


def _fork(store: SqliteApprovalStore, answers: Connection) -> None:
    answers.send(store.open(replace(OPENING, call="c-2")).handle)
    answers.close()


def test_a_store_goes_on_after_a_fork(tmp_path: Path) -> None:
    store = SqliteApprovalStore(tmp_path / "a.sqlite")
    first = store.open(OPENING)
    forking = multiprocessing.get_context("fork")
    receiving, sending = forking.Pipe(duplex=False)
    child = forking.Process(target=_fork, args=(store, sending))
    child.start()
    assert receiving.poll(30)
    handle = receiving.recv()
    child.join(30)
    assert child.exitcode == 0
    assert {each.handle for each in store.open_requests(150)} == {first.handle, handle}
    store.close()
