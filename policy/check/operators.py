"""The types of comparisons, membership tests, text tests and arithmetic on operands that are elaborated already."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Network, IPv6Network, NetmaskValueError

from policy.check.environment import Environment
from policy.check.kinds import is_ordered, is_text, may_be, may_equal, type_name
from policy.check.report import broken, is_broken, quoted
from policy.check.words import check_family
from policy.ir import nodes as ir
from policy.source.text import Span
from policy.syntax import tree
from policy.types.kinds import Basic, ListOf, MapOf, Record, Type
from policy.types.numbers import negate, parse_number
from policy.types.places import path_is_plain

_CONVERSIONS = {Basic.TIMESTAMP: "timestamp", Basic.DURATION: "duration", Basic.IP: "ip"}
_MAPPED = IPv6Network("::ffff:0:0/96")


def compare(node: tree.Compare, left: ir.Expression, right: ir.Expression, env: Environment) -> ir.Expression:
    """`a == b`, `a < b` and their like."""
    if is_broken(left) or is_broken(right):
        return broken(node.span)
    if node.operator in ("==", "!="):
        check_family(left, right, env)
        check_family(right, left, env)
        if not may_equal(left.type, right.type):
            _never_equal(left, right, node.span, env)
    else:
        _check_order(node.operator, left, right, node.span, env)
    return ir.Compare(span=node.span, type=Basic.BOOLEAN, operator=node.operator, left=left, right=right)


def _never_equal(left: ir.Expression, right: ir.Expression, span: Span, env: Environment) -> None:
    message = (
        f"{quoted(left.span.text)} is {type_name(left.type)} and {quoted(right.span.text)} is {type_name(right.type)}: "
        "they are never equal"
    )
    env.report.add("type.never_equal", message, span, help=_conversion(left, right) or _member_help(left, right))


def _conversion(left: ir.Expression, right: ir.Expression) -> str | None:
    """How a value of the request becomes one that can be compared."""
    for one, other in ((left, right), (right, left)):
        if not isinstance(other.type, Basic) or not (one.type is Basic.JSON or is_text(one.type)):
            continue
        function = _CONVERSIONS.get(other.type)
        if function is not None:
            return f"convert it: `{function}({' '.join(one.span.text.split())})`"
        is_number = isinstance(one, ir.Constant) and parse_number(str(one.value)) is not None
        if is_number and other.type is Basic.NUMBER:
            return "write the number without quotes"
    return None


def _member_help(left: ir.Expression, right: ir.Expression) -> str | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one.type, Record) and one.type.field("id") is not None and is_text(other.type):
            return f"compare its id: `{one.span.text}.id`"
        if isinstance(one.type, ListOf) and not isinstance(other.type, ListOf):
            return f"ask whether the list holds it: `{one.span.text} has …`"
    return None


def _check_order(operator: str, left: ir.Expression, right: ir.Expression, span: Span, env: Environment) -> None:
    for side in (left, right):
        if not is_ordered(side.type):
            other = right if side is left else left
            message = f"{quoted(side.span.text)} is {type_name(side.type)}, which has no order"
            env.report.add("type.not_ordered", message, side.span, help=_conversion(side, other), context=span)
            return
    if left.type == right.type or (may_be(left.type, Basic.NUMBER) and may_be(right.type, Basic.NUMBER)):
        return
    message = f"`{operator}` compares {type_name(left.type)} with {type_name(right.type)}"
    env.report.add("type.not_ordered", message, span, help=_conversion(left, right))


def within_list(node: tree.In, item: ir.Expression, container: ir.Expression, env: Environment) -> ir.Expression:
    """`a in [..]`, `a not in [..]`."""
    if is_broken(item) or is_broken(container):
        return broken(node.span)
    _check_container(container, "in", env)
    check_family(item, container, env)
    check_family(container, item, env)
    _check_items(item, container, node.span, env)
    return ir.In(span=node.span, type=Basic.BOOLEAN, item=item, container=container, negated=node.negated)


def has(node: tree.Has, container: ir.Expression, item: ir.Expression, env: Environment) -> ir.Expression:
    """`list has a`, `list has any of [..]`."""
    if is_broken(item) or is_broken(container):
        return broken(node.span)
    _check_container(container, "has", env)
    check_family(container, item, env)
    if node.any_of:
        if _check_choices(item, env) and isinstance(container.type, ListOf) and isinstance(item.type, ListOf):
            _check_each(item, container.type.item, node.span, env)
    else:
        _check_items(item, container, node.span, env)
    return ir.Has(span=node.span, type=Basic.BOOLEAN, container=container, item=item, any_of=node.any_of)


def _check_container(container: ir.Expression, operator: str, env: Environment) -> None:
    if is_broken(container) or isinstance(container.type, ListOf) or container.type is Basic.JSON:
        if isinstance(container, ir.ListValue) and not container.items:
            env.report.add("type.empty_list", "nothing is in an empty list", container.span)
        return
    help = None
    if is_text(container.type):
        help = "ask a text with `contains`, `starts with` or `ends with`"
    elif isinstance(container.type, MapOf | Record):
        help = "ask whether a member is there with `… exists`"
    message = f"`{operator}` asks a list, and {quoted(container.span.text)} is {type_name(container.type)}"
    env.report.add("type.not_a_list", message, container.span, help=help)


def _check_items(item: ir.Expression, container: ir.Expression, span: Span, env: Environment) -> None:
    if isinstance(container, ir.ListValue):
        _check_each(container, item.type, span, env)
    elif isinstance(container.type, ListOf) and not may_equal(item.type, container.type.item):
        message = (
            f"{quoted(container.span.text)} is {type_name(container.type)}, "
            f"and {quoted(item.span.text)} is {type_name(item.type)}: it never holds one"
        )
        env.report.add("type.never_equal", message, span)


def _check_each(items: ir.Expression, wanted: Type, span: Span, env: Environment) -> None:
    if not isinstance(items, ir.ListValue):
        if isinstance(items.type, ListOf) and not may_equal(items.type.item, wanted):
            message = f"{quoted(items.span.text)} is {type_name(items.type)}, and none of it equals {type_name(wanted)}"
            env.report.add("type.never_equal", message, span)
        return
    for item in items.items:
        if not is_broken(item) and not may_equal(item.type, wanted):
            message = f"{quoted(item.span.text)} is {type_name(item.type)}, never equal to {type_name(wanted)}"
            env.report.add("type.never_equal", message, item.span, context=span)


def _check_choices(item: ir.Expression, env: Environment) -> bool:
    if isinstance(item.type, ListOf) or may_be(item.type, Basic.JSON):
        if isinstance(item, ir.ListValue) and not item.items:
            env.report.add("type.empty_list", "`any of` an empty list is never met", item.span)
        return True
    message = f"`any of` is followed by a list, and {quoted(item.span.text)} is {type_name(item.type)}"
    env.report.add("type.not_a_list", message, item.span, help="write `[…]`")
    return False


def text_test(node: tree.TextTest, text: ir.Expression, item: ir.Expression, env: Environment) -> ir.Expression:
    """`text contains x`, `starts with`, `ends with`, each also `any of [..]`."""
    if is_broken(text) or is_broken(item):
        return broken(node.span)
    shown = node.operator.replace("_", " ")
    if not may_be(text.type, Basic.STRING):
        help = "ask a list with `has`" if isinstance(text.type, ListOf) else None
        message = f"`{shown}` asks a text, and {quoted(text.span.text)} is {type_name(text.type)}"
        env.report.add("type.not_a_text", message, text.span, help=help)
    parts = item.items if isinstance(item, ir.ListValue) and node.any_of else (item,)
    if node.any_of:
        _check_choices(item, env)
        if not isinstance(item, ir.ListValue):
            parts = ()
    for part in parts:
        if not is_broken(part) and not may_be(part.type, Basic.STRING):
            message = f"`{shown}` looks for a text, and {quoted(part.span.text)} is {type_name(part.type)}"
            help = "write `any of` before the list" if isinstance(part.type, ListOf) else None
            env.report.add("type.not_a_text", message, part.span, help=help)
        elif isinstance(part, ir.Constant) and part.value == "":
            env.report.add("type.empty_text", f"every text {_VERBS[node.operator]} the empty text", part.span)
    return ir.TextTest(
        span=node.span, type=Basic.BOOLEAN, operator=node.operator, text=text, item=item, any_of=node.any_of
    )


_VERBS = {"contains": "contains", "starts_with": "starts with", "ends_with": "ends with"}


def in_network(node: tree.InNetwork, value: ir.Expression, env: Environment) -> ir.Expression:
    """`ip in network "10.0.0.0/8"`."""
    network = _network(node.network, env)
    if not is_broken(value) and value.type is not Basic.IP:
        help = None
        if may_be(value.type, Basic.STRING):
            help = f"convert it: `ip({' '.join(value.span.text.split())})`"
        message = f"`in network` asks an ip address, and {quoted(value.span.text)} is {type_name(value.type)}"
        env.report.add("type.not_an_address", message, value.span, help=help)
    if network is None or is_broken(value):
        return broken(node.span)
    return ir.InNetwork(span=node.span, type=Basic.BOOLEAN, value=value, network=network)


def _network(written: tree.Text, env: Environment) -> IPv4Network | IPv6Network | None:
    text = written.value
    address, slash, length = text.partition("/")
    kind = IPv6Network if ":" in address else IPv4Network
    problem = "write an address and a prefix length, such as `10.0.0.0/8`"
    if slash and "%" not in address and length.isascii() and length.isdigit() and (length == "0" or length[0] != "0"):
        try:
            network = kind(text, strict=False)
        except (AddressValueError, NetmaskValueError):
            pass
        else:
            if str(network.network_address) == str(kind(f"{address}/{network.max_prefixlen}").network_address):
                if isinstance(network, IPv4Network) or not network.subnet_of(_MAPPED):
                    return network
                problem = "write the IPv4 network itself"
            else:
                problem = f"the address has bits behind the prefix: `{network}`"
    env.report.add("type.network", f"{quoted(written.span.text)} is no network", written.span, help=problem)
    return None


def inside(node: tree.Inside, value: ir.Expression, root: ir.Expression, env: Environment) -> ir.Expression:
    """`path inside "/srv/data"`."""
    for side in (value, root):
        if not is_broken(side) and not may_be(side.type, Basic.STRING):
            message = f"`inside` compares paths, and {quoted(side.span.text)} is {type_name(side.type)}"
            env.report.add("type.not_a_text", message, side.span)
        elif isinstance(side, ir.Constant) and isinstance(side.value, str) and not path_is_plain(side.value):
            env.report.add(
                "type.path_not_plain",
                f"{quoted(side.span.text)} is no absolute path in plain form",
                side.span,
                help="begin with `/`; no `..`, `.`, `//`, `\\`, `%` or slash at the end",
            )
    if is_broken(value) or is_broken(root):
        return broken(node.span)
    return ir.Inside(span=node.span, type=Basic.BOOLEAN, value=value, root=root)


def arithmetic(node: tree.Arithmetic, left: ir.Expression, right: ir.Expression, env: Environment) -> ir.Expression:
    """`a + b`, `a - b`, `a * b` on numbers; timestamp ± duration; timestamp − timestamp."""
    if is_broken(left) or is_broken(right):
        return broken(node.span)
    result = _arithmetic_type(node.operator, left.type, right.type)
    if result is None:
        help = _conversion_for_sum(left, right)
        message = f"`{node.operator}` does not join {type_name(left.type)} and {type_name(right.type)}"
        env.report.add("type.arithmetic", message, node.span, help=help)
        return broken(node.span)
    return ir.Arithmetic(span=node.span, type=result, operator=node.operator, left=left, right=right)


def _arithmetic_type(operator: str, left: Type, right: Type) -> Type | None:
    if may_be(left, Basic.NUMBER) and may_be(right, Basic.NUMBER):
        return Basic.NUMBER
    match operator, left, right:
        case (("+" | "-"), Basic.TIMESTAMP, Basic.DURATION):
            return Basic.TIMESTAMP
        case "+", Basic.DURATION, Basic.TIMESTAMP:
            return Basic.TIMESTAMP
        case "-", Basic.TIMESTAMP, Basic.TIMESTAMP:
            return Basic.DURATION
    return None


def _conversion_for_sum(left: ir.Expression, right: ir.Expression) -> str | None:
    if Basic.JSON in (left.type, right.type):
        return _conversion(left, right)
    return None


def negative(node: tree.Negative, operand: ir.Expression, env: Environment) -> ir.Expression:
    """`-x`; a negative literal is a constant."""
    if is_broken(operand):
        return broken(node.span)
    if not may_be(operand.type, Basic.NUMBER):
        message = f"only a number has a negative, and {quoted(operand.span.text)} is {type_name(operand.type)}"
        env.report.add("type.arithmetic", message, node.span)
        return broken(node.span)
    if isinstance(operand, ir.Constant) and isinstance(operand.value, int | float):
        return ir.Constant(span=node.span, type=Basic.NUMBER, value=negate(operand.value))
    return ir.Negative(span=node.span, type=Basic.NUMBER, operand=operand)
