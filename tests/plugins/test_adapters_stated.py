"""Typed arguments as the JSON that a policy judges."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any
from uuid import UUID

import pytest
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, SecretStr

from policy.plugins.adapters.stated import stated


class _Colour(Enum):
    RED = "red"


class _Level(IntEnum):
    HIGH = 3


class _Order(BaseModel):
    model_config = ConfigDict(extra="allow")

    amount: Decimal
    left_out: int = Field(0, exclude=True)
    currency: str = Field("EUR", alias="in")


@dataclass
class _Point:
    x: int
    colour: _Colour


@pytest.mark.parametrize(
    ("value", "json"),
    [
        ({"a": None, "b": True, "c": 1, "d": 1.5, "e": "f"}, {"a": None, "b": True, "c": 1, "d": 1.5, "e": "f"}),
        ([(1, 2), frozenset({3})], [[1, 2], [3]]),
        (Decimal("250"), 250),
        (Decimal("1E+3"), 1000),
        (Decimal("250.10"), 250.1),
        (_Colour.RED, "red"),
        (_Level.HIGH, 3),
        (_Point(1, _Colour.RED), {"x": 1, "colour": "red"}),
        (datetime(2026, 12, 1, 10, tzinfo=UTC), "2026-12-01T10:00:00Z"),
        (date(2026, 12, 1), "2026-12-01"),
        (timedelta(hours=1), "PT1H"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (AnyUrl("https://example.org/a"), "https://example.org/a"),
    ],
)
def test_what_json_says_all_of(value: Any, json: Any) -> None:
    """As a model would write it, down to the kinds of numbers."""
    told = stated(value)
    assert told == json
    assert type(told) is type(json)


def test_a_model_is_stated_whole() -> None:
    """By the names that it is written by, with what its own JSON leaves out and what it did not declare."""
    order = _Order.model_validate({"amount": "2.5", "left_out": 7, "in": "USD", "more": [Decimal(1)]})
    assert stated(order) == {"amount": 2.5, "left_out": 7, "in": "USD", "more": [1]}


@pytest.mark.parametrize("value", [SecretStr("x"), b"x", object(), {1: "a"}, [object()], {"a": SecretStr("x")}])
def test_what_json_does_not_say_all_of(value: Any) -> None:
    """Is an error, however deep it lies."""
    with pytest.raises(TypeError, match=r"^not (JSON|a JSON name)$"):
        stated(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), Decimal("NaN"), Decimal("1E+400"), Decimal("0.1000000000000000055")]
)
def test_numbers_that_readers_do_not_agree_on(value: Any) -> None:
    """Are errors too."""
    with pytest.raises(ValueError, match="not a JSON number"):
        stated(value)
