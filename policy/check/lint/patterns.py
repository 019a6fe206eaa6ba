"""Patterns that miss what they seem to cover, or match nothing."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.lint.capabilities import CatalogIndex
from policy.check.lint.finding import finding, listed
from policy.check.lint.material import Material
from policy.check.lint.views import View
from policy.ir import nodes as ir
from policy.source.diagnostic import Diagnostic
from policy.source.records import dataclass
from policy.types.patterns import ANY_SEGMENT, ANY_SEGMENTS

_STRICT = frozenset({"deny", "clause deny", "require", "raise", "separation"})
"""Where a deeper scope that is missed goes without a restriction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """A pattern where a rule uses it."""

    pattern: ir.ActionPattern
    kind: str
    restricts: bool
    """Whether a pattern that matches too little lets something through."""
    view: View | None = None
    """The rule that it selects for."""


def lint_patterns(material: Material) -> Iterator[Diagnostic]:
    """Every finding about a pattern; a pattern of a `scopes` set is looked at once for each kind of rule."""
    seen: set[tuple[str, int, bool, bool]] = set()
    for use in _uses(material):
        pattern = use.pattern
        key = (pattern.span.source.name, pattern.span.start, use.kind in _STRICT, use.restricts)
        if key in seen:
            continue
        seen.add(key)
        if material.capabilities is not None:
            yield from _against(material, material.capabilities, use)
            continue
        if use.kind in _STRICT and _stops_short(pattern):
            yield _short(pattern, f"`{pattern.text}` covers one segment only and misses deeper scopes")
        if use.restricts and use.view is not None:
            yield from _near_allowed(material, pattern, use.view)


def _uses(material: Material) -> Iterator[_Use]:
    for view in material.views:
        restricts = view.kind != "allow"
        for pattern in view.patterns or ():
            yield _Use(pattern=pattern, kind=view.kind, restricts=restricts, view=view)
        yield from _inside(material, view)
    for default in material.program.defaults:
        for pattern in default.patterns or ():
            yield _Use(pattern=pattern, kind="default", restricts=True)


def _inside(material: Material, view: View) -> Iterator[_Use]:
    kind = view.kind if view.kind == "separation" else "condition"
    if isinstance(view.node, ir.Separation) and isinstance(view.node.form, ir.DifferentPeople):
        for step in view.node.form.steps:
            yield from (_Use(pattern=pattern, kind=kind, restricts=True) for pattern in step.patterns)
    for condition in view.conditions:
        for node in material.nodes(condition.expression, ir.Matches):
            for pattern in node.patterns:
                yield _Use(pattern=pattern, kind=kind, restricts=not condition.granting)


def _near_allowed(material: Material, pattern: ir.ActionPattern, view: View) -> Iterator[Diagnostic]:
    meant = material.meant(pattern, view)
    if meant is not None:
        message = f"no route allows `{pattern.text}`, and one allows `{meant}`: {view.title} may miss what it is for"
        yield finding("lint.near_allowed_scope", message, pattern.span, help=f"did you mean `{meant}`?")


def _stops_short(pattern: ir.ActionPattern) -> bool:
    return isinstance(pattern, ir.ScopePattern) and len(pattern.segments) > 1 and pattern.segments[-1] == ANY_SEGMENT


def _short(pattern: ir.ActionPattern, message: str) -> Diagnostic:
    help = f"write `{pattern.text}*` to cover every depth"
    return finding("lint.star_stops_short", message, pattern.span, help=help)


def _against(material: Material, capabilities: CatalogIndex, use: _Use) -> Iterator[Diagnostic]:
    pattern, kind = use.pattern, use.kind
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
        yield _matches_nothing(material, capabilities, use)


def _matches_nothing(material: Material, capabilities: CatalogIndex, use: _Use) -> Diagnostic:
    pattern = use.pattern
    message = f"`{pattern.text}` matches no capability of the catalog"
    # Whoever writes a scope at two places has not slipped.
    if use.restricts and material.mentions[pattern.text] < 2:
        meant = capabilities.corrected(pattern)
        if meant is None and use.view is not None:
            meant = material.meant(pattern, use.view)
        if meant is not None:
            message += ", so what it should hold back goes free"
            return finding("lint.misspelt_scope", message, pattern.span, help=f"did you mean `{meant}`?")
    near = _near(capabilities, pattern)
    return finding(
        "lint.no_capability", message, pattern.span, help=None if near is None else f"did you mean `{near}`?"
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
