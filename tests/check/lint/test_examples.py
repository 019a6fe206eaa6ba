"""The examples of the codes: what fails gives exactly its code, what is fixed does not."""

from __future__ import annotations

import json

import pytest

from policy.check.catalog import AuthorityFacts
from policy.source.codes import CODES, Code
from tests.check.lint.test_lint import codes, compiled

_SEVERAL = ("load.", "layer.empty", "layer.route", "layer.attribute_type", "syntax.encoding", "syntax.too_")
"""Codes whose examples are several files or layers, or too large to print; they have tests of their own."""
ENTRIES = [
    entry
    for entry in CODES.values()
    if entry.kind == "diagnostic" and entry.format == "policy" and not entry.code.startswith(_SEVERAL)
]


def _found(text: str, entry: Code) -> list[str]:
    records = None
    if entry.authorities:
        records = tuple(
            AuthorityFacts(
                principal_id=record["principal_id"],
                kind=record["kind"],
                person_id=record["person_id"],
                roles=frozenset(record["roles"]),
            )
            for record in json.loads(entry.authorities)
        )
    return codes(compiled(text, entry.catalog, records).diagnostics)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_the_failing_example_gives_exactly_its_code(entry: Code) -> None:
    assert set(_found(entry.failing, entry)) == {entry.code}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_the_fixed_example_does_not_give_it(entry: Code) -> None:
    found = _found(entry.fixed, entry)
    assert [code for code in found if CODES[code].severity is entry.severity] == []
