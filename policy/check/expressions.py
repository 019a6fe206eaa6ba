"""From surface expressions to typed ones: names resolved, words turned to constants, every mistake reported once."""

from __future__ import annotations

from typing import assert_never

from policy.check import calls, operators, paths, words
from policy.check.environment import Environment, Variable
from policy.check.kinds import bare_words, join, may_be, type_name
from policy.check.patterns import pattern_tuple
from policy.check.report import UNKNOWN, broken, is_broken, quoted
from policy.check.surface import too_deep
from policy.ir import nodes as ir
from policy.syntax import tree
from policy.types.kinds import Basic, ListOf, MapOf, Type
from policy.types.values import Duration, TimeOfDay

_MINUTE = 60 * 10**9


def expression(node: tree.Expression, env: Environment, expected: Type | None = None) -> ir.Expression:
    """The typed expression. `expected` is the type of what stands opposite; it gives bare words their meaning."""
    deep = too_deep(node, env.limits.nesting * 2)
    if deep is not None:
        env.report.add(
            "load.too_deep", "the expression is nested too deeply; name a part of it with `define`", deep.span
        )
        return broken(node.span)
    return _elaborate(node, env, expected)


def condition(node: tree.Expression, env: Environment) -> ir.Expression:
    """A typed condition: a boolean, or a JSON value that may be one."""
    deep = too_deep(node, env.limits.nesting * 2)
    return expression(node, env) if deep is not None else _condition(node, env)


def _condition(node: tree.Expression, env: Environment) -> ir.Expression:
    found = _elaborate(node, env, None)
    if may_be(found.type, Basic.BOOLEAN):
        return found
    message = f"{quoted(node.span.text)} is {type_name(found.type)}; only a boolean is a condition"
    env.report.add("type.not_a_condition", message, node.span, help=_condition_help(found))
    return broken(node.span)


def _condition_help(found: ir.Expression) -> str | None:
    shown = " ".join(found.span.text.split())
    if isinstance(found.type, ListOf):
        return f"ask for its items: `count({shown}) > 0` or `{shown} has …`"
    if isinstance(found, ir.Read):
        return f"compare it, or ask `{shown} exists`"
    return None


def _elaborate(node: tree.Expression, env: Environment, expected: Type | None) -> ir.Expression:
    match node:
        case tree.Path():
            return _path(node, env, expected)
        case tree.Text():
            return words.text(node, expected, env)
        case tree.Number() | tree.Boolean() | tree.Duration() | tree.TimeOfDay():
            return _literal(node)
        case tree.ListLiteral():
            return _list(node, env, expected)
        case tree.MapLiteral():
            return _map(node, env, expected)
        case tree.Lookup():
            return paths.lookup(node, _elaborate(node.value, env, None), _elaborate(node.key, env, None), env)
        case tree.Arithmetic():
            left, right = _elaborate(node.left, env, None), _elaborate(node.right, env, None)
            return operators.arithmetic(node, left, right, env)
        case tree.Negative():
            return operators.negative(node, _elaborate(node.operand, env, None), env)
        case tree.Call():
            return calls.call(node, [_elaborate(argument, env, None) for argument in node.arguments], env)
        case tree.Total():
            return _total(node, env)
        case _:
            return _test(node, env)


def _test(
    node: tree.Not
    | tree.And
    | tree.Or
    | tree.Compare
    | tree.In
    | tree.Has
    | tree.TextTest
    | tree.Matches
    | tree.InNetwork
    | tree.Inside
    | tree.Exists
    | tree.Within
    | tree.Quantified,
    env: Environment,
) -> ir.Expression:
    match node:
        case tree.Not():
            return ir.Not(span=node.span, type=Basic.BOOLEAN, operand=_condition(node.operand, env))
        case tree.And():
            operands = tuple(_condition(operand, env) for operand in node.operands)
            return ir.And(span=node.span, type=Basic.BOOLEAN, operands=operands)
        case tree.Or():
            operands = tuple(_condition(operand, env) for operand in node.operands)
            return ir.Or(span=node.span, type=Basic.BOOLEAN, operands=operands)
        case tree.Compare():
            return operators.compare(node, *_pair(node.left, node.right, env), env)
        case tree.In():
            return operators.within_list(node, *_member_pair(node.item, node.container, env), env)
        case tree.Has():
            item, container = _member_pair(node.item, node.container, env, any_of=node.any_of)
            return operators.has(node, container, item, env)
        case tree.TextTest():
            text = _elaborate(node.text, env, None)
            item = _elaborate(node.item, env, ListOf(Basic.STRING) if node.any_of else Basic.STRING)
            return operators.text_test(node, text, item, env)
        case tree.Matches():
            return _matches(node, env)
        case tree.InNetwork():
            return operators.in_network(node, _elaborate(node.value, env, None), env)
        case tree.Inside():
            return operators.inside(node, _elaborate(node.value, env, None), _elaborate(node.root, env, None), env)
        case tree.Exists():
            return _exists(node, env)
        case tree.Within():
            return calls.within(node, _elaborate(node.value, env, None), env)
        case tree.Quantified():
            return _quantified(node, env)
        case _:
            assert_never(node)


def _path(node: tree.Path, env: Environment, expected: Type | None) -> ir.Expression:
    word = words.enum_word(node, expected, env)
    if word is not None:
        return word
    keys = [_elaborate(step.key, env, None) for step in node.steps if isinstance(step, tree.Index)]
    return paths.path(node, keys, expected, env)


def _literal(node: tree.Number | tree.Boolean | tree.Duration | tree.TimeOfDay) -> ir.Constant:
    match node:
        case tree.Number():
            return ir.Constant(span=node.span, type=Basic.NUMBER, value=node.value)
        case tree.Boolean():
            return ir.Constant(span=node.span, type=Basic.BOOLEAN, value=node.value)
        case tree.Duration():
            return ir.Constant(span=node.span, type=Basic.DURATION, value=Duration(node.nanoseconds))
        case tree.TimeOfDay():
            return ir.Constant(span=node.span, type=Basic.TIME, value=TimeOfDay(node.minutes * _MINUTE))


def _list(node: tree.ListLiteral, env: Environment, expected: Type | None) -> ir.Expression:
    wanted = expected.item if isinstance(expected, ListOf) else None
    items = tuple(_elaborate(item, env, wanted) for item in node.items)
    type_: Type = items[0].type if items else Basic.JSON
    for item in items[1:]:
        joined = join(type_, item.type)
        if joined is None:
            message = f"the list holds {type_name(type_)} and {type_name(item.type)}; nothing equals both"
            env.report.add("type.mixed_list", message, item.span, context=node.span)
            return broken(node.span)
        type_ = joined
    return ir.ListValue(span=node.span, type=ListOf(type_), items=items)


def _map(node: tree.MapLiteral, env: Environment, expected: Type | None) -> ir.Expression:
    wanted = expected.item if isinstance(expected, MapOf) else None
    type_: Type | None = None
    entries: list[tuple[str, ir.Expression]] = []
    for entry in node.entries:
        value = _elaborate(entry.value, env, wanted)
        joined = value.type if type_ is None else join(type_, value.type)
        if joined is None:
            message = f"the map holds values of different types, such as {type_name(value.type)}"
            env.report.add("type.mixed_list", message, value.span, context=node.span)
            return broken(node.span)
        type_ = joined
        entries.append((entry.key.value, value))
    return ir.MapValue(span=node.span, type=MapOf(type_ or Basic.JSON), entries=tuple(entries))


def _pair(left: tree.Expression, right: tree.Expression, env: Environment) -> tuple[ir.Expression, ir.Expression]:
    """Both sides of a comparison, first the one that gives the other its meaning."""
    if _rank(right, env) < _rank(left, env):
        second = _elaborate(right, env, None)
        return _elaborate(left, env, second.type), second
    first = _elaborate(left, env, None)
    return first, _elaborate(right, env, first.type)


def _member_pair(
    item: tree.Expression, container: tree.Expression, env: Environment, *, any_of: bool = False
) -> tuple[ir.Expression, ir.Expression]:
    """An item (or with `any_of` a list of them) and its container, first the one that gives the other its meaning."""
    if _rank(container, env) <= _rank(item, env):
        found = _elaborate(container, env, None)
        inner = found.type.item if isinstance(found.type, ListOf) else UNKNOWN if is_broken(found) else None
        wanted = None if inner is None else ListOf(inner) if any_of else inner
        return _elaborate(item, env, wanted), found
    found = _elaborate(item, env, None)
    outer = found.type if any_of else ListOf(found.type)
    return found, _elaborate(container, env, outer)


def _rank(node: tree.Expression, env: Environment) -> int:
    """How much of its own meaning an operand has; literals and bare words get theirs from the other side."""
    if isinstance(node, tree.Path) and not node.steps:
        return 1 if paths.head_of(node, env) is not None else 3
    return 2 if isinstance(node, tree.Text | tree.ListLiteral | tree.MapLiteral) else 0


def _matches(node: tree.Matches, env: Environment) -> ir.Expression:
    value = _elaborate(node.value, env, None)
    patterns = pattern_tuple((node.pattern,), env.sets, env.report)
    if is_broken(value) or patterns is None:
        return broken(node.span)
    if not may_be(value.type, Basic.STRING) or bare_words(value.type) is not None:
        message = f"`matches` asks a scope, and {quoted(value.span.text)} is {type_name(value.type)}"
        env.report.add("type.not_a_text", message, value.span, help="write `scope matches …`")
        return broken(node.span)
    is_scope = isinstance(value, ir.Read) and value.root == "scope" and not value.variable
    if not is_scope and any(isinstance(pattern, ir.CapabilityGlob) for pattern in patterns):
        message = "`capability` patterns compare the capability of the action: only `scope matches` takes one"
        env.report.add("type.capability_pattern", message, node.pattern.span)
        return broken(node.span)
    return ir.Matches(span=node.span, type=Basic.BOOLEAN, value=value, patterns=patterns)


def _exists(node: tree.Exists, env: Environment) -> ir.Expression:
    value = _elaborate(node.value, env, None)
    if is_broken(value):
        return broken(node.span)
    behind = value
    while isinstance(behind, ir.Shared):
        behind = behind.value
    if not isinstance(behind, ir.Read | ir.Lookup):
        word = "missing" if node.missing else "exists"
        message = (
            f"`{word}` asks a path, and {quoted(node.value.span.text)} is {type_name(value.type)} that is worked out"
        )
        env.report.add("type.presence_of_value", message, node.value.span)
        return broken(node.span)
    return ir.Exists(span=node.span, type=Basic.BOOLEAN, value=value, missing=node.missing)


def _quantified(node: tree.Quantified, env: Environment) -> ir.Expression:
    container, inner = _bind(node.variable, node.container, env)
    body = _condition(node.body, inner)
    if is_broken(container):
        return broken(node.span)
    return ir.Quantified(
        span=node.span,
        type=Basic.BOOLEAN,
        quantifier=node.quantifier,
        variable=node.variable.name,
        container=container,
        body=body,
    )


def _total(node: tree.Total, env: Environment) -> ir.Expression:
    container, inner = _bind(node.variable, node.container, env)
    value = _elaborate(node.value, inner, None)
    if not may_be(value.type, Basic.NUMBER):
        message = f"`total` adds numbers, and {quoted(node.value.span.text)} is {type_name(value.type)}"
        env.report.add("type.arithmetic", message, node.value.span)
        return broken(node.span)
    if is_broken(container) or is_broken(value):
        return broken(node.span)
    return ir.Total(span=node.span, type=Basic.NUMBER, value=value, variable=node.variable.name, container=container)


def _bind(word: tree.Word, over: tree.Expression, env: Environment) -> tuple[ir.Expression, Environment]:
    """The list that a variable runs over, and the names with the variable among them."""
    container = _elaborate(over, env, None)
    if words.check_new_name(word, "variable", env.report):
        words.check_shadow(word, env)
    item: Type = UNKNOWN
    if isinstance(container.type, ListOf):
        item = container.type.item
    elif container.type is Basic.JSON:
        item = Basic.JSON
    elif not is_broken(container):
        message = f"{quoted(over.span.text)} is {type_name(container.type)}; only a list has items to run over"
        env.report.add("type.not_a_list", message, over.span)
        container = broken(over.span)
    return container, env.with_variable(word.name, Variable(type=item, container=container, span=word.span))
