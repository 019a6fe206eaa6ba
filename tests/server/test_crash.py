"""The service is killed in the middle of votes and releases: what it acknowledged holds, and nothing runs twice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import httpx
import pytest

from tests.properties.budget import SCALE
from tests.server.process import Served, project, served
from tests.server.world import POLICY, asked

ROUNDS = max(5, int(5 * SCALE))
"""How often it is killed: five times in continuous integration, a hundred times at a scale of twenty."""
_REQUESTS = 4
_LEADS = ("lena", "max")
_TWO_LEADS = POLICY.replace('need role "support.lead"', 'need 2 approvals from role "support.lead"')


class Ledger:
    """What the service acknowledged, and when it is killed."""

    def __init__(self) -> None:
        self.calls: dict[str, dict[str, Any]] = {}
        """Handle to the call that waits for it."""
        self.votes: Counter[tuple[str, str]] = Counter()
        """(handle, decision id) of the votes that were acknowledged."""
        self.released: Counter[str] = Counter()
        """Handle to how often a release was allowed."""
        self.alone: set[str] = set()
        """Handles that one lead alone votes for, again and again."""
        self._lock = Lock()
        self._left = 0
        self._victim: Served | None = None

    def arm(self, victim: Served, answers: int) -> None:
        """Kill a service after so many answers."""
        with self._lock:
            self._victim, self._left = victim, answers

    def heard(self) -> None:
        """One more answer came; perhaps it was the last."""
        with self._lock:
            self._left -= 1
            if self._left == 0 and self._victim is not None:
                self._victim.kill()

    def note(self, counter: Counter[Any], key: Any) -> None:
        """Keep what was acknowledged."""
        with self._lock:
            counter[key] += 1


def _open(client: httpx.Client, ledger: Ledger, round_number: int) -> list[str]:
    handles = []
    for number in range(_REQUESTS):
        call = asked("refund.create", f"crash-{round_number}-{number}", amount=101 + number + round_number / 1024)
        handle = client.post("/v1/decide", json=call).json()["handle"]
        ledger.calls[handle] = call
        handles.append(handle)
    ledger.alone.update(handles[::4])
    return handles


def _vote(ledger: Ledger, handle: str, lead: str, client: httpx.Client) -> None:
    """Vote, and vote again under the same id, as a client does that does not know whether it was heard."""
    body = {"by": {"id": lead, "kind": "human"}, "decision": "approved", "decision_id": f"{lead}/{handle}"}
    for _ in range(2):
        answer = client.post(f"/v1/approvals/{handle}/votes", json=body)
        if answer.status_code == 200:
            ledger.note(ledger.votes, (handle, body["decision_id"]))
        ledger.heard()


def _release(ledger: Ledger, handle: str, client: httpx.Client) -> None:
    answer = client.post("/v1/release", json={**ledger.calls[handle], "handle": handle})
    if answer.json()["allowed"]:
        ledger.note(ledger.released, handle)
    ledger.heard()


def _work(address: str, ledger: Ledger, handles: list[str], seed: int) -> None:
    """Votes and releases in some order, until the service is gone."""
    jobs: list[Callable[[httpx.Client], None]] = [
        partial(_vote, ledger, handle, lead)
        for handle in handles
        for lead in _LEADS
        if handle not in ledger.alone or lead == "max"
    ]
    jobs += [partial(_release, ledger, handle) for handle in handles for _ in range(3)]
    random.Random(seed).shuffle(jobs)
    try:
        with httpx.Client(base_url=address, timeout=30, trust_env=False) as client:
            for _ in range(3):
                for job in jobs:
                    job(client)
    except httpx.TransportError:
        return


def _check(client: httpx.Client, ledger: Ledger) -> None:
    """Everything that was ever acknowledged is there, once."""
    for handle in ledger.calls:
        answer = client.get(f"/v1/approvals/{handle}")
        assert answer.status_code == 200
        kept = Counter(vote["decision_id"] for vote in answer.json()["votes"])
        assert all(count == 1 for count in kept.values()), "a vote was kept twice"
        lost = {decision for owner, decision in ledger.votes if owner == handle} - kept.keys()
        assert not lost, f"acknowledged votes were lost: {lost}"
        assert ledger.released[handle] <= 1, "an action was released twice"
        if ledger.released[handle]:
            assert answer.json()["state"] == "consumed"
        if handle in ledger.alone:
            assert answer.json()["state"] == "pending", "one person's vote was counted twice"
            assert ledger.released[handle] == 0


@pytest.mark.slow
def test_a_killed_service_loses_no_vote_and_releases_nothing_twice(tmp_path: Path) -> None:
    arguments = [*project(tmp_path, _TWO_LEADS), "--approvals", str(tmp_path / "approvals.sqlite")]
    ledger = Ledger()
    chance = random.Random(7)
    killed = 0
    for round_number in range(ROUNDS):
        with served(*arguments) as service, ThreadPoolExecutor(4) as pool:
            address = service.address()
            with httpx.Client(base_url=address, timeout=30, trust_env=False) as client:
                _check(client, ledger)
                handles = _open(client, ledger, round_number)
            # Some of the former rounds go on, so that what was cut off is tried again.
            handles += chance.sample(list(ledger.calls), min(2, len(ledger.calls)))
            ledger.arm(service, chance.randint(5, 60))
            workers = [pool.submit(_work, address, ledger, handles, 10 * round_number + each) for each in range(4)]
            for worker in workers:
                worker.result()
            killed += service.process.poll() is not None
    with served(*arguments) as service, httpx.Client(base_url=service.address(), timeout=30, trust_env=False) as client:
        _check(client, ledger)
        for handle in ledger.calls:
            _release(ledger, handle, client)
            _release(ledger, handle, client)
        _check(client, ledger)
    assert killed == ROUNDS
    assert sum(ledger.released.values()) > 0
    assert len(ledger.votes) > 0
