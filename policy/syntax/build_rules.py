"""Parse tree to surface tree: deny, require, raise, risk, separation and obligation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from policy.source.diagnostic import Related
from policy.source.records import dataclass
from policy.syntax import literals, tree
from policy.syntax.branch import Branch
from policy.syntax.build_expressions import as_branch, as_token, expression, path, pattern, patterns, texts, word
from policy.syntax.build_statements import empty_body, one_text
from policy.syntax.clauses import Clauses, gather, head, title
from policy.syntax.homes import with_article
from policy.syntax.report import MalformedError, Report
from policy.syntax.tokens import Token

SELECTOR = ("for", "on_route", "when", "unless")
"""The parts of a selector."""

OWN_CLAUSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "deny": (),
        "require": ("approval_clause",),
        "raise": ("to",),
        "risk": ("unattended", "approve"),
        "separation": ("differs", "conflict", "different_people"),
        "obligation": ("redact", "set", "also_on_deny"),
    }
)
"""What each rule has beside its selector, `because` and `control`."""

_WANTED: Mapping[str, str] = MappingProxyType(
    {
        "deny": "a selector: `for`, `on route`, `when` or `unless`",
        "require": "a selector and `approval`",
        "raise": "`to LEVEL`",
        "risk": "`unattended up to LEVEL` or `approve up to LEVEL by …`",
        "separation": "`… differs from …`, `roles … conflict` or `different people perform …`",
        "obligation": "`redact PATH` or `set NAME = …`",
    }
)


@dataclass(frozen=True, slots=True)
class _Body:
    """The clauses of a rule, and for `raise` the `when` behind each `to`."""

    clauses: Clauses
    steps: tuple[tuple[Branch, Branch | None], ...]


def _body(report: Report, branch: Branch) -> _Body:
    """Sort the clauses of a rule: a selector part behind another clause, and a clause of another rule, are reported."""
    keyword = branch.rule
    body = branch.branches()[-1]
    allowed = (*SELECTOR, *OWN_CLAUSES[keyword], "because", "control")
    clauses = gather(report, branch, keyword, ())
    steps: list[tuple[Branch, Branch | None]] = []
    earlier: Branch | None = None
    previous: Branch | None = None
    for clause in body.branches():
        if keyword == "raise" and clause.rule == "when" and previous is not None and previous.rule == "to":
            steps[-1] = (previous, clause)
        elif clause.rule not in allowed:
            _misplaced(report, keyword, clause)
        elif clause.rule in SELECTOR and earlier is not None:
            _behind(report, keyword, clause, earlier)
            if clause.rule not in clauses.of:
                clauses.add(clause)
        else:
            clauses.add(clause)
            if clause.rule == "to":
                steps.append((clause, None))
            if clause.rule not in SELECTOR:
                earlier = clause
        previous = clause
    if not body.branches():
        empty_body(report, branch, keyword, _WANTED[keyword])
        raise MalformedError
    return _Body(clauses, tuple(steps))


def _misplaced(report: Report, keyword: str, clause: Branch) -> None:
    owner = next(name for name, rules in OWN_CLAUSES.items() if clause.rule in rules)
    report.error(
        "syntax.misplaced_clause",
        f"`{title(clause.rule)}` belongs to {with_article(owner)}, not to {with_article(keyword)}",
        head(report, clause),
    )


def _behind(report: Report, keyword: str, clause: Branch, earlier: Branch) -> None:
    own = " (one `when` may follow each `to`)" if keyword == "raise" and clause.rule == "when" else ""
    report.error(
        "syntax.clause_order",
        f"`{title(clause.rule)}` stands behind `{title(earlier.rule)}`; the selector stands first{own}",
        head(report, clause),
        related=(Related(message=f"put it before this `{title(earlier.rule)}`", span=head(report, earlier)),),
    )


def _selector(report: Report, branch: Branch, clauses: Clauses) -> tree.Selector:
    for_, on_route = clauses.once("for"), clauses.once("on_route")
    when, unless = clauses.once("when"), clauses.once("unless")
    found = [clause for clause in (for_, on_route, when, unless) if clause is not None]
    span = report.span(branch)
    if found:
        first = min(found, key=lambda clause: clause.start)
        last = max(found, key=lambda clause: clause.end)
        span = report.span(first).to(report.span(last))
    return tree.Selector(
        span=span,
        patterns=None if for_ is None else patterns(report, as_branch(for_.children[1])),
        routes=None if on_route is None else texts(report, on_route),
        when=None if when is None else expression(report, when.children[1]),
        unless=None if unless is None else expression(report, unless.children[1]),
    )


@dataclass(frozen=True, slots=True)
class _Common:
    """What all rules share."""

    id: tree.Text
    selector: tree.Selector
    because: tree.Text | None
    controls: tuple[tree.Text, ...]


def _common(report: Report, branch: Branch, clauses: Clauses) -> _Common:
    control = clauses.once("control")
    return _Common(
        id=literals.text(report, as_token(branch.children[1])),
        selector=_selector(report, branch, clauses),
        because=one_text(report, clauses.once("because")),
        controls=() if control is None else texts(report, control),
    )


def deny(report: Report, branch: Branch) -> tree.Deny:
    """`deny "id" { … }`."""
    body = _body(report, branch)
    common = _common(report, branch, body.clauses)
    if not any(rule in body.clauses.of for rule in SELECTOR):
        body.clauses.missing(
            "a `deny` without a selector would refuse everything; write `for`, `on route`, `when` or `unless`"
        )
    return tree.Deny(
        span=report.span(branch),
        id=common.id,
        selector=common.selector,
        because=common.because,
        controls=common.controls,
    )


def require(report: Report, branch: Branch) -> tree.Require:
    """`require "id" { … approval … }`."""
    body = _body(report, branch)
    common = _common(report, branch, body.clauses)
    clause = body.clauses.once("approval_clause")
    if clause is None:
        body.clauses.missing(
            "name the approval, or write `deny … unless …`", help='write `approval "…"` or `approval default`'
        )
        raise MalformedError
    return tree.Require(
        span=report.span(branch),
        id=common.id,
        selector=common.selector,
        because=common.because,
        controls=common.controls,
        approval=_reference(report, as_token(clause.children[1])),
    )


def _reference(report: Report, token: Token) -> tree.ApprovalReference:
    if token.type == "STRING":
        return tree.ApprovalReference(span=report.span(token), kind="named", name=literals.text(report, token))
    return tree.ApprovalReference(span=report.span(token), kind=token.text, name=None)


def raise_(report: Report, branch: Branch) -> tree.Raise:
    """`raise "id" { … to LEVEL when C … }`."""
    body = _body(report, branch)
    common = _common(report, branch, body.clauses)
    if not body.steps:
        body.clauses.missing("this `raise` raises nothing; write `to LEVEL`")
        raise MalformedError
    return tree.Raise(
        span=report.span(branch),
        id=common.id,
        selector=common.selector,
        because=common.because,
        controls=common.controls,
        steps=tuple(_raise_step(report, clause, when) for clause, when in body.steps),
    )


def _raise_step(report: Report, clause: Branch, when: Branch | None) -> tree.RaiseStep:
    return tree.RaiseStep(
        span=report.span(clause) if when is None else report.span(clause).to(report.span(when)),
        level=word(report, as_token(clause.children[1])),
        when=None if when is None else expression(report, when.children[1]),
    )


def risk(report: Report, branch: Branch) -> tree.Risk:
    """`risk "id" overrides "…" { … }`."""
    body = _body(report, branch)
    common = _common(report, branch, body.clauses)
    unattended = body.clauses.once("unattended")
    tiers = body.clauses.many("approve")
    if unattended is None and not tiers:
        body.clauses.missing(
            "this `risk` sets no threshold; write `unattended up to LEVEL` or `approve up to LEVEL by …`"
        )
        raise MalformedError
    overrides = [part for part in branch.branches() if part.rule == "overrides"]
    return tree.Risk(
        span=report.span(branch),
        id=common.id,
        selector=common.selector,
        because=common.because,
        controls=common.controls,
        overrides=texts(report, overrides[0]) if overrides else (),
        unattended=None if unattended is None else word(report, unattended.tokens("NAME")[0]),
        tiers=tuple(
            tree.RiskTier(
                span=report.span(tier),
                level=word(report, tier.tokens("NAME")[0]),
                by=_reference(report, as_token(tier.children[-1])),
            )
            for tier in tiers
        ),
    )


# --- separation -------------------------------------------------------------------------------


def separation(report: Report, branch: Branch) -> tree.Separation:
    """`separation "id" { … FORM }`."""
    body = _body(report, branch)
    common = _common(report, branch, body.clauses)
    forms = sorted(
        (clause for rule in OWN_CLAUSES["separation"] for clause in body.clauses.many(rule)),
        key=lambda clause: clause.start,
    )
    if not forms:
        body.clauses.missing(f"this `separation` keeps nothing apart; write {_WANTED['separation']}")
        raise MalformedError
    for extra in forms[1:]:
        report.error(
            "syntax.repeated_clause",
            "a second duty stands in this `separation`; give it a `separation` of its own",
            head(report, extra),
            related=(Related(message="first here", span=head(report, forms[0])),),
        )
    return tree.Separation(
        span=report.span(branch),
        id=common.id,
        selector=common.selector,
        because=common.because,
        controls=common.controls,
        form=_form(report, forms[0]),
    )


def _form(report: Report, clause: Branch) -> tree.DiffersFrom | tree.RolesConflict | tree.DifferentPeople:
    span = report.span(clause)
    if clause.rule == "differs":
        who = word(report, as_token(clause.children[0]))
        return tree.DiffersFrom(span=span, who=who, parties=tuple(path(report, part) for part in clause.branches()))
    if clause.rule == "conflict":
        roles = texts(report, clause)
        if len(roles) == 1:
            report.error(
                "syntax.missing_clause", "a conflict needs two roles or more; write the other one", roles[0].span
            )
        return tree.RolesConflict(span=span, roles=roles)
    steps = tuple(_perform_step(report, part) for part in clause.branches())
    if len(steps) == 1:
        report.error(
            "syntax.missing_clause",
            "`different people perform` needs two steps or more; write the other one",
            steps[0].span,
        )
    within = clause.tokens("QUANTITY")
    return tree.DifferentPeople(span=span, steps=steps, within=literals.duration(report, within[0]) if within else None)


def _perform_step(report: Report, branch: Branch) -> tree.PerformStep:
    return tree.PerformStep(
        span=report.span(branch),
        pattern=pattern(report, branch.children[0]),
        per=path(report, as_branch(branch.children[2])) if len(branch.children) > 1 else None,
    )


# --- obligation -------------------------------------------------------------------------------


def obligation(report: Report, branch: Branch) -> tree.Obligation:
    """`obligation "id" { … redact … set … also on deny }`."""
    body = _body(report, branch)
    common = _common(report, branch, body.clauses)
    redact = body.clauses.once("redact")
    assignments = tuple(_assignment(report, clause) for clause in body.clauses.many("set"))
    also = body.clauses.once("also_on_deny")
    if redact is None and not assignments:
        body.clauses.missing(f"this `obligation` asks for nothing; write {_WANTED['obligation']}")
        raise MalformedError
    _check_names(report, assignments)
    return tree.Obligation(
        span=report.span(branch),
        id=common.id,
        selector=common.selector,
        because=common.because,
        controls=common.controls,
        redact=() if redact is None else tuple(path(report, part) for part in redact.branches()),
        set=assignments,
        also_on_deny=also is not None,
    )


def _assignment(report: Report, clause: Branch) -> tree.Assignment:
    _, name, _, value = clause.children
    return tree.Assignment(span=report.span(clause), name=word(report, as_token(name)), value=expression(report, value))


def _check_names(report: Report, assignments: tuple[tree.Assignment, ...]) -> None:
    first: dict[str, tree.Word] = {}
    for assignment in assignments:
        name = assignment.name
        if name.name in first:
            report.error(
                "syntax.repeated_clause",
                f"`set {name.name}` stands twice in this `obligation`; write it once",
                name.span,
                related=(Related(message="first here", span=first[name.name].span),),
            )
        first.setdefault(name.name, name)
