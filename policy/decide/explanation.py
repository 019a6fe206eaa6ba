"""The whole trace of a decision: every rule that was considered, whether it matched, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policy.backend.trace import TraceNode
from policy.decide.approvals.eligibility import leaf_table
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import Conditions, Record
from policy.decide.engine import Decided
from policy.decide.reasons import told
from policy.decide.request import Request
from policy.decide.risk import matching
from policy.decide.selectors import Match, Target, judge, match, reaches
from policy.ir import nodes as ir
from policy.ir.alternatives import leaves_of
from policy.ir.patterns import matches_any
from policy.model.decision import Decision
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionTrace:
    """One condition of a rule: `role` is when, unless, step, set, per or where."""

    role: str
    text: str
    location: str
    value: object
    """True, False, a runtime value or an Unevaluable, which says why."""
    given: str | None
    """For `where`: the principal id of the approver it was judged for."""
    trees: tuple[TraceNode, ...]
    """Every part with its value; one tree for each level of risk where that is uncertain. Empty where not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafTrace:
    """One leaf of an approval that was asked for, and who approved under it."""

    text: str
    location: str
    counted: tuple[str, ...]
    """Principal ids of those whose approval counts and who match this leaf, perhaps among others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTrace:
    """One rule or clause of a layer, in the order of the text."""

    kind: str
    """allow, deny (a clause of a route), or the statement's keyword; a prohibition is `deny rule`."""
    id: str
    """The rule's id; of a clause its routes."""
    layer: str
    location: str
    text: str
    """A clause's patterns; of a rule its words for people."""
    matched: bool | None
    """True, False, or None where that has no answer."""
    considered: bool
    """Whether its patterns and routes hold; where not, its conditions were not looked at."""
    why: str
    conditions: tuple[ConditionTrace, ...]
    leaves: tuple[LeafTrace, ...] = ()
    """Of an approval that was asked for, its leaves in the order of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A decision and what it rests on. `rules` is empty where the request could not be read."""

    decision: Decision
    rules: tuple[RuleTrace, ...]


def explain(compiled: CompiledPolicy, decided: Decided, record: Record) -> Explanation:
    """Tell every rule of every layer, outermost first: clauses, raises, thresholds, prohibitions, and so on."""
    request = decided.request
    if request is None or decided.riskless is None:
        return Explanation(decision=decided.decision, rules=())
    tracing = _Tracing(
        decision=decided.decision,
        request=request,
        target=Target(capability_id=request.capability.id, scope=request.capability.scope, route=request.context.route),
        riskless=decided.riskless,
        record=record,
    )
    rules = [rule for index, layer in enumerate(compiled.layers) for rule in tracing.layer(compiled, index, layer)]
    return Explanation(decision=decided.decision, rules=tuple(rules))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tracing:
    decision: Decision
    request: Request
    target: Target
    riskless: Conditions
    record: Record

    def layer(self, compiled: CompiledPolicy, index: int, layer: ir.Program) -> Iterator[RuleTrace]:
        yield from (self._clause(clause, layer) for clause in layer.clauses)
        for kind, rules in (
            ("raise", layer.raises),
            ("risk", layer.risks),
            ("deny rule", layer.denies),
            ("separation", layer.separations),
            ("require", layer.requires),
            ("obligation", layer.obligations),
        ):
            overriding = self._overriding(compiled.risks[index]) if kind == "risk" else {}
            for rule in rules:
                own = self._match(rule.selector, raising=kind == "raise")
                yield self._rule(kind, rule, layer.layer, overriding.get(rule.id, own))
        for approval in layer.approvals:
            yield self._approval(approval, compiled.approval_id(index, approval.id), layer.layer)

    def _overriding(self, risks: Sequence[ir.Risk]) -> dict[str, Match]:
        return matching([rule for rule in risks if reaches(rule.selector, self.target)], self.request.conditions)

    def _match(self, selector: ir.Selector, *, raising: bool) -> Match:
        return match(selector, self.target, self.riskless if raising else self.request.conditions)

    def _clause(self, clause: ir.Clause, layer: ir.Program) -> RuleTrace:
        on_route = clause.routes is None or self.target.route in clause.routes
        covered = matches_any(clause.patterns, self.target.scope, self.target.capability_id)
        if on_route and covered:
            judged = judge(clause.when, clause.unless, self.request.conditions)
            why = _why(judged)
        else:
            judged = Match(False)
            why = "another route" if not on_route else "covers other capabilities"
        return RuleTrace(
            kind=clause.effect,
            id="every route" if clause.routes is None else ", ".join(clause.routes),
            layer=layer.layer,
            location=clause.span.location,
            text=", ".join(pattern.text for pattern in clause.patterns),
            matched=judged.holds,
            considered=on_route and covered,
            why=why,
            conditions=self._conditions(("when", clause.when), ("unless", clause.unless)),
        )

    def _rule(self, kind: str, rule: ir.Rule, layer: str, judged: Match) -> RuleTrace:
        considered = reaches(rule.selector, self.target)
        parts: list[tuple[str, ir.Expression | None]] = [
            ("when", rule.selector.when),
            ("unless", rule.selector.unless),
        ]
        match rule:
            case ir.Raise():
                parts.extend(("step", step.when) for step in rule.steps)
            case ir.Obligation():
                parts.extend(("set", assignment.value) for assignment in rule.set)
            case ir.Separation(form=ir.DifferentPeople(steps=steps)):
                parts.extend(("per", step.per) for step in steps)
            case ir.Separation(form=ir.DiffersFrom(parties=parties)):
                parts.extend(("party", party) for party in parties)
        return RuleTrace(
            kind=kind,
            id=rule.id,
            layer=layer,
            location=rule.span.location,
            text=rule.because or "",
            matched=judged.holds,
            considered=considered,
            why=_why(judged) if considered else "for other capabilities or routes",
            conditions=self._conditions(*parts),
        )

    def _approval(self, approval: ir.Approval, shown: str, layer: str) -> RuleTrace:
        asked = [each for each in self.decision.approvals if each.id == shown and each.layer is not None]
        states = [each.state for each in asked]
        leaves = self._leaves(approval, [vote.approver for each in asked for vote in each.counted]) if asked else ()
        parts = [(role, part) for leaf in leaves_of(approval.need) for role, part in _parts(leaf)]
        return RuleTrace(
            kind="approval",
            id=approval.id,
            layer=layer,
            location=approval.span.location,
            text=approval.needs,
            matched=bool(states),
            considered=bool(states),
            why=states[0] if states else "nothing asks for it",
            conditions=self._conditions(*parts),
            leaves=leaves,
        )

    def _leaves(self, approval: ir.Approval, counted: Sequence[str]) -> tuple[LeafTrace, ...]:
        leaves = leaves_of(approval.need)
        table = leaf_table(leaves, self.request)
        records = {record.principal_id: record for record in self.request.context.authorities or ()}
        matched = {name: table.matched(records[name]) for name in counted if name in records}
        return tuple(
            LeafTrace(
                text=leaf.text,
                location=leaf.span.location,
                counted=tuple(name for name, mask in matched.items() if mask >> index & 1),
            )
            for index, leaf in enumerate(leaves)
        )

    def _conditions(self, *parts: tuple[str, ir.Expression | None]) -> tuple[ConditionTrace, ...]:
        return tuple(trace for role, part in parts if part is not None for trace in self._evaluated(role, part))

    def _evaluated(self, role: str, expression: ir.Expression) -> Iterator[ConditionTrace]:
        seen: set[str | None] = set()
        for evaluated in self.record.of(expression):
            given = _given(evaluated.given.get("approver"))
            if given in seen:
                continue
            seen.add(given)
            yield ConditionTrace(
                role=role,
                text=" ".join(expression.span.text.split()),
                location=expression.span.location,
                value=evaluated.value,
                given=given,
                trees=evaluated.trees,
            )


def _given(approver: object) -> str | None:
    name = approver.get("id") if isinstance(approver, dict) else None
    return name if isinstance(name, str) else None


def _parts(leaf: ir.Leaf) -> Iterator[tuple[str, ir.Expression | None]]:
    yield "who", leaf.value
    yield "of", leaf.value_of
    yield "covering", leaf.covering
    yield "where", leaf.where


def _why(judged: Match) -> str:
    if judged.problem is not None:
        return told(judged.problem)
    return {True: "holds", False: "does not hold", None: "what it overrides may not match"}[judged.holds]
