"""The stages of a decision, in order (language.md section 7). Every stage runs, so reasons are complete."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypedDict

from policy.decide import outcome
from policy.decide.approvals.judge import judge
from policy.decide.authority import AuthorityResolver, fetch_authorities
from policy.decide.brief import decide_briefly
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import Conditions, Record
from policy.decide.digest import request_digest
from policy.decide.exposure import exposure
from policy.decide.facts import Facts, Sources
from policy.decide.gate import judge_capability
from policy.decide.guards import judge_guards
from policy.decide.input import judge_input
from policy.decide.obligations import judge_obligations
from policy.decide.outcome import Verdict
from policy.decide.plan import Plan, PlannedFunctions, plain_plan
from policy.decide.plans import Plans
from policy.decide.reach import judge_reach
from policy.decide.request import Request
from policy.decide.requirements import demands_of_declaration, demands_of_rules, resolve
from policy.decide.risk import Risk, assess, judge_thresholds
from policy.decide.rules import judge_denies, separations
from policy.decide.selectors import Match
from policy.decide.selectors import judge as judge_conditions
from policy.decide.separation import ids_in_attributes, judge_separations
from policy.decide.shape import Clock, ShapedContext, contradictions, refused_capability, shape_action, shape_context
from policy.ir import nodes as ir
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.context import Context
from policy.model.decision import Decision, Reason, RiskAssessment
from policy.source.diagnostic import Diagnostic
from policy.source.limits import Limits
from policy.source.records import dataclass

GivenCapability = AdmittedCapability | Sequence[Diagnostic]
"""What became of the capability: admitted, or why it was not."""

_LOG = logging.getLogger("policy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a decision may ask beside its arguments."""

    clock: Clock | None = None
    """Gives `now` where the context has none."""
    resolver: AuthorityResolver | None = None
    """Gives the authority records; without one those of the context are used."""
    plans: Plans | None = None
    """Gives what of the policy can concern an action; without them every statement is looked at, by the interpreter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The arguments of a decision, as the caller gave them but for the capability's admission."""

    action: object
    capability: GivenCapability
    context: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision and, where its request could be read, what it was made of."""

    decision: Decision
    request: Request | None = None
    riskless: Conditions | None = None
    """The conditions that raises were judged by: they know no risk."""


def decide(
    compiled: CompiledPolicy,
    action: object,
    capability: GivenCapability,
    context: object,
    surroundings: Surroundings | None = None,
) -> Decision:
    """Decide on one action. Pure but for a clock and a resolver; never raises for data.

    Any exception inside is the denial `engine.failure`; KeyboardInterrupt and SystemExit pass.
    """
    surroundings = surroundings or Surroundings()
    plans = surroundings.plans
    if plans is not None and surroundings.resolver is None and type(capability) is AdmittedCapability:

        def again(own_action: Action, own_context: Context) -> Decision:
            return _long_way(compiled, own_action, capability, own_context, surroundings)

        try:
            brief = decide_briefly(compiled, plans, action=action, capability=capability, context=context, again=again)
        except Exception as error:  # noqa: BLE001 - as in `decide_recorded`
            return failed(compiled, error)
        if brief is not None:
            return brief
    return _long_way(compiled, action, capability, context, surroundings)


def _long_way(
    compiled: CompiledPolicy, action: object, capability: GivenCapability, context: object, surroundings: Surroundings
) -> Decision:
    given = Given(action=action, capability=capability, context=context)
    return decide_recorded(compiled, given, surroundings, None).decision


def decide_recorded(
    compiled: CompiledPolicy, given: Given, surroundings: Surroundings, record: Record | None
) -> Decided:
    """The same, with every evaluation kept in a record where one is given."""
    try:
        return _decided(compiled, given, surroundings, record)
    except Exception as error:  # noqa: BLE001 - the one place where a failure becomes a denial, told and logged
        return Decided(decision=failed(compiled, error))


def failed(compiled: CompiledPolicy, error: Exception) -> Decision:
    """The denial of a failure, logged."""
    _LOG.error("a decision failed and was denied", exc_info=error)
    return outcome.failure(compiled, error)


def _decided(compiled: CompiledPolicy, given: Given, surroundings: Surroundings, record: Record | None) -> Decided:
    capability = given.capability
    read = shape_action(given.action, compiled.limits)
    shaped = shape_context(given.context, compiled, surroundings.clock)
    if not isinstance(capability, AdmittedCapability) or isinstance(read, tuple) or isinstance(shaped, tuple):
        return _unread(compiled, read, capability, shaped)
    if shaped.now is None or shaped.invalid:
        return _unread(compiled, read, capability, shaped)
    authorised, failures = _authorities(compiled, shaped, surroundings.resolver)
    contradicting = contradictions(authorised)
    if contradicting:
        return _unread(compiled, read, capability, replace(shaped, invalid=contradicting))
    sources = Sources(
        action=read,
        capability=capability,
        context=authorised,
        now=shaped.now,
        attributes=shaped.attributes,
        declared=compiled.attributes,
    )
    plan = _plan(compiled, surroundings if record is None else None, capability, authorised.route)
    violations = judge_input(capability, read.input)
    valid = not violations
    facts = Facts(sources)
    settings: _Settings = {
        "input_valid": valid,
        "limits": compiled.limits,
        "record": record,
        "functions": plan.functions,
    }
    riskless = Conditions(facts, **settings)
    risk = assess(compiled, capability.declared_risk, plan, riskless)
    request = Request(
        policy=compiled.policy,
        action=read,
        capability=capability,
        context=authorised,
        now=shaped.now,
        digest=request_digest(read, capability, authorised),
        facts=facts,
        conditions=Conditions(facts, risk.levels, **settings),
        authority_failures=failures,
    )
    stages = _Stages(compiled=compiled, request=request, plan=plan, risk=risk, valid=valid)
    verdict = _judged(stages, (*shaped.notes, *violations, *risk.notes))
    return Decided(decision=outcome.assemble(compiled, verdict), request=request, riskless=riskless)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stages:
    """What the first stages found, for the others."""

    compiled: CompiledPolicy
    request: Request
    plan: Plan
    risk: Risk
    valid: bool
    """Whether the input follows its schema."""


class _Settings(TypedDict):
    """How the conditions of a request are judged, whatever the risk."""

    input_valid: bool
    limits: Limits
    record: Record | None
    functions: PlannedFunctions | None


def _plan(
    compiled: CompiledPolicy, surroundings: Surroundings | None, capability: AdmittedCapability, route: str | None
) -> Plan:
    """What of the policy can concern a capability on a route; without surroundings, by reading every statement."""
    if surroundings is None or surroundings.plans is None:
        return plain_plan(compiled.policy, compiled.risks, capability, route)
    return surroundings.plans.of(capability, route)


def _authorities(
    compiled: CompiledPolicy, shaped: ShapedContext, resolver: AuthorityResolver | None
) -> tuple[Context, frozenset[str]]:
    """The context with its authority records, and the ids of those that could not be fetched."""
    if resolver is None:
        return shaped.context, frozenset()
    also = ids_in_attributes(compiled.policy, shaped.attributes)
    fetched = fetch_authorities(resolver, shaped.context, also)
    return fetched.context, fetched.failures


def _judged(stages: _Stages, before: Sequence[Reason]) -> Verdict:
    """Stages 2, 3 and 5 to 8; `before` are the reasons of the others."""
    compiled, request, plan = stages.compiled, stages.request, stages.plan
    action, capability, context, conditions = request.action, request.capability, request.context, request.conditions

    def judge_clause(clause: ir.Clause) -> Match:
        return judge_conditions(clause.when, clause.unless, conditions)

    reach = judge_reach(compiled, capability, context, plan, (judge_clause, judge_clause))
    thresholds = judge_thresholds(compiled, stages.risk, plan, conditions)
    separating, separation_notes = separations(compiled, plan, conditions)
    attached = judge_obligations(compiled, capability, plan, conditions)
    asked, asked_notes = demands_of_rules(compiled, plan, conditions)
    declared = demands_of_declaration(action, capability, input_valid=stages.valid)
    required = resolve(compiled, capability, plan, (*thresholds.demands, *asked, *declared))
    judged = judge(required.requirements, request, separating, compiled.limits)
    return Verdict(
        granted=reach.granted,
        reasons=(
            *before,
            *judge_capability(action, capability),
            *reach.reasons,
            *judge_guards(action, capability, context, request.now),
            *thresholds.reasons,
            *judge_denies(compiled, plan, conditions),
            *separation_notes,
            *judge_separations(separating, request),
            *attached.reasons,
            *asked_notes,
            *required.reasons,
            *(reason for each in judged for reason in each.reasons),
        ),
        approvals=[each.approval for each in judged],
        obligations=attached.granted,
        obligations_on_deny=attached.denied,
        risk=RiskAssessment(
            declared=stages.risk.declared.value,
            effective=stages.risk.high.value,
            raised_by=list(stages.risk.raised_by),
            uncertain=stages.risk.uncertain,
        ),
        action_id=action.id,
        capability_id=capability.id,
        scope=capability.scope,
        route=context.route,
        session=context.session,
        request_digest=request.digest,
        now=request.now,
        audit_sensitive=capability.acc is not None and capability.acc.audit.sensitive,
    )


def _unread(
    compiled: CompiledPolicy,
    action: Action | tuple[Reason, ...] | None,
    capability: GivenCapability,
    context: ShapedContext | tuple[Reason, ...],
) -> Decided:
    """The denial of a failed stage 1, with what could be read."""
    found: list[Reason] = []
    known: dict[str, Any] = {}
    if isinstance(action, tuple):
        found.extend(action)
    elif action is not None:
        known |= {"action_id": action.id, "capability_id": action.capability_id}
    if isinstance(capability, AdmittedCapability):
        sensitive = capability.acc is not None and capability.acc.audit.sensitive
        known |= {"capability_id": capability.id, "scope": capability.scope, "audit_sensitive": sensitive}
    else:
        found.extend(refused_capability(capability))
    if isinstance(context, tuple):
        found.extend(context)
    else:
        found.extend((*context.invalid, *context.notes))
        known |= {"route": context.context.route, "session": context.context.session, "now": context.now}
    verdict = Verdict(reasons=tuple(found), **known)
    return Decided(decision=outcome.assemble(compiled, verdict))


def expose(
    compiled: CompiledPolicy,
    capability: GivenCapability,
    context: object,
    surroundings: Surroundings | None = None,
) -> Decision:
    """Whether a capability may be shown, as a decision about reach alone. Never raises for data."""
    try:
        surroundings = surroundings or Surroundings()
        shaped = shape_context(context, compiled, surroundings.clock)
        if not isinstance(capability, AdmittedCapability) or isinstance(shaped, tuple):
            return _unread(compiled, None, capability, shaped).decision
        if shaped.now is None or shaped.invalid:
            return _unread(compiled, None, capability, shaped).decision
        return outcome.assemble(
            compiled,
            exposure(
                compiled,
                _plan(compiled, surroundings, capability, shaped.context.route),
                capability,
                shaped,
                shaped.now,
            ),
        )
    except Exception as error:  # noqa: BLE001 - as in `decide_recorded`
        return failed(compiled, error)
