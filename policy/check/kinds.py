"""How types relate: what may be equal, what has an order, and how a message names a type."""

from __future__ import annotations

from policy.check.report import UNKNOWN, listed
from policy.types.kinds import Basic, ListOf, MapOf, OneOf, Record, Type, Vocabulary
from policy.types.values import RiskLevel, Sensitivity

_ORDERED = frozenset(
    {Basic.NUMBER, Basic.TIMESTAMP, Basic.DURATION, Basic.TIME, Basic.RISK, Basic.SENSITIVITY},
)
_NAMES = {
    Basic.STRING: "a string",
    Basic.NUMBER: "a number",
    Basic.BOOLEAN: "a boolean",
    Basic.TIMESTAMP: "a timestamp",
    Basic.DURATION: "a duration",
    Basic.TIME: "a time of day",
    Basic.IP: "an ip address",
    Basic.RISK: "a risk level",
    Basic.SENSITIVITY: "a sensitivity",
    Basic.JSON: "a JSON value",
}
_PLAIN = frozenset({Basic.STRING, Basic.NUMBER, Basic.BOOLEAN, Basic.JSON})
"""What a value of the request may be; the other basic types have no JSON form."""


def type_name(type_: Type) -> str:
    """The type with its article, as messages name it."""
    match type_:
        case Basic():
            return _NAMES[type_]
        case Vocabulary(name, _):
            return f"{_article(name)} {name}"
        case OneOf(words):
            return f"one of {listed(words)}"
        case ListOf(item):
            return f"a list{_of(item)}"
        case MapOf(item):
            return f"a map{_of(item)}"
        case Record(name, _, _):
            return f"{_article(name)} {name}"


def _of(item: Type) -> str:
    """What a list or map holds, as a declaration writes it; nothing where it is not known."""
    match item:
        case Basic():
            return "" if item is Basic.JSON else f" of {item.value}"
        case Vocabulary(name, _) | Record(name, _, _):
            return "" if item is UNKNOWN else f" of {name}"
        case OneOf():
            return f" of {type_name(item)}"
        case ListOf(inner):
            return f" of list{_of(inner)}"
        case MapOf(inner):
            return f" of map{_of(inner)}"


def _article(name: str) -> str:
    return "an" if name[0] in "aeiou" else "a"


def bare_words(type_: Type) -> tuple[str, ...] | None:
    """The bare words of an enum type, or None where the type has none."""
    if isinstance(type_, Vocabulary):
        return type_.words
    if type_ is Basic.RISK:
        return tuple(level.value for level in RiskLevel)
    if type_ is Basic.SENSITIVITY:
        return tuple(level.value for level in Sensitivity)
    return None


def word_value(type_: Type, word: str) -> object:
    """The runtime value of a bare word of an enum type."""
    if type_ is Basic.RISK:
        return RiskLevel(word)
    if type_ is Basic.SENSITIVITY:
        return Sensitivity(word)
    return word


def is_text(type_: Type) -> bool:
    """Whether values are strings at decision time."""
    return type_ is Basic.STRING or isinstance(type_, OneOf | Vocabulary)


def may_be(type_: Type, *wanted: Type) -> bool:
    """Whether a value of the type may be of one of the wanted basic types; JSON may be any that JSON has."""
    if type_ is UNKNOWN:
        return True
    if type_ is Basic.JSON:
        return any(one in _PLAIN for one in wanted)
    return any(type_ is one or (one is Basic.STRING and is_text(type_)) for one in wanted)


def is_ordered(type_: Type) -> bool:
    """Whether `<` has a meaning."""
    return type_ is UNKNOWN or type_ is Basic.JSON or (isinstance(type_, Basic) and type_ in _ORDERED)


def may_equal(left: Type, right: Type) -> bool:
    """Whether some value of one can equal some value of the other; a comparison that never can is a mistake."""
    if left is UNKNOWN or right is UNKNOWN:
        return True
    if left is Basic.JSON or right is Basic.JSON:
        return has_json_form(right if left is Basic.JSON else left)
    if is_text(left) and is_text(right):
        return _words_meet(left, right)
    match left, right:
        case ListOf(one), ListOf(other):
            return may_equal(one, other)
        case MapOf(one), MapOf(other):
            return may_equal(one, other)
        case (MapOf(), Record()) | (Record(), MapOf()):
            return True
        case Record(), Record():
            return left.open or right.open or _members(left) & _members(right) != set()
    return left == right


def has_json_form(type_: Type) -> bool:
    """Whether JSON data can hold a value of the type as it is at decision time."""
    match type_:
        case Basic():
            return type_ in _PLAIN
        case Vocabulary() | OneOf():
            return True
        case ListOf(item) | MapOf(item):
            return has_json_form(item)
        case Record():
            return type_.open or all(has_json_form(field.type) for _, field in type_.fields)


def join(left: Type, right: Type) -> Type | None:
    """The type of a list that holds both, or None where no list should."""
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if left == right:
        return left
    if is_text(left) and is_text(right):
        return Basic.STRING
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        inner = join(left.item, right.item)
        return None if inner is None else ListOf(inner)
    return Basic.JSON if has_json_form(left) and has_json_form(right) else None


def _words_meet(left: Type, right: Type) -> bool:
    if left is Basic.STRING or right is Basic.STRING:
        return True
    return not set(_words(left)).isdisjoint(_words(right))


def _words(type_: Type) -> tuple[str, ...]:
    return type_.words if isinstance(type_, OneOf | Vocabulary) else ()


def _members(record: Record) -> set[str]:
    return {name for name, _ in record.fields}
