"""What of a policy can concern one capability on one route: looked up and folded once, used for every decision.

Routes, scopes and the contract are fixed here, so a decision looks only at statements whose patterns fit, and judges
of their conditions only what is still open. For the reference interpreter the same plan is made by reading every
statement, with every condition as it is written: the two must decide alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from policy.backend.emit.support import Function
from policy.backend.functions import Functions
from policy.backend.index import Arranged, RuleIndex
from policy.backend.specialise import Specialiser
from policy.decide.selectors import Target, reaches
from policy.ir import nodes as ir
from policy.ir.patterns import matches_any
from policy.model.admitted import AdmittedCapability
from policy.source.limits import Limits

R = TypeVar("R", bound=ir.Rule)
T = TypeVar("T")

Placed = tuple[int, R]
"""A rule and the number of its layer."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """The statements of a policy that can concern a capability on a route."""

    target: Target
    clauses: tuple[tuple[ir.Clause, ...], ...]
    """The clauses of each layer that cover the capability on the route."""
    denies: Arranged[Placed[ir.Deny]]
    requires: Arranged[Placed[ir.Require]]
    raises: Arranged[Placed[ir.Raise]]
    separations: Arranged[Placed[ir.Separation]]
    obligations: Arranged[Placed[ir.Obligation]]
    risks: tuple[tuple[ir.Risk, ...], ...]
    """The risk statements of each layer, each behind those it overrides."""
    defaults: tuple[tuple[int, str], ...]
    """Who approves what names nobody, as layer and approval."""
    functions: PlannedFunctions | None = field(repr=False)
    """The generated functions of the conditions; None where the interpreter evaluates them."""


class PlannedFunctions:
    """The functions of a plan: its folded conditions have their own, all others those of the policy."""

    __slots__ = ("_folded", "_own", "_policy")

    def __init__(self, policy: Functions, own: Functions, folded: frozenset[int]) -> None:
        self._policy = policy
        self._own = own
        self._folded = folded

    def of(self, expression: ir.Expression) -> Function | None:
        """The function of a condition, or None where the interpreter evaluates it."""
        return self._where(expression).of(expression)

    def or_interpreted(self, expression: ir.Expression) -> Function:
        """The same; one that asks the interpreter where there is no other."""
        return self._where(expression).or_interpreted(expression)

    def of_all(self, conditions: Sequence[tuple[ir.Expression | None, ir.Expression | None]]) -> Function:
        """One function of many statements, given by their `when` and `unless`."""
        return self._own.of_all(conditions)

    def _where(self, expression: ir.Expression) -> Functions:
        return self._own if id(expression) in self._folded else self._policy


class Planner:
    """Makes the plans of one policy from indexes. Built once, then only read."""

    __slots__ = (
        "_clauses",
        "_denies",
        "_functions",
        "_limits",
        "_obligations",
        "_policy",
        "_raises",
        "_requires",
        "_risks",
        "_separations",
        "routes",
    )

    routes: frozenset[str]
    """Every route that the policy names."""

    def __init__(self, policy: ir.PolicySet, risks: Sequence[Sequence[ir.Risk]], limits: Limits) -> None:
        layers = policy.layers
        self._policy = policy
        self._limits = limits
        self._functions = Functions(limits)
        self._clauses = RuleIndex(
            [
                (each.patterns, each.routes, (layer, each))
                for layer, program in enumerate(layers)
                for each in program.clauses
            ]
        )
        self._denies = _index(layer.denies for layer in layers)
        self._requires = _index(layer.requires for layer in layers)
        self._raises = _index(layer.raises for layer in layers)
        self._separations = _index(layer.separations for layer in layers)
        self._obligations = _index(layer.obligations for layer in layers)
        self._risks = _index(risks)
        rules = (self._denies, self._requires, self._raises, self._separations, self._obligations, self._risks)
        self.routes = self._clauses.routes.union(*(index.routes for index in rules))

    def plan(self, capability: AdmittedCapability, route: str | None) -> Plan:
        """The plan of a capability on a route, by the indexes and with everything folded that is fixed."""
        target = Target(capability_id=capability.id, scope=capability.scope, route=route)
        folding = _Folding(Specialiser(capability.facts, self._limits), target)
        layers = len(self._policy.layers)
        clauses = self._clauses.concerning(route, target.scope, target.capability_id)
        return Plan(
            target=target,
            clauses=_by_layer([(layer, folding.clause(clause)) for layer, clause in clauses], layers),
            denies=folding.arranged(self._denies),
            requires=folding.arranged(self._requires),
            raises=folding.arranged(self._raises),
            separations=folding.arranged(self._separations),
            obligations=folding.arranged(self._obligations),
            risks=_by_layer(folding.rules(self._risks), layers),
            defaults=defaults(self._policy, target),
            functions=PlannedFunctions(self._functions, Functions(self._limits, self._functions), folding.folded),
        )


def plain_plan(
    policy: ir.PolicySet, risks: Sequence[Sequence[ir.Risk]], capability: AdmittedCapability, route: str | None
) -> Plan:
    """The same for the interpreter: every statement is looked at, nothing is folded."""
    target = Target(capability_id=capability.id, scope=capability.scope, route=route)
    layers = policy.layers
    return Plan(
        target=target,
        clauses=tuple(tuple(clause for clause in layer.clauses if _covers(clause, target)) for layer in layers),
        denies=_reaching((layer.denies for layer in layers), target),
        requires=_reaching((layer.requires for layer in layers), target),
        raises=_reaching((layer.raises for layer in layers), target),
        separations=_reaching((layer.separations for layer in layers), target),
        obligations=_reaching((layer.obligations for layer in layers), target),
        risks=tuple(tuple(rule for rule in rules if reaches(rule.selector, target)) for rules in risks),
        defaults=defaults(policy, target),
        functions=None,
    )


def _index(of_layers: Iterable[Sequence[R]]) -> RuleIndex[Placed[R]]:
    return RuleIndex(
        [
            (rule.selector.patterns, rule.selector.routes, (layer, rule))
            for layer, rules in enumerate(of_layers)
            for rule in rules
        ]
    )


def _reaching(of_layers: Iterable[Sequence[R]], target: Target) -> Arranged[Placed[R]]:
    return Arranged(
        (None, (layer, rule))
        for layer, rules in enumerate(of_layers)
        for rule in rules
        if reaches(rule.selector, target)
    )


def _by_layer(placed: Iterable[tuple[int, T]], layers: int) -> tuple[tuple[T, ...], ...]:
    found: list[list[T]] = [[] for _ in range(layers)]
    for layer, each in placed:
        found[layer].append(each)
    return tuple(tuple(each) for each in found)


def defaults(policy: ir.PolicySet, target: Target) -> tuple[tuple[int, str], ...]:
    """Who approves what names nobody: in each layer every default `for` this action, else the one without `for`."""
    found: list[tuple[int, str]] = []
    for index, layer in enumerate(policy.layers):
        fitting = [
            default.approval
            for default in layer.defaults
            if default.patterns is not None and matches_any(default.patterns, target.scope, target.capability_id)
        ]
        fitting = fitting or [default.approval for default in layer.defaults if default.patterns is None]
        found.extend((index, approval) for approval in sorted(set(fitting)))
    return tuple(found)


class _Folding:
    """Folds the conditions of statements, and remembers which it made."""

    def __init__(self, specialiser: Specialiser, target: Target) -> None:
        self._specialiser = specialiser
        self._target = target
        self._made: dict[int, ir.Expression] = {}

    @property
    def folded(self) -> frozenset[int]:
        """The identities of the conditions that were made here."""
        return frozenset(self._made)

    def rules(self, index: RuleIndex[Placed[R]]) -> list[Placed[R]]:
        """The rules that concern the target, folded."""
        target = self._target
        concerning = index.concerning(target.route, target.scope, target.capability_id)
        return [(layer, self.rule(rule)) for layer, rule in concerning]

    def arranged(self, index: RuleIndex[Placed[R]]) -> Arranged[Placed[R]]:
        """The same without those that the capability alone rules out, arranged by equalities."""
        return Arranged((each[1].selector.when, each) for each in self.rules(index) if not _ruled_out(each[1]))

    def rule(self, rule: R) -> R:
        """A rule whose conditions are folded; the very same one where nothing is fixed."""
        when, unless = self._condition(rule.selector.when), self._condition(rule.selector.unless)
        if when is not rule.selector.when or unless is not rule.selector.unless:
            rule = replace(rule, selector=replace(rule.selector, when=when, unless=unless))
        if isinstance(rule, ir.Raise):
            steps = tuple(replace(step, when=self._condition(step.when)) for step in rule.steps)
            if any(made.when is not step.when for made, step in zip(steps, rule.steps, strict=True)):
                return replace(rule, steps=steps)
        return rule

    def clause(self, clause: ir.Clause) -> ir.Clause:
        """A clause whose conditions are folded. One that cannot grant stays: it says why nothing does."""
        when, unless = self._condition(clause.when), self._condition(clause.unless)
        if when is clause.when and unless is clause.unless:
            return clause
        return replace(clause, when=when, unless=unless)

    def _condition(self, condition: ir.Expression | None) -> ir.Expression | None:
        if condition is None:
            return None
        folded = self._specialiser.fold(condition)
        if folded is not condition:
            self._made[id(folded)] = folded
        return folded


def _ruled_out(rule: ir.Rule) -> bool:
    when, unless = rule.selector.when, rule.selector.unless
    never = isinstance(when, ir.Constant) and when.value is False
    return never or (isinstance(unless, ir.Constant) and unless.value is True)


def _covers(clause: ir.Clause, target: Target) -> bool:
    on_route = clause.routes is None or target.route in clause.routes
    return on_route and matches_any(clause.patterns, target.scope, target.capability_id)
