"""Suggestions for misspelt words: "did you mean `x`?"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from heapq import nsmallest

_LONGEST = 64
"""Characters above which only a difference in case is looked for."""
_COMPARED = 512
"""Candidates that are compared by edits; where there are more, those with the most letters in common."""


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`, or None where none is near enough.

    Near is by edits (insert, delete, replace, swap of neighbours), ignoring case: one for words of two to four
    characters, two up to eight, three above; a word of one character only matches itself in another case.
    Ties go to the candidate with fewer edits when case counts, then to the first by code point, so the answer does
    not depend on the order of the candidates. The word itself is never suggested.
    """
    folded = word.casefold()
    bound = _bound(len(folded))
    letters = _letters(folded)
    near: list[tuple[str, str]] = []
    for candidate in candidates:
        other = candidate.casefold()
        if abs(len(other) - len(folded)) > bound or candidate == word:
            continue
        if (letters ^ _letters(other)).bit_count() <= 2 * bound:
            near.append((candidate, other))
    if len(near) > _COMPARED:
        wanted = Counter(folded)
        near = nsmallest(_COMPARED, near, key=lambda pair: ((Counter(pair[1]) - wanted).total(), pair))
    best: tuple[int, int, str] | None = None
    for candidate, other in near:
        edits = _edits(folded, other, bound)
        if edits is not None:
            ranked = (edits, _differences(word, candidate), candidate)
            best = ranked if best is None else min(best, ranked)
    return None if best is None else best[2]


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The help line of a diagnostic about an unknown word, or None where nothing is near."""
    found = closest(word, candidates)
    return None if found is None else f"did you mean `{found}`?"


def _bound(length: int) -> int:
    if length <= 1 or length > _LONGEST:
        return 0
    if length <= 4:
        return 1
    return 2 if length <= 8 else 3


def _differences(word: str, candidate: str) -> int:
    """Edits where case counts; of words too long for that, the characters that differ in case."""
    if len(word) > _LONGEST:
        return sum(a != b for a, b in zip(word, candidate, strict=False))
    return _edits(word, candidate, len(word) + len(candidate)) or 0


def _letters(word: str) -> int:
    """A bit for each letter that occurs; one edit changes two bits at most."""
    mask = 0
    for character in word:
        mask |= 1 << (ord(character) % 61)
    return mask


def _edits(left: str, right: str, bound: int) -> int | None:
    """Edits between two words (optimal string alignment), or None where there are more than `bound`."""
    if left == right:
        return 0
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, start=1):
            edits = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                edits = min(edits, last[j - 2] + 1)
            row.append(edits)
        if min(row) > bound:
            return None
    return row[-1] if row[-1] <= bound else None


def within(word: str, candidates: Iterable[str], edits: int) -> str | None:
    """The candidate that is the fewest edits from `word`, case counting, or None where all are more than `edits`."""
    ranked = [(found, other) for other in candidates if (found := _edits(word, other, edits)) is not None]
    return min(ranked)[1] if ranked else None
