"""Tokens to values: strings, numbers, durations, times of day, patterns. What is wrong is reported, with its place."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from unicodedata import is_normalized

from policy.source.text import Span
from policy.syntax import tree
from policy.syntax.characters import refusal
from policy.syntax.report import Report
from policy.syntax.tokens import Token

MAX_INTEGER = 2**53 - 1
"""The largest integer that I-JSON (RFC 7493) carries."""

_PLAIN = re.compile(r'"[\x20-\x5b\x5d-\x7e]*"')
_PIECE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*(?:_[0-9]+)*)(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][+-]?[0-9]+)?")
_LONGEST_NUMBER = 400
_DURATION_PART = re.compile(r"([0-9]+)(ms|[smhd])")
_DURATION_UNITS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_LONGEST_DURATION = 10_000 * 366 * 86_400_000
"""Milliseconds: longer than the years 1-9999 that a timestamp can have."""
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_SEGMENT = re.compile(r"[A-Za-z0-9_:-]+")


def text(report: Report, token: Token) -> tree.Text:
    """The decoded string."""
    span = report.span(token)
    if _PLAIN.fullmatch(token.text):
        return tree.Text(span=span, value=token.text[1:-1])
    parts: list[str] = []
    for piece in _PIECE.finditer(token.text, 1, len(token.text) - 1):
        place = Span(report.source, token.start + piece.start(), token.start + piece.end())
        parts.append(_piece(report, piece.group(), place))
    value = "".join(parts)
    if not is_normalized("NFC", value):
        report.error(
            "syntax.not_normalised",
            "the text is not in Unicode normal form C: it may look like another one and not equal it; type it anew",
            span,
        )
    return tree.Text(span=span, value=value)


def _piece(report: Report, written: str, place: Span) -> str:
    if written[0] != "\\":
        if written == "\t":
            report.error("syntax.string", "a tab stands in the string; write `\\t`", place)
        return written
    if written[1] != "u":
        if written[1] not in _ESCAPES:
            report.error(
                "syntax.string",
                f"the escape `{written}` is unknown",
                place,
                help="write `\\\\` for a backslash",
            )
            return ""
        return _ESCAPES[written[1]]
    if len(written) < 6:
        report.error("syntax.string", "`\\u` needs four hexadecimal digits behind it", place)
        return ""
    units = bytes.fromhex(written.replace("\\u", ""))
    character = units.decode("utf-16-be", "surrogatepass")
    reason = refusal(character)
    if reason is not None:
        report.error(
            "syntax.character", f"{reason} may not stand in a policy, not as an escape either; take it out", place
        )
        return ""
    return character


def number(report: Report, token: Token, minus: Token | None = None) -> tree.Number:
    """The number, with the sign before it."""
    span = report.span(token) if minus is None else Span(report.source, minus.start, token.end)
    written = token.text if minus is None else f"-{token.text}"
    value = number_value(written)
    if value is None:
        report.error("syntax.number", _number_problem(written), span)
        value = 0
    return tree.Number(span=span, text=written, value=value)


def number_value(written: str) -> int | float | None:
    """The value of a number as written, or None where it is none or none that I-JSON carries exactly."""
    if len(written) > _LONGEST_NUMBER or not _NUMBER.fullmatch(written):
        return None
    plain = written.replace("_", "")
    if plain.lstrip("-").isdecimal():
        whole = int(plain)
        return whole if abs(whole) <= MAX_INTEGER else None
    nearest = float(plain)
    if nearest.is_integer():
        if abs(nearest) > MAX_INTEGER:
            return None
        nearest = int(nearest)
    elif nearest in (float("inf"), float("-inf")):
        return None
    try:
        exact = Decimal(plain)
    except InvalidOperation:
        return None
    return nearest if exact == Decimal(repr(nearest)) else None


def _number_problem(written: str) -> str:
    if len(written) > _LONGEST_NUMBER:
        return f"the number has more than {_LONGEST_NUMBER} characters"
    if _NUMBER.fullmatch(written):
        whole = re.fullmatch(r"-?[0-9_]+", written) is not None
        rule = "integers within ±(2^53−1)" if whole else "integers within ±(2^53−1) and decimals of at most 17 digits"
        return f"`{written}` is no number that JSON carries exactly: {rule}"
    if re.match(r"-?0[0-9_]", written):
        return f"`{written}` begins with a zero; take it away"
    return f"`{written}` is malformed: `_` stands between two digits"


def duration(report: Report, token: Token) -> tree.Duration:
    """The duration: `1h30m`, units descending, each once."""
    milliseconds = duration_value(token.text)
    if milliseconds is None:
        report.error(
            "syntax.duration",
            _duration_problem(token.text),
            report.span(token),
            help="durations are `250ms`, `30s`, `15m`, `4h`, `7d`, `1h30m`",
        )
        milliseconds = 0
    return tree.Duration(span=report.span(token), text=token.text, nanoseconds=milliseconds * 1_000_000)


def duration_value(written: str) -> int | None:
    """Milliseconds of a duration as written, or None where it is malformed or too long."""
    if len(written) > _LONGEST_NUMBER:
        return None
    total, at, last = 0, 0, _LONGEST_DURATION
    for part in _DURATION_PART.finditer(written):
        size = _DURATION_UNITS[part[2]]
        if part.start() != at or size >= last or (part[1][0] == "0" and part[1] != "0"):
            return None
        total, at, last = total + int(part[1]) * size, part.end(), size
    return total if at == len(written) and at and total <= _LONGEST_DURATION else None


def _duration_problem(written: str) -> str:
    parts = [part[2] for part in _DURATION_PART.finditer(written)]
    if "".join(part.group() for part in _DURATION_PART.finditer(written)) != written or not parts:
        return f"`{written}` is neither a number nor a duration"
    if len(set(parts)) < len(parts):
        return f"`{written}` has a unit twice; each unit stands once"
    if parts != sorted(parts, key=lambda unit: -_DURATION_UNITS[unit]):
        return f"`{written}` has its units in the wrong order; they descend: d, h, m, s, ms"
    if re.search(r"(?<![0-9])0[0-9]", written):
        return f"`{written}` has a part that begins with a zero; take it away"
    return f"`{written}` is longer than any time between two timestamps"


def time_of_day(report: Report, token: Token) -> tree.TimeOfDay:
    """The time of day: `09:30`, `00:00` to `23:59`."""
    found = _TIME.fullmatch(token.text)
    if found is None:
        short = re.fullmatch(r"([0-9]):([0-5][0-9])", token.text)
        report.error(
            "syntax.time",
            f"`{token.text}` is no time of day; write two digits each, `00:00` to `23:59`",
            report.span(token),
            help=f"write `0{token.text}`"
            if short
            else "a window up to midnight ends at `00:00`"
            if token.text == "24:00"
            else None,
        )
        return tree.TimeOfDay(span=report.span(token), minutes=0)
    return tree.TimeOfDay(span=report.span(token), minutes=int(found[1]) * 60 + int(found[2]))


def pattern(report: Report, token: Token) -> tree.Pattern:
    """The scope pattern: words, `*`, and `**` first or last."""
    problem = pattern_problem(token.text)
    if problem is not None:
        report.error("syntax.pattern", f"`{token.text}` is no scope pattern: {problem}", report.span(token))
    return tree.Pattern(span=report.span(token), text=token.text)


def pattern_problem(written: str) -> str | None:
    """What is wrong with a scope pattern, or None where it is well-formed."""
    segments = written.split(".")
    if "" in segments:
        return "a segment is empty; one dot stands between two segments"
    if not (segments[0][0].isalnum() or segments[0] in ("*", "**")):
        return "it begins with a letter, a digit or `*`"
    for position, segment in enumerate(segments):
        if segment == "**" and 0 < position < len(segments) - 1:
            return "`**` stands first or last only; `*` is exactly one segment"
        if segment not in ("*", "**") and not _SEGMENT.fullmatch(segment):
            return f"`{segment}` mixes `*` with other characters; a segment is a word, `*` or `**`"
    return None
