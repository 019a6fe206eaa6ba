"""Whether counting approvals satisfy an approval, and what is missing.

Why flow is exact. An approval asks for slots, and one person fills one slot. Counting people greedily is wrong: with
`all of { role "a" role "b" }`, one voter who holds both roles and one who holds only `a`, whoever gives the first
voter to `a` finds nobody for `b`. Trying every assignment is right and exponential. The question is a bipartite
matching between slots and people, and a matching is a flow of whole units: one unit leaves the source for each slot
that is asked for, passes a leaf that the person matches, and ends in a person who can take one unit only. Capacities
are integers, so a maximum flow is integral (Ford and Fulkerson), and the need is satisfied exactly when the flow is
as large as the number of slots. What a flow is short of is the least number of further approvals: each new person
adds at most one unit, and one who matches a leaf that the source still reaches in the residual network adds one.

- A pool, `N approvals from { … }`, is one option that serves N times; a choice among leaves, `any N of { … }`, is a
  group with N units for options that serve once each. Both are part of the network, so they cost nothing.
- People who match the same leaves are interchangeable: they are one node whose capacity is their number.
- `distinct by ATTRIBUTE` asks for different values in different slots. A person has one value, so different values
  are different people, and the node that can take one unit is then the value: it matches what any of its people
  match. Matching people first and checking the values afterwards would be wrong.
- `at least N people` counts people, not slots, and stands beside the flow.

Where expansion is needed. A composite child that is chosen must be filled whole: an edge of it may not carry flow
unless all its edges do. Such all-or-nothing arcs are no network, and in general the problem is NP-hard, so each
choice among composite children is one alternative with a network of its own, at most 256 to an approval. For the
same reason `allowing same person` stands at the root only: there the children share no capacity, so that each is a
question of its own. Below the root, or together with `distinct by`, one person's approval would be joint or
exclusive depending on a choice that the network does not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from policy.decide.approvals.network import Flow, Supply, maximum_flow, supply_of
from policy.ir.alternatives import Alternative, Quorum
from policy.source.records import dataclass


class Supporter(NamedTuple):
    """One person whose approval counts: the leaves matched (a bit mask), and the value of the distinct attribute."""

    leaves: int
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How far counting approvals satisfy a quorum."""

    missing: int
    """The least number of further approvals that can satisfy it; 0 where it is satisfied."""
    wanted: int
    """The leaves (a bit mask) of which one further approval brings it nearer; 0 where it is satisfied."""


@dataclass(frozen=True, slots=True)
class _Branch:
    """The best that the alternatives of one branch give."""

    short: int
    wanted: int


def standing(quorum: Quorum, supporters: Iterable[Supporter], at_least: int, *, distinct: bool) -> Standing:
    """Where a quorum stands. Every supporter is another person; `distinct` says that values must differ by slot."""
    counted = list(supporters)
    supply = supply_of(_classes(counted, distinct=distinct), _largest_demand(quorum))
    branches = [_best(branch, supply) for branch in quorum.branches]
    # Of independent branches one person can serve several, so what is missing is what the last of them lacks.
    short = sorted(branch.short for branch in branches)[quorum.count - 1]
    people_short = max(0, at_least - len(counted))
    missing = max(short, people_short)
    if not missing:
        return Standing(0, 0)
    if short < missing:
        return Standing(missing, (1 << len(quorum.leaves)) - 1)
    wanted = 0
    for branch in branches:
        wanted |= branch.wanted
    return Standing(missing, wanted)


def _classes(supporters: Iterable[Supporter], *, distinct: bool) -> Counter[int]:
    """How many units can be given by whoever matches exactly these leaves."""
    if not distinct:
        return Counter(supporter.leaves for supporter in supporters)
    by_value: dict[str | None, int] = {}
    for supporter in supporters:
        by_value[supporter.value] = by_value.get(supporter.value, 0) | supporter.leaves
    return Counter(by_value.values())


def _best(branch: tuple[Alternative, ...], supply: Supply) -> _Branch:
    flows: list[Flow] = []
    for alternative in branch:
        flow = maximum_flow(alternative, supply)
        if not flow.short:
            return _Branch(0, 0)
        flows.append(flow)
    short = min(flow.short for flow in flows)
    wanted = 0
    for flow in flows:
        if flow.short == short:
            wanted |= flow.wanted
    return _Branch(short, wanted)


def _largest_demand(quorum: Quorum) -> int:
    return max(sum(group.demand for group in alternative) for branch in quorum.branches for alternative in branch)
