"""Wall clocks of zones at nanosecond precision, and windows of wall-clock time."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta
from importlib import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.types.instants import FIRST_INSTANT, LAST_INSTANT, parse_timestamp
from policy.types.values import TimeOfDay, Timestamp
from policy.types.zones import (
    TZDATA_VERSION,
    WEEKDAYS,
    ZONE_NAMES,
    calendar_date,
    load_zone,
    time_of_day,
    weekday,
    within_window,
    zone_exists,
)
from tests.properties.budget import budget

MINUTE = 60 * 10**9
BERLIN, NEW_YORK, UTC_ZONE = "Europe/Berlin", "America/New_York", "UTC"
MON, TUE, WED, THU, FRI, SAT, SUN = range(7)
WEEK = frozenset(range(7))


def at(text: str) -> Timestamp:
    timestamp = parse_timestamp(text)
    assert timestamp is not None
    return timestamp


def test_zones_come_from_the_package_under_its_version() -> None:
    assert metadata.version("tzdata") == TZDATA_VERSION
    assert len(ZONE_NAMES) > 500
    assert [zone_exists(name) for name in (BERLIN, NEW_YORK, UTC_ZONE, "Etc/GMT+5")] == [True] * 4
    refused = ("", "Europe/Atlantis", "europe/berlin", "../zones", "Europe/Berlin\n", "/etc/localtime", "localtime")
    assert [zone_exists(name) for name in refused] == [False] * len(refused)


def test_every_zone_of_the_package_loads() -> None:
    assert {load_zone(name).key for name in sorted(ZONE_NAMES)[::20]} == set(sorted(ZONE_NAMES)[::20])


def test_an_unknown_zone_is_not_looked_for_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError):
        load_zone("Europe/Atlantis")
    monkeypatch.setattr(zoneinfo, "TZPATH", ("/nowhere",))
    assert time_of_day(at("2026-07-01T10:00:00Z"), load_zone(BERLIN)) == TimeOfDay(720 * MINUTE)


@pytest.mark.parametrize(
    ("instant", "zone", "day", "date", "minutes"),
    [
        ("2026-11-30T10:00:00Z", BERLIN, "mon", "2026-11-30", 660),
        ("2026-12-31T23:30:00Z", BERLIN, "fri", "2027-01-01", 30),
        ("2026-06-10T12:00:00Z", BERLIN, "wed", "2026-06-10", 840),
        ("2026-01-01T03:00:00Z", NEW_YORK, "wed", "2025-12-31", 1320),
        ("2026-03-29T00:59:00Z", BERLIN, "sun", "2026-03-29", 119),
        ("2026-03-29T01:00:00Z", BERLIN, "sun", "2026-03-29", 180),
        ("2026-10-25T00:30:00Z", BERLIN, "sun", "2026-10-25", 150),
        ("2026-10-25T01:30:00Z", BERLIN, "sun", "2026-10-25", 150),
        ("1970-01-01T00:00:00Z", UTC_ZONE, "thu", "1970-01-01", 0),
        ("2600-07-01T12:00:00Z", BERLIN, "tue", "2600-07-01", 840),
    ],
)
def test_what_calendar_and_clock_show(instant: str, zone: str, day: str, date: str, minutes: int) -> None:
    rules = load_zone(zone)
    assert weekday(at(instant), rules) == day
    assert calendar_date(at(instant), rules) == date
    assert time_of_day(at(instant), rules) == TimeOfDay(minutes * MINUTE)


def test_nanoseconds_are_kept_and_change_no_day() -> None:
    rules = load_zone(BERLIN)
    assert time_of_day(at("2026-11-29T22:59:59.999999999Z"), rules) == TimeOfDay(1440 * MINUTE - 1)
    assert weekday(at("2026-11-29T22:59:59.999999999Z"), rules) == "sun"
    assert weekday(at("2026-11-29T23:00:00Z"), rules) == "mon"


def test_no_zone_shows_a_date_out_of_the_years() -> None:
    assert calendar_date(FIRST_INSTANT, load_zone(NEW_YORK)) is None
    assert weekday(LAST_INSTANT, load_zone(BERLIN)) is None
    assert within_window(LAST_INSTANT, WEEK, 0, 1440, load_zone(BERLIN)) is None
    assert calendar_date(LAST_INSTANT, load_zone(UTC_ZONE)) == "9999-12-31"
    assert calendar_date(FIRST_INSTANT, load_zone(UTC_ZONE)) == "0001-01-01"


@budget(150)
@given(
    st.integers(-2_000_000_000, 5_000_000_000),
    st.sampled_from([BERLIN, NEW_YORK, "Asia/Kathmandu", "Australia/Lord_Howe"]),
)
def test_clocks_agree_with_the_standard_library(seconds: int, name: str) -> None:
    shown = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).astimezone(load_zone(name))
    instant = Timestamp(seconds * 10**9 + 7)
    clock = (shown.hour * 3_600 + shown.minute * 60 + shown.second) * 10**9 + 7
    assert time_of_day(instant, load_zone(name)) == TimeOfDay(clock)
    assert calendar_date(instant, load_zone(name)) == shown.date().isoformat()
    assert weekday(instant, load_zone(name)) == WEEKDAYS[shown.weekday()]


@pytest.mark.parametrize(
    ("instant", "days", "start", "end", "expected"),
    [
        # 2026-06-12 is a Friday.
        ("2026-06-12T08:00:00Z", {FRI}, 480, 1080, True),
        ("2026-06-12T07:59:59.999999999Z", {FRI}, 480, 1080, False),
        ("2026-06-12T17:59:59.999999999Z", {FRI}, 480, 1080, True),
        ("2026-06-12T18:00:00Z", {FRI}, 480, 1080, False),
        ("2026-06-12T10:00:00Z", {SAT}, 480, 1080, False),
        ("2026-06-12T22:00:00Z", {FRI}, 1320, 360, True),
        ("2026-06-12T21:59:59.999999999Z", {FRI}, 1320, 360, False),
        ("2026-06-13T05:59:59.999999999Z", {FRI}, 1320, 360, True),
        ("2026-06-13T06:00:00Z", {FRI}, 1320, 360, False),
        ("2026-06-12T05:00:00Z", {FRI}, 1320, 360, False),
        ("2026-06-12T05:00:00Z", {THU}, 1320, 360, True),
        ("2026-06-15T03:00:00Z", {SUN}, 1320, 360, True),
        ("2026-06-15T03:00:00Z", {MON, TUE, WED, THU, FRI}, 1320, 360, False),
        ("2026-06-12T23:59:59.999999999Z", {FRI}, 1320, 0, True),
        ("2026-06-13T00:00:00Z", {FRI}, 1320, 0, False),
        ("2026-06-12T00:00:00Z", {FRI}, 0, 1440, True),
        ("2026-06-12T09:00:00Z", {FRI}, 540, 540, False),
    ],
)
def test_windows_are_half_open_and_belong_to_the_day_they_open(
    instant: str, days: set[int], start: int, end: int, expected: bool
) -> None:
    assert within_window(at(instant), days, start, end, load_zone(UTC_ZONE)) is expected


def test_windows_are_of_wall_clock_time() -> None:
    rules = load_zone(BERLIN)
    # Summer time: 08:00 is 06:00 UTC; winter time: 07:00 UTC.
    assert within_window(at("2026-06-12T06:00:00Z"), {FRI}, 480, 1080, rules) is True
    assert within_window(at("2026-12-11T06:00:00Z"), {FRI}, 480, 1080, rules) is False
    assert within_window(at("2026-12-11T07:00:00Z"), {FRI}, 480, 1080, rules) is True
    # The hour that a clock shows twice is inside both times; the one it skips is never there.
    assert within_window(at("2026-10-25T00:30:00Z"), {SUN}, 120, 180, rules) is True
    assert within_window(at("2026-10-25T01:30:00Z"), {SUN}, 120, 180, rules) is True
    assert within_window(at("2026-03-29T01:00:00Z"), {SUN}, 120, 180, rules) is False
