"""Emitted code made into functions: put into a module, verified, compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import CodeType

from policy.backend.emit.code import FACTS, call, constant, method, name, negated
from policy.backend.emit.emitter import Definition, Emitter, UnsuitableError
from policy.backend.emit.support import HELPERS, Function
from policy.backend.emit.verifier import verify
from policy.ir import nodes as ir
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.text import Span

_FOUND = "@found"


def emit(expression: ir.Expression, definition: Definition, limits: Limits = DEFAULT_LIMITS) -> Function | None:
    """The function of an expression, or None where it is left to the interpreter.

    The function takes facts and gives the runtime value, or UNANSWERED.
    """
    emission = emitted(expression, definition, limits)
    if emission is None:
        return None
    return _compiled(*emission, expression.span.source.name)


def emit_all(
    conditions: Sequence[tuple[ir.Expression | None, ir.Expression | None]],
    definition: Definition,
    interpreted: Callable[[ir.Expression], Function],
    limits: Limits = DEFAULT_LIMITS,
) -> Function:
    """One function of many statements: it gives the positions of those whose `when` holds and whose `unless` does
    not, or UNANSWERED where one of them has no plain answer. What several read is read once.

    `interpreted` gives a function for a condition that is left to the interpreter.
    """
    emitter = Emitter(definition, limits)
    code = emitter.code
    code.assign(_FOUND, call("@list"))
    for position, (when, unless) in enumerate(conditions):
        holds = emitter.answer(when, interpreted)
        excepted = emitter.answer(unless, interpreted)
        with code.when(constant(True) if holds is None else holds):
            found = method(name(_FOUND), "append", constant(position))
            if excepted is None:
                code.run(found)
            else:
                with code.when(negated(excepted)):
                    code.run(found)
    code.add(ast.Return(value=name(_FOUND)))
    places = [each.span for pair in conditions for each in pair if each is not None]
    files = {place.source.name for place in places}
    file = files.pop() if len(files) == 1 else "several policies"
    return _compiled(_function(emitter, places[0] if places else None), emitter.constants, file)


def _compiled(module: ast.Module, constants: Mapping[str, object], file: str) -> Function:
    names: dict[str, object] = {**HELPERS, **constants, "__builtins__": {}}
    verify(module, names)
    compiled: CodeType = compile(module, file, "exec", dont_inherit=True)
    exec(compiled, names)  # noqa: S102 - verified nodes, made from nodes: no text of an author is ever compiled
    function: Function = names["@rule"]  # type: ignore[assignment]
    return function


def _function(emitter: Emitter, span: Span | None) -> ast.Module:
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=FACTS)], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
    function = ast.FunctionDef(name="@rule", args=parameters, body=emitter.code.statements, decorator_list=[])
    function.lineno, function.col_offset = (1, 0) if span is None else (span.line, 0)
    function.end_lineno, function.end_col_offset = (1, 0) if span is None else (span.end_line, 0)
    return ast.fix_missing_locations(ast.Module(body=[function], type_ignores=[]))


def emitted(
    expression: ir.Expression, definition: Definition, limits: Limits = DEFAULT_LIMITS
) -> tuple[ast.Module, dict[str, object]] | None:
    """The module of an expression's function, and the constants that its names stand for; None as for `emit`."""
    emitter = Emitter(definition, limits)
    try:
        with emitter.code.at(expression.span):
            emitter.code.add(ast.Return(value=emitter.value(expression, 0)))
    except UnsuitableError:
        return None
    return _function(emitter, expression.span), emitter.constants
