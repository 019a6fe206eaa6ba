"""Scopes, scope patterns and capability globs as text (language.md section 3, ACC v1 scope grammar)."""

from __future__ import annotations

import re

ANY_SEGMENT = "*"
"""Exactly one segment."""
ANY_SEGMENTS = "**"
"""One or more segments; only first or last."""

MAX_SCOPE_LENGTH = 160
"""Characters of a scope (ACC v1)."""

_SCOPE = re.compile(r"(?=[A-Za-z0-9])[A-Za-z0-9_:-]+(?:\.[A-Za-z0-9_:-]+)*")
_WORD = re.compile(r"[A-Za-z0-9_:-]+")
_WORD_START = re.compile(r"[A-Za-z0-9]")
_IDENTIFIER = re.compile(r"[!-~]+")
_VERB = re.compile(r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE) (?=/)")


def scope_is_wellformed(text: str) -> bool:
    """Whether a text is a scope: 1-160 characters `[A-Za-z0-9][A-Za-z0-9._:-]*`, no segment empty."""
    return len(text) <= MAX_SCOPE_LENGTH and _SCOPE.fullmatch(text) is not None


def identifier_is_wellformed(text: str) -> bool:
    """Whether a capability id can be matched: visible ASCII without white space, no dot-separated segment empty.

    The id of an operation without a name, `GET /orders`, has one space behind its verb (model.md section 6).
    """
    verb = _VERB.match(text)
    rest = text if verb is None else text[verb.end() :]
    return _IDENTIFIER.fullmatch(rest) is not None and "" not in rest.split(".")


def parse_scope_pattern(text: str) -> tuple[str, ...] | None:
    """The segments of a scope pattern, or None where it is malformed.

    A segment is a word, `*`, or (first or last only) `**`; a word that stands first begins with a letter or digit.
    """
    segments = tuple(text.split("."))
    if segments[0] not in (ANY_SEGMENT, ANY_SEGMENTS) and _WORD_START.match(segments[0]) is None:
        return None
    for position, segment in enumerate(segments):
        if segment == ANY_SEGMENT or (segment == ANY_SEGMENTS and position in (0, len(segments) - 1)):
            continue
        if _WORD.fullmatch(segment) is None:
            return None
    return segments


def scope_matches(segments: tuple[str, ...], scope: str) -> bool:
    """Whether a pattern, given as its segments, matches a scope. A scope that is not well-formed matches nothing."""
    return scope_is_wellformed(scope) and segments_match(segments, scope.split("."))


def segments_match(segments: tuple[str, ...], words: list[str]) -> bool:
    """Whether a pattern, given as its segments, matches the words of a scope."""
    body, leading, trailing = split_runs(segments)
    spare = len(words) - len(body)
    if spare < 0 or (spare and not leading and not trailing):
        return False
    starts = range(spare + 1) if leading and trailing else (spare if leading else 0,)
    return any(
        all(segment in (ANY_SEGMENT, words[start + offset]) for offset, segment in enumerate(body)) for start in starts
    )


def split_runs(segments: tuple[str, ...]) -> tuple[tuple[str, ...], bool, bool]:
    """A pattern as its single segments and whether more segments may stand before and behind them.

    `**` is one segment and any number of others, so it leaves a `*` among the single segments.
    """
    leading = segments[0] == ANY_SEGMENTS
    trailing = segments[-1] == ANY_SEGMENTS
    body = list(segments)
    if leading:
        body[0] = ANY_SEGMENT
    if trailing:
        body[-1] = ANY_SEGMENT
    return tuple(body), leading, trailing


def glob_matches(glob: str, text: str) -> bool:
    """Whether a glob matches a whole text; `*` is any run of characters, also none, everything else itself.

    Two positions and one place to return to: time is bounded by the product of the lengths, memory is constant.
    """
    at = position = 0
    star = resume = -1
    while position < len(text):
        if at < len(glob) and glob[at] == "*":
            star, resume = at, position
            at += 1
        elif at < len(glob) and glob[at] == text[position]:
            at += 1
            position += 1
        elif star >= 0:
            resume += 1
            at, position = star + 1, resume
        else:
            return False
    return all(character == "*" for character in glob[at:])
