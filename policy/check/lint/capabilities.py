"""A catalog by scope, and what its schemas say of a path, each asked once in a run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile

from policy.check.catalog import CapabilityFacts, Catalog
from policy.check.lint import schema
from policy.check.lint.misspelt import Words, corrected, words_of
from policy.check.lint.walk import Path
from policy.ir import nodes as ir
from policy.ir.patterns import matches_action
from policy.source.records import dataclass
from policy.source.suggest import closest, did_you_mean
from policy.types.patterns import ANY_SEGMENT, ANY_SEGMENTS

_SUGGESTIONS = 20
"""Patterns that one run suggests something for: where more match nothing, the catalog is another one."""


class _Scopes:
    """Scopes in order, by their segments from the front and from the back, each with what it stands for."""

    def __init__(self, found: Iterable[tuple[str, str]]) -> None:
        pairs = list(found)
        self._forward = sorted((_key(scope.split(".")), value) for scope, value in pairs)
        self._backward = sorted((_key(scope.split(".")[::-1]), value) for scope, value in pairs)

    def near(self, segments: Sequence[str]) -> Iterator[str]:
        """What stands for the scopes that begin, or behind a leading wildcard end, with the words of a pattern."""
        if segments[0] in {ANY_SEGMENT, ANY_SEGMENTS}:
            return _starting(self._backward, _words(segments[::-1]))
        return _starting(self._forward, _words(segments))


def _key(segments: Sequence[str]) -> str:
    """Segments with an end behind each, so that `a.b` does not begin like `a.bc`."""
    return "".join(f"{segment}." for segment in segments)


def _words(segments: Sequence[str]) -> str:
    """The key of the segments before the first wildcard."""
    return _key(list(takewhile(lambda segment: segment not in {ANY_SEGMENT, ANY_SEGMENTS}, segments)))


def _starting(ordered: Sequence[tuple[str, str]], start: str) -> Iterator[str]:
    for at in range(bisect_left(ordered, (start, "")), len(ordered)):
        if not ordered[at][0].startswith(start):
            return
        yield ordered[at][1]


@dataclass(frozen=True, kw_only=True)
class Found:
    """What the schemas of some capabilities say of one path of the input."""

    declared: tuple[tuple[CapabilityFacts, schema.Place], ...]
    """Capabilities whose schema names the path."""
    open: tuple[CapabilityFacts, ...]
    """Capabilities whose schema leaves room for it."""
    closed: tuple[CapabilityFacts, ...]
    """Capabilities whose valid inputs never have it."""
    path: Path

    @cached_property
    def suggestion(self) -> str | None:
        """Help for a path that no schema names: a member beside the first step that is unknown."""
        for depth, step in enumerate(self.path.steps):
            known: set[str] = set()
            for capability in (*self.closed, *self.open) if isinstance(step, str) else ():
                place = schema.locate(capability.input_schema, replace(self.path, steps=self.path.steps[:depth]))
                if place is not None:
                    known |= schema.members(place.schema, capability.input_schema)
            if isinstance(step, str) and step not in known:
                return did_you_mean(step, known)
        return None

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
        self._by_scope: dict[str, list[CapabilityFacts]] = {}
        for capability in catalog.capabilities:
            if capability.scope is not None:
                self._by_scope.setdefault(capability.scope, []).append(capability)
        folded = [(scope.casefold(), scope) for scope in self._by_scope]
        self._exact = _Scopes((scope, scope) for scope in self._by_scope)
        self._folded = _Scopes(folded)
        self._cased = _Scopes((lower, scope) for lower, scope in folded if lower != scope)
        self._prefixes: dict[int, frozenset[str]] = {}
        self._suggested: dict[str, str | None] = {}
        self._matching: dict[str, tuple[CapabilityFacts, ...]] = {}
        self._found: dict[tuple[frozenset[str] | None, Path], Found] = {}

    @cached_property
    def scopes(self) -> tuple[str, ...]:
        """Every scope, once, in order."""
        return tuple(sorted(self._by_scope))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Every capability id."""
        return tuple(capability.id for capability in self.capabilities)

    def prefixes(self, length: int) -> Collection[str]:
        """What the scopes start with: so many segments of each."""
        if length not in self._prefixes:
            self._prefixes[length] = frozenset(".".join(scope.split(".")[:length]) for scope in self.scopes)
        return self._prefixes[length]

    def suggest(self, word: str, candidates: Collection[str]) -> str | None:
        """The candidate most like a word; None once this run has suggested often, so that time stays bounded."""
        if word not in self._suggested:
            if len(self._suggested) >= _SUGGESTIONS:
                return None
            self._suggested[word] = closest(word, candidates)
        return self._suggested[word]

    @cached_property
    def _words(self) -> Words:
        return Words(word for text in (*self.scopes, *self.ids) for word in words_of(text))

    def corrected(self, pattern: ir.ActionPattern) -> str | None:
        """The pattern one slip of the hand away that matches a capability, or None."""
        return corrected(pattern, self._words, lambda other: bool(self.matching(other)))

    def in_other_case(self, pattern: ir.ScopePattern) -> list[str]:
        """Scopes that the pattern would match if case did not count."""
        folded = ir.ScopePattern(span=pattern.span, segments=tuple(segment.casefold() for segment in pattern.segments))
        # A pattern in lower case can only miss scopes that are not.
        scopes = self._cased if folded.segments == pattern.segments else self._folded
        return sorted(
            scope
            for scope in scopes.near(folded.segments)
            if matches_action(folded, scope.casefold(), "") and not matches_action(pattern, scope, "")
        )

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
        else:
            for scope in self._exact.near(pattern.segments):
                yield from self._by_scope[scope]

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
        return Found(declared=tuple(declared), open=tuple(spacious), closed=tuple(closed), path=path)
