"""Colours of a terminal, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TextIO

from policy.source.records import dataclass

Role = Literal["error", "warning", "note", "help", "strong", "dim", "allow", "require-approval", "deny"]

_CODES: Mapping[Role, str] = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "help": "1;32",
    "strong": "1",
    "dim": "2",
    "allow": "1;32",
    "require-approval": "1;33",
    "deny": "1;31",
}


@dataclass(frozen=True, slots=True)
class Style:
    """Whether text for people is coloured."""

    colour: bool = False

    def paint(self, role: Role, text: str) -> str:
        """The text in the colour of its role."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.colour and text else text


PLAIN = Style()


def style_for(stream: TextIO, environment: Mapping[str, str]) -> Style:
    """Colours only on a terminal, and not where `NO_COLOR` is set or the terminal is dumb."""
    wanted = not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
    return Style(colour=wanted and stream.isatty())
