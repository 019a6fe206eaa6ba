"""Policies with the warnings that each line gives; a catalog of the same name stands beside some of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from policy.check.catalog import AuthorityFacts, Catalog
from policy.check.compile import Compiled, compile_layers
from policy.check.load import LayerSource
from policy.contracts.catalog import read_catalog
from policy.contracts.facts import capability_facts
from policy.source.diagnostic import Diagnostic
from policy.source.text import Source

HERE = Path(__file__).parent
_EXPECTED = re.compile(r"#\s*expect: (?P<codes>[a-z0-9_., ]+)$")


def compiled(text: str, catalog: str = "", authorities: tuple[AuthorityFacts, ...] | None = None) -> Compiled:
    layer = LayerSource(name="policy", files=(Source("policy.policy", text),), root=None)
    return compile_layers([layer], catalog=facts(catalog) if catalog else None, authorities=authorities)


def facts(text: str) -> Catalog:
    loaded = read_catalog(json.loads(text), "catalog.json")
    assert loaded.capabilities, [item.message for item in loaded.diagnostics]
    return Catalog(capabilities=tuple(capability_facts(item) for item in loaded.capabilities.values()))


def codes(found: tuple[Diagnostic, ...]) -> list[str]:
    return sorted(item.code for item in found)


def _expected(text: str) -> list[tuple[int, str]]:
    return sorted(
        (number, code.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        if (found := _EXPECTED.search(line)) is not None
        for code in found["codes"].split(",")
    )


@pytest.mark.parametrize("path", sorted(HERE.glob("*.policy")), ids=lambda path: path.stem)
def test_each_line_gives_exactly_the_warnings_written_on_it(path: Path) -> None:
    text, catalog = path.read_text(encoding="utf-8"), path.with_suffix(".json")
    found = compiled(text, catalog.read_text(encoding="utf-8") if catalog.exists() else "").diagnostics
    places = sorted((item.span.line if item.span is not None else 0, item.code) for item in found)
    assert places == _expected(text), "\n".join(f"{item.location}: {item.code}: {item.message}" for item in found)
