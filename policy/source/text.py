"""Source text and places in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field

from policy.source.records import dataclass

_LINE_END = re.compile("\n")


@dataclass(frozen=True, slots=True)
class Source:
    """One policy text: `name` is the path shown to people, `text` its characters (not bytes)."""

    name: str
    text: str = field(repr=False)
    line_starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = (0, *(end.end() for end in _LINE_END.finditer(self.text)))
        object.__setattr__(self, "line_starts", starts)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column (in code points) of a character offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a 1-based line, without its line end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters of one source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """1-based line of the first character."""
        return self.source.line_and_column(self.start)[0]

    @property
    def column(self) -> int:
        """1-based column of the first character, in code points."""
        return self.source.line_and_column(self.start)[1]

    @property
    def end_line(self) -> int:
        """1-based line of the end."""
        return self.source.line_and_column(self.end)[0]

    @property
    def end_column(self) -> int:
        """1-based column just behind the last character, in code points."""
        return self.source.line_and_column(self.end)[1]

    @property
    def text(self) -> str:
        """The characters of the range."""
        return self.source.text[self.start : self.end]

    @property
    def location(self) -> str:
        """`FILE:LINE:COLUMN`, as decisions and diagnostics name a place."""
        line, column = self.source.line_and_column(self.start)
        return f"{self.source.name}:{line}:{column}"

    def to(self, other: Span) -> Span:
        """The range from the start of this one to the end of `other`."""
        return Span(self.source, self.start, max(self.end, other.end))
