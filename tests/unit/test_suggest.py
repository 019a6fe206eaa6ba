"""Suggestions for misspelt words."""

from __future__ import annotations

import pytest

from policy.source.suggest import closest, did_you_mean


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("lagre", ["large", "huge"], "large"),
        ("requester", ["requestor", "operator"], "requestor"),
        ("suport-chat", ["support-chat", "back-office"], "support-chat"),
        ("High", ["high", "low"], "high"),
        ("x", ["X", "y"], "X"),
        ("x", ["y"], None),
        ("on", ["no"], "no"),
        ("abc", ["xyz"], None),
        ("amount", ["amount"], None),
        ("amount", [], None),
        ("", ["a"], None),
        ("two-finanec", ["two-finance", "two-managers"], "two-finance"),
        ("input", ["import", "output"], None),
        ("inptu", ["import", "input"], "input"),
    ],
)
def test_the_nearest_word_is_found_within_the_bound(word: str, candidates: list[str], expected: str | None) -> None:
    assert closest(word, candidates) == expected


def test_a_swap_of_neighbours_is_one_edit() -> None:
    assert closest("fro", ["for"]) == "for"
    assert closest("rfo", ["fr"]) is None


def test_ties_go_to_the_first_by_code_point_whatever_the_order() -> None:
    assert closest("cat", ["hat", "bat", "rat"]) == "bat"
    assert closest("cat", ["rat", "hat", "bat"]) == "bat"


def test_case_decides_between_equal_edits() -> None:
    assert closest("Rolex", ["role", "Role"]) == "Role"


def test_the_help_line_quotes_the_word() -> None:
    assert did_you_mean("refnd", ["refund"]) == "did you mean `refund`?"
    assert did_you_mean("refnd", ["vault"]) is None


def test_a_huge_list_of_candidates_takes_bounded_time() -> None:
    candidates = [f"scope.name{number}.read" for number in range(50_000)]
    found = closest("scope.nmae4711.read", candidates)
    assert found == "scope.name4711.read"


def test_a_very_long_word_is_compared_by_case_only() -> None:
    word = "a" * 100_000
    assert closest(word, [word.upper(), word + "b"]) == word.upper()
    assert closest(word, [word + "b"]) is None
