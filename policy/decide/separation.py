"""Separation of duties (language.md section 6): which duties may not be joined in one person.

The parties of an action are judged here as denials; whom a separation keeps from approving is given to the counting
of votes as `Exclusions`. Persons are compared, never accounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from policy.decide.approvals.requirement import LayeredSeparation
from policy.decide.people import PEOPLE_KINDS, Parties, People, Person, parties_of
from policy.decide.performers import Performers, performers
from policy.decide.reasons import of_rule
from policy.decide.request import Request
from policy.ir import nodes as ir
from policy.model.context import AuthorityRecord, Principal
from policy.model.decision import Reason
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusions:
    """Whom separations keep from approving."""

    unknown: bool
    """Whether a party that an approver must differ from is missing, so that no vote counts."""
    persons: frozenset[Person]
    """Who may not approve."""
    names: tuple[str, ...]
    """The principal ids by which they are known, in the order of the separations."""
    anybody: bool
    """Whether it is not told who performed another step, so that it may have been any voter."""
    conflicts: tuple[frozenset[str], ...]
    """Sets of roles of which nobody may hold two."""


@dataclass(frozen=True, slots=True)
class _Named:
    """Somebody a separation names: by id, perhaps as a principal with kind and person."""

    id: str
    kind: str | None
    persons: frozenset[Person]
    told: bool


def judge_separations(separations: Sequence[LayeredSeparation], request: Request) -> tuple[Reason, ...]:
    """The denials of stage 7: parties of the action that are one person, conflicting roles, the same performer."""
    if not separations:
        return ()
    people = People(request.context)
    parties = parties_of(request.context)
    reasons: list[Reason] = []
    for separation in separations:
        form = separation.rule.form
        match form:
            case ir.DiffersFrom(who="approver"):
                found: Iterable[tuple[str, str]] = ()
            case ir.DiffersFrom():
                found = _same_person(form, parties, people, request)
            case ir.RolesConflict():
                found = _role_conflict(form, parties, people)
            case ir.DifferentPeople():
                found = _same_performer(performers(form, request, people), parties, people)
        reasons.extend(of_rule(code, "deny", separation.rule, separation.layer, message) for code, message in found)
    return tuple(reasons)


def approver_exclusions(separations: Sequence[LayeredSeparation], request: Request, people: People) -> Exclusions:
    """Whom the separations keep from approving this action, whatever an approval allows."""
    unknown = anybody = False
    persons: set[Person] = set()
    names: dict[str, None] = {}
    conflicts: list[frozenset[str]] = []
    for separation in separations:
        form = separation.rule.form
        if isinstance(form, ir.RolesConflict):
            conflicts.append(frozenset(form.roles))
        elif isinstance(form, ir.DifferentPeople):
            performed = performers(form, request, people)
            if performed is not None:
                persons |= performed.persons
                names |= dict.fromkeys(performed.names)
                anybody = anybody or performed.untold
        elif form.who == "approver":
            for party in form.parties:
                named = _named(party, request, people)
                unknown = unknown or named is None
                for each in named or ():
                    persons |= each.persons
                    names[each.id] = None
    return Exclusions(
        unknown=unknown, persons=frozenset(persons), names=tuple(names), anybody=anybody, conflicts=tuple(conflicts)
    )


def roles_conflict(
    conflicts: Sequence[frozenset[str]], record: AuthorityRecord, parties: Parties, people: People
) -> bool:
    """Whether an approver holds two roles that a separation keeps apart, or the approver's roles are not stated.

    Roles of a party that is the same person count with those of the record.
    """
    if not conflicts:
        return False
    if record.roles is None:
        return True
    person = people.person(record.principal_id)
    held = set(record.roles)
    for party in parties.stated:
        if people.person(party.id) == person:
            held.update(party.roles or ())
    return any(len(held & conflict) > 1 for conflict in conflicts)


def ids_in_attributes(policy: ir.PolicySet, attributes: Mapping[str, Any]) -> frozenset[str]:
    """Ids that the context attributes give to separations: a directory tells which persons they are.

    `attributes` are the JSON values of `context.NAME`. A step that only a decision can take stands for every member.
    """
    found: set[str] = set()
    for layer in policy.layers:
        for separation in layer.separations:
            form = separation.form
            if not isinstance(form, ir.DiffersFrom):
                continue
            for party in form.parties:
                if party.root == "context":
                    found.update(_texts(attributes, party.steps))
    return frozenset(found)


def _texts(value: Any, steps: Sequence[str | int | ir.Expression]) -> Iterator[str]:
    """The texts at a path, and in a list there."""
    if not steps:
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))
        return
    step = steps[0]
    if isinstance(step, str):
        reached = [value[step]] if isinstance(value, dict) and step in value else []
    elif isinstance(value, dict):
        reached = list(value.values())
    else:
        reached = list(value) if isinstance(value, list) else []
    for each in reached:
        yield from _texts(each, steps[1:])


def _named(party: ir.Read, request: Request, people: People) -> tuple[_Named, ...] | None:
    """The people behind a PARTY; None where it is missing or ill-typed, or a record of it could not be fetched."""
    value = request.conditions.evaluate(party)
    named = []
    for item in value if isinstance(value, list) else [value]:
        each = _one(item, people)
        if each is None or (not each.told and each.id in request.authority_failures):
            return None
        named.append(each)
    return tuple(named)


def _one(item: object, people: People) -> _Named | None:
    """Somebody given as a principal or by a bare id."""
    members = item if isinstance(item, dict) else {"id": item}
    name, kind, stated = members.get("id"), members.get("kind"), members.get("person_id")
    if not isinstance(name, str):
        return None
    persons = {people.person(name)}
    told = people.told(name)
    if isinstance(stated, str):
        persons.add(people.identified(stated))
        told = True
    if not told and not isinstance(item, dict):
        # Directories commonly use the id of the main account as the person's: such an id must not pass unnoticed.
        persons.add(people.identified(name))
    return _Named(name, kind if isinstance(kind, str) else None, frozenset(persons), told)


def _same_person(form: ir.DiffersFrom, parties: Parties, people: People, request: Request) -> Iterator[tuple[str, str]]:
    """WHO differs from PARTY, …: what is denied, as code and message."""
    who = {"requester": parties.requester, "operator": parties.operator, "subject": parties.subject}[form.who]
    if who is None:
        yield "separation.unknown_party", f"the {form.who} is not stated"
        return
    same: list[str] = []
    unknown: list[str] = []
    for party in form.parties:
        named = _named(party, request, people)
        if named is None:
            unknown.append(party.text)
        elif any(people.person(who.id) in each.persons or who.id == each.id for each in named):
            same.append(party.text)
        elif any(not _told_apart(who, each, people) for each in named):
            unknown.append(party.text)
    if same:
        yield "separation.same_person", f"the {form.who} `{who.id}` is the same person as {_listed(same)}"
    if unknown:
        yield "separation.unknown_party", f"nobody can tell whether the {form.who} differs from {_listed(unknown)}"


def _told_apart(who: Principal, other: _Named, people: People) -> bool:
    """Whether both are told as far as they are people; a bare id without a record is compared by id alone."""
    untold = who.kind in PEOPLE_KINDS and not people.told(who.id)
    return not untold and (other.told or other.kind not in PEOPLE_KINDS)


def _role_conflict(form: ir.RolesConflict, parties: Parties, people: People) -> Iterator[tuple[str, str]]:
    conflicting = frozenset(form.roles)
    if not parties.known or any(party.roles is None for party in parties.stated):
        yield "separation.roles_unknown", "a party or the roles of a party are not stated"
    held: dict[Person, set[str]] = {}
    for party in parties.stated:
        held.setdefault(people.person(party.id), set()).update(conflicting.intersection(party.roles or ()))
    found = [sorted(roles) for _, roles in sorted(held.items()) if len(roles) > 1]
    for roles in found:
        yield "separation.role_conflict", f"one person of the action holds the roles {_listed(roles)}"
    everything = set().union(*held.values()) if held else set()
    if not found and len(everything) > 1 and people.untold_people(parties):
        yield "separation.roles_unknown", "nobody can tell whether parties with conflicting roles are one person"


def _same_performer(performed: Performers | None, parties: Parties, people: People) -> Iterator[tuple[str, str]]:
    if performed is None:
        return
    if performed.unavailable:
        yield "separation.history_unavailable", "; ".join(performed.unavailable)
        return
    if not performed.persons and not performed.untold:
        return
    own = parties.people
    shared = sorted(party.id for party in own if people.person(party.id) in performed.persons)
    if shared:
        yield "separation.same_performer", f"{_listed(shared)} performed another step on the same object"
    elif performed.untold or not parties.known or any(not people.told(party.id) for party in own):
        yield "separation.same_performer", "nobody can tell that another step on the same object was somebody else's"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
