"""The bounds of data, checked iteratively before anything else looks at a value.

A value that passes holds JSON only (str, bool, int, float, None, list, dict with str keys; exactly those types),
no lone surrogate, no number that I-JSON (RFC 7493) does not carry, and is small enough for recursive code.
"""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass
from policy.types.numbers import data_number

_WORDS = {True: 4, False: 5, None: 4}
"""Bytes of the JSON words."""


@dataclass(frozen=True, slots=True)
class Excess:
    """Where and how a value leaves the bounds."""

    pointer: str
    """JSON Pointer (RFC 6901) to the part; the whole value for its size."""
    problem: str
    """A clause such as `is NaN`."""

    def __str__(self) -> str:
        return f"the value at `{self.pointer}` {self.problem}" if self.pointer else f"the value {self.problem}"


@dataclass(slots=True)
class _Room:
    """What is left of the bounds of one value."""

    size: int
    nodes: int


_Trail = tuple[Any, str | int] | None
"""The way to a value: the parent's trail and the member name or index; None for the root."""


def check(value: object, limits: Limits = DEFAULT_LIMITS) -> str | None:
    """What keeps a value from being read as JSON data, as a sentence; None where nothing does."""
    excess = find_excess(value, limits)
    return None if excess is None else str(excess)


def check_counts(value: object, limits: Limits = DEFAULT_LIMITS) -> str | None:
    """The bounds on votes and history entries of a context, as `check` tells them."""
    if not isinstance(value, dict):
        return None
    votes, history = value.get("approvals"), value.get("history")
    if isinstance(votes, list) and len(votes) > limits.votes:
        return f"the value at `/approvals` has more than {limits.votes:,} votes"
    entries = history.get("entries") if isinstance(history, dict) else None
    if isinstance(entries, list) and len(entries) > limits.history_entries:
        return f"the value at `/history/entries` has more than {limits.history_entries:,} entries"
    return None


def find_excess(value: object, limits: Limits = DEFAULT_LIMITS) -> Excess | None:
    """The first place where a value leaves the bounds, or None.

    The size is that of the compact UTF-8 JSON text, the depth counts lists and objects, a node is any value.
    Never recursive, so that a cyclic or deeply nested value ends here.
    """
    room = _Room(size=limits.data_bytes, nodes=limits.data_nodes)
    stack: list[tuple[object, int, _Trail]] = [(value, 0, None)]
    while stack:
        part, depth, trail = stack.pop()
        room.nodes -= 1
        if type(part) is list or type(part) is dict:
            problem, where = _container(part, depth, trail, room, limits)
            if problem is None:
                _push(stack, part, depth + 1, trail)
        else:
            problem, where = _scalar(part, room), trail
        if problem is not None:
            return Excess(pointer_of(_steps(where)), problem)
        if room.nodes < 0:
            return Excess("", f"has more than {limits.data_nodes:,} parts")
        if room.size < 0:
            return Excess("", f"takes more than {limits.data_bytes:,} bytes")
    return None


def copy_json(value: Any) -> Any:
    """A deep copy that shares nothing mutable, each number in its one form (`1.0` is `1`).

    For values that `check` accepted; raises ValueError for a number that the model does not have.
    """
    kind = type(value)
    if kind is dict:
        return {name: copy_json(member) for name, member in value.items()}
    if kind is list:
        return [copy_json(item) for item in value]
    if kind is int or kind is float:
        number = data_number(value)
        if number is None:
            raise ValueError("the value was not checked: a number is out of range")
        return number
    return value


def pointer_of(steps: Sequence[str | int]) -> str:
    """The JSON Pointer (RFC 6901) of member names and indices."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def _steps(trail: _Trail) -> list[str | int]:
    steps: list[str | int] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return steps[::-1]


def _push(stack: list[tuple[object, int, _Trail]], part: Any, depth: int, trail: _Trail) -> None:
    if type(part) is list:
        stack.extend((item, depth, (trail, index)) for index, item in enumerate(part))
    else:
        stack.extend((member, depth, (trail, name)) for name, member in part.items())


def _container(
    part: list[object] | dict[object, object], depth: int, trail: _Trail, room: _Room, limits: Limits
) -> tuple[str | None, _Trail]:
    if depth >= limits.data_depth:
        return f"is nested deeper than {limits.data_depth} levels", trail
    # The brackets, and a comma before every part but the first. A huge list is refused before it is walked.
    room.size -= max(2, len(part) + 1)
    if len(part) > room.nodes:
        room.nodes = -1
        return None, None
    if isinstance(part, dict):
        for name in part:
            if type(name) is not str:
                return f"has a member whose name is {_kind(name)}; names are text", trail
            problem = _text(name, room)
            if problem is not None:
                return f"has a member whose name {problem}", trail
            room.size -= 1
    return None, None


def _scalar(part: Any, room: _Room) -> str | None:
    kind = type(part)
    if kind is str:
        return _text(part, room)
    if part is None or kind is bool:
        room.size -= _WORDS[part]
        return None
    if kind is int or kind is float:
        return _number(part, room)
    return f"is {_kind(part)}, which JSON does not have"


def _text(text: str, room: _Room) -> str | None:
    # A character takes at least one byte, so a text that is too long is never encoded.
    if len(text) > room.size:
        room.size = -1
        return None
    try:
        room.size -= len(encode_basestring(text).encode())
    except UnicodeEncodeError:
        return "has a lone surrogate; send text that UTF-8 can carry"
    return None


def _number(number: int | float, room: _Room) -> str | None:
    if data_number(number) is None:
        if isinstance(number, float) and not isfinite(number):
            return "is no number (NaN or infinite)"
        return "is an integer beyond ±(2^53−1); send large identifiers as strings"
    room.size -= len(repr(number))
    return None


def _kind(part: object) -> str:
    kinds: dict[type, str] = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        type(None): "null",
        bytes: "binary",
    }
    return kinds.get(type(part), "a value of another kind")
