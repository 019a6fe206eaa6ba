"""The need of an approval as networks: which slots it has, and the ways to choose among its composite children.

A choice among leaves stays inside a network, where a matching makes it. A choice among composite children cannot: a
child that is chosen must be filled whole, which no network of flows can say. So each such choice is an alternative
of its own. `any 2 of { A B { … } }` has few; their number is bounded when a policy or contract is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, islice, product
from typing import assert_never

from policy.ir import nodes as ir
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """`demand` slots, each filled from one of the options; an option is a set of leaves and how often it serves.

    A set of leaves is a bit mask: bit i is the i-th leaf of the need, in the order of the text.
    """

    demand: int
    options: tuple[tuple[int, int], ...]


Alternative = tuple[Group, ...]
"""Groups that must all be filled, by different people."""


@dataclass(frozen=True, slots=True)
class Quorum:
    """A need, ready to be matched: `count` of the `branches` must hold, each by any one of its alternatives.

    There is one branch, except where the root allows the same person: then the branches are judged independently.
    """

    leaves: tuple[ir.Leaf, ...]
    branches: tuple[tuple[Alternative, ...], ...]
    count: int


def leaves_of(need: ir.Need) -> tuple[ir.Leaf, ...]:
    """The leaves of a need, in the order of the text."""
    match need:
        case ir.Leaf():
            return (need,)
        case ir.Pool():
            return need.leaves
        case ir.Slots():
            return tuple(leaf for child in need.children for leaf in leaves_of(child))
        case _:
            assert_never(need)


def quorum_of(need: ir.Need, bound: int) -> Quorum | None:
    """The need as a quorum, or None where it, or a branch that is judged independently, has more than `bound`
    alternatives."""
    leaves = leaves_of(need)
    if isinstance(need, ir.Slots) and need.same_person:
        branches = []
        position = 0
        for child in need.children:
            branches.append(_bounded(child, position, bound))
            position += len(leaves_of(child))
        count = need.count
    else:
        branches = [_bounded(need, 0, bound)]
        count = 1
    if any(len(branch) > bound for branch in branches):
        return None
    return Quorum(leaves, tuple(branches), count)


def _bounded(need: ir.Need, position: int, bound: int) -> tuple[Alternative, ...]:
    """At most `bound` + 1 alternatives; `position` is the number of the need's first leaf."""
    return tuple(islice(_alternatives(need, position, bound), bound + 1))


def _alternatives(need: ir.Need, position: int, bound: int) -> Iterator[Alternative]:
    single = _single(need, position)
    if single is not None:
        yield (Group(1, ((single, 1),)),)
    elif isinstance(need, ir.Pool):
        yield (Group(need.count, ((_mask(position, len(need.leaves)), need.count),)),)
    elif isinstance(need, ir.Slots):
        yield from _choices(need, position, bound)


def _choices(need: ir.Slots, position: int, bound: int) -> Iterator[Alternative]:
    singles: list[tuple[int, int]] = []
    composites: list[tuple[Alternative, ...]] = []
    for child in need.children:
        mask = _single(child, position)
        if mask is None:
            composites.append(_bounded(child, position, bound))
        else:
            singles.append((mask, 1))
        position += len(leaves_of(child))
    for chosen in range(max(0, need.count - len(singles)), min(need.count, len(composites)) + 1):
        rest = need.count - chosen
        own: Alternative = (Group(rest, tuple(singles)),) if rest else ()
        for picked in combinations(composites, chosen):
            yield from _joined(own, picked)


def _joined(groups: Alternative, picked: tuple[tuple[Alternative, ...], ...]) -> Iterator[Alternative]:
    """The groups with one alternative of every picked child."""
    for chosen in product(*picked):
        yield (*groups, *chain.from_iterable(chosen))


def _single(need: ir.Need, position: int) -> int | None:
    """The leaves of which any one fills the need by itself, or None where it takes more than one approval."""
    match need:
        case ir.Leaf():
            return 1 << position
        case ir.Pool():
            return _mask(position, len(need.leaves)) if need.count == 1 else None
        case ir.Slots():
            if need.count != 1:
                return None
            mask = 0
            for child in need.children:
                single = _single(child, position)
                if single is None:
                    return None
                mask |= single
                position += len(leaves_of(child))
            return mask
        case _:
            assert_never(need)


def _mask(position: int, length: int) -> int:
    return ((1 << length) - 1) << position
