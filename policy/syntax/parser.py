"""Text to surface tree. Every problem is told as a diagnostic; nothing is raised.

A text without a mistake is read in one pass. One with a mistake is read again, statement by statement.
"""

from __future__ import annotations

from itertools import islice

from policy.source.collector import paused_collector
from policy.source.diagnostic import Diagnostic, Severity
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.text import Source, Span
from policy.syntax import build, tree
from policy.syntax.branch import Branch, Failure, grow
from policy.syntax.decode import check_characters, check_size
from policy.syntax.recover import MANY_TOKENS, recover, statement_limit
from policy.syntax.report import MANY, Report
from policy.syntax.tables import tables
from policy.syntax.tokens import Token, Trivia, tokenize

MAX_TOKENS = 400_000
"""Tokens of one file: a text of 1 MiB that people wrote has fewer, and one that has more only costs time."""


@paused_collector()
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
    if len(forbidden) >= MANY:
        return _file(source, [], []), (*forbidden, _too_many(source))
    tokens = tokenize(source.text, limits, trivia)
    failure = grow(islice(tokens, MAX_TOKENS), source.text, tables(), finish)
    if (failure is None or failure.index == MAX_TOKENS) and next(tokens, None) is not None:
        return _file(source, [], []), (_too_many_tokens(source),)
    if failure is not None:
        report.found.clear()
        read = _again(report, failure, told=bool(forbidden))
    statement_limit(report, read)
    if not read and not report.found and not forbidden:
        report.error("syntax.empty_file", "the file holds no statement", Span(source, 0, 0))
    found = _in_order([*report.found, *forbidden])
    if len(found) >= MANY:
        found = (*found[:MANY], _too_many(source))
    return _file(source, read, [] if found else trivia.comments), found


def _again(report: Report, failure: Failure, *, told: bool) -> list[tree.Statement]:
    """Read a text with a mistake statement by statement. It is an error whatever that finds, unless one was told."""
    trivia = Trivia()
    tokens = tokenize(report.source.text, report.limits, trivia, careless=True)
    many = max(MANY_TOKENS, failure.index + 2)
    items = list(islice(tokens, many))
    read = recover(report, items, trivia.too_deep, tables(), cut=len(items) == many)
    if not report.found and not told:
        end = items[min(failure.index, len(items) - 1)]
        report.error("syntax.unexpected", f"the text cannot be read from `{end.text}` on", report.span(end))
    return read


def _too_many_tokens(source: Source) -> Diagnostic:
    return Diagnostic(
        code="syntax.too_large",
        severity=Severity.ERROR,
        message=f"the file has more than {MAX_TOKENS:_} words and marks; split it and `import` the parts",
        file=source.name,
    )


def _too_many(source: Source) -> Diagnostic:
    return Diagnostic(
        code="syntax.too_many_errors",
        severity=Severity.ERROR,
        message=f"the file has more than {MANY} errors; mend these first",
        file=source.name,
    )


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
