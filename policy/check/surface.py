"""Walks over the surface tree without recursion: what stands below an expression, how deep it is, what it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from policy.syntax import tree


def below(node: tree.Expression) -> tuple[tree.Expression, ...]:
    """The expressions directly below one, in the order of the text."""
    match node:
        case tree.Path():
            return tuple(step.key for step in node.steps if isinstance(step, tree.Index))
        case tree.Text() | tree.Number() | tree.Boolean() | tree.Duration() | tree.TimeOfDay():
            return ()
        case tree.ListLiteral():
            return node.items
        case tree.MapLiteral():
            return tuple(entry.value for entry in node.entries)
        case tree.Lookup():
            return (node.value, node.key)
        case tree.Not() | tree.Negative():
            return (node.operand,)
        case tree.And() | tree.Or():
            return node.operands
        case tree.Compare() | tree.Arithmetic():
            return (node.left, node.right)
        case tree.In() | tree.Has():
            return (node.item, node.container)
        case tree.TextTest():
            return (node.text, node.item)
        case tree.Matches() | tree.InNetwork() | tree.Exists() | tree.Within():
            return (node.value,)
        case tree.Inside():
            return (node.value, node.root)
        case tree.Quantified():
            return (node.container, node.body)
        case tree.Total():
            return (node.value, node.container)
        case tree.Call():
            return node.arguments
        case _:
            assert_never(node)


def walk(expression: tree.Expression) -> Iterator[tree.Expression]:
    """Every expression at and below one, parents first."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(below(node)))


def too_deep(expression: tree.Expression, limit: int) -> tree.Expression | None:
    """The first part that lies deeper than `limit` levels, or None."""
    stack = [(expression, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > limit:
            return node
        stack.extend((child, depth + 1) for child in reversed(below(node)))
    return None


def heads(expression: tree.Expression) -> Iterator[tree.Word]:
    """The first word of every path."""
    return (node.head for node in walk(expression) if isinstance(node, tree.Path))
