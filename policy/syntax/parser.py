"""Text to surface tree. Every problem is told as a diagnostic; nothing is raised.

A text without a mistake is read in one pass. One with a mistake is read again, statement by statement.
"""

from __future__ import annotations

from policy.source.diagnostic import Diagnostic
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.text import Source, Span
from policy.syntax import build, tree
from policy.syntax.branch import Branch, grow
from policy.syntax.decode import check_characters, check_size
from policy.syntax.recover import recover, statement_limit
from policy.syntax.report import Report
from policy.syntax.tables import tables
from policy.syntax.tokens import Token, Trivia, tokenize


def parse(source: Source, limits: Limits = DEFAULT_LIMITS) -> tuple[tree.File, tuple[Diagnostic, ...]]:
    """The surface tree of a policy text and what is wrong with the text, by place.

    With an error the tree holds the statements that could be read; such a file must not be loaded.
    """
    too_large = check_size(source, limits)
    if too_large is not None:
        return _file(source, [], []), (too_large,)
    report = Report(source, limits)
    trivia = Trivia()
    read: list[tree.Statement] = []

    def finish(branch: Branch) -> None:
        statement = build.statement(report, branch)
        if statement is not None:
            read.append(statement)

    forbidden = check_characters(source)
    failure = grow(tokenize(source.text, limits, trivia), source.text, tables(), finish)
    if failure is not None or trivia.too_deep:
        trivia = Trivia()
        items = list(tokenize(source.text, limits, trivia))
        report.found.clear()
        read = recover(report, items, trivia.too_deep, tables())
    report.found += forbidden
    statement_limit(report, read)
    if not read and not report.found:
        report.error("syntax.empty_file", "the file holds no statement", Span(source, 0, 0))
    return _file(source, read, trivia.comments), _in_order(report.found)


def _file(source: Source, statements: list[tree.Statement], comments: list[Token]) -> tree.File:
    return tree.File(
        span=Span(source, 0, len(source.text)),
        source=source,
        statements=tuple(statements),
        comments=tuple(_comment(source, token) for token in comments),
    )


def _comment(source: Source, token: Token) -> tree.Comment:
    line_start = source.text.rfind("\n", 0, token.start) + 1
    return tree.Comment(
        span=Span(source, token.start, token.end),
        text=token.text,
        own_line=not source.text[line_start : token.start].strip(),
    )


def _in_order(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """By place, each once."""
    seen: dict[tuple[str, int, int], Diagnostic] = {}
    for diagnostic in found:
        span = diagnostic.span
        place = (-1, -1) if span is None else (span.start, span.end)
        seen.setdefault((diagnostic.code, *place), diagnostic)
    return tuple(seen[key] for key in sorted(seen, key=lambda key: (key[1], key[2], key[0])))
