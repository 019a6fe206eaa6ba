"""Declared attributes: JSON becomes runtime values of the declared type, or a mismatch with its path."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from policy.types.convert import Mismatch, member_to_runtime, to_runtime
from policy.types.kinds import Basic, Field, ListOf, MapOf, OneOf, Record, Type, Vocabulary
from policy.types.values import MISSING, Duration, RiskLevel, Sensitivity, Timestamp

CHANGE = Record(
    "change",
    (
        ("author", Field(Basic.STRING)),
        ("contributors", Field(ListOf(Basic.STRING), optional=True)),
        ("ticket", Field(Basic.STRING, nullable=True)),
        ("at", Field(Basic.TIMESTAMP, optional=True, nullable=True)),
    ),
)
OPEN = Record("principal", (("level", Field(Basic.RISK, optional=True)),), open=True)


@pytest.mark.parametrize(
    ("value", "declared", "expected"),
    [
        ("a", Basic.STRING, "a"),
        ("", Basic.STRING, ""),
        (1, Basic.NUMBER, 1),
        (1.0, Basic.NUMBER, 1),
        (0.5, Basic.NUMBER, 0.5),
        (True, Basic.BOOLEAN, True),
        ("1970-01-01T00:00:00Z", Basic.TIMESTAMP, Timestamp(0)),
        ("1s", Basic.DURATION, Duration(10**9)),
        ("10.0.0.1", Basic.IP, ip_address("10.0.0.1")),
        ("high", Basic.RISK, RiskLevel.HIGH),
        ("regulated", Basic.SENSITIVITY, Sensitivity.REGULATED),
        ("staging", OneOf(("production", "staging")), "staging"),
        ("agent", Vocabulary("kind", ("agent", "human")), "agent"),
        ([], ListOf(Basic.STRING), []),
        (["low", "high"], ListOf(Basic.RISK), [RiskLevel.LOW, RiskLevel.HIGH]),
        ({"a": "1s"}, MapOf(Basic.DURATION), {"a": Duration(10**9)}),
        ({"x": [1, None]}, Basic.JSON, {"x": [1, None]}),
        ({"author": "a", "ticket": None, "other": 1}, CHANGE, {"author": "a", "ticket": None}),
        ({"author": "a", "ticket": "t", "contributors": None}, CHANGE, {"author": "a", "ticket": "t"}),
        ({"author": "a", "ticket": "t", "at": None}, CHANGE, {"author": "a", "ticket": "t", "at": None}),
        ({"level": "low", "other": [1]}, OPEN, {"level": RiskLevel.LOW, "other": [1]}),
        ({"level": None}, OPEN, {}),
    ],
)
def test_values_of_their_type(value: object, declared: Type, expected: object) -> None:
    converted = to_runtime(value, declared)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("value", "declared", "path", "problem"),
    [
        (1, Basic.STRING, "", "is a number, not a string"),
        ("1", Basic.NUMBER, "", "is a string, not a number"),
        (True, Basic.NUMBER, "", "is a boolean, not a number"),
        (2**53, Basic.NUMBER, "", "is a number that data does not carry exactly"),
        (1, Basic.BOOLEAN, "", "is a number, not a boolean"),
        (0, Basic.TIMESTAMP, "", "is a number, not the text of a value of type timestamp"),
        ("1970-01-01T00:00:00", Basic.TIMESTAMP, "", "is not an RFC 3339 timestamp with an offset"),
        ("1 hour", Basic.DURATION, "", "is not a duration such as `1h30m`"),
        ("10.0.0.0/8", Basic.IP, "", "is not an IPv4 or IPv6 address in plain form"),
        ("High", Basic.RISK, "", "is not one of low, medium, high, critical"),
        (
            "secret",
            Basic.SENSITIVITY,
            "",
            "is not one of public, internal, confidential, restricted, regulated, unknown",
        ),
        ("test", OneOf(("production", "staging")), "", "is not one of `production`, `staging`"),
        (1, OneOf(("1",)), "", "is a number, not a string"),
        ("a", ListOf(Basic.STRING), "", "is a string, not a list"),
        (["a", 1], ListOf(Basic.STRING), "[1]", "is a number, not a string"),
        (["a", None], ListOf(Basic.STRING), "[1]", "is missing"),
        ({"a": None}, MapOf(Basic.STRING), ".a", "is missing"),
        ({"a": {"b": 1}}, MapOf(MapOf(Basic.STRING)), ".a.b", "is a number, not a string"),
        ([], MapOf(Basic.STRING), "", "is a list, not an object"),
        ({"author": "a"}, CHANGE, ".ticket", "is missing"),
        ({"author": None, "ticket": "t"}, CHANGE, ".author", "is missing"),
        (
            {"author": "a", "ticket": "t", "contributors": ["a", 2]},
            CHANGE,
            ".contributors[1]",
            "is a number, not a string",
        ),
        ([{"author": 1, "ticket": "t"}], ListOf(CHANGE), "[0].author", "is a number, not a string"),
        ("x", CHANGE, "", "is a string, not an object"),
        ("09:30", Basic.TIME, "", "cannot be stated: data has no times of day"),
    ],
)
def test_mismatches_say_where_and_what(value: object, declared: Type, path: str, problem: str) -> None:
    assert to_runtime(value, declared) == Mismatch(path, problem)


def test_null_and_absence_of_members() -> None:
    plain, optional = Field(Basic.STRING), Field(Basic.STRING, optional=True)
    nullable, both = Field(Basic.STRING, nullable=True), Field(Basic.STRING, optional=True, nullable=True)
    assert [member_to_runtime(None, field) for field in (plain, optional, nullable, both)] == [
        Mismatch("", "is missing"),
        MISSING,
        None,
        None,
    ]
    assert [member_to_runtime(MISSING, field) for field in (plain, optional, nullable, both)] == [
        Mismatch("", "is missing"),
        MISSING,
        Mismatch("", "is missing"),
        MISSING,
    ]
    assert member_to_runtime("a", nullable) == "a"
