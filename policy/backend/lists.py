"""Membership in lists, long ones without comparing every pair: `in` and `has` are an `or` of equalities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from policy.backend.operations import Answer, fold
from policy.backend.problems import least, problem, written
from policy.ir import nodes as ir
from policy.source.limits import Limits
from policy.types.comparison import any_holds, contains, equal, kind_of
from policy.types.numbers import as_decimal, is_number
from policy.types.values import Unevaluable

_SCANNED_ITEMS = 8
"""Lists up to this length are compared item by item."""
_KEYED_KINDS = frozenset({"a string", "a boolean", "a number"})


class Parts(NamedTuple):
    """The items of a list.

    `steady`: no item is unevaluable, and the list is the same object whenever it is read again. `data`: it comes
    from the facts, so its length is not the author's.
    """

    items: list[object]
    steady: bool
    data: bool


class Membership:
    """The items of one list arranged for look-up, with the answers of `comparison.contains`."""

    __slots__ = ("_keys", "_kinds", "_others")

    def __init__(self, items: Sequence[object]) -> None:
        self._keys: set[tuple[str, object]] = set()
        self._kinds: set[str] = set()
        self._others: list[object] = []
        for item in items:
            kind = kind_of(item)
            self._kinds.add(kind)
            key = _key(kind, item)
            if key is None:
                self._others.append(item)
            else:
                self._keys.add(key)

    def comparisons(self, item: object) -> int:
        """How many items must be compared one by one to look for another one."""
        return 0 if kind_of(item) in _KEYED_KINDS else len(self._others)

    def holds(self, item: object) -> bool | None:
        """Kleene's `or` of the equality with every item."""
        kind = kind_of(item)
        key = _key(kind, item)
        if key is None:
            answer = any_holds(equal(part, item) for part in self._others)
            return None if answer is False and self._kinds & _KEYED_KINDS else answer
        if key in self._keys:
            return True
        return None if self._kinds - {kind} else False


def _key(kind: str, item: object) -> tuple[str, object] | None:
    if is_number(item):
        return kind, as_decimal(item)
    return (kind, item) if isinstance(item, str | bool) else None


class ListSearch:
    """Answers `in` and `has` for one evaluation; a list of data is arranged once, however often it is searched."""

    __slots__ = ("_iterations", "_memberships")

    def __init__(self, limits: Limits) -> None:
        self._iterations = limits.iterations
        # Keyed by identity: each entry holds its list, so that no identity comes back while it lives.
        self._memberships: dict[int, tuple[list[object], Membership]] = {}

    def holds(self, node: ir.In | ir.Has, parts: Parts, item: object, times: int) -> Answer:
        """Whether a list has an item; `times` is how often it is searched in all."""
        if isinstance(item, Unevaluable):
            return item
        if not parts.steady:
            return _among_unsteady(node, parts.items, item)
        if len(parts.items) <= _SCANNED_ITEMS:
            answer = contains(parts.items, item)
        else:
            membership = self._membership(parts.items)
            if times * membership.comparisons(item) > self._iterations:
                return self.too_long(node.container)
            answer = membership.holds(item)
        return _unlike(node) if answer is None else answer

    def shares(self, node: ir.Has, parts: Parts, wanted: Parts, times: int) -> Answer:
        """Whether a list has any of the wanted items: the shorter list is walked, the longer one searched."""
        if not (parts.steady and wanted.steady):
            return fold((self.holds(node, parts, item, times) for item in wanted.items), decisive=True)
        short, long = sorted((wanted, parts), key=lambda side: len(side.items))
        searches = times * len(short.items)
        if parts.data and wanted.data and searches > self._iterations:
            return self.too_long(node.container)
        return fold((self.holds(node, long, item, searches) for item in short.items), decisive=True)

    def too_long(self, node: ir.Expression) -> Unevaluable:
        """The reason that a bound was passed."""
        return problem(node, f"is too long: no more than {self._iterations} items are walked")

    def _membership(self, items: list[object]) -> Membership:
        known = self._memberships.get(id(items))
        if known is not None:
            return known[1]
        made = Membership(items)
        self._memberships[id(items)] = (items, made)
        return made


def _among_unsteady(node: ir.In | ir.Has, items: list[object], item: object) -> Answer:
    reason = least(items)
    answer = contains([part for part in items if not isinstance(part, Unevaluable)], item)
    if answer is True:
        return True
    if answer is None:
        unlike = _unlike(node)
        return least((reason, unlike)) or unlike
    return False if reason is None else reason


def _unlike(node: ir.In | ir.Has) -> Unevaluable:
    told = node.item if isinstance(written(node.container), ir.ListValue | ir.Constant) else node.container
    return problem(told, "is compared with a value of another type")
