"""The TextMate grammar for editors knows the words that the language knows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from policy.syntax import words

GRAMMAR = json.loads((Path(__file__).parents[2] / "grammar" / "policy.tmLanguage.json").read_text(encoding="utf-8"))
RULES = GRAMMAR["repository"]


def words_of(rule: str) -> set[str]:
    """The alternatives of a rule that is a list of words."""
    found = re.search(r"\(\?:([a-z_|]+)\)", RULES[rule]["match"])
    assert found is not None
    return set(found[1].split("|"))


def test_every_word_is_coloured() -> None:
    assert words_of("statement") == words.STATEMENTS
    assert words_of("clause") == words.CLAUSES | words.LEAVES
    assert words_of("operator") == words.OPERATORS | words.QUANTIFIERS
    assert words_of("level") == {*words.RISK_LEVELS, *words.SENSITIVITIES, *words.PRINCIPAL_KINDS, *words.LITERALS}


@pytest.mark.parametrize(("rule", "text"), [("timestamp", "09:30"), ("timestamp", "1h30m"), ("number", "-10_000.5e3")])
def test_literals_are_matched_whole(rule: str, text: str) -> None:
    assert re.fullmatch(RULES[rule]["match"], text)
    assert {each["include"] for each in GRAMMAR["patterns"]} == {f"#{name}" for name in RULES}
