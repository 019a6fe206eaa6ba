"""Diagnostics as text for people: place, message, source line with carets, help, related places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from policy.render.escape import printable, shown, width
from policy.render.place import Region, primary, region_of, sort_key
from policy.render.style import PLAIN, Role, Style
from policy.source.diagnostic import Diagnostic, Severity
from policy.source.text import Span

Lines = Callable[[str, int], str | None]
"""File name and 1-based line to the text of the line; None where it is not known."""

_SHOWN = 160
"""Columns of a source line that are shown; a longer one is cut around its carets."""
_MAX_MESSAGE = 1_000
"""Characters of a message that are shown."""
_BEFORE = 40
"""Columns kept before the carets of a cut line."""


def no_lines(_file: str, _line: int) -> str | None:
    """Shows no source line of files that are not policies."""
    return None


def render_diagnostics(diagnostics: Iterable[Diagnostic], style: Style = PLAIN, lines: Lines = no_lines) -> str:
    """Every diagnostic as text, by place; each ends in a newline. Data in it is escaped (`policy.render.escape`)."""
    return "".join(render_diagnostic(each, style, lines) for each in sorted(diagnostics, key=sort_key))


def render_diagnostic(diagnostic: Diagnostic, style: Style = PLAIN, lines: Lines = no_lines) -> str:
    """One diagnostic: `FILE:LINE:COLUMN: error|warning[CODE]: message`, and what explains it on lines below."""
    severity: Role = "error" if diagnostic.severity is Severity.ERROR else "warning"
    kind = style.paint(severity, f"{severity}[{diagnostic.code}]")
    head = f"{kind}: {style.paint('strong', _sentence(diagnostic.message))}"
    place = printable(diagnostic.location)
    output = [f"{place}: {head}" if place else head]
    if diagnostic.span is not None:
        output += _context(diagnostic, style)
        output += _source(region_of(diagnostic.span), _span_lines(diagnostic.span), severity, style)
    else:
        region = primary(diagnostic)
        if region is not None:
            output += _source(region, lines, severity, style)
            if region.line is not None and region.pointer is not None:
                output.append(f"  {style.paint('dim', 'at')} {printable(region.pointer)}")
    if diagnostic.help is not None:
        output.append(f"  {style.paint('help', 'help')}: {_sentence(diagnostic.help)}")
    for related in diagnostic.related:
        output.append(
            f"  {style.paint('note', 'note')}: {printable(related.span.location)}: {_sentence(related.message)}"
        )
        output += _source(region_of(related.span), _span_lines(related.span), "note", style)
    return "\n".join(line.rstrip() for line in output) + "\n"


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """How many there are: `2 errors, 1 warning`; `no findings`."""
    errors = sum(1 for each in diagnostics if each.is_error)
    warnings = len(diagnostics) - errors
    parts = [_count(errors, "error"), _count(warnings, "warning")]
    return ", ".join(part for part in parts if part) or "no findings"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}" if number else ""


def _sentence(text: str) -> str:
    """A message, safe for a terminal; one that quotes too much of a file is cut."""
    return printable(text if len(text) <= _MAX_MESSAGE else text[:_MAX_MESSAGE] + "…")


def _span_lines(span: Span) -> Lines:
    return lambda _file, line: span.source.line_text(line) if line <= len(span.source.line_starts) else None


def _context(diagnostic: Diagnostic, style: Style) -> list[str]:
    """The first line of the statement around the place, where it is another line."""
    context, span = diagnostic.context, diagnostic.span
    if context is None or span is None or context.source is not span.source or context.line >= span.line:
        return []
    number = f"{context.line:>{_gutter(span.line)}} | "
    text, _, _ = _cut(context.source.line_text(context.line), 0, 0)
    output = [style.paint("dim", number) + text]
    if context.line + 1 < span.line:
        output.append(style.paint("dim", " " * _gutter(span.line) + " | ..."))
    return output


def _source(region: Region, lines: Lines, role: Role, style: Style) -> list[str]:
    """The source line with carets below the region."""
    if region.line is None:
        return []
    text = lines(region.file, region.line)
    if text is None:
        return []
    start = max(0, (region.column or 1) - 1)
    if region.end_line is None or region.end_column is None:
        end = start + 1
    else:
        end = region.end_column - 1 if region.end_line == region.line else len(text)
    shown_line, before, under = _cut(text, min(start, len(text)), max(end, start + 1))
    gutter = _gutter(region.line)
    more = " ..." if region.end_line is not None and region.end_line > region.line else ""
    return [
        style.paint("dim", f"{region.line:>{gutter}} | ") + shown_line,
        style.paint("dim", " " * gutter + " | ") + " " * before + style.paint(role, "^" * max(1, under) + more),
    ]


def _gutter(line: int) -> int:
    return max(5, len(str(line)) + 2)


def _cut(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A line as shown, cut around the part from `start` to `end`; columns before the part, columns of the part."""
    first = 0
    if len(text) > _SHOWN:
        first = max(0, min(start - _BEFORE, len(text) - _SHOWN))
    last = min(len(text), first + _SHOWN)
    end = min(max(end, start), last)
    lead = "..." if first else ""
    before = lead + _line(text[first:start])
    part = _line(text[start:end])
    tail = _line(text[end:last]) + ("..." if last < len(text) else "")
    return before + part + tail, width(before), width(part)


def _line(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join("    " if character == "\t" else shown(character) for character in text)
