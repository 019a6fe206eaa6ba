"""Where a finding about a document stands, and how the author's text is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from policy.model.bounds import pointer_of
from policy.source.diagnostic import Diagnostic, Severity
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a JSON or YAML document: `pointer` is a JSON Pointer (RFC 6901) from the document's root.

    `positions` gives the 1-based line and column of pointers whose text is known. Where a binding put a capability
    document together, `members` says where its members stand in the carrier, as pointers from this place; None
    for one that has no place of its own there, and everything below such a member stands at this place.
    """

    file: str | None = None
    pointer: str = ""
    positions: Mapping[str, tuple[int, int]] = field(default_factory=dict, repr=False, compare=False)
    members: Mapping[str, str | None] = field(default_factory=dict, repr=False, compare=False)
    whole: bool = False
    """Whether everything below stands here."""

    def at(self, *steps: str | int) -> Place:
        """The place some members or positions further down."""
        if self.whole or not steps:
            return self
        first = steps[0]
        if isinstance(first, str) and first in self.members:
            carried = self.members[first]
            if carried is None:
                return replace(self, members={}, whole=True)
            return self.below(carried).at(*steps[1:])
        return self.below(pointer_of(steps))

    def below(self, pointer: str) -> Place:
        """The place that a pointer relative to this one names."""
        if self.whole:
            return self
        return Place(file=self.file, pointer=self.pointer + pointer, positions=self.positions)

    def error(self, code: str, message: str, help: str | None = None) -> Diagnostic:
        """A finding that keeps the capability out."""
        return self._diagnostic(Severity.ERROR, code, message, help)

    def warning(self, code: str, message: str, help: str | None = None) -> Diagnostic:
        """A finding that somebody should look at."""
        return self._diagnostic(Severity.WARNING, code, message, help)

    def _diagnostic(self, severity: Severity, code: str, message: str, help: str | None) -> Diagnostic:
        position = self.position
        return Diagnostic(
            code=code,
            severity=severity,
            message=message,
            help=help,
            file=self.file,
            pointer=self.pointer,
            line=None if position is None else position[0],
            column=None if position is None else position[1],
        )

    @property
    def position(self) -> tuple[int, int] | None:
        """Line and column of this place, or of the nearest enclosing one whose position is known."""
        pointer = self.pointer
        while self.positions:
            if pointer in self.positions:
                return self.positions[pointer]
            if not pointer:
                break
            pointer = pointer.rpartition("/")[0]
        return None
