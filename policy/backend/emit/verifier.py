"""The last gate before generated code is compiled: nothing but a closed list of nodes, names and methods passes.

The emitter is written so that an author's text can only ever become a constant; this module does not trust that.
"""

from __future__ import annotations

import ast
from collections.abc import Container

from policy.backend.emit.code import FACTS

_DEFINITIONS = (ast.Module, ast.FunctionDef, ast.arguments, ast.arg)
_STATEMENTS = (ast.Return, ast.Assign, ast.If, ast.For, ast.Break, ast.Expr)
_EXPRESSIONS = (ast.Name, ast.Load, ast.Store, ast.Constant, ast.Compare, ast.Call, ast.Attribute, ast.Subscript)
_OPERATORS = (
    ast.UnaryOp,
    ast.Not,
    ast.BinOp,
    ast.Mult,
    ast.Is,
    ast.IsNot,
    ast.Eq,
    ast.NotEq,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.In,
    ast.NotIn,
)
_NODES = frozenset((*_DEFINITIONS, *_STATEMENTS, *_EXPRESSIONS, *_OPERATORS))
_METHODS = frozenset({"append", "get", "startswith", "endswith"})
_CONSTANTS = (str, int, float, bool, type(None))


class UnverifiedError(Exception):
    """Generated code that holds something it must not: a fault of the emitter, never of a policy."""


def verify(module: ast.Module, names: Container[str]) -> None:
    """Refuse any node, method, constant or name outside the closed list; raises UnverifiedError.

    `names` are those that are defined around the code. Its own variables, parameters and functions begin with `@`,
    which no Python source can spell; a name that is read is one of `names` or is bound in the code.
    """
    nodes = list(ast.walk(module))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if type(node) not in _NODES:
            raise UnverifiedError(f"{type(node).__name__} is no node that generated code has")
        _verify_parts(node)
        if isinstance(node, ast.Attribute) and id(node) not in called:
            raise UnverifiedError("a method handed on as a value")
        if isinstance(node, ast.Name) and node.id not in bound and node.id not in names:
            raise UnverifiedError(f"the name {node.id!r} is defined nowhere")
    for name in bound:
        if not name.startswith("@") or name in names:
            raise UnverifiedError(f"generated code must not bind {name!r}")


def _verify_parts(node: ast.AST) -> None:
    match node:
        case ast.Constant(value):
            if type(value) not in _CONSTANTS:
                raise UnverifiedError(f"a constant of the type {type(value).__name__}")
        case ast.Attribute(attr=name):
            if name not in _METHODS:
                raise UnverifiedError(f"the method {name!r} is not among those that generated code calls")
        case ast.Call(func=function, keywords=keywords):
            if keywords or not isinstance(function, ast.Name | ast.Attribute):
                raise UnverifiedError("a call of something without a name, or with keywords")
        case ast.Subscript(value=container, slice=key, ctx=ast.Store()):
            remembered = isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.startswith("@")
            if not (remembered and isinstance(container, ast.Name) and container.id == FACTS):
                raise UnverifiedError("a statement sets something else than what is remembered of a definition")
        case ast.FunctionDef(decorator_list=decorators, returns=returns, args=parameters):
            defaults = [*parameters.defaults, *parameters.kw_defaults, *parameters.kwonlyargs, *parameters.posonlyargs]
            if decorators or returns or defaults or parameters.vararg or parameters.kwarg:
                raise UnverifiedError("a function with more than plain parameters")
        case _:
            return
