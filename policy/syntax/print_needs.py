"""Surface tree to text: approvals and what they need."""

from __future__ import annotations

from collections.abc import Sequence

from policy.syntax import tree
from policy.syntax.print_expressions import Printer, expression, path
from policy.syntax.print_literals import duration, number, quoted


def need(to: Printer, node: tree.Need) -> None:
    """Print what an approval needs."""
    match node:
        case tree.Leaf():
            _leaf(to, node)
        case tree.Pool():
            to.layout.text(f"{number(node.count)} approvals from ", node.span.start)
            if len(node.leaves) == 1:
                _leaf(to, node.leaves[0])
            else:
                _braces(to, node.leaves, node.span.end - 1)
        case tree.AllOf():
            _slots(to, node, "all of ", node.children, same_person=node.same_person)
        case tree.AnyNumberOf():
            _slots(to, node, f"any {number(node.count)} of ", node.children, same_person=node.same_person)
        case tree.AnyOf():
            _slots(to, node, "any of ", node.children, same_person=False)


def _slots(to: Printer, node: tree.Node, words: str, children: Sequence[tree.Need], *, same_person: bool) -> None:
    to.layout.text(words, node.span.start)
    # With `allowing same person` behind it the closing brace has no place of its own.
    _braces(to, children, None if same_person else node.span.end - 1)
    if same_person:
        to.layout.text(" allowing same person", node.span.end - len("person"))


def _braces(to: Printer, children: Sequence[tree.Need], closing: int | None) -> None:
    out = to.layout
    out.open()
    out.glue("{")
    out.indent()
    for child in children:
        out.line()
        need(to, child)
    out.dedent()
    out.line()
    out.text("}", closing)
    out.close()


def _leaf(to: Printer, node: tree.Leaf) -> None:
    out = to.layout
    out.open()
    out.text(f"{node.kind} ", node.span.start)
    value(to, node.value)
    out.indent()
    if node.max_risk is not None:
        out.line()
        out.text(f"max risk {node.max_risk.name}", to.before(node.max_risk, 2))
    if node.max_value is not None and node.value_of is not None:
        out.line()
        out.text(f"max value {number(node.max_value)} of ", to.before(node.max_value, 2))
        path(to, node.value_of)
    if node.covering is not None:
        out.line()
        out.text("covering ", to.before(node.covering))
        path(to, node.covering)
    if node.where is not None:
        out.line()
        out.text("where ", to.before(node.where))
        expression(to, node.where)
    out.dedent()
    out.close()


def value(to: Printer, node: tree.Expression) -> None:
    """Print the text or path that names an approver."""
    expression(to, node)


def approval(to: Printer, node: tree.Approval) -> None:
    """Print the clauses of an approval, in their one order."""
    out = to.layout
    out.hard()
    out.text("need ", to.before(node.need))
    need(to, node.need)
    if node.distinct_by is not None:
        out.hard()
        out.text(f"distinct by {node.distinct_by.name}", to.before(node.distinct_by, 2))
    if node.at_least is not None:
        out.hard()
        out.text(f"at least {number(node.at_least)} people", to.before(node.at_least, 2))
    if node.valid_for is not None:
        out.hard()
        out.text(f"valid for {duration(node.valid_for)}", to.before(node.valid_for, 2))
    if node.evidence:
        out.hard()
        out.text("evidence ", to.before(node.evidence[0]))
        for position, item in enumerate(node.evidence):
            if position:
                out.glue(", ")
            out.text(item.name if isinstance(item, tree.Word) else quoted(item.value), item.span.start)
    if node.denied_by is not None:
        out.hard()
        people = "person" if node.denied_by.value == 1 else "people"
        out.text(f"denied by {number(node.denied_by)} {people}", to.before(node.denied_by, 2))
    if node.kinds:
        out.hard()
        out.text("approvers of kind ", to.before(node.kinds[0], 3))
        for position, kind in enumerate(node.kinds):
            if position:
                out.glue(", ")
            out.text(kind.name, kind.span.start)
    if node.self_approval:
        out.hard()
        out.text("allow self approval", to.find(node, "allow", "self", "approval"))
    if node.describe is not None:
        out.hard()
        out.text(f"describe {quoted(node.describe.value)}", to.before(node.describe))
    if node.because is not None:
        out.hard()
        out.text(f"because {quoted(node.because.value)}", to.before(node.because))
