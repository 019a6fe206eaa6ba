"""Surface tree to text: expressions."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field
from typing import assert_never

from policy.source.records import dataclass
from policy.syntax import tree
from policy.syntax.layout import Layout
from policy.syntax.print_literals import duration, number, pattern, quoted, time_of_day
from policy.syntax.tokens import Token

LOGIC, CONDITION, TEST, SUM, PRODUCT, FACTOR, VALUE = range(7)
"""How tightly an expression binds, loosest first, as the grammar has it."""


@dataclass(slots=True)
class Printer:
    """A layout and the tokens of the source, by which pieces without a node of their own know where they come from.
    Without comments to place there are no tokens, and no piece needs to know."""

    layout: Layout
    tokens: list[Token] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def before(self, node: tree.Node, words: int = 1) -> int | None:
        """The offset of the words that stand before a node, brackets around it skipped."""
        if not self.tokens:
            return None
        at = bisect_left(self.starts, node.span.start) - 1
        while at >= 0 and self.tokens[at].kind == "LPAR":
            at -= 1
        return self.starts[max(0, at - words + 1)]

    def behind(self, node: tree.Node) -> int | None:
        """The offset of the token that follows a node."""
        at = bisect_left(self.starts, node.span.end)
        return self.starts[at] if at < len(self.starts) else None

    def find(self, node: tree.Node, *words: str) -> int | None:
        """The offset of these words inside a node, outside its nested brackets."""
        depth = 0
        for at in range(bisect_left(self.starts, node.span.start), len(self.tokens)):
            token = self.tokens[at]
            if token.start >= node.span.end:
                break
            depth += token.kind in ("LBRACE", "LPAR", "LSQB")
            depth -= token.kind in ("RBRACE", "RPAR", "RSQB")
            if depth == 1 and tuple(item.text for item in self.tokens[at : at + len(words)]) == words:
                return token.start
        return None


def binding(node: tree.Expression) -> int:
    """How tightly an expression binds."""
    match node:
        case tree.And() | tree.Or():
            return LOGIC
        case tree.Not() | tree.Quantified():
            return CONDITION
        case (
            tree.Compare()
            | tree.In()
            | tree.Has()
            | tree.TextTest()
            | tree.Matches()
            | tree.InNetwork()
            | tree.Inside()
            | tree.Exists()
            | tree.Within()
        ):
            return TEST
        case tree.Arithmetic():
            return PRODUCT if node.operator == "*" else SUM
        case tree.Negative() | tree.Total():
            return FACTOR
        case tree.Number():
            return FACTOR if number(node).startswith("-") else VALUE
        case _:
            return VALUE


def operand(to: Printer, node: tree.Expression, at_least: int) -> None:
    """Print an expression, in parentheses where it binds less tightly than its place asks for."""
    if binding(node) >= at_least:
        expression(to, node)
        return
    out = to.layout
    out.open()
    out.text("(", None)
    out.indent()
    out.line("")
    expression(to, node)
    out.dedent()
    out.line("")
    out.text(")")
    out.close()


def expression(to: Printer, node: tree.Expression) -> None:
    """Print an expression."""
    out = to.layout
    match node:
        case tree.Path():
            path(to, node)
        case tree.Text():
            out.text(quoted(node.value), node.span.start)
        case tree.Number():
            out.text(number(node), node.span.start)
        case tree.Boolean():
            out.text("true" if node.value else "false", node.span.start)
        case tree.Duration():
            out.text(duration(node), node.span.start)
        case tree.TimeOfDay():
            out.text(time_of_day(node), node.span.start)
        case tree.ListLiteral():
            _list(to, node)
        case tree.MapLiteral():
            _map(to, node)
        case tree.Lookup():
            operand(to, node.value, VALUE)
            _index(to, node.key)
        case tree.And():
            _logic(to, "and", node.operands)
        case tree.Or():
            _logic(to, "or", node.operands)
        case tree.Not():
            out.text("not ", node.span.start)
            operand(to, node.operand, CONDITION)
        case tree.Quantified():
            _quantified(to, node)
        case tree.Arithmetic():
            low, high = (PRODUCT, FACTOR) if node.operator == "*" else (SUM, PRODUCT)
            operand(to, node.left, low)
            out.text(f" {node.operator} ", to.before(node.right))
            operand(to, node.right, high)
        case tree.Negative():
            # `-5` is a number; minus a number is `-(5)`.
            out.text("-", node.span.start)
            operand(to, node.operand, VALUE + 1 if isinstance(node.operand, tree.Number) else FACTOR)
        case tree.Total():
            _total(to, node)
        case tree.Call():
            _call(to, node)
        case _:
            _test(to, node)


def _logic(to: Printer, word: str, operands: tuple[tree.Expression, ...]) -> None:
    out = to.layout
    out.open()
    for position, part in enumerate(operands):
        if position:
            out.line()
            out.text(f"{word} ", to.before(part))
        operand(to, part, CONDITION)
    out.close()


def _quantified(to: Printer, node: tree.Quantified) -> None:
    out = to.layout
    out.text(f"{node.quantifier} {node.variable.name} in ", node.span.start)
    operand(to, node.container, VALUE)
    out.text(" satisfies ", to.before(node.body))
    operand(to, node.body, VALUE + 1)


def _total(to: Printer, node: tree.Total) -> None:
    out = to.layout
    out.text("total ", node.span.start)
    operand(to, node.value, SUM)
    out.text(f" over {node.variable.name} in ", node.variable.span.start)
    operand(to, node.container, VALUE)


def path(to: Printer, node: tree.Path) -> None:
    """Print a path."""
    to.layout.text(node.head.name, node.span.start)
    for step in node.steps:
        if isinstance(step, tree.Member):
            to.layout.glue(f".{step.name}")
        else:
            _index(to, step.key)


def _index(to: Printer, key: tree.Expression) -> None:
    to.layout.glue("[")
    expression(to, key)
    to.layout.glue("]")


def _list(to: Printer, node: tree.ListLiteral) -> None:
    out = to.layout
    out.open()
    out.text("[", node.span.start)
    out.indent()
    for position, item in enumerate(node.items):
        if position:
            out.glue(",")
        out.line(" " if position else "")
        expression(to, item)
    out.dedent()
    if node.items:
        out.line("")
    out.text("]", node.span.end - 1)
    out.close()


def _map(to: Printer, node: tree.MapLiteral) -> None:
    out = to.layout
    out.open()
    out.text("{", node.span.start)
    out.indent()
    for position, entry in enumerate(node.entries):
        if position:
            out.glue(",")
        out.line()
        out.text(quoted(entry.key.value), entry.span.start)
        out.glue(": ")
        expression(to, entry.value)
    out.dedent()
    if node.entries:
        out.line()
    out.text("}", node.span.end - 1)
    out.close()


def _call(to: Printer, node: tree.Call) -> None:
    out = to.layout
    out.text(node.function.name, node.span.start)
    out.glue("(")
    for position, argument in enumerate(node.arguments):
        if position:
            out.glue(", ")
        expression(to, argument)
    out.glue(")")


Test = (
    tree.Compare
    | tree.In
    | tree.Has
    | tree.TextTest
    | tree.Matches
    | tree.InNetwork
    | tree.Inside
    | tree.Exists
    | tree.Within
)


def _test(to: Printer, node: Test) -> None:
    out = to.layout
    match node:
        case tree.Compare():
            _infix(to, node.left, node.operator, node.right)
        case tree.In():
            _infix(to, node.item, "not in" if node.negated else "in", node.container)
        case tree.Has():
            _infix(to, node.container, "has any of" if node.any_of else "has", node.item)
        case tree.TextTest():
            words = node.operator.replace("_", " ")
            _infix(to, node.text, f"{words} any of" if node.any_of else words, node.item)
        case tree.Inside():
            _infix(to, node.value, "inside", node.root)
        case tree.Matches():
            operand(to, node.value, SUM)
            out.text(f" matches {pattern(node.pattern)}", to.before(node.pattern))
        case tree.InNetwork():
            operand(to, node.value, SUM)
            out.text(f" in network {quoted(node.network.value)}", to.before(node.network, 2))
        case tree.Exists():
            operand(to, node.value, SUM)
            word = "missing" if node.missing else "exists"
            out.text(f" {word}", node.span.end - len(word))
        case tree.Within():
            operand(to, node.value, SUM)
            out.text(f" within {window(node)}", to.before(node.first_day or node.start))
        case _:
            assert_never(node)


def _infix(to: Printer, left: tree.Expression, words: str, right: tree.Expression) -> None:
    operand(to, left, SUM)
    to.layout.text(f" {words} ", to.before(right, words.count(" ") + 1))
    operand(to, right, SUM)


def window(node: tree.Within) -> str:
    """`mon..fri 08:00..18:00 in "Europe/Berlin"`."""
    days = ""
    if node.first_day is not None:
        days = node.first_day.name if node.last_day is None else f"{node.first_day.name}..{node.last_day.name}"
        days += " "
    return f"{days}{time_of_day(node.start)}..{time_of_day(node.end)} in {quoted(node.zone.value)}"
