"""The static types of expressions and how far a value may be trusted."""

from __future__ import annotations

from enum import Enum

from policy.source.records import dataclass


class Trust(Enum):
    """Who vouches for a value (language.md section 4)."""

    TRUSTED = "trusted"
    OPERAND = "operand"
    UNVERIFIED = "unverified"


class Basic(Enum):
    """Types without parts. `JSON` is a value whose shape the policy does not know (input, claims)."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"
    DURATION = "duration"
    TIME = "time of day"
    IP = "ip"
    RISK = "risk"
    SENSITIVITY = "sensitivity"
    JSON = "JSON"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A closed set of bare words, such as principal kinds; values are plain strings."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """`one of "production", "staging"`: a closed set of quoted words; values are plain strings."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """`list of T`."""

    item: Type


@dataclass(frozen=True, slots=True)
class MapOf:
    """`map of T`, keys are strings."""

    item: Type


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a record: its type, whether it may be absent, whether it may be null."""

    type: Type
    optional: bool = False
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A value with known members; `name` is shown to people ("principal"); `open` ones may have others."""

    name: str
    fields: tuple[tuple[str, Field], ...]
    open: bool = False

    def field(self, name: str) -> Field | None:
        """The member of that name, or None."""
        for member, declared in self.fields:
            if member == name:
                return declared
        return None


Type = Basic | Vocabulary | OneOf | ListOf | MapOf | Record
