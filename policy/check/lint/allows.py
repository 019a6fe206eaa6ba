"""Allows that say too much, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from policy.check.catalog import CapabilityFacts
from policy.check.lint.conditions import sign_of
from policy.check.lint.finding import finding, heading
from policy.check.lint.material import Material
from policy.check.lint.views import View
from policy.check.lint.walk import Signed
from policy.ir import nodes as ir
from policy.ir.patterns import covers
from policy.source.diagnostic import Diagnostic, Related
from policy.types.patterns import ANY_SEGMENTS

_COMPARED = 100
"""Denies with a condition that one allow is held against."""


def lint_allows(material: Material) -> Iterator[Diagnostic]:
    """Every finding about an `allow`."""
    for view in material.views:
        if view.kind != "allow" or view.patterns is None:
            continue
        for pattern in view.patterns:
            if _takes_everything(pattern):
                yield finding(
                    "lint.allows_everything",
                    f"`{pattern.text}` allows every capability, also those that are added later",
                    pattern.span,
                    help="name the scopes that this route needs, such as `order.**`",
                )
            yield from _shadowed(material, view, pattern)


def _takes_everything(pattern: ir.ActionPattern) -> bool:
    if isinstance(pattern, ir.ScopePattern):
        return pattern.segments == (ANY_SEGMENTS,)
    return not pattern.glob.strip("*")


def _shadowed(material: Material, view: View, pattern: ir.ActionPattern) -> Iterator[Diagnostic]:
    deny = _culprit(material, view, pattern)
    if deny is not None:
        yield _finding(pattern, _named(deny, pattern), deny)
        return
    capabilities = material.capabilities
    matched = () if capabilities is None else capabilities.matching(pattern)
    culprits = []
    for capability in matched:
        exact = _exactly(capability, pattern)
        deny = None if exact.text == pattern.text else _culprit(material, view, exact)
        if deny is None:
            return
        culprits.append(deny)
    if culprits:
        yield _finding(pattern, "denies of every capability of the catalog that it matches", culprits[0])


def _culprit(material: Material, view: View, pattern: ir.ActionPattern) -> View | None:
    """A deny that holds wherever the allow of this pattern grants."""
    always, sometimes = material.denies
    deny = next(always.covering(pattern, view.routes), None)
    if deny is not None or not view.conditions:
        return deny
    candidates = islice(sometimes.covering(pattern, view.routes), _COMPARED)
    return next((deny for deny in candidates if _denies_whenever(material, deny, view)), None)


def _exactly(capability: CapabilityFacts, pattern: ir.ActionPattern) -> ir.ActionPattern:
    """The pattern of this one capability."""
    if isinstance(pattern, ir.ScopePattern) and capability.scope is not None:
        return ir.ScopePattern(span=pattern.span, segments=tuple(capability.scope.split(".")))
    return ir.CapabilityGlob(span=pattern.span, glob=capability.id)


def _denies_whenever(material: Material, deny: View, allow: View) -> bool:
    """Whether the deny applies whenever the allow would grant."""
    # Wherever the allow grants, all of its conditions are true; then no condition of the deny may be switched off.
    granted = [sign_of(condition) for condition in allow.conditions]
    return all(
        material.contradictions.never_true([*granted, Signed(condition.expression, condition.label == "unless")])
        for condition in deny.conditions
    )


def _named(deny: View, pattern: ir.ActionPattern) -> str:
    if deny.patterns is None:
        return deny.title.replace("this ", "a ")
    wider = next(own for own in deny.patterns if covers(own, pattern))
    return f"{deny.title.replace('this `deny`', 'the deny')} of `{wider.text}`"


def _finding(pattern: ir.ActionPattern, by: str, deny: View) -> Diagnostic:
    return finding(
        "lint.allow_shadowed",
        f"this allow of `{pattern.text}` grants nothing: it is wholly covered by {by}",
        pattern.span,
        help="a deny always wins; narrow the deny with `unless`, or drop the allow",
        related=(Related(message="denied here", span=heading(deny.span)),),
    )
