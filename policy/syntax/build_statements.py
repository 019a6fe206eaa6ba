"""Parse tree to surface tree: declarations and routes."""

from __future__ import annotations

from policy.syntax import literals, tree
from policy.syntax.branch import Branch, Tree
from policy.syntax.build_expressions import as_branch, as_token, expression, pattern, patterns, texts, word
from policy.syntax.clauses import gather, head, opening, title
from policy.syntax.report import MalformedError, Report
from policy.syntax.tokens import Token


def empty_body(report: Report, statement: Branch, keyword: str, wanted: str) -> None:
    """Report a block without content."""
    report.error(
        "syntax.empty_body", f"this `{keyword}` is empty; write {wanted}, or take it out", opening(report, statement)
    )


def one_text(report: Report, clause: Branch | None) -> tree.Text | None:
    """The string of a clause such as `version "1"`."""
    return None if clause is None else literals.text(report, clause.tokens("STRING")[0])


def policy(report: Report, branch: Branch) -> tree.PolicyHeader:
    """`policy "acme" { … }`."""
    parts = gather(report, branch, "policy", branch.branches())
    if not parts.of:
        empty_body(report, branch, "policy", "`version`, `owner`, `describe` or `default approval`")
    return tree.PolicyHeader(
        span=report.span(branch),
        name=literals.text(report, as_token(branch.children[1])),
        version=one_text(report, parts.once("version")),
        owner=one_text(report, parts.once("owner")),
        describe=one_text(report, parts.once("describe")),
        defaults=tuple(_default_approval(report, clause) for clause in parts.many("default_approval")),
    )


def _default_approval(report: Report, clause: Branch) -> tree.DefaultApproval:
    lists = clause.branches()
    return tree.DefaultApproval(
        span=report.span(clause),
        approval=literals.text(report, clause.tokens("STRING")[0]),
        patterns=patterns(report, lists[0]) if lists else (),
    )


def imported(report: Report, branch: Branch) -> tree.Import:
    """`import "path"`."""
    return tree.Import(span=report.span(branch), path=literals.text(report, as_token(branch.children[1])))


# --- context and directory --------------------------------------------------------------------


def context(report: Report, branch: Branch) -> tree.ContextBlock:
    """`context { … }`."""
    fields = _fields(report, branch.branches())
    if not fields:
        empty_body(report, branch, "context", "what the runtime supplies, such as `environment: string`")
    return tree.ContextBlock(span=report.span(branch), fields=fields)


def _fields(report: Report, branches: list[Branch], level: int = 0) -> tuple[tree.FieldDeclaration, ...]:
    return tuple(_field(report, branch, level) for branch in branches)


def _field(report: Report, branch: Branch, level: int) -> tree.FieldDeclaration:
    name, _, type_, *marks = branch.children
    parts = gather(report, branch, "field", [as_branch(mark) for mark in marks])
    return tree.FieldDeclaration(
        span=report.span(branch),
        name=word(report, as_token(name)),
        type=_type(report, type_, level),
        nullable=parts.once("nullable") is not None,
        optional=parts.once("optional") is not None,
    )


def _type(report: Report, part: Tree, level: int) -> tree.TypeExpression:
    if level > report.limits.nesting:
        message = f"the type is nested deeper than {report.limits.nesting} levels"
        report.error("syntax.nesting", message, report.span(part))
        raise MalformedError
    span = report.span(part)
    if type(part) is Token:
        return tree.NamedType(span=span, name=part.text)
    branch = as_branch(part)
    match branch.rule:
        case "one_of_type":
            return tree.OneOfType(span=span, words=texts(report, branch))
        case "list_type":
            return tree.ListType(span=span, item=_type(report, branch.children[2], level + 1))
        case "map_type":
            return tree.MapType(span=span, item=_type(report, branch.children[2], level + 1))
        case _:
            fields = _fields(report, branch.branches(), level + 1)
            if not fields:
                report.error("syntax.empty_body", "the record has no field; write at least one, or `map of …`", span)
            return tree.RecordType(span=span, fields=fields)


def directory(report: Report, branch: Branch) -> tree.DirectoryBlock:
    """`directory { roles … groups … attributes { … } }`."""
    parts = gather(report, branch, "directory", branch.branches())
    if not parts.of:
        empty_body(report, branch, "directory", "`roles`, `groups` or `attributes`")
    roles, groups, attributes = parts.once("roles"), parts.once("groups"), parts.once("attributes")
    if attributes is not None and not attributes.branches():
        report.error("syntax.empty_body", "`attributes` is empty; write at least one field", head(report, attributes))
    return tree.DirectoryBlock(
        span=report.span(branch),
        roles=() if roles is None else texts(report, roles),
        groups=() if groups is None else texts(report, groups),
        attributes=() if attributes is None else _fields(report, attributes.branches()),
    )


# --- scopes and define ------------------------------------------------------------------------


def scopes(report: Report, branch: Branch) -> tree.ScopesBlock:
    """`scopes "money" { … }`."""
    lists = branch.branches()
    if not lists:
        empty_body(report, branch, "scopes", "at least one pattern")
    return tree.ScopesBlock(
        span=report.span(branch),
        name=literals.text(report, as_token(branch.children[1])),
        members=patterns(report, lists[0]) if lists else (),
    )


def define(report: Report, branch: Branch) -> tree.Define:
    """`define large = …`."""
    _, name, _, value = branch.children
    return tree.Define(span=report.span(branch), name=word(report, as_token(name)), value=expression(report, value))


# --- routes -----------------------------------------------------------------------------------


def route(report: Report, branch: Branch) -> tree.Route:
    """`route "a", "b" { … }`, `every route { … }`."""
    every = branch.has("EVERY")
    keyword = "every route" if every else "route"
    clauses: list[list[Branch]] = []
    describes: list[Branch] = []
    for clause in branch.branches():
        if clause.rule in ("allow", "deny_reach"):
            clauses.append([clause])
        elif clause.rule == "describe":
            describes.append(clause)
        elif clauses:
            clauses[-1].append(clause)
        else:
            report.error(
                "syntax.clause_order",
                f"`{title(clause.rule)}` stands before the `allow` or `deny` that it belongs to",
                head(report, clause),
            )
    if not clauses:
        empty_body(report, branch, keyword, "`allow PATTERNS` or `deny PATTERNS`")
    parts = gather(report, branch, keyword, describes)
    return tree.Route(
        span=report.span(branch),
        names=() if every else texts(report, branch),
        describe=one_text(report, parts.once("describe")),
        clauses=tuple(_route_clause(report, group) for group in clauses),
    )


def _route_clause(report: Report, group: list[Branch]) -> tree.RouteClause:
    start, *rest = group
    effect = as_token(start.children[0]).text
    parts = gather(report, start, effect, rest)
    when, unless, because = parts.once("when"), parts.once("unless"), parts.once("because")
    return tree.RouteClause(
        span=report.span(start).to(report.span(group[-1])),
        effect=effect,
        patterns=patterns(report, as_branch(start.children[1])),
        when=None if when is None else expression(report, when.children[1]),
        unless=None if unless is None else expression(report, unless.children[1]),
        because=one_text(report, because),
    )


__all__ = [
    "context",
    "define",
    "directory",
    "empty_body",
    "imported",
    "one_text",
    "pattern",
    "policy",
    "route",
    "scopes",
]
