"""Maximum flow from slots to people, on the small networks that an approval makes.

Source → group (its demand) → option (how often it serves) → class of people that match the same leaves (how many
they are) → sink. Augmenting paths are searched breadth first, as Edmonds and Karp do, with one shortcut: a class
with somebody left ends the search at once. Sets of classes and of options are bit masks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import field

from policy.ir.alternatives import Alternative
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Supply:
    """People by the leaves they match, reduced to those that can matter."""

    counts: tuple[int, ...]
    """How many people each class has."""
    reach: Mapping[int, int]
    """Leaf (a mask of one bit) to the classes that match it (a bit mask)."""


@dataclass(frozen=True, slots=True)
class Flow:
    """The result for one alternative."""

    short: int
    """Slots without flow."""
    wanted: int
    """The leaves (a bit mask) of which one more person would fill a slot; 0 where nothing is short."""


@dataclass(slots=True)
class _Option:
    group: int
    leaves: int
    capacity: int
    reach: int
    used: int = 0
    taken: dict[int, int] = field(default_factory=dict)
    """Class to how many of it this option has taken."""


@dataclass(frozen=True, slots=True)
class _Step:
    """How the search came to an option: the option `by` wants somebody of class `people`, whom `holder` gives up.

    The holder is the option itself, which then looks for another, or one of its group, whose slot it takes over.
    """

    by: int
    people: int
    holder: int


def supply_of(classes: Mapping[int, int], demand: int) -> Supply:
    """The supply for networks of at most `demand` slots; `classes` says how many people match exactly which leaves.

    A leaf needs no more than `demand` people: where it has so many, one of them is always left when somebody else
    is taken away, so whoever matches only such leaves changes no flow and is left out.
    """
    counts: list[int] = []
    reach: dict[int, int] = {}
    people: dict[int, int] = {}
    enough = 0
    for mask, count in classes.items():
        rest = mask & ~enough
        if not rest:
            continue
        for bit in _bits(rest):
            leaf = 1 << bit
            reach[leaf] = reach.get(leaf, 0) | 1 << len(counts)
            people[leaf] = people.get(leaf, 0) + count
            if people[leaf] >= demand:
                enough |= leaf
        counts.append(count)
    return Supply(tuple(counts), reach)


def maximum_flow(alternative: Alternative, supply: Supply) -> Flow:
    """How far people fill the groups of an alternative."""
    network = _Network(alternative, supply)
    short = 0
    wanted = 0
    for number, group in enumerate(alternative):
        for filled in range(group.demand):
            leaves = network.augment(number)
            if leaves is not None:
                # A group that finds no path finds none later either: what it reached is closed and stays so.
                short += group.demand - filled
                wanted |= leaves
                break
    return Flow(short, wanted)


class _Network:
    """One computation; nobody else sees it."""

    __slots__ = ("_holders", "_left", "_of_group", "_open", "_options")

    def __init__(self, alternative: Alternative, supply: Supply) -> None:
        self._left = list(supply.counts)
        self._open = (1 << len(self._left)) - 1
        # Which options have taken somebody of a class.
        self._holders = [0] * len(self._left)
        self._options: list[_Option] = []
        self._of_group: list[range] = []
        for number, group in enumerate(alternative):
            first = len(self._options)
            for leaves, capacity in group.options:
                reach = 0
                for bit in _bits(leaves):
                    reach |= supply.reach.get(1 << bit, 0)
                self._options.append(_Option(number, leaves, capacity, reach))
            self._of_group.append(range(first, len(self._options)))

    def augment(self, group: int) -> int | None:
        """Fill one more slot of a group: None where that is done, else the leaves that the search came by."""
        steps: dict[int, _Step | None] = {}
        queue: deque[int] = deque()
        self._enter(group, None, steps, queue)
        groups_seen = {group}
        options_seen = classes_seen = leaves_seen = 0
        while queue:
            number = queue.popleft()
            option = self._options[number]
            leaves_seen |= option.leaves
            free = option.reach & self._open
            if free:
                self._take(number, (free & -free).bit_length() - 1, steps)
                return None
            fresh = option.reach & ~classes_seen
            classes_seen |= fresh
            for people in _bits(fresh):
                for holder in _bits(self._holders[people] & ~options_seen):
                    options_seen |= 1 << holder
                    step = _Step(number, people, holder)
                    if holder not in steps:
                        steps[holder] = step
                        queue.append(holder)
                    owner = self._options[holder].group
                    if owner not in groups_seen:
                        groups_seen.add(owner)
                        self._enter(owner, step, steps, queue)
        return leaves_seen

    def _enter(self, group: int, step: _Step | None, steps: dict[int, _Step | None], queue: deque[int]) -> None:
        for number in self._of_group[group]:
            option = self._options[number]
            if number not in steps and option.used < option.capacity:
                steps[number] = step
                queue.append(number)

    def _take(self, number: int, people: int, steps: Mapping[int, _Step | None]) -> None:
        """Give an option somebody of a class, and undo along the path what stood in the way."""
        self._left[people] -= 1
        if not self._left[people]:
            self._open &= ~(1 << people)
        while True:
            option = self._options[number]
            option.taken[people] = option.taken.get(people, 0) + 1
            self._holders[people] |= 1 << number
            step = steps[number]
            if step is None:
                option.used += 1
                return
            holder = self._options[step.holder]
            holder.taken[step.people] -= 1
            if not holder.taken[step.people]:
                self._holders[step.people] &= ~(1 << step.holder)
            if step.holder != number:
                option.used += 1
                holder.used -= 1
            number, people = step.by, step.people


def _bits(mask: int) -> list[int]:
    """The positions of the bits that are set, lowest first."""
    bits = []
    while mask:
        low = mask & -mask
        bits.append(low.bit_length() - 1)
        mask ^= low
    return bits
