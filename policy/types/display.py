"""Runtime values as text for people: one line, bounded, nothing in it that a terminal would obey."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address

from policy.types.comparison import kind_of
from policy.types.instants import NANOSECONDS_PER_MINUTE, format_clock, format_duration, format_timestamp
from policy.types.values import Duration, RiskLevel, Sensitivity, TimeOfDay, Timestamp

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def show_value(value: object, limit: int = 200) -> str:
    """A value as the language would write it, cut with `…` behind `limit` characters."""
    shown = ""
    for piece in _pieces(value):
        shown += piece
        if len(shown) > limit:
            return f"{shown[:limit]}…"
    return shown


def show_text(text: str) -> str:
    """A string in double quotes; what is not printable, bidirectional controls too, is escaped."""
    return f'"{"".join(_escaped(character) for character in text)}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"


def _pieces(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield "["
        for position, part in enumerate(value):
            yield ", " if position else ""
            yield from _pieces(part)
        yield "]"
    elif isinstance(value, dict):
        yield "{"
        for position, (name, part) in enumerate(value.items()):
            yield f"{', ' if position else ''}{show_text(name)}: "
            yield from _pieces(part)
        yield "}"
    elif isinstance(value, str):
        yield show_text(value)
    else:
        yield _show_scalar(value)


def _show_scalar(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Decimal():
            # Not `normalize`: it rounds to the digits of Python's own context.
            shown = f"{value:f}" if abs(value.adjusted()) <= 30 else str(value)
            return shown.rstrip("0").rstrip(".") if "." in shown and "E" not in shown else shown
        case int() | float():
            return repr(value)
        case Timestamp():
            return format_timestamp(value)
        case Duration(nanoseconds):
            return format_duration(nanoseconds)
        case TimeOfDay(nanoseconds):
            shown = format_clock(nanoseconds)
            return shown[:5] if nanoseconds % NANOSECONDS_PER_MINUTE == 0 else shown
        case RiskLevel() | Sensitivity():
            return str(value.value)
        case IPv4Address() | IPv6Address():
            return str(value)
        case _:
            return kind_of(value)
