"""What a violation says: what must hold, in the schema's terms, never the value that was sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from jsonschema.exceptions import ValidationError

_TYPES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_SHOWN = 200


def words(error: ValidationError) -> str:
    """One sentence about one violation."""
    if error.validator is None:
        return "is not allowed here"
    keyword = str(error.validator)
    say = _WORDS.get(keyword)
    return say(error.validator_value, error) if say is not None else f"breaks `{keyword}` of its schema"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _type(value: Any, _error: ValidationError) -> str:
    names = value if isinstance(value, list) else [value]
    return "must be " + " or ".join(_TYPES.get(name, str(name)) for name in names)


def _required(value: Any, error: ValidationError) -> str:
    instance: Any = error.instance
    missing = [name for name in value if name not in instance]
    return "lacks " + ", ".join(f"`{name}`" for name in missing)


def _dependent(value: Mapping[str, Any], error: ValidationError) -> str:
    instance: Any = error.instance
    needed = {member for name, members in value.items() if name in instance for member in members}
    missing = sorted(needed.difference(instance))
    return "lacks " + ", ".join(f"`{name}`" for name in missing) + ", which another member asks for"


def _count(least: bool, noun: str) -> Callable[[Any, ValidationError], str]:
    def say(value: Any, _error: ValidationError) -> str:
        return f"must have at {'least' if least else 'most'} {value} {noun}{'' if value == 1 else 's'}"

    return say


def _phrase(start: str) -> Callable[[Any, ValidationError], str]:
    return lambda value, _error: f"{start} {_shown(value)}"


def _plain(sentence: str) -> Callable[[Any, ValidationError], str]:
    return lambda _value, _error: sentence


_WORDS: Mapping[str, Callable[[Any, ValidationError], str]] = {
    "type": _type,
    "required": _required,
    "dependentRequired": _dependent,
    "enum": _phrase("must be one of"),
    "const": _phrase("must be"),
    "minimum": _phrase("must be at least"),
    "maximum": _phrase("must be at most"),
    "exclusiveMinimum": _phrase("must be greater than"),
    "exclusiveMaximum": _phrase("must be less than"),
    "multipleOf": _phrase("must be a multiple of"),
    "pattern": _phrase("must match the pattern"),
    "format": lambda value, _error: f"must be a valid {value}",
    "minLength": _count(True, "character"),
    "maxLength": _count(False, "character"),
    "minItems": _count(True, "item"),
    "maxItems": _count(False, "item"),
    "minProperties": _count(True, "member"),
    "maxProperties": _count(False, "member"),
    "uniqueItems": _plain("must not repeat an item"),
    "contains": _plain("does not hold the items that `contains` asks for"),
    "minContains": _plain("does not hold the items that `contains` asks for"),
    "maxContains": _plain("holds more of the items than `maxContains` allows"),
    "additionalProperties": _plain("is a member that the schema does not have"),
    "unevaluatedProperties": _plain("is a member that the schema does not have"),
    "unevaluatedItems": _plain("is an item that the schema does not have"),
    "properties": _plain("is not allowed here"),
    "patternProperties": _plain("is not allowed here"),
    "items": _plain("is not allowed here"),
    "prefixItems": _plain("is not allowed here"),
    "propertyNames": _plain("has a name that the schema does not allow"),
    "anyOf": _plain("fits none of the alternatives"),
    "oneOf": _plain("must fit exactly one of the alternatives"),
    "not": _plain("is what the schema rules out"),
}
