"""Text to surface tree. Every problem is found in one pass and told as a diagnostic; nothing is raised."""

from __future__ import annotations

from policy.source.diagnostic import Diagnostic
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.text import Source
from policy.syntax import build, tree
from policy.syntax.branch import Failure, grow
from policy.syntax.report import Report
from policy.syntax.tables import tables
from policy.syntax.tokens import tokenize


def parse(source: Source, limits: Limits = DEFAULT_LIMITS) -> tuple[tree.File, tuple[Diagnostic, ...]]:
    """The surface tree of a policy text and what is wrong with the text.

    With an error the tree holds the statements that could be read; such a file must not be loaded.
    """
    report = Report(source, limits)
    tokens = tokenize(source, limits)
    root = grow(tokens.items, source.text, tables())
    read: list[tree.Statement] = []
    if isinstance(root, Failure):
        token = tokens.items[root.index] if root.index < len(tokens.items) else tokens.items[-1]
        report.error("syntax.unexpected", f"unexpected {token.text}: {sorted(root.expected)[:12]}", report.span(token))
    else:
        read = build.statements(report, root)
    return tree.File(
        span=Report.span(report, root) if not isinstance(root, Failure) else None,
        source=source,
        statements=tuple(read),
        comments=(),
    ), tuple(report.found)
