"""Instants, lengths of time and calendar days as text: RFC 3339, the language's durations, ISO 8601 dates."""

from __future__ import annotations

import re
from datetime import MAXYEAR, date

from policy.types.values import Duration, Timestamp

NANOSECONDS_PER_SECOND = 10**9
NANOSECONDS_PER_MINUTE = 60 * NANOSECONDS_PER_SECOND
NANOSECONDS_PER_DAY = 86_400 * NANOSECONDS_PER_SECOND

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()

FIRST_INSTANT = Timestamp((date(1, 1, 1).toordinal() - _EPOCH_ORDINAL) * NANOSECONDS_PER_DAY)
"""0001-01-01T00:00:00Z."""
LAST_INSTANT = Timestamp((date(MAXYEAR, 12, 31).toordinal() - _EPOCH_ORDINAL + 1) * NANOSECONDS_PER_DAY - 1)
"""9999-12-31T23:59:59.999999999Z."""
LONGEST_DURATION = LAST_INSTANT.nanoseconds - FIRST_INSTANT.nanoseconds
"""Nanoseconds between the two: no duration of the language is longer."""

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,9}))?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_COUNT = r"(0|[1-9][0-9]{0,17})"
_DURATION = re.compile(f"(?:{_COUNT}d)?(?:{_COUNT}h)?(?:{_COUNT}m)?(?:{_COUNT}s)?(?:{_COUNT}ms)?")
_UNITS = (
    ("d", NANOSECONDS_PER_DAY),
    ("h", 3_600 * NANOSECONDS_PER_SECOND),
    ("m", NANOSECONDS_PER_MINUTE),
    ("s", NANOSECONDS_PER_SECOND),
    ("ms", 10**6),
)


def parse_date(text: str) -> date | None:
    """The calendar day of an ISO 8601 date `YYYY-MM-DD`, or None where it is malformed or no day."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day = (int(part) for part in found.groups())
    try:
        return date(year, month, day)
    except ValueError:
        return None


def parse_timestamp(text: str) -> Timestamp | None:
    """The instant of an RFC 3339 timestamp, or None where it is malformed.

    The offset is required, at most 9 fraction digits, no leap second; the year is 1-9999 as written and in UTC.
    """
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, sign, offset_hour, offset_minute = found.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH_ORDINAL
    except ValueError:
        return None
    seconds = int(hour) * 3_600 + int(minute) * 60 + int(second)
    if sign is not None:
        offset = int(offset_hour) * 3_600 + int(offset_minute) * 60
        seconds += offset if sign == "-" else -offset
    nanoseconds = days * NANOSECONDS_PER_DAY + seconds * NANOSECONDS_PER_SECOND
    if fraction is not None:
        nanoseconds += int(fraction.ljust(9, "0"))
    return timestamp_at(nanoseconds)


def timestamp_at(nanoseconds: int) -> Timestamp | None:
    """The instant so many nanoseconds after 1970-01-01T00:00:00Z, or None out of the years 1-9999 (UTC)."""
    in_range = FIRST_INSTANT.nanoseconds <= nanoseconds <= LAST_INSTANT.nanoseconds
    return Timestamp(nanoseconds) if in_range else None


def format_timestamp(timestamp: Timestamp) -> str:
    """RFC 3339 text in UTC with `Z` and the shortest fraction.

    Raises ValueError or OverflowError for an instant out of the years 1-9999, which no parser or arithmetic gives.
    """
    days, rest = divmod(timestamp.nanoseconds, NANOSECONDS_PER_DAY)
    return f"{format_day(days)}T{format_clock(rest)}Z"


def format_day(days: int) -> str:
    """`YYYY-MM-DD` of the day so many days after 1970-01-01.

    Raises ValueError or OverflowError out of the years 1-9999.
    """
    return date.fromordinal(_EPOCH_ORDINAL + days).isoformat()


def format_clock(nanoseconds: int) -> str:
    """`HH:MM:SS` with the shortest fraction, of nanoseconds from midnight."""
    seconds, fraction = divmod(nanoseconds, NANOSECONDS_PER_SECOND)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    tail = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{hour:02d}:{minute:02d}:{second:02d}{tail}"


def parse_duration(text: str) -> Duration | None:
    """The length of `250ms`, `1h30m`, `7d` (units d h m s ms descend, each once), or None where it is malformed
    or longer than the span between the first and the last instant."""
    found = _DURATION.fullmatch(text)
    if found is None or not text:
        return None
    total = sum(int(count) * unit for count, (_, unit) in zip(found.groups(), _UNITS, strict=True) if count is not None)
    return Duration(total) if total <= LONGEST_DURATION else None


def format_duration(nanoseconds: int) -> str:
    """`1h30m`, in the language's units; what is finer than a millisecond is shown as a fraction of one."""
    if nanoseconds < 0:
        return f"-{format_duration(-nanoseconds)}"
    rest = nanoseconds
    parts = []
    for unit, size in _UNITS:
        count, rest = divmod(rest, size)
        if unit == "ms" and rest:
            parts.append(f"{count}{f'.{rest:06d}'.rstrip('0')}ms")
        elif count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
