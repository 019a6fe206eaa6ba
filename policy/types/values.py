"""Runtime values of the language that JSON has no type for, and the two kinds of "no answer".

A runtime value is one of: str, bool, int or float (never NaN, never infinite; an integral float within
±(2^53−1) is an int), decimal.Decimal (only as a result of arithmetic), None (JSON null), list, dict with
str keys, Timestamp, Duration, TimeOfDay, RiskLevel, Sensitivity, ipaddress.IPv4Address, ipaddress.IPv6Address.
Words of a Vocabulary or a OneOf are plain str.
"""

from __future__ import annotations

from enum import Enum
from functools import total_ordering

from policy.source.records import dataclass


class _Missing(Enum):
    MISSING = "missing"


MISSING = _Missing.MISSING
"""What a path resolves to when a step finds nothing, or a null stands on the way or at the end."""


@dataclass(frozen=True, slots=True)
class Unevaluable:
    """The third truth value: why a condition has no answer (a value missing or ill-typed, a bound passed).

    `path` is the attribute as written (`input.amount`), `problem` a short clause such as "is missing".
    """

    path: str
    problem: str
    location: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """An instant: nanoseconds since 1970-01-01T00:00:00Z (RFC 3339 text with offset, at most 9 fraction digits)."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time in nanoseconds."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, order=True)
class TimeOfDay:
    """Nanoseconds from midnight on a wall clock."""

    nanoseconds: int


@total_ordering
class RiskLevel(Enum):
    """low < medium < high < critical."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for low … 3 for critical."""
        return _RISK_ORDER[self.value]

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, RiskLevel):
            return NotImplemented
        return self.rank < other.rank


@total_ordering
class Sensitivity(Enum):
    """public < internal < confidential < restricted < regulated < unknown."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"
    REGULATED = "regulated"
    UNKNOWN = "unknown"

    @property
    def rank(self) -> int:
        """0 for public … 5 for unknown."""
        return _SENSITIVITY_ORDER[self.value]

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Sensitivity):
            return NotImplemented
        return self.rank < other.rank


_RISK_ORDER = {level.value: rank for rank, level in enumerate(RiskLevel)}
_SENSITIVITY_ORDER = {level.value: rank for rank, level in enumerate(Sensitivity)}
