"""A judged requirement as decisions show it, and the reasons it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from policy.decide.approvals.counting import Question, unspeaking
from policy.decide.approvals.denials import Denials
from policy.decide.approvals.prospects import candidates, excluded, labels, open_leaves
from policy.decide.approvals.requirement import Requirement
from policy.decide.approvals.satisfaction import Standing, Supporter
from policy.decide.approvals.votes import Ballot
from policy.decide.people import Person
from policy.model.decision import Approval, CountedVote, Reason, UncountedVote
from policy.source.codes import CODES
from policy.types.instants import LAST_INSTANT, format_duration, format_timestamp, parse_timestamp
from policy.types.values import Timestamp

State = Literal["pending", "satisfied", "denied"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Everything that was found out about one requirement."""

    question: Question
    ballots: tuple[Ballot, ...]
    """Every approval and denial of the context, the later ones last."""
    spoken: frozenset[str]
    """Decision ids of those that speak for this requirement."""
    counted: tuple[tuple[Ballot, Supporter], ...]
    refused: tuple[tuple[Ballot, str], ...]
    """Approvals that do not count, with their codes."""
    denials: Denials
    stands: Standing

    @property
    def state(self) -> State:
        """Where the requirement stands: denials first, then what is missing."""
        if len(self.denials.standing) >= self.question.approval.denied_by:
            return "denied"
        return "pending" if self.stands.missing or self.denials.unresolved else "satisfied"


def report(verdict: Verdict) -> Approval:
    """The requirement as decisions show it. Votes are in the order of their receipt, whatever order they came in."""
    question = verdict.question
    approval = question.approval
    persons: frozenset[Person] = frozenset(ballot.person for ballot, _ in verdict.counted)
    leaves = [resolved.leaf for resolved in question.table.leaves]
    pending = verdict.state == "pending"
    open_mask = open_leaves(question, persons) if pending else 0
    return Approval(
        id=question.requirement.id,
        state=verdict.state,
        needs=approval.needs,
        missing=verdict.stands.missing,
        counted=[_counted(ballot) for ballot, _ in verdict.counted],
        not_counted=_not_counted(verdict),
        denials=[_counted(ballot) for ballot in _in_order(verdict.denials.standing)],
        could_approve=labels(leaves, open_mask),
        next=labels(leaves, open_mask & verdict.stands.wanted),
        candidates=candidates(question, persons),
        excluded=excluded(question, (ballot.vote.approver.id for ballot in verdict.ballots)),
        evidence=list(approval.evidence),
        valid_for=format_duration(approval.valid_for),
        expires_at=_first_end((ballot for ballot, _ in verdict.counted), approval.valid_for),
        prompt=question.requirement.prompt,
        layer=question.requirement.layer,
        because=approval.because,
    )


def reasons(verdict: Verdict) -> tuple[Reason, ...]:
    """Why the approval is asked for, as long as it is not satisfied, and what came of it."""
    requirement = verdict.question.requirement
    match verdict.state:
        case "satisfied":
            return (_reason(requirement, "approval.satisfied", "note", "everything that is asked for was given"),)
        case "denied":
            who = _names(verdict.denials.standing)
            return (_reason(requirement, "approval.denied", "deny", f"{who} said no"), *requirement.reasons)
        case "pending" if verdict.denials.unresolved:
            who = _names(verdict.denials.unresolved)
            message = f"{who} said no, and nobody can tell whether that counts"
            unresolved = _reason(requirement, "approval.denial_unresolved", "require-approval", message)
            return (*requirement.reasons, unresolved)
        case _:
            return requirement.reasons


def _reason(
    requirement: Requirement, code: str, effect: Literal["deny", "require-approval", "note"], message: str
) -> Reason:
    approval = requirement.approval
    return Reason(
        code=code,
        effect=effect,
        rule=approval.id,
        message=message,
        location=approval.span.location,
        layer=requirement.layer,
    )


def _names(ballots: Iterable[Ballot]) -> str:
    return ", ".join(f"`{name}`" for name in sorted({ballot.vote.approver.id for ballot in ballots}))


def _counted(ballot: Ballot) -> CountedVote:
    return CountedVote(decision_id=ballot.vote.decision_id, approver=ballot.vote.approver.id)


def _not_counted(verdict: Verdict) -> list[UncountedVote]:
    refused = [*verdict.refused, *verdict.denials.refused, *_unspoken_denials(verdict)]
    codes = {ballot.vote.decision_id: code for ballot, code in refused}
    return [
        UncountedVote(
            decision_id=ballot.vote.decision_id,
            approver=ballot.vote.approver.id,
            code=codes[ballot.vote.decision_id],
            message=CODES[codes[ballot.vote.decision_id]].summary,
        )
        for ballot in verdict.ballots
        if ballot.vote.decision_id in codes
    ]


def _unspoken_denials(verdict: Verdict) -> Iterator[tuple[Ballot, str]]:
    for ballot in verdict.ballots:
        if ballot.denies and ballot.vote.decision_id not in verdict.spoken:
            yield ballot, unspeaking(ballot) or "approval.other_requirement"


def _in_order(ballots: Sequence[Ballot]) -> list[Ballot]:
    return sorted(ballots, key=lambda ballot: (ballot.decided_at, ballot.vote.decision_id))


def _first_end(counted: Iterable[Ballot], valid_for: int) -> str | None:
    """When the first of the counted votes ends: its age, or its voter's own deadline."""
    ends = [min(_own_end(ballot), ballot.decided_at + valid_for) for ballot in counted]
    return format_timestamp(Timestamp(min(ends))) if ends else None


def _own_end(ballot: Ballot) -> int:
    # No instant is later than the last one that a timestamp can say.
    stated = None if ballot.vote.expires_at is None else parse_timestamp(ballot.vote.expires_at)
    return LAST_INSTANT.nanoseconds if stated is None else stated.nanoseconds
