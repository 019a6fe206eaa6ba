"""RFC 3339 timestamps, durations and dates: exact readings, strict refusals."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.types.instants import (
    FIRST_INSTANT,
    LAST_INSTANT,
    LONGEST_DURATION,
    format_duration,
    format_timestamp,
    parse_date,
    parse_duration,
    parse_timestamp,
    timestamp_at,
)
from policy.types.values import Duration, Timestamp
from tests.properties.budget import budget

SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1970-01-01t00:00:01z", SECOND),
        ("1969-12-31T23:59:59.5Z", -SECOND // 2),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T19:00:00-05:00", 0),
        ("1970-01-01T00:00:00-00:00", 0),
        ("2000-02-29T00:00:00Z", 951_782_400 * SECOND),
        ("2026-06-12T22:30:00-03:00", 1_781_314_200 * SECOND),
        ("0001-01-01T00:00:00Z", FIRST_INSTANT.nanoseconds),
        ("9999-12-31T23:59:59.999999999Z", LAST_INSTANT.nanoseconds),
    ],
)
def test_timestamps_are_integer_nanoseconds(text: str, nanoseconds: int) -> None:
    assert parse_timestamp(text) == Timestamp(nanoseconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-06-10",
        "2026-06-10T12:00:00",
        "2026-06-10 12:00:00Z",
        "2026-06-10T12:00Z",
        "2026-06-10T12:00:00,5Z",
        "2026-06-10T12:00:00.Z",
        "2026-06-10T12:00:00.1234567890Z",
        "2026-06-10T12:00:00+0100",
        "2026-06-10T12:00:00+01",
        "2026-06-10T12:00:00+24:00",
        "2026-06-10T12:00:00+01:60",
        "2026-06-10T24:00:00Z",
        "2026-06-10T12:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-10T00:00:00Z",
        "26-06-10T12:00:00Z",
        "+2026-06-10T12:00:00Z",
        "10000-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0000-12-31T23:30:00-01:00",
        "0001-01-01T00:30:00+01:00",
        "9999-12-31T23:30:00-01:00",
        "2026-06-10T12:00:00Z\n",
        " 2026-06-10T12:00:00Z",
        "２０２６-06-10T12:00:00Z",
        "2026-W24-3T12:00:00Z",
        "1749556800",
    ],
)
def test_anything_else_is_no_timestamp(text: str) -> None:
    assert parse_timestamp(text) is None


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2026-06-10T12:00:00.500+02:00", "2026-06-10T10:00:00.5Z"),
        ("0001-01-01T00:00:00.000000001Z", "0001-01-01T00:00:00.000000001Z"),
        ("2026-12-31T23:59:59.0Z", "2026-12-31T23:59:59Z"),
    ],
)
def test_timestamps_are_shown_in_utc_with_the_shortest_fraction(written: str, shown: str) -> None:
    timestamp = parse_timestamp(written)
    assert timestamp is not None
    assert format_timestamp(timestamp) == shown


@budget(200)
@given(st.integers(FIRST_INSTANT.nanoseconds, LAST_INSTANT.nanoseconds))
def test_every_instant_survives_its_text(nanoseconds: int) -> None:
    assert parse_timestamp(format_timestamp(Timestamp(nanoseconds))) == Timestamp(nanoseconds)


def test_instants_end_with_their_years() -> None:
    assert timestamp_at(LAST_INSTANT.nanoseconds) == LAST_INSTANT
    assert timestamp_at(LAST_INSTANT.nanoseconds + 1) is None
    assert timestamp_at(FIRST_INSTANT.nanoseconds - 1) is None


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("250ms", 250 * 10**6),
        ("30s", 30 * SECOND),
        ("15m", 900 * SECOND),
        ("4h", 14_400 * SECOND),
        ("7d", 604_800 * SECOND),
        ("1h30m", 5_400 * SECOND),
        ("1d2h3m4s5ms", 93_784_005 * 10**6),
        ("0s", 0),
        ("90m", 5_400 * SECOND),
    ],
)
def test_durations_are_integer_nanoseconds(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == Duration(nanoseconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "h",
        "1.5h",
        "-1h",
        "+1h",
        "1h 30m",
        "30m1h",
        "1h1h",
        "1H",
        "1ms1s",
        "01h",
        "1w",
        "1y",
        "PT1H",
        "1h\n",
        "4000000d",
        "999999999999999999d",
        "1_000s",
        "１h",
    ],
)
def test_anything_else_is_no_duration(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("nanoseconds", "shown"),
    [
        (0, "0s"),
        (14_400 * SECOND, "4h"),
        (86_400 * SECOND, "1d"),
        (5_400 * SECOND, "1h30m"),
        (-5_400 * SECOND, "-1h30m"),
        (250 * 10**6, "250ms"),
        (1, "0.000001ms"),
        (SECOND + 1_500_000, "1s1.5ms"),
    ],
)
def test_durations_are_shown_in_the_languages_units(nanoseconds: int, shown: str) -> None:
    assert format_duration(nanoseconds) == shown


@budget(200)
@given(st.integers(0, LONGEST_DURATION // 10**6))
def test_every_duration_of_milliseconds_survives_its_text(milliseconds: int) -> None:
    assert parse_duration(format_duration(milliseconds * 10**6)) == Duration(milliseconds * 10**6)


def test_dates_are_calendar_days() -> None:
    assert parse_date("2024-02-29") == date(2024, 2, 29)
    refused = ("2023-02-29", "2024-2-9", "2024-02-29T00:00:00Z", "0000-01-01", "2024-02-29\n", "")
    assert [parse_date(text) for text in refused] == [None] * len(refused)
