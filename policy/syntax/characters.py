"""Characters that may not stand in a policy, written out or as escapes (language.md section 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, name

_SUSPECT = re.compile(r"[^\n\r\t\x20-\x7e]|\r(?!\n)")
"""A cheap first look: everything but printable ASCII and plain line ends."""

_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)
"""Beside the category Cf: the other code points with Unicode's Default_Ignorable_Code_Point, which show nothing."""


def refusal(character: str) -> str | None:
    """Why a character may not stand in a policy, not even as an escape, or None where it may."""
    if character == "\0":
        return "NUL"
    if character in _BIDIRECTIONAL:
        return f"the bidirectional control {_label(character)}"
    code = ord(character)
    if category(character) == "Cf" or any(first <= code <= last for first, last in _INVISIBLE):
        return f"the invisible character {_label(character)}"
    if category(character) == "Cs":
        return f"half a surrogate pair ({_label(character)})"
    return None


def refusal_in_text(character: str) -> str | None:
    """Why a character may not be written out in a policy, or None where it may: control characters and exotic line
    ends, which editors show in different ways, too."""
    reason = refusal(character)
    if reason is None and character == "\r":
        return "a carriage return that ends no line"
    if reason is None and character not in "\t\n" and category(character) in ("Cc", "Zl", "Zp"):
        return f"the control character {_label(character)}"
    return reason


def forbidden(text: str) -> Iterator[tuple[int, str]]:
    """Offset and reason of each character that may not be written out."""
    reasons = {character: refusal_in_text(character) for character in set(_SUSPECT.findall(text))}
    refused = "".join(re.escape(character) for character, reason in reasons.items() if reason and character != "\r")
    if not refused and "\r" not in reasons:
        return
    for match in re.finditer(rf"\r(?!\n)|[{refused}]" if refused else r"\r(?!\n)", text):
        yield match.start(), reasons[match.group()] or ""


def _label(character: str) -> str:
    known = name(character, "")
    return f"U+{ord(character):04X} ({known.lower()})" if known else f"U+{ord(character):04X}"
