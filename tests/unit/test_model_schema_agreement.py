"""Both validators give one verdict on generated schemas and values."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from policy.model.schema import compile_schema
from policy.model.violations import list_violations

_NAMES = st.sampled_from(["a", "b", "1", "ab"])
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.5, 19.99, 0.1])
    | st.sampled_from(["", "a", "ab", "b1", "1", "é", "2026-01-01"]),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(_NAMES, parts, max_size=3),
    max_leaves=8,
)


def _keywords(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    small = st.integers(0, 3)
    types = st.sampled_from(["string", "number", "integer", "boolean", "array", "object", "null"])
    patterns = st.sampled_from(["^a", "b$", r"^\d+$", "^[ab]{1,2}$"])
    named = st.dictionaries(_NAMES, parts, max_size=2)
    several = st.lists(parts, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
            "enum": st.lists(_VALUES, min_size=1, max_size=3),
            "const": _VALUES,
            "minimum": st.integers(-2, 2),
            "exclusiveMaximum": st.sampled_from([0.5, 1, 2]),
            "multipleOf": st.sampled_from([0.01, 0.1, 0.5, 1, 2]),
            "minLength": small,
            "maxLength": small,
            "pattern": patterns,
            "format": st.sampled_from(["date", "uuid", "email"]),
            "minItems": small,
            "uniqueItems": st.booleans(),
            "items": parts,
            "prefixItems": several,
            "contains": parts,
            "minContains": small,
            "maxContains": small,
            "unevaluatedItems": parts,
            "properties": named,
            "patternProperties": st.dictionaries(patterns, parts, max_size=2),
            "additionalProperties": parts,
            "unevaluatedProperties": parts,
            "propertyNames": parts,
            "required": st.lists(_NAMES, max_size=2, unique=True),
            "maxProperties": small,
            "dependentRequired": st.dictionaries(_NAMES, st.lists(_NAMES, max_size=2, unique=True), max_size=2),
            "dependentSchemas": named,
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": parts,
            "if": parts,
            "then": parts,
            "else": parts,
            "$ref": st.sampled_from(["#/$defs/one", "#/$defs/two", "#here"]),
        },
    )


_SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | st.just({}), _keywords, max_leaves=6)
_DOCUMENTS = st.builds(
    lambda root, one, two: {
        "allOf": [root],
        "$defs": {
            "one": {"type": ["string", "object"], "properties": {"a": one}},
            "two": {"items": two},
            "three": {"$anchor": "here", "maxItems": 1},
        },
    },
    _SCHEMAS,
    _SCHEMAS,
    _SCHEMAS,
)


@given(_DOCUMENTS, st.lists(_VALUES, min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_both_validators_give_one_verdict(document: Any, values: list[Any]) -> None:
    compiled = compile_schema(document)
    if isinstance(compiled, tuple):
        assert {message for _, message in compiled} == {"the schema refers to itself without going into the value"}
        return
    for value in values:
        listed = list_violations(compiled.schema, compiled.targets, compiled.patterns, value)
        assert compiled.validator.is_valid(value) is (not listed), (value, listed)
