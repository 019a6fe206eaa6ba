"""Where a diagnostic stands, in the terms that every form of it shows."""

from __future__ import annotations

from policy.source.diagnostic import Diagnostic
from policy.source.records import dataclass
from policy.source.text import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A file and, where known, the 1-based lines and columns (code points) of a part; the end column is exclusive."""

    file: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    pointer: str | None = None


def region_of(span: Span) -> Region:
    """The place of a span."""
    return Region(
        file=span.source.name, line=span.line, column=span.column, end_line=span.end_line, end_column=span.end_column
    )


def primary(diagnostic: Diagnostic) -> Region | None:
    """Where a diagnostic points; None for one about no file."""
    if diagnostic.span is not None:
        return region_of(diagnostic.span)
    if diagnostic.file is None:
        return None
    return Region(
        file=diagnostic.file, line=diagnostic.line, column=diagnostic.column, pointer=diagnostic.pointer or None
    )


def sort_key(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    """Order of diagnostics for people and files: by file, then by place."""
    region = primary(diagnostic)
    if region is None:
        return ("", 0, 0, diagnostic.code, diagnostic.message)
    return (region.file, region.line or 0, region.column or 0, diagnostic.code, diagnostic.message)
