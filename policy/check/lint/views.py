"""One way to look at everything that has a pattern, a route and a condition: clauses, rules and leaves."""

from __future__ import annotations

from policy.ir import nodes as ir
from policy.ir.alternatives import leaves_of
from policy.source.records import dataclass
from policy.source.text import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition of a view."""

    expression: ir.Expression
    label: str
    """`when`, `unless` or `where`."""
    granting: bool
    """Whether it stands in a granting position (language.md section 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A route clause, a rule or an approval, seen as: for which actions, under which conditions."""

    kind: str
    """`allow` and `clause deny` in a route; else the keyword of the statement: `deny`, `require`, …, `approval`."""
    name: str
    """The id; of a clause, its routes."""
    patterns: tuple[ir.ActionPattern, ...] | None
    """None: every action."""
    routes: tuple[str, ...] | None
    """None: every route."""
    conditions: tuple[Condition, ...]
    values: tuple[ir.Expression, ...]
    """Expressions that are no conditions: what leaves name, what obligations set, the keys of steps."""
    node: ir.Node
    layer: str

    @property
    def span(self) -> Span:
        """The place of the clause or statement."""
        return self.node.span

    @property
    def title(self) -> str:
        """How a message names it: "deny `incident`"."""
        if self.kind in {"allow", "clause deny"}:
            return f"this `{self.kind.removeprefix('clause ')}`"
        return f"{self.kind} `{self.name}`"


def views(program: ir.Program) -> tuple[View, ...]:
    """Every clause, rule and approval of a layer, in the order of the text within each kind."""
    return (
        *(_clause(clause, program.layer) for clause in program.clauses),
        *(_rule("deny", rule, program.layer) for rule in program.denies),
        *(_rule("require", rule, program.layer) for rule in program.requires),
        *(_raise(rule, program.layer) for rule in program.raises),
        *(_rule("risk", rule, program.layer, granting=bool(rule.overrides)) for rule in program.risks),
        *(_separation(rule, program.layer) for rule in program.separations),
        *(_obligation(rule, program.layer) for rule in program.obligations),
        *(_approval(approval, program.layer) for approval in program.approvals),
    )


def _clause(clause: ir.Clause, layer: str) -> View:
    allows = clause.effect == "allow"
    conditions = []
    if clause.when is not None:
        conditions.append(Condition(expression=clause.when, label="when", granting=allows))
    if clause.unless is not None:
        conditions.append(Condition(expression=clause.unless, label="unless", granting=not allows))
    return View(
        kind="allow" if allows else "clause deny",
        name=", ".join(clause.routes) if clause.routes is not None else "every route",
        patterns=clause.patterns,
        routes=clause.routes,
        conditions=tuple(conditions),
        values=(),
        node=clause,
        layer=layer,
    )


def _rule(
    kind: str,
    rule: ir.Rule,
    layer: str,
    *,
    granting: bool = False,
    more: tuple[Condition, ...] = (),
    values: tuple[ir.Expression, ...] = (),
) -> View:
    conditions = []
    if rule.selector.when is not None:
        conditions.append(Condition(expression=rule.selector.when, label="when", granting=granting))
    if rule.selector.unless is not None:
        conditions.append(Condition(expression=rule.selector.unless, label="unless", granting=True))
    return View(
        kind=kind,
        name=rule.id,
        patterns=rule.selector.patterns,
        routes=rule.selector.routes,
        conditions=(*conditions, *more),
        values=values,
        node=rule,
        layer=layer,
    )


def _raise(rule: ir.Raise, layer: str) -> View:
    steps = tuple(
        Condition(expression=step.when, label="when", granting=False) for step in rule.steps if step.when is not None
    )
    return _rule("raise", rule, layer, more=steps)


def _separation(rule: ir.Separation, layer: str) -> View:
    match rule.form:
        case ir.DiffersFrom():
            values: tuple[ir.Expression, ...] = rule.form.parties
        case ir.DifferentPeople():
            values = tuple(step.per for step in rule.form.steps if step.per is not None)
        case ir.RolesConflict():
            values = ()
    return _rule("separation", rule, layer, values=values)


def _obligation(rule: ir.Obligation, layer: str) -> View:
    return _rule("obligation", rule, layer, values=tuple(assignment.value for assignment in rule.set))


def _approval(approval: ir.Approval, layer: str) -> View:
    conditions: list[Condition] = []
    values: list[ir.Expression] = []
    for leaf in leaves_of(approval.need):
        if leaf.where is not None:
            conditions.append(Condition(expression=leaf.where, label="where", granting=True))
        values += [value for value in (leaf.value, leaf.value_of, leaf.covering) if value is not None]
    return View(
        kind="approval",
        name=approval.id,
        patterns=None,
        routes=None,
        conditions=tuple(conditions),
        values=tuple(values),
        node=approval,
        layer=layer,
    )
