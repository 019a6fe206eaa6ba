"""Which denials stand (language.md section 7).

A "no" to this very request stands until its voter approves by a later vote that counts, or withdraws it. Age,
evidence, constraints, kind, separation, the record's revocation or expiry and the policy hash do not matter to it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from policy.decide.approvals.counting import Question, no_record
from policy.decide.approvals.votes import Ballot
from policy.decide.people import Person
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Denials:
    """The denials of one requirement."""

    standing: tuple[Ballot, ...]
    """One for each person who denies, the latest that counts."""
    unresolved: tuple[Ballot, ...]
    """Denials of which nobody can tell whether they count; they keep the requirement pending."""
    refused: tuple[tuple[Ballot, str], ...]
    """Every denial that is not standing, with its code; the unresolved ones are among them."""


def judge_denials(
    spoken: Sequence[Ballot], lifted: frozenset[str], approving: Collection[Person], question: Question
) -> Denials:
    """Judge the denials that speak for a requirement, the later ones last in `spoken`.

    `lifted` are ids of denials that their voters withdrew; `approving` are the persons whose last vote is an approval
    that counts.
    """
    standing: dict[Person, Ballot] = {}
    unresolved: list[Ballot] = []
    refused: list[tuple[Ballot, str]] = []
    for ballot in spoken:
        if not ballot.denies:
            continue
        code: str | None
        if ballot.decision_id in lifted:
            code = "approval.withdrawn"
        elif ballot.person in approving:
            code = "approval.superseded"
        else:
            entitled, code = _entitled(ballot, question)
            if entitled is None:
                unresolved.append(ballot)
        if code is not None:
            refused.append((ballot, code))
            continue
        earlier = standing.get(ballot.person)
        if earlier is not None:
            refused.append((earlier, "approval.superseded"))
        standing[ballot.person] = ballot
    return Denials(tuple(standing.values()), tuple(unresolved), tuple(refused))


def _entitled(ballot: Ballot, question: Question) -> tuple[bool | None, str | None]:
    """Whether a denial counts (None: nobody can tell), and the code where it does not."""
    electorate = question.electorate
    if ballot.person in electorate.party_persons:
        return True, None
    voter = ballot.voter
    code = no_record(voter, electorate)
    if code is not None:
        # A record of another tenant counts for nothing, so such a voter has none.
        return None, code
    entitled = question.table.entitled(electorate.records[voter])
    return entitled, None if entitled else "approval.not_eligible"
