"""Which approvals count: the first reason against each, in the documented order (language.md section 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from policy.decide.approvals.constraints import constraint_holds
from policy.decide.approvals.eligibility import LeafTable, ended
from policy.decide.approvals.requirement import LayeredSeparation, Requirement
from policy.decide.approvals.satisfaction import Supporter
from policy.decide.approvals.votes import Ballot
from policy.decide.people import Parties, People, Person
from policy.decide.request import Request
from policy.decide.separation import Exclusions, roles_conflict
from policy.ir import nodes as ir
from policy.model.context import AuthorityRecord, Evidence, Vote
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Electorate:
    """What every vote of a request is judged against; the same for all requirements."""

    request: Request
    policy_hash: str
    now: int
    """Nanoseconds since 1970-01-01T00:00:00Z."""
    people: People
    records: Mapping[str, AuthorityRecord]
    """The authority records of this tenant that could be fetched, by principal id."""
    parties: Parties
    party_persons: frozenset[Person]
    exclusions: Exclusions
    separations: Sequence[LayeredSeparation]
    """Those that apply to the action."""
    used: frozenset[str] | None
    """Decision ids already spent; None where the runtime does not state them."""
    withdrawn: frozenset[str]
    """Decision ids of approvals that are withdrawn."""
    unknown: str | None
    """The code for everybody, where a party or the person of one is not told; None where all are."""
    input_hash: str | None
    """`sha256:…` over the RFC 8785 form of the input; None where no approval asks for a snapshot of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One requirement, with what its votes are judged by."""

    requirement: Requirement
    approval: ir.Approval
    kinds: frozenset[str]
    """The kinds of principal whose votes count."""
    table: LeafTable
    electorate: Electorate
    _verdicts: dict[str, Supporter | str] = field(default_factory=dict, repr=False)
    """What was found out about a person, votes aside, by principal id."""

    def verdict(self, record: AuthorityRecord) -> Supporter | str:
        """What whoever has this record would support, or why that person may not approve; worked out once."""
        known = self._verdicts.get(record.principal_id)
        if known is None:
            known = self._verdicts[record.principal_id] = _judge_person(record, self)
        return known


@dataclass(frozen=True, slots=True)
class Count:
    """The approvals of one requirement, each in the order of receipt."""

    counted: tuple[tuple[Ballot, Supporter], ...]
    """Those that count, with what they support."""
    refused: tuple[tuple[Ballot, str], ...]
    """Those that do not, with their codes."""


def ask(requirement: Requirement, table: LeafTable, electorate: Electorate) -> Question:
    """The question that a requirement puts to its voters."""
    kinds = frozenset(requirement.approval.kinds)
    return Question(
        requirement=requirement,
        approval=requirement.approval,
        kinds=kinds & {"human"} if requirement.humans_only else kinds,
        table=table,
        electorate=electorate,
    )


def count(ballots: Sequence[Ballot], spoken: Sequence[Ballot], question: Question) -> Count:
    """Judge every approval by the reasons of language.md section 7, in their order: the first that holds is its code.

    `spoken` are the ballots that speak for this requirement, the later ones last. The order stands in one piece,
    because this loop runs for every vote.
    """
    last = {ballot.person: ballot for ballot in spoken}
    electorate, records = question.electorate, question.electorate.records
    now, used, withdrawn = electorate.now, electorate.used, electorate.withdrawn
    policy_hash, requirement = electorate.policy_hash, question.requirement.id
    kinds, evidence = question.kinds, question.approval.evidence
    oldest = now - question.approval.valid_for
    counted: list[tuple[Ballot, Supporter]] = []
    refused: list[tuple[Ballot, str]] = []
    for ballot in ballots:
        decided_at, denies, decision_id, voter, person, speaks, vote = ballot
        if denies:
            continue
        result: Supporter | str
        if not speaks or vote.policy_hash != policy_hash:
            result = _unbound(ballot)
        elif vote.approval_id is not None and vote.approval_id != requirement:
            result = "approval.other_requirement"
        elif (record := records.get(voter)) is None:
            result = no_record(voter, electorate) or "approval.authority_unknown"
        elif record.revoked or (record.expires_at is not None and ended(record.expires_at, now)):
            result = "approval.authority_revoked" if record.revoked else "approval.authority_expired"
        elif (kind := record.kind) not in kinds or kind != vote.approver.kind:
            result = "approval.kind"
        elif decided_at > now:
            result = "approval.not_yet_valid"
        elif decided_at <= oldest or (vote.expires_at is not None and ended(vote.expires_at, now)):
            result = "approval.expired"
        elif used is None or decision_id in used:
            result = "approval.usage_unknown" if used is None else "approval.used"
        elif decision_id in withdrawn:
            result = "approval.withdrawn"
        elif last[person] is not ballot:
            result = "approval.superseded"
        elif (evidence or vote.constraints) and (code := _content(vote, question)) is not None:
            result = code
        else:
            result = question.verdict(record)
        if isinstance(result, str):
            refused.append((ballot, result))
        else:
            counted.append((ballot, result))
    return Count(tuple(counted), tuple(refused))


def record_refusal(record: AuthorityRecord, question: Question) -> str | None:
    """Why a record gives no authority to this approval now, whatever it says."""
    if record.revoked:
        return "approval.authority_revoked"
    if record.expires_at is not None and ended(record.expires_at, question.electorate.now):
        return "approval.authority_expired"
    return None if record.kind in question.kinds else "approval.kind"


def no_record(principal_id: str, electorate: Electorate) -> str | None:
    """Why a voter has no authority record of this tenant; None where there is one."""
    if principal_id in electorate.records:
        return None
    if principal_id in electorate.request.authority_failures:
        return "approval.authority_unavailable"
    return "approval.authority_tenant" if principal_id in electorate.people.foreign else "approval.authority_unknown"


def unspeaking(ballot: Ballot) -> str:
    """Why a vote that does not carry this request's digest does not speak for it."""
    return "approval.unbound" if ballot.vote.request_digest is None else "approval.request_changed"


def _judge_person(record: AuthorityRecord, question: Question) -> Supporter | str:
    """Whether whoever has this record may approve, votes aside: the last part of the order of reasons."""
    electorate = question.electorate
    if electorate.unknown is not None:
        return electorate.unknown
    person = electorate.people.persons[record.principal_id]
    if person in electorate.party_persons and not question.approval.self_approval:
        return "approval.self"
    exclusions = electorate.exclusions
    if exclusions.anybody or person in exclusions.persons:
        return "approval.separation"
    if exclusions.conflicts and roles_conflict(exclusions.conflicts, record, electorate.parties, electorate.people):
        return "approval.role_conflict"
    leaves = question.table.matched(record)
    if not leaves:
        return "approval.not_eligible"
    if question.approval.distinct_by is None:
        return Supporter(leaves, None)
    value = (record.attributes or {}).get(question.approval.distinct_by)
    return Supporter(leaves, value) if isinstance(value, str) and value else "approval.distinct_unknown"


def _unbound(ballot: Ballot) -> str:
    """Why a vote does not carry this request's digest and this policy's hash."""
    if ballot.vote.policy_hash is None:
        return "approval.unbound"
    return "approval.policy_changed" if ballot.speaks else unspeaking(ballot)


def _content(vote: Vote, question: Question) -> str | None:
    for kind in question.approval.evidence:
        if not _brought(kind, vote, question.electorate):
            return "approval.evidence_missing"
    if vote.constraints:
        payload = question.electorate.request.action.input
        if not all(constraint_holds(constraint, payload) for constraint in vote.constraints):
            return "approval.constraint_failed"
    return None


def _brought(kind: str, vote: Vote, electorate: Electorate) -> bool:
    """Whether a vote brings evidence of a kind, and nothing of that kind that speaks of something else."""
    if kind == "reason":
        return vote.reason is not None and bool(vote.reason.strip())
    artifacts = [artifact for artifact in vote.evidence or () if artifact.kind == kind]
    if kind in ("input_snapshot", "policy_decision"):
        expected = electorate.input_hash if kind == "input_snapshot" else electorate.policy_hash
        return bool(artifacts) and all(artifact.hash == expected for artifact in artifacts)
    return any(_retrievable(artifact) for artifact in artifacts)


def _retrievable(artifact: Evidence) -> bool:
    return any(place is not None and bool(place.strip()) for place in (artifact.hash, artifact.uri))
