"""From JSON values to runtime values of a declared type (the attributes of `context`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import assert_never

from policy.source.records import dataclass
from policy.types.comparison import kind_of
from policy.types.instants import parse_duration, parse_timestamp
from policy.types.kinds import Basic, Field, ListOf, MapOf, OneOf, Record, Type, Vocabulary
from policy.types.numbers import data_number
from policy.types.places import parse_ip
from policy.types.values import MISSING, RiskLevel, Sensitivity

_RISK_LEVELS = {level.value: level for level in RiskLevel}
_SENSITIVITIES = {level.value: level for level in Sensitivity}
_READERS: Mapping[Basic, tuple[Callable[[str], object], str]] = MappingProxyType(
    {
        Basic.TIMESTAMP: (parse_timestamp, "an RFC 3339 timestamp with an offset"),
        Basic.DURATION: (parse_duration, "a duration such as `1h30m`"),
        Basic.IP: (parse_ip, "an IPv4 or IPv6 address in plain form"),
        Basic.RISK: (_RISK_LEVELS.get, f"one of {', '.join(_RISK_LEVELS)}"),
        Basic.SENSITIVITY: (_SENSITIVITIES.get, f"one of {', '.join(_SENSITIVITIES)}"),
    }
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a value is not of its declared type: `path` from the value on (`[0].author`), `problem` a clause."""

    path: str
    problem: str

    def below(self, step: str | int) -> Mismatch:
        """The same, seen from the value that holds this one."""
        return Mismatch(f"[{step}]{self.path}" if isinstance(step, int) else f".{step}{self.path}", self.problem)


def to_runtime(value: object, declared: Type) -> object | Mismatch:
    """The runtime value of a JSON value that is declared to have a type, or the first mismatch, depth first.

    Nothing is coerced; null has no type (see `member_to_runtime`). Members that a record does not declare are left
    out, except in an open record.
    """
    match declared:
        case Basic():
            return _basic(value, declared)
        case OneOf(words) | Vocabulary(_, words):
            return _word(value, words)
        case ListOf(item):
            return _list(value, item)
        case MapOf(item):
            return _map(value, item)
        case Record():
            return _record(value, declared)
        case _:
            assert_never(declared)


def member_to_runtime(value: object, declared: Field) -> object | Mismatch:
    """The same for a declared member or attribute, where `value` may be null or MISSING.

    Null is None where the member may be null; elsewhere it counts as missing. A missing member is MISSING where it
    is optional, else a mismatch.
    """
    if value is None and declared.nullable:
        return None
    if value is None or value is MISSING:
        return MISSING if declared.optional else Mismatch("", "is missing")
    return to_runtime(value, declared.type)


def _expected(value: object, wanted: str) -> Mismatch:
    return Mismatch("", f"is {kind_of(value)}, not {wanted}")


def _basic(value: object, declared: Basic) -> object | Mismatch:
    match declared:
        case Basic.JSON:
            return value
        case Basic.BOOLEAN:
            return value if isinstance(value, bool) else _expected(value, "a boolean")
        case Basic.NUMBER:
            return _number(value)
        case Basic.STRING:
            return value if isinstance(value, str) else _expected(value, "a string")
        case Basic.TIMESTAMP | Basic.DURATION | Basic.IP | Basic.RISK | Basic.SENSITIVITY:
            return _read(value, declared)
        case Basic.TIME:
            return Mismatch("", "cannot be stated: data has no times of day")
        case _:
            assert_never(declared)


def _number(value: object) -> object | Mismatch:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return _expected(value, "a number")
    number = data_number(value)
    return Mismatch("", "is a number that data does not carry exactly") if number is None else number


def _read(value: object, declared: Basic) -> object | Mismatch:
    if not isinstance(value, str):
        return _expected(value, f"the text of a value of type {declared.value}")
    read, wanted = _READERS[declared]
    found = read(value)
    return Mismatch("", f"is not {wanted}") if found is None else found


def _word(value: object, words: tuple[str, ...]) -> object | Mismatch:
    if not isinstance(value, str):
        return _expected(value, "a string")
    if value not in words:
        return Mismatch("", f"is not one of {', '.join(f'`{word}`' for word in words)}")
    return value


def _list(value: object, item: Type) -> object | Mismatch:
    if not isinstance(value, list):
        return _expected(value, "a list")
    converted = []
    for position, part in enumerate(value):
        result = member_to_runtime(part, Field(item))
        if isinstance(result, Mismatch):
            return result.below(position)
        converted.append(result)
    return converted


def _map(value: object, item: Type) -> object | Mismatch:
    if not isinstance(value, dict):
        return _expected(value, "an object")
    converted = {}
    for name, part in value.items():
        result = member_to_runtime(part, Field(item))
        if isinstance(result, Mismatch):
            return result.below(name)
        converted[name] = result
    return converted


def _record(value: object, declared: Record) -> object | Mismatch:
    if not isinstance(value, dict):
        return _expected(value, "an object")
    known = {name for name, _ in declared.fields}
    converted = {name: part for name, part in value.items() if name not in known} if declared.open else {}
    for name, member in declared.fields:
        result = member_to_runtime(value.get(name, MISSING), member)
        if isinstance(result, Mismatch):
            return result.below(name)
        if result is not MISSING:
            converted[name] = result
    return converted
