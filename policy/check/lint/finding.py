"""How the families of lint make their findings."""

from __future__ import annotations

from collections.abc import Sequence

from policy.source.codes import CODES
from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.text import Span

_LISTED = 5
"""Names that one message spells out."""


def finding(
    code: str, message: str, span: Span, *, help: str | None = None, related: tuple[Related, ...] = ()
) -> Diagnostic:
    """A diagnostic with the severity that its code has; raises KeyError for a code that is not listed."""
    severity = CODES[code].severity or Severity.ERROR
    return Diagnostic(code=code, severity=severity, message=message, span=span, help=help, related=related)


def heading(span: Span) -> Span:
    """The part of a statement before its body, so that carets do not run over the whole block."""
    text = span.text
    ends = [end for end in (text.find("{"), text.find("\n")) if end > 0]
    length = len(text[: min(ends)].rstrip()) if ends else len(text)
    return Span(span.source, span.start, span.start + length)


def listed(names: Sequence[str]) -> str:
    """Names in backticks, at most five of them: "`a`, `b` and 3 more"."""
    shown = [f"`{name}`" for name in names[:_LISTED]]
    if len(names) > _LISTED:
        return f"{', '.join(shown)} and {len(names) - _LISTED} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
