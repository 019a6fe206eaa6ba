"""Indexes over patterns and over a catalog, so that no pass compares every rule with every other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Generic, TypeVar

from policy.check.catalog import CapabilityFacts, Catalog
from policy.check.lint import schema
from policy.check.lint.views import View
from policy.check.lint.walk import Path
from policy.ir import nodes as ir
from policy.ir.patterns import covers, matches_action, overlaps
from policy.source.suggest import closest
from policy.types.patterns import ANY_SEGMENT, ANY_SEGMENTS

T = TypeVar("T")
_COMPARISONS = 200_000
"""Words that the suggestions of one run may look at."""


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


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the schemas of some capabilities say of one path of the input."""

    declared: tuple[tuple[CapabilityFacts, schema.Place], ...]
    """Capabilities whose schema names the path."""
    open: tuple[CapabilityFacts, ...]
    """Capabilities whose schema leaves room for it."""
    closed: tuple[CapabilityFacts, ...]
    """Capabilities whose valid inputs never have it."""

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """The ids of capabilities whose valid inputs may lack it."""
        optional = [capability.id for capability, place in self.declared if not place.required]
        return (*optional, *(capability.id for capability in (*self.open, *self.closed)))

    @cached_property
    def types(self) -> tuple[frozenset[str], ...]:
        """The JSON types that each schema which names the path allows there."""
        return tuple(schema.types(place.schema, capability.input_schema) for capability, place in self.declared)

    @cached_property
    def all_types(self) -> frozenset[str]:
        """The JSON types that some schema allows there."""
        return frozenset[str]().union(*self.types)

    @cached_property
    def listings(self) -> tuple[tuple[object, ...] | None, ...]:
        """The values that each schema which names the path enumerates; None where it does not."""
        return tuple(schema.values(place.schema, capability.input_schema) for capability, place in self.declared)

    @cached_property
    def listed(self) -> tuple[object, ...] | None:
        """The values that all of the schemas enumerate; None where one does not."""
        return None if None in self.listings else tuple(item for each in self.listings for item in each or ())

    @cached_property
    def negative(self) -> tuple[str, ...]:
        """The ids of capabilities whose schema takes numbers only, those below zero too."""
        return tuple(
            capability.id
            for (capability, place), types in zip(self.declared, self.types, strict=True)
            if types <= {"number", "null"} and schema.admits_negative(place.schema, capability.input_schema)
        )

    @cached_property
    def several(self) -> tuple[str, ...]:
        """The ids of capabilities whose schema leaves more than one value."""
        return tuple(
            capability.id
            for (capability, _), listing in zip(self.declared, self.listings, strict=True)
            if listing is None or len(listing) > 1
        )

    def never_less(self, keyword: str) -> bool:
        """Whether every schema asks for at least one by `minLength`, `minItems` or the like."""
        return all(
            schema.at_least_one(place.schema, capability.input_schema, keyword) for capability, place in self.declared
        )


class CatalogIndex:
    """A catalog by scope, with what was asked of it remembered for one run."""

    def __init__(self, catalog: Catalog) -> None:
        self.capabilities = catalog.capabilities
        by_scope: dict[str, list[CapabilityFacts]] = {}
        for capability in catalog.capabilities:
            if capability.scope is not None:
                by_scope.setdefault(capability.scope, []).append(capability)
        self._by_scope = by_scope
        self.scopes = tuple(sorted(by_scope))
        """Every scope, once, in order."""
        self._folded = sorted((scope.casefold(), scope) for scope in by_scope)
        self._prefixes: dict[int, frozenset[str]] = {}
        self._suggested: dict[str, str | None] = {}
        self._comparisons = _COMPARISONS
        self._matching: dict[str, tuple[CapabilityFacts, ...]] = {}
        self._found: dict[tuple[frozenset[str] | None, Path], Found] = {}

    def suggest(self, word: str, candidates: Collection[str]) -> str | None:
        """The candidate most like a word; None once this run has compared very many, so that time stays bounded."""
        if word not in self._suggested:
            self._comparisons -= len(candidates)
            self._suggested[word] = closest(word, candidates) if self._comparisons >= 0 else None
        return self._suggested[word]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Every capability id."""
        return tuple(capability.id for capability in self.capabilities)

    def prefixes(self, length: int) -> Collection[str]:
        """What the scopes start with: so many segments of each."""
        if length not in self._prefixes:
            self._prefixes[length] = frozenset(".".join(scope.split(".")[:length]) for scope in self.scopes)
        return self._prefixes[length]

    def folded(self, segments: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Scopes in lower case, each with itself, that start like a pattern in lower case."""
        start = _prefix(segments)
        for at in range(bisect_left(self._folded, (start, "")), len(self._folded)):
            if not self._folded[at][0].startswith(start):
                return
            yield self._folded[at]

    def matching(self, pattern: ir.ActionPattern) -> tuple[CapabilityFacts, ...]:
        """The capabilities that a pattern matches."""
        known = self._matching.get(pattern.text)
        if known is None:
            known = tuple(item for item in self._near(pattern) if matches_action(pattern, item.scope, item.id))
            self._matching[pattern.text] = known
        return known

    def _near(self, pattern: ir.ActionPattern) -> Iterator[CapabilityFacts]:
        if not isinstance(pattern, ir.ScopePattern):
            yield from self.capabilities
            return
        start = _prefix(pattern.segments)
        for at in range(bisect_left(self.scopes, start), len(self.scopes)):
            if not self.scopes[at].startswith(start):
                return
            yield from self._by_scope[self.scopes[at]]

    def concerned(self, patterns: Iterable[ir.ActionPattern] | None) -> tuple[CapabilityFacts, ...]:
        """The capabilities that any of the patterns matches, each once; all for None."""
        if patterns is None:
            return self.capabilities
        found = {capability.id: capability for pattern in patterns for capability in self.matching(pattern)}
        return tuple(found.values())

    def find(self, patterns: tuple[ir.ActionPattern, ...] | None, path: Path) -> Found:
        """What the input schemas of the capabilities concerned say of a path of the input."""
        key = (None if patterns is None else frozenset(pattern.text for pattern in patterns), path)
        known = self._found.get(key)
        if known is None:
            known = self._look(self.concerned(patterns), path)
            self._found[key] = known
        return known

    def _look(self, capabilities: Iterable[CapabilityFacts], path: Path) -> Found:
        declared, spacious, closed = [], [], []
        places: dict[int, schema.Place | None] = {}
        for capability in capabilities:
            schema_of = id(capability.input_schema)
            if schema_of not in places:
                places[schema_of] = schema.locate(capability.input_schema, path)
            place = places[schema_of]
            if place is None:
                closed.append(capability)
            elif place.declared:
                declared.append((capability, place))
            else:
                spacious.append(capability)
        return Found(declared=tuple(declared), open=tuple(spacious), closed=tuple(closed))


def _prefix(segments: Sequence[str]) -> str:
    """The text before the first wildcard."""
    words = list(takewhile(lambda segment: segment not in {ANY_SEGMENT, ANY_SEGMENTS}, segments))
    return ".".join(words) if len(words) == len(segments) else ".".join([*words, ""]) if words else ""
