"""Stage 7: prohibitions, and the separations that concern an action."""

from __future__ import annotations

from policy.decide import reasons
from policy.decide.approvals.requirement import LayeredSeparation
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import Conditions
from policy.decide.plan import Plan
from policy.decide.selectors import judge
from policy.ir import nodes as ir
from policy.model.decision import Reason


def judge_denies(compiled: CompiledPolicy, plan: Plan, conditions: Conditions) -> tuple[Reason, ...]:
    """A denial for every `deny` of every layer that applies, or of which that cannot be told."""
    found = []
    for number, rule in plan.denies.possible(conditions.facts):
        judged = judge(rule.selector.when, rule.selector.unless, conditions)
        if judged.holds is False:
            continue
        layer = compiled.layers[number].layer
        if judged.holds is True:
            found.append(denial(rule, layer))
        elif judged.problem is not None and not judged.unjudged:
            found.append(reasons.unevaluable("deny", rule, layer, judged.problem, f"`{rule.id}` denies this"))
    return tuple(found)


def denial(rule: ir.Deny, layer: str) -> Reason:
    """The reason of a `deny` that applies."""
    return reasons.of_rule("rule.denied", "deny", rule, layer, f"`{rule.id}` denies this")


def separations(
    compiled: CompiledPolicy, plan: Plan, conditions: Conditions
) -> tuple[tuple[LayeredSeparation, ...], tuple[Reason, ...]]:
    """The separations that apply, or of which that cannot be told; a note says why."""
    found: list[LayeredSeparation] = []
    notes: list[Reason] = []
    for number, rule in plan.separations.possible(conditions.facts):
        judged = judge(rule.selector.when, rule.selector.unless, conditions)
        if judged.holds is False or judged.unjudged:
            continue
        layer = compiled.layers[number].layer
        found.append(LayeredSeparation(rule=rule, layer=layer))
        if judged.problem is not None:
            notes.append(reasons.unevaluable("note", rule, layer, judged.problem, "the separation applies"))
    return tuple(found), tuple(notes)
