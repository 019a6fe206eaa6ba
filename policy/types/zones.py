"""Time zones and wall clocks, from the `tzdata` package only: the system's database never takes part."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from importlib import metadata, resources
from zoneinfo import ZoneInfo

from policy.types.instants import (
    FIRST_INSTANT,
    NANOSECONDS_PER_DAY,
    NANOSECONDS_PER_MINUTE,
    NANOSECONDS_PER_SECOND,
    format_day,
    timestamp_at,
)
from policy.types.values import TimeOfDay, Timestamp

TZDATA_VERSION = metadata.version("tzdata")
"""The version of the tzdata package in use; part of the policy hash."""

ZONE_NAMES = frozenset(resources.files("tzdata").joinpath("zones").read_text("utf-8").split())
"""Every zone name that the package knows, aliases too; names are compared by code point."""

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_FIRST_DATETIME = datetime(1, 1, 1, tzinfo=UTC)
_EPOCH_WEEKDAY = WEEKDAYS.index("thu")


def zone_exists(name: str) -> bool:
    """Whether the package knows a zone of exactly this name."""
    return name in ZONE_NAMES


def load_zone(name: str) -> ZoneInfo:
    """The rules of a zone. Raises KeyError for a name that the package does not know."""
    if not zone_exists(name):
        raise KeyError(name)
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def wall_clock(timestamp: Timestamp, zone: ZoneInfo) -> tuple[int, int] | None:
    """What calendar and clock of a zone show at an instant: days since 1970-01-01 and nanoseconds from midnight.

    None where the zone's own date is out of the years 1-9999.
    """
    # Offsets change at whole seconds only, so the instant's second tells the offset of all its nanoseconds.
    seconds = (timestamp.nanoseconds - FIRST_INSTANT.nanoseconds) // NANOSECONDS_PER_SECOND
    days, rest = divmod(seconds, 86_400)
    try:
        offset = (_FIRST_DATETIME + timedelta(days=days, seconds=rest)).astimezone(zone).utcoffset()
    except (OverflowError, ValueError):
        return None
    if offset is None or offset.microseconds:
        return None
    shown = timestamp.nanoseconds + (offset.days * 86_400 + offset.seconds) * NANOSECONDS_PER_SECOND
    return divmod(shown, NANOSECONDS_PER_DAY) if timestamp_at(shown) is not None else None


def time_of_day(timestamp: Timestamp, zone: ZoneInfo) -> TimeOfDay | None:
    """The time a zone's clock shows; None where its date is out of the years 1-9999."""
    shown = wall_clock(timestamp, zone)
    return None if shown is None else TimeOfDay(shown[1])


def calendar_date(timestamp: Timestamp, zone: ZoneInfo) -> str | None:
    """The date a zone's calendar shows, `YYYY-MM-DD`; None out of the years 1-9999."""
    shown = wall_clock(timestamp, zone)
    return None if shown is None else format_day(shown[0])


def weekday(timestamp: Timestamp, zone: ZoneInfo) -> str | None:
    """The day of the week in a zone, `mon` … `sun`; None where its date is out of the years 1-9999."""
    shown = wall_clock(timestamp, zone)
    return None if shown is None else WEEKDAYS[_weekday_index(shown[0])]


def within_window(timestamp: Timestamp, days: AbstractSet[int], start: int, end: int, zone: ZoneInfo) -> bool | None:
    """Whether an instant lies in the half-open window [start, end) of wall-clock time on one of the days.

    `days` are 0 (Monday) … 6, `start` and `end` minutes from midnight. A window whose end is before its start goes
    on past midnight and belongs to the day it opens; one whose end is its start is empty. None where the zone's date
    is out of the years 1-9999.
    """
    shown = wall_clock(timestamp, zone)
    if shown is None:
        return None
    today = _weekday_index(shown[0])
    opened = shown[1] >= start * NANOSECONDS_PER_MINUTE
    open_still = shown[1] < end * NANOSECONDS_PER_MINUTE
    if start <= end:
        return today in days and opened and open_still
    return (today in days and opened) or ((today - 1) % 7 in days and open_still)


def _weekday_index(days: int) -> int:
    return (days + _EPOCH_WEEKDAY) % 7
