"""JSON texts (RFC 8259) as strict data, and where each part of one stands."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from policy.model.bounds import pointer_of
from policy.model.data_error import DataError, number_problem
from policy.types.numbers import parse_number

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_STRINGS = re.compile(_STRING, re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_TOKEN = re.compile(rf"[ \t\n\r]*+(?:({_STRING})|([\[\]{{}}:,])|([^\[\]{{}}:,\" \t\n\r]++))", re.DOTALL)
_SHORT = 15
"""Digits that always fit into ±(2^53−1)."""
_LARGE = 2 << 20
"""Characters above which positions are kept for the outer levels only, so that their map stays small."""
_OUTER_LEVELS = 3


class _RefusedError(Exception):
    """A hook refused a part; the text is walked again to find its place."""


def parse(text: str, depth: int) -> Any:
    """The value of a JSON text.

    Raises DataError for text that is not JSON, nesting deeper than `depth`, a duplicate member name, or a number
    whose text no double gives back in at most 17 significant digits.
    """
    _check_depth(text, depth)
    try:
        return json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_integer,
            parse_float=_written,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {_lower(error.msg)}", error.lineno, error.colno) from None
    except _RefusedError:
        _raise_refusal(text)


def positions(text: str) -> dict[str, tuple[int, int]]:
    """JSON Pointer to 1-based line and column of every part of a valid text.

    A member stands where its name does. Of a text over 2 MiB the three outer levels are listed.
    """
    levels = _OUTER_LEVELS if len(text) > _LARGE else len(text)
    place = _Places(text)
    return {pointer_of(steps): place.at(offset) for steps, offset in _walk(text, levels)}


class Positions(Mapping[str, tuple[int, int]]):
    """The positions of a text, found when one is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, tuple[int, int]] | None = None

    def _all(self) -> dict[str, tuple[int, int]]:
        found = self._found
        if found is None:
            found = self._found = positions(self._text)
        return found

    def __getitem__(self, pointer: str) -> tuple[int, int]:
        return self._all()[pointer]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class _Places:
    """Lines and columns of ascending offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._start = 0
        self._read = 0

    def at(self, offset: int) -> tuple[int, int]:
        # From where the last offset was, not from the start of its line: a text may be one long line.
        end = self._text.find("\n", self._read, offset)
        while end >= 0:
            self._line += 1
            self._start = self._read = end + 1
            end = self._text.find("\n", self._read, offset)
        self._read = max(self._read, offset)
        return self._line, offset - self._start + 1


def _check_depth(text: str, depth: int) -> None:
    if text.count("[") + text.count("{") <= depth:
        return
    level = 0
    # Strings are blanked, not removed, so that offsets stay those of the text.
    bare = _STRINGS.sub(lambda match: " " * (match.end() - match.start()), text)
    for match in _BRACKET.finditer(bare):
        level += 1 if match[0] in "[{" else -1
        if level > depth:
            line, column = _Places(text).at(match.start())
            raise DataError(f"nested deeper than {depth} levels", line, column)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RefusedError
    return members


def _integer(text: str) -> int | float:
    if len(text) <= _SHORT:
        return int(text)
    return _decimal(text)


def _decimal(text: str) -> int | float:
    number = parse_number(text)
    if number is None:
        raise _RefusedError
    return number


def _written(text: str) -> float:
    """A number with a point or an exponent: a float even where it is integral, since `1.0` is no version."""
    return float(_decimal(text))


def _constant(_text: str) -> NoReturn:
    raise _RefusedError


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _raise_refusal(text: str) -> NoReturn:
    """Find what a hook refused: the first duplicate name or number without a value."""
    seen: dict[tuple[str | int, ...], set[str]] = {}
    place = _Places(text)
    for steps, offset in _walk(text):
        if steps and isinstance(steps[-1], str):
            names = seen.setdefault(tuple(steps[:-1]), set())
            if steps[-1] in names:
                raise DataError(f"duplicate member name `{steps[-1]}`", *place.at(offset))
            names.add(steps[-1])
        token = _value_token(text, offset, bool(steps) and isinstance(steps[-1], str))
        if token in {"NaN", "Infinity", "-Infinity"}:
            raise DataError(f"`{token}` is no JSON number", *place.at(offset))
        if token[:1] in "-0123456789" and parse_number(token) is None:
            raise DataError(number_problem(token), *place.at(offset))
    raise DataError("not JSON data: a duplicate member name or a number out of range")


def _value_token(text: str, offset: int, named: bool) -> str:
    match = _TOKEN.match(text, offset)
    if named and match is not None:
        colon = _TOKEN.match(text, match.end())
        match = None if colon is None else _TOKEN.match(text, colon.end())
    return "" if match is None else match[match.lastindex or 0]


def _walk(text: str, levels: int = sys.maxsize) -> Iterator[tuple[list[str | int], int]]:
    """Every part of a text that is JSON up to its first flaw: its steps, and the offset it starts at.

    A member starts at its name. Parts below `levels` are skipped. The list of steps is reused: copy what is kept.
    """
    skip = json.JSONDecoder().raw_decode
    steps: list[str | int] = []
    awaiting_name = False
    pending: int | None = None
    offset = 0
    while (match := _TOKEN.match(text, offset)) is not None:
        offset = match.end()
        mark, start = match[match.lastindex or 0], match.start(match.lastindex or 0)
        if mark in {"}", "]"}:
            # An empty container has no open step of its own kind; its step was taken at its opening.
            steps.pop()
            awaiting_name = False
        elif mark == ",":
            if steps and isinstance(steps[-1], int):
                steps[-1] += 1
            else:
                awaiting_name = True
        elif mark == ":":
            continue
        elif awaiting_name and match.lastindex == 1:
            steps[-1] = json.loads(mark)
            awaiting_name, pending = False, start
        else:
            yield steps, start if pending is None else pending
            pending = None
            if len(steps) >= levels and match.lastindex == 2:
                _, offset = skip(text, start)
            elif mark == "{":
                steps.append("")
                awaiting_name = True
            elif mark == "[":
                steps.append(0)
