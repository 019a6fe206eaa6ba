"""`# accept CODE: reason` comments: each takes away one warning of the line that follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policy.check.lint.finding import finding
from policy.source.codes import CODES
from policy.source.diagnostic import Diagnostic
from policy.source.suggest import did_you_mean
from policy.source.text import Span
from policy.syntax import tree

_ACCEPT = re.compile(r"#\s*accept\b(?P<rest>.*)", re.DOTALL)
_COMPLETE = re.compile(r"\s+(?P<code>[A-Za-z0-9_.-]+)\s*:\s*(?P<reason>\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Accept:
    code: str
    file: str
    line: int
    span: Span


def apply_accepts(
    files: Sequence[tree.File], diagnostics: Sequence[Diagnostic], *, given: frozenset[str] = frozenset()
) -> tuple[Diagnostic, ...]:
    """The diagnostics without the warnings that a comment accepts, and with one for each comment that accepts nothing.

    Errors are never accepted. `given` says what stood beside the policy, of `catalog` and `authorities`: a comment for
    a warning that only those can bring is not reported where they were not given. Comments that follow each other
    accept warnings of the same line.
    """
    accepts, findings = _read(files)
    waiting = list(accepts)
    kept: list[Diagnostic] = []
    for item in diagnostics:
        accepted = None if item.is_error or item.span is None else _find(waiting, item.code, item.span)
        if accepted is None:
            kept.append(item)
        else:
            waiting.remove(accepted)
    for accept in waiting:
        needs = CODES[accept.code].needs
        if needs is None or needs in given:
            message = f"this comment accepts nothing: there is no `{accept.code}` on the line below"
            findings.append(finding("accept.unused", message, accept.span, help="drop the comment"))
    return (*kept, *findings)


def _find(waiting: list[_Accept], code: str, span: Span) -> _Accept | None:
    for accept in waiting:
        if accept.code == code and accept.file == span.source.name and accept.line == span.line:
            return accept
    return None


def _read(files: Sequence[tree.File]) -> tuple[list[_Accept], list[Diagnostic]]:
    accepts: list[_Accept] = []
    findings: list[Diagnostic] = []
    for file in files:
        comments = {comment.span.line: comment for comment in file.comments if comment.own_line}
        for comment in file.comments:
            found = _ACCEPT.match(comment.span.text)
            if found is None:
                continue
            problem = list(_problems(comment, found["rest"]))
            findings += problem
            complete = _COMPLETE.fullmatch(found["rest"])
            if problem or complete is None:
                continue
            line = comment.span.line + 1
            while line in comments:
                line += 1
            accepts.append(_Accept(complete["code"], file.source.name, line, comment.span))
    return accepts, findings


def _problems(comment: tree.Comment, rest: str) -> Iterator[Diagnostic]:
    complete = _COMPLETE.fullmatch(rest)
    if complete is None:
        yield finding(
            "accept.malformed",
            "an accept comment names one code and a reason",
            comment.span,
            help="write `# accept CODE: reason`",
        )
        return
    known = CODES.get(complete["code"])
    if known is None or known.kind != "diagnostic":
        codes = [code for code, entry in CODES.items() if entry.kind == "diagnostic"]
        message = f"there is no diagnostic `{complete['code']}`"
        yield finding("accept.malformed", message, comment.span, help=did_you_mean(complete["code"], codes))
    elif known.severity is not None and known.severity.value == "error":
        message = f"`{complete['code']}` is an error, and only warnings can be accepted"
        yield finding("accept.malformed", message, comment.span, help="correct the mistake")
    elif not comment.own_line:
        yield finding(
            "accept.malformed",
            "an accept comment stands on a line of its own before the warning",
            comment.span,
            help="move it to the line above",
        )
