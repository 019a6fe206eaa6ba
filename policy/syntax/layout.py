"""Text, possible line breaks and comments to lines: what does not fit breaks, and every comment finds its place.

A layout is a flat row of items, so that neither long chains nor deep nesting cost recursion. Text items may carry the
offset in the source that they come from; by it, each comment is tied to exactly one item: a comment on a line of its
own to the item that follows it in the source, one at a line's end to the item before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import field
from enum import Enum, auto

from policy.source.records import dataclass

WIDTH = 100
"""Columns of a line that can be broken."""
INDENT = "  "


class _Kind(Enum):
    TEXT = auto()
    GLUE = auto()
    LINE = auto()
    HARD = auto()
    BLANK = auto()
    OPEN = auto()
    CLOSE = auto()
    INDENT = auto()
    DEDENT = auto()


@dataclass(slots=True)
class _Item:
    kind: _Kind
    text: str = ""
    at: int | None = None
    width: int = 0
    """Of an opened group: its columns on one line, or -1 where it must break."""


@dataclass(frozen=True, slots=True)
class Note:
    """A comment to place: `blank_before` and `blank_after` keep the empty lines around one on its own line."""

    text: str
    at: int
    own_line: bool
    blank_before: bool
    blank_after: bool


@dataclass(slots=True)
class Layout:
    """A row of items in the making."""

    items: list[_Item] = field(default_factory=list)

    def text(self, text: str, at: int | None = None) -> None:
        """Text that comes from this offset of the source."""
        self.items.append(_Item(_Kind.TEXT, text, at))

    def glue(self, text: str) -> None:
        """Text that no comment and no break parts from what stands before it."""
        self.items.append(_Item(_Kind.GLUE, text))

    def line(self, flat: str = " ") -> None:
        """A break, or `flat` where the group fits."""
        self.items.append(_Item(_Kind.LINE, flat))

    def hard(self) -> None:
        """A break."""
        self.items.append(_Item(_Kind.HARD))

    def blank(self) -> None:
        """A break and an empty line."""
        self.items.append(_Item(_Kind.BLANK))

    def open(self) -> None:
        """Begin a group, whose breaks break together."""
        self.items.append(_Item(_Kind.OPEN))

    def close(self) -> None:
        """End the group."""
        self.items.append(_Item(_Kind.CLOSE))

    def indent(self) -> None:
        """Indent the lines that follow by one more level."""
        self.items.append(_Item(_Kind.INDENT))

    def dedent(self) -> None:
        """Indent the lines that follow by one level less."""
        self.items.append(_Item(_Kind.DEDENT))

    def render(self, notes: Sequence[Note] = (), width: int | None = WIDTH) -> str:
        """The text, without a line end behind the last line. `width` None means that nothing breaks for its length."""
        placed = _place(self.items, notes)
        _measure(self.items, placed)
        lines = _Lines(width)
        for position, item in enumerate(self.items):
            lines.take(item, placed.before.get(position, ()), placed.after.get(position, ()))
        return lines.finish(placed.last)


@dataclass(slots=True)
class _Placed:
    before: dict[int, list[Note]] = field(default_factory=dict)
    after: dict[int, list[Note]] = field(default_factory=dict)
    last: list[Note] = field(default_factory=list)


def _place(items: Sequence[_Item], notes: Sequence[Note]) -> _Placed:
    placed = _Placed()
    if not notes:
        return placed
    order = [position for position, item in enumerate(items) if item.at is not None]
    anchored = sorted((items[position].at or 0, position) for position in order)
    offsets = [offset for offset, _ in anchored]
    for note in notes:
        if note.own_line:
            index = bisect_left(offsets, note.at)
            if index < len(anchored):
                placed.before.setdefault(anchored[index][1], []).append(note)
                continue
        else:
            index = bisect_right(offsets, note.at) - 1
            if index >= 0:
                placed.after.setdefault(anchored[index][1], []).append(note)
                continue
        placed.last.append(note)
    _one_a_line(placed, order)
    return placed


def _one_a_line(placed: _Placed, order: Sequence[int]) -> None:
    """A line ends with one comment: the others stand on their own lines before what is printed next."""
    for position, notes in placed.after.items():
        more = notes[1:]
        del notes[1:]
        if more:
            index = bisect_right(order, position)
            following = placed.before.setdefault(order[index], []) if index < len(order) else placed.last
            following[:0] = more


def _measure(items: Sequence[_Item], placed: _Placed) -> None:
    """The width of each group on one line; a group with a comment inside must break."""
    stack: list[tuple[_Item, int]] = []
    column = 0
    for position, item in enumerate(items):
        if item.kind is _Kind.OPEN:
            item.width = 0
            stack.append((item, column))
            continue
        if item.kind is _Kind.CLOSE:
            opened, start = stack.pop()
            if opened.width >= 0:
                opened.width = column - start
            elif stack:
                stack[-1][0].width = -1
            continue
        if item.kind in (_Kind.TEXT, _Kind.GLUE, _Kind.LINE):
            column += len(item.text)
        if item.kind in (_Kind.HARD, _Kind.BLANK):
            _break_group(stack, 0)
        if position in placed.before:
            _break_group(stack, _opened_before(items, position))
        if position in placed.after:
            _break_group(stack, _closed_behind(items, position))


def _break_group(stack: Sequence[tuple[_Item, int]], outwards: int) -> None:
    """The group so many levels outwards must break, where there is one."""
    if outwards < len(stack):
        stack[-1 - outwards][0].width = -1


def _opened_before(items: Sequence[_Item], position: int) -> int:
    """How many groups begin with this item: a comment before it stands before them."""
    first = position
    while first > 0 and items[first - 1].kind is _Kind.OPEN:
        first -= 1
    return position - first


def _closed_behind(items: Sequence[_Item], position: int) -> int:
    """How many groups end on the line of this item: a comment behind it stands behind them."""
    closed = 0
    for item in items[position + 1 :]:
        if item.kind is _Kind.CLOSE:
            closed += 1
        elif item.kind not in (_Kind.GLUE, _Kind.INDENT, _Kind.DEDENT):
            break
    return closed


class _Lines:
    """The lines of one rendering."""

    def __init__(self, width: int | None) -> None:
        self.width = width
        self.lines: list[str] = []
        self.current = ""
        self.level = 0
        self.flat: list[bool] = []
        self.pending: list[Note] = []

    def take(self, item: _Item, before: Sequence[Note], after: Sequence[Note]) -> None:
        match item.kind:
            case _Kind.TEXT | _Kind.GLUE:
                self._text(item, before)
                self.pending += after
            case _Kind.LINE:
                if self.pending or not (self.flat and self.flat[-1]):
                    self._break()
                else:
                    self.current += item.text
            case _Kind.HARD | _Kind.BLANK:
                self._break()
                if item.kind is _Kind.BLANK:
                    self._blank()
            case _Kind.OPEN:
                used = len(self.current) or len(INDENT) * self.level
                fits = item.width >= 0 and (self.width is None or used + item.width <= self.width)
                self.flat.append(fits or (bool(self.flat) and self.flat[-1]))
            case _Kind.CLOSE:
                self.flat.pop()
            case _Kind.INDENT:
                self.level += 1
            case _Kind.DEDENT:
                self.level -= 1

    def _text(self, item: _Item, before: Sequence[Note]) -> None:
        midway = False
        if item.kind is _Kind.TEXT and self.pending:
            midway = bool(self.current)
            self._break()
        if before:
            midway = midway or bool(self.current)
            self._break()
            closing = item.text[:1] in ("}", ")", "]")
            for note in before:
                if note.blank_before:
                    self._blank()
                self._append(note.text, extra=closing or midway)
                self._break()
            if before[-1].blank_after and not closing:
                self._blank()
        self._append(item.text, extra=midway)

    def _append(self, text: str, *, extra: bool = False) -> None:
        if not self.current:
            self.current = INDENT * (self.level + extra)
            text = text.lstrip(" ")
        self.current += text

    def _break(self) -> None:
        """End the line, with the comments that belong to its end."""
        for note in self.pending:
            self.current = f"{self.current.rstrip()}  {note.text}"
        self.pending = []
        if self.current.strip():
            self.lines.append(self.current.rstrip())
        self.current = ""

    def _blank(self) -> None:
        if self.lines and self.lines[-1] and not self.lines[-1].endswith(("{", "(", "[")):
            self.lines.append("")

    def finish(self, last: Sequence[Note]) -> str:
        self._break()
        for note in last:
            if note.blank_before:
                self._blank()
            self.lines.append(note.text)
        return "\n".join(self.lines)
