"""The table of functions, and how values are shown."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import ip_address

import pytest

from policy.types.display import show_value
from policy.types.functions import FUNCTIONS
from policy.types.kinds import Basic
from policy.types.values import Duration, RiskLevel, Sensitivity, TimeOfDay, Timestamp
from policy.types.zones import load_zone

MINUTE = 60 * 10**9


def test_the_language_has_these_functions() -> None:
    assert sorted(FUNCTIONS) == [
        "count",
        "date",
        "duration",
        "host",
        "ip",
        "length",
        "lower",
        "mail_domain",
        "time",
        "timestamp",
        "weekday",
    ]
    assert all(name == function.name for name, function in FUNCTIONS.items())
    assert [name for name, function in FUNCTIONS.items() if function.zone == 1] == ["time", "date", "weekday"]
    assert all(len(function.parameters) == (1 if function.zone is None else 2) for function in FUNCTIONS.values())


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [
        ("count", [1, None, "a"], 3),
        ("count", [], 0),
        ("length", "", 0),
        ("length", "\U0001f600e\u0301", 3),
        ("lower", "ABC-Ä", "abc-Ä"),
        ("timestamp", "1970-01-01T00:00:01+00:00", Timestamp(10**9)),
        ("timestamp", "1970-01-01", None),
        ("ip", "10.0.0.1", ip_address("10.0.0.1")),
        ("ip", "10.0.0", None),
        ("duration", "1h", Duration(60 * MINUTE)),
        ("duration", "an hour", None),
        ("host", "https://A.example/x", "a.example"),
        ("host", "https://u@a.example/x", None),
        ("mail_domain", "a@B.example", "b.example"),
        ("mail_domain", "a@b@c", None),
    ],
)
def test_functions_of_one_argument(name: str, argument: object, expected: object) -> None:
    assert FUNCTIONS[name].refuses(argument) is None
    assert FUNCTIONS[name].implementation(argument) == expected


def test_functions_of_zones() -> None:
    zone = load_zone("Europe/Berlin")
    instant = Timestamp(0)
    assert FUNCTIONS["time"].implementation(instant, zone) == TimeOfDay(60 * MINUTE)
    assert FUNCTIONS["date"].implementation(instant, zone) == "1970-01-01"
    assert FUNCTIONS["weekday"].implementation(instant, zone) == "thu"


def test_functions_refuse_other_types_in_words() -> None:
    assert FUNCTIONS["count"].refuses({"a": 1}) == "is an object, not a list"
    assert FUNCTIONS["length"].refuses(["a"]) == "is a list, not a string"
    assert FUNCTIONS["weekday"].refuses("2026-01-01T00:00:00Z") == "is a string, not a timestamp"
    assert FUNCTIONS["timestamp"].refuses(Timestamp(0)) == "is a timestamp, not a string"


def test_results_have_types() -> None:
    results = {name: function.result for name, function in FUNCTIONS.items() if isinstance(function.result, Basic)}
    assert results == {
        "count": Basic.NUMBER,
        "length": Basic.NUMBER,
        "lower": Basic.STRING,
        "timestamp": Basic.TIMESTAMP,
        "ip": Basic.IP,
        "duration": Basic.DURATION,
        "host": Basic.STRING,
        "mail_domain": Basic.STRING,
        "time": Basic.TIME,
        "date": Basic.STRING,
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (0.1, "0.1"),
        (Decimal("0.30"), "0.3"),
        (Decimal("1E-600"), "1E-600"),
        (Decimal("100"), "100"),
        (Decimal("0." + "12345" * 10), "0." + "12345" * 10),
        ('a"b\\\n\t\u202e\u00fc\U000e0001', '"a\\"b\\\\\\n\\t\\u202eü\\u{e0001}"'),
        ([1, "a", [None]], '[1, "a", [null]]'),
        ({"a": 1, "b": [True]}, '{"a": 1, "b": [true]}'),
        (Timestamp(0), "1970-01-01T00:00:00Z"),
        (Duration(90 * MINUTE), "1h30m"),
        (TimeOfDay(570 * MINUTE), "09:30"),
        (TimeOfDay(570 * MINUTE + 1), "09:30:00.000000001"),
        (RiskLevel.HIGH, "high"),
        (Sensitivity.PUBLIC, "public"),
        (ip_address("::1"), "::1"),
    ],
)
def test_values_are_shown_as_the_language_writes_them(value: object, shown: str) -> None:
    assert show_value(value) == shown


def test_long_values_are_cut() -> None:
    assert show_value(list(range(10_000)), limit=10) == "[0, 1, 2, …"
    assert show_value("x" * 50, limit=5) == '"xxxx…'
