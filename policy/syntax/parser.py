"""Text to surface tree. Every problem is found in one pass and told as a diagnostic; nothing is raised."""

from __future__ import annotations

from policy.source.diagnostic import Diagnostic
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.text import Source, Span
from policy.syntax import build, tree
from policy.syntax.branch import Branch, grow
from policy.syntax.report import Report
from policy.syntax.tables import tables
from policy.syntax.tokens import Trivia, tokenize


def parse(source: Source, limits: Limits = DEFAULT_LIMITS) -> tuple[tree.File, tuple[Diagnostic, ...]]:
    """The surface tree of a policy text and what is wrong with the text.

    With an error the tree holds the statements that could be read; such a file must not be loaded.
    """
    report = Report(source, limits)
    trivia = Trivia()
    read: list[tree.Statement] = []

    def finish(branch: Branch) -> None:
        statement = build.statement(report, branch)
        if statement is not None:
            read.append(statement)

    failure = grow(tokenize(source.text, limits, trivia), source.text, tables(), finish)
    if failure is not None:
        report.error(
            "syntax.unexpected", f"unexpected {failure.index}: {sorted(failure.expected)[:12]}", Span(source, 0, 1)
        )
    return tree.File(span=Span(source, 0, len(source.text)), source=source, statements=tuple(read), comments=()), tuple(
        report.found
    )
