"""Rules that can never apply, and requirements that one person meets alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from policy.check.lint.conditions import sign_of
from policy.check.lint.finding import finding, heading
from policy.check.lint.index import PatternIndex, entries
from policy.check.lint.material import Material, share_route
from policy.check.lint.people import fewest_people, named_principals
from policy.check.lint.views import View
from policy.ir import nodes as ir
from policy.source.diagnostic import Diagnostic, Related
from policy.types.values import RiskLevel

_RESTRICTING = frozenset({"require", "raise", "risk", "separation", "obligation"})
"""A deny beside an allow that does not exist is prudent; these rules only ever speak of what an allow lets through."""

_COMPARED = 1_000
"""Rules that one rule is compared with."""


def lint_rules(material: Material) -> Iterator[Diagnostic]:
    """Every finding about a rule as a whole."""
    for view in material.views:
        yield from _contradictory(material, view)
        if view.kind in _RESTRICTING:
            yield from _unreached(material, view)
        if isinstance(view.node, ir.Raise):
            yield from _no_raise(view.node)
    yield from _one_person_twice(material)


def _contradictory(material: Material, view: View) -> Iterator[Diagnostic]:
    """`when` and `unless` that exclude each other, where neither is constant by itself."""
    conditions = [condition for condition in view.conditions if condition.label != "where"]
    if isinstance(view.node, ir.Raise):
        conditions = [item for item in conditions if item.expression in _selector(view.node)]
    if len(conditions) < 2:
        return
    signs = [sign_of(condition) for condition in conditions]
    if any(material.contradictions.never_true([sign]) for sign in signs):
        return
    if material.contradictions.never_true(signs):
        yield finding(
            "lint.never_applies",
            f"{view.title} can never apply: wherever its `when` holds, its `unless` holds too",
            heading(view.span),
            help="`unless` names the exceptions; leave some case that is none",
        )


def _selector(rule: ir.Rule) -> tuple[ir.Expression, ...]:
    return tuple(part for part in (rule.selector.when, rule.selector.unless) if part is not None)


def _unreached(material: Material, view: View) -> Iterator[Diagnostic]:
    if isinstance(view.node, ir.Obligation) and view.node.also_on_deny:
        return
    if view.patterns is None and view.routes is None:
        return
    for pattern, _ in entries([view]):
        if next(material.allows.overlapping(pattern, view.routes), None) is not None:
            return
    if any(material.meant(pattern, view) is not None for pattern in view.patterns or ()):
        return  # the misspelt pattern is reported
    yield finding(
        "lint.never_applies",
        f"{view.title} can never matter: no `allow` lets through anything that it is about",
        heading(view.span),
        help="allow these scopes on a route, correct the pattern, or drop the rule",
    )


def _no_raise(rule: ir.Raise) -> Iterator[Diagnostic]:
    for step in rule.steps:
        if step.level is RiskLevel.LOW:
            message = "raising to `low` does nothing: it is the lowest level"
            yield finding("lint.never_applies", message, step.span, help="name a higher level; nothing lowers a risk")


def _one_person_twice(material: Material) -> Iterator[Diagnostic]:
    """Two requirements for the same action, each met by one person, who may be the same one."""
    approvals = {approval.id: approval for approval in material.program.approvals}
    alone: dict[tuple[object, ...], View] = {}
    for view in material.views:
        approval = _approval_of(view)
        if approval in approvals and fewest_people(approvals[approval]) < 2:
            patterns = None if view.patterns is None else frozenset(pattern.text for pattern in view.patterns)
            alone.setdefault((approval, patterns, view.routes), view)
    index = PatternIndex(entries(alone.values()))
    order = {id(view.node): position for position, view in enumerate(alone.values())}
    reported: set[tuple[str, str]] = set()
    for view in alone.values():
        for pattern, _ in entries([view]):
            for _, earlier in islice(index.overlapping(pattern), _COMPARED):
                own, other = _approval_of(view), _approval_of(earlier)
                pair = (min(own, other), max(own, other))
                if order[id(earlier.node)] >= order[id(view.node)] or pair in reported or own == other:
                    continue
                if share_route(view, earlier) and not _apart(approvals[own], approvals[other]):
                    reported.add(pair)
                    yield _twice(view, earlier, pair)


def _twice(view: View, earlier: View, pair: tuple[str, str]) -> Diagnostic:
    return finding(
        "lint.one_person_twice",
        f"one person may meet both `{pair[0]}` and `{pair[1]}`: each approval is judged for itself",
        heading(view.span),
        help="where two people are meant, name one approval with `all of { … }`, whose slots need different people",
        related=(Related(message="the other requirement", span=heading(earlier.span)),),
    )


def _approval_of(view: View) -> str:
    return view.node.approval or "" if isinstance(view.node, ir.Require) else ""


def _apart(one: ir.Approval, other: ir.Approval) -> bool:
    """Whether the two ask for principals that are named and different."""
    first, second = named_principals(one.need), named_principals(other.need)
    return first is not None and second is not None and first.isdisjoint(second)
