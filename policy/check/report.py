"""Collecting what the passes find, each finding once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field

from policy.ir import nodes as ir
from policy.source.codes import CODES
from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.records import dataclass
from policy.source.suggest import did_you_mean
from policy.source.text import Span
from policy.types.kinds import Record, Type

UNKNOWN: Type = Record("unknown", (), open=True)
"""The type of what has a mistake in it: it goes with everything, so that one mistake is reported once."""

_COMPARISONS = 10_000
"""Words that suggestions of one run may be compared with: thousands of misspelt names cannot make a check slow."""
_MOST = 512
"""Words that one suggestion is compared with at most."""


@dataclass(slots=True)
class Report:
    """The findings of one run; made by the caller, filled by the passes, dropped with the run."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    _seen: set[tuple[str, int, int, int]] = field(default_factory=set)
    _left: int = _COMPARISONS

    @property
    def failed(self) -> bool:
        """Whether an error was found."""
        return any(diagnostic.is_error for diagnostic in self.diagnostics)

    def add(
        self,
        code: str,
        message: str,
        span: Span,
        *,
        help: str | None = None,
        related: tuple[Related, ...] = (),
        context: Span | None = None,
    ) -> None:
        """Record a finding, unless the same code stands at the same place already.

        Raises KeyError for a code that is not listed.
        """
        key = (code, id(span.source), span.start, span.end)
        if key in self._seen:
            return
        self._seen.add(key)
        severity = CODES[code].severity or Severity.ERROR
        self.diagnostics.append(
            Diagnostic(
                code=code, severity=severity, message=message, span=span, help=help, related=related, context=context
            )
        )

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Record what another pass found."""
        self.diagnostics.extend(diagnostics)

    def suggest(self, word: str, candidates: Collection[str]) -> str | None:
        """The "did you mean" help for an unknown word, while the run may still look for one."""
        self._left -= min(len(candidates), _MOST)
        return did_you_mean(word, candidates) if self._left >= 0 else None


def broken(span: Span) -> ir.Constant:
    """What stands in the program where a mistake was reported; a program with one is never handed on."""
    return ir.Constant(span=span, type=UNKNOWN, value=None)


def is_broken(node: ir.Expression) -> bool:
    """Whether an expression is known to hold a mistake, so that nothing more is said of it."""
    return node.type is UNKNOWN


def first_here(span: Span, message: str = "first declared here") -> tuple[Related, ...]:
    """The related place of a second declaration."""
    return (Related(message=message, span=span),)


def heading(span: Span) -> Span:
    """The part of a block before its first brace, so that carets do not run over all of it."""
    before = span.text.partition("{")[0].rstrip()
    return Span(span.source, span.start, span.start + len(before)) if before else span


def quoted(text: str) -> str:
    """An author's text in backticks, one line, shortened where it is very long."""
    flat = " ".join(text.split())
    return f"`{flat}`" if len(flat) <= 80 else f"`{flat[:79]}…`"


def named(path: str) -> str:
    """A path in backticks, whole however long it is: its end is what tells files apart."""
    return f"`{' '.join(path.split())}`"


def listed(words: Iterable[str]) -> str:
    """Words in backticks with commas and `or`: "`a`, `b` or `c`"; many of them are cut."""
    shown = [f"`{word}`" for word in words]
    if len(shown) > 12:
        return f"{', '.join(shown[:12])}, …"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} or {shown[-1]}"
