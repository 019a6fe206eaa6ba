"""The generated functions of a program, each made when it is first needed."""

from __future__ import annotations

from collections.abc import Sequence

from policy.backend.emit.make import emit, emit_all
from policy.backend.emit.support import Facts, Function, known
from policy.backend.interpreter import Evaluation
from policy.ir import nodes as ir
from policy.ir.reads import definitions
from policy.source.limits import DEFAULT_LIMITS, Limits

_LONGEST_CHAIN = 24
"""How many definitions one may rest on that is emitted: each takes a call within a call."""


class Functions:
    """Functions by expression. What is remembered is a function of the expressions alone, so threads may share it."""

    __slots__ = ("_definitions", "_limits", "_made")

    def __init__(self, limits: Limits = DEFAULT_LIMITS, definitions: Functions | None = None) -> None:
        """Functions of expressions; `definitions` has those of the definitions they use, where they are not its own."""
        self._limits = limits
        self._definitions = definitions
        # Keyed by identity; each entry holds its expression, so that no identity comes back while it lives.
        self._made: dict[int, tuple[ir.Expression, Function | None]] = {}

    def of(self, expression: ir.Expression) -> Function | None:
        """The function of an expression, or None where it is left to the interpreter."""
        known = self._made.get(id(expression))
        if known is None:
            known = self._made.setdefault(id(expression), (expression, self._emitted(expression)))
        return known[1]

    def of_all(self, conditions: Sequence[tuple[ir.Expression | None, ir.Expression | None]]) -> Function:
        """One function of many statements (see `emit_all`)."""
        return emit_all(conditions, self._definition, self._interpreted, self._limits)

    def or_interpreted(self, expression: ir.Expression) -> Function:
        """The function of an expression, one that asks the interpreter where it has no other."""
        return self.of(expression) or self._interpreted(expression)

    def _interpreted(self, expression: ir.Expression) -> Function:
        limits = self._limits

        def interpreted(facts: Facts) -> object:
            return known(Evaluation(facts, limits).value(expression))

        return interpreted

    def _emitted(self, expression: ir.Expression) -> Function | None:
        return emit(expression, self._definition, self._limits)

    def _definition(self, node: ir.Shared) -> tuple[str, Function] | None:
        """The key of a definition's value among the facts, and its function."""
        if len(definitions(node)) > _LONGEST_CHAIN:
            return None
        function = (self._definitions or self).of(node.value)
        return None if function is None else (f"@{id(node.value)}", function)
