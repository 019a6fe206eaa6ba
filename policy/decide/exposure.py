"""Exposure: whether a capability may be shown at all (language.md section 7).

Only reach and prohibitions are asked. What depends on the action is unknown: an `allow` that may hold shows the
capability, a denial hides it only where it surely holds. If `decide` does not deny for some action, exposure shows.
"""

from __future__ import annotations

from policy.backend.abstract import Possible, possible
from policy.backend.emit.support import Facts as FactTable
from policy.backend.problems import name_of
from policy.decide import reasons
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import Conditions
from policy.decide.facts import ACTION_ROOTS, Facts, Sources
from policy.decide.gate import judge_capability
from policy.decide.outcome import Verdict
from policy.decide.plan import Plan
from policy.decide.reach import judge_reach
from policy.decide.selectors import NO, YES, Match, judge
from policy.decide.shape import ShapedContext
from policy.ir import nodes as ir
from policy.ir.reads import roots
from policy.model.admitted import AdmittedCapability
from policy.model.decision import Reason, RiskAssessment
from policy.source.limits import Limits
from policy.source.records import dataclass
from policy.types.values import RiskLevel, Timestamp, Unevaluable

_TRUE: Possible = frozenset({True})
_FALSE: Possible = frozenset({False})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known without an action."""

    facts: dict[str, object]
    unknown: frozenset[str]
    limits: Limits

    def possible(self, when: ir.Expression | None, unless: ir.Expression | None) -> Possible:
        """The values that the conjunction of `when` and not `unless` may have."""
        wanted = _TRUE if when is None else possible(when, self.facts, self.unknown, self.limits)
        excepted = _FALSE if unless is None else possible(unless, self.facts, self.unknown, self.limits)
        return frozenset(_both(one, other) for one in wanted for other in excepted)

    def granting(self, when: ir.Expression | None, unless: ir.Expression | None) -> Match:
        """Whether an `allow` holds for some action."""
        values = self.possible(when, unless)
        if True in values:
            return YES
        return Match(None, self._problem(when, unless)) if None in values else NO

    def denying(self, when: ir.Expression | None, unless: ir.Expression | None) -> Match:
        """Whether a denial applies to every action: it does where it is false for none."""
        values = self.possible(when, unless)
        if False in values:
            return NO
        return YES if values == _TRUE else Match(None, self._problem(when, unless))

    def _problem(self, when: ir.Expression | None, unless: ir.Expression | None) -> Unevaluable:
        """Why there is no answer: told exactly where nothing unknown is read."""
        parts = [part for part in (when, unless) if part is not None]
        if all(self.unknown.isdisjoint(roots(part)) for part in parts):
            found = judge(when, unless, Conditions(FactTable(self.facts), limits=self.limits)).problem
            if found is not None:
                return found
        return Unevaluable(" and ".join(name_of(part) for part in parts), "has no answer for any action")


def exposure(
    compiled: CompiledPolicy, plan: Plan, capability: AdmittedCapability, shaped: ShapedContext, now: Timestamp
) -> Verdict:
    """The verdict on stages 2 and 3 and on `deny`, for any action of the capability."""
    sources = Sources(
        action=None,
        capability=capability,
        context=shaped.context,
        now=now,
        attributes=shaped.attributes,
        declared=compiled.attributes,
    )
    known, declared_stands = _known(compiled, sources, plan)
    reach = judge_reach(
        compiled,
        capability,
        shaped.context,
        plan,
        (
            lambda clause: known.granting(clause.when, clause.unless),
            lambda clause: known.denying(clause.when, clause.unless),
        ),
    )
    return Verdict(
        granted=reach.granted,
        reasons=(
            *shaped.notes,
            *judge_capability(None, capability),
            *reach.reasons,
            *_denies(compiled, plan, known),
        ),
        risk=RiskAssessment(
            declared=capability.declared_risk.value,
            effective=capability.declared_risk.value,
            uncertain=not declared_stands,
        ),
        capability_id=capability.id,
        scope=capability.scope,
        route=shaped.context.route,
        session=shaped.context.session,
        now=now,
        audit_sensitive=capability.acc is not None and capability.acc.audit.sensitive,
    )


def _known(compiled: CompiledPolicy, sources: Sources, plan: Plan) -> tuple[_Known, bool]:
    """What is known without an action, and whether the risk is: it is where no raise can lift it."""
    known = _Known(facts=Facts(sources).stated(), unknown=ACTION_ROOTS, limits=compiled.limits)
    declared = sources.capability.declared_risk
    if any(_may_raise(rule, declared, known) for _, rule in plan.raises.possible(known.facts)):
        return _Known(facts=known.facts, unknown=ACTION_ROOTS | {"risk"}, limits=compiled.limits), False
    return _Known(facts={**known.facts, "risk": declared}, unknown=ACTION_ROOTS, limits=compiled.limits), True


def _may_raise(rule: ir.Raise, declared: RiskLevel, known: _Known) -> bool:
    if known.possible(rule.selector.when, rule.selector.unless) <= _FALSE:
        return False
    return any(step.level > declared and not known.possible(step.when, None) <= _FALSE for step in rule.steps)


def _denies(compiled: CompiledPolicy, plan: Plan, known: _Known) -> list[Reason]:
    found = []
    for number, rule in plan.denies.possible(known.facts):
        judged = known.denying(rule.selector.when, rule.selector.unless)
        layer = compiled.layers[number].layer
        if judged.holds is True:
            found.append(reasons.of_rule("rule.denied", "deny", rule, layer, f"`{rule.id}` denies this"))
        elif judged.problem is not None:
            found.append(reasons.unevaluable("deny", rule, layer, judged.problem, f"`{rule.id}` denies this"))
    return found


def _both(wanted: bool | None, excepted: bool | None) -> bool | None:
    """Kleene's `wanted and not excepted`."""
    if wanted is False or excepted is True:
        return False
    return None if wanted is None or excepted is None else True
