"""One approval, one execution: threads and processes race, and processes are killed while they write."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import pytest

from policy.plugins import ApprovalStore, MemoryApprovalStore, SqliteApprovalStore
from tests.plugins.world import SEPARATED, Json, action, approved, authorizer, context, denials, person

ROOT = Path(__file__).parents[2]
WORKERS = 8
T = TypeVar("T")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ApprovalStore:
    if request.param == "memory":
        return MemoryApprovalStore()
    return SqliteApprovalStore(tmp_path / "approvals.sqlite", complete_history=True)


def at_once(ask: Callable[[int], T]) -> list[T]:
    """The answers of several threads that ask at the same time."""
    barrier = Barrier(WORKERS)

    def run(number: int) -> T:
        barrier.wait()
        return ask(number)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(run, range(WORKERS)))


def test_threads_race_for_a_release(store: ApprovalStore, tmp_path: Path) -> None:
    with authorizer(tmp_path, approvals=store) as made:
        for number in range(5):
            asked = action(name=f"a-{number}")
            handle = approved(made, asked)
            answers = at_once(lambda _: made.release(asked, "payment.pay", context(), handle=handle))  # noqa: B023
            assert sum(each.allowed for each in answers) == 1
            lost = [denials(each.decision) for each in answers if not each.allowed]
            assert lost == [["approval.consumed"]] * (WORKERS - 1)


def test_threads_ask_for_one_call(store: ApprovalStore, tmp_path: Path) -> None:
    with authorizer(tmp_path, approvals=store) as made:
        answers = at_once(lambda _: made.authorize(action(), "payment.pay", context()))
        assert len({each.handle for each in answers}) == 1
        assert len(made.pending()) == 1


def test_a_release_races_with_a_withdrawal(store: ApprovalStore, tmp_path: Path) -> None:
    with authorizer(tmp_path, approvals=store) as made:
        for round_ in range(5):
            asked = action(name=f"a-{round_}")
            handle = approved(made, asked)

            def ask(number: int, handle: str = handle, asked: Json = asked) -> str:
                if number % 2:
                    allowed = made.release(asked, "payment.pay", context(), handle=handle).allowed
                    return "released" if allowed else "refused"
                try:
                    return made.cancel(handle, by=person("rosa")).state
                except Exception as error:  # noqa: BLE001 - the refusal is what is compared
                    return str(error)

            found = set(at_once(ask))
            request = made.request(handle)
            assert request is not None
            if request.state == "consumed":
                assert found == {"released", "refused", "the approval request is consumed"}
            else:
                assert (request.state, found) == ("withdrawn", {"withdrawn", "refused"})


def test_people_who_must_differ_race_for_two_steps(store: ApprovalStore, tmp_path: Path) -> None:
    with authorizer(tmp_path, SEPARATED, approvals=store) as made:
        for number in range(5):
            given = {"amount": 1, "payment_id": f"p-{number}"}

            def ask(worker: int, given: Json = given, number: int = number) -> tuple[str, bool]:
                scope = ("payment.create", "payment.release")[worker % 2]
                call = {"id": f"{scope}-{number}-{worker}", "capability_id": scope, "input": given}
                return scope, made.authorize(call, scope, context()).allowed

            allowed = {scope for scope, was in at_once(ask) if was}
            assert len(allowed) == 1, "one person performed both steps"


def run(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.plugins.racing", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "."})


def test_processes_race_for_releases(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    with authorizer(own, approvals=SqliteApprovalStore(tmp_path / "approvals.sqlite")) as made:
        handles = [approved(made, action(name=f"a-{number}")) for number in range(20)]
        start = str(time.time() + 4)
        workers = [run("release", str(tmp_path), f"w-{number}", start, *handles) for number in range(2)]
        won = [handle for worker in workers for handle in json.loads(worker.communicate(timeout=60)[0])]
        assert sorted(won) == sorted(handles)
        states = {request.state for handle in handles if (request := made.request(handle)) is not None}
        assert states == {"consumed"}


def test_a_killed_process_loses_no_vote_that_was_acknowledged(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    with authorizer(own, approvals=SqliteApprovalStore(tmp_path / "approvals.sqlite")) as made:
        handle = made.authorize(action(), "payment.pay", context()).handle
        assert handle is not None
        workers = [run("vote", str(tmp_path), f"w-{number}", handle) for number in range(3)]
        told: list[str] = []
        for worker in workers:
            assert worker.stdout is not None
            told += [worker.stdout.readline().strip() for _ in range(5)]
            worker.send_signal(signal.SIGKILL)
            told += worker.stdout.read().split("\n")[:-1]
            worker.stdout.close()
            assert worker.wait(timeout=60) == -signal.SIGKILL
        request = made.request(handle)
        assert request is not None
        kept = [vote["decision_id"] for vote in request.votes]
        assert len(set(kept)) == len(kept)
        assert set(told) <= set(kept)
        assert len(told) >= 15
        # At most the one that was being written when a process died was kept and not told.
        assert len(kept) - len(told) <= 3
