"""Lowering of routes and of the rules `deny`, `require`, `raise`, `risk` and `obligation`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from policy.check.environment import Environment
from policy.check.kinds import bare_words
from policy.check.layer import LayerNames
from policy.check.patterns import dependency_order, pattern_tuple
from policy.check.report import first_here, listed, quoted
from policy.check.selectors import (
    GRANT,
    OVERRIDING_UNLESS,
    OVERRIDING_WHEN,
    PROHIBIT,
    selector,
    typed_condition,
    typed_value,
    unique_texts,
)
from policy.check.trust import IN_RAISE, NO_CLAIMS, OUTSIDE_WHERE, roots
from policy.check.words import check_route
from policy.ir import nodes as ir
from policy.syntax import tree
from policy.syntax.printer import print_path
from policy.types.kinds import Basic
from policy.types.values import RiskLevel


def clauses(route: tree.Route, env: Environment) -> tuple[ir.Clause, ...]:
    """The clauses of a route."""
    names: tuple[str, ...] | None = None
    if route.names:
        names = tuple(dict.fromkeys(name.value for name in unique_texts(route.names, "route", env)))
        for name in route.names:
            check_route(name.value, name.span, env)
    return tuple(_clause(clause, names, env) for clause in route.clauses)


def _clause(clause: tree.RouteClause, names: tuple[str, ...] | None, env: Environment) -> ir.Clause:
    allows = clause.effect == "allow"
    return ir.Clause(
        span=clause.span,
        effect=clause.effect,
        routes=names,
        patterns=pattern_tuple(clause.patterns, env.sets, env.report) or (),
        when=typed_condition(clause.when, GRANT if allows else PROHIBIT, env),
        unless=typed_condition(clause.unless, PROHIBIT if allows else GRANT, env),
        because=value_of(clause.because),
    )


def value_of(text: tree.Text | None) -> str | None:
    """The decoded text of a clause that may be absent."""
    return None if text is None else text.value


def controls(rule: tree.Rule, env: Environment) -> tuple[str, ...]:
    """The controls that a rule serves, each once."""
    return tuple(text.value for text in unique_texts(rule.controls, "control", env))


def deny(rule: tree.Deny, env: Environment) -> ir.Deny:
    """A prohibition."""
    return ir.Deny(
        span=rule.span,
        id=rule.id.value,
        selector=selector(rule.selector, env),
        because=value_of(rule.because),
        controls=controls(rule, env),
    )


def require(rule: tree.Require, names: LayerNames) -> ir.Require:
    """An approval requirement."""
    chosen = selector(rule.selector, names.env)
    return ir.Require(
        span=rule.span,
        id=rule.id.value,
        selector=chosen,
        because=value_of(rule.because),
        controls=controls(rule, names.env),
        approval=names.reference(rule.approval, chosen.patterns),
    )


def level(word: tree.Word, env: Environment) -> RiskLevel:
    """The risk level of a word; an unknown one is reported."""
    levels = bare_words(Basic.RISK) or ()
    if word.name in levels:
        return RiskLevel(word.name)
    message = f"`{word.name}` is no risk level: use {listed(levels)}"
    env.report.add("name.unknown_word", message, word.span, help=env.report.suggest(word.name, levels))
    return RiskLevel.CRITICAL


def raise_(rule: tree.Raise, env: Environment) -> ir.Raise:
    """A rule that raises the risk; it cannot read the risk that it makes."""
    refusals = {**OUTSIDE_WHERE, **IN_RAISE}
    chosen = selector(rule.selector, env, refusals=refusals)
    steps = tuple(
        ir.RaiseStep(
            span=step.span,
            level=level(step.level, env),
            when=typed_condition(step.when, PROHIBIT, env, refusals=refusals),
        )
        for step in rule.steps
    )
    conditions = [chosen.when, chosen.unless, *(step.when for step in steps)]
    return ir.Raise(
        span=rule.span,
        id=rule.id.value,
        selector=chosen,
        because=value_of(rule.because),
        controls=controls(rule, env),
        steps=steps,
        reads_claims=any("claims" in roots(condition, env) for condition in conditions if condition is not None),
    )


def risk(rule: tree.Risk, names: LayerNames) -> ir.Risk:
    """Thresholds; with `overrides` its selector is a granting position."""
    env = names.env
    overriding = bool(rule.overrides)
    chosen = selector(
        rule.selector,
        env,
        when=OVERRIDING_WHEN if overriding else PROHIBIT,
        unless=OVERRIDING_UNLESS if overriding else GRANT,
        refusals={**OUTSIDE_WHERE, **NO_CLAIMS},
    )
    _ascending(rule, env)
    tiers = tuple(
        ir.Tier(
            span=tier.span,
            level=level(tier.level, env),
            kind=tier.by.kind,
            approval=names.reference(tier.by, chosen.patterns),
        )
        for tier in rule.tiers
    )
    return ir.Risk(
        span=rule.span,
        id=rule.id.value,
        selector=chosen,
        because=value_of(rule.because),
        controls=controls(rule, env),
        overrides=_overrides(rule, names),
        unattended=None if rule.unattended is None else level(rule.unattended, env),
        tiers=tiers,
    )


def _ascending(rule: tree.Risk, env: Environment) -> None:
    levels = bare_words(Basic.RISK) or ()
    written = [word for word in (rule.unattended, *(tier.level for tier in rule.tiers)) if word is not None]
    known = [word for word in written if word.name in levels]
    for lower, higher in pairwise(known):
        if levels.index(higher.name) <= levels.index(lower.name):
            message = f"the levels of a `risk` ascend, and `{higher.name}` is not above `{lower.name}`"
            related = first_here(lower.span, "the level before it")
            env.report.add("risk.not_ascending", message, higher.span, related=related)


def _overrides(rule: tree.Risk, names: LayerNames) -> tuple[str, ...]:
    env = names.env
    for name in unique_texts(rule.overrides, "id", env):
        if name.value == rule.id.value:
            env.report.add("risk.overrides_itself", f"{quoted(name.value)} overrides itself", name.span)
        elif name.value not in names.risks:
            help = env.report.suggest(name.value, names.risks)
            message = f"there is no `risk` {quoted(name.value)} in this layer"
            env.report.add("name.unknown_rule", message, name.span, help=help)
    return tuple(dict.fromkeys(name.value for name in rule.overrides))


def check_overrides(risks: Mapping[str, tree.Risk], env: Environment) -> None:
    """Report loops of overrides."""
    uses = {name: [used.value for used in rule.overrides if used.value != name] for name, rule in risks.items()}
    for loop in dependency_order(uses)[1]:
        shown = " → ".join(f"`{name}`" for name in (*loop, loop[0]))
        env.report.add("name.cycle", f"`risk` rules override each other in a loop: {shown}", risks[loop[0]].id.span)


def obligation(rule: tree.Obligation, env: Environment) -> ir.Obligation:
    """What the runtime must do with the decision."""
    return ir.Obligation(
        span=rule.span,
        id=rule.id.value,
        selector=selector(rule.selector, env, refusals={**OUTSIDE_WHERE, **NO_CLAIMS}),
        because=value_of(rule.because),
        controls=controls(rule, env),
        redact=_redact(rule.redact, env),
        set=_assignments(rule.set, env),
        also_on_deny=rule.also_on_deny,
    )


def _redact(paths: Sequence[tree.Path], env: Environment) -> tuple[str, ...]:
    found: dict[str, tree.Path] = {}
    for path in paths:
        text = print_path(path)
        if not input_path(path):
            message = f"`redact` names a member of the input such as `input.card_number`, not {quoted(text)}"
            help = "a path through a list means every item" if path.head.name == "input" and path.steps else None
            env.report.add("type.redact_path", message, path.span, help=help)
        elif text in found:
            related = first_here(found[text].span, "first written here")
            env.report.add("name.repeated", f"the path {quoted(text)} stands twice", path.span, related=related)
        found.setdefault(text, path)
    return tuple(found)


def input_path(path: tree.Path) -> bool:
    """Whether a path names a member of the input without positions or worked-out keys."""
    return (
        path.head.name == "input"
        and bool(path.steps)
        and all(isinstance(step, tree.Member) or isinstance(step.key, tree.Text) for step in path.steps)
    )


def _assignments(written: Iterable[tree.Assignment], env: Environment) -> tuple[ir.Assignment, ...]:
    return tuple(
        ir.Assignment(span=assignment.span, name=assignment.name.name, value=typed_value(assignment.value, env))
        for assignment in written
    )
