"""Which conditions can never be true, by folding constants and joining the tests on one value.

An answer of "never" is certain; no answer means nothing. Two alternatives of different `or`s are not combined.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from policy.check.lint import domains
from policy.check.lint.walk import Signed, unshared
from policy.ir import nodes as ir
from policy.ir.dump import canonical

Fold = Callable[[ir.Expression], bool | None]
"""What is known of a test from its surroundings, such as `scope matches` below a `for`."""
State = tuple[dict[Hashable, domains.Domain], ...]

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_YES = ("boolean", True)
_NESTING = 16
"""Levels of alternatives that are followed."""
_TESTS = 1_000_000
"""Tests that one run looks at before it stops looking for contradictions."""
_TESTS_OF_ONE = 50_000
"""Tests that one question looks at: alternatives of alternatives would multiply."""


def nothing_known(_: ir.Expression) -> bool | None:
    """The fold of a condition that stands alone."""
    return None


class Contradictions:
    """Finds them during one run of lint; remembers the digests of the defines and how much was looked at."""

    def __init__(self) -> None:
        self._digests: dict[int, str] = {}
        self._names: dict[int, Hashable] = {}
        self._remaining = _TESTS
        self._left = 0

    def never_true(self, conjuncts: Sequence[Signed], fold: Fold = nothing_known) -> bool:
        """Whether all of the parts, each with its sign, can never be true together."""
        before = self._remaining
        self._left = min(before, _TESTS_OF_ONE)
        spare = before - self._left
        feasible = self._feasible(conjuncts, (), fold)
        self._remaining = spare + self._left
        return not feasible

    def constant_parts(
        self, condition: ir.Expression, fold: Fold = nothing_known
    ) -> Iterator[tuple[ir.Expression, bool]]:
        """The outermost parts of a condition that are never true (False) or never false (True)."""
        seen: set[int] = set()
        stack = [condition]
        while stack:
            here = stack.pop()
            if _open(here) and fold(here) is None:
                continue
            if self.never_true([Signed(here, True)], fold):
                yield here, False
            elif self.never_true([Signed(here, False)], fold):
                yield here, True
            else:
                match here:
                    case ir.And() | ir.Or():
                        stack.extend(reversed(here.operands))
                    case ir.Not():
                        stack.append(here.operand)
                    case ir.Quantified():
                        stack.append(here.body)
                    case ir.Shared() if id(here.value) not in seen:
                        seen.add(id(here.value))
                        stack.append(here.value)

    def name(self, expression: ir.Expression) -> Hashable:
        """Two expressions of one name have one value in a decision."""
        known = self._names.get(id(expression))
        if known is None:
            known = self._names[id(expression)] = self._name(unshared(expression))
        return known

    def _name(self, expression: ir.Expression) -> Hashable:
        if isinstance(expression, ir.Read) and all(isinstance(step, str | int) for step in expression.steps):
            return ("read", expression.variable, expression.root, expression.steps)
        return canonical(expression, self._digests)

    def _feasible(self, conjuncts: Iterable[Signed], outer: State, fold: Fold) -> bool:
        if len(outer) > _NESTING:
            return True
        state = ({}, *outer)
        alternatives: list[list[Signed]] = []
        seen: set[tuple[int, bool]] = set()
        stack = list(conjuncts)
        while stack and self._left > 0:
            self._left -= 1
            part = stack.pop()
            match part.expression:
                case ir.Shared():
                    entered = (id(part.expression.value), part.positive)
                    if entered not in seen:
                        seen.add(entered)
                        stack.append(Signed(part.expression.value, part.positive))
                case ir.Not():
                    stack.append(Signed(part.expression.operand, not part.positive))
                case ir.And() | ir.Or() as joined:
                    operands = [Signed(operand, part.positive) for operand in joined.operands]
                    if isinstance(joined, ir.And) == part.positive:
                        stack.extend(operands)
                    else:
                        alternatives.append(operands)
                case _:
                    if not self._test(part, state, fold):
                        return False
        if self._left <= 0:
            return True
        return all(any(self._feasible([branch], state, fold) for branch in branches) for branches in alternatives)

    def _test(self, part: Signed, state: State, fold: Fold) -> bool:
        """Add one test to the state; False where nothing is left."""
        expression, positive = part.expression, part.positive
        known = fold(expression)
        if known is not None:
            return known == positive
        match expression:
            case ir.Constant():
                return expression.value is positive
            case ir.Compare():
                return self._compare(expression, positive, state)
            case ir.In():
                keys = _keys(expression.container)
                if keys is not None:
                    return self._member(expression.item, keys, expression.negated == positive, state)
            case ir.Has() | ir.TextTest():
                if expression.any_of and _keys(expression.item) == frozenset():
                    return not positive
            case ir.Exists():
                domain = domains.presence(self._domain(expression.value, state), present=expression.missing != positive)
                return self._store(expression.value, domain, state)
        return self._flag(self.name(expression), positive, state)

    def _compare(self, expression: ir.Compare, positive: bool, state: State) -> bool:
        operator = expression.operator if positive else _OPPOSITE[expression.operator]
        left, right = unshared(expression.left), unshared(expression.right)
        if isinstance(left, ir.Constant):
            left, right, operator = right, left, _MIRRORED[operator]
        if not isinstance(right, ir.Constant):
            return self._relation(operator, left, right, state)
        key = domains.key(right.value)
        if key is None:
            return self._flag(self.name(expression), positive, state)
        if operator in {"==", "!="}:
            return self._member(left, frozenset({key}), operator == "!=", state)
        if isinstance(right.value, str | bool) or not isinstance(right.value, domains.Ordered):
            return True
        if isinstance(left, ir.Constant):
            value = domains.key(left.value)
            domain = domains.Domain() if value is None else domains.Domain(allowed=frozenset({value}))
            return not domains.bound(domain, operator, right.value).empty
        return self._store(left, domains.bound(self._domain(left, state), operator, right.value), state)

    def _relation(self, operator: str, left: ir.Expression, right: ir.Expression, state: State) -> bool:
        """A test of two values that only the request knows: `a >= b` is the opposite of `a < b`."""
        first, second = self.name(left), self.name(right)
        if first == second:
            return operator in {"==", "<=", ">="}
        positive = operator in {"==", "<", "<="}
        return self._flag((operator if positive else _OPPOSITE[operator], first, second), positive, state)

    def _member(self, item: ir.Expression, keys: frozenset[domains.Key], negated: bool, state: State) -> bool:
        item = unshared(item)
        if isinstance(item, ir.Constant):
            own = domains.key(item.value)
            return own is None or (own in keys) != negated
        return self._store(item, domains.restrict(self._domain(item, state), keys, negated=negated), state)

    def _flag(self, name: Hashable, positive: bool, state: State) -> bool:
        known = next((scope[name] for scope in state if name in scope), domains.Domain())
        domain = domains.restrict(known, frozenset({_YES}), negated=not positive)
        state[0][name] = domain
        return not domain.empty

    def _store(self, expression: ir.Expression, domain: domains.Domain, state: State) -> bool:
        state[0][self.name(expression)] = domain
        return not domain.empty

    def _domain(self, expression: ir.Expression, state: State) -> domains.Domain:
        expression = unshared(expression)
        name = self.name(expression)
        for scope in state:
            if name in scope:
                return scope[name]
        if isinstance(expression, ir.Call) and expression.function in {"count", "length"}:
            return domains.Domain(low=0)
        return domains.of_type(expression.type)


def _open(expression: ir.Expression) -> bool:
    """Whether it compares what the request alone knows, of a type with many values, with a constant."""
    if not isinstance(expression, ir.Compare) or not isinstance(expression.right, ir.Constant):
        return False
    left = expression.left
    return isinstance(left, ir.Read) and domains.of_type(left.type) == domains.Domain()


def _keys(container: ir.Expression) -> frozenset[domains.Key] | None:
    """The constants of a list, or None where it has other items."""
    container = unshared(container)
    if isinstance(container, ir.Constant) and isinstance(container.value, list | tuple):
        keys = [domains.key(item) for item in container.value]
    elif isinstance(container, ir.ListValue):
        keys = [domains.key(item.value) if isinstance(item, ir.Constant) else None for item in container.items]
    else:
        return None
    return None if None in keys else frozenset(key for key in keys if key is not None)
