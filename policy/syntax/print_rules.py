"""Surface tree to text: deny, require, raise, risk, separation and obligation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from policy.syntax import tree
from policy.syntax.print_expressions import Printer, expression, path
from policy.syntax.print_literals import duration, pattern, quoted, reference


def texts(to: Printer, words: str, items: Sequence[tree.Text], at: int | None) -> None:
    """Print a clause of quoted texts with commas; they stand below each other where they do not fit."""
    _listing(to, words, [(quoted(item.value), item.span.start) for item in items], at)


def patterns(to: Printer, words: str, items: Sequence[tree.AnyPattern], at: int | None) -> None:
    """Print a clause of patterns with commas."""
    _listing(to, words, [(pattern(item), item.span.start) for item in items], at)


def _listing(to: Printer, words: str, items: Sequence[tuple[str, int]], at: int | None) -> None:
    out = to.layout
    out.open()
    out.text(words, at)
    out.indent()
    for position, (text, start) in enumerate(items):
        if position:
            out.glue(",")
        out.line()
        out.text(text, start)
    out.dedent()
    out.close()


def condition(to: Printer, word: str, node: tree.Expression) -> None:
    """Print `when C`, `unless C`; the operands of a long condition are indented."""
    to.layout.text(f"{word} ", to.before(node))
    to.layout.indent()
    expression(to, node)
    to.layout.dedent()


def rule(to: Printer, node: tree.Rule) -> None:
    """Print the clauses of a rule: the selector, its own ones, `because` and `control`."""
    _selector(to, node.selector)
    match node:
        case tree.Deny():
            pass
        case tree.Require():
            to.layout.hard()
            to.layout.text(f"approval {reference(node.approval)}", to.before(node.approval))
        case tree.Raise():
            for step in node.steps:
                _step(to, step)
        case tree.Risk():
            _risk(to, node)
        case tree.Separation():
            to.layout.hard()
            _form(to, node.form)
        case tree.Obligation():
            _obligation(to, node)
        case _:
            raise TypeError(f"{type(node).__name__} is no rule")
    if node.because is not None:
        to.layout.hard()
        to.layout.text(f"because {quoted(node.because.value)}", to.before(node.because))
    if node.controls:
        to.layout.hard()
        texts(to, "control", node.controls, to.before(node.controls[0]))


def _selector(to: Printer, node: tree.Selector) -> None:
    if node.patterns is not None:
        to.layout.hard()
        patterns(to, "for", node.patterns, to.before(node.patterns[0]) if node.patterns else None)
    if node.routes is not None:
        to.layout.hard()
        texts(to, "on route", node.routes, to.before(node.routes[0], 2) if node.routes else None)
    if node.when is not None:
        to.layout.hard()
        condition(to, "when", node.when)
    if node.unless is not None:
        to.layout.hard()
        condition(to, "unless", node.unless)


def _step(to: Printer, step: tree.RaiseStep) -> None:
    out = to.layout
    out.hard()
    out.open()
    out.text(f"to {step.level.name}", step.span.start)
    if step.when is not None:
        out.indent()
        out.line()
        condition(to, "when", step.when)
        out.dedent()
    out.close()


def _risk(to: Printer, node: tree.Risk) -> None:
    out = to.layout
    if node.unattended is not None:
        out.hard()
        out.text(f"unattended up to {node.unattended.name}", to.before(node.unattended, 3))
    for tier in node.tiers:
        out.hard()
        out.text(f"approve up to {tier.level.name} by {reference(tier.by)}", tier.span.start)


def _form(to: Printer, form: tree.DiffersFrom | tree.RolesConflict | tree.DifferentPeople) -> None:
    out = to.layout
    match form:
        case tree.DiffersFrom():
            out.open()
            out.text(f"{form.who.name} differs from", form.span.start)
            out.indent()
            for position, party in enumerate(form.parties):
                if position:
                    out.glue(",")
                out.line()
                path(to, party)
            out.dedent()
            out.close()
        case tree.RolesConflict():
            texts(to, "roles", form.roles, form.span.start)
            out.text(" conflict", form.span.end - len("conflict"))
        case tree.DifferentPeople():
            _performers(to, form)
        case _:
            assert_never(form)


def _performers(to: Printer, form: tree.DifferentPeople) -> None:
    out = to.layout
    out.open()
    out.text("different people perform", form.span.start)
    out.indent()
    for position, step in enumerate(form.steps):
        if position:
            out.glue(",")
        out.line()
        out.text(pattern(step.pattern), step.span.start)
        if step.per is not None:
            out.text(" per ", to.before(step.per))
            path(to, step.per)
    if form.within is not None:
        out.line()
        out.text(f"within {duration(form.within)}", to.before(form.within))
    out.dedent()
    out.close()


def _obligation(to: Printer, node: tree.Obligation) -> None:
    out = to.layout
    if node.redact:
        out.hard()
        out.open()
        out.text("redact", to.before(node.redact[0]))
        out.indent()
        for position, item in enumerate(node.redact):
            if position:
                out.glue(",")
            out.line()
            path(to, item)
        out.dedent()
        out.close()
    for assignment in node.set:
        out.hard()
        out.text(f"set {assignment.name.name} = ", assignment.span.start)
        out.indent()
        expression(to, assignment.value)
        out.dedent()
    if node.also_on_deny:
        out.hard()
        out.text("also on deny", to.find(node, "also", "on", "deny"))
