"""The votes of a context as they bear on one request: which speak for it, in which order, and which are withdrawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from policy.decide.people import People, Person
from policy.decide.request import Request
from policy.model.context import Vote
from policy.source.records import dataclass
from policy.types.instants import NANOSECONDS_PER_SECOND, parse_timestamp

_SECONDS = MappingProxyType({f"{second:02}Z": second * NANOSECONDS_PER_SECOND for second in range(60)})
"""What commonly follows the minutes of a timestamp, in nanoseconds."""


class Ballot(NamedTuple):
    """One approval or denial. Ballots are in the order of their members: of two at the same instant a denial is the
    later, else the one with the larger `decision_id`, which no two share."""

    decided_at: int
    """Nanoseconds since 1970-01-01T00:00:00Z."""
    denies: bool
    decision_id: str
    voter: str
    """The voter's principal id."""
    person: Person
    speaks: bool
    """Whether it carries this request's digest."""
    vote: Vote


@dataclass(frozen=True, slots=True)
class Ballots:
    """Every approval and denial, the later ones last, each once."""

    ballots: tuple[Ballot, ...]
    withdrawn: frozenset[str]
    """Decision ids of approvals that are withdrawn, or of which that cannot be ruled out."""
    lifted: frozenset[str]
    """Decision ids of denials that their own voters withdrew."""


def read_votes(request: Request, people: People) -> Ballots:
    """The votes of a request, the later ones last."""
    digest = request.digest
    persons = people.persons
    minutes: dict[str, int] = {}
    distinct: dict[str, Ballot] = {}
    withdrawals: list[Vote] = []
    make = tuple.__new__
    for vote in request.context.approvals or ():
        # One look at the members of a vote: this loop runs for every vote of every decision.
        members = vote.__dict__
        decision = members["decision"]
        if decision == "revoked":
            withdrawals.append(vote)
            continue
        voter = members["approver"].id
        person = persons.get(voter) or (False, voter)
        written = members["decided_at"]
        start, second = minutes.get(written[:17]), _SECONDS.get(written[17:])
        decided_at = _instant(written, minutes) if start is None or second is None else start + second
        name = members["decision_id"]
        distinct[name] = make(
            Ballot, (decided_at, decision == "denied", name, voter, person, members["request_digest"] == digest, vote)
        )
    ordered = sorted(distinct.values())
    withdrawn, lifted = _withdrawn(withdrawals, distinct, request, people)
    return Ballots(tuple(ordered), withdrawn, lifted)


def speakers(ballots: Iterable[Ballot], requirement: str, requirements: frozenset[str]) -> tuple[Ballot, ...]:
    """The ballots that speak for a requirement. A denial that names no requirement of this request speaks for all."""
    return tuple(
        ballot
        for ballot in ballots
        if ballot.speaks
        and (
            (named := ballot.vote.approval_id) is None
            or named == requirement
            or (ballot.denies and named not in requirements)
        )
    )


def _withdrawn(
    withdrawals: Iterable[Vote], ballots: Mapping[str, Ballot], request: Request, people: People
) -> tuple[frozenset[str], frozenset[str]]:
    """Approvals that do not count any more, and denials that do not stand any more.

    A voter withdraws any vote of her own; whoever's record says `may_revoke` withdraws approvals of others too, never
    a denial. Where an author has no record at hand, nobody can tell: the approval does not count.
    """
    withdrawn: set[str] = set()
    lifted: set[str] = set()
    for withdrawal in withdrawals:
        target = ballots.get(withdrawal.target_decision_id or "")
        if target is None:
            continue
        own = people.person(withdrawal.approver.id) == target.person
        if target.denies:
            if own:
                lifted.add(target.decision_id)
            continue
        record = people.records.get(withdrawal.approver.id)
        fetched = record is not None and withdrawal.approver.id not in request.authority_failures
        if own or not fetched or (record is not None and record.may_revoke):
            withdrawn.add(target.decision_id)
    return frozenset(withdrawn), frozenset(lifted)


def _instant(text: str, minutes: dict[str, int]) -> int:
    """Nanoseconds of a timestamp that the model accepted; `minutes` keeps what the texts up to the minute mean."""
    if len(text) != len("2026-01-01T00:00:00Z"):
        return _parsed(text)
    start = minutes.get(text[:17])
    if start is None:
        start = minutes[text[:17]] = _parsed(f"{text[:17]}00Z")
    return start + int(text[17:19]) * NANOSECONDS_PER_SECOND


def _parsed(text: str) -> int:
    instant = parse_timestamp(text)
    if instant is None:
        raise ValueError(f"not a timestamp that the context model accepts: {text}")
    return instant.nanoseconds
