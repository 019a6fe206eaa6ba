"""Input schemas: what compiles, what an input breaks, and that both validators agree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from policy.model.formats import FORMATS
from policy.model.pattern_syntax import pattern_problem
from policy.model.schema import CompiledSchema, compile_schema

_LOOK = "look-around is not supported: no engine of linear time has it"
_BACK = "back-references are not supported: no engine of linear time has them"
_MEMBER = "is a member that the schema does not have"


def _compile(schema: Any) -> CompiledSchema:
    compiled = compile_schema(schema)
    assert isinstance(compiled, CompiledSchema), compiled
    return compiled


def _broken(schema: Any, value: Any) -> list[tuple[str, str]]:
    return [(violation.pointer, violation.message) for violation in _compile(schema).violations(value)]


@pytest.mark.parametrize(
    ("schema", "value", "violations"),
    [
        (True, 1, []),
        (False, 1, [("", "is not allowed here")]),
        ({"type": "integer"}, 1.0, []),
        ({"type": "integer"}, True, [("", "must be a whole number")]),
        ({"type": ["string", "null"]}, 1, [("", "must be text or null")]),
        ({"type": "number"}, False, [("", "must be a number")]),
        (
            {
                "properties": {"a": {"minimum": 3}, "b": False},
                "required": ["a", "c", "d"],
                "additionalProperties": False,
            },
            {"z": 1, "b": 1, "a": 1},
            [("", "lacks `c`, `d`"), ("/a", "must be at least 3"), ("/b", "is not allowed here"), ("/z", _MEMBER)],
        ),
        (
            {"properties": {"a/b": {"items": {"maxLength": 1}}}},
            {"a/b": ["x", "xx"]},
            [("/a~1b/1", "must have at most 1 character")],
        ),
        ({"enum": [1, "a"]}, True, [("", 'must be one of [1, "a"]')]),
        ({"const": {"a": 1}}, {"a": True}, [("", 'must be {"a": 1}')]),
        ({"const": 1.0}, 1, []),
        ({"uniqueItems": True}, [1, True, 0, False], []),
        ({"uniqueItems": True}, [{"a": [1]}, {"a": [1]}], [("", "must not repeat an item")]),
        ({"multipleOf": 0.01}, 19.99, []),
        ({"multipleOf": 0.01}, 0.015, [("", "must be a multiple of 0.01")]),
        ({"pattern": "^a$"}, "a\n", [("", 'must match the pattern "^a$"')]),
        ({"pattern": r"^\d+$"}, "١", [("", r'must match the pattern "^\\d+$"')]),
        ({"patternProperties": {r"^\d$": False}}, {"١": 1}, []),
        ({"patternProperties": {r"^\d$": {"type": "string"}}}, {"1": 1}, [("/1", "must be text")]),
        ({"propertyNames": {"pattern": "^a"}}, {"b": 1, "a": 1}, [("/b", "has a name that the schema does not allow")]),
        ({"format": "date-time"}, "2026-02-30T00:00:00Z", [("", "must be a valid date-time")]),
        ({"format": "date-time"}, 5, []),
        ({"format": "email"}, "x", []),
        ({"format": "uri"}, "x y", []),
        ({"minLength": 2}, "😀", [("", "must have at least 2 characters")]),
        ({"contentEncoding": "base64"}, "!", []),
        (
            {"dependentRequired": {"a": ["b", "c"]}},
            {"a": 1, "c": 1},
            [("", "lacks `b`, which another member asks for")],
        ),
        ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, 1, [("", "fits none of the alternatives")]),
        ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, [("", "must fit exactly one of the alternatives")]),
        ({"not": {"type": "string"}}, "a", [("", "is what the schema rules out")]),
        ({"if": {"type": "string"}, "then": {"minLength": 2}}, "a", [("", "must have at least 2 characters")]),
        ({"prefixItems": [True], "items": False}, [1, 2], [("/1", "is not allowed here")]),
        (
            {"contains": {"type": "string"}, "minContains": 2},
            ["a"],
            [("", "does not hold the items that `contains` asks for")],
        ),
        ({"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False}, {"a": 1, "b": 1}, [("/b", _MEMBER)]),
        (
            {"contains": {"type": "string"}, "unevaluatedItems": False},
            ["a", 1],
            [("/1", "is an item that the schema does not have")],
        ),
        ({"$defs": {"a b": {"type": "string"}}, "$ref": "#/$defs/a%20b"}, 1, [("", "must be text")]),
        ({"$defs": {"a/b": {"type": "string"}}, "$ref": "#/$defs/a~1b"}, 1, [("", "must be text")]),
        ({"$defs": {"a": {"$anchor": "x", "type": "string"}}, "items": {"$ref": "#x"}}, [1], [("/0", "must be text")]),
        ({"$defs": {"a": {"$dynamicAnchor": "x", "type": "string"}}, "$dynamicRef": "#x"}, 1, [("", "must be text")]),
        ({"definitions": {"a": {"type": "string"}}, "$ref": "#/definitions/a"}, 1, [("", "must be text")]),
        (
            {"$id": "https://example.com/a", "$ref": "#/$defs/b", "$defs": {"b": {"type": "string"}}},
            1,
            [("", "must be text")],
        ),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}, 1, [("", "must be text")]),
        (
            {"properties": {"kids": {"items": {"$ref": "#"}}}, "required": ["name"]},
            {"name": 1, "kids": [{"name": 1, "kids": [{}]}]},
            [("/kids/0/kids/0", "lacks `name`")],
        ),
        (
            {"properties": {"$id": {"type": "string"}, "$ref": {"type": "string"}}},
            {"$id": 1},
            [("/$id", "must be text")],
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_an_input_breaks(schema: Any, value: Any, violations: list[tuple[str, str]]) -> None:
    assert _broken(schema, value) == violations
    assert _compile(schema).is_valid(value) is (not violations)


@pytest.mark.parametrize(
    ("schema", "pointer", "message"),
    [
        (1, "", "a schema is an object or a boolean"),
        ({"$ref": "https://example.com/x"}, "", "`$ref` may name a fragment (`#…`) only, not `https://example.com/x`"),
        ({"items": {"$ref": "other.json#/a"}}, "/items", "`$ref` may name a fragment (`#…`) only, not `other.json#/a`"),
        ({"$dynamicRef": "x"}, "", "`$dynamicRef` may name a fragment (`#…`) only, not `x`"),
        ({"$ref": "#/$defs/a"}, "", "`$ref` names no schema of this document: `#/$defs/a`"),
        ({"$ref": "#/x", "x": {"type": "string"}}, "", "`$ref` names no schema of this document: `#/x`"),
        ({"$ref": "#%ff"}, "", "`$ref` names no schema of this document: `#%ff`"),
        ({"$ref": "#"}, "", "the schema refers to itself without going into the value"),
        ({"allOf": [{"not": {"$ref": "#"}}]}, "", "the schema refers to itself without going into the value"),
        (
            {
                "items": {"$ref": "#/$defs/a"},
                "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"if": {"$ref": "#/$defs/a"}}},
            },
            "/$defs/b",
            "the schema refers to itself without going into the value",
        ),
        (
            {"$dynamicAnchor": "x", "then": True, "else": {"$dynamicRef": "#x"}},
            "",
            "the schema refers to itself without going into the value",
        ),
        ({"items": {"$id": "a"}}, "/items", "`$id` inside a schema is not supported: one schema is one resource"),
        (
            {"$schema": "http://json-schema.org/draft-04/schema#"},
            "",
            "the dialect is not supported: write JSON Schema Draft 2020-12",
        ),
        (
            {"dependencies": {"a": ["b"]}},
            "",
            "`dependencies` is not part of Draft 2020-12: write `dependentRequired` or `dependentSchemas`",
        ),
        ({"items": {"$anchor": "a"}, "not": {"$anchor": "a"}}, "/items", "the anchor `a` is declared twice"),
        ({"type": "strng"}, "/type", "fits none of the alternatives"),
        ({"properties": {"a": {"minLength": -1}}}, "/properties/a/minLength", "must be at least 0"),
        ({"definitions": {"a": {"minLength": -1}}}, "/definitions/a/minLength", "must be at least 0"),
        ({"properties": {"a": {"pattern": "(?=a)"}}}, "/properties/a/pattern", _LOOK),
        ({"patternProperties": {"(a)\\1": True}}, "/patternProperties/(a)\\1", _BACK),
        (
            {"pattern": r"(?:\p{L}{1,999}){1,999}"},
            "/pattern",
            "the pattern is not one, or takes too much room when compiled",
        ),
        ({"const": float("nan")}, "/const", "the schema is no number (NaN or infinite)"),
        (
            {"properties": {f"p{n}": {"pattern": f"^{n}$"} for n in range(201)}},
            "/properties/p0/pattern",
            "more than 200 different patterns",
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_schema_that_is_refused_says_where_and_why(schema: Any, pointer: str, message: str) -> None:
    assert compile_schema(schema) == ((pointer, message),)


def test_a_list_form_of_items_is_refused() -> None:
    assert compile_schema({"items": [{"type": "string"}]}) == (("/items", "must be an object or true or false"),)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"^[\w.-]+@[\w.-]+\.[A-Za-z]{2,}$", None),
        (r"^(?:a|b)*?(?<year>[0-9]{4})\/\-\u0041\x41\u{1f600}[^a-c\d_\]]$", None),
        (r"\p{Lu}\P{L}\p{Script=Greek}", None),
        ("a|", None),
        ("(?!a)", _LOOK),
        ("(?<=a)b", _LOOK),
        ("(?<!a)b", _LOOK),
        (r"(?<n>a)\k<n>", _BACK),
        (r"(a)\1", _BACK),
        (r"a\b", "`\\b` and `\\B` are not supported: write out which characters may stand there"),
        ("(?i)a", "a group starts `(`, `(?:` or `(?<name>`; flags are not supported"),
        ("(?P<n>a)", "a group starts `(`, `(?:` or `(?<name>`; flags are not supported"),
        (r"\Aa", "the escape `\\A` is not taken: ECMA-262 has it not, or reads it in another way"),
        (r"\<a", "the escape `\\<` is not taken: ECMA-262 has it not, or reads it in another way"),
        (r"\ud83d", r"the escape `\ud83d` is no character: write `\u{…}` with its code point"),
        ("(a", "a group is not closed: add `)`"),
        ("a)", "a `)` closes no group"),
        ("a++", "`+` repeats nothing"),
        ("^*", "`*` repeats nothing"),
        ("a|*", "`*` repeats nothing"),
        ("a{2,1}", "the counts of `{2,1}` are out of order"),
        ("a{", "a single `{` is not taken: write `\\{`, or a count such as `{2,5}`"),
        ("a}", "a single `}` is not taken: write `\\}`"),
        ("a]", "a single `]` is not taken: write `\\]`"),
        ("[a", "a `[` is not closed: add `]`"),
        ("[]", "`[]` and `[^]` are not taken: list characters"),
        ("[[a]]", "a `[` inside `[…]` is not taken: write `\\[`"),
        ("[a&&b]", "`&&` inside `[…]` is not taken: escape the characters"),
        (r"[\d-x]", "a `-` inside `[…]` stands between two characters, first or last: else write `\\-`"),
        ("[a-c-e]", "a `-` inside `[…]` stands between two characters, first or last: else write `\\-`"),
        ("(" * 65 + ")" * 65, "groups are nested deeper than 64 levels"),
        ("a" * 10_001, "a pattern may have at most 10,000 characters"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_patterns(pattern: str, problem: str | None) -> None:
    assert pattern_problem(pattern) == problem


_ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "1",
        "é",
        ".",
        r"\d",
        r"\w",
        r"\s",
        r"\D",
        r"\W",
        r"\S",
        "[a-c]",
        "[^ab]",
        r"[\d_]",
        r"[^\s]",
        r"\.",
        "(?:a|1)",
        "(b)",
    ]
)
_PATTERNS = st.builds(
    lambda start, parts, end: start + "".join(parts) + end,
    st.sampled_from(["", "^"]),
    st.lists(
        st.builds(str.__add__, _ATOMS, st.sampled_from(["", "*", "+", "?", "{2}", "{1,2}?"])), min_size=1, max_size=4
    ),
    st.sampled_from(["", "$", "|b"]),
)
_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def _as_python(pattern: str) -> str:
    """The pattern in Python's own engine, with the meaning that ECMA-262 gives it."""
    pattern = pattern.replace(r"[\d_]", "[0-9_]").replace(r"[^\s]", r"\S")
    pattern = re.sub(r"(?<!\\)\.", "[^\n\r\u2028\u2029]", pattern)
    for escape, meaning in {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACE}.items():
        pattern = pattern.replace(f"\\{escape}", f"[{meaning}]").replace(f"\\{escape.upper()}", f"[^{meaning}]")
    return pattern.replace("$", r"\Z")


@given(_PATTERNS, st.text(alphabet="ab1é.\n _\u2028\ufeff\u0661A", max_size=8))
@settings(max_examples=300, deadline=None)
def test_patterns_mean_what_ecma_262_says(pattern: str, text: str) -> None:
    compiled = _compile({"pattern": pattern})
    assert compiled.is_valid(text) is (re.search(_as_python(pattern), text) is not None)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(.*a){20}$", "^([a-z]+)*[0-9]$"])
def test_no_pattern_backtracks(pattern: str) -> None:
    schema = _compile(
        {
            "properties": {"V": {"pattern": pattern}},
            "patternProperties": {pattern: False},
            "unevaluatedProperties": False,
        }
    )
    text = "a" * 20_000 + "!"
    assert [violation.pointer for violation in schema.violations({"V": text, text: 1})] == ["/V", f"/{text}"]


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "date-time",
            [
                "2026-01-01T00:00:00Z",
                "2026-01-01t00:00:00.123456789z",
                "2016-12-31T23:59:60Z",
                "2017-01-01T00:59:60+01:00",
            ],
            [
                "2026-01-01T00:00:00",
                "2026-01-01 00:00:00Z",
                "2026-13-01T00:00:00Z",
                "2026-01-01T00:00:60Z",
                "2026-01-01T00:00:00.Z",
                "2026-01-01T00:00:00Z\n",
                "2026-01-01T00:00:00+24:00",
                "٢026-01-01T00:00:00Z",
            ],
        ),
        ("date", ["2024-02-29"], ["2023-02-29", "2023-2-9", "2023-02-09\n", "0000-01-01", "20230209"]),
        ("time", ["10:00:00Z", "10:00:00.5+05:30"], ["10:00:00", "24:00:00Z", "10:60:00Z", "10:00Z"]),
        (
            "duration",
            ["P1D", "PT1H", "P1W", "P1Y2M3DT4H5M6S"],
            ["P", "PT", "1D", "P1Y1D", "PT1H1S", "P1WT1H", "P1.5D", "P1D\n"],
        ),
        ("ipv4", ["1.2.3.4"], ["1.2.3", "01.2.3.4", "256.1.1.1", "1.2.3.4 ", "١.2.3.4"]),
        ("ipv6", ["::1", "::ffff:1.2.3.4"], ["::1%eth0", "1::2::3", "12345::", "::1 "]),
        (
            "uuid",
            ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"],
            ["2eb8aa08aa9811eab4aa73b441d16380", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}"],
        ),
    ],
)
def test_formats_are_asserted_as_another_implementation_does(name: str, good: list[str], bad: list[str]) -> None:
    schema = _compile({"format": name})
    assert [text for text in good if schema.violations(text)] == []
    assert [text for text in bad if not schema.violations(text)] == []
    # The year 0 is a date for another implementation and beyond every clock: it is refused.
    other = Draft202012Validator({"format": name}, validate_formats=True)
    differing = [text for text in good + bad if other.is_valid(text) is not FORMATS[name](text)]
    assert differing == (["0000-01-01"] if name == "date" else [])


def test_an_exception_in_a_validator_is_a_violation() -> None:
    unjudged = [("", "could not be judged by its schema, and is refused")]
    assert _broken({"type": "string"}, "\ud800") == unjudged
    assert _broken({"type": "object"}, {1: 2}) == unjudged
    assert _broken({"type": "object"}, object()) == unjudged


def test_an_input_on_which_the_validators_differ_is_refused() -> None:
    compiled = _compile({"type": "string"})
    other = _compile({"type": "integer"})
    torn = CompiledSchema(other.schema, other.targets, other.patterns, compiled.validator, True)
    assert [violation.message for violation in torn.violations("a")] == ["must be a whole number"]
    assert [violation.message for violation in torn.violations(1)] == [
        "is judged differently by two validators, and is refused"
    ]


def test_a_schema_that_branches_without_end_is_cut_off() -> None:
    branch = {"properties": {"a": {"$ref": "#/$defs/r"}, "z": {"const": 1}}, "required": ["z"]}
    other = {"properties": {"a": {"$ref": "#/$defs/r"}, "y": {"const": 1}}, "required": ["y"]}
    schema = _compile({"$ref": "#/$defs/r", "$defs": {"r": {"oneOf": [branch, other], "unevaluatedProperties": False}}})
    value: dict[str, Any] = {}
    for _ in range(50):
        value = {"a": value, "y": 0, "z": 0}
    assert [violation.message for violation in schema.violations(value)] == [
        "takes too many steps to judge by its schema, and is refused"
    ]


def test_messages_never_repeat_the_input() -> None:
    schema = {
        "properties": {
            "a": {"type": "integer", "enum": [1], "pattern": "^x$", "maxLength": 2, "format": "uuid", "not": {}}
        }
    }
    assert [message for _, message in _broken(schema, {"a": "secret-4711"}) if "4711" in message] == []
