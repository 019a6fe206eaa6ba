"""Reloading: compiled beside, tried first, swapped in one step, the last good policy kept and told loudly."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from policy.plugins import Authorizer, ConfigurationError, DecisionLog, MemoryApprovalStore, Reload
from policy.plugins.problems import StoreError
from policy.plugins.watch import Watch
from tests.plugins.test_log import Lines
from tests.plugins.world import (
    LOOSER,
    POLICY,
    STRICTER,
    Clock,
    Directory,
    Json,
    action,
    authorizer,
    catalog,
    context,
    document,
)

FIXTURES = """
policy: payments.policy
capabilities:
  payment.pay: {name: pay, kind: tool, scope: payment.pay, input_schema: true, risk: low}
now: 2026-06-10T12:00:00Z
context: {route: desk, principal: {id: rosa, kind: human, roles: []}, environment: production}
cases:
  - {name: a large payment waits, capability: payment.pay, input: {amount: 900}, expect: require-approval}
"""


def allowed(made: Authorizer, amount: int) -> bool:
    name = f"a-{amount}"
    return made.authorize(action(amount=amount, name=name), "payment.pay", context()).allowed


def write(folder: Path, text: str, name: str = "payments.policy") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def until(holds: Callable[[], bool]) -> None:
    """Wait for another thread, at most ten seconds."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def test_a_changed_policy_decides_from_then_on(tmp_path: Path) -> None:
    with authorizer(tmp_path) as made:
        first = made.engine.policy_hash
        assert made.status() == {
            "policy_hash": first,
            "policy_version": "1",
            "candidate_hash": first,
            "capabilities": 5,
            "reload": {
                "candidate_hash": first,
                "result": None,
                "error": None,
                "attempted_at": None,
                "swapped_at": None,
                "swaps": 0,
                "watching": False,
            },
            "log": None,
        }
        assert allowed(made, 80)
        write(tmp_path, STRICTER)
        assert allowed(made, 80), "nothing changes before it is reloaded"
        assert made.reload_now()
        assert not allowed(made, 80)
        second = made.engine.policy_hash
        assert second != first
        status = made.status()
        assert (status["policy_hash"], status["candidate_hash"]) == (second, second)
        assert status["reload"]["result"] == "swapped"
        assert status["reload"]["swapped_at"] == "2026-06-10T12:00:00Z"


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda path: path.write_text("nonsense"), "the policy does not load"),
        (lambda path: path.write_text(POLICY + POLICY), "the policy does not load"),
        (lambda path: path.write_bytes(b"\xff"), "the policy does not load"),
        (lambda path: path.unlink(), "the policy does not load: "),
        (lambda path: (path.unlink(), path.symlink_to("nowhere.policy")), "the policy does not load: "),
        (lambda path: (path.unlink(), path.mkdir()), "the policy does not load: "),
    ],
)
def test_what_does_not_load_keeps_the_last_good_policy(
    tmp_path: Path, spoil: Callable[[Path], object], error: str, caplog: pytest.LogCaptureFixture
) -> None:
    lines = Lines()
    with authorizer(tmp_path, log=DecisionLog(lines, on_failure="deny")) as made:
        digest = made.engine.policy_hash
        spoil(tmp_path / "payments.policy")
        assert not made.reload_now()
        assert allowed(made, 80)
        status = made.status()
        assert (status["policy_hash"], status["candidate_hash"]) == (digest, None)
        assert status["reload"]["result"] == "kept"
        assert status["reload"]["error"].startswith(error)
        (reload, _) = lines.events()
        assert reload["type"] == "agent-policy.reload.v1"
        assert reload["data"] == {
            "result": "kept",
            "policy_hash": digest,
            "candidate_hash": None,
            "error": status["reload"]["error"],
        }
    assert f"the policy was NOT reloaded, the last good one {digest} decides on" in caplog.text


def test_a_failure_is_told_once_until_it_is_another_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with authorizer(tmp_path) as made:
        write(tmp_path, "nonsense")
        for _ in range(3):
            assert not made.reload_now()
        assert caplog.text.count("NOT reloaded") == 1
        write(tmp_path, "other nonsense")
        (tmp_path / "payments.policy").unlink()
        assert not made.reload_now()
        assert caplog.text.count("NOT reloaded") == 2
        write(tmp_path, POLICY)
        assert made.reload_now()
        assert made.status()["reload"]["error"] is None


def test_a_policy_that_fails_its_fixtures_is_not_taken(tmp_path: Path) -> None:
    write(tmp_path, POLICY)
    write(tmp_path, FIXTURES, "payments.fixtures.yaml")
    with authorizer(tmp_path, fixtures=[tmp_path / "payments.fixtures.yaml"]) as made:
        digest = made.engine.policy_hash
        write(tmp_path, LOOSER)
        assert not made.reload_now()
        status = made.status()
        assert status["policy_hash"] == digest
        assert status["candidate_hash"] not in (None, digest)
        assert "the fixtures fail: " in status["reload"]["error"]
        assert "a large payment waits" in status["reload"]["error"]
        assert not allowed(made, 900)
        write(tmp_path, STRICTER)
        assert made.reload_now()


def test_fixtures_are_tried_on_the_policy_that_was_compiled_not_on_another_file(tmp_path: Path) -> None:
    write(tmp_path, POLICY, "frozen.policy")
    write(tmp_path, FIXTURES.replace("payments.policy", "frozen.policy"), "payments.fixtures.yaml")
    with authorizer(tmp_path, fixtures=[tmp_path / "payments.fixtures.yaml"]) as made:
        write(tmp_path, LOOSER)
        assert not made.reload_now()


def test_a_directory_is_not_asked_when_fixtures_are_tried(tmp_path: Path) -> None:
    write(tmp_path, FIXTURES, "payments.fixtures.yaml")
    directory = Directory(fails=True)
    with authorizer(tmp_path, fixtures=[tmp_path / "payments.fixtures.yaml"], resolver=directory) as made:
        write(tmp_path, STRICTER)
        assert made.reload_now()
    assert directory.asked == []


@pytest.mark.parametrize(
    ("fixtures", "message"),
    [
        (FIXTURES.replace("require-approval", "allow"), "the fixtures fail: .*a large payment waits"),
        (FIXTURES.replace("cases:", "caes:"), "the fixtures fail: "),
        ("policy: payments.policy\n", "the fixtures fail: "),
        (None, "does not exist"),
    ],
)
def test_the_first_policy_must_pass_its_fixtures_too(tmp_path: Path, fixtures: str | None, message: str) -> None:
    if fixtures is not None:
        write(tmp_path, fixtures, "payments.fixtures.yaml")
    with (
        pytest.raises(ConfigurationError, match=message),
        authorizer(tmp_path, fixtures=[tmp_path / "payments.fixtures.yaml"]),
    ):
        pass


def test_a_folder_without_fixtures_is_no_trial(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="hold no case"), authorizer(tmp_path, fixtures=[tmp_path / "empty"]):
        pass


def test_the_catalog_is_reloaded_with_the_policy(tmp_path: Path) -> None:
    path = tmp_path / "capabilities.json"
    path.write_text(json.dumps([document("order.read")]))
    with authorizer(tmp_path, catalog=path) as made:
        assert not made.authorize(action("order.list"), "order.list", context()).allowed
        path.write_text(json.dumps([document("order.read"), document("order.list")]))
        assert made.reload_now()
        assert made.authorize(action("order.list"), "order.list", context()).allowed
        path.write_text("no catalog")
        assert not made.reload_now()
        assert made.authorize(action("order.list"), "order.list", context()).allowed


def test_a_capability_with_an_error_is_left_out_loudly(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "capabilities.json"
    path.write_text(json.dumps([document("order.read"), {"id": "order.list"}]))
    with authorizer(tmp_path, catalog=path) as made:
        assert list(made.capabilities) == ["order.read"]
    assert "a capability is left out" in caplog.text


def test_a_thread_sees_a_change(tmp_path: Path) -> None:
    with authorizer(tmp_path, reload=Reload(seconds=0.02)) as made:
        assert made.status()["reload"]["watching"]
        write(tmp_path, STRICTER)
        until(lambda: not allowed(made, 80))
        write(tmp_path, "nonsense")
        until(lambda: made.status()["reload"]["result"] == "kept")
        assert not allowed(made, 80)
        write(tmp_path, POLICY)
        until(lambda: made.status()["reload"]["result"] == "swapped")
        assert made.authorize(action(amount=80, name="b"), "payment.pay", context()).allowed
        made.close()
        assert not made.status()["reload"]["watching"]


def test_without_a_thread_nothing_is_watched(tmp_path: Path) -> None:
    before = threading.active_count()
    with authorizer(tmp_path, reload=Reload(background=False)) as made:
        assert threading.active_count() == before
        write(tmp_path, STRICTER)
        assert made.reload_now()


def test_a_change_is_told_by_content(tmp_path: Path) -> None:
    path = tmp_path / "p.policy"
    path.write_text('route "desk" { allow order.read }')
    watch = Watch(policies=[path])
    first = watch.learn()
    os.utime(path, ns=(10**18, 10**18))
    assert watch.look() == first
    # Of the same size and with the same time, soon after the last look.
    stamp = time.time_ns()
    os.utime(path, ns=(stamp, stamp))
    assert watch.look() == first
    path.write_text('route "desk" { allow order.reaD }')
    os.utime(path, ns=(stamp, stamp))
    assert watch.look() != first


def test_imported_and_new_files_are_watched(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    write(tmp_path / "parts", 'require "r" { for order.read approval "a" }\napproval "a" { need role "x" }', "r.policy")
    write(tmp_path, 'import "parts/r.policy"\nroute "desk" { allow order.** }', "main.policy")
    single, folder = Watch(policies=[tmp_path / "main.policy"]), Watch(policies=[tmp_path])
    seen = single.learn(), folder.learn()
    write(tmp_path / "parts", 'require "r" { for order.list approval "a" }\napproval "a" { need role "x" }', "r.policy")
    changed = single.look(), folder.look()
    assert changed[0] != seen[0] and changed[1] != seen[1]
    write(tmp_path, 'route "back" { allow order.read }', "second.policy")
    assert single.look() == changed[0]
    assert folder.look() != changed[1]
    (tmp_path / "main.policy").unlink()
    assert single.look() != changed[0]


def test_other_files_are_watched(tmp_path: Path) -> None:
    write(tmp_path, POLICY)
    other = tmp_path / "capabilities.json"
    watch = Watch(policies=[tmp_path / "payments.policy"], others=[other])
    absent = watch.learn()
    other.write_text("[]")
    assert watch.look() != absent


def test_a_folder_whose_link_is_turned_is_seen(tmp_path: Path) -> None:
    for name, text in (("one", POLICY), ("two", STRICTER)):
        (tmp_path / name).mkdir()
        write(tmp_path / name, text)
    current = tmp_path / "current"
    current.symlink_to("one")
    made = Authorizer(policies=[current], catalog=catalog(), clock=Clock(), reload=Reload(seconds=0.02))
    try:
        first = made.engine.policy_hash
        turned = tmp_path / "turned"
        turned.symlink_to("two")
        turned.replace(current)
        until(lambda: made.engine.policy_hash != first)
    finally:
        made.close()


def test_files_that_change_while_they_are_read_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from policy.plugins.loaded import Files

    real = Files.load
    with authorizer(tmp_path) as made:
        digest = made.engine.policy_hash

        def load(self: Files, *arguments: Any) -> Any:
            found = real(self, *arguments)
            write(tmp_path, LOOSER)
            return found

        write(tmp_path, STRICTER)
        with monkeypatch.context() as patch:
            patch.setattr(Files, "load", load)
            assert not made.reload_now()
        assert made.engine.policy_hash == digest
        assert "change while they are read" in made.status()["reload"]["error"]
        assert made.reload_now()


def test_a_store_that_fails_keeps_the_last_good_policy(tmp_path: Path) -> None:
    class Store(MemoryApprovalStore):
        failing = False

        def remember_steps(self, steps: Any, at: int) -> None:
            if self.failing:
                raise StoreError("down")
            super().remember_steps(steps, at)

    store = Store()
    with authorizer(tmp_path, approvals=store) as made:
        digest = made.engine.policy_hash
        store.failing = True
        write(tmp_path, STRICTER)
        assert not made.reload_now()
        assert made.engine.policy_hash == digest
        assert made.status()["reload"]["error"] == "the reload failed: StoreError"


def test_a_decision_in_flight_uses_one_policy_throughout(tmp_path: Path) -> None:
    entered, go_on = threading.Event(), threading.Event()

    class Slow(MemoryApprovalStore):
        def votes(self, *arguments: Any) -> Any:
            entered.set()
            assert go_on.wait(10)
            return super().votes(*arguments)

    with authorizer(tmp_path, approvals=Slow()) as made:
        first = made.engine.policy_hash
        answers: list[Any] = []
        worker = threading.Thread(
            target=lambda: answers.append(made.authorize(action(amount=80), "payment.pay", context()))
        )
        worker.start()
        assert entered.wait(10)
        write(tmp_path, STRICTER)
        assert made.reload_now()
        go_on.set()
        worker.join()
        assert (answers[0].allowed, answers[0].decision.policy_hash) == (True, first)
        assert made.authorize(action(amount=80), "payment.pay", context()).pending


def test_reloads_and_calls_at_once_give_no_wrong_answer(tmp_path: Path) -> None:
    with authorizer(tmp_path) as made:
        expected = {made.engine.policy_hash: True}
        write(tmp_path, STRICTER)
        assert made.reload_now()
        expected[made.engine.policy_hash] = False
        ended = threading.Event()
        wrong: list[Json] = []

        def ask() -> None:
            while not ended.is_set():
                answer = made.authorize(action(amount=80), "payment.pay", context())
                if answer.allowed is not expected.get(answer.decision.policy_hash):
                    wrong.append(answer.to_payload())

        workers = [threading.Thread(target=ask) for _ in range(3)]
        for worker in workers:
            worker.start()
        for number in range(20):
            write(tmp_path, POLICY if number % 2 else STRICTER)
            assert made.reload_now()
        ended.set()
        for worker in workers:
            worker.join()
        assert wrong == []


def test_an_interval_is_above_zero() -> None:
    for seconds in (0.0, -1.0, float("nan")):
        with pytest.raises(ConfigurationError, match="above zero"):
            Reload(seconds=seconds)
