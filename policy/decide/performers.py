"""`different people perform …`: who performed another step on the same object, by the trusted history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from policy.decide.people import PEOPLE_KINDS, People, Person
from policy.decide.request import Request
from policy.ir import nodes as ir
from policy.ir.patterns import matches_any
from policy.model.context import HistoryEntry, HistoryPerson
from policy.source.records import dataclass
from policy.types.comparison import equal
from policy.types.instants import parse_timestamp
from policy.types.values import Unevaluable


@dataclass(frozen=True, slots=True)
class Performers:
    """The people behind the entries that a separation holds against this action."""

    unavailable: tuple[str, ...]
    """Why the history cannot answer, each as a clause; then nobody is named."""
    persons: frozenset[Person]
    """Who performed another step on the same object."""
    names: tuple[str, ...]
    """Their principal ids, sorted."""
    untold: bool
    """Whether it is not told who performed one of the steps, so that it may have been anybody."""


def performers(form: ir.DifferentPeople, request: Request, people: People) -> Performers | None:
    """Who performed another step of the separation on this action's object; None where it does not concern it.

    A step without `per` is remembered and never checked.
    """
    checked = [(step, step.per) for step in form.steps if _is(step, request)]
    concerned = [(step, per) for step, per in checked if per is not None]
    if not concerned:
        return None
    unavailable = _history_problems(form, request)
    persons: set[Person] = set()
    names: set[str] = set()
    untold = False
    for step, per in concerned:
        key = request.conditions.evaluate(per)
        if isinstance(key, Unevaluable):
            unavailable.append(f"`{per.text}` is not in the input")
            continue
        for entry in _entries(form, step, key, request):
            told, who, ids = _performed(entry, people)
            persons |= who
            names |= ids
            untold = untold or not told
    if unavailable:
        return Performers(tuple(dict.fromkeys(unavailable)), frozenset(), (), untold=False)
    return Performers((), frozenset(persons), tuple(sorted(names)), untold)


def _is(step: ir.PerformStep, request: Request) -> bool:
    return matches_any(step.patterns, request.capability.scope, request.capability.id)


def _history_problems(form: ir.DifferentPeople, request: Request) -> list[str]:
    history = request.context.history
    if history is None:
        return ["the history of executed actions is not stated"]
    if history.complete_since is None:
        return []
    since = parse_timestamp(history.complete_since)
    if form.within is not None and since is not None and since.nanoseconds <= request.now.nanoseconds - form.within:
        return []
    return [f"the history is complete only since {history.complete_since}"]


def _entries(form: ir.DifferentPeople, own: ir.PerformStep, key: object, request: Request) -> Iterator[HistoryEntry]:
    """The entries of another step, in the window, under the same key or one that cannot be compared."""
    history = request.context.history
    tenant = request.context.tenant
    others = [step for step in form.steps if step is not own]
    for entry in () if history is None else history.entries:
        if tenant is not None and entry.tenant_id is not None and entry.tenant_id != tenant.id:
            # Keys are unique within a tenant only: an entry of another one is about another object.
            continue
        at = parse_timestamp(entry.at)
        if form.within is not None and at is not None and at.nanoseconds < request.now.nanoseconds - form.within:
            continue
        # Entries carry a scope only; a capability without one is recorded under its id.
        steps = [step for step in others if matches_any(step.patterns, entry.scope, entry.scope)]
        if any(_same_object(own, step, key, entry.keys) for step in steps):
            yield entry


def _same_object(own: ir.PerformStep, other: ir.PerformStep, key: object, keys: Mapping[str, Any]) -> bool:
    """Whether an entry of the other step is about this object, or that cannot be ruled out."""
    names = {name for name in (own.key, other.key) if name is not None and keys.get(name) is not None}
    if not names or (other.key is not None and other.key not in names):
        return True
    return any(equal(key, keys[name]) is not False for name in names)


def _performed(entry: HistoryEntry, people: People) -> tuple[bool, set[Person], set[str]]:
    """Whether everybody who performed an entry is told, who they are, and their principal ids."""
    performing = _people(entry.people)
    persons: set[Person] = set()
    told = bool(performing)
    for each in performing:
        persons.add(people.person(each.id))
        if each.person_id is not None:
            persons.add(people.identified(each.person_id))
        elif not people.told(each.id):
            told = False
    return told, persons, {each.id for each in performing}


def _people(performing: Iterable[HistoryPerson]) -> tuple[HistoryPerson, ...]:
    """Those that are people; where there is none, all of them."""
    everybody = tuple(performing)
    return tuple(each for each in everybody if each.kind in PEOPLE_KINDS) or everybody
