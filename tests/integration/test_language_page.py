"""Every example of the language page is checked: a whole policy loads, a mistake gives exactly its diagnostic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from policy import Engine, PolicyError

PAGE = Path(__file__).parents[2] / "grammar" / "LANGUAGE.md"
BLOCK = re.compile(r"^```policy(?: error=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def test_the_page_has_examples_of_both_kinds() -> None:
    assert len([code for code, _ in BLOCKS if code]) >= 4
    assert len([code for code, _ in BLOCKS if not code]) >= 10


@pytest.mark.parametrize(("code", "text"), BLOCKS)
def test_example(code: str, text: str) -> None:
    declares = re.search(r"^route ", text, re.MULTILINE)
    whole = text if declares else text + '\nroute "elsewhere" { allow elsewhere.read }\n'
    if not code:
        Engine.from_source(whole)
        return
    with pytest.raises(PolicyError) as refused:
        Engine.from_source(whole)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics if diagnostic.is_error] == [code]
