"""Assembling a decision: the strictest result counts, reasons in a fixed order, without a grant a denial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from policy.decide import reasons
from policy.decide.compiled import CompiledPolicy
from policy.model.decision import Approval, Decision, Obligation, Outcome, Reason, RiskAssessment
from policy.source.records import dataclass
from policy.types.instants import format_timestamp
from policy.types.values import Timestamp

UNKNOWN_RISK = RiskAssessment(declared=None, effective=None)
"""The risk of a capability that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Everything that the stages found; what a decision does not know stays as it is here."""

    reasons: Sequence[Reason]
    granted: bool = False
    approvals: Sequence[Approval] = ()
    obligations: Sequence[Obligation] = ()
    """Those of an allow or a require-approval."""
    obligations_on_deny: Sequence[Obligation] = ()
    risk: RiskAssessment = UNKNOWN_RISK
    action_id: str | None = None
    capability_id: str | None = None
    scope: str | None = None
    route: str | None = None
    session: str | None = None
    request_digest: str | None = None
    now: Timestamp | None = None
    audit_sensitive: bool = False


def assemble(compiled: CompiledPolicy, verdict: Verdict) -> Decision:
    """The decision that a verdict means."""
    outcome = _outcome(verdict)
    if outcome is Outcome.DENY and not any(reason.effect == "deny" for reason in verdict.reasons):
        message = "nothing grants this and no stage says why; nothing is allowed on a failure"
        verdict = replace(verdict, reasons=(*verdict.reasons, reasons.deny("engine.failure", message)))
    ordered = reasons.in_order(verdict.reasons, compiled.layer_names)
    bound = compiled.limits.reasons
    denied = outcome is Outcome.DENY
    return Decision(
        outcome=outcome,
        action_id=verdict.action_id,
        capability_id=verdict.capability_id,
        scope=verdict.scope,
        route=verdict.route,
        session=verdict.session,
        reasons=ordered[:bound],
        reasons_omitted=max(0, len(ordered) - bound),
        approvals=list(verdict.approvals),
        obligations=list(verdict.obligations_on_deny if denied else verdict.obligations),
        risk=verdict.risk,
        request_digest=verdict.request_digest,
        policy_hash=compiled.policy.hash,
        policy_version=compiled.policy.version,
        evaluated_at=None if verdict.now is None else format_timestamp(verdict.now),
        audit_sensitive=verdict.audit_sensitive,
    )


def failure(compiled: CompiledPolicy, error: Exception) -> Decision:
    """The denial that any exception inside the engine gives."""
    message = f"the engine or something it calls failed (`{type(error).__name__}`); nothing is allowed on a failure"
    return assemble(compiled, Verdict(reasons=(reasons.deny("engine.failure", message),)))


def _outcome(verdict: Verdict) -> Outcome:
    if not verdict.granted or any(reason.effect == "deny" for reason in verdict.reasons):
        return Outcome.DENY
    states = {approval.state for approval in verdict.approvals}
    if not states <= {"satisfied", "pending"}:
        return Outcome.DENY
    if "pending" in states or _asks(verdict.reasons):
        return Outcome.REQUIRE_APPROVAL
    return Outcome.ALLOW


def _asks(found: Iterable[Reason]) -> bool:
    return any(reason.effect == "require-approval" for reason in found)
