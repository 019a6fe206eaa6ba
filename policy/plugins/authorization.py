"""What an authorizer answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from policy.model.decision import Decision, Outcome
from policy.render.escape import printable
from policy.source.codes import CODES

_TOLD = 5
"""Reasons that a message tells."""
_LEADS = {
    Outcome.ALLOW: "allowed",
    Outcome.REQUIRE_APPROVAL: "waiting for approval",
    Outcome.DENY: "denied",
}
_EFFECTS = {Outcome.REQUIRE_APPROVAL: "require-approval", Outcome.DENY: "deny"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorization:
    """The answer to one call."""

    decision: Decision
    """The engine's, unchanged; a denial in its form where something failed."""
    handle: str | None
    """The approval request that was opened for it, where it waits for approval and there is a store."""
    call: str
    """The id of the call it answers: the action's, else the request digest."""

    @property
    def allowed(self) -> bool:
        """Whether the action may run now."""
        return self.decision.outcome is Outcome.ALLOW

    @property
    def pending(self) -> bool:
        """Whether people must approve first."""
        return self.decision.outcome is Outcome.REQUIRE_APPROVAL

    @property
    def message(self) -> str:
        """Outcome and plain reasons on one line, safe for a model: no people, no rule text, no values of the input."""
        outcome = self.decision.outcome
        effect = _EFFECTS.get(outcome)
        codes = dict.fromkeys(reason.code for reason in self.decision.reasons if reason.effect == effect)
        told = [_plain(code) for code in codes]
        if len(told) > _TOLD:
            told = [*told[:_TOLD], f"and {len(told) - _TOLD:,} more"]
        return printable(": ".join((_LEADS[outcome], "; ".join(told))) if told else _LEADS[outcome])

    def to_payload(self) -> dict[str, Any]:
        """The answer as JSON for a model: `outcome`, `message`, `handle`."""
        return {"outcome": self.decision.outcome.value, "message": self.message, "handle": self.handle}


def _plain(code: str) -> str:
    known = CODES.get(code)
    return f"{known.summary} ({code})" if known is not None else code
