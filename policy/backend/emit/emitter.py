"""From typed expressions to Python functions (architecture.md section 3).

A function is a run of statements with few branches: a part whose value is missing or of another type than its
operation takes leaves the whole function with `UNANSWERED`, so everything behind it knows what it holds. That is
sound for Kleene's three values because the interpreter is asked then: the functions only have to be right where no
part is unevaluable, or where a part that decides came first.

What is rare or has no short form in Python (`total`, presence of anything but a path, written lists with paths in
them) is not emitted: `emit` gives None, and the interpreter is asked every time.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from policy.backend.emit.code import FACTS, Code, call, compared, constant, method, name, negated
from policy.backend.emit.support import Function
from policy.backend.problems import written
from policy.ir import nodes as ir
from policy.ir.reads import reads_capability_id
from policy.source.limits import Limits
from policy.types.functions import FUNCTIONS
from policy.types.zones import load_zone

DEEPEST = 24
"""How deep expressions nest that are emitted; deeper ones would nest Python's own compiler too deep."""
_LONGEST = 64
"""How many operands an `and` or `or` has that is emitted."""
_LOOPS = 16
"""How many quantifiers stand within each other that are emitted; Python nests at most 20 loops."""

Definition = Callable[[ir.Shared], tuple[str, Function] | None]
"""A name for the value of a definition within one decision, and its function; None where it has none."""

_EQUALITY: Mapping[str, type[ast.cmpop]] = {"==": ast.Eq, "!=": ast.NotEq}
_ORDER: Mapping[str, type[ast.cmpop]] = {"<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MOST = 2**53


class UnsuitableError(Exception):
    """An expression that is left to the interpreter."""


class Emitter:
    """Writes one function."""

    def __init__(self, definition: Definition, limits: Limits) -> None:
        self.code = Code()
        self.constants: dict[str, object] = {}
        self._definition = definition
        self._limits = limits
        self._variables: dict[str, str] = {}
        self._product: ast.expr | None = None
        # What is known wherever the code goes on: values that were read, and types that were looked at.
        self._read_once: dict[tuple[str, ...], ast.Name] = {}
        self._typed: set[tuple[str, str]] = set()

    def answer(
        self, condition: ir.Expression | None, interpreted: Callable[[ir.Expression], Function]
    ) -> ast.expr | None:
        """Code that computes whether a condition holds; None where there is none."""
        if condition is None:
            return None
        mark, known, typed = self.code.mark(), dict(self._read_once), set(self._typed)
        try:
            with self.code.at(condition.span):
                return self._condition(condition, 0)
        except UnsuitableError:
            self.code.cut(mark)
            self._read_once, self._typed = known, typed
        asked = ast.Call(func=self._known(interpreted(condition)), args=[name(FACTS)], keywords=[])
        answer = self.code.keep(asked)
        self.code.leave_if(compared(call("@type", answer), ast.IsNot(), name("@bool")))
        return answer

    def value(self, node: ir.Expression, depth: int) -> ast.expr:
        """Code that computes the value of an expression; where it has none, the function is left."""
        if depth > DEEPEST:
            raise UnsuitableError
        with self.code.at(node.span):
            match node:
                case ir.Constant():
                    return self._constant(node.value)
                case ir.Read():
                    return self._read(node, depth)
                case ir.Shared():
                    return self._shared(node)
                case ir.And() | ir.Or():
                    return self._junction(node, depth)
                case ir.Not():
                    return self.code.keep(negated(self._condition(node.operand, depth)))
                case ir.Compare():
                    return self._compare(node, depth)
                case ir.In():
                    answer = self._membership(node.container, node.item, depth, any_of=False)
                    return self.code.keep(negated(answer)) if node.negated else answer
                case ir.Has():
                    return self._membership(node.container, node.item, depth, any_of=node.any_of)
                case ir.TextTest():
                    return self._text_test(node, depth)
                case ir.Exists():
                    return self._exists(node)
                case ir.Quantified():
                    return self._quantified(node, depth)
                case ir.Lookup():
                    return self._lookup(node, depth)
                case _:
                    return self._operation(node, depth)

    def _condition(self, node: ir.Expression, depth: int) -> ast.expr:
        """The value of an operand that must be a boolean."""
        value = self.value(node, depth + 1)
        if isinstance(node, ir.Read | ir.Shared | ir.Lookup | ir.Call):
            self.code.leave_if(compared(call("@type", value), ast.IsNot(), name("@bool")))
        return value

    def _constant(self, value: object) -> ast.expr:
        if value is None:
            raise UnsuitableError
        if type(value) in (str, bool) or (type(value) in (int, float) and abs(value) <= _MOST):  # type: ignore[arg-type]
            return constant(value)  # type: ignore[arg-type]
        return self._known(value)

    def _known(self, value: object) -> ast.Name:
        """A name for an object that is fixed."""
        identifier = f"@k{len(self.constants)}"
        self.constants[identifier] = value
        return name(identifier)

    def _checked(self, value: ast.expr) -> ast.Name:
        """What a helper gave, where it is an answer."""
        kept = self.code.keep(value)
        self.code.leave_if(compared(kept, ast.Is(), name("@unanswered")))
        return kept

    def _root(self, node: ir.Read) -> ast.expr:
        if node.variable:
            return name(self._variables[node.root])
        return self.code.keep(ast.Subscript(value=name(FACTS), slice=constant(node.root), ctx=ast.Load()))

    def _read(self, node: ir.Read, depth: int) -> ast.expr:
        path = (node.root, *(step for step in node.steps if isinstance(step, str)))
        named = not node.variable and len(path) == len(node.steps) + 1
        if named and path in self._read_once:
            return self._read_once[path]
        current = self._root(node)
        for step in node.steps:
            if isinstance(step, str):
                self.code.leave_if(compared(call("@type", current), ast.IsNot(), name("@dict")))
                current = self.code.keep(method(current, "get", constant(step)))
            else:
                key = constant(step) if isinstance(step, int) else self.value(step, depth + 1)
                current = self.code.keep(call("@member", current, key))
        self.code.leave_if(compared(current, ast.Is(), constant(None)))
        if not node.steps or not isinstance(node.steps[-1], str):
            self.code.leave_if(compared(current, ast.Is(), name("@missing")))
        if named and self.code.level == 0 and isinstance(current, ast.Name):
            self._read_once[path] = current
        return current

    def _leave_unless_text(self, value: ast.expr) -> None:
        """Go on only where a value is text."""
        known = isinstance(value, ast.Name) and (value.id, "text") in self._typed
        if not known:
            self.code.leave_if(compared(call("@type", value), ast.IsNot(), name("@str")))
            self._note_type(value, "text")

    def _leave_unless_number(self, value: ast.expr) -> None:
        """Go on only where a value is an int or a float."""
        if isinstance(value, ast.Name) and (value.id, "number") in self._typed:
            return
        with self.code.when(compared(call("@type", value), ast.IsNot(), name("@int"))):
            self.code.leave_if(compared(call("@type", value), ast.IsNot(), name("@float")))
        self._note_type(value, "number")

    def _note_type(self, value: ast.expr, kind: str) -> None:
        if self.code.level == 0 and isinstance(value, ast.Name):
            self._typed.add((value.id, kind))

    def _exists(self, node: ir.Exists) -> ast.expr:
        """Presence of a path of names: a step that finds no object finds nothing."""
        path = node.value
        if not isinstance(path, ir.Read):
            raise UnsuitableError
        steps = [step for step in path.steps if isinstance(step, str)]
        if len(steps) < len(path.steps):
            raise UnsuitableError
        current = self.code.variable()
        self.code.assign(current, self._root(path))
        for step in steps:
            is_object = compared(call("@type", name(current)), ast.Is(), name("@dict"))
            reached = self.code.variable()
            self.code.assign(reached, constant(None))
            with self.code.when(is_object):
                self.code.assign(reached, method(name(current), "get", constant(step)))
            current = reached
        absent = ast.Is() if node.missing else ast.IsNot()
        if steps:
            return self.code.keep(compared(name(current), absent, constant(None)))
        with self.code.when(compared(name(current), ast.Is(), name("@missing"))):
            self.code.assign(current, constant(None))
        return self.code.keep(compared(name(current), absent, constant(None)))

    def _shared(self, node: ir.Shared) -> ast.expr:
        """A definition, computed once within one decision and remembered among the facts."""
        source = written(node)
        if isinstance(source, ir.Constant):
            return self._constant(source.value)
        defined = self._definition(node)
        if defined is None:
            raise UnsuitableError
        key, function = defined
        kept = self.code.keep(ast.Subscript(value=name(FACTS), slice=constant(key), ctx=ast.Load()))
        with self.code.when(compared(kept, ast.Is(), name("@missing"))):
            self.code.assign(kept.id, ast.Call(func=self._known(function), args=[name(FACTS)], keywords=[]))
            target = ast.Subscript(value=name(FACTS), slice=constant(key), ctx=ast.Store())
            self.code.add(ast.Assign(targets=[target], value=name(kept.id)))
        self.code.leave_if(compared(kept, ast.Is(), name("@unanswered")))
        return kept

    def _junction(self, node: ir.And | ir.Or, depth: int) -> ast.expr:
        if len(node.operands) > _LONGEST:
            raise UnsuitableError
        conjunction = isinstance(node, ir.And)
        result = self.code.variable()
        self.code.assign(result, self._condition(node.operands[0], depth))
        for operand in node.operands[1:]:
            undecided = name(result) if conjunction else negated(name(result))
            with self.code.when(undecided):
                self.code.assign(result, self._condition(operand, depth))
        return name(result)

    def _compare(self, node: ir.Compare, depth: int) -> ast.expr:
        left, right, operator = node.left, node.right, node.operator
        if isinstance(left, ir.Constant):
            left, right, operator = right, left, _MIRRORED[operator]
        value = self.value(left, depth + 1)
        if isinstance(right, ir.Constant) and isinstance(written(left), ir.Read | ir.Lookup | ir.Call):
            direct = self._compared_with(value, operator, right.value)
            if direct is not None:
                return direct
        other = self.value(right, depth + 1)
        if operator in _EQUALITY:
            return self._checked(call("@same" if operator == "==" else "@different", value, other))
        return self._checked(call("@in_order", constant(operator), value, other))

    def _compared_with(self, value: ast.expr, operator: str, fixed: object) -> ast.expr | None:
        """A comparison with a text or an integer, where Python's own means the same once the type is known."""
        if type(fixed) is str and operator in _EQUALITY:
            self._leave_unless_text(value)
            return self.code.keep(compared(value, _EQUALITY[operator](), constant(fixed)))
        if type(fixed) is not int or abs(fixed) > _MOST:
            return None
        self._leave_unless_number(value)
        relation = {**_EQUALITY, **_ORDER}[operator]
        return self.code.keep(compared(value, relation(), constant(fixed)))

    def _membership(self, container: ir.Expression, item: ir.Expression, depth: int, *, any_of: bool) -> ast.expr:
        fixed = _texts(container)
        if fixed is not None and not any_of:
            value = self.value(item, depth + 1)
            self._leave_unless_text(value)
            return self.code.keep(compared(value, ast.In(), self._known(frozenset(fixed))))
        if isinstance(written(container), ir.ListValue):
            raise UnsuitableError
        wanted = _texts(item) if any_of else None
        if any_of and wanted is None:
            raise UnsuitableError
        items = self.value(container, depth + 1)
        if wanted is not None:
            return self._checked(call("@any_text_among", items, self._known(frozenset(wanted))))
        return self._checked(call("@text_among", items, self.value(item, depth + 1)))

    def _text_test(self, node: ir.TextTest, depth: int) -> ast.expr:
        wanted = _texts(node.item) if node.any_of else [written(node.item)]
        text = self.value(node.text, depth + 1)
        self.code.leave_if(compared(call("@type", text), ast.IsNot(), name("@str")))
        if node.any_of:
            if wanted is None or node.operator == "contains" or not wanted:
                raise UnsuitableError
            called = "startswith" if node.operator == "starts_with" else "endswith"
            return self.code.keep(method(text, called, self._known(tuple(wanted))))
        item = self.value(node.item, depth + 1)
        self.code.leave_if(compared(call("@type", item), ast.IsNot(), name("@str")))
        if node.operator == "contains":
            return self.code.keep(compared(item, ast.In(), text))
        return self.code.keep(method(text, "startswith" if node.operator == "starts_with" else "endswith", item))

    def _quantified(self, node: ir.Quantified, depth: int) -> ast.expr:
        items = self.value(node.container, depth + 1)
        self.code.leave_if(compared(call("@type", items), ast.IsNot(), name("@list")))
        if node.quantifier == "every":
            self.code.leave_if(negated(items))
        outer, walked = self._product, call("@len", items)
        product = self.code.keep(walked if outer is None else ast.BinOp(left=outer, op=ast.Mult(), right=walked))
        self.code.leave_if(compared(product, ast.Gt(), constant(self._limits.iterations)))
        decisive = node.quantifier != "every"
        result = self.code.variable()
        self.code.assign(result, constant(not decisive))
        variable = self.code.variable()
        with self._bound(node.variable, variable, product), self.code.each(variable, items):
            answer = self._condition(node.body, depth)
            with self.code.when(answer if decisive else negated(answer)):
                self.code.assign(result, constant(decisive))
                self.code.add(ast.Break())
        return self.code.keep(negated(name(result))) if node.quantifier == "no" else name(result)

    @contextmanager
    def _bound(self, named: str, variable: str, product: ast.expr) -> Iterator[None]:
        """The body of a quantifier: what it binds is forgotten behind it, also where it turns out unsuitable."""
        variables, outer = self._variables, self._product
        if len(variables) >= _LOOPS:
            raise UnsuitableError
        self._variables, self._product = {**variables, named: variable}, product
        try:
            yield
        finally:
            self._variables, self._product = variables, outer

    def _lookup(self, node: ir.Lookup, depth: int) -> ast.expr:
        """A value of a written map of constants."""
        source = written(node.value)
        if not isinstance(source, ir.MapValue) or not all(isinstance(each, ir.Constant) for _, each in source.entries):
            raise UnsuitableError
        entries = {entry: value.value for entry, value in source.entries if isinstance(value, ir.Constant)}
        key = self.value(node.key, depth + 1)
        self.code.leave_if(compared(call("@type", key), ast.IsNot(), name("@str")))
        found = self.code.keep(method(self._known(entries), "get", key))
        self.code.leave_if(compared(found, ast.Is(), constant(None)))
        return found

    def _operation(self, node: ir.Expression, depth: int) -> ast.expr:
        """What has a value only where its parts have one: the language's own operation is called."""
        match node:
            case ir.Arithmetic():
                called = self._applied("@combine", node, depth, node.left, node.right)
            case ir.Negative():
                called = self._applied("@negative", node, depth, node.operand)
            case ir.InNetwork():
                called = self._applied("@in_network", node, depth, node.value)
            case ir.Inside():
                called = self._applied("@path_inside", node, depth, node.value, node.root)
            case ir.Within():
                value = self.value(node.value, depth + 1)
                called = call("@in_window", self._known(node), self._known(load_zone(node.zone)), value)
            case ir.Call():
                called = self._called(node, depth)
            case ir.Matches():
                called = self._matched(node, depth)
            case _:
                raise UnsuitableError
        return self._checked(call("@known", called))

    def _applied(self, helper: str, node: ir.Expression, depth: int, *parts: ir.Expression) -> ast.Call:
        """An operation that takes its node, for the reason of no answer, and the values of its parts."""
        return call(helper, self._known(node), *(self.value(part, depth + 1) for part in parts))

    def _called(self, node: ir.Call, depth: int) -> ast.Call:
        function = FUNCTIONS[node.function]
        zone: object = None
        if function.zone is not None:
            argument = node.arguments[function.zone]
            if not isinstance(argument, ir.Constant):
                raise UnsuitableError
            zone = load_zone(str(argument.value))
        value = self.value(node.arguments[0], depth + 1)
        return call("@apply", self._known(function), self._known(zone), value)

    def _matched(self, node: ir.Matches, depth: int) -> ast.Call:
        value = self.value(node.value, depth + 1)
        if not reads_capability_id(node):
            return call("@matches", self._known(node), value, name("@missing"))
        capability = ast.Subscript(value=name(FACTS), slice=constant("capability"), ctx=ast.Load())
        identifier = self.code.keep(call("@member", capability, constant("id")))
        self.code.leave_if(compared(call("@type", identifier), ast.IsNot(), name("@str")))
        return call("@matches", self._known(node), value, identifier)


def _texts(node: ir.Expression) -> list[str] | None:
    """The items of a written list of texts; None where it is anything else."""
    source = written(node)
    if isinstance(source, ir.Constant) and type(source.value) is list:
        items = source.value
    elif isinstance(source, ir.ListValue) and all(isinstance(item, ir.Constant) for item in source.items):
        items = [item.value for item in source.items if isinstance(item, ir.Constant)]
    else:
        return None
    return items if items and all(type(item) is str for item in items) else None
