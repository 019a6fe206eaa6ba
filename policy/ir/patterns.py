"""Patterns and actions: what a pattern matches, and how two patterns relate."""

from __future__ import annotations

from collections.abc import Iterable

from policy.ir import nodes as ir
from policy.types.patterns import (
    ANY_SEGMENT,
    glob_matches,
    identifier_is_wellformed,
    scope_matches,
    segments_match,
    split_runs,
)

_FRESH_SEGMENT = ""
"""No segment of any pattern: what `*` and `**` stand for when patterns are compared."""
_FRESH_CHARACTER = "\0"
"""No character of any id."""


def matches_action(pattern: ir.ActionPattern, scope: str | None, capability_id: str) -> bool:
    """Whether a pattern matches an action: its capability's scope (None: it has none) or its capability id.

    A scope or an id that is not well-formed matches nothing.
    """
    if isinstance(pattern, ir.ScopePattern):
        return scope is not None and scope_matches(pattern.segments, scope)
    return identifier_is_wellformed(capability_id) and glob_matches(pattern.glob, capability_id)


def matches_any(patterns: Iterable[ir.ActionPattern], scope: str | None, capability_id: str) -> bool:
    """Whether one of the patterns matches an action."""
    return any(matches_action(pattern, scope, capability_id) for pattern in patterns)


def covers(wider: ir.ActionPattern, narrower: ir.ActionPattern) -> bool:
    """Whether every action that `narrower` matches is surely matched by `wider` too.

    A scope pattern and a capability glob say nothing of each other, so neither covers the other.
    """
    match wider, narrower:
        case ir.ScopePattern(), ir.ScopePattern():
            return segments_cover(wider.segments, narrower.segments)
        case ir.CapabilityGlob(), ir.CapabilityGlob():
            # A star of `wider` that takes a character no id has takes any run in its place.
            return glob_matches(wider.glob, narrower.glob.replace("*", _FRESH_CHARACTER))
        case _:
            return False


def overlaps(one: ir.ActionPattern, other: ir.ActionPattern) -> bool:
    """Whether some action can be matched by both. A scope pattern and a capability glob always can."""
    match one, other:
        case ir.ScopePattern(), ir.ScopePattern():
            return segments_overlap(one.segments, other.segments)
        case ir.CapabilityGlob(), ir.CapabilityGlob():
            return _globs_overlap(one.glob, other.glob)
        case _:
            return True


def segments_cover(wider: tuple[str, ...], narrower: tuple[str, ...]) -> bool:
    """Whether every scope that the segments `narrower` match is matched by `wider` (scope length aside)."""
    body, leading, trailing = split_runs(narrower)
    # Words that no pattern spells are the hardest scopes of `narrower`; its runs matter only as none or as longer
    # than all of `wider`, since more words never hinder what an end with `**` takes and always break one without.
    sample = [_FRESH_SEGMENT if segment == ANY_SEGMENT else segment for segment in body]
    run = [_FRESH_SEGMENT] * (len(wider) + 1)
    return all(
        segments_match(wider, [*before, *sample, *behind])
        for before in (([], run) if leading else ([],))
        for behind in (([], run) if trailing else ([],))
    )


def segments_overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether some scope is matched by both (scope length aside)."""
    first, first_leading, first_trailing = split_runs(one)
    second, second_leading, second_trailing = split_runs(other)
    for shift in range(-len(second), len(first) + 1):
        # `second` begins `shift` words behind `first`; whichever begins later or ends sooner must allow more words.
        ends = len(first) - (shift + len(second))
        if (shift < 0 and not first_leading) or (shift > 0 and not second_leading):
            continue
        if (ends < 0 and not first_trailing) or (ends > 0 and not second_trailing):
            continue
        low, high = max(0, shift), min(len(first), shift + len(second))
        if all(_agree(first[at], second[at - shift]) for at in range(low, high)):
            return True
    return False


def _agree(one: str, other: str) -> bool:
    return ANY_SEGMENT in (one, other) or one == other


def _globs_overlap(one: str, other: str) -> bool:
    # reachable[j]: some text is matched by what was read of `one` and by the first j characters of `other`.
    reachable = [not other[:j].strip("*") for j in range(len(other) + 1)]
    for mark in one:
        following = [reachable[0] and mark == "*"]
        for j, character in enumerate(other):
            if "*" in (mark, character):
                following.append(following[j] or reachable[j + 1])
            else:
                following.append(reachable[j] and mark == character)
        reachable = following
    return reachable[-1]
