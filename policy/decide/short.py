"""The short way to a decision: the same stages, asked only where they have something to judge.

Most decisions are plain: the request is well-formed, every condition has an answer, the risk is certain, nobody voted
yet. Then each stage is a few look-ups in what the plan of the capability fixed, and every reason is a static record.
Wherever anything is out of the ordinary this way gives up (`UnusualError`) and the long way of `policy.decide.engine`
decides, with the same arguments. So this module holds no rule of its own, only the proof that a stage has nothing to
say that is not known already: it never denies for a fault it found itself, and never allows past one.

What a decision shows beyond its outcome is put together when it is read, from records and copies nobody else holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from policy.backend.emit.support import UNANSWERED, Facts, Function
from policy.backend.index import Arranged
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import Conditions
from policy.decide.demands import Demand
from policy.decide.gate import judge_capability
from policy.decide.obligations import Attached, judge_obligations
from policy.decide.plan import Placed, Plan, R
from policy.decide.reach import GRANTED, PROHIBITED, clause_reason
from policy.decide.requirements import asked_of, demand_of_rule, demands_of_declaration
from policy.decide.risk import Risk, Thresholds, judge_thresholds
from policy.decide.rules import denial
from policy.ir import nodes as ir
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.decision import Reason
from policy.types.values import RiskLevel


class UnusualError(Exception):
    """Something that only the long way can judge or tell."""


class Judged:
    """A statement with its conditions as functions, and what comes of it where it applies."""

    __slots__ = ("_functions", "_plan", "_selector", "layer", "statement")

    def __init__(self, plan: Plan, layer: int, statement: ir.Clause | ir.Rule) -> None:
        self.layer = layer
        self.statement = statement
        self._plan = plan
        self._selector = statement if isinstance(statement, ir.Clause) else statement.selector
        self._functions: tuple[Function | None, Function | None] | None = None

    def holds(self, facts: Facts) -> bool:
        """Whether it applies; raises UnusualError where a condition has no plain answer."""
        functions = self._functions
        if functions is None:
            selector = self._selector
            functions = self._functions = (
                function_of(self._plan, selector.when, neutral=True),
                function_of(self._plan, selector.unless, neutral=False),
            )
        when, unless = functions
        if when is not None:
            wanted = when(facts)
            if wanted is not True:
                if wanted is False:
                    return False
                raise UnusualError
        if unless is not None:
            excepted = unless(facts)
            if excepted is not False:
                if excepted is True:
                    return False
                raise UnusualError
        return True


def function_of(plan: Plan, condition: ir.Expression | None, *, neutral: bool) -> Function | None:
    """The function of a condition; None where it is not written or is known to have the neutral answer."""
    if condition is None or (isinstance(condition, ir.Constant) and condition.value is neutral):
        return None
    return (None if plan.functions is None else plan.functions.of(condition)) or _unanswered


def _unanswered(_facts: Facts) -> object:
    return UNANSWERED


class ShortPlan:
    """What of a plan the short way needs, arranged for it. Made once; what it remembers depends on the plan alone."""

    __slots__ = (
        "allows",
        "asks",
        "audit_sensitive",
        "denies",
        "guarded",
        "obligations",
        "plan",
        "prohibits",
        "raises",
        "requires",
        "separations",
        "steady_risks",
        "subject_required",
        "thresholds",
        "usual",
    )

    def __init__(self, compiled: CompiledPolicy, plan: Plan, capability: AdmittedCapability) -> None:
        route = plan.target.route
        self.plan = plan
        declared = route is not None and route in compiled.layers[0].routes
        self.usual = declared and capability.scope_wellformed and not judge_capability(None, capability)
        """Whether the route is known and the capability callable: anything else is told by the long way."""
        self.subject_required = capability.subject_required
        self.audit_sensitive = capability.acc is not None and capability.acc.audit.sensitive
        self.guarded = capability.contract is not None
        self.allows = [
            [Judged(plan, number, clause) for clause in clauses if clause.effect == "allow"]
            for number, (layer, clauses) in enumerate(zip(compiled.layers, plan.clauses, strict=True))
            if route in layer.routes
        ]
        """The `allow` clauses of each layer that knows the route; each of these layers must grant."""
        self.prohibits = [
            Judged(plan, number, clause)
            for number, clauses in enumerate(plan.clauses)
            for clause in clauses
            if clause.effect == "deny"
        ]
        self.denies = _judged(plan, plan.denies)
        self.requires = _judged(plan, plan.requires)
        self.raises = _judged(plan, plan.raises)
        self.separations = _judged(plan, plan.separations)
        self.obligations = bool(plan.obligations.everything)
        self.steady_risks = all(
            rule.selector.when is None and rule.selector.unless is None for rules in plan.risks for rule in rules
        )
        """Whether the thresholds depend on the level of risk alone."""
        self.thresholds: dict[RiskLevel, Thresholds] = {}
        contract, acc = capability.contract, capability.acc
        self.asks = (
            (contract is not None and (contract.approval is not None or contract.compensation is not None))
            or bool(capability.document.requires_human_approval)
            or (acc is not None and (acc.approval.required or bool(capability.acc_conditions)))
        )
        """Whether the declaration may ask for an approval."""


def _judged(plan: Plan, rules: Arranged[Placed[R]]) -> Arranged[Judged]:
    return Arranged((rule.selector.when, Judged(plan, number, rule)) for number, rule in rules.everything)


class Outline:
    """What the short way found out about a request."""

    __slots__ = ("asks", "attached", "declared", "denied", "level", "raised_by", "records", "thresholds")

    level: RiskLevel
    """The risk, which is certain."""
    raised_by: tuple[str, ...]
    thresholds: Thresholds
    asks: bool
    """Whether anything asks for an approval."""
    attached: Attached | None
    """The obligations, where the policy has any that may apply."""

    def __init__(self) -> None:
        self.records: list[tuple[str, Judged]] = []
        """What each statement that applies does (allow, prohibit, deny, require), and the statement."""
        self.denied = False
        self.declared: Sequence[Demand] = ()
        """What the declaration asks of approvers."""
        self.attached = None


def outline(
    compiled: CompiledPolicy, short: ShortPlan, capability: AdmittedCapability, action: Action, facts: Facts
) -> Outline:
    """Judge stages 3, 6, 7 and 8 for a plain request; raises UnusualError where the long way is needed."""
    found = Outline()
    _reach(short, facts, found)
    level, found.raised_by = _risk(short, capability.declared_risk, facts)
    facts["risk"] = found.level = level
    found.thresholds = short.thresholds.get(level) or _thresholds(compiled, short, capability, level, facts)
    asks = bool(found.thresholds.demands)
    if found.thresholds.reasons:
        found.denied = found.denied or any(reason.effect == "deny" for reason in found.thresholds.reasons)
    for rule in short.denies.possible(facts):
        if rule.holds(facts):
            found.records.append(("deny", rule))
            found.denied = True
    for rule in short.separations.possible(facts):
        if rule.holds(facts) and not _concerns_approvers(rule.statement):
            raise UnusualError
    for rule in short.requires.possible(facts):
        if rule.holds(facts):
            if isinstance(rule.statement, ir.Require) and rule.statement.approval is None and not short.plan.defaults:
                raise UnusualError
            found.records.append(("require", rule))
            asks = True
    if short.asks:
        found.declared = demands_of_declaration(action, capability, input_valid=True)
        _check_asked(found.declared, short, capability)
        asks = asks or bool(found.declared)
    found.asks = asks
    if short.obligations:
        conditions = Conditions(facts, (level,), limits=compiled.limits, functions=short.plan.functions)
        found.attached = judge_obligations(compiled, capability, short.plan, conditions)
        if found.attached.reasons:
            raise UnusualError
    return found


def _check_asked(demands: Iterable[Demand], short: ShortPlan, capability: AdmittedCapability) -> None:
    """Whether somebody can be asked for each; raises UnusualError where nobody can."""
    for demand in demands:
        if not asked_of(demand, short.plan.defaults, capability):
            raise UnusualError


def _reach(short: ShortPlan, facts: Facts, found: Outline) -> None:
    for clauses in short.allows:
        before = len(found.records)
        for clause in clauses:
            if clause.holds(facts):
                found.records.append(("allow", clause))
        if len(found.records) == before:
            raise UnusualError
    for clause in short.prohibits:
        if clause.holds(facts):
            found.records.append(("prohibit", clause))
            found.denied = True


def _risk(short: ShortPlan, declared: RiskLevel, facts: Facts) -> tuple[RiskLevel, tuple[str, ...]]:
    level = declared
    raised_by: set[str] = set()
    if not short.raises.everything:
        return level, ()
    for judged in short.raises.possible(facts):
        rule = judged.statement
        if not judged.holds(facts) or not isinstance(rule, ir.Raise):
            continue
        for step in rule.steps:
            function = function_of(short.plan, step.when, neutral=True)
            answer = True if function is None else function(facts)
            if answer is False:
                continue
            if answer is not True or rule.reads_claims:
                raise UnusualError
            if step.level > declared:
                raised_by.add(rule.id)
            level = max(level, step.level)
    return level, tuple(sorted(raised_by))


def _thresholds(
    compiled: CompiledPolicy, short: ShortPlan, capability: AdmittedCapability, level: RiskLevel, facts: Facts
) -> Thresholds:
    risk = Risk(declared=capability.declared_risk, low=level, high=level, raised_by=(), notes=())
    conditions = Conditions(facts, risk.levels, limits=compiled.limits, functions=short.plan.functions)
    judged = judge_thresholds(compiled, risk, short.plan, conditions)
    _check_asked(judged.demands, short, capability)
    return short.thresholds.setdefault(risk.high, judged) if short.steady_risks else judged


def _concerns_approvers(statement: object) -> bool:
    """Whether a separation says only who may approve."""
    return (
        isinstance(statement, ir.Separation)
        and isinstance(statement.form, ir.DiffersFrom)
        and statement.form.who == "approver"
    )


def told(compiled: CompiledPolicy, short: ShortPlan, found: Outline) -> list[Reason]:
    """The reasons of an outline, in no order; made for one decision, which nothing else shares."""
    demands = (*found.thresholds.demands, *found.declared)
    steady = (*found.thresholds.reasons, *(demand.reason for demand in demands))
    reasons = [reason.model_copy(update={"controls": list(reason.controls)}) for reason in steady]
    for kind, judged in found.records:
        layer, statement = compiled.layers[judged.layer], judged.statement
        if isinstance(statement, ir.Clause):
            code, effect, message = _CLAUSES[kind]
            reasons.append(clause_reason(code, effect, statement, (layer, short.plan.target), message))
        elif isinstance(statement, ir.Deny):
            reasons.append(denial(statement, layer.layer))
        elif isinstance(statement, ir.Require):
            reasons.append(demand_of_rule(statement, judged.layer, layer.layer).reason)
    return reasons


_CLAUSES: Mapping[str, tuple[str, Literal["allow", "deny"], str]] = {
    "allow": ("scope.allowed", "allow", GRANTED),
    "prohibit": ("scope.denied", "deny", PROHIBITED),
}
