"""Stage 6: how risky an action is, and what the thresholds make of it (language.md section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policy.decide import reasons
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import UNJUDGED, Conditions
from policy.decide.demands import Demand, Kind
from policy.decide.plan import Plan
from policy.decide.selectors import NO, Match, judge
from policy.ir import nodes as ir
from policy.model.decision import Reason
from policy.source.records import dataclass
from policy.types.values import RiskLevel, Unevaluable

BUILT_IN_UNATTENDED = RiskLevel.MEDIUM
"""What runs unattended where no statement of the outermost layer certainly matches."""

_KINDS: dict[str, Kind] = {"named": "named", "default": "default", "contract": "contract"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The levels that are possible: `low` without the uncertain raises, `high` with them."""

    declared: RiskLevel
    low: RiskLevel
    high: RiskLevel
    raised_by: tuple[str, ...]
    """Ids of the rules that raise it above the declared level, or may."""
    notes: tuple[Reason, ...]

    @property
    def levels(self) -> tuple[RiskLevel, ...]:
        """Every level from `low` to `high`."""
        return tuple(level for level in RiskLevel if self.low <= level <= self.high)

    @property
    def uncertain(self) -> bool:
        """Whether more than one level is possible."""
        return self.low != self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What the thresholds make of the risk: denials and notes, and what is asked of approvers."""

    reasons: tuple[Reason, ...]
    demands: tuple[Demand, ...]


def assess(compiled: CompiledPolicy, declared: RiskLevel, plan: Plan, conditions: Conditions) -> Risk:
    """Apply every raise of every layer. `conditions` know no risk: a raise cannot read it."""
    low = high = declared
    raised_by: set[str] = set()
    notes: list[Reason] = []
    for number, rule in plan.raises.possible(conditions.facts):
        certain, possible, problem = _raised(rule, conditions)
        low, high = max(low, certain or low), max(high, possible or high)
        if possible is not None and possible > declared:
            raised_by.add(rule.id)
        if problem is not None and problem is not UNJUDGED:
            layer = compiled.layers[number].layer
            notes.append(reasons.unevaluable("note", rule, layer, problem, "the risk may be raised"))
    return Risk(declared=declared, low=low, high=high, raised_by=tuple(sorted(raised_by)), notes=tuple(notes))


def judge_thresholds(compiled: CompiledPolicy, risk: Risk, plan: Plan, conditions: Conditions) -> Thresholds:
    """Judge the risk by every statement that counts, at every possible level; all results count together."""
    found: list[Reason] = []
    demands: list[Demand] = []
    for index, layer in enumerate(compiled.layers):
        matches = matching(plan.risks[index], conditions)
        certain = [rule for rule in plan.risks[index] if matches[rule.id].holds is True]
        overridden = {each for rule in certain for each in rule.overrides}
        for rule in plan.risks[index]:
            judged = matches[rule.id]
            if judged.holds is False or rule.id in overridden:
                continue
            if judged.problem is not None and not judged.unjudged:
                consequence = "its thresholds count and override nothing"
                found.append(reasons.unevaluable("note", rule, layer.layer, judged.problem, consequence))
            for outcome in _judged(rule, index, layer.layer, risk):
                if isinstance(outcome, Reason):
                    found.append(outcome)
                else:
                    demands.append(outcome)
        if index == 0 and not certain and risk.high > BUILT_IN_UNATTENDED:
            demands.append(_built_in(risk))
    return Thresholds(reasons=tuple(found), demands=tuple(demands))


def matching(ordered: Sequence[ir.Risk], conditions: Conditions) -> dict[str, Match]:
    """Whether each statement that can concern the action matches, given those it overrides before it.

    A statement with `overrides` matches only where something it overrides matches: Kleene's conjunction of both.
    """
    found: dict[str, Match] = {}
    for rule in ordered:
        own = judge(rule.selector.when, rule.selector.unless, conditions)
        if rule.overrides and own.holds is not False:
            below = [found.get(each, NO) for each in rule.overrides]
            if all(each.holds is False for each in below):
                own = Match(False)
            elif own.holds is True and not any(each.holds is True for each in below):
                own = Match(None)
        found[rule.id] = own
    return found


def _raised(rule: ir.Raise, conditions: Conditions) -> tuple[RiskLevel | None, RiskLevel | None, Unevaluable | None]:
    """The highest level that a rule surely raises to, the highest it may raise to, and why it is not sure."""
    own = judge(rule.selector.when, rule.selector.unless, conditions)
    if own.holds is False:
        return None, None, None
    certain: list[RiskLevel] = []
    possible: list[RiskLevel] = []
    problem = own.problem
    for step in rule.steps:
        answer = True if step.when is None else conditions.condition(step.when)
        if answer is False:
            continue
        possible.append(step.level)
        if isinstance(answer, Unevaluable):
            problem = problem or answer
        elif own.holds is True and not rule.reads_claims:
            certain.append(step.level)
    if not possible:
        return None, None, None
    return max(certain, default=None), max(possible), problem


def _judged(rule: ir.Risk, index: int, layer: str, risk: Risk) -> Iterator[Reason | Demand]:
    """What one statement makes of every possible level: each tier once, and the ceiling once."""
    named: set[ir.Tier] = set()
    for level in reversed(risk.levels):
        if rule.unattended is not None and level <= rule.unattended:
            break
        tier = next((tier for tier in rule.tiers if level <= tier.level), None)
        if tier is None:
            if level is risk.high:
                message = f"the risk {_told(risk, level)}, above all that `{rule.id}` lets through, whoever approves"
                yield reasons.of_rule("risk.above_ceiling", "deny", rule, layer, message)
        elif tier not in named:
            named.add(tier)
            message = f"the risk {_told(risk, level)}; `{rule.id}` asks for an approval"
            yield Demand(
                kind=_KINDS[tier.kind],
                layer=index,
                approval=tier.approval,
                reason=reasons.of_rule("risk.requires_approval", "require-approval", rule, layer, message),
            )


def _built_in(risk: Risk) -> Demand:
    above = f"what is above `{BUILT_IN_UNATTENDED.value}` needs an approval, whatever a `require` asks for"
    message = f"the risk {_told(risk, risk.high)}; {above}"
    reason = Reason(code="risk.requires_approval", effect="require-approval", message=message)
    return Demand(kind="default_or_contract", layer=None, approval=None, reason=reason)


def _told(risk: Risk, level: RiskLevel) -> str:
    return f"may be `{level.value}`" if risk.uncertain else f"is `{level.value}`"
