"""The trace of an evaluation: every expression, its value and why, as an immutable tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from policy.backend.problems import name_of
from policy.ir import nodes as ir
from policy.source.records import dataclass

TRACED_ITEMS = 20
"""How many items of a quantifier or total are traced; one that decides the answer is traced wherever it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceNode:
    """One expression with its value.

    `value` is a runtime value or an Unevaluable, which says why. `children` are the parts that were evaluated, in
    order; `repeated` says that they are shown where the same definition was used first. The node of one item of a
    list has the text `line[3]`, the `item` itself and the body as its child; `omitted` items are not traced.
    """

    text: str
    location: str
    value: object
    children: tuple[TraceNode, ...] = ()
    item: object = None
    repeated: bool = False
    omitted: int = 0

    def walk(self) -> Iterator[tuple[int, TraceNode]]:
        """Every node with its depth, parents first, without recursion."""
        stack = [(0, self)]
        while stack:
            depth, node = stack.pop()
            yield depth, node
            stack.extend((depth + 1, child) for child in reversed(node.children))


@dataclass(slots=True)
class _Frame:
    nodes: list[TraceNode] = field(default_factory=list)
    omitted: int = 0


class Trace:
    """Collects the trees of the evaluations that it is handed to; belongs to one caller, never shared."""

    __slots__ = ("_expanded", "_frames", "_kept")

    def __init__(self) -> None:
        self._frames = [_Frame()]
        self._kept: dict[int, _Frame] = {}
        self._expanded: set[int] = set()

    @property
    def nodes(self) -> tuple[TraceNode, ...]:
        """One tree for each finished evaluation, in their order."""
        return tuple(self._frames[0].nodes)

    def enter(self) -> None:
        """Begin an expression or an item."""
        self._frames.append(_Frame())

    def leave(self, node: ir.Expression, value: object) -> None:
        """End an expression."""
        frame = self._frames.pop()
        repeated = isinstance(node, ir.Shared) and id(node.value) in self._expanded
        if isinstance(node, ir.Shared):
            self._expanded.add(id(node.value))
        self._frames[-1].nodes.append(
            TraceNode(
                text=name_of(node),
                location=node.span.location,
                value=value,
                children=() if repeated else tuple(frame.nodes),
                repeated=repeated,
                omitted=frame.omitted,
            )
        )
        if len(self._frames) == 1:
            self._expanded.clear()

    def leave_item(self, variable: str, position: int, item: object, *, decides: bool) -> None:
        """End one item of a list."""
        (body,) = self._frames.pop().nodes
        if position < TRACED_ITEMS or decides:
            node = replace(body, text=f"{variable}[{position}]", children=(body,), item=item, repeated=False, omitted=0)
            self._frames[-1].nodes.append(node)
        else:
            self._frames[-1].omitted += 1

    def keep(self, definition: ir.Expression) -> None:
        """Put the tree of a definition aside until a use of it shows it."""
        self._kept[id(definition)] = self._frames.pop()

    def show(self, definition: ir.Expression) -> None:
        """Put the tree of a definition below the expression that was entered last."""
        self._frames[-1].nodes.extend(self._kept[id(definition)].nodes)
