"""Findings in the order of the text, and those that stay certain beside a syntax error."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from policy.source.diagnostic import Diagnostic, has_errors
from policy.source.text import Span
from policy.syntax import tree

_OF_WHAT_IS_MISSING = ("name.unknown", "layer.", "approval.no_default", "type.bare_word", "name.cycle")
"""Codes that may only say that the declaration stands in a statement which could not be read."""


def certain(found: Iterable[Diagnostic], read: Sequence[Diagnostic], files: Sequence[tree.File]) -> list[Diagnostic]:
    """The findings of the passes that no mistake of the text explains.

    `read` is what reading and parsing found. Where that holds an error, nothing is said of the statements it stands
    in, nor of names that may be declared in what could not be read.
    """
    if not has_errors(read):
        return list(found)
    broken = _broken_statements(read, files)
    return [
        item
        for item in found
        if not item.code.startswith(_OF_WHAT_IS_MISSING) and not (item.span is not None and _within(item.span, broken))
    ]


def _broken_statements(read: Sequence[Diagnostic], files: Sequence[tree.File]) -> dict[int, list[tuple[int, int]]]:
    """By the identity of its source, for each file the statements with a syntax error in them, in order."""
    errors: dict[int, list[int]] = {}
    for item in read:
        if item.is_error and item.span is not None:
            errors.setdefault(id(item.span.source), []).append(item.span.start)
    broken: dict[int, list[tuple[int, int]]] = {}
    for file in files:
        starts = sorted(errors.get(id(file.source), ()))
        ranges = [(statement.span.start, statement.span.end) for statement in file.statements]
        broken[id(file.source)] = sorted(
            (start, end) for start, end in ranges if bisect_left(starts, start) < bisect_right(starts, end)
        )
    return broken


def _within(span: Span, broken: dict[int, list[tuple[int, int]]]) -> bool:
    ranges = broken.get(id(span.source), [])
    at = bisect_right(ranges, (span.start, len(span.source.text) + 1)) - 1
    return at >= 0 and span.start < ranges[at][1]


def ordered(found: Iterable[Diagnostic], files: Sequence[tree.File]) -> tuple[Diagnostic, ...]:
    """The findings in the order of the files and of their text; those without a place first."""
    number = {id(file.source): position for position, file in enumerate(files)}

    def key(item: Diagnostic) -> tuple[int, int, int]:
        if item.span is None:
            return -1, 0, 0
        return number.get(id(item.span.source), len(number)), item.span.start, item.span.end

    return tuple(sorted(found, key=key))
