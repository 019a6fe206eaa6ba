"""Which patterns of JSON Schema are taken: those that mean the same in ECMA-262 and in an engine of linear time.

ECMA-262 (unicode mode) is the reference. Look-around and back-references have no linear engine; word boundaries
are ASCII there and Unicode in the engine; both are refused rather than read in another way.
"""

from __future__ import annotations

import re

from policy.source.records import dataclass

_ESCAPE = re.compile(
    r"\\(?:[dDwWsS]|[fnrtv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}"
    r"|[pP]\{(?:[A-Z][a-z]?|(?:Script|sc|Script_Extensions|scx)=[A-Z][A-Za-z_]{1,40})\}"
    r"|[!\"#$%&'()*+,\-./:;=?@\[\\\]^_`{|}~ ])"
)
_SET = re.compile(r"\\[dDwWsSpP]")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{([0-9]{1,5})(,([0-9]{1,5})?)?\})\??")
_GROUP = re.compile(r"\((?:\?:|\?<[A-Za-z_][A-Za-z0-9_]{0,60}>)?(?!\?)")
_OPERATORS = ("&&", "--", "~~", "||")
_MAX_LENGTH = 10_000
_MAX_GROUPS = 64

_LOOK = "look-around is not supported: no engine of linear time has it"
_BACK = "back-references are not supported: no engine of linear time has them"
_BOUNDARY = "`\\b` and `\\B` are not supported: write out which characters may stand there"


@dataclass(slots=True)
class _Cursor:
    """Where reading stands: open groups, and whether something stands before that can be repeated."""

    text: str
    offset: int = 0
    groups: int = 0
    repeatable: bool = False


def pattern_problem(pattern: str) -> str | None:
    """Why a pattern is not taken, as a sentence; None where it is."""
    if len(pattern) > _MAX_LENGTH:
        return f"a pattern may have at most {_MAX_LENGTH:,} characters"
    cursor = _Cursor(pattern)
    while cursor.offset < len(pattern):
        problem = _step(cursor)
        if problem is not None:
            return problem
    return "a group is not closed: add `)`" if cursor.groups else None


def _step(cursor: _Cursor) -> str | None:
    """Read one element."""
    text, offset = cursor.text, cursor.offset
    character = text[offset]
    if character == "\\":
        return _escape(cursor)
    if character == "[":
        return _class(cursor)
    if character == "(":
        return _open(cursor)
    if character in "*+?{":
        return _quantifier(cursor)
    if character in "]}":
        return f"a single `{character}` is not taken: write `\\{character}`"
    if character == ")":
        cursor.groups -= 1
        if cursor.groups < 0:
            return "a `)` closes no group"
    cursor.offset += 1
    cursor.repeatable = character not in "^$|"
    return None


def _escape(cursor: _Cursor) -> str | None:
    match = _ESCAPE.match(cursor.text, cursor.offset)
    if match is None:
        return _escape_problem(cursor.text[cursor.offset : cursor.offset + 2])
    problem = _surrogate(match[0])
    cursor.offset = match.end()
    cursor.repeatable = True
    return problem


def _escape_problem(start: str) -> str:
    if start[1:] in {"b", "B"}:
        return _BOUNDARY
    if start[1:] == "k" or start[1:].isdigit():
        return _BACK
    return f"the escape `{start}` is not taken: ECMA-262 has it not, or reads it in another way"


def _surrogate(escape: str) -> str | None:
    if escape[1] != "u":
        return None
    code = int(escape[2:].strip("{}"), 16)
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return f"the escape `{escape}` is no character: write `\\u{{…}}` with its code point"
    return None


def _open(cursor: _Cursor) -> str | None:
    match = _GROUP.match(cursor.text, cursor.offset)
    if match is None:
        look = cursor.text.startswith(("(?=", "(?!", "(?<=", "(?<!"), cursor.offset)
        return _LOOK if look else "a group starts `(`, `(?:` or `(?<name>`; flags are not supported"
    cursor.groups += 1
    if cursor.groups > _MAX_GROUPS:
        return f"groups are nested deeper than {_MAX_GROUPS} levels"
    cursor.offset = match.end()
    cursor.repeatable = False
    return None


def _quantifier(cursor: _Cursor) -> str | None:
    match = _QUANTIFIER.match(cursor.text, cursor.offset)
    if match is None:
        return "a single `{` is not taken: write `\\{`, or a count such as `{2,5}`"
    if not cursor.repeatable:
        return f"`{match[0]}` repeats nothing"
    if match[3] is not None and int(match[1]) > int(match[3]):
        return f"the counts of `{match[0]}` are out of order"
    cursor.offset = match.end()
    cursor.repeatable = False
    return None


def _class(cursor: _Cursor) -> str | None:
    """`[…]`: single characters, ranges and escapes; nothing that the engine reads as an operation on sets."""
    text = cursor.text
    offset = cursor.offset + (2 if text.startswith("[^", cursor.offset) else 1)
    first = offset
    may_start_range = False
    while offset < len(text) and text[offset] != "]":
        if text[offset] == "[":
            return "a `[` inside `[…]` is not taken: write `\\[`"
        if text.startswith(_OPERATORS, offset):
            return f"`{text[offset : offset + 2]}` inside `[…]` is not taken: escape the characters"
        if text[offset] == "-" and offset != first and not text.startswith("-]", offset):
            if not may_start_range:
                return "a `-` inside `[…]` stands between two characters, first or last: else write `\\-`"
            offset += 1
            end = _class_character(text, offset)
            if isinstance(end, str):
                return end
            if _SET.match(text, offset) or text[offset] == "-":
                return "a range inside `[…]` needs a character on both sides"
            offset, may_start_range = end, False
            continue
        end = _class_character(text, offset)
        if isinstance(end, str):
            return end
        may_start_range = _SET.match(text, offset) is None
        offset = end
    if offset >= len(text):
        return "a `[` is not closed: add `]`"
    if offset == first:
        return "`[]` and `[^]` are not taken: list characters"
    cursor.offset = offset + 1
    cursor.repeatable = True
    return None


def _class_character(text: str, offset: int) -> int | str:
    """The end of the character at an offset, or what is wrong with it."""
    if offset >= len(text):
        return "a `[` is not closed: add `]`"
    if text[offset] != "\\":
        return offset + 1
    match = _ESCAPE.match(text, offset)
    if match is None:
        return _escape_problem(text[offset : offset + 2])
    return _surrogate(match[0]) or match.end()
