"""Policies with the diagnostics that each line gives, written below it: `#! COLUMN CODE: MESSAGE :: HELP`.

Every file in `errors/` states all errors and `law` warnings of its text, in the order of their columns; what lint says
is tested beside lint.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.check.compile import compile_layers
from policy.check.load import LayerSource
from policy.source.diagnostic import Diagnostic
from policy.source.text import Source

HERE = Path(__file__).parent
_MARK = "#! "


def _split(text: str) -> tuple[str, list[str]]:
    """The policy without its expectations, and these, each with the number of the line that it is about."""
    lines: list[str] = []
    expected: list[str] = []
    for line in text.split("\n"):
        if line.startswith(_MARK):
            expected.append(f"{len(lines)}: {line.removeprefix(_MARK)}")
        else:
            lines.append(line)
    return "\n".join(lines), expected


def _shown(item: Diagnostic) -> str:
    assert item.span is not None
    severity = "" if item.is_error else "warning "
    help = "" if item.help is None else f" :: {item.help}"
    return f"{item.span.line}: {item.span.column} {severity}{item.code}: {item.message}{help}"


@pytest.mark.parametrize("path", sorted((HERE / "errors").glob("*.policy")), ids=lambda path: path.stem)
def test_each_line_gives_exactly_the_diagnostics_below_it(path: Path) -> None:
    text, expected = _split(path.read_text(encoding="utf-8"))
    layer = LayerSource(name=path.stem, files=(Source(path.name, text),))
    compiled = compile_layers([layer])
    found = [item for item in compiled.diagnostics if not item.code.startswith(("lint.", "accept."))]
    assert [_shown(item) for item in found] == expected
    assert compiled.policy is None
