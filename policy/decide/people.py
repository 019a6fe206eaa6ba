"""People and parties: who takes part in an action, and which principals are one person (language.md section 4).

Two principals are one person when their ids or their person ids are equal, and so are all that are linked by such a
pair. A person is told by a principal's `person_id` or by its authority record of the call's tenant; a record of
another tenant says nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from policy.model.canonical import canonical_bytes
from policy.model.context import AuthorityRecord, Context, Principal, Vote
from policy.source.records import dataclass

PEOPLE_KINDS = frozenset({"human", "customer", "contact"})
"""Kinds of principal that are people."""

Person = tuple[bool, str]
"""Who is behind a principal: (True, a person id), or (False, the principal's id) where nobody told the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parties:
    """Requester, operator, subject and delegators of an action, as far as they are stated."""

    requester: Principal | None
    operator: Principal | None
    subject: Principal | None
    delegators: tuple[Principal, ...] | None
    """The `from` of every verified hop; None where `delegation` is not stated."""

    @property
    def known(self) -> bool:
        """Whether the three principals and `delegation` are stated."""
        return None not in (self.requester, self.operator, self.subject, self.delegators)

    @property
    def stated(self) -> tuple[Principal, ...]:
        """Every party that is stated, delegators last."""
        principals = (self.requester, self.operator, self.subject, *(self.delegators or ()))
        return tuple(principal for principal in principals if principal is not None)

    @property
    def people(self) -> tuple[Principal, ...]:
        """The stated parties that are human, customer or contact; where there is none, all of them."""
        return tuple(party for party in self.stated if party.kind in PEOPLE_KINDS) or self.stated


def parties_of(context: Context) -> Parties:
    """The parties that a context states."""
    hops = context.delegation
    return Parties(
        requester=context.requester,
        operator=context.operator,
        subject=context.subject,
        delegators=None if hops is None else tuple(hop.from_ for hop in hops),
    )


class People:
    """Who is one person with whom in one context. Built once, then only read."""

    __slots__ = ("_leaders", "foreign", "persons", "records")

    records: dict[str, AuthorityRecord]
    """The authority record of the call's tenant, by principal id."""
    foreign: frozenset[str]
    """Principal ids that have records, but of other tenants only."""
    persons: dict[str, Person]
    """The person of every principal that is told."""

    def __init__(self, context: Context) -> None:
        tenant = None if context.tenant is None else context.tenant.id
        authorities = context.authorities or ()
        self.records = {record.principal_id: record for record in authorities if record.tenant_id == tenant}
        self.foreign = frozenset(record.principal_id for record in authorities).difference(self.records)
        told = {name: record.person_id for name, record in self.records.items()}
        linked = [(name, person) for name, person in _statements(context) if told.setdefault(name, person) != person]
        self._leaders = leaders = _leaders([(told[name], person) for name, person in linked])
        self.persons = {name: (True, leaders.get(person, person)) for name, person in told.items()}

    def identified(self, person_id: str) -> Person:
        """Whoever has a person id, or one that is linked with it."""
        return True, self._leaders.get(person_id, person_id)

    def told(self, principal_id: str) -> bool:
        """Whether somebody says which person a principal is."""
        return principal_id in self.persons

    def person(self, principal_id: str) -> Person:
        """Who is behind a principal."""
        return self.persons.get(principal_id) or (False, principal_id)

    def same_person(self, one: str, other: str) -> bool:
        """Whether two principals, given by their ids, are known to be one person."""
        return self.person(one) == self.person(other)

    def untold_people(self, parties: Parties) -> bool:
        """Whether some stated party that is a person is not told."""
        return any(self.untold(party) for party in parties.stated)

    def untold(self, party: Principal) -> bool:
        """Whether a party is a person who is not told."""
        return party.kind in PEOPLE_KINDS and party.id not in self.persons


def _leaders(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For every person id that is linked with others, the least of them; the pairs are of one person each."""
    leaders: dict[str, str] = {}

    def leader(person: str) -> str:
        while leaders.get(person, person) != person:
            person = leaders[person]
        return person

    for one, other in pairs:
        low, high = sorted((leader(one), leader(other)))
        leaders[low] = leaders[high] = low
    return {person: leader(person) for person in leaders}


def _statements(context: Context) -> Iterator[tuple[str, str]]:
    """Principal id and person id of every principal that states its person."""
    for principal in _principals(context):
        if principal.person_id is not None:
            yield principal.id, principal.person_id


def _principals(context: Context) -> Iterator[Principal]:
    for party in (context.requester, context.operator, context.subject):
        if party is not None:
            yield party
    for hop in context.delegation or ():
        yield hop.from_
        yield hop.to
    for vote in context.approvals or ():
        yield vote.approver


def context_problems(context: Context) -> list[str]:
    """What makes a well-formed context contradict itself, each as a clause for a person; empty where nothing does.

    Two different votes under one id, a withdrawal that names no vote, two records for one principal and tenant, a
    principal and its record that name different persons (language.md sections 4 and 7).
    """
    problems = {*_vote_problems(context.approvals or ()), *_record_problems(context)}
    return sorted(problems)


def _vote_problems(votes: list[Vote] | tuple[()]) -> Iterator[str]:
    first: dict[str, Vote] = {}
    for vote in votes:
        earlier = first.setdefault(vote.decision_id, vote)
        # Compared in canonical form: to the host language `true` and `1` are equal, to JSON they are not.
        if earlier is not vote and canonical_bytes(_plain(earlier)) != canonical_bytes(_plain(vote)):
            yield f"two different votes have the decision_id `{vote.decision_id}`; give every vote an id of its own"
        if vote.decision == "revoked" and vote.target_decision_id is None:
            yield f"the withdrawal `{vote.decision_id}` names no vote; state its `target_decision_id`"


def _plain(vote: Vote) -> object:
    return vote.model_dump(mode="json")


def _record_problems(context: Context) -> Iterator[str]:
    tenant = None if context.tenant is None else context.tenant.id
    records: dict[tuple[str, str | None], AuthorityRecord] = {}
    for record in context.authorities or ():
        key = (record.principal_id, record.tenant_id)
        if key in records:
            place = "without a tenant" if record.tenant_id is None else f"in tenant `{record.tenant_id}`"
            yield f"`{record.principal_id}` has two authority records {place}; send one"
        records[key] = record
    for name, person in _statements(context):
        own = records.get((name, tenant))
        if own is not None and own.person_id != person:
            yield f"`{name}` is the person `{person}` and by its authority record `{own.person_id}`; state one person"
