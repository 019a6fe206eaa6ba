"""Denials that the engine did not give, in the engine's own form."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from policy.decide import reasons
from policy.decide.outcome import Verdict, assemble
from policy.engine import Engine
from policy.model.decision import Decision
from policy.types.instants import parse_timestamp

_LOG = logging.getLogger("policy")


def deny(
    engine: Engine,
    code: str,
    message: str,
    decision: Decision | None = None,
    facts: Mapping[str, Any] = MappingProxyType({}),
) -> Decision:
    """A denial with one more reason. Of a decision it keeps everything, else the facts: members of `Verdict`."""
    reason = reasons.deny(code, message)
    if decision is None:
        return assemble(engine.compiled, Verdict(reasons=(reason,), **facts))
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


def failed(
    engine: Engine,
    code: str,
    message: str,
    error: Exception,
    *,
    decision: Decision | None = None,
    facts: Mapping[str, Any] = MappingProxyType({}),
) -> Decision:
    """The denial of a failure, logged. The message names the kind of failure, never what it says."""
    _LOG.error("%s: a call was denied", code, exc_info=error)
    told = f"{message} (`{type(error).__name__}`); nothing is allowed on a failure"
    return deny(engine, code, told, decision, facts)
