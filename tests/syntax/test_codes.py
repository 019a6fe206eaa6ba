"""Every code of the parser: its examples give it and only it, and the parser gives no code that is not listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from policy.source.codes import CODES
from policy.source.codes.entry import Code
from policy.source.text import Source
from policy.syntax.parser import parse

LISTED = [entry for entry in CODES.values() if entry.code.startswith("syntax.")]
SHOWN = [entry for entry in LISTED if not entry.failing.startswith("(")]
PACKAGE = Path(__file__).parents[2] / "policy" / "syntax"


def codes(text: str) -> set[str]:
    """The codes that a text gives."""
    return {item.code for item in parse(Source("x", text))[1]}


@pytest.mark.parametrize("entry", SHOWN, ids=lambda entry: entry.code)
def test_the_failing_example_gives_the_code_and_the_fixed_one_nothing(entry: Code) -> None:
    assert codes(entry.failing) == {entry.code}
    assert codes(entry.fixed) == set()


def test_the_parser_gives_exactly_the_listed_codes() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py"))
    assert set(re.findall(r'"(syntax\.[a-z_]+)"', text)) == {entry.code for entry in LISTED}
