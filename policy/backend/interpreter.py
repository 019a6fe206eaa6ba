"""The reference interpreter: what every expression means (language.md section 5).

Conditions have Kleene's three values, whatever the order of their parts: true, false, or an `Unevaluable` that says
why there is no answer. Nothing raises for data; a node or runtime value that the language does not have does raise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never
from zoneinfo import ZoneInfo

from policy.backend import arithmetic, operations
from policy.backend.lists import ListSearch, Parts
from policy.backend.operations import Answer, boolean, negation
from policy.backend.problems import ill_typed, least, problem, written
from policy.backend.trace import Trace
from policy.ir import nodes as ir
from policy.ir.reads import children, definitions, reads_capability_id
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass
from policy.types.comparison import kind_of
from policy.types.functions import FUNCTIONS
from policy.types.values import MISSING, Timestamp, Unevaluable
from policy.types.zones import load_zone, within_window

_Operation = (
    ir.Compare | ir.MapValue | ir.Lookup | ir.Inside | ir.Negative | ir.InNetwork | ir.Within | ir.Matches | ir.Call
)


def evaluate(
    expression: ir.Expression,
    facts: Mapping[str, object],
    trace: Trace | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> object:
    """The runtime value of an expression, or an Unevaluable.

    `facts` are the runtime values of the built-in names; a name without a value is left out. A `trace` gets the tree
    of the whole evaluation, and then no part is skipped.
    """
    return Evaluation(facts, limits, trace).value(expression)


def evaluate_condition(
    expression: ir.Expression,
    facts: Mapping[str, object],
    trace: Trace | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Answer:
    """True, False or an Unevaluable: a value that is no boolean is no answer."""
    return Evaluation(facts, limits, trace).condition(expression)


@dataclass(frozen=True, slots=True)
class Bindings:
    """The variables in force, and the product of the lengths of the lists that they walk."""

    variables: Mapping[str, object]
    product: int

    def bind(self, variable: str, item: object, length: int) -> Bindings:
        """These and one more variable, an item of a list of that length."""
        return Bindings({**self.variables, variable: item}, self.product * length)


NO_BINDINGS = Bindings({}, 1)


class Evaluation:
    """Evaluates any number of expressions over the same facts, each definition and zone once.

    Belongs to one decision and one thread; the facts do not change while it lives.
    """

    __slots__ = ("_definitions", "_facts", "_limits", "_lists", "_search", "_trace", "_zones")

    def __init__(
        self, facts: Mapping[str, object], limits: Limits = DEFAULT_LIMITS, trace: Trace | None = None
    ) -> None:
        self._facts = facts
        self._limits = limits
        self._trace = trace
        # Keyed by identity: each entry holds what it is keyed by, so that no identity comes back while it lives.
        self._definitions: dict[int, tuple[ir.Expression, object]] = {}
        self._lists: dict[int, tuple[ir.ListValue, Parts]] = {}
        self._search = ListSearch(limits)
        self._zones: dict[str, ZoneInfo] = {}

    def value(self, node: ir.Expression, bindings: Bindings = NO_BINDINGS) -> object:
        """The runtime value of an expression, or an Unevaluable."""
        if self._trace is not None:
            self._trace.enter()
        # Nested calls are few on purpose: the deepest policy must fit Python's stack beside the caller's.
        match node:
            case ir.Read():
                value = self._read(node, bindings)
            case ir.Constant():
                value = node.value
            case ir.And():
                value = self._all(node.operands, bindings, decisive=False)
            case ir.Or():
                value = self._all(node.operands, bindings, decisive=True)
            case ir.Not():
                value = negation(boolean(node.operand, self.value(node.operand, bindings)))
            case ir.Shared():
                value = self._shared(node)
            case ir.In():
                value = self._is_in(node, bindings)
            case ir.Has():
                value = self._has(node, bindings)
            case ir.TextTest():
                value = self._text_test(node, bindings)
            case ir.Exists():
                value = isinstance(self.value(node.value, bindings), Unevaluable) is node.missing
            case ir.Quantified():
                decisive = node.quantifier != "every"
                value = operations.quantified(node, self._walk(node, node.body, bindings, decisive))
            case ir.Total():
                value = arithmetic.sum_of(node, self._walk(node, node.value, bindings, None))
            case ir.Arithmetic():
                value = self._arithmetic(node, bindings)
            case ir.ListValue():
                parts = self._written_list(node, bindings)
                value = parts.items if parts.steady else _whole(parts.items)
            case _:
                value = self._operation(node, bindings)
        if self._trace is not None:
            self._trace.leave(node, value)
        return value

    def condition(self, node: ir.Expression, bindings: Bindings = NO_BINDINGS) -> Answer:
        """Whether a condition holds: True, False or an Unevaluable."""
        return boolean(node, self.value(node, bindings))

    def items(self, node: ir.Quantified | ir.Total, bindings: Bindings = NO_BINDINGS) -> list[object] | Unevaluable:
        """The list that a quantifier or total walks, where it may walk it."""
        items = self.value(node.container, bindings)
        if isinstance(items, Unevaluable):
            return items
        if not isinstance(items, list):
            return ill_typed(node.container, items, "a list")
        if bindings.product * len(items) > self._limits.iterations:
            return self._search.too_long(node.container)
        return items

    def _operation(self, node: _Operation, bindings: Bindings) -> object:
        """What has a value only where all its parts have one."""
        values: list[object] = []
        for part in children(node):
            values.append(self.value(part, bindings))
        reason = least(values)
        if reason is not None:
            return reason
        match node:
            case ir.Compare():
                return operations.compare(node, values[0], values[1])
            case ir.MapValue():
                return {name: value for (name, _), value in zip(node.entries, values, strict=True)}
            case ir.Lookup():
                found = operations.member(values[0], values[1])
                return problem(node, "is missing") if found is MISSING or found is None else found
            case ir.Inside():
                return operations.path_inside(node, values[0], values[1])
            case ir.Negative():
                return arithmetic.negative(node, values[0])
            case ir.InNetwork():
                return operations.in_network(node, values[0])
            case ir.Within():
                return self._within(node, values[0])
            case ir.Matches():
                return self._matches(node, values[0])
            case ir.Call():
                return self._call(node, values)
            case _:
                assert_never(node)

    def _all(self, operands: tuple[ir.Expression, ...], bindings: Bindings, *, decisive: bool) -> Answer:
        answers: list[Answer] = []
        for operand in operands:
            answers.append(boolean(operand, self.value(operand, bindings)))
            if answers[-1] is decisive and self._trace is None:
                break
        return operations.fold(answers, decisive=decisive)

    def _walk(
        self, node: ir.Quantified | ir.Total, body: ir.Expression, bindings: Bindings, decisive: bool | None
    ) -> list[object] | Unevaluable:
        """The values of a body for the items of a list, up to the one that decides."""
        items = self.items(node, bindings)
        if isinstance(items, Unevaluable):
            return items
        values: list[object] = []
        undecided = decisive is not None
        for position, item in enumerate(items):
            if self._trace is not None:
                self._trace.enter()
            value = self.value(body, bindings.bind(node.variable, item, len(items)))
            values.append(value)
            decides = undecided and value is decisive
            undecided = undecided and not decides
            if self._trace is not None:
                self._trace.leave_item(node.variable, position, item, decides=decides)
            elif decides:
                break
        return values

    def _read(self, node: ir.Read, bindings: Bindings) -> object:
        current = bindings.variables[node.root] if node.variable else self._facts.get(node.root, MISSING)
        for step in node.steps:
            key = step if isinstance(step, str | int) else self.value(step, bindings)
            if isinstance(key, Unevaluable):
                return key
            if current is MISSING or current is None:
                continue
            if not isinstance(current, list | dict):
                return problem(node, f"is missing: {kind_of(current)} stands where a list or object is read")
            current = operations.member(current, key)
        return problem(node, "is missing") if current is MISSING or current is None else current

    def _shared(self, node: ir.Shared) -> object:
        definition = node.value
        if id(definition) not in self._definitions:
            # In an order that needs no recursion: a chain of definitions may be longer than Python's stack is deep.
            for needed in definitions(node, self._definitions):
                if self._trace is not None:
                    self._trace.enter()
                self._definitions[id(needed.value)] = (needed.value, self.value(needed.value))
                if self._trace is not None:
                    self._trace.keep(needed.value)
        if self._trace is not None:
            self._trace.show(definition)
        return self._definitions[id(definition)][1]

    def _written_list(self, node: ir.ListValue, bindings: Bindings) -> Parts:
        known = self._lists.get(id(node))
        if known is not None and known[1].steady and self._trace is None:
            return known[1]
        items = [self.value(part, bindings) for part in node.items]
        parts = Parts(items, all(isinstance(part, ir.Constant) for part in node.items), data=False)
        self._lists[id(node)] = (node, parts)
        return parts

    def _parts(self, node: ir.Expression, bindings: Bindings) -> Parts | Unevaluable:
        """The items of a list; those of a written list may each be unevaluable, so that `in` is an `or` over them."""
        value = self.value(node, bindings)
        source = written(node)
        if isinstance(source, ir.ListValue):
            return self._lists[id(source)][1]
        if isinstance(value, list):
            steady = isinstance(source, ir.Read | ir.Constant)
            return Parts(value, steady, not isinstance(source, ir.Constant))
        return value if isinstance(value, Unevaluable) else ill_typed(node, value, "a list")

    def _is_in(self, node: ir.In, bindings: Bindings) -> Answer:
        item = self.value(node.item, bindings)
        parts = self._parts(node.container, bindings)
        if isinstance(parts, Unevaluable):
            return least((parts, item)) or parts
        answer = self._search.holds(node, parts, item, bindings.product)
        return negation(answer) if node.negated else answer

    def _has(self, node: ir.Has, bindings: Bindings) -> Answer:
        parts = self._parts(node.container, bindings)
        wanted = self._wanted(node, bindings)
        if isinstance(wanted, Unevaluable):
            return least((wanted, parts)) or wanted
        if isinstance(parts, Unevaluable):
            return least((parts, *wanted.items)) or parts
        return self._search.shares(node, parts, wanted, bindings.product)

    def _wanted(self, node: ir.Has | ir.TextTest, bindings: Bindings) -> Parts | Unevaluable:
        """The items of which one must be there: one without `any of`."""
        if node.any_of:
            return self._parts(node.item, bindings)
        return Parts([self.value(node.item, bindings)], steady=False, data=False)

    def _text_test(self, node: ir.TextTest, bindings: Bindings) -> Answer:
        text = self.value(node.text, bindings)
        wanted = self._wanted(node, bindings)
        if not isinstance(text, str | Unevaluable):
            text = ill_typed(node.text, text, "a string")
        if isinstance(wanted, Unevaluable):
            return least((wanted, text)) or wanted
        if isinstance(text, Unevaluable):
            return least((text, *wanted.items)) or text
        if wanted.data and bindings.product * len(wanted.items) > self._limits.iterations:
            return self._search.too_long(node.item)
        answers = (operations.text_test(node, text, item) for item in wanted.items)
        return operations.fold(answers, decisive=True)

    def _arithmetic(self, node: ir.Arithmetic, bindings: Bindings) -> object:
        # `a + b + c + …` leans to the left as deep as it is long, so its spine is walked without recursion.
        spine = [node]
        while isinstance(spine[-1].left, ir.Arithmetic):
            spine.append(spine[-1].left)
        value = self.value(spine[-1].left, bindings)
        for operation in reversed(spine):
            right = self.value(operation.right, bindings)
            reason = least((value, right))
            value = arithmetic.combine(operation, value, right) if reason is None else reason
        return value

    def _within(self, node: ir.Within, value: object) -> Answer:
        if not isinstance(value, Timestamp):
            return ill_typed(node.value, value, "a timestamp")
        answer = within_window(value, node.days, node.start, node.end, self._zone(node.zone))
        return problem(node.value, "is out of the years 1-9999 in that zone") if answer is None else answer

    def _matches(self, node: ir.Matches, value: object) -> Answer:
        capability_id: object = MISSING
        if reads_capability_id(node):
            capability_id = operations.member(self._facts.get("capability", MISSING), "id")
            if not isinstance(capability_id, str):
                return Unevaluable("capability.id", "is missing", node.value.span.location)
        return operations.matches(node, value, capability_id)

    def _call(self, node: ir.Call, values: list[object]) -> object:
        function = FUNCTIONS[node.function]
        refusal = function.refuses(values[0])
        if refusal is not None:
            return problem(node.arguments[0], refusal)
        arguments = [
            self._zone(str(value)) if position == function.zone else value for position, value in enumerate(values)
        ]
        result = function.implementation(*arguments)
        return problem(node.arguments[0], function.problem) if result is None else result

    def _zone(self, name: str) -> ZoneInfo:
        if name not in self._zones:
            self._zones[name] = load_zone(name)
        return self._zones[name]


def _whole(values: list[object]) -> list[object] | Unevaluable:
    """A list of parts as one value: it has one only where all its parts have one."""
    return least(values) or values
