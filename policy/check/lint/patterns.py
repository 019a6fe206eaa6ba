"""Patterns that miss what they seem to cover, or match nothing."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.lint.capabilities import CatalogIndex
from policy.check.lint.finding import finding, listed
from policy.check.lint.material import Material
from policy.check.lint.views import View
from policy.ir import nodes as ir
from policy.source.diagnostic import Diagnostic
from policy.types.patterns import ANY_SEGMENT, ANY_SEGMENTS

_STRICT = frozenset({"deny", "clause deny", "require", "raise", "separation"})
"""Where a deeper scope that is missed goes without a restriction."""


def lint_patterns(material: Material) -> Iterator[Diagnostic]:
    """Every finding about a pattern; a pattern of a `scopes` set is looked at once for each kind of rule."""
    seen: set[tuple[str, int, bool]] = set()
    for kind, pattern in _patterns(material):
        key = (pattern.span.source.name, pattern.span.start, kind in _STRICT)
        if key in seen:
            continue
        seen.add(key)
        if material.capabilities is None:
            if kind in _STRICT and _stops_short(pattern):
                yield _short(pattern, f"`{pattern.text}` covers one segment only and misses deeper scopes")
        else:
            yield from _against(material.capabilities, kind, pattern)


def _patterns(material: Material) -> Iterator[tuple[str, ir.ActionPattern]]:
    for view in material.views:
        for pattern in view.patterns or ():
            yield view.kind, pattern
        for pattern in _inside(material, view):
            yield view.kind if view.kind == "separation" else "condition", pattern
    for default in material.program.defaults:
        for pattern in default.patterns or ():
            yield "default", pattern


def _inside(material: Material, view: View) -> Iterator[ir.ActionPattern]:
    if isinstance(view.node, ir.Separation) and isinstance(view.node.form, ir.DifferentPeople):
        for step in view.node.form.steps:
            yield from step.patterns
    for condition in view.conditions:
        for node in material.nodes(condition.expression, ir.Matches):
            yield from node.patterns


def _stops_short(pattern: ir.ActionPattern) -> bool:
    return isinstance(pattern, ir.ScopePattern) and len(pattern.segments) > 1 and pattern.segments[-1] == ANY_SEGMENT


def _short(pattern: ir.ActionPattern, message: str) -> Diagnostic:
    help = f"write `{pattern.text}*` to cover every depth"
    return finding("lint.star_stops_short", message, pattern.span, help=help)


def _against(capabilities: CatalogIndex, kind: str, pattern: ir.ActionPattern) -> Iterator[Diagnostic]:
    matched = capabilities.matching(pattern)
    otherwise = capabilities.in_other_case(pattern) if isinstance(pattern, ir.ScopePattern) else []
    if otherwise:
        yield finding(
            "lint.case_differs",
            f"`{pattern.text}` and {listed(otherwise)} of the catalog differ only in case, so they do not match",
            pattern.span,
            help="scopes are compared character by character; write both the same way",
        )
    elif isinstance(pattern, ir.ScopePattern) and _stops_short(pattern):
        deep = ir.ScopePattern(span=pattern.span, segments=(*pattern.segments[:-1], ANY_SEGMENTS))
        below = {item.scope for item in capabilities.matching(deep) if item.scope is not None}
        missed = sorted(below - {item.scope for item in matched})
        if missed and (matched or kind in _STRICT):
            yield _short(
                pattern,
                f"`{pattern.text}` covers {len(below) - len(missed)} of {len(below)} scopes of the catalog below "
                f"`{'.'.join(pattern.segments[:-1])}`: it misses {listed(missed)}",
            )
            return
    if not matched and not otherwise:
        near = _near(capabilities, pattern)
        yield finding(
            "lint.no_capability",
            f"`{pattern.text}` matches no capability of the catalog",
            pattern.span,
            help=None if near is None else f"did you mean `{near}`?",
        )


def _near(capabilities: CatalogIndex, pattern: ir.ActionPattern) -> str | None:
    """What was probably meant: a scope, or the same pattern below another prefix; for a glob an id."""
    if not isinstance(pattern, ir.ScopePattern):
        return capabilities.suggest(pattern.glob, capabilities.ids)
    words = [segment for segment in pattern.segments if segment not in {ANY_SEGMENT, ANY_SEGMENTS}]
    if len(words) == len(pattern.segments):
        return capabilities.suggest(pattern.text, capabilities.scopes)
    prefix = pattern.segments[: len(words)]
    if list(prefix) != words:
        return None
    found = capabilities.suggest(".".join(words), capabilities.prefixes(len(words)))
    return None if found is None else ".".join((found, *pattern.segments[len(words) :]))
