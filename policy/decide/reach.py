"""Stage 3: which capabilities may be used on which route. Reach is the intersection of the layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from policy.decide import reasons
from policy.decide.compiled import CompiledPolicy
from policy.decide.plan import Plan
from policy.decide.selectors import Match, Target
from policy.ir import nodes as ir
from policy.model.admitted import AdmittedCapability
from policy.model.context import Context
from policy.model.decision import Reason
from policy.model.mistakes import quoted
from policy.source.records import dataclass

GRANTED = "allowed"
"""What a clause that grants says."""
PROHIBITED = "denied on this route"
"""What a clause that denies says."""

JudgeClause = Callable[[ir.Clause], Match]
"""Whether the `when` and `unless` of a clause hold, for this request or for what is known of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Whether every layer grants, and why or why not."""

    granted: bool
    reasons: tuple[Reason, ...]


def judge_reach(
    compiled: CompiledPolicy,
    capability: AdmittedCapability,
    context: Context,
    plan: Plan,
    judges: tuple[JudgeClause, JudgeClause],
) -> Reach:
    """Judge the clauses of every layer; `judges` are that of `allow` clauses and that of `deny` clauses."""
    found = list(_preconditions(capability, context))
    route = context.route
    declared = route is not None and route in compiled.layers[0].routes
    if not declared:
        found.append(_unknown_route(route))
    granted = declared and not found
    for layer, clauses in zip(compiled.layers, plan.clauses, strict=True):
        if declared and route in layer.routes:
            allowed, why = _allowed(layer, plan, clauses, judges[0])
            granted = granted and allowed
            found.extend(why)
        found.extend(_denied(layer, plan, clauses, judges[1]))
    return Reach(granted=granted and not any(each.effect == "deny" for each in found), reasons=tuple(found))


def _preconditions(capability: AdmittedCapability, context: Context) -> Iterator[Reason]:
    if capability.subject_required and context.subject is None:
        yield reasons.deny("subject.required", "the declaration asks for a subject and the runtime states none")
    if not capability.scope_wellformed:
        shown = quoted(capability.id if capability.scope is None else capability.scope)
        message = f"{shown} has an empty segment, white space or another character that no pattern has"
        yield reasons.deny("scope.malformed", message)


def _unknown_route(route: str | None) -> Reason:
    if route is None:
        return reasons.deny("route.unknown", "the runtime states no route")
    return reasons.deny("route.unknown", f"no policy declares the route {quoted(route)}")


def _allowed(
    layer: ir.Program, plan: Plan, clauses: Sequence[ir.Clause], judge: JudgeClause
) -> tuple[bool, list[Reason]]:
    """Whether an `allow` of the layer grants, with those that do, else with why none does."""
    target = plan.target
    covering = [clause for clause in clauses if clause.effect == "allow"]
    judged = [(clause, judge(clause)) for clause in covering]
    granting = [
        clause_reason("scope.allowed", "allow", clause, (layer, target), GRANTED)
        for clause, match in judged
        if match.holds is True
    ]
    if granting:
        return True, granting
    told = [(clause, match) for clause, match in judged if not match.unjudged]
    return False, ungranted(layer, target, told) if told or not covering else []


def ungranted(layer: ir.Program, target: Target, judged: Sequence[tuple[ir.Clause, Match]]) -> list[Reason]:
    """Why a layer does not grant, from the clauses that cover the action; each of them was judged and does not hold."""
    if judged:
        return [_not_granting(clause, match, layer, target) for clause, match in judged]
    shown = quoted(target.capability_id if target.scope is None else target.scope)
    message = f"no `allow` of the route {quoted(target.route)} covers {shown}"
    return [Reason(code="scope.not_allowed", effect="deny", rule=target.route, message=message, layer=layer.layer)]


def _not_granting(clause: ir.Clause, match: Match, layer: ir.Program, target: Target) -> Reason:
    if match.holds is False:
        message = "allowed only under a condition that does not hold"
        return clause_reason("scope.condition_false", "deny", clause, (layer, target), message)
    why = "has no answer" if match.problem is None else f"has no answer: {reasons.told(match.problem)}"
    message = f"allowed only under a condition that {why}"
    return clause_reason("scope.condition_unevaluable", "deny", clause, (layer, target), message)


def _denied(layer: ir.Program, plan: Plan, clauses: Sequence[ir.Clause], judge: JudgeClause) -> Iterator[Reason]:
    for clause in clauses:
        if clause.effect != "deny":
            continue
        match = judge(clause)
        if match.holds is False or match.unjudged:
            continue
        message = PROHIBITED
        if match.problem is not None:
            message = f"{reasons.told(match.problem)}, so the denial applies"
        yield clause_reason("scope.denied", "deny", clause, (layer, plan.target), message)


def clause_reason(
    code: str,
    effect: Literal["allow", "deny"],
    clause: ir.Clause,
    on: tuple[ir.Program, Target],
    message: str,
) -> Reason:
    """A reason that a clause gives on a route."""
    layer, target = on
    shown = f"{clause.effect} {', '.join(pattern.text for pattern in clause.patterns[:3])}"
    if len(clause.patterns) > 3:
        shown += ", …"
    text = f"`{shown}`: {message}" if clause.because is None else f"`{shown}`: {message}: {clause.because}"
    return Reason(
        code=code,
        effect=effect,
        rule=target.route,
        message=text,
        location=clause.span.location,
        layer=layer.layer,
    )
