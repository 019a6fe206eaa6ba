"""Selectors and conditions of rules, with the position each part stands in."""

from __future__ import annotations

from collections.abc import Sequence

from policy.check.definitions import bounded, facts_of
from policy.check.environment import Environment
from policy.check.expressions import condition, expression
from policy.check.patterns import pattern_tuple
from policy.check.positions import Position, check_position
from policy.check.report import first_here, quoted
from policy.check.trust import NO_CLAIMS, OUTSIDE_WHERE, Refusals, refuse
from policy.check.words import check_route
from policy.ir import nodes as ir
from policy.source.records import dataclass
from policy.syntax import tree
from policy.types.kinds import Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One effect that the truth (or with `positive` false the falsehood) of a condition has."""

    position: Position
    positive: bool = True


NOT_IN_A_VALUE: Refusals = {**OUTSIDE_WHERE, **NO_CLAIMS}
"""What a value that is no condition may not read."""

GRANT = (Use(position=Position.GRANTING),)
PROHIBIT = (Use(position=Position.PROHIBITING),)
OVERRIDING_WHEN = (Use(position=Position.GRANTING), Use(position=Position.PROHIBITING))
"""A `risk` with `overrides` that applies brings its own thresholds and takes others away."""
OVERRIDING_UNLESS = (Use(position=Position.GRANTING), Use(position=Position.GRANTING, positive=False))


def typed_condition(
    node: tree.Expression | None, uses: Sequence[Use], env: Environment, *, refusals: Refusals = OUTSIDE_WHERE
) -> ir.Expression | None:
    """A condition, checked for every effect that it has."""
    if node is None:
        return None
    written = condition(node, env)
    known = facts_of(written, env)
    found = bounded(written, known, env)
    if not known.roots.isdisjoint(refusals):
        refuse(found, refusals, env)
    for use in () if known.quiet else uses:
        check_position(found, use.position, env, positive=use.positive, claims="claims" not in refusals)
    return found


def typed_value(
    node: tree.Expression,
    env: Environment,
    expected: Type | None = None,
    *,
    refusals: Refusals = NOT_IN_A_VALUE,
) -> ir.Expression:
    """A value that is used and no condition: it may read no claims."""
    written = expression(node, env, expected)
    known = facts_of(written, env)
    found = bounded(written, known, env)
    if not known.roots.isdisjoint(refusals):
        refuse(found, refusals, env)
    if not known.quiet:
        check_position(found, Position.VALUE, env, claims=False)
    return found


def selector(
    node: tree.Selector,
    env: Environment,
    *,
    when: Sequence[Use] = PROHIBIT,
    unless: Sequence[Use] = GRANT,
    refusals: Refusals = OUTSIDE_WHERE,
) -> ir.Selector:
    """The selector of a rule."""
    return ir.Selector(
        span=node.span,
        patterns=None if node.patterns is None else pattern_tuple(node.patterns, env.sets, env.report) or (),
        routes=None if node.routes is None else route_names(node.routes, env),
        when=typed_condition(node.when, when, env, refusals=refusals),
        unless=typed_condition(node.unless, unless, env, refusals=refusals),
    )


def route_names(names: Sequence[tree.Text], env: Environment) -> tuple[str, ...]:
    """Routes that are named: each must be declared, each stands once."""
    for name in unique_texts(names, "route", env):
        check_route(name.value, name.span, env)
    return tuple(dict.fromkeys(name.value for name in names))


def unique_texts(texts: Sequence[tree.Text], what: str, env: Environment) -> tuple[tree.Text, ...]:
    """The texts, each once; blank and repeated ones are reported."""
    found: dict[str, tree.Text] = {}
    for text in texts:
        if not text.value.strip():
            env.report.add("name.blank", f"the {what} is blank", text.span)
        elif text.value in found:
            related = first_here(found[text.value].span, "first written here")
            env.report.add("name.repeated", f"the {what} {quoted(text.value)} stands twice", text.span, related=related)
        found.setdefault(text.value, text)
    return tuple(found.values())
