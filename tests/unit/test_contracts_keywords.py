"""Misspelt keywords of JSON Schema in capability documents."""

from __future__ import annotations

from typing import Any

import pytest

from policy.contracts.admission import admit
from policy.contracts.keywords import misspelt_keywords


def test_a_misspelt_keyword_is_a_warning_with_its_place() -> None:
    schema = {"type": "object", "requird": ["amount"], "properties": {"amount": {"type": "number", "minimun": 0}}}
    document = {"id": "cap:x", "name": "x", "kind": "tool", "scope": "x.y", "risk": "low", "input_schema": schema}
    admission = admit(document, file="c.json")
    assert admission.capability is not None
    assert {(each.code, each.pointer, each.help, each.is_error) for each in admission.diagnostics} == {
        ("aip.schema_keyword", "/input_schema/requird", "did you mean `required`?", False),
        ("aip.schema_keyword", "/input_schema/properties/amount/minimun", "did you mean `minimum`?", False),
    }


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"propertes": {"requird": {}}}, [("/propertes", "propertes", "properties")]),
        ({"items": {"patern": "x"}}, [("/items/patern", "patern", "pattern")]),
        ({"anyOf": [{}, {"enmu": [1]}]}, [("/anyOf/1/enmu", "enmu", "enum")]),
        ({"$defs": {"a/b": {"maxlength": 3}}}, [("/$defs/a~1b/maxlength", "maxlength", "maxLength")]),
        # Names of properties and values are no keywords.
        ({"properties": {"requird": {"const": {"requird": 1}}}}, []),
        ({"required": ["propertes"], "default": {"itms": 1}, "enum": [{"tipe": 1}]}, []),
        # Words of others.
        ({"example": 1, "nullable": True, "discriminator": {}, "x-items": 1, "widget": "slider", "id": "a"}, []),
        (True, []),
    ],
)
def test_which_words_are_near(schema: Any, found: list[tuple[str, str, str]]) -> None:
    assert list(misspelt_keywords(schema)) == found
