"""The formats of JSON Schema that are asserted: date-time, date, time, duration, ipv4, ipv6, uuid."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))")
_DURATION_TIME = r"T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DURATION_DATE = r"(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
_DURATION = re.compile(rf"P(?:[0-9]+W|{_DURATION_DATE}(?:{_DURATION_TIME})?|{_DURATION_TIME})")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_LAST_MINUTE = 23 * 60 + 59


def is_date(text: str) -> bool:
    """RFC 3339 `full-date`, years 1-9999."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    try:
        date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """RFC 3339 `full-time`: with an offset; second 60 only in the last minute of a UTC day."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = int(match[1]), int(match[2]), int(match[3])
    offset_hour, offset_minute = int(match[5] or 0), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 60 or offset_hour > 23 or offset_minute > 59:
        return False
    offset = (offset_hour * 60 + offset_minute) * (-1 if match[4] == "-" else 1)
    return second < 60 or (hour * 60 + minute - offset) % (24 * 60) == _LAST_MINUTE


def is_date_time(text: str) -> bool:
    """RFC 3339 `date-time`."""
    return len(text) > 10 and text[10] in "Tt" and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """RFC 3339 appendix A `duration`: whole numbers, units descend without a gap."""
    return _DURATION.fullmatch(text) is not None


def is_ipv4(text: str) -> bool:
    """RFC 2673 section 3.2: four decimal numbers without leading zeros."""
    if not text.isascii():
        return False
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def is_ipv6(text: str) -> bool:
    """RFC 4291 section 2.2, without a zone."""
    if not text.isascii() or "%" in text:
        return False
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def is_uuid(text: str) -> bool:
    """RFC 4122: 8-4-4-4-12 hexadecimal digits."""
    return _UUID.fullmatch(text) is not None


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date-time": is_date_time,
    "date": is_date,
    "time": is_time,
    "duration": is_duration,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "uuid": is_uuid,
}
"""Name to predicate; any other format is a hint."""

HINTS = (
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
)
"""Formats that JSON Schema names and that are not asserted here."""
