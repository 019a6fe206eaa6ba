"""Who may still approve: leaves and people, for whoever reads a pending decision."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from policy.decide.approvals.counting import Question, record_refusal
from policy.decide.people import Person
from policy.decide.separation import approver_exclusions, roles_conflict
from policy.ir import nodes as ir
from policy.types.names import PARTIES

_REFUSED_PERSONALLY = frozenset({"approval.self", "approval.separation", "approval.role_conflict"})


def candidates(question: Question, counted: Collection[Person]) -> list[str] | None:
    """Principal ids of the given records, sorted, whose approval would count now and does not yet.

    None where the context has no authority records.
    """
    electorate = question.electorate
    if electorate.request.context.authorities is None:
        return None
    if electorate.used is None:
        return []
    persons = electorate.people.persons
    others = [record for name, record in electorate.records.items() if persons[name] not in counted]
    return sorted(
        record.principal_id
        for record in others
        if record_refusal(record, question) is None and not isinstance(question.verdict(record), str)
    )


def open_leaves(question: Question, counted: Collection[Person]) -> int:
    """The leaves (a bit mask) whose people could still approve.

    A leaf that names principals is open while one of them is neither excluded nor counted; any other leaf is open,
    since a directory may know people whose records are not at hand.
    """
    electorate = question.electorate
    exclusions = electorate.exclusions
    if electorate.unknown is not None or electorate.used is None or exclusions.anybody:
        return 0
    named = 0
    anybody = 0
    for index, leaf in enumerate(question.table.leaves):
        if leaf.leaf.kind != "principal" and (leaf.names or leaf.leaf.value is None):
            anybody |= 1 << index
    for name, leaves in question.table.principals.items():
        named |= _open_to(name, leaves, question, counted)
    return (named | anybody) & question.table.live


def _open_to(name: str, leaves: int, question: Question, counted: Collection[Person]) -> int:
    """Of the leaves that name a principal those under which it could still approve."""
    electorate = question.electorate
    person = electorate.people.person(name)
    record = electorate.records.get(name)
    if person in counted or person in electorate.exclusions.persons:
        return 0
    if person in electorate.party_persons and not question.approval.self_approval:
        return 0
    if record is None:
        # Its record may come with its vote.
        return leaves
    if record_refusal(record, question) is not None:
        return 0
    supporter = question.verdict(record)
    return 0 if isinstance(supporter, str) else supporter.leaves & leaves


def excluded(question: Question, voters: Iterable[str]) -> list[str]:
    """Principal ids that may not approve: the parties first, then whom separations name, then every other account
    of such a person and whoever holds conflicting roles, sorted. `voters` are the ids of those who voted."""
    electorate = question.electorate
    exclusions = electorate.exclusions
    barred = set(exclusions.persons)
    names: dict[str, None] = {}
    if not question.approval.self_approval:
        names.update(dict.fromkeys(party.id for party in electorate.parties.stated))
        barred |= electorate.party_persons
    names.update(dict.fromkeys(exclusions.names))
    others = {name for name, person in electorate.people.persons.items() if person in barred}
    others.update(name for name in voters if (False, name) in barred)
    if exclusions.anybody or exclusions.conflicts:
        others.update(
            name for name, record in electorate.records.items() if question.verdict(record) in _REFUSED_PERSONALLY
        )
    names.update(dict.fromkeys(sorted(others)))
    return list(names)


def excluded_by(question: Question, names: Iterable[str]) -> dict[str, list[str]]:
    """For each principal id that may not approve, the parties that it is and the separations that keep it from that."""
    electorate = question.electorate
    people, parties = electorate.people, electorate.parties
    stated = [(name, party) for name in PARTIES if (party := getattr(parties, name)) is not None]
    stated += [("delegator", party) for party in parties.delegators or ()]
    roles = [] if question.approval.self_approval else [(name, people.person(party.id)) for name, party in stated]
    parts = [
        (f"separation {each.rule.id}", approver_exclusions((each,), electorate.request, people))
        for each in electorate.separations
    ]
    found: dict[str, list[str]] = {}
    for name in names:
        person, record = people.person(name), electorate.records.get(name)
        why = [role for role, party in roles if party == person]
        for label, part in parts:
            held = record is not None and roles_conflict(part.conflicts, record, parties, people)
            if person in part.persons or part.anybody or held:
                why.append(label)
        found[name] = list(dict.fromkeys(why))
    return found


def labels(leaves: Iterable[ir.Leaf], mask: int) -> list[str]:
    """Leaves as decisions show them, each once: `role finance.approver`."""
    shown = (_label(leaf) for index, leaf in enumerate(leaves) if mask >> index & 1)
    return list(dict.fromkeys(shown))


def _label(leaf: ir.Leaf) -> str:
    head = f"{leaf.kind} "
    if leaf.text.startswith(f'{head}"') and isinstance(leaf.value, ir.Constant):
        _, end = json.JSONDecoder().raw_decode(leaf.text, len(head))
        return f"{head}{leaf.value.value}{leaf.text[end:]}"
    return leaf.text
