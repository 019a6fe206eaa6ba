"""What a pass over one text carries: the source, the limits and the findings so far."""

from __future__ import annotations

import re
from dataclasses import field

from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.limits import Limits
from policy.source.records import dataclass
from policy.source.text import Source, Span
from policy.syntax.branch import Branch
from policy.syntax.tokens import Token

MANY = 100
"""Errors of one file that are told."""
_LONG = re.compile(r"`([^`]{60})[^`]{20,}`")


def shortened(message: str) -> str:
    """A message with the author's text cut where it is long."""
    return _LONG.sub(r"`\1…`", message)


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
        """Add an error.

        Raises MalformedError where so many were found that one more helps nobody: the statement is read no further.
        """
        if len(self.found) >= MANY:
            raise MalformedError
        self.found.append(
            Diagnostic(
                code=code,
                severity=Severity.ERROR,
                message=shortened(message),
                span=span,
                context=context,
                related=related,
                help=None if help is None else shortened(help),
            )
        )
