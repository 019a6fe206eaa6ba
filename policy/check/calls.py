"""Function calls, zones and windows: what is literal is checked when the policy is loaded."""

from __future__ import annotations

from collections.abc import Sequence

from policy.check.environment import Environment
from policy.check.kinds import may_be, type_name
from policy.check.report import broken, is_broken, quoted
from policy.ir import nodes as ir
from policy.source.text import Span
from policy.syntax import tree
from policy.types.functions import FUNCTIONS, Function
from policy.types.kinds import Basic, ListOf, Type
from policy.types.zones import WEEKDAYS, ZONE_NAMES, zone_exists

_CONVERTERS = frozenset({"timestamp", "ip", "duration"})
_STRICT = frozenset({"host", "mail_domain"})
"""Functions of a text that may be literal; a literal without a reading is a mistake."""


def call(node: tree.Call, arguments: Sequence[ir.Expression], env: Environment) -> ir.Expression:
    """The meaning of a call whose arguments are elaborated already."""
    function = FUNCTIONS.get(node.function.name)
    if function is None:
        name = node.function.name
        help = env.report.suggest(name, FUNCTIONS)
        env.report.add("name.unknown_function", f"`{name}` is no function", node.function.span, help=help)
        return broken(node.span)
    if len(arguments) != len(function.parameters):
        _wrong_count(node, function, env)
        return broken(node.span)
    if any(is_broken(argument) for argument in arguments):
        return broken(node.span)
    for position, argument in enumerate(arguments):
        good = _zone(argument, env) if position == function.zone else _argument(function, position, argument, env)
        if not good:
            return broken(node.span)
    return _literal(node, function, arguments, env)


def _wrong_count(node: tree.Call, function: Function, env: Environment) -> None:
    wanted = len(function.parameters)
    values = "one value" if wanted == 1 else f"{wanted} values"
    message = f"`{function.name}` takes {values}, and {len(node.arguments)} stand here"
    help = f'write `{function.name}(now, "Europe/Berlin")`' if function.zone is not None else None
    env.report.add("type.argument_count", message, node.span, help=help)


def _argument(function: Function, position: int, argument: ir.Expression, env: Environment) -> bool:
    wanted = function.parameters[position]
    if isinstance(wanted, ListOf):
        good = isinstance(argument.type, ListOf) or argument.type is Basic.JSON
    else:
        good = may_be(argument.type, wanted)
    if good:
        return True
    message = (
        f"`{function.name}` takes {type_name(wanted)}, and {quoted(argument.span.text)} is {type_name(argument.type)}"
    )
    env.report.add("type.argument", message, argument.span, help=_argument_help(function, wanted, argument))
    return False


def _argument_help(function: Function, wanted: Type, argument: ir.Expression) -> str | None:
    shown = " ".join(argument.span.text.split())
    if wanted is Basic.TIMESTAMP and may_be(argument.type, Basic.STRING):
        return f"convert it: `timestamp({shown})`"
    if function.name == "count" and may_be(argument.type, Basic.STRING):
        return f"`length({shown})` counts the characters of a text"
    if function.name == "length" and isinstance(argument.type, ListOf):
        return f"`count({shown})` counts the items of a list"
    if function.name in _CONVERTERS and argument.type == function.result:
        return f"it is {type_name(argument.type)} already: drop `{function.name}(…)`"
    return None


def _zone(argument: ir.Expression, env: Environment) -> bool:
    if isinstance(argument, ir.Constant) and isinstance(argument.value, str):
        return check_zone(argument.value, argument.span, env)
    env.report.add("type.zone_not_literal", 'a time zone is written out, such as `"Europe/Berlin"`', argument.span)
    return False


def check_zone(name: str, span: Span, env: Environment) -> bool:
    """Whether the tz database knows the zone; reports it where it does not."""
    if zone_exists(name):
        return True
    help = env.report.suggest(name, ZONE_NAMES)
    message = f"{quoted(name)} is no time zone of the tz database"
    env.report.add("type.unknown_zone", message, span, help=help)
    return False


def _literal(
    node: tree.Call, function: Function, arguments: Sequence[ir.Expression], env: Environment
) -> ir.Expression:
    """A call on a literal text is checked now; a conversion of one is the constant it gives."""
    first = arguments[0]
    if isinstance(first, ir.Constant) and isinstance(first.value, str) and function.name in _CONVERTERS | _STRICT:
        value = function.implementation(first.value)
        if value is None:
            message = f"{quoted(first.span.text)} {function.problem.replace('`', '')}"
            env.report.add("type.literal", message, first.span)
            return broken(node.span)
        if function.name in _CONVERTERS:
            return ir.Constant(span=node.span, type=function.result, value=value)
    return ir.Call(span=node.span, type=function.result, function=function.name, arguments=tuple(arguments))


def within(node: tree.Within, value: ir.Expression, env: Environment) -> ir.Expression:
    """`ts within mon..fri 08:00..18:00 in "Zone"`."""
    if not is_broken(value) and value.type is not Basic.TIMESTAMP:
        shown = " ".join(value.span.text.split())
        help = f"convert it: `timestamp({shown})`" if may_be(value.type, Basic.STRING) else None
        message = f"`within` asks a timestamp, and {quoted(value.span.text)} is {type_name(value.type)}"
        env.report.add("type.argument", message, value.span, help=help)
        value = broken(value.span)
    days = _days(node, env)
    known = check_zone(node.zone.value, node.zone.span, env)
    if node.start.minutes == node.end.minutes:
        message = "the window closes when it opens, so nothing is within it"
        env.report.add("type.empty_window", message, node.start.span.to(node.end.span))
    if is_broken(value) or days is None or not known:
        return broken(node.span)
    return ir.Within(
        span=node.span,
        type=Basic.BOOLEAN,
        value=value,
        days=days,
        start=node.start.minutes,
        end=node.end.minutes,
        zone=node.zone.value,
    )


def _days(node: tree.Within, env: Environment) -> frozenset[int] | None:
    if node.first_day is None:
        return frozenset(range(7))
    first = _day(node.first_day, env)
    last = first if node.last_day is None else _day(node.last_day, env)
    if first is None or last is None:
        return None
    return frozenset((first + offset) % 7 for offset in range((last - first) % 7 + 1))


def _day(word: tree.Word, env: Environment) -> int | None:
    if word.name in WEEKDAYS:
        return WEEKDAYS.index(word.name)
    help = env.report.suggest(word.name, WEEKDAYS)
    message = f"`{word.name}` is no day: use `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`"
    env.report.add("name.unknown_word", message, word.span, help=help)
    return None
