"""Reloading: compiled beside, tried on fixtures, swapped in one step; the last good policy is kept, loudly."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Literal

from policy.engine import PolicyError
from policy.plugins import trial
from policy.plugins.loaded import Loaded
from policy.plugins.problems import ConfigurationError
from policy.plugins.watch import Fingerprint, Watch

DEFAULT_SECONDS = 5.0
"""Seconds between two looks at the files."""

_LOG = logging.getLogger("policy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reload:
    """Whether and how often files are looked at."""

    seconds: float = DEFAULT_SECONDS
    """Seconds between two looks."""
    background: bool = True
    """Whether a thread looks; without one the host calls `Authorizer.reload_now`."""

    def __post_init__(self) -> None:
        """Raises ConfigurationError for an interval that is none."""
        if not self.seconds > 0:
            raise ConfigurationError("the interval of a reload is above zero")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of a reload."""

    result: Literal["swapped", "kept"]
    policy_hash: str
    """The policy that decides from now on."""
    candidate_hash: str | None
    """The policy that was offered; None where it did not load."""
    error: str | None
    at: str
    """When, RFC 3339."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What a reload does with the authorizer it belongs to."""

    current: Callable[[], Loaded]
    load: Callable[[], Loaded]
    """Compiles the files; raises PolicyError."""
    swap: Callable[[Loaded], None]
    """Makes a policy the one that decides; what it raises keeps the last good one."""
    tell: Callable[[Attempt], None]
    """Told of every swap, and of every new reason for none."""
    now: Callable[[], str]


@dataclass(slots=True)
class _State:
    seen: Fingerprint
    last: Attempt | None = None
    """The last attempt."""
    swaps: int = 0
    swapped_at: str | None = None


@dataclass(slots=True)
class Reloader:
    """Keeps one authorizer's policy up to date."""

    host: Host
    watch: Watch
    fixtures: Sequence[Path]
    options: Reload
    seen: Fingerprint
    """What the files held before the current policy was read from them."""
    _state: _State = field(init=False)
    _lock: Lock = field(default_factory=Lock)
    _end: Event = field(default_factory=Event)
    _thread: Thread | None = None

    def __post_init__(self) -> None:
        self._state = _State(seen=self.seen)

    def start(self) -> None:
        """Begin to look at the files, where a thread is to do so."""
        if self.options.background:
            self._thread = Thread(target=self._run, name="policy-reload", daemon=True)
            self._thread.start()

    def poll(self) -> bool:
        """Reload where a file changed, or where the last attempt failed; whether another policy decides now."""
        with self._lock:
            broken = self._state.last is not None and self._state.last.result == "kept"
            return self._attempt() if broken or self.watch.look() != self._state.seen else False

    def reload_now(self) -> bool:
        """Reload whether or not a file changed; whether what was offered decides now."""
        with self._lock:
            return self._attempt()

    def status(self) -> dict[str, Any]:
        """What became of the last attempt, as JSON."""
        state = self._state
        last = state.last
        current = self.host.current().engine.policy_hash
        return {
            "candidate_hash": current if last is None else last.candidate_hash,
            "result": None if last is None else last.result,
            "error": None if last is None else last.error,
            "attempted_at": None if last is None else last.at,
            "swapped_at": state.swapped_at,
            "swaps": state.swaps,
            "watching": self._thread is not None and self._thread.is_alive(),
        }

    def close(self) -> None:
        """End the thread."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._end.wait(self.options.seconds):
            try:
                self.poll()
            except Exception as error:  # noqa: BLE001 - the thread must outlive a failure; it is told in the log
                _LOG.error("watching the policy failed; the last good one is kept", exc_info=error)

    def _attempt(self) -> bool:
        before = self.watch.learn()
        candidate: Loaded | None = None
        try:
            candidate = self.host.load()
            if self.watch.learn() != before:
                return self._kept(candidate, before, "the files change while they are read; they are read again")
            found = trial.problems(candidate.engine, self.fixtures)
            if found:
                return self._kept(candidate, before, f"the fixtures fail: {trial.told(found)}")
            self.host.swap(candidate)
        except PolicyError as error:
            return self._kept(candidate, before, f"the policy does not load: {_first(error)}")
        except Exception as error:  # noqa: BLE001 - whatever fails keeps the last good policy, told and logged
            _LOG.error("a reload failed", exc_info=error)
            return self._kept(candidate, before, f"the reload failed: {type(error).__name__}")
        state = self._state
        state.seen, state.swaps, state.swapped_at = before, state.swaps + 1, self.host.now()
        digest = candidate.engine.policy_hash
        self._ended(
            Attempt(result="swapped", policy_hash=digest, candidate_hash=digest, error=None, at=self.host.now())
        )
        _LOG.warning("the policy was reloaded: %s decides now", digest)
        return True

    def _kept(self, candidate: Loaded | None, seen: Fingerprint, error: str) -> bool:
        current = self.host.current().engine.policy_hash
        offered = None if candidate is None else candidate.engine.policy_hash
        self._state.seen = seen
        told = self._state.last
        attempt = Attempt(result="kept", policy_hash=current, candidate_hash=offered, error=error, at=self.host.now())
        if told is None or (told.result, told.candidate_hash, told.error) != ("kept", offered, error):
            _LOG.error("the policy was NOT reloaded, the last good one %s decides on: %s", current, error)
            self._ended(attempt)
        else:
            self._state.last = attempt
        return False

    def _ended(self, attempt: Attempt) -> None:
        self._state.last = attempt
        try:
            self.host.tell(attempt)
        except Exception as error:  # noqa: BLE001 - a reload that was not logged still holds
            _LOG.error("a reload was not logged", exc_info=error)


def _first(error: PolicyError) -> str:
    errors = [each for each in error.diagnostics if each.is_error]
    found = [f"{each.location}: {each.message}" for each in errors]
    return trial.told(found)
