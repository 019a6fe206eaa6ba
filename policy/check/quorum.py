"""Whether an approval can be satisfied at all: how many alternatives it has, and whether its named people suffice."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from policy.check.kinds import is_text
from policy.ir import nodes as ir
from policy.types.kinds import Record


@dataclass(frozen=True, slots=True)
class Demand:
    """So many approvals by different people out of a few named ones."""

    count: int
    people: tuple[str, ...]


def alternatives(need: ir.Need) -> int:
    """How many ways of choosing composite children there are; leaves that are counted out of several are no choice."""
    if not isinstance(need, ir.Slots):
        return 1
    composite = [alternatives(child) for child in need.children if not isinstance(child, ir.Leaf)]
    leaves = len(need.children) - len(composite)
    # ways[j]: how often j of the composite children seen so far are chosen, their own alternatives counted in.
    ways = [1] + [0] * len(composite)
    for count in composite:
        for chosen in range(len(composite), 0, -1):
            ways[chosen] += ways[chosen - 1] * count
    return sum(ways[max(0, need.count - leaves) : need.count + 1])


def named_people(need: ir.Need) -> frozenset[str] | None:
    """The people that the leaves of a need name, or None where a leaf leaves open who they are."""
    people: set[str] = set()
    stack: list[ir.Need] = [need]
    while stack:
        node = stack.pop()
        if isinstance(node, ir.Leaf):
            person = _person(node)
            if person is None:
                return None
            people.add(person)
        else:
            stack.extend(node.children if isinstance(node, ir.Slots) else node.leaves)
    return frozenset(people)


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


def satisfiable(need: ir.Need) -> bool:
    """Whether some alternative can be met by different people; alternatives are few (see `alternatives`)."""
    if isinstance(need, ir.Slots) and need.same_person:
        return all(satisfiable(child) for child in need.children)
    return any(_met(demands) for demands in _expand(need))


def _expand(need: ir.Need) -> Iterator[list[Demand]]:
    """For each alternative what it asks of named people; who else is asked can always be found."""
    match need:
        case ir.Leaf():
            yield _demand(1, [need])
        case ir.Pool():
            open_ended = any(_person(leaf) is None for leaf in need.leaves)
            yield [] if open_ended else _demand(need.count, need.leaves)
        case ir.Slots():
            leaves = [child for child in need.children if isinstance(child, ir.Leaf)]
            composite = [child for child in need.children if not isinstance(child, ir.Leaf)]
            for chosen in range(max(0, need.count - len(leaves)), min(need.count, len(composite)) + 1):
                own = _demand(need.count - chosen, leaves)
                for children in combinations(composite, chosen):
                    for parts in product(*(list(_expand(child)) for child in children)):
                        yield [*own, *(demand for part in parts for demand in part)]


def _demand(count: int, leaves: Sequence[ir.Leaf]) -> list[Demand]:
    """What a choice of `count` leaves asks of named people once the leaves that anybody may match are used."""
    people = [person for leaf in leaves if (person := _person(leaf)) is not None]
    rest = count - (len(leaves) - len(people))
    return [Demand(rest, tuple(dict.fromkeys(people)))] if rest > 0 else []


def _met(demands: Sequence[Demand]) -> bool:
    """Whether every demand can be given people of its own: a matching, grown by augmenting paths."""
    if any(demand.count > len(demand.people) for demand in demands):
        return False
    owner: dict[str, int] = {}
    return all(_augment(at, demands, owner) for at, demand in enumerate(demands) for _ in range(demand.count))


def _augment(start: int, demands: Sequence[Demand], owner: dict[str, int]) -> bool:
    """Give the demand one more person, moving others to people they can have instead; false where that fails."""
    asked_by: dict[str, int] = {}
    through: dict[int, str] = {}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        for person in demands[at].people:
            if person in asked_by or owner.get(person) == start:
                continue
            asked_by[person] = at
            holder = owner.get(person)
            if holder is None:
                given: str | None = person
                while given is not None:
                    owner[given] = asked_by[given]
                    given = through.get(asked_by[given])
                return True
            if holder not in through:
                through[holder] = person
                queue.append(holder)
    return False
