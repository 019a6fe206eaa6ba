"""Walking over expressions with the sign under which a condition reads its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from policy.ir import nodes as ir
from policy.ir.reads import children
from policy.source.records import dataclass


class Special(Enum):
    """A step of a path that is no constant."""

    ITEM = "item"
    """Any item of a list: what a quantifier variable stands for."""
    KEY = "key"
    """A key or position that only the request knows."""


@dataclass(frozen=True, slots=True)
class Path:
    """Where a read looks, with quantifier variables replaced by the lists they run over."""

    root: str
    steps: tuple[str | int | Special, ...]
    through_lists: bool = False
    """Whether a name behind a list means that member of every item, as in a `redact`."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A boolean part of a condition."""

    expression: ir.Expression
    positive: bool
    """False where the condition reads its negation; both signs of a part may come up."""


def atoms(expression: ir.Expression, *, positive: bool = True) -> Iterator[Signed]:
    """The tests that a condition joins by `and`, `or`, `not`, defines and quantifiers, with their signs."""
    seen: set[tuple[int, bool]] = set()
    stack = [Signed(expression, positive)]
    while stack:
        here = stack.pop()
        match here.expression:
            case ir.Not():
                stack.append(Signed(here.expression.operand, not here.positive))
            case ir.And() | ir.Or():
                stack.extend(Signed(operand, here.positive) for operand in reversed(here.expression.operands))
            case ir.Shared():
                key = (id(here.expression.value), here.positive)
                if key not in seen:
                    seen.add(key)
                    stack.append(Signed(here.expression.value, here.positive))
            case ir.Quantified():
                yield here
                sign = here.positive if here.expression.quantifier != "no" else not here.positive
                stack.append(Signed(here.expression.body, sign))
            case _:
                yield here


def unshared(expression: ir.Expression) -> ir.Expression:
    """The expression behind any uses of defines."""
    while isinstance(expression, ir.Shared):
        expression = expression.value
    return expression


def paths(expression: ir.Expression) -> dict[int, tuple[ir.Read, Path]]:
    """The path of every read in an expression, by the read's identity; reads of computed values are left out."""
    found: dict[int, tuple[ir.Read, Path]] = {}
    seen: set[int] = set()
    stack: list[tuple[ir.Expression, Mapping[str, Path | None]]] = [(expression, {})]
    while stack:
        here, variables = stack.pop()
        if isinstance(here, ir.Shared):
            if id(here.value) not in seen:
                seen.add(id(here.value))
                stack.append((here.value, {}))
            continue
        if isinstance(here, ir.Read):
            path = _path(here, variables)
            if path is not None:
                found[id(here)] = (here, path)
        if isinstance(here, ir.Quantified | ir.Total):
            stack.append((here.container, variables))
            inner = {**variables, here.variable: _item(here.container, variables)}
            stack.append((here.body if isinstance(here, ir.Quantified) else here.value, inner))
            continue
        stack.extend((child, variables) for child in reversed(children(here)))
    return found


def _path(read: ir.Read, variables: Mapping[str, Path | None]) -> Path | None:
    steps = tuple(step if isinstance(step, str | int) else _key(step) for step in read.steps)
    if not read.variable:
        return Path(read.root, steps)
    start = variables.get(read.root)
    return None if start is None else Path(start.root, start.steps + steps)


def _key(step: ir.Expression) -> str | int | Special:
    value = step.value if isinstance(step, ir.Constant) else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return Special.KEY
    return value


def _item(container: ir.Expression, variables: Mapping[str, Path | None]) -> Path | None:
    container = unshared(container)
    if not isinstance(container, ir.Read):
        return None
    path = _path(container, variables)
    return None if path is None else Path(path.root, (*path.steps, Special.ITEM))
