"""Texts that do not parse, read statement by statement, so that every mistake is told and none twice."""

from __future__ import annotations

from collections.abc import Sequence

from policy.source.diagnostic import Diagnostic, Severity
from policy.syntax import build, tree
from policy.syntax.branch import Branch, grow
from policy.syntax.characters import refusal_in_text
from policy.syntax.explain import explain
from policy.syntax.outline import brackets, clause_range, segments
from policy.syntax.report import MANY, Report
from policy.syntax.tables import Tables
from policy.syntax.tokens import UNCLOSED, UNKNOWN, Token

MANY_TOKENS = 300_000
"""Tokens of a text with a mistake that are read again; a text of 1 MiB that a person wrote has fewer."""
_MANY_MENDED = 20_000
"""Tokens of a statement that is read again without the clause that is wrong."""
_MANY_CLAUSES = 20
_INCOMPLETE = frozenset(("syntax.empty_body", "syntax.missing_clause", "syntax.clause_order"))
"""What may only seem wrong in a statement of which a clause was left out."""

_FOREIGN = {
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    "'": "texts stand in double quotes",
    "“": "texts stand in straight double quotes",
    "”": "texts stand in straight double quotes",
    "‘": "texts stand in straight double quotes",
    "’": "texts stand in straight double quotes",
    "`": "texts stand in double quotes",
    ";": "statements and clauses end without a semicolon",
    "/": "a comment begins with `#`, and there is no division",
    "%": "there is no remainder",
    "\\": "a backslash stands in quoted texts only",
    "$": "names stand without `$`",
    "@": "texts such as mail addresses are quoted",
    "\u00a0": "it is a no-break space; write a plain one",
}


def recover(
    report: Report, items: Sequence[Token], too_deep: Sequence[Token], tables: Tables, *, cut: bool
) -> list[tree.Statement]:
    """Read what can be read, and report each mistake once. `cut` says that the text goes on behind the last token."""
    read: list[tree.Statement] = []
    deep = {token.start: token for token in too_deep}
    for segment in segments(items, report.source.text):
        if len(report.found) >= MANY:
            break
        if not _lexical(report, segment, deep):
            read += _segment(report, segment, tables, cut=cut and segment[-1] is items[-1])
    return read


def _lexical(report: Report, segment: Sequence[Token], deep: dict[int, Token]) -> bool:
    """Report what is wrong with single tokens; such a statement is not parsed."""
    found = False
    previous: Token | None = None
    foreign: set[str] = set()
    for token in segment:
        if len(report.found) >= MANY:
            break
        if token.start in deep:
            report.error(
                "syntax.nesting",
                f"more than {report.limits.nesting} brackets stand in each other; give a part a name with `define`",
                report.span(token),
            )
            found = True
        if token.kind == UNCLOSED:
            report.error(
                "syntax.string",
                'the text is not closed on its line; write the second `"`',
                report.span(token),
                help="a line break in a text is `\\n`",
            )
            found = True
        elif token.kind == UNKNOWN:
            found = True
            run_on = previous is not None and previous.kind == UNKNOWN and previous.end == token.start
            if refusal_in_text(token.text[0]) is None and not run_on and token.text not in foreign:
                _unknown(report, token)
            foreign.add(token.text)
        previous = token
    return found


def _unknown(report: Report, token: Token) -> None:
    help = _FOREIGN.get(token.text[0])
    if help is None and token.text[0].isalpha():
        help = "names are made of the letters a to z, digits and `_`"
    report.error("syntax.character", f"`{token.text}` has no meaning here", report.span(token), help=help)


def _segment(report: Report, segment: Sequence[Token], tables: Tables, *, cut: bool) -> list[tree.Statement]:
    """Parse the statements of a segment. A clause with a mistake is left out and the rest read again, so that a second
    mistake in the same statement is told too."""
    own = Report(report.source, report.limits)
    mistakes: list[Diagnostic] = []
    items = list(segment)
    balanced = brackets(items)
    whole = not balanced.open_at and balanced.stray is None and balanced.mismatched is None
    read: list[tree.Statement] = []

    def finish(branch: Branch) -> None:
        statement = build.statement(own, branch)
        if statement is not None:
            read.append(statement)

    for _ in range(_MANY_CLAUSES):
        own.found.clear()
        read.clear()
        failure = grow(items, report.source.text, tables, finish)
        if failure is None or (cut and failure.index == len(items)):
            break
        mistakes.append(explain(report.source, items, failure.index, failure.expected, tables))
        mend = whole and len(items) <= _MANY_MENDED
        spoilt = clause_range(items, failure.index, report.source.text) if mend else None
        if spoilt is None:
            break
        del items[spoilt[0] : spoilt[1]]
    told = own.found if not mistakes else [found for found in own.found if found.code not in _INCOMPLETE]
    report.found += mistakes + told
    return [] if mistakes else read


def statement_limit(report: Report, statements: Sequence[tree.Statement]) -> None:
    """Report more statements than a policy may have."""
    if len(statements) > report.limits.statements:
        report.found.append(
            Diagnostic(
                code="syntax.too_many_statements",
                severity=Severity.ERROR,
                message=f"more than {report.limits.statements:_} statements stand in one policy; split it into layers",
                span=statements[report.limits.statements].span,
            )
        )
