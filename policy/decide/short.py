"""The short way to a decision: the same stages, asked only where they have something to judge.

Most decisions are plain: the request is well-formed, every condition has an answer, the risk is certain, nobody voted
yet. Then each stage is a few look-ups in what the plan of the capability fixed, and every reason is a static record.
Wherever anything is out of the ordinary this way gives up (`UnusualError`) and the long way of `policy.decide.engine`
decides, with the same arguments. So this module holds no rule of its own, only the proof that a stage has nothing to
say that is not known already: it never denies for a fault it found itself, and never allows past one.

What a decision shows beyond its outcome is put together when it is read, from records and copies nobody else holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policy.backend.emit.support import Facts, Function
from policy.backend.index import Arranged
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import Conditions
from policy.decide.demands import Demand
from policy.decide.gate import judge_capability
from policy.decide.obligations import Attached, judge_obligations
from policy.decide.plan import Placed, Plan, R
from policy.decide.reach import GRANTED, PROHIBITED, clause_reason, ungranted
from policy.decide.requirements import asked_of, demand_of_rule, demands_of_declaration
from policy.decide.risk import Risk, Thresholds, judge_thresholds
from policy.decide.rules import denial
from policy.decide.selectors import NO
from policy.ir import nodes as ir
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.decision import Reason
from policy.types.values import RiskLevel


class UnusualError(Exception):
    """Something that only the long way can judge or tell."""


ALLOW, PROHIBIT, DENY, REQUIRE, SEPARATE = range(5)
"""What a statement does where it applies."""


class Judged:
    """A statement, what it does, and its conditions as functions."""

    __slots__ = ("_functions", "_plan", "conditions", "does", "layer", "reason", "statement", "unusual")

    def __init__(self, plan: Plan, does: int, layer: int, statement: ir.Clause | ir.Rule) -> None:
        selector = statement if isinstance(statement, ir.Clause) else statement.selector
        self.does = does
        self.layer = layer
        self.statement = statement
        self.conditions = (_open(selector.when, neutral=True), _open(selector.unless, neutral=False))
        """`when` and `unless`, as far as they are not known."""
        self.unusual = not _is_plain(statement, plan)
        """Whether only the long way can tell what comes of it."""
        self.reason: Reason | None = None
        """What it says where it applies, once it was told; copied for each decision."""
        self._plan = plan
        self._functions: tuple[Function | None, Function | None] | None = None

    def holds(self, facts: Facts) -> bool:
        """Whether it applies; raises UnusualError where a condition has no plain answer."""
        functions = self._functions
        if functions is None:
            when, unless = self.conditions
            functions = self._functions = (function_of(self._plan, when), function_of(self._plan, unless))
        for function, wanted in zip(functions, _WANTED, strict=True):
            if function is not None:
                answer = function(facts)
                if answer is not wanted:
                    if isinstance(answer, bool):
                        return False
                    raise UnusualError
        return True


_WANTED = (True, False)
"""What `when` and `unless` must be."""


def _open(condition: ir.Expression | None, *, neutral: bool) -> ir.Expression | None:
    known = isinstance(condition, ir.Constant) and condition.value is neutral
    return None if known else condition


def _is_plain(statement: ir.Clause | ir.Rule, plan: Plan) -> bool:
    match statement:
        case ir.Require(approval=None):
            return bool(plan.defaults)
        case ir.Separation(form=ir.DiffersFrom(who="approver")):
            return True
        case ir.Separation():
            return False
        case _:
            return True


def function_of(plan: Plan, condition: ir.Expression | None) -> Function | None:
    """The function of a condition; None where there is no condition."""
    if condition is None or plan.functions is None:
        return None
    return plan.functions.or_interpreted(condition)


class ShortPlan:
    """What of a plan the short way needs, arranged for it. Made once; what it remembers depends on the plan alone."""

    __slots__ = (
        "_run",
        "arranged",
        "asks",
        "audit_sensitive",
        "granting",
        "guarded",
        "obligations",
        "plan",
        "statements",
        "steady",
        "steady_risks",
        "subject_required",
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
        self.granting = frozenset(number for number, layer in enumerate(compiled.layers) if route in layer.routes)
        """The layers that know the route: each of them must grant."""
        self.obligations = bool(plan.obligations.everything)
        self.steady_risks = all(
            rule.selector.when is None and rule.selector.unless is None for rules in plan.risks for rule in rules
        )
        """Whether the thresholds depend on the level of risk alone."""
        self.steady: dict[str, Thresholds] = {}
        """What was made of each level, where they do."""
        self.asks = _may_ask(capability)
        """Whether the declaration may ask for an approval."""
        self.statements = [
            Judged(plan, ALLOW if clause.effect == "allow" else PROHIBIT, number, clause)
            for number, clauses in enumerate(plan.clauses)
            for clause in clauses
            if clause.effect == "deny" or number in self.granting
        ]
        """What is judged for every request."""
        self.arranged: list[Arranged[Judged]] = []
        """What is looked up for each request."""
        self._add(DENY, plan.denies)
        self._add(REQUIRE, plan.requires)
        self._add(SEPARATE, plan.separations)
        self._run: Function | None = None

    def _add(self, does: int, rules: Arranged[Placed[R]]) -> None:
        judged = [(rule.selector.when, Judged(self.plan, does, number, rule)) for number, rule in rules.everything]
        if rules.is_flat:
            self.statements.extend(each for _, each in judged)
        else:
            self.arranged.append(Arranged(judged))

    def applying(self, facts: Facts) -> list[Judged]:
        """Every statement that applies, raises aside; raises UnusualError where that has no plain answer."""
        run = self._run
        if run is None:
            if self.plan.functions is None:
                raise UnusualError
            run = self._run = self.plan.functions.of_all([each.conditions for each in self.statements])
        positions = run(facts)
        if not isinstance(positions, list):
            raise UnusualError
        statements = self.statements
        found = [statements[position] for position in positions]
        for arranged in self.arranged:
            found.extend([each for each in arranged.possible(facts) if each.holds(facts)])
        return found


def _may_ask(capability: AdmittedCapability) -> bool:
    contract, acc = capability.contract, capability.acc
    return (
        (contract is not None and (contract.approval is not None or contract.compensation is not None))
        or bool(capability.document.requires_human_approval)
        or (acc is not None and (acc.approval.required or bool(capability.acc_conditions)))
    )


class Outline:
    """What the short way found out about a request."""

    __slots__ = (
        "applying",
        "asks",
        "attached",
        "declared",
        "denied",
        "level",
        "raised_by",
        "separated",
        "thresholds",
        "ungranted",
    )

    applying: list[Judged]
    """The statements that apply."""
    ungranted: frozenset[int]
    """The layers that do not grant though they must."""
    level: RiskLevel
    """The risk, which is certain."""
    raised_by: tuple[str, ...]
    thresholds: Thresholds
    denied: bool
    asks: bool
    """Whether anything asks for an approval."""
    separated: bool
    """Whether a separation says who may not approve."""
    declared: Sequence[Demand]
    """What the declaration asks of approvers."""
    attached: Attached | None
    """The obligations, where the policy has any that may apply."""


def outline(
    compiled: CompiledPolicy, short: ShortPlan, capability: AdmittedCapability, action: Action, facts: Facts
) -> Outline:
    """Judge stages 3, 6, 7 and 8 for a plain request; raises UnusualError where the long way is needed."""
    found = Outline()
    level, found.raised_by = _risk(short, capability.declared_risk, facts)
    facts["risk"] = found.level = level
    found.thresholds = short.steady.get(level._value_) or _thresholds(compiled, short, capability, level, facts)
    denied = any(reason.effect == "deny" for reason in found.thresholds.reasons) if found.thresholds.reasons else False
    asks = bool(found.thresholds.demands)
    granted = set()
    found.separated = False
    found.applying = short.applying(facts)
    for judged in found.applying:
        if judged.unusual:
            raise UnusualError
        does = judged.does
        if does == ALLOW:
            granted.add(judged.layer)
        elif does == REQUIRE:
            asks = True
        elif does == SEPARATE:
            found.separated = True
        else:
            denied = True
    found.ungranted = short.granting - granted
    found.denied = denied or bool(found.ungranted)
    found.declared = ()
    found.attached = None
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


def _risk(short: ShortPlan, declared: RiskLevel, facts: Facts) -> tuple[RiskLevel, tuple[str, ...]]:
    level = declared
    raised_by: set[str] = set()
    if not short.plan.raises.everything:
        return level, ()
    for number, rule in short.plan.raises.possible(facts):
        if not Judged(short.plan, DENY, number, rule).holds(facts):
            continue
        for step in rule.steps:
            function = function_of(short.plan, _open(step.when, neutral=True))
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
    return short.steady.setdefault(level.value, judged) if short.steady_risks else judged


def told(compiled: CompiledPolicy, short: ShortPlan, found: Outline) -> list[Reason]:
    """The reasons of an outline, in no order; made for one decision, which nothing else shares."""
    demands = (*found.thresholds.demands, *found.declared)
    steady = (*found.thresholds.reasons, *(demand.reason for demand in demands))
    reasons = [reason.copied() for reason in steady]
    for judged in found.applying:
        if judged.reason is None and judged.does != SEPARATE:
            judged.reason = _reason(compiled, short, judged)
        if judged.reason is not None:
            reasons.append(judged.reason.copied())
    for number in sorted(found.ungranted):
        covering = [clause for clause in short.plan.clauses[number] if clause.effect == "allow"]
        reasons.extend(ungranted(compiled.layers[number], short.plan.target, [(each, NO) for each in covering]))
    return reasons


def _reason(compiled: CompiledPolicy, short: ShortPlan, judged: Judged) -> Reason | None:
    layer, statement = compiled.layers[judged.layer], judged.statement
    match statement:
        case ir.Clause():
            on = (layer, short.plan.target)
            if judged.does == ALLOW:
                return clause_reason("scope.allowed", "allow", statement, on, GRANTED)
            return clause_reason("scope.denied", "deny", statement, on, PROHIBITED)
        case ir.Deny():
            return denial(statement, layer.layer)
        case ir.Require():
            return demand_of_rule(statement, judged.layer, layer.layer).reason
        case _:
            return None
