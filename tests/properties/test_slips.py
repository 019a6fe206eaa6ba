"""The law of slips (language.md section 10): one character deleted gives a policy that is refused or means the same.

Left out are the places that the law leaves out: comments, the contents of strings, numbers, operators, patterns and
members of open records (what is read of `input` and `claims`, attributes of principals, names of obligations' values).
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from policy import Engine, PolicyError
from policy.source.text import Source
from policy.syntax import tree
from policy.syntax.parser import parse
from tests.properties.budget import SCALE

PACKS = sorted((Path(__file__).parents[2] / "rules").glob("*/*.policy"))
OPEN = ("input", "claims", "subject", "requester", "operator", "approver", "delegators")
SYMBOLS = "=!<>+-*,:"


def _nodes(node: object) -> Iterator[tree.Node]:
    if isinstance(node, tree.Node):
        yield node
        for field in dataclasses.fields(node):
            yield from _nodes(getattr(node, field.name))
    elif isinstance(node, tuple):
        for each in node:
            yield from _nodes(each)


def _left_out(file: tree.File) -> set[int]:
    """The offsets that the law leaves out."""
    found: set[int] = set()
    text = file.source.text
    walked = {node.variable.name for node in _nodes(file) if isinstance(node, tree.Quantified | tree.Total)}
    for node in _nodes(file):
        start, end = node.span.start, node.span.end
        match node:
            case tree.Text():
                found.update(range(start + 1, end - 1))
            case tree.Comment() | tree.Number() | tree.Duration() | tree.TimeOfDay() | tree.Pattern():
                found.update(range(start, end))
            case tree.Path() if node.head.name in OPEN or node.head.name in walked:
                found.update(range(node.head.span.end, end))
            case tree.Assignment() | tree.FieldDeclaration():
                found.update(range(node.name.span.start, node.name.span.end))
            case _:
                pass
    return found | {offset for offset, character in enumerate(text) if character in SYMBOLS}


def _candidates(path: Path) -> tuple[str, list[int]]:
    text = path.read_text(encoding="utf-8")
    file, problems = parse(Source(path.name, text))
    assert not problems
    left_out = _left_out(file)
    return text, [offset for offset, character in enumerate(text) if offset not in left_out and not character.isspace()]


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
def test_one_character_less_is_refused_or_means_the_same(path: Path) -> None:
    text, offsets = _candidates(path)
    assert len(offsets) > 200
    meaning = Engine.from_source(text).policy_hash
    sample = random.Random(7).sample(offsets, min(len(offsets), int(60 * SCALE)))
    for offset in sample:
        shorter = text[:offset] + text[offset + 1 :]
        try:
            found = Engine.from_source(shorter).policy_hash
        except PolicyError:
            continue
        line = text.count("\n", 0, offset) + 1
        assert found == meaning, f"{path.name}:{line}: without `{text[offset]}` of `{text.splitlines()[line - 1]}`"
