"""Conditions that a voter attached to an approval (AIP 1.0): a JSON Pointer into the input, an operator, a value."""

from __future__ import annotations

import re
from typing import Any

from policy.model.context import Constraint
from policy.types.comparison import contains, equal, ordered
from policy.types.values import MISSING

_TOKEN = re.compile(r"(?:[^~]|~[01])*", re.DOTALL)
_ORDERS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def constraint_holds(constraint: Constraint, value: Any) -> bool:
    """Whether the input meets a constraint. A missing field, null, a value of another type, an unknown operator: no."""
    found = _resolve(constraint.field, value)
    expected = constraint.value
    if found is MISSING or found is None or expected is None:
        return False
    match constraint.operator:
        case "eq":
            return equal(found, expected) is True
        case "neq":
            return equal(found, expected) is False
        case "lt" | "lte" | "gt" | "gte":
            return ordered(_ORDERS[constraint.operator], found, expected) is True
        case "in":
            return isinstance(expected, list) and contains(expected, found) is True
        case "contains":
            return _contains(found, expected)
        case "min_length":
            return _is_length(expected) and isinstance(found, str | list) and len(found) >= expected
        case "max_length":
            return _is_length(expected) and isinstance(found, str | list) and len(found) <= expected
        case _:
            return False


def _contains(found: object, expected: object) -> bool:
    if isinstance(found, str):
        return isinstance(expected, str) and expected in found
    return isinstance(found, list) and contains(found, expected) is True


def _is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _resolve(pointer: str, value: Any) -> Any:
    """The value at a JSON Pointer (RFC 6901), or MISSING where it leads nowhere or is malformed."""
    if not pointer:
        return value
    if not pointer.startswith("/"):
        return MISSING
    for token in pointer[1:].split("/"):
        if _TOKEN.fullmatch(token) is None:
            return MISSING
        step = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _is_position(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def _is_position(step: str) -> bool:
    # A huge number of digits is no position of any list, and must not be read as one number.
    return step.isascii() and step.isdigit() and len(step) < 10 and (step == "0" or step[0] != "0")
