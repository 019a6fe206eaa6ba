"""What a path names, and the type of every step."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from policy.check.environment import Environment
from policy.check.kinds import may_be, type_name
from policy.check.report import UNKNOWN, broken, is_broken, quoted
from policy.check.words import unknown_name
from policy.ir import nodes as ir
from policy.source.text import Span
from policy.syntax import tree
from policy.syntax.printer import print_path
from policy.types.kinds import Basic, ListOf, MapOf, Record, Type

Step = str | int | ir.Expression


def path(node: tree.Path, keys: Sequence[ir.Expression], expected: Type | None, env: Environment) -> ir.Expression:
    """The meaning of a path whose index expressions are elaborated already, in order."""
    head = head_of(node, env)
    if head is None:
        if expected is not UNKNOWN:
            unknown_name(node, expected, env)
        return broken(node.span)
    if is_broken(head):
        return broken(node.span)
    steps: list[Step] = []
    type_ = head.type
    remaining = iter(keys)
    for step in node.steps:
        if isinstance(step, tree.Member):
            stepped = _member(type_, step.name, last_word(step), node, env)
            steps.append(step.name)
        else:
            key = next(remaining)
            stepped = _index(type_, key, node, env)
            steps.append(_constant_key(key))
        if stepped is None:
            return broken(node.span)
        type_ = stepped
    return _read(node, head, tuple(steps), type_, env)


def last_word(step: tree.Member) -> Span:
    """The name of a member without the dot before it."""
    return Span(step.span.source, step.span.end - len(step.name), step.span.end)


def path_text(node: tree.Path) -> str:
    """The path in the layout of the formatter."""
    if all(isinstance(step, tree.Member) for step in node.steps):
        return ".".join((node.head.name, *(step.name for step in node.steps if isinstance(step, tree.Member))))
    return print_path(node)


def lookup(node: tree.Lookup, value: ir.Expression, key: ir.Expression, env: Environment) -> ir.Expression:
    """The meaning of `value[key]` where `value` is no path."""
    if is_broken(value) or is_broken(key):
        return broken(node.span)
    found = _index(value.type, key, node, env)
    return broken(node.span) if found is None else ir.Lookup(span=node.span, type=found, value=value, key=key)


def head_of(node: tree.Path, env: Environment) -> ir.Expression | None:
    """What the first word of a path names, or None: a variable, a definition or a built-in name."""
    name, span = node.head.name, node.head.span
    variable = env.variables.get(name)
    if variable is not None:
        return ir.Read(span=span, type=variable.type, root=name, variable=True, steps=(), text=name)
    if name in env.declared:
        value = env.definitions.get(name)
        if value is None or is_broken(value):
            return broken(span)
        return ir.Shared(span=span, type=value.type, name=name, value=value)
    built_in = env.built_ins.get(name)
    if built_in is None:
        return None
    return ir.Read(span=span, type=built_in.type, root=name, variable=False, steps=(), text=name)


def _read(
    node: tree.Path, head: ir.Expression, steps: tuple[Step, ...], type_: Type, env: Environment
) -> ir.Expression:
    if isinstance(head, ir.Shared):
        if not steps:
            return ir.Shared(span=node.span, type=type_, name=head.name, value=head.value)
        return _into_shared(node, head, steps, type_)
    if not isinstance(head, ir.Read):
        return broken(node.span)
    if head.root == "context" and not head.variable and not steps:
        env.report.add("name.context_alone", "`context` is read by attribute: write `context.NAME`", node.span)
        return broken(node.span)
    text = path_text(node)
    return ir.Read(span=node.span, type=type_, root=head.root, variable=head.variable, steps=steps, text=text)


def _into_shared(node: tree.Path, head: ir.Shared, steps: tuple[Step, ...], type_: Type) -> ir.Expression:
    """Steps behind a define: a longer path where it names a path, else lookups in its value."""
    value = head.value
    while isinstance(value, ir.Shared):
        value = value.value
    if isinstance(value, ir.Read):
        return ir.Read(
            span=node.span,
            type=type_,
            root=value.root,
            variable=value.variable,
            steps=(*value.steps, *steps),
            text=path_text(node),
        )
    found: ir.Expression = head
    for step in steps:
        key = step if isinstance(step, ir.Node) else _key_constant(step, node.span)
        found = ir.Lookup(span=node.span, type=_below(found.type, step), value=found, key=key)
    return found


def _below(type_: Type, step: Step) -> Type:
    match type_:
        case ListOf(item) | MapOf(item):
            return item
        case Record():
            field = type_.field(step) if isinstance(step, str) else None
            return Basic.JSON if field is None else field.type
    return Basic.JSON


def _key_constant(step: str | int, span: Span) -> ir.Constant:
    return ir.Constant(span=span, type=Basic.STRING if isinstance(step, str) else Basic.NUMBER, value=step)


def _constant_key(key: ir.Expression) -> Step:
    if isinstance(key, ir.Constant) and isinstance(key.value, str | int) and not isinstance(key.value, bool):
        return key.value
    return key


def _member(type_: Type, name: str, span: Span, node: tree.Path, env: Environment) -> Type | None:
    if type_ is UNKNOWN or type_ is Basic.JSON:
        return type_
    match type_:
        case Record():
            field = type_.field(name)
            if field is not None:
                return field.type
            if type_.open:
                return Basic.JSON
            _no_member(type_, name, span, node, env)
            return None
        case MapOf(item):
            return item
        case ListOf():
            env.report.add(
                "type.list_member",
                f"{quoted(_before(node, span))} is a list and has no member `{name}`",
                span,
                help=f"ask its items: `any item in {_before(node, span)} satisfies (… item.{name} …)`",
                context=node.span,
            )
            return None
    env.report.add(
        "type.no_members",
        f"{quoted(_before(node, span))} is {type_name(type_)} and has no members",
        span,
        context=node.span,
    )
    return None


def _no_member(type_: Record, name: str, span: Span, node: tree.Path, env: Environment) -> None:
    names = [member for member, _ in type_.fields]
    help = env.report.suggest(name, names)
    if type_.name == "context":
        _no_attribute(name, span, names, env)
    elif type_.name == "directory attributes":
        env.report.add("name.unknown_attribute", f"`{name}` is no attribute of the directory", span, help=help)
    else:
        message = f"{quoted(_before(node, span))} has no member `{name}`"
        env.report.add("name.unknown_member", message, span, help=help, context=node.span)


def _no_attribute(name: str, span: Span, names: Collection[str], env: Environment) -> None:
    help = env.report.suggest(name, names)
    if help is None and name in env.outer_attributes:
        help = f"an outer layer declares it: declare `{name}` in this layer too"
    env.report.add(
        "name.unknown_attribute",
        f"`context.{name}` is not declared: add `{name}` to a `context` block",
        span,
        help=help,
    )


def _before(node: tree.Path, span: Span) -> str:
    """The path up to a step, as written."""
    start = node.span.start
    text = node.span.source.text[start : span.start]
    return " ".join(text.rstrip(" \t\r\n.[").split())


def _index(type_: Type, key: ir.Expression, node: tree.Path | tree.Lookup, env: Environment) -> Type | None:
    if is_broken(key):
        return None
    if type_ is UNKNOWN:
        return type_
    match type_:
        case ListOf(item):
            return item if _position(key, env) else None
        case MapOf(item):
            return item if _string_key(key, env) else None
        case Record():
            return _record_index(type_, key, node, env)
        case Basic.JSON:
            return type_ if _any_key(key, env) else None
    env.report.add("type.no_members", f"{type_name(type_)} has no members", key.span, context=node.span)
    return None


def _any_key(key: ir.Expression, env: Environment) -> bool:
    if may_be(key.type, Basic.STRING):
        return True
    if may_be(key.type, Basic.NUMBER):
        return _position(key, env)
    env.report.add("type.key", f"a key is a string or a list position, not {type_name(key.type)}", key.span)
    return False


def _position(key: ir.Expression, env: Environment) -> bool:
    if not may_be(key.type, Basic.NUMBER):
        env.report.add("type.key", f"a list position is a number, not {type_name(key.type)}", key.span)
        return False
    if isinstance(key, ir.Constant) and (not isinstance(key.value, int) or key.value < 0):
        env.report.add("type.position", "a list position is a whole number from 0 on", key.span)
        return False
    return True


def _string_key(key: ir.Expression, env: Environment) -> bool:
    if may_be(key.type, Basic.STRING):
        return True
    env.report.add("type.key", f"the key of a map is a string, not {type_name(key.type)}", key.span)
    return False


def _record_index(type_: Record, key: ir.Expression, node: tree.Path | tree.Lookup, env: Environment) -> Type | None:
    if isinstance(key, ir.Constant) and isinstance(key.value, str):
        field = type_.field(key.value)
        if field is not None:
            return field.type
        if type_.open:
            return Basic.JSON
        if isinstance(node, tree.Path):
            _no_member(type_, key.value, key.span, node, env)
        return None
    if type_.open and may_be(key.type, Basic.STRING):
        return Basic.JSON
    env.report.add("type.key", f"{type_name(type_)} is read by the name of a member", key.span, context=node.span)
    return None
