"""Python code under construction: `ast` nodes with names that no source text can spell and the policy's own places."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from policy.source.text import Span

FACTS = "@facts"
"""The parameter of every generated function."""


def name(identifier: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(id=identifier, ctx=ast.Load())


def constant(value: str | int | float | bool | None) -> ast.Constant:
    """A literal."""
    return ast.Constant(value=value)


def call(helper: str, *arguments: ast.expr) -> ast.Call:
    """A call of a helper by name."""
    return ast.Call(func=name(helper), args=list(arguments), keywords=[])


def method(value: ast.expr, called: str, *arguments: ast.expr) -> ast.Call:
    """A call of one of the few methods that generated code uses."""
    return ast.Call(func=ast.Attribute(value=value, attr=called, ctx=ast.Load()), args=list(arguments), keywords=[])


def compared(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.Compare:
    """`left OPERATOR right`."""
    return ast.Compare(left=left, ops=[operator], comparators=[right])


def negated(value: ast.expr) -> ast.UnaryOp:
    """`not value`."""
    return ast.UnaryOp(op=ast.Not(), operand=value)


def unanswered() -> ast.Return:
    """The end of a function that leaves its expression to the interpreter."""
    return ast.Return(value=name("@unanswered"))


class Code:
    """The statements of one function: a list that grows, blocks within it, fresh variables, the current place."""

    def __init__(self) -> None:
        self._statements: list[ast.stmt] = []
        self._variables = 0
        self._level = 0
        self._place: tuple[int, int, int, int] | None = None

    @property
    def statements(self) -> list[ast.stmt]:
        """What was written so far at the level in force."""
        return self._statements

    def variable(self) -> str:
        """A fresh name."""
        self._variables += 1
        return f"@v{self._variables}"

    def add(self, statement: ast.stmt) -> None:
        """Write a statement at the current place."""
        if self._place is not None:
            for node in ast.walk(statement):
                if isinstance(node, ast.expr | ast.stmt) and not hasattr(node, "lineno"):
                    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = self._place
        self._statements.append(statement)

    def assign(self, target: str, value: ast.expr) -> None:
        """`target = value`."""
        self.add(ast.Assign(targets=[ast.Name(id=target, ctx=ast.Store())], value=value))

    def run(self, value: ast.expr) -> None:
        """An expression for what it does."""
        self.add(ast.Expr(value=value))

    def keep(self, value: ast.expr) -> ast.Name:
        """A fresh variable with a value."""
        variable = self.variable()
        self.assign(variable, value)
        return name(variable)

    def leave_if(self, test: ast.expr) -> None:
        """Give up where a test holds."""
        self.add(ast.If(test=test, body=[unanswered()], orelse=[]))

    @property
    def level(self) -> int:
        """How many blocks are open: what is written at level 0 runs whenever what stands behind it runs."""
        return self._level

    def mark(self) -> int:
        """A place to come back to by `cut`."""
        return len(self._statements)

    def cut(self, mark: int) -> None:
        """Take back what was written behind a mark."""
        del self._statements[mark:]

    @contextmanager
    def when(self, test: ast.expr) -> Iterator[None]:
        """`if test:` around what is written inside."""
        with self._block() as body:
            yield
        self.add(ast.If(test=test, body=body, orelse=[]))

    @contextmanager
    def each(self, variable: str, items: ast.expr) -> Iterator[None]:
        """`for variable in items:` around what is written inside."""
        with self._block() as body:
            yield
        self.add(ast.For(target=ast.Name(id=variable, ctx=ast.Store()), iter=items, body=body, orelse=[]))

    @contextmanager
    def at(self, span: Span) -> Iterator[None]:
        """What is written inside stands for this place of the policy."""
        before, self._place = self._place, _place(span)
        try:
            yield
        finally:
            self._place = before

    @contextmanager
    def _block(self) -> Iterator[list[ast.stmt]]:
        outer, self._statements = self._statements, []
        self._level += 1
        try:
            yield self._statements
        finally:
            self._statements = outer
            self._level -= 1


def _place(span: Span) -> tuple[int, int, int, int]:
    """Line and column as Python counts them: columns are bytes of UTF-8, from 0."""
    first, last = span.source.line_text(span.line), span.source.line_text(span.end_line)
    begin = len(first[: span.column - 1].encode())
    end = len(last[: span.end_column - 1].encode())
    return span.line, begin, span.end_line, end
