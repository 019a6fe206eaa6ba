"""The values that a test leaves to what it reads: sets, intervals, presence.

An over-approximation: an empty domain is certainly empty, another one is perhaps not.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from policy.types.kinds import Basic, OneOf, Type, Vocabulary
from policy.types.values import Duration, RiskLevel, Sensitivity, TimeOfDay, Timestamp

Ordered = int | float | Decimal | Timestamp | Duration | TimeOfDay | RiskLevel | Sensitivity
Key = tuple[str, object]
"""A value with the name of its type, so that `true` and 1 differ and 1 and 1.0 do not."""


class Domain(NamedTuple):
    """What a value may still be; nothing known says everything."""

    present: bool | None = None
    """Whether it must be there (True) or missing (False)."""
    allowed: frozenset[Key] | None = None
    excluded: frozenset[Key] = frozenset()
    low: Ordered | None = None
    low_open: bool = False
    high: Ordered | None = None
    high_open: bool = False
    empty: bool = False


IMPOSSIBLE = Domain(empty=True)
_EVERYTHING = Domain()
_FEW = {
    Basic.BOOLEAN: Domain(allowed=frozenset((("boolean", True), ("boolean", False)))),
    Basic.RISK: Domain(allowed=frozenset(("RiskLevel", level) for level in RiskLevel)),
    Basic.SENSITIVITY: Domain(allowed=frozenset(("Sensitivity", level) for level in Sensitivity)),
}


def key(value: object) -> Key | None:
    """The key of a constant, or None for one that has no single value, such as a list."""
    match value:
        case bool():
            return ("boolean", value)
        case int() | float() | Decimal():
            return ("number", Decimal(str(value)))
        case RiskLevel() | Sensitivity() | Timestamp() | Duration() | TimeOfDay():
            return (type(value).__name__, value)
        case str():
            return ("string", value)
    return None


def of_type(type_: Type) -> Domain:
    """All values of a type that has few of them."""
    match type_:
        case Vocabulary() | OneOf():
            return Domain(allowed=frozenset(("string", word) for word in type_.words))
        case Basic():
            return _FEW.get(type_, _EVERYTHING)
    return _EVERYTHING


def restrict(domain: Domain, keys: frozenset[Key], *, negated: bool) -> Domain:
    """One of the values, or none of them; either way the value is there."""
    domain = _present(domain)
    if negated:
        domain = domain._replace(excluded=domain.excluded | keys)
    else:
        domain = domain._replace(allowed=keys if domain.allowed is None else domain.allowed & keys)
    return _settle(domain)


def bound(domain: Domain, operator: str, value: Ordered) -> Domain:
    """Below or above a value, by one of < <= > >=."""
    domain = _present(domain)
    upper, strict = operator[0] == "<", len(operator) == 1
    limit = domain.high if upper else domain.low
    if limit is not None and kind_of(limit) != kind_of(value):
        return IMPOSSIBLE
    if upper and (limit is None or less(value, limit) or (value == limit and strict)):
        domain = domain._replace(high=value, high_open=strict)
    if not upper and (limit is None or less(limit, value) or (value == limit and strict)):
        domain = domain._replace(low=value, low_open=strict)
    return _settle(domain)


def presence(domain: Domain, *, present: bool) -> Domain:
    """There, or missing."""
    if domain.present is not None and domain.present != present:
        return IMPOSSIBLE
    return domain._replace(present=present)


def kind_of(value: Ordered) -> str:
    """Values of one kind can be ordered."""
    return "number" if isinstance(value, int | float | Decimal) else type(value).__name__


def less(left: Ordered, right: Ordered) -> bool:
    """The order of two values of one kind; numbers are compared exactly."""
    if isinstance(left, int | float | Decimal) and isinstance(right, int | float | Decimal):
        return Decimal(str(left)) < Decimal(str(right))
    return bool(left < right)  # type: ignore[operator]


def _present(domain: Domain) -> Domain:
    return IMPOSSIBLE if domain.present is False else domain._replace(present=True)


def _settle(domain: Domain) -> Domain:
    low, high = domain.low, domain.high
    if domain.empty:
        return IMPOSSIBLE
    if low is not None and high is not None:
        if kind_of(low) != kind_of(high) or less(high, low):
            return IMPOSSIBLE
        if not less(low, high) and (domain.low_open or domain.high_open or key(low) in domain.excluded):
            return IMPOSSIBLE
    if domain.allowed is not None:
        kept = frozenset(item for item in domain.allowed - domain.excluded if _between(item[1], domain))
        return domain._replace(allowed=kept) if kept else IMPOSSIBLE
    return domain


def _between(value: object, domain: Domain) -> bool:
    for limit, upper, strict in ((domain.low, False, domain.low_open), (domain.high, True, domain.high_open)):
        if limit is None:
            continue
        if not isinstance(value, Ordered) or isinstance(value, bool) or kind_of(value) != kind_of(limit):
            return False
        smaller, larger = (value, limit) if upper else (limit, value)
        if less(larger, smaller) or (strict and not less(smaller, larger)):
            return False
    return True
