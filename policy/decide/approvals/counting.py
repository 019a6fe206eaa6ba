"""Which approvals count: the first reason against each, in the documented order (language.md section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from policy.decide.approvals.constraints import constraint_holds
from policy.decide.approvals.eligibility import LeafTable, ended
from policy.decide.approvals.requirement import Requirement
from policy.decide.approvals.satisfaction import Supporter
from policy.decide.approvals.votes import Ballot
from policy.decide.people import Parties, People, Person
from policy.decide.request import Request
from policy.decide.separation import Exclusions, roles_conflict
from policy.ir import nodes as ir
from policy.model.context import AuthorityRecord, Evidence, Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class Electorate:
    """What every vote of a request is judged against; the same for all requirements."""

    request: Request
    people: People
    parties: Parties
    party_persons: frozenset[Person]
    exclusions: Exclusions
    used: frozenset[str] | None
    """Decision ids already spent; None where the runtime does not state them."""
    parties_unknown: bool
    """Whether a party of the action or one that a separation names is not stated."""
    person_unknown: bool
    """Whether the person of a party that is a person is not told."""
    input_hash: str | None
    """`sha256:…` over the RFC 8785 form of the input; None where no approval asks for a snapshot of it."""
    withdrawn: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One requirement, with what its votes are judged by."""

    requirement: Requirement
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

    @property
    def approval(self) -> ir.Approval:
        """The approval that is asked for."""
        return self.requirement.approval

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of principal whose votes count."""
        accepted = self.approval.kinds
        return tuple(kind for kind in accepted if kind == "human") if self.requirement.humans_only else accepted


def judge_approval(ballot: Ballot, question: Question, last: Mapping[Person, Ballot]) -> Supporter | str:
    """What the approval supports where it counts, else the code of the first reason why it does not.

    `last` is the last ballot of each person that speaks for this requirement.
    """
    vote = ballot.vote
    electorate = question.electorate
    code = (
        _binding(ballot, question)
        or no_record(vote.approver.id, electorate)
        or _validity(ballot, question)
        or ("approval.superseded" if last.get(ballot.person) is not ballot else None)
        or _content(vote, question)
    )
    if code is not None:
        return code
    return question.verdict(electorate.people.records[vote.approver.id])


def _judge_person(record: AuthorityRecord, question: Question) -> Supporter | str:
    """Whether whoever has this record may approve, votes aside: the last part of the order of reasons."""
    code = _personal_refusal(record, question)
    if code is not None:
        return code
    leaves = question.table.matched(record)
    if not leaves:
        return "approval.not_eligible"
    value = distinct_value(record, question.approval)
    if question.approval.distinct_by is not None and value is None:
        return "approval.distinct_unknown"
    return Supporter(leaves, value)


def _personal_refusal(record: AuthorityRecord, question: Question) -> str | None:
    """Why nobody, or not this person, may approve this action: parties, self, separation, roles."""
    electorate = question.electorate
    if electorate.parties_unknown:
        return "approval.parties_unknown"
    if electorate.person_unknown:
        return "approval.person_unknown"
    person = electorate.people.person(record.principal_id)
    if person in electorate.party_persons and not question.approval.self_approval:
        return "approval.self"
    exclusions = electorate.exclusions
    if exclusions.anybody or person in exclusions.persons:
        return "approval.separation"
    if exclusions.conflicts and roles_conflict(exclusions.conflicts, record, electorate.parties, electorate.people):
        return "approval.role_conflict"
    return None


def record_refusal(record: AuthorityRecord, question: Question) -> str | None:
    """Why a record gives no authority to this approval now, whatever it says."""
    if record.revoked:
        return "approval.authority_revoked"
    if ended(record.expires_at, question.electorate.request.now.nanoseconds):
        return "approval.authority_expired"
    return None if record.kind in question.kinds else "approval.kind"


def distinct_value(record: AuthorityRecord, approval: ir.Approval) -> str | None:
    """The value by which approvers must differ: a string attribute that is not empty; None where there is none."""
    if approval.distinct_by is None:
        return None
    value = (record.attributes or {}).get(approval.distinct_by)
    return value if isinstance(value, str) and value else None


def unspeaking(ballot: Ballot) -> str | None:
    """Why a vote does not speak for this request at all."""
    if ballot.speaks:
        return None
    return "approval.unbound" if ballot.vote.request_digest is None else "approval.request_changed"


def no_record(principal_id: str, electorate: Electorate) -> str | None:
    """Why a voter has no authority record of this tenant; None where there is one."""
    if principal_id in electorate.request.authority_failures:
        return "approval.authority_unavailable"
    if principal_id in electorate.people.records:
        return None
    return "approval.authority_tenant" if principal_id in electorate.people.foreign else "approval.authority_unknown"


def _binding(ballot: Ballot, question: Question) -> str | None:
    vote = ballot.vote
    if vote.policy_hash is None:
        return "approval.unbound"
    if not ballot.speaks:
        return unspeaking(ballot)
    if vote.policy_hash != question.electorate.request.policy.hash:
        return "approval.policy_changed"
    if vote.approval_id is not None and vote.approval_id != question.requirement.id:
        return "approval.other_requirement"
    return None


def _validity(ballot: Ballot, question: Question) -> str | None:
    vote = ballot.vote
    electorate = question.electorate
    record = electorate.people.records[vote.approver.id]
    refusal = record_refusal(record, question)
    if refusal is None and record.kind != vote.approver.kind:
        refusal = "approval.kind"
    if refusal is not None:
        return refusal
    now = electorate.request.now.nanoseconds
    if ballot.decided_at > now:
        return "approval.not_yet_valid"
    if now >= ballot.decided_at + question.approval.valid_for or ended(vote.expires_at, now):
        return "approval.expired"
    if electorate.used is None:
        return "approval.usage_unknown"
    if vote.decision_id in electorate.used:
        return "approval.used"
    return "approval.withdrawn" if vote.decision_id in electorate.withdrawn else None


def _content(vote: Vote, question: Question) -> str | None:
    electorate = question.electorate
    if not all(_brought(kind, vote, electorate) for kind in question.approval.evidence):
        return "approval.evidence_missing"
    action = electorate.request.action
    if not all(constraint_holds(constraint, action.input) for constraint in vote.constraints or ()):
        return "approval.constraint_failed"
    return None


def _brought(kind: str, vote: Vote, electorate: Electorate) -> bool:
    """Whether a vote brings evidence of a kind, and nothing of that kind that speaks of something else."""
    if kind == "reason":
        return vote.reason is not None and bool(vote.reason.strip())
    artifacts = [artifact for artifact in vote.evidence or () if artifact.kind == kind]
    expected = {
        "input_snapshot": electorate.input_hash,
        "policy_decision": electorate.request.policy.hash,
    }.get(kind)
    if expected is not None:
        return bool(artifacts) and all(artifact.hash == expected for artifact in artifacts)
    return any(_retrievable(artifact) for artifact in artifacts)


def _retrievable(artifact: Evidence) -> bool:
    return any(place is not None and bool(place.strip()) for place in (artifact.hash, artifact.uri))
