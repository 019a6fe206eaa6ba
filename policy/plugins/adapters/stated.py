"""Typed arguments as JSON, for runtimes that validate and convert what a model wrote before the gate sees it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from pydantic import AnyUrl, BaseModel
from pydantic_core import to_jsonable_python

__all__ = ["UNSTATED", "stated"]

UNSTATED = "denied: the arguments cannot be stated as JSON exactly, so nothing ran"
"""What a model reads where the policy could not be shown what would run."""
_DIGITS = 300
"""Digits of the largest number that readers of JSON agree on."""


def stated(value: Any) -> Any:
    """JSON that says all of a value. A decimal is a number, as a model writes it.

    Raises TypeError for a value of a kind that JSON may not say all of, such as a masked secret, and ValueError for a
    number that readers of JSON do not agree on.
    """
    match value:
        case None | bool() | int() | str() if not isinstance(value, Enum):
            return value
        case Enum():
            return stated(value.value)
        case float():
            if not math.isfinite(value):
                raise ValueError("not a JSON number")
            return value
        case Decimal():
            return _number(value)
        case BaseModel():
            return {name: stated(getattr(value, attribute)) for attribute, name in _members(value)}
        case _ if is_dataclass(value):
            return {field.name: stated(getattr(value, field.name)) for field in fields(value)}
        case Mapping():
            return {_name(name): stated(member) for name, member in value.items()}
        case list() | tuple() | Set():
            return [stated(item) for item in value]
        case datetime() | date() | time() | timedelta() | UUID() | PurePath() | AnyUrl():
            return to_jsonable_python(value)
        case _:
            raise TypeError("not JSON")


def _members(model: BaseModel) -> list[tuple[str, str]]:
    """The attributes of a model with the names that they are written by, those left out of its own JSON included."""
    named = [
        (attribute, field.validation_alias if isinstance(field.validation_alias, str) else attribute)
        for attribute, field in type(model).model_fields.items()
    ]
    return [*named, *((extra, extra) for extra in model.model_extra or {})]


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("not a JSON name")
    return name


def _number(value: Decimal) -> int | float:
    """The number of a decimal. Raises ValueError where JSON readers would not agree on it."""
    if not value.is_finite() or value.adjusted() > _DIGITS:
        raise ValueError("not a JSON number")
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    if Decimal(repr(number)) != value:
        raise ValueError("not a JSON number")
    return number
