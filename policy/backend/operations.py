"""The operations of the language on values that are there: pure functions, each with its reason for no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address

from policy.backend.problems import differ, ill_typed, least, problem
from policy.ir import nodes as ir
from policy.types import comparison
from policy.types.numbers import normalise
from policy.types.patterns import glob_matches, identifier_is_wellformed, scope_is_wellformed, scope_matches
from policy.types.places import inside, path_is_plain
from policy.types.values import MISSING, Unevaluable

Answer = bool | Unevaluable

_TEXT_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "contains": str.__contains__,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
}


def boolean(node: ir.Expression, value: object) -> Answer:
    """A value as a condition: nothing but a boolean is one."""
    if isinstance(value, bool | Unevaluable):
        return value
    return ill_typed(node, value, "a boolean")


def negation(answer: Answer) -> Answer:
    """Kleene's `not`."""
    return answer if isinstance(answer, Unevaluable) else not answer


def fold(answers: Iterable[Answer], *, decisive: bool) -> Answer:
    """Kleene's `or` (decisive true) or `and` (decisive false), whatever the order of the answers."""
    reason: Unevaluable | None = None
    for answer in answers:
        if answer is decisive:
            return decisive
        if isinstance(answer, Unevaluable):
            reason = least((reason, answer))
    return not decisive if reason is None else reason


def quantified(node: ir.Quantified, values: list[object] | Unevaluable) -> Answer:
    """`any`, `every` or `no`, from the values of the body for the items of the list."""
    if isinstance(values, Unevaluable):
        return values
    if node.quantifier == "every" and not values:
        return problem(node.container, "is empty")
    answer = fold((boolean(node.body, value) for value in values), decisive=node.quantifier != "every")
    return negation(answer) if node.quantifier == "no" else answer


def member(value: object, key: object) -> object:
    """What an object has under a name or a list at a position (0 first); MISSING where it has nothing there."""
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key, MISSING)
    if isinstance(key, float | Decimal):
        key = normalise(key)
    if isinstance(value, list) and isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(value):
        return value[key]
    return MISSING


def compare(node: ir.Compare, left: object, right: object) -> Answer:
    """`left OPERATOR right`."""
    if node.operator in ("==", "!="):
        same = comparison.equal(left, right)
        answer = None if same is None else same is (node.operator == "==")
    else:
        answer = comparison.ordered(node.operator, left, right)
    return differ(node.left, left, node.right, right) if answer is None else answer


def text_test(node: ir.TextTest, text: str, item: object) -> Answer:
    """`text contains item` and its like, for one item."""
    if isinstance(item, Unevaluable):
        return item
    if isinstance(item, str):
        return _TEXT_TESTS[node.operator](text, item)
    if node.any_of:
        return problem(node.item, f"has {comparison.kind_of(item)} among its items, where only strings are compared")
    return ill_typed(node.item, item, "a string")


def path_inside(node: ir.Inside, path: object, root: object) -> Answer:
    """`path inside root`."""
    if not isinstance(path, str):
        return ill_typed(node.value, path, "a string")
    if not isinstance(root, str):
        return ill_typed(node.root, root, "a string")
    answer = inside(path, root)
    if answer is None:
        return problem(node.root if path_is_plain(path) else node.value, "is not an absolute path in plain form")
    return answer


def in_network(node: ir.InNetwork, address: object) -> Answer:
    """`address in network "…"`; an address of the other version is not in it."""
    if not isinstance(address, IPv4Address | IPv6Address):
        return ill_typed(node.value, address, "an ip address")
    return address.version == node.network.version and address in node.network


def matches(node: ir.Matches, value: object, capability_id: object) -> Answer:
    """`value matches PATTERN`: any of the patterns.

    A scope pattern is compared with the value. A capability glob is compared with `capability_id` where the value is
    the action's own scope, else (`capability_id` MISSING) with the value.
    """
    if not isinstance(value, str):
        return ill_typed(node.value, value, "a string")
    identifier = capability_id if isinstance(capability_id, str) else value
    answer = comparison.any_holds(_fits(pattern, value, identifier) for pattern in node.patterns)
    return problem(node.value, "is not a well-formed scope or capability id") if answer is None else answer


def _fits(pattern: ir.ActionPattern, scope: str, identifier: str) -> bool | None:
    if isinstance(pattern, ir.ScopePattern):
        return scope_matches(pattern.segments, scope) if scope_is_wellformed(scope) else None
    return glob_matches(pattern.glob, identifier) if identifier_is_wellformed(identifier) else None
