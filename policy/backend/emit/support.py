"""What generated functions call: the language's own operations, and the sign that a function has no plain answer.

A generated function answers only where every value it reads is there and of the type the operation takes. Anywhere
else it gives `UNANSWERED`, and whoever called it asks the reference interpreter, which says why there is no answer.
So no message is made twice, and a function can only be right or silent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from policy.backend import arithmetic, operations
from policy.ir import nodes as ir
from policy.types import functions
from policy.types.comparison import equal, ordered
from policy.types.values import MISSING, Timestamp, Unevaluable
from policy.types.zones import within_window


class _Unanswered(Enum):
    UNANSWERED = "unanswered"


UNANSWERED = _Unanswered.UNANSWERED
"""The sign that only the interpreter can tell."""


class Facts(dict[str, Any]):
    """Runtime values by built-in name, and what functions remember of definitions under names with `@`.

    Looking up a name without a value by `[]` gives MISSING. Belongs to one decision and one thread.
    """

    __slots__ = ()

    def __missing__(self, name: str) -> object:
        return MISSING

    def extended(self, extra: Mapping[str, object]) -> Facts:
        """These facts and a few more names; what is remembered of definitions may depend on them and is left out."""
        further = self._fresh()
        further.update({name: value for name, value in self.items() if name[0] != "@"})
        further.update(extra)
        return further

    def _fresh(self) -> Facts:
        return Facts()


Function = Callable[[Facts], object]
"""A generated function: a runtime value, or UNANSWERED."""

LONGEST = 1_000
"""Lists of data up to this length are searched by generated functions; longer ones are left to the interpreter."""


def text_among(items: object, item: object) -> object:
    """Whether a list of texts has a text."""
    if type(items) is not list or type(item) is not str or len(items) > LONGEST:
        return UNANSWERED
    if item in items:
        return True
    for each in items:
        if type(each) is not str:
            return UNANSWERED
    return False


def any_text_among(items: object, wanted: frozenset[str]) -> object:
    """Whether a list of texts has one of the wanted texts."""
    if type(items) is not list or len(items) > LONGEST:
        return UNANSWERED
    found = False
    for each in items:
        if type(each) is not str:
            return UNANSWERED
        found = found or each in wanted
    return found


def same(left: object, right: object) -> object:
    """`left == right`, where both are of one type."""
    if type(left) is str and type(right) is str:
        return left == right
    answer = equal(left, right)
    return UNANSWERED if answer is None else answer


def different(left: object, right: object) -> object:
    """`left != right`, where both are of one type."""
    answer = same(left, right)
    return answer if answer is UNANSWERED else not answer


def in_order(operator: str, left: object, right: object) -> object:
    """`left < right` and its like, where both have an order in common."""
    answer = ordered(operator, left, right)
    return UNANSWERED if answer is None else answer


def known(value: object) -> object:
    """The value of an operation, where it has one."""
    return UNANSWERED if value is MISSING or value is None or type(value) is Unevaluable else value


def apply(function: functions.Function, zone: ZoneInfo | None, value: object) -> object:
    """A function of the language, for an argument of the type it takes."""
    if not isinstance(value, function.accepts):
        return None
    return function.implementation(value) if zone is None else function.implementation(value, zone)


def in_window(node: ir.Within, zone: ZoneInfo, value: object) -> object:
    """`ts within DAYS TIMES in "Zone"`."""
    return within_window(value, node.days, node.start, node.end, zone) if isinstance(value, Timestamp) else None


HELPERS: Mapping[str, object] = MappingProxyType(
    {
        "@unanswered": UNANSWERED,
        "@missing": MISSING,
        "@type": type,
        "@len": len,
        "@str": str,
        "@int": int,
        "@float": float,
        "@bool": bool,
        "@list": list,
        "@dict": dict,
        "@text_among": text_among,
        "@any_text_among": any_text_among,
        "@same": same,
        "@different": different,
        "@in_order": in_order,
        "@known": known,
        "@member": operations.member,
        "@combine": arithmetic.combine,
        "@negative": arithmetic.negative,
        "@in_network": operations.in_network,
        "@path_inside": operations.path_inside,
        "@matches": operations.matches,
        "@in_window": in_window,
        "@apply": apply,
    }
)
"""The only names that generated code may use beside its own constants, variables and functions."""
