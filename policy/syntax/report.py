"""What a pass over one text carries: the source, the limits and the findings so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.limits import Limits
from policy.source.text import Source, Span
from policy.syntax.branch import Branch
from policy.syntax.tokens import Token


class MalformedError(Exception):
    """A statement of which no tree can be made; what is wrong was reported before."""


@dataclass(slots=True)
class Report:
    """The findings about one text, in the making."""

    source: Source
    limits: Limits
    found: list[Diagnostic] = field(default_factory=list)

    def span(self, part: Branch | Token) -> Span:
        """The place of a part of the parse tree."""
        return Span(self.source, part.start, part.end)

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        *,
        help: str | None = None,
        context: Span | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Add an error."""
        self.found.append(
            Diagnostic(
                code=code,
                severity=Severity.ERROR,
                message=message,
                span=span,
                context=context,
                related=related,
                help=help,
            )
        )
