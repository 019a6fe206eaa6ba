"""Comments that accept a warning, each with a reason.

`# accept CODE: reason` takes away one warning of the line that follows. `# accept CODE of "CAPABILITY": reason` takes
away one about a capability of the catalog, and `# accept CODE of catalog: reason` one about the catalog as a whole:
whoever owns the policy answers for what it makes good, and a catalog is often somebody else's file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from policy.check.catalog import Catalog
from policy.check.lint.finding import finding
from policy.source.codes import CODES
from policy.source.codes.entry import Code
from policy.source.diagnostic import Diagnostic
from policy.source.records import dataclass
from policy.source.suggest import did_you_mean
from policy.source.text import Span
from policy.syntax import tree

_ACCEPT = re.compile(r"#\s*accept\b(?P<rest>.*)", re.DOTALL)
_NAME = r'"[^"\n]+"'
_COMPLETE = re.compile(
    r"\s+(?P<code>[A-Za-z0-9_.-]+)"
    rf"(?:\s+of\s+(?P<what>catalog|{_NAME}(?:\s*,\s*{_NAME})*))?"
    r"\s*:\s*(?P<reason>\S.*)",
    re.DOTALL,
)
_ABOUT_CAPABILITIES = frozenset({"lint.no_default_approval"})
"""Codes that speak of a capability although a policy brings them to light."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Accept:
    """What one comment accepts, of one line or of one capability."""

    code: str
    span: Span
    file: str = ""
    line: int = 0
    """Of the warning; 0 where the comment speaks of the catalog."""
    capability: str | None = None
    """None where it speaks of the catalog as a whole."""

    def takes(self, item: Diagnostic) -> bool:
        """Whether this is the warning that the comment is for."""
        if item.is_error or item.code != self.code:
            return False
        if not self.line:
            return item.span is None and item.capability == self.capability
        return item.span is not None and item.span.source.name == self.file and item.span.line == self.line


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What is left once the comments have been heard."""

    remaining: tuple[Diagnostic, ...]
    """The findings of the policy that no comment accepts, and one for each comment that accepts nothing."""
    beside: tuple[Diagnostic, ...]
    """The findings of the catalog that comments accept."""


def apply_accepts(
    files: Sequence[tree.File],
    diagnostics: Sequence[Diagnostic],
    *,
    catalog: Catalog | None = None,
    given: frozenset[str] = frozenset(),
) -> Accepted:
    """Take away the warnings that a comment accepts, and report each comment that accepts nothing.

    Errors are never accepted. `given` says what stood beside the policy, of `catalog` and `authorities`: a comment for
    a warning that only those can bring is not reported where they were not given. Comments that follow each other
    accept warnings of the same line; one comment accepts one warning, of each capability that it names.
    """
    accepts, findings = _read(files)
    waiting: dict[str, list[_Accept]] = {}
    for accept in accepts:
        waiting.setdefault(accept.code, []).append(accept)
    kept = [item for item in diagnostics if not _taken(waiting, item)]
    beside = [item for item in (() if catalog is None else catalog.findings) if _taken(waiting, item)]
    left = {id(accept) for group in waiting.values() for accept in group}
    for accept in accepts:
        if id(accept) in left and (_needs(accept) is None or _needs(accept) in given):
            findings.append(_unused(accept, catalog))
    return Accepted(remaining=(*kept, *findings), beside=tuple(beside))


def _taken(waiting: dict[str, list[_Accept]], item: Diagnostic) -> bool:
    group = waiting.get(item.code, [])
    found = next((accept for accept in group if accept.takes(item)), None)
    if found is not None:
        group.remove(found)
    return found is not None


def _needs(accept: _Accept) -> str | None:
    return CODES[accept.code].needs if accept.line else "catalog"


def _unused(accept: _Accept, catalog: Catalog | None) -> Diagnostic:
    help = "drop the comment"
    if accept.line:
        what = f"there is no `{accept.code}` on the line below"
    elif accept.capability is None:
        what = f"there is no `{accept.code}` about the catalog as a whole"
    else:
        known = {item.id for item in catalog.capabilities} if catalog is not None else set()
        if accept.capability in known:
            what = f"there is no `{accept.code}` about `{accept.capability}`"
        else:
            what = f"the catalog has no capability `{accept.capability}`"
            help = did_you_mean(accept.capability, known) or help
    return finding("accept.unused", f"this comment accepts nothing: {what}", accept.span, help=help)


def _read(files: Sequence[tree.File]) -> tuple[list[_Accept], list[Diagnostic]]:
    accepts: list[_Accept] = []
    findings: list[Diagnostic] = []
    for file in files:
        comments = {comment.span.line for comment in file.comments if comment.own_line}
        for comment in file.comments:
            found = _ACCEPT.match(comment.span.text)
            if found is None:
                continue
            problem = list(_problems(comment, found["rest"]))
            findings += problem
            complete = _COMPLETE.fullmatch(found["rest"])
            if problem or complete is None:
                continue
            if complete["what"] is not None:
                accepts += _of_catalog(complete["code"], complete["what"], comment.span)
                continue
            line = comment.span.line + 1
            while line in comments:
                line += 1
            accepts.append(_Accept(code=complete["code"], span=comment.span, file=file.source.name, line=line))
    return accepts, findings


def _of_catalog(code: str, what: str, span: Span) -> Iterator[_Accept]:
    if what == "catalog":
        yield _Accept(code=code, span=span)
    for name in re.findall(_NAME, what):
        yield _Accept(code=code, span=span, capability=name[1:-1])


def _problems(comment: tree.Comment, rest: str) -> Iterator[Diagnostic]:
    complete = _COMPLETE.fullmatch(rest)
    if complete is None:
        yield finding(
            "accept.malformed",
            "an accept comment names one code and a reason",
            comment.span,
            help='write `# accept CODE: reason`, or `# accept CODE of "CAPABILITY": reason` for one of the catalog',
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
    elif _about_capabilities(known) != (complete["what"] is not None):
        yield _other_form(comment, known)


def _about_capabilities(entry: Code) -> bool:
    """Whether what the code says stands in the catalog, not on a line of the policy."""
    return entry.format == "json" or entry.code in _ABOUT_CAPABILITIES


def _other_form(comment: tree.Comment, entry: Code) -> Diagnostic:
    if _about_capabilities(entry):
        message = f"`{entry.code}` is about a capability, so the comment says which"
        form = f'write `# accept {entry.code} of "CAPABILITY": reason`, or `of catalog` for the catalog as a whole'
        return finding("accept.malformed", message, comment.span, help=form)
    message = f"`{entry.code}` is about a line of the policy, so no capability is named"
    return finding("accept.malformed", message, comment.span, help=f"write `# accept {entry.code}: reason`")
