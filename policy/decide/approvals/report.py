"""A judged requirement as decisions show it, and the reasons it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from policy.decide.approvals.counting import Electorate, Question, unspeaking
from policy.decide.approvals.denials import Denials
from policy.decide.approvals.prospects import candidates, excluded, excluded_by, labels, open_leaves
from policy.decide.approvals.requirement import Requirement
from policy.decide.approvals.satisfaction import Standing, Supporter
from policy.decide.approvals.votes import Ballot
from policy.decide.people import Person
from policy.model.base import made
from policy.model.decision import Approval, CountedVote, Reason, UncountedVote
from policy.source.codes import CODES
from policy.source.records import dataclass
from policy.types.instants import LAST_INSTANT, format_duration, format_timestamp, parse_timestamp
from policy.types.names import PARTIES
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
    barred = excluded(question, (ballot.voter for ballot in verdict.ballots))
    return Approval(
        id=question.requirement.id,
        state=verdict.state,
        needs=approval.needs,
        missing=verdict.stands.missing,
        counted=_shown(ballot for ballot, _ in verdict.counted),
        not_counted=_not_counted(verdict),
        denials=_shown(sorted(verdict.denials.standing)),
        could_approve=labels(leaves, open_mask),
        next=labels(leaves, open_mask & verdict.stands.wanted),
        candidates=candidates(question, persons),
        excluded=barred,
        excluded_by=excluded_by(question, barred) if pending else {},
        evidence=list(approval.evidence),
        valid_for=format_duration(approval.valid_for),
        expires_at=_first_end([ballot for ballot, _ in verdict.counted], approval.valid_for),
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
            hindrance = _hindrance(verdict.question.electorate)
            if hindrance is None:
                return requirement.reasons
            message = f"no approval can count: {hindrance}"
            useless = _reason(requirement, "approval.none_counts", "require-approval", message)
            return (useless, *requirement.reasons)


def _hindrance(electorate: Electorate) -> str | None:
    """What the runtime leaves out, so that no vote counts whoever gives it; None where nothing is."""
    parties = electorate.parties
    found = []
    if electorate.used is None:
        found.append("the runtime does not state `used_votes`")
    missing = [name for name in PARTIES if getattr(parties, name) is None]
    if parties.delegators is None:
        missing.append("delegation")
    if missing:
        found.append(f"the runtime does not state {' and '.join(f'`{name}`' for name in missing)}")
    if electorate.exclusions.unknown:
        found.append("somebody whom a separation keeps from approving is not stated")
    if electorate.exclusions.anybody:
        found.append("the history does not tell who performed another step")
    untold = [party.id for party in parties.stated if electorate.people.untold(party)]
    if untold:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(untold))
        found.append(f"the `person_id` of {names} is not told, so nobody is known to be somebody else")
    return "; ".join(found) or None


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
    return ", ".join(f"`{name}`" for name in sorted({ballot.voter for ballot in ballots}))


def _shown(ballots: Iterable[Ballot]) -> list[CountedVote]:
    return [made(CountedVote, {"decision_id": each.decision_id, "approver": each.voter}) for each in ballots]


def _not_counted(verdict: Verdict) -> list[UncountedVote]:
    refused = sorted((*verdict.refused, *verdict.denials.refused, *_unspoken_denials(verdict)))
    return [
        made(
            UncountedVote,
            {
                "decision_id": ballot.decision_id,
                "approver": ballot.voter,
                "code": code,
                "message": CODES[code].summary,
            },
        )
        for ballot, code in refused
    ]


def _unspoken_denials(verdict: Verdict) -> Iterator[tuple[Ballot, str]]:
    for ballot in verdict.ballots:
        if ballot.denies and ballot.decision_id not in verdict.spoken:
            yield ballot, "approval.other_requirement" if ballot.speaks else unspeaking(ballot)


def _first_end(counted: Sequence[Ballot], valid_for: int) -> str | None:
    """When the first of the counted votes ends, the earliest of them first: its age, or its voter's own deadline."""
    if not counted:
        return None
    # No instant is later than the last one that a timestamp can say.
    ends = [counted[0].decided_at + valid_for, LAST_INSTANT.nanoseconds]
    for stated in (ballot.vote.expires_at for ballot in counted):
        end = None if stated is None else parse_timestamp(stated)
        if end is not None:
            ends.append(end.nanoseconds)
    return format_timestamp(Timestamp(min(ends)))
