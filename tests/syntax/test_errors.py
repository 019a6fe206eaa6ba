"""Texts with mistakes, and below each line what is said of it: `#! COLUMN-END CODE: MESSAGE :: HELP`.

Columns are those of the first character and of the one behind the last; every file in `errors/` has many mistakes, and
each is told once.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.source.diagnostic import Diagnostic
from policy.source.text import Source
from policy.syntax.parser import parse

HERE = Path(__file__).parent
FILES = sorted((HERE / "errors").glob("*.policy"))
MARK = "#! "


def split(text: str) -> tuple[str, list[str]]:
    """The text without its expectations, and these, each with the number of the line that it is about."""
    lines: list[str] = []
    expected: list[str] = []
    for line in text.split("\n"):
        if line.startswith(MARK):
            expected.append(f"{len(lines)}: {line.removeprefix(MARK)}")
        else:
            lines.append(line)
    return "\n".join(lines), expected


def shown(found: Diagnostic) -> str:
    """A diagnostic as the files write it, with its line."""
    assert found.span is not None
    help = "" if found.help is None else f" :: {found.help}"
    return f"{found.span.line}: {found.span.column}-{found.span.end_column} {found.code}: {found.message}{help}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_line_gives_exactly_the_diagnostics_below_it(path: Path) -> None:
    text, expected = split(path.read_text(encoding="utf-8"))
    _, found = parse(Source(path.name, text))
    assert [shown(item) for item in found] == expected


# The mistakes of `brackets` reach over lines.
@pytest.mark.parametrize("path", [path for path in FILES if path.stem != "brackets"], ids=lambda path: path.stem)
def test_a_mistake_is_told_alike_when_it_stands_alone(path: Path) -> None:
    text, expected = split(path.read_text(encoding="utf-8"))
    alone: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.startswith("#"):
            _, found = parse(Source(path.name, line))
            alone += [f"{number}:{shown(item).split(':', 1)[1]}" for item in found]
    assert alone == expected


def test_there_are_many_wrong_forms() -> None:
    expected = [mark for path in FILES for mark in split(path.read_text(encoding="utf-8"))[1]]
    assert len(expected) >= 250


def test_messages_are_one_lower_case_line_that_says_what_to_do() -> None:
    for path in FILES:
        for mark in split(path.read_text(encoding="utf-8"))[1]:
            message = mark.split(": ", 2)[2].split(" :: ")[0]
            assert not message.endswith(".")
            assert message[0] in "`123456789" or message[0].islower() or message.startswith("NUL "), message
