"""Decisions by the short way: plain requests, judged at once, told when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from policy.decide import reasons
from policy.decide.compiled import CompiledPolicy
from policy.decide.digest import request_digest
from policy.decide.facts import Facts, Sources
from policy.decide.guards import judge_guards
from policy.decide.obligations import judge_obligations
from policy.decide.people import PEOPLE_KINDS
from policy.decide.plain import plain_action, plain_attributes, plain_context
from policy.decide.plans import Plans
from policy.decide.short import Outline, ShortPlan, UnusualError, outline, told
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.clean import UncleanError
from policy.model.context import Context
from policy.model.decision import Decision, Outcome, Reason, RiskAssessment
from policy.types.instants import format_timestamp, parse_timestamp

Again = Callable[[Action, Context], Decision]
"""The long way, for a request that was read."""


def decide_briefly(
    compiled: CompiledPolicy,
    plans: Plans,
    *,
    action: object,
    capability: AdmittedCapability,
    context: object,
    again: Again,
) -> Decision | None:
    """The decision on a plain request; None where only the long way can judge it."""
    try:
        read = plain_action(action, compiled.limits)
        stated = plain_context(context, compiled)
        short = plans.short(capability, stated.route)
        if short is None or not _usual(short, read, capability, stated):
            return None
        if capability.input_schema.violations(read.input):
            return None
        attributes = plain_attributes(stated, plans.readers)
        sources = Sources(
            action=read,
            capability=capability,
            context=stated,
            now=None,
            attributes=attributes,
            declared=compiled.attributes,
        )
        found = outline(compiled, short, capability, read, Facts(sources))
        if found.asks and _hindered(stated, found):
            return None
    except (UncleanError, UnusualError):
        return None
    known: dict[str, Any] = {
        "outcome": Outcome.DENY if found.denied else Outcome.REQUIRE_APPROVAL if found.asks else Outcome.ALLOW,
        "action_id": read.id,
        "capability_id": capability.id,
        "scope": capability.scope,
        "route": stated.route,
        "session": stated.session,
    }
    rest = _Rest(compiled, short, capability, read, stated, found, again)
    return Decision.deferred(known, rest.member)


def _usual(short: ShortPlan, action: Action, capability: AdmittedCapability, context: Context) -> bool:
    """Whether stages 1, 2, 5 and what of stage 3 depends on no clause have nothing to say."""
    if not short.usual or context.now is None or action.capability_id != capability.id:
        return False
    if short.subject_required and context.subject is None:
        return False
    if short.guarded or context.credential is not None or action.transaction is not None:
        now = parse_timestamp(context.now)
        return now is not None and not judge_guards(action, capability, context, now)
    return True


def _hindered(context: Context, found: Outline) -> bool:
    """Whether it may be that no approval can count, which the reasons say then: only the long way tells."""
    parties = (context.requester, context.operator, context.subject)
    if context.used_votes is None or context.delegation is None or found.separated:
        return True
    return any(party is None or (party.kind in PEOPLE_KINDS and party.person_id is None) for party in parties)


class _Rest(NamedTuple):
    """What a decision tells beyond its outcome."""

    compiled: CompiledPolicy
    short: ShortPlan
    capability: AdmittedCapability
    action: Action
    context: Context
    found: Outline
    again: Again

    def member(self, name: str) -> Any:
        """A member of the decision, by its name."""
        compiled, found = self.compiled, self.found
        match name:
            case "reasons":
                return self._reasons()[: compiled.limits.reasons]
            case "reasons_omitted":
                return max(0, len(self._reasons()) - compiled.limits.reasons)
            case "approvals":
                return list(self.again(self.action, self.context).approvals) if found.asks else []
            case "obligations":
                attached = found.attached or judge_obligations(compiled, self.capability, self.short.plan, None)
                return list(attached.denied if found.denied else attached.granted)
            case "risk":
                declared, raised_by = self.capability.declared_risk.value, list(found.raised_by)
                effective = found.level.value
                return RiskAssessment(declared=declared, effective=effective, raised_by=raised_by, uncertain=False)
            case "request_digest":
                return request_digest(self.action, self.capability, self.context)
            case "policy_hash":
                return compiled.policy.hash
            case "policy_version":
                return compiled.policy.version
            case "evaluated_at":
                now = None if self.context.now is None else parse_timestamp(self.context.now)
                return None if now is None else format_timestamp(now)
            case "audit_sensitive":
                return self.short.audit_sensitive
            case _:
                raise KeyError(name)

    def _reasons(self) -> list[Reason]:
        return reasons.in_order(told(self.compiled, self.short, self.found), self.compiled.layer_names)
