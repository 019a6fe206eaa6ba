"""Parse tree to surface tree: approvals and what they need."""

from __future__ import annotations

from policy.source.diagnostic import Related
from policy.syntax import literals, tree
from policy.syntax.branch import Branch
from policy.syntax.build_expressions import TOO_DEEP, as_branch, as_token, expression, path, word
from policy.syntax.build_statements import empty_body, one_text
from policy.syntax.clauses import Clauses, gather, head
from policy.syntax.report import MalformedError, Report
from policy.syntax.tokens import Token


def approval(report: Report, branch: Branch) -> tree.Approval:
    """`approval "id" { need … }`."""
    parts = gather(report, branch, "approval", branch.branches())
    if not parts.of:
        empty_body(report, branch, "approval", "who approves: `need …`")
        raise MalformedError
    need_clause = parts.once("need")
    distinct, least, valid = parts.once("distinct_by"), parts.once("at_least"), parts.once("valid_for")
    evidence, denied, kinds = parts.once("evidence"), parts.once("denied_by"), parts.once("approvers_of_kind")
    if need_clause is None:
        parts.missing("this `approval` does not say who approves; write `need …`", help='for example `need role "…"`')
        raise MalformedError
    return tree.Approval(
        span=report.span(branch),
        id=literals.text(report, as_token(branch.children[1])),
        need=need(report, as_branch(need_clause.children[1])),
        distinct_by=None if distinct is None else word(report, as_token(distinct.children[2])),
        at_least=None if least is None else count(report, as_token(least.children[2])),
        valid_for=None if valid is None else literals.duration(report, as_token(valid.children[2])),
        evidence=()
        if evidence is None
        else tuple(_evidence(report, token) for token in evidence.tokens("NAME", "STRING")),
        denied_by=None if denied is None else count(report, as_token(denied.children[2])),
        kinds=() if kinds is None else tuple(word(report, token) for token in kinds.tokens("NAME")),
        self_approval=parts.once("self_approval") is not None,
        describe=one_text(report, parts.once("describe")),
        because=one_text(report, parts.once("because")),
    )


def _evidence(report: Report, token: Token) -> tree.Word | tree.Text:
    return literals.text(report, token) if token.type == "STRING" else word(report, token)


def count(report: Report, token: Token) -> tree.Number:
    """A number of people or approvals: a whole number."""
    number = literals.number(report, token)
    if not isinstance(number.value, int):
        report.error("syntax.count", f"`{token.text}` is no count; write a whole number", report.span(token))
    return number


def need(report: Report, branch: Branch, level: int = 0) -> tree.Need:
    """What an approval needs: a leaf, a pool, slots or alternatives."""
    if level > report.limits.nesting:
        report.error("syntax.nesting", TOO_DEEP.format(limit=report.limits.nesting), report.span(branch))
        raise MalformedError
    if branch.rule == "leaf":
        return _leaf(report, branch)
    children = [part for part in branch.branches() if part.rule != "same_person"]
    if not children:
        report.error("syntax.empty_body", "nobody stands between the braces; write at least one", report.span(branch))
        raise MalformedError
    if branch.rule == "pool":
        return _pool(report, branch, children)
    parts = tuple(need(report, child, level + 1) for child in children)
    same = [part for part in branch.branches() if part.rule == "same_person"]
    span = report.span(branch)
    if branch.rule == "all_of":
        return tree.AllOf(span=span, children=parts, same_person=bool(same))
    numbers = branch.tokens("NUMBER")
    if numbers:
        return tree.AnyNumberOf(span=span, count=count(report, numbers[0]), children=parts, same_person=bool(same))
    if same:
        report.error(
            "syntax.misplaced_clause",
            "`allowing same person` belongs to `all of` or `any N of`; of `any of` one alternative is enough anyway",
            report.span(same[0]),
        )
    return tree.AnyOf(span=span, children=parts)


def _pool(report: Report, branch: Branch, children: list[Branch]) -> tree.Pool:
    leaves: list[tree.Leaf] = []
    for child in children:
        if child.rule == "leaf":
            leaves.append(_leaf(report, child))
            continue
        report.error(
            "syntax.pool",
            f"`{_words(child)}` cannot stand in a pool; a pool holds single approvers",
            report.span(child.children[0]).to(report.span(child.children[1])),
            help="write `any N of { … }` to count groups of approvers",
        )
    if not leaves:
        raise MalformedError
    return tree.Pool(span=report.span(branch), count=count(report, as_token(branch.children[0])), leaves=tuple(leaves))


def _words(branch: Branch) -> str:
    return " ".join(token.text for token in branch.tokens("ALL", "ANY", "NUMBER", "OF", "APPROVALS"))


def _leaf(report: Report, branch: Branch) -> tree.Leaf:
    kind, value, *tails = branch.children
    name = as_token(kind).text
    parts = gather(report, branch, name, [as_branch(tail) for tail in tails])
    max_risk, max_value = parts.once("max_risk"), parts.once("max_value")
    covering, where = parts.once("covering"), parts.once("where")
    if name != "delegated":
        _check_delegated(report, parts, name)
    return tree.Leaf(
        span=report.span(branch),
        kind=name,
        value=path(report, value) if type(value) is Branch else literals.text(report, as_token(value)),
        max_risk=None if max_risk is None else word(report, as_token(max_risk.children[2])),
        max_value=None if max_value is None else literals.number(report, as_token(max_value.children[2])),
        value_of=None if max_value is None else path(report, as_branch(max_value.children[4])),
        covering=None if covering is None else path(report, as_branch(covering.children[1])),
        where=None if where is None else expression(report, where.children[1]),
    )


def _check_delegated(report: Report, parts: Clauses, name: str) -> None:
    for rule in ("max_risk", "max_value", "covering"):
        for clause in parts.many(rule):
            report.error(
                "syntax.misplaced_clause",
                f"`{head(report, clause).text}` belongs to `delegated`, not to `{name}`",
                head(report, clause),
                related=(Related(message=f"the `{name}`", span=report.span(as_token(parts.owner.children[0]))),),
            )
