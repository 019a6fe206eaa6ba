"""Denials that the engine did not give, in the engine's own form."""

from __future__ import annotations

import logging

from policy.decide import reasons
from policy.decide.outcome import Verdict, assemble
from policy.engine import Engine
from policy.model.decision import Decision
from policy.types.instants import parse_timestamp

_LOG = logging.getLogger("policy")


def deny(engine: Engine, code: str, message: str, decision: Decision | None = None) -> Decision:
    """A denial with one more reason; of a decision it keeps everything that can be joined, and its reasons."""
    reason = reasons.deny(code, message)
    if decision is None:
        return assemble(engine.compiled, Verdict(reasons=(reason,)))
    verdict = Verdict(
        reasons=(*decision.reasons, reason),
        approvals=decision.approvals,
        obligations_on_deny=decision.obligations,
        risk=decision.risk,
        action_id=decision.action_id,
        capability_id=decision.capability_id,
        scope=decision.scope,
        route=decision.route,
        session=decision.session,
        request_digest=decision.request_digest,
        now=None if decision.evaluated_at is None else parse_timestamp(decision.evaluated_at),
        audit_sensitive=decision.audit_sensitive,
    )
    return assemble(engine.compiled, verdict)


def failed(engine: Engine, code: str, message: str, error: Exception, decision: Decision | None = None) -> Decision:
    """The denial of a failure, logged. The message names the kind of failure, never what it says."""
    _LOG.error("%s: a call was denied", code, exc_info=error)
    return deny(engine, code, f"{message} (`{type(error).__name__}`); nothing is allowed on a failure", decision)
