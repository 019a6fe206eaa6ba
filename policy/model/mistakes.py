"""What a model found wrong with data, in words for people: the author's text and no class name."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_SHOWN = 80
"""Characters of an author's text that a message shows."""

_LISTED = 1_000
"""Mistakes of one document that are told one by one."""

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
_WORD = re.compile(r"'([^']*)'")


def mistakes_of(error: ValidationError) -> tuple[list[ErrorDetails], int]:
    """The first mistakes that a model found, and how many more there are; a hostile document may hold any number."""
    found = error.errors(include_url=False)
    return found[:_LISTED], max(0, len(found) - _LISTED)


def quoted(value: object) -> str:
    """The author's text in backticks, on one line; what is not visible ASCII is shown as an escape."""
    return shown(value) if not isinstance(value, str) else _cut(json.dumps(value)[1:-1].replace('\\"', '"'))


def shown(value: object) -> str:
    """A JSON value in backticks, text in its quotes, so that `"1"` and `1` are told apart."""
    return _cut(json.dumps(value))


def _cut(text: str) -> str:
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[: _SHOWN - 1]}…`"


def sentence(mistake: ErrorDetails, name: str) -> str:
    """One mistake about what `name` says, with what to do about it."""
    kind, context = mistake["type"], mistake.get("ctx", {})
    if kind in _KINDS:
        return f"{name} must be {_KINDS[kind]}"
    match kind:
        case "missing":
            return f"{name} is missing; add it"
        case "extra_forbidden":
            return f"{name} is not a member here; remove it"
        case "literal_error":
            words = ", ".join(f"`{word}`" for word in words_of(context, "expected"))
            return f"{name} is {quoted(mistake['input'])}; use one of {words}"
        case "union_tag_invalid":
            words = ", ".join(f"`{word}`" for word in words_of(context, "expected_tags"))
            return f"{name} has {_tag(context)} {quoted(context['tag'])}; use one of {words}"
        case "union_tag_not_found":
            return f"{name} needs a member `{_tag(context)}`; add it"
        case "string_too_short":
            return f"{name} is empty; give it a value"
        case "string_too_long":
            return f"{name} is longer than {context['max_length']} characters; shorten it"
        case "greater_than":
            return f"{name} must be above {context['gt']}"
        case "greater_than_equal":
            return f"{name} must be at least {context['ge']}"
        case "less_than_equal":
            return f"{name} must be at most {context['le']}"
        case "value_error":
            return f"{name}: {context['error']}"
        case _:
            return f"{name} is malformed ({mistake['msg'].lower()})"


def words_of(context: dict[str, Any], name: str) -> list[str]:
    """The words that a mistake names as expected."""
    return _WORD.findall(str(context[name]))


def _tag(context: dict[str, Any]) -> str:
    return str(context["discriminator"]).strip("'")
