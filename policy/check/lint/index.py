"""Indexes over patterns, so that no pass compares every rule with every other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from policy.check.lint.views import View
from policy.ir import nodes as ir
from policy.ir.patterns import covers, overlaps
from policy.source.records import dataclass
from policy.types.patterns import ANY_SEGMENT, ANY_SEGMENTS

T = TypeVar("T")


@dataclass(slots=True)
class _Branch(Generic[T]):
    below: dict[str, _Branch[T]] = field(default_factory=dict)
    here: list[tuple[ir.ScopePattern, T]] = field(default_factory=list)


class PatternIndex(Generic[T]):
    """Things found by their scope patterns; globs and patterns with `**` at both ends are few and looked at in turn."""

    def __init__(self, entries: Iterable[tuple[ir.ActionPattern, T]]) -> None:
        self._forward: _Branch[T] = _Branch()
        self._backward: _Branch[T] = _Branch()
        self._globs: list[tuple[ir.ActionPattern, T]] = []
        self._others: list[tuple[ir.ActionPattern, T]] = []
        for pattern, entry in entries:
            if not isinstance(pattern, ir.ScopePattern):
                self._globs.append((pattern, entry))
            elif _open_start(pattern) and _open_end(pattern):
                self._others.append((pattern, entry))
            elif _open_start(pattern):
                _insert(self._backward, pattern, tuple(reversed(pattern.segments)), entry)
            else:
                _insert(self._forward, pattern, pattern.segments, entry)

    def covering(self, pattern: ir.ActionPattern) -> Iterator[tuple[ir.ActionPattern, T]]:
        """The entries whose pattern covers this one."""
        return (found for found in self._near(pattern, wider=True) if covers(found[0], pattern))

    def overlapping(self, pattern: ir.ActionPattern) -> Iterator[tuple[ir.ActionPattern, T]]:
        """The entries whose pattern some action matches that matches this one too."""
        return (found for found in self._near(pattern, wider=False) if overlaps(found[0], pattern))

    def _near(self, pattern: ir.ActionPattern, *, wider: bool) -> Iterator[tuple[ir.ActionPattern, T]]:
        if not wider or not isinstance(pattern, ir.ScopePattern):
            yield from self._globs
        if not isinstance(pattern, ir.ScopePattern):
            if not wider:
                yield from self._others
                yield from _all(self._forward)
                yield from _all(self._backward)
            return
        yield from self._others
        yield from _walk(self._forward, pattern.segments, wider=wider)
        yield from _walk(self._backward, tuple(reversed(pattern.segments)), wider=wider)


def _open_start(pattern: ir.ScopePattern) -> bool:
    return pattern.segments[0] == ANY_SEGMENTS


def _open_end(pattern: ir.ScopePattern) -> bool:
    return pattern.segments[-1] == ANY_SEGMENTS and len(pattern.segments) > 1


def _insert(root: _Branch[T], pattern: ir.ScopePattern, segments: Sequence[str], entry: T) -> None:
    branch = root
    for segment in segments:
        branch = branch.below.setdefault(segment, _Branch())
    branch.here.append((pattern, entry))


def _all(branch: _Branch[T]) -> Iterator[tuple[ir.ActionPattern, T]]:
    stack = [branch]
    while stack:
        here = stack.pop()
        yield from here.here
        stack.extend(here.below.values())


def _walk(root: _Branch[T], segments: Sequence[str], *, wider: bool) -> Iterator[tuple[ir.ActionPattern, T]]:
    """Every entry that may cover (`wider`) or overlap the segments, and some that do not."""
    stack: list[tuple[_Branch[T], int]] = [(root, 0)]
    while stack:
        branch, at = stack.pop()
        rest = branch.below.get(ANY_SEGMENTS)
        if rest is not None:
            yield from _all(rest)
        if at == len(segments):
            yield from branch.here
            continue
        segment = segments[at]
        if segment == ANY_SEGMENTS:
            # Behind a prefix only `**` covers `**`; where `**` stands first, `*.**` may cover what follows it.
            if not wider or at + 1 < len(segments):
                yield from _all(branch)
        elif segment == ANY_SEGMENT and not wider:
            stack.extend((below, at + 1) for below in branch.below.values())
        else:
            stack.extend((branch.below[word], at + 1) for word in {segment, ANY_SEGMENT} if word in branch.below)


class RouteIndex:
    """Views by route, then by pattern; a view that holds on every route stands apart."""

    def __init__(self, found: Iterable[View]) -> None:
        groups: dict[str | None, list[View]] = {}
        self.everywhere = tuple(found)
        for view in self.everywhere:
            for route in (None,) if view.routes is None else view.routes:
                groups.setdefault(route, []).append(view)
        self._all: PatternIndex[View] = PatternIndex(entries(self.everywhere))
        self._groups = {route: PatternIndex(entries(views)) for route, views in groups.items()}

    def covering(self, pattern: ir.ActionPattern, routes: tuple[str, ...] | None) -> Iterator[View]:
        """The views that hold on all of the routes for all that the pattern matches."""
        for route in (None,) if routes is None else (None, routes[0]):
            for _, view in self._groups[route].covering(pattern) if route in self._groups else ():
                if view.routes is None or (routes is not None and set(routes) <= set(view.routes)):
                    yield view

    def overlapping(self, pattern: ir.ActionPattern, routes: tuple[str, ...] | None) -> Iterator[View]:
        """The views that hold on one of the routes for something that the pattern matches."""
        if routes is None:
            yield from (view for _, view in self._all.overlapping(pattern))
            return
        for route in (None, *routes):
            if route in self._groups:
                yield from (view for _, view in self._groups[route].overlapping(pattern))


def entries(found: Iterable[View]) -> Iterator[tuple[ir.ActionPattern, View]]:
    """Views by their patterns; one without patterns stands under `**` and under every capability."""
    for view in found:
        if view.patterns is None:
            yield ir.ScopePattern(span=view.span, segments=(ANY_SEGMENTS,)), view
            yield ir.CapabilityGlob(span=view.span, glob="*"), view
        else:
            for pattern in view.patterns:
                yield pattern, view
