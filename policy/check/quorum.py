"""Whether an approval can be satisfied at all: its alternatives are few, and its named people suffice."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from policy.check.kinds import is_text
from policy.ir import nodes as ir
from policy.ir.alternatives import Alternative, Quorum, leaves_of
from policy.types.kinds import Record

_Node = tuple[str, int] | str
"""A node of the network: a group or option with its number, a person by name, `source` or `sink`."""


def named_people(leaves: Sequence[ir.Leaf]) -> frozenset[str] | None:
    """The people that some leaves name, or None where one of them leaves open who they are."""
    people = [_person(leaf) for leaf in leaves]
    known = frozenset(person for person in people if person is not None)
    return None if None in people else known


def _person(leaf: ir.Leaf) -> str | None:
    """The one person that a leaf can be, by id or by path; None where it can be many."""
    value = leaf.value
    while isinstance(value, ir.Shared):
        value = value.value
    if leaf.kind != "principal" or value is None:
        return None
    if isinstance(value, ir.Constant):
        return f"id {value.value}"
    if isinstance(value, ir.Read) and (isinstance(value.type, Record) or is_text(value.type)):
        return f"path {value.text}"
    return None


def satisfiable(quorum: Quorum) -> bool:
    """Whether as many branches as are needed have an alternative that different people can meet."""
    people = [_person(leaf) for leaf in quorum.leaves]
    met = sum(any(_met(alternative, people) for alternative in branch) for branch in quorum.branches)
    return met >= quorum.count


def most_people(need: ir.Need) -> int | None:
    """How many different people can approve at all, or None where anybody may be among them."""
    named = named_people(leaves_of(need))
    return None if named is None else len(named)


def _met(alternative: Alternative, people: Sequence[str | None]) -> bool:
    """Whether different people can fill every slot: those that a leaf leaves open are always found.

    A maximum flow from the groups through their options to the named people, grown one unit at a time.
    """
    capacity: dict[_Node, dict[_Node, int]] = {"source": {}, "sink": {}}
    wanted = 0
    option_number = 0
    for number, group in enumerate(alternative):
        rest = group.demand
        options: list[tuple[frozenset[str], int]] = []
        for mask, times in group.options:
            leaves = [person for position, person in enumerate(people) if mask >> position & 1]
            if None in leaves:
                rest -= times
            else:
                options.append((frozenset(person for person in leaves if person is not None), times))
        if rest <= 0:
            continue
        wanted += rest
        _connect(capacity, "source", ("group", number), rest)
        for named, times in options:
            option: _Node = ("option", option_number)
            option_number += 1
            _connect(capacity, ("group", number), option, times)
            for person in sorted(named):
                _connect(capacity, option, f"person {person}", 1)
                _connect(capacity, f"person {person}", "sink", 1)
    return all(_augment(capacity) for _ in range(wanted))


def _connect(capacity: dict[_Node, dict[_Node, int]], start: _Node, end: _Node, amount: int) -> None:
    capacity.setdefault(start, {})[end] = amount
    capacity.setdefault(end, {}).setdefault(start, 0)


def _augment(capacity: dict[_Node, dict[_Node, int]]) -> bool:
    """One more unit from source to sink, by a shortest path; false where there is none."""
    before: dict[_Node, _Node] = {}
    queue: deque[_Node] = deque(["source"])
    while queue:
        at = queue.popleft()
        for following, left in capacity[at].items():
            if left and following not in before and following != "source":
                before[following] = at
                queue.append(following)
    if "sink" not in before:
        return False
    end: _Node = "sink"
    while end != "source":
        start = before[end]
        capacity[start][end] -= 1
        capacity[end][start] += 1
        end = start
    return True
