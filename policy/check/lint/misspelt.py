"""Patterns that are one slip of the hand away from what exists.

A slip is narrower than what a "did you mean" suggests: a finding that rests on it may be an error, so it must not hit
`data.import` beside `data.export`, or `lock` beside `unlock`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from policy.ir import nodes as ir
from policy.types.patterns import ANY_SEGMENT, ANY_SEGMENTS

_LONGEST = 64
"""Characters of a word above which no slip is looked for."""
_SHORT = 4
"""Characters up to which another letter makes another word: `get` and `set`, `read` and `lead`."""
_PARTS = re.compile(r"([^A-Za-z0-9_]+)")


def is_slip(word: str, other: str) -> bool:
    """Whether two words differ by one letter left out, added, replaced or swapped with its neighbour.

    Never by a digit; words of one or two characters are too short to tell, and in words of up to four a replaced
    letter makes another word.
    """
    if word == other or abs(len(word) - len(other)) > 1 or not 3 <= len(word) <= _LONGEST or len(other) < 3:
        return False
    if [each for each in word if each.isdigit()] != [each for each in other if each.isdigit()]:
        return False
    start = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    if len(word) != len(other):
        longer, shorter = (word, other) if len(word) > len(other) else (other, word)
        return longer[start + 1 :] == shorter[start:]
    if word[start + 1 :] == other[start + 1 :]:
        return len(word) > _SHORT
    return word[start : start + 2] == other[start : start + 2][::-1] and word[start + 2 :] == other[start + 2 :]


class Words:
    """Words, found by those that are one slip away from them; takes time in proportion to the letters."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_variant: dict[str, list[str]] = {}
        for word in sorted(set(words)):
            for variant in _variants(word):
                self._by_variant.setdefault(variant, []).append(word)

    def near(self, word: str) -> Iterator[str]:
        """The words that are one slip away, each once, in order."""
        found = {other for variant in _variants(word) for other in self._by_variant.get(variant, ())}
        yield from sorted(other for other in found if is_slip(word, other))

    def __contains__(self, word: str) -> bool:
        return word in self._by_variant.get(word, ())


def _variants(word: str) -> set[str]:
    """The word, and what is left of it without one letter: words one edit apart have one of these in common."""
    if len(word) > _LONGEST:
        return set()
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def words_of(text: str) -> list[str]:
    """The words of a scope or an id."""
    return _PARTS.split(text)[::2]


def corrected(pattern: ir.ActionPattern, words: Words, exists: Callable[[ir.ActionPattern], bool]) -> str | None:
    """The text of a pattern one slip away that `exists`, or None: a misspelt word, or a dot too few or too many."""
    tried = _scopes(pattern, words) if isinstance(pattern, ir.ScopePattern) else _globs(pattern, words)
    return next((other.text for other in tried if exists(other)), None)


def _scopes(pattern: ir.ScopePattern, words: Words) -> Iterator[ir.ScopePattern]:
    segments = pattern.segments
    for at, segment in enumerate(segments):
        if segment in {ANY_SEGMENT, ANY_SEGMENTS}:
            continue
        before, behind = segments[:at], segments[at + 1 :]
        for other in words.near(segment):
            yield ir.ScopePattern(span=pattern.span, segments=(*before, other, *behind))
        for cut in range(1, len(segment)):
            if segment[:cut] in words and segment[cut:] in words:
                yield ir.ScopePattern(span=pattern.span, segments=(*before, segment[:cut], segment[cut:], *behind))
        if behind and segment + behind[0] in words:
            yield ir.ScopePattern(span=pattern.span, segments=(*before, segment + behind[0], *behind[1:]))


def _globs(pattern: ir.CapabilityGlob, words: Words) -> Iterator[ir.CapabilityGlob]:
    parts = _PARTS.split(pattern.glob)
    for at in range(0, len(parts), 2):
        for other in words.near(parts[at]):
            yield ir.CapabilityGlob(span=pattern.span, glob="".join((*parts[:at], other, *parts[at + 1 :])))
