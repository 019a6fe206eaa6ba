"""Diagnostics are values: passes return them, renderers show them, only the facade raises."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from policy.source.records import dataclass
from policy.source.text import Span


class Severity(Enum):
    """How bad a finding is: an error means that nothing loads."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another place that explains a diagnostic, such as "first declared here"."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding about a policy, a capability document, a catalog or a fixture file.

    `code` is stable and listed in `policy.source.codes`. A finding in a policy text has a `span`
    (tight) and perhaps a wider `context`; one in a JSON or YAML document has `file` and a JSON
    `pointer` (RFC 6901), and `line` and `column` (1-based) where the document's text is known.
    `capability` is the id of the capability that one about a capability document speaks of.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    context: Span | None = None
    related: tuple[Related, ...] = ()
    help: str | None = None
    file: str | None = None
    pointer: str | None = None
    line: int | None = None
    column: int | None = None
    capability: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether this finding keeps the policy from loading."""
        return self.severity is Severity.ERROR

    @property
    def location(self) -> str:
        """`FILE:LINE:COLUMN` where known, else `FILE#POINTER`, else the empty string."""
        if self.span is not None:
            return self.span.location
        if self.file is None:
            return ""
        if self.line is not None:
            return f"{self.file}:{self.line}:{self.column or 1}"
        return f"{self.file}#{self.pointer}" if self.pointer is not None else self.file


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of the diagnostics is an error."""
    return any(diagnostic.is_error for diagnostic in diagnostics)
