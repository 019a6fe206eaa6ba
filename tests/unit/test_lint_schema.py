"""Reading JSON Schemas for lint."""

from __future__ import annotations

import pytest

from policy.check.lint import schema
from policy.check.lint.walk import Path, Special

ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "amount": {"type": ["number", "null"], "minimum": 0},
        "kind": {"enum": ["a", "b", 1]},
        "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/line"}},
        "free": {},
        "gone": False,
    },
    "required": ["id", "lines"],
    "additionalProperties": False,
    "$defs": {"line": {"type": "object", "properties": {"price": {"type": "integer"}}, "required": ["price"]}},
}


@pytest.mark.parametrize(
    ("steps", "declared", "required"),
    [
        (("id",), True, True),
        (("amount",), True, False),
        (("lines",), True, True),
        (("lines", Special.ITEM), True, True),
        (("lines", Special.ITEM, "price"), True, True),
        (("lines", Special.ITEM, "colour"), False, False),
        (("lines", 0), True, False),
        (("free", "anything"), False, False),
        (("free", Special.KEY), True, False),
    ],
)
def test_a_path_is_declared_and_required_as_the_schema_says(
    steps: tuple[str | int | Special, ...], declared: bool, required: bool
) -> None:
    found = schema.locate(ORDER, Path("input", steps))
    assert found is not None
    assert (found.declared, found.required) == (declared, required)


@pytest.mark.parametrize("steps", [("nothing",), ("gone",), ("id", "x"), ("id", Special.ITEM), ("lines", "price")])
def test_a_path_that_no_valid_value_has_is_none(steps: tuple[str | int | Special, ...]) -> None:
    assert schema.locate(ORDER, Path("input", steps)) is None


def test_a_redact_path_leads_through_lists() -> None:
    found = schema.locate(ORDER, Path("input", ("lines", "price"), through_lists=True))
    assert found is not None
    assert schema.types(found.schema, ORDER) == {"number"}


def test_combinations_are_joined() -> None:
    both = {
        "allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"required": ["a"]}],
        "anyOf": [{"properties": {"b": {"const": 1}}}, {"properties": {"b": {"const": 2}}, "required": ["b"]}],
    }
    first, second = schema.locate(both, Path("input", ("a",))), schema.locate(both, Path("input", ("b",)))
    assert first is not None
    assert (first.declared, first.required) == (True, True)
    assert second is not None
    assert (second.declared, second.required) == (True, False)
    assert schema.values(second.schema, both) == (1, 2)


def test_a_closed_branch_closes_only_where_every_branch_is_closed() -> None:
    closed = {"properties": {"a": {}}, "additionalProperties": False}
    assert schema.locate({"oneOf": [closed, {"properties": {"b": {}}}]}, Path("input", ("b",))) is not None
    assert schema.locate({"oneOf": [closed, closed]}, Path("input", ("b",))) is None


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "number"}, True),
        ({"type": "number", "minimum": 0}, False),
        ({"type": "integer", "minimum": -1}, True),
        ({"exclusiveMinimum": 0}, False),
        ({"type": "string"}, False),
        ({"enum": [1, 2]}, False),
        ({"enum": [1, -2]}, True),
        ({"anyOf": [{"minimum": 1}, {"type": "string"}]}, False),
        ({"anyOf": [{"minimum": 1}, {"type": "number"}]}, True),
        ({"allOf": [{"type": "number"}, {"minimum": 3}]}, False),
        (True, True),
        (False, False),
    ],
)
def test_negative_numbers_are_admitted_unless_something_bounds_them(part: object, expected: bool) -> None:
    assert schema.admits_negative(part, part) is expected


def test_a_recursive_reference_ends() -> None:
    loop = {"$ref": "#", "properties": {"next": {"$ref": "#"}}}
    assert schema.types(loop, loop) == schema.types(True, True)
    assert schema.locate(loop, Path("input", ("next", "next", "other"))) is not None


def test_a_type_and_an_enumeration_narrow_each_other() -> None:
    part = {"type": "string", "enum": ["a", 1, None]}
    assert schema.types(part, part) == {"string"}
