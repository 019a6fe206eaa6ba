"""Which statements can concern an action: by route, by scope, then by equalities with what the runtime states.

Looking a statement up must never lose one. So the look-ups by route and pattern are exact (whatever the tables propose
is compared once more by the patterns themselves), and a statement is left out by an equality only where the value is
there, is text, and is another one: then that part of its condition is certainly false, and so is the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from policy.backend.problems import written
from policy.ir import nodes as ir
from policy.ir.patterns import matches_action
from policy.source.records import dataclass

Item = TypeVar("Item")

_ANY = "*"
_REST = "**"
_WORTH = 8
"""How many statements must share a path before they are arranged by it."""
_DEEPEST = 4
"""By how many paths in turn statements are arranged."""
_INDEXED_ROOTS = frozenset({"subject", "requester", "operator", "tenant", "region", "session", "credential", "context"})
"""What equalities are indexed on: what the runtime states, whatever the action's input is worth."""

Path = tuple[str, ...]
_Entry = tuple[int, ir.Expression | None, Item]
"""A statement with its position and its condition."""


@dataclass(slots=True)
class _Segments:
    """A node of a tree of segments."""

    below: dict[str, _Segments] = field(default_factory=dict)
    ending: list[int] = field(default_factory=list)
    """Patterns that end here, or go on with anything."""


class _Patterns:
    """Positions by pattern: proposes a superset of what matches."""

    __slots__ = ("_anything", "_exact", "_from_back", "_from_front", "_globs", "_ids")

    def __init__(self) -> None:
        self._anything: list[int] = []
        self._exact: dict[str, list[int]] = {}
        self._ids: dict[str, list[int]] = {}
        self._globs: list[int] = []
        self._from_front = _Segments()
        self._from_back = _Segments()

    def add(self, position: int, patterns: Sequence[ir.ActionPattern] | None) -> None:
        if patterns is None:
            self._anything.append(position)
            return
        for pattern in patterns:
            if isinstance(pattern, ir.CapabilityGlob):
                if _ANY in pattern.glob:
                    self._globs.append(position)
                else:
                    self._ids.setdefault(pattern.glob, []).append(position)
            elif _ANY not in pattern.segments and _REST not in pattern.segments:
                self._exact.setdefault(pattern.text, []).append(position)
            elif pattern.segments[0] == _REST:
                _insert(self._from_back, tuple(reversed(pattern.segments)), position)
            else:
                _insert(self._from_front, pattern.segments, position)

    def proposed(self, scope: str | None, capability_id: str) -> Iterator[int]:
        yield from self._anything
        yield from self._globs
        yield from self._ids.get(capability_id, ())
        if scope is not None:
            yield from self._exact.get(scope, ())
            segments = scope.split(".")
            yield from _walk(self._from_front, segments)
            yield from _walk(self._from_back, segments[::-1])


def _insert(tree: _Segments, segments: Sequence[str], position: int) -> None:
    for segment in segments:
        if segment == _REST:
            break
        tree = tree.below.setdefault(segment, _Segments())
    tree.ending.append(position)


def _walk(tree: _Segments, segments: Sequence[str]) -> Iterator[int]:
    reached = [tree]
    for segment in (*segments, None):
        for node in reached:
            yield from node.ending
        if segment is not None:
            reached = [node.below[step] for node in reached for step in (segment, _ANY) if step in node.below]


class RuleIndex(Generic[Item]):
    """Statements by route and pattern. Built once, then only read."""

    __slots__ = ("_by_route", "_items", "_patterns")

    def __init__(self, items: Sequence[tuple[Sequence[ir.ActionPattern] | None, tuple[str, ...] | None, Item]]) -> None:
        self._items = [item for _, _, item in items]
        self._patterns = [patterns for patterns, _, _ in items]
        self._by_route: dict[str | None, _Patterns] = {}
        for position, (patterns, routes, _) in enumerate(items):
            for route in (None,) if routes is None else routes:
                self._by_route.setdefault(route, _Patterns()).add(position, patterns)

    @property
    def routes(self) -> frozenset[str]:
        """The routes that statements name."""
        return frozenset(route for route in self._by_route if route is not None)

    def concerning(self, route: str | None, scope: str | None, capability_id: str) -> list[Item]:
        """The statements whose routes and patterns fit an action, in their order."""
        proposed: set[int] = set()
        for key in {None, route}:
            table = self._by_route.get(key)
            if table is not None:
                proposed.update(table.proposed(scope, capability_id))
        return [self._items[at] for at in sorted(proposed) if self._fits(self._patterns[at], scope, capability_id)]

    @staticmethod
    def _fits(patterns: Sequence[ir.ActionPattern] | None, scope: str | None, capability_id: str) -> bool:
        if patterns is None:
            return True
        return any(matches_action(pattern, scope, capability_id) for pattern in patterns)


class Arranged(Generic[Item]):
    """Statements arranged by equalities of their conditions. Built once, then only read."""

    __slots__ = ("_by_value", "_items", "_path", "_rest", "everything")

    everything: tuple[Item, ...]
    """All of them, in their order."""

    def __init__(self, items: Iterable[tuple[ir.Expression | None, Item]]) -> None:
        self._arrange([(position, when, item) for position, (when, item) in enumerate(items)], frozenset())

    def _arrange(self, items: Sequence[_Entry[Item]], used: frozenset[Path]) -> None:
        self._items = tuple((position, item) for position, _, item in items)
        self.everything = tuple(item for _, _, item in items)
        self._path: Path | None = None
        self._by_value: dict[str, Arranged[Item]] = {}
        self._rest: Arranged[Item] | None = None
        worth = len(items) >= _WORTH and len(used) < _DEEPEST
        equalities = [_equalities(when) for _, when, _ in items] if worth else []
        shared = Counter(path for each in equalities for path in each if path not in used)
        path, uses = max(shared.items(), key=lambda each: (each[1], each[0]), default=((), 0))
        if uses < _WORTH:
            return
        buckets: dict[str, list[_Entry[Item]]] = {}
        rest: list[_Entry[Item]] = []
        for entry, values in zip(items, equalities, strict=True):
            for value in values.get(path, ()):
                buckets.setdefault(value, []).append(entry)
            if path not in values:
                rest.append(entry)
        self._path = path
        self._by_value = {value: self._below(bucket, used | {path}) for value, bucket in buckets.items()}
        self._rest = self._below(rest, used | {path}) if rest else None

    @staticmethod
    def _below(items: Sequence[_Entry[Item]], used: frozenset[Path]) -> Arranged[Item]:
        made: Arranged[Item] = Arranged(())
        made._arrange(items, used)
        return made

    @property
    def is_flat(self) -> bool:
        """Whether nothing is arranged: all of them are possible, whatever the facts."""
        return self._path is None

    def possible(self, facts: Mapping[str, object]) -> tuple[Item, ...]:
        """Those that are not certainly false by an equality, in their order."""
        if self._path is None:
            return self.everything
        return tuple(item for _, item in sorted(self._possible(facts), key=lambda each: each[0]))

    def _possible(self, facts: Mapping[str, object]) -> tuple[tuple[int, Item], ...]:
        value = None if self._path is None else _value(facts, self._path)
        if type(value) is not str:
            return self._items
        bucket = self._by_value.get(value)
        found = () if bucket is None else bucket._possible(facts)
        return found if self._rest is None else (*found, *self._rest._possible(facts))


def _value(facts: Mapping[str, object], path: Path) -> object:
    value = facts.get(path[0])
    for step in path[1:]:
        if type(value) is not dict:
            return None
        value = value.get(step)
    return value


def _equalities(when: ir.Expression | None) -> dict[Path, frozenset[str]]:
    """Paths that must have one of a few texts for a condition not to be false, with these texts."""
    found: dict[Path, frozenset[str]] = {}
    stack = [] if when is None else [when]
    while stack:
        node = stack.pop()
        if isinstance(node, ir.And):
            stack.extend(node.operands)
            continue
        equality = _equality(node)
        if equality is not None:
            path, values = equality
            found[path] = found.get(path, values) & values
    return found


def _equality(node: ir.Expression) -> tuple[Path, frozenset[str]] | None:
    match node:
        case ir.Compare(operator="==", left=left, right=right):
            for read, fixed in ((left, right), (right, left)):
                if isinstance(fixed, ir.Constant) and type(fixed.value) is str:
                    path = _path(read)
                    return None if path is None else (path, frozenset({fixed.value}))
        case ir.In(item=item, negated=False):
            source = written(node.container)
            path = _path(item)
            if path is None or not isinstance(source, ir.ListValue):
                return None
            values = [each.value for each in source.items if isinstance(each, ir.Constant)]
            if len(values) == len(source.items) and all(type(value) is str for value in values):
                return path, frozenset(value for value in values if isinstance(value, str))
    return None


def _path(node: ir.Expression) -> Path | None:
    """A path of names into what the runtime states."""
    if not isinstance(node, ir.Read) or node.variable or node.root not in _INDEXED_ROOTS:
        return None
    steps = [step for step in node.steps if isinstance(step, str)]
    return (node.root, *steps) if len(steps) == len(node.steps) else None
