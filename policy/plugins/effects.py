"""What an answered call leaves behind: one entry in the log and one count, however often the runtime asks."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from cachetools import TTLCache

from policy.model.canonical import sha256_hex
from policy.model.decision import Outcome
from policy.plugins.approvals.protocol import Json
from policy.plugins.authorization import Authorization
from policy.plugins.call import Call
from policy.plugins.log.decision_log import DecisionLog
from policy.plugins.log.event import DECISION, decision_data
from policy.plugins.log.telemetry import Telemetry
from policy.plugins.problems import LogError

REMEMBERED_CALLS = 100_000
"""Answers that are remembered, so that a second question leaves nothing behind."""
REMEMBERED_SECONDS = 900.0
"""How long."""

_LOG = logging.getLogger("policy")


class Effects:
    """Keeps track of what was told. Safe to share between threads; each process tells of its own calls."""

    def __init__(self, log: DecisionLog | None, telemetry: Telemetry | None) -> None:
        self.log = log
        """The decision log, where there is one."""
        self._telemetry = telemetry
        self._told: TTLCache[tuple[Any, ...], bool] = TTLCache(REMEMBERED_CALLS, REMEMBERED_SECONDS)
        self._lock = RLock()

    def tell(self, operation: str, call: Call | None, authorization: Authorization, time: str) -> None:
        """Log and count an answer, unless the very same was told for this call before.

        Raises LogError where it could not be logged and that means a denial. A denial is never held up by that.
        """
        key = _key(operation, call, authorization)
        with self._lock:
            if key is not None and key in self._told:
                return
            self._write(operation, call, authorization, time)
            if key is not None:
                self._told[key] = True
        self._count(operation, authorization)

    def event(self, kind: str, time: str, subject: str | None, data: Json) -> None:
        """Log something else than an answer. Raises LogError where it could not be logged and that matters."""
        if self.log is not None:
            self.log.write(kind, time, subject, data)

    @contextmanager
    def span(self, operation: str) -> Iterator[Any]:
        """A span around an operation, or None without telemetry."""
        if self._telemetry is None:
            yield None
            return
        with self._telemetry.span(operation) as span:
            yield span

    def end(self, span: Any, authorization: Authorization) -> None:
        """Say on a span what was answered."""
        if self._telemetry is not None and span is not None:
            self._telemetry.tell(span, authorization.decision)

    def count_reload(self, result: str) -> None:
        """Count a reload."""
        if self._telemetry is not None:
            self._telemetry.count_reload(result)

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            self.log.close()

    def _write(self, operation: str, call: Call | None, authorization: Authorization, time: str) -> None:
        if self.log is None:
            return
        data = decision_data(operation, call, authorization, self.log.contents)
        try:
            self.log.write(DECISION, time, authorization.decision.capability_id, data)
        except LogError:
            if authorization.decision.outcome is not Outcome.DENY:
                raise

    def _count(self, operation: str, authorization: Authorization) -> None:
        if self._telemetry is None:
            return
        try:
            self._telemetry.count(operation, authorization.decision)
        except Exception as error:  # noqa: BLE001 - a counter decides nothing; its failure is logged
            _LOG.error("a call was not counted", exc_info=error)


def _key(operation: str, call: Call | None, authorization: Authorization) -> tuple[Any, ...] | None:
    """What makes two answers the same; None where the call could not be told from others."""
    if call is None:
        return None
    digest = call.digest
    if digest is None:
        if call.action is None:
            return None
        digest = sha256_hex(call.action)
    decision = authorization.decision
    codes = frozenset((reason.code, reason.rule) for reason in decision.reasons)
    return operation, call.id, digest, decision.outcome, decision.policy_hash, codes
