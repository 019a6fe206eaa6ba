"""The reference vectors of ACC v1, parser profile: what is a declaration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policy.contracts.acc import parse_declaration

_VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "acc-v1-vectors.json").read_text(encoding="utf-8")
)["vectors"]
_PARSER = [vector for vector in _VECTORS if vector["profile"] == "parser"]


def test_all_vectors_are_there() -> None:
    assert (len(_VECTORS), len(_PARSER)) == (18, 5)


@pytest.mark.parametrize("vector", _PARSER, ids=lambda vector: vector["id"])
def test_a_declaration_is_judged_as_the_vector_says(vector: dict[str, Any]) -> None:
    parsed = parse_declaration(vector["input"]["declaration"])
    valid = parsed.declaration is not None and parsed.supported
    codes = [found.code for found in parsed.diagnostics]
    expected = vector["expected"]
    assert valid is expected["valid"]
    assert codes == ([] if valid else [f"acc.{expected['diagnostic']}"])
