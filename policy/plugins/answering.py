"""Answering a call: decided, told, and whatever fails on the way a denial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from policy.model.decision import Decision
from policy.plugins.approvals.desk import Answer, Check
from policy.plugins.authorization import Authorization
from policy.plugins.call import UNREADABLE, Call, Reader
from policy.plugins.denials import failed
from policy.plugins.effects import Effects
from policy.plugins.loaded import Loaded
from policy.plugins.problems import HistoryError, LogError, StoreError

Judge = Callable[[Call, Check], Answer]
"""Decides on a call; tells the check of the answer before it takes effect."""

_FAILURES: tuple[tuple[type[Exception], str, str], ...] = (
    (StoreError, "approval.store_unavailable", "the store of approvals failed"),
    (HistoryError, "history.unavailable", "the history could not be read"),
    (LogError, "log.unavailable", "the decision could not be logged"),
    (Exception, "authorizer.failed", "something that the authorizer needs failed"),
)
"""What failed, the code of the denial, and its words; the first that fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Turns calls into authorizations. Never raises but for KeyboardInterrupt and the like."""

    reader: Reader
    effects: Effects

    def answer(self, operation: str, current: Loaded, given: tuple[Any, Any, Any], judge: Judge) -> Authorization:
        """The answer to (action, capability, context), by one policy throughout."""
        attempt = _Attempt(operation=operation, current=current, effects=self.effects, reader=self.reader)
        try:
            with self.effects.span(operation) as span:
                authorization = attempt.run(given, judge)
                self.effects.end(span, authorization)
                return authorization
        except Exception as error:  # noqa: BLE001 - whatever fails around a decision is a denial, told and logged
            return attempt.authorization(Answer(decision=attempt.failure(error)))


@dataclass(slots=True, kw_only=True)
class _Attempt:
    """One call on its way."""

    operation: str
    current: Loaded
    effects: Effects
    reader: Reader
    call: Call | None = None
    told: Decision | None = None
    """The decision that was about to take effect."""

    def run(self, given: tuple[Any, Any, Any], judge: Judge) -> Authorization:
        try:
            self.call = self.reader.read(self.current, *given)
            answered = judge(self.call, self.check)
        except Exception as error:  # noqa: BLE001 - whatever fails around a decision is a denial, told and logged
            answered = Answer(decision=self.failure(error))
            self.check(answered)
        return self.authorization(answered)

    def check(self, answered: Answer) -> None:
        self.told = answered.decision
        self.effects.tell(self.operation, self.call, self.authorization(answered), self.reader.now())

    def authorization(self, answered: Answer) -> Authorization:
        name = UNREADABLE if self.call is None else self.call.id
        return Authorization(decision=answered.decision, handle=answered.handle, call=name)

    def failure(self, error: Exception) -> Decision:
        code, message = next((code, message) for kind, code, message in _FAILURES if isinstance(error, kind))
        facts = {} if self.call is None else self.call.facts
        return failed(self.current.engine, code, message, error, decision=self.told, facts=facts)
