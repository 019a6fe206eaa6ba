"""Conditions with everything folded that a capability fixes (architecture.md section 4).

Only whole answers are folded: a part that reads nothing but the capability and is true or false becomes that constant,
and what it decides falls away. A part without an answer stays, so that the reason for it is told as ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from policy.backend.interpreter import Evaluation
from policy.ir import nodes as ir
from policy.ir.reads import reads, roots
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.types.kinds import Basic

CAPABILITY_ROOTS = frozenset({"capability", "contract", "scope", "effects", "readonly", "declared_risk"})
"""The built-in names that a capability fixes."""


class Specialiser:
    """Folds conditions over the facts of one capability."""

    __slots__ = ("_evaluation",)

    def __init__(self, facts: Mapping[str, object], limits: Limits = DEFAULT_LIMITS) -> None:
        self._evaluation = Evaluation({name: facts[name] for name in CAPABILITY_ROOTS if name in facts}, limits)

    def fold(self, node: ir.Expression) -> ir.Expression:
        """The condition as far as it is open, the very same object where nothing is fixed."""
        read = roots(node)
        if read.isdisjoint(CAPABILITY_ROOTS):
            return node
        if read <= CAPABILITY_ROOTS and not any(each.variable for each in reads(node)):
            return self._fixed(node)
        match node:
            case ir.And() | ir.Or():
                return self._junction(node)
            case ir.Not():
                operand = self.fold(node.operand)
                answer = _fixed_answer(operand)
                return replace(node, operand=operand) if answer is None else _constant(node, not answer)
            case _:
                return node

    def _fixed(self, node: ir.Expression) -> ir.Expression:
        answer = self._evaluation.value(node)
        return _constant(node, answer) if isinstance(answer, bool) else node

    def _junction(self, node: ir.And | ir.Or) -> ir.Expression:
        decisive = isinstance(node, ir.Or)
        operands = [self.fold(operand) for operand in node.operands]
        answers = [_fixed_answer(operand) for operand in operands]
        if decisive in answers:
            return _constant(node, decisive)
        left = tuple(operand for operand, answer in zip(operands, answers, strict=True) if answer is None)
        return replace(node, operands=left) if left else _constant(node, not decisive)


def _fixed_answer(node: ir.Expression) -> bool | None:
    return node.value if isinstance(node, ir.Constant) and isinstance(node.value, bool) else None


def _constant(node: ir.Expression, value: bool) -> ir.Constant:
    return ir.Constant(span=node.span, type=Basic.BOOLEAN, value=value)
