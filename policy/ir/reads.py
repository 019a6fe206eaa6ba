"""What an expression reads: walks without recursion, each shared definition once."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import assert_never

from policy.ir import nodes as ir


def children(node: ir.Expression) -> tuple[ir.Expression, ...]:
    """The expressions directly below one, in the order of the text; of a `Shared` its definition."""
    match node:
        case ir.Constant():
            return ()
        case ir.Read():
            return tuple(step for step in node.steps if not isinstance(step, str | int))
        case ir.Shared():
            return (node.value,)
        case ir.ListValue():
            return node.items
        case ir.MapValue():
            return tuple(value for _, value in node.entries)
        case ir.Lookup():
            return (node.value, node.key)
        case ir.Not() | ir.Negative():
            return (node.operand,)
        case ir.And() | ir.Or():
            return node.operands
        case ir.Compare() | ir.Arithmetic():
            return (node.left, node.right)
        case ir.In():
            return (node.item, node.container)
        case ir.Has():
            return (node.container, node.item)
        case ir.TextTest():
            return (node.text, node.item)
        case ir.Matches() | ir.InNetwork() | ir.Exists() | ir.Within():
            return (node.value,)
        case ir.Inside():
            return (node.value, node.root)
        case ir.Quantified():
            return (node.container, node.body)
        case ir.Total():
            return (node.value, node.container)
        case ir.Call():
            return node.arguments
        case _:
            assert_never(node)


def walk(expression: ir.Expression) -> Iterator[ir.Expression]:
    """Every expression at and below one, parents first; a shared definition once, however often it is used."""
    entered: set[int] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ir.Shared):
            if id(node.value) in entered:
                continue
            entered.add(id(node.value))
        stack.extend(reversed(children(node)))


def reads(expression: ir.Expression) -> tuple[ir.Read, ...]:
    """Every path read, of built-in names and of variables, through definitions."""
    return tuple(node for node in walk(expression) if isinstance(node, ir.Read))


def roots(expression: ir.Expression) -> frozenset[str]:
    """The built-in names read, through definitions.

    `capability` is among them where a capability glob is matched against `scope`: it is compared with the id.
    """
    found = {read.root for read in reads(expression) if not read.variable}
    if any(isinstance(node, ir.Matches) and reads_capability_id(node) for node in walk(expression)):
        found.add("capability")
    return frozenset(found)


def reads_capability_id(node: ir.Matches) -> bool:
    """Whether a `matches` compares the action's capability id: a glob is matched against the built-in `scope`."""
    value = node.value
    while isinstance(value, ir.Shared):
        value = value.value
    is_scope = isinstance(value, ir.Read) and not value.variable and value.root == "scope" and not value.steps
    return is_scope and any(isinstance(pattern, ir.CapabilityGlob) for pattern in node.patterns)


def definitions(shared: ir.Shared, known: Container[int] = frozenset()) -> tuple[ir.Shared, ...]:
    """The definitions that one rests on and itself, each once, each behind those it uses.

    Left out is what `known` holds the identity of, and what only that uses.

    Chains of definitions may be far longer than a policy text may nest, so they are evaluated in this order.
    """
    ordered: list[ir.Shared] = []
    entered: set[int] = set()
    stack: list[tuple[ir.Shared, bool]] = [(shared, False)]
    while stack:
        node, done = stack.pop()
        if done:
            ordered.append(node)
        elif id(node.value) not in entered and id(node.value) not in known:
            entered.add(id(node.value))
            stack.append((node, True))
            stack.extend((used, False) for used in _used(node.value))
    return tuple(ordered)


def _used(expression: ir.Expression) -> Iterator[ir.Shared]:
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Shared):
            yield node
        else:
            stack.extend(children(node))
