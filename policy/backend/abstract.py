"""What a condition could be when some built-in names are not known yet (exposure, indexes).

A sound over-approximation over Kleene's values, where None stands for unevaluable: every answer that some value of
the unknown names gives is in the result. What reads no unknown name has exactly one answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from policy.backend.interpreter import NO_BINDINGS, Bindings, Evaluation
from policy.ir import nodes as ir
from policy.ir.reads import children, definitions, reads_capability_id
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.types.values import Unevaluable

Possible = frozenset[bool | None]

ANYTHING: Possible = frozenset({True, False, None})
_UNEVALUABLE: Possible = frozenset({None})
_PRESENCE: Possible = frozenset({True, False})


def possible(
    expression: ir.Expression,
    facts: Mapping[str, object],
    unknown_roots: frozenset[str],
    limits: Limits = DEFAULT_LIMITS,
) -> Possible:
    """The answers (None: unevaluable) that a condition could have over all values of the unknown built-in names."""
    return _Abstraction(facts, unknown_roots, limits, expression).answers(expression, NO_BINDINGS)


class _Abstraction:
    """One question; the unknown names have no facts, so that nothing can be read of them by mistake."""

    __slots__ = ("_definitions", "_evaluation", "_unknown")

    def __init__(
        self, facts: Mapping[str, object], unknown_roots: frozenset[str], limits: Limits, expression: ir.Expression
    ) -> None:
        known = {name: value for name, value in facts.items() if name not in unknown_roots}
        self._evaluation = Evaluation(known, limits)
        self._unknown = _reading(expression, unknown_roots)
        self._definitions: dict[int, Possible] = {}

    def answers(self, node: ir.Expression, bindings: Bindings) -> Possible:
        if id(node) not in self._unknown:
            return self._known(node, bindings)
        match node:
            case ir.Not():
                return _negations(self.answers(node.operand, bindings))
            case ir.And():
                return _all_of([self.answers(part, bindings) for part in node.operands])
            case ir.Or():
                return _any_of([self.answers(part, bindings) for part in node.operands])
            case ir.Shared():
                return self._shared(node)
            case ir.Quantified():
                return self._quantified(node, bindings)
            case ir.Exists():
                return _PRESENCE
            case _:
                return self._strict(node, bindings)

    def _known(self, node: ir.Expression, bindings: Bindings) -> Possible:
        answer = self._evaluation.condition(node, bindings)
        return frozenset({None if isinstance(answer, Unevaluable) else answer})

    def _shared(self, node: ir.Shared) -> Possible:
        # In an order that needs no recursion: a chain of definitions may be longer than Python's stack is deep.
        if id(node.value) not in self._definitions:
            for needed in definitions(node, self._definitions):
                if id(needed.value) in self._unknown:
                    self._definitions[id(needed.value)] = self.answers(needed.value, NO_BINDINGS)
        return self._definitions[id(node.value)]

    def _quantified(self, node: ir.Quantified, bindings: Bindings) -> Possible:
        if id(node.container) in self._unknown:
            return ANYTHING
        items = self._evaluation.items(node, bindings)
        if isinstance(items, Unevaluable) or (node.quantifier == "every" and not items):
            return _UNEVALUABLE
        bodies = [self.answers(node.body, bindings.bind(node.variable, item, len(items))) for item in items]
        if node.quantifier == "every":
            return _all_of(bodies)
        return _any_of(bodies) if node.quantifier == "any" else _negations(_any_of(bodies))

    def _strict(self, node: ir.Expression, bindings: Bindings) -> Possible:
        """An operation without an answer where a certain part is known to have no value."""
        for part in _strict_parts(node):
            if id(part) not in self._unknown and isinstance(self._evaluation.value(part, bindings), Unevaluable):
                return _UNEVALUABLE
        return ANYTHING


def _strict_parts(node: ir.Expression) -> tuple[ir.Expression, ...]:
    match node:
        case ir.Compare() | ir.Inside():
            return children(node)
        case ir.In():
            return (node.item,)
        case ir.TextTest():
            return (node.text,)
        case _:
            return ()


def _reading(expression: ir.Expression, unknown_roots: frozenset[str]) -> frozenset[int]:
    """The identities of the expressions at and below one that read an unknown name, through definitions."""
    found: set[int] = set()
    finished: set[int] = set()
    stack: list[tuple[ir.Expression, bool]] = [(expression, False)]
    while stack:
        node, done = stack.pop()
        if done:
            if _reads(node, unknown_roots) or any(id(child) in found for child in children(node)):
                found.add(id(node))
        elif id(node) not in finished:
            finished.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in children(node))
    return frozenset(found)


def _reads(node: ir.Expression, unknown_roots: frozenset[str]) -> bool:
    if isinstance(node, ir.Read):
        return not node.variable and node.root in unknown_roots
    return isinstance(node, ir.Matches) and "capability" in unknown_roots and reads_capability_id(node)


def _negations(answers: Possible) -> Possible:
    return frozenset(None if answer is None else not answer for answer in answers)


def _any_of(parts: Sequence[Possible]) -> Possible:
    return _negations(_all_of([_negations(part) for part in parts]))


def _all_of(parts: Sequence[Possible]) -> Possible:
    """Kleene's `and` over every choice of one answer from each part."""
    found: set[bool | None] = set()
    if any(False in part for part in parts):
        found.add(False)
    if all(True in part for part in parts):
        found.add(True)
    if any(None in part for part in parts) and all(part - {False} for part in parts):
        found.add(None)
    return frozenset(found)
