"""Where a parse stopped, and what is known of that place."""

from __future__ import annotations

from collections.abc import Sequence

from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.records import dataclass
from policy.source.text import Source, Span
from policy.syntax.outline import Brackets, Place
from policy.syntax.report import shortened
from policy.syntax.tables import Tables
from policy.syntax.tokens import Token


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a parse stopped: at `items[at]`, or behind the last token, where `expected` could have stood."""

    source: Source
    items: Sequence[Token]
    at: int
    expected: frozenset[str]
    tables: Tables
    place: Place
    brackets: Brackets

    @property
    def token(self) -> Token | None:
        """The token that does not fit; None behind the last one."""
        return self.items[self.at] if self.at < len(self.items) else None

    @property
    def previous(self) -> Token | None:
        """The token before it."""
        return self.items[self.at - 1] if self.at else None

    @property
    def statement(self) -> str:
        """The keyword of the statement."""
        token = self.items[self.place.statement]
        return "every route" if token.text == "every" else token.text

    @property
    def clause(self) -> str | None:
        """The keyword of the clause."""
        return None if self.place.clause is None else self.items[self.place.clause].text

    def following(self, count: int = 1) -> Token | None:
        """A token behind the one that does not fit."""
        at = self.at + count
        return self.items[at] if at < len(self.items) else None

    def span(self, token: Token) -> Span:
        """The place of a token."""
        return Span(self.source, token.start, token.end)

    def behind(self) -> Span:
        """The end of what was read: one character wide, so that a caret shows it."""
        if self.previous is None:
            return Span(self.source, 0, 0)
        return self.span(self.previous)

    def error(
        self, code: str, message: str, span: Span, *, help: str | None = None, related: tuple[Related, ...] = ()
    ) -> Diagnostic:
        """The diagnostic of this mistake."""
        return Diagnostic(
            code=code,
            severity=Severity.ERROR,
            message=shortened(message),
            span=span,
            help=None if help is None else shortened(help),
            related=related,
        )


def kind_of(token: Token | None) -> str | None:
    """The lexical kind of a token that may not be there."""
    return None if token is None else token.kind
