"""Stage 8: where every approval requirement of an action stands, and why."""

from __future__ import annotations

from collections.abc import Sequence

from policy.decide.approvals.counting import Electorate, ask, count
from policy.decide.approvals.denials import judge_denials
from policy.decide.approvals.eligibility import leaf_table
from policy.decide.approvals.report import Verdict, reasons, report
from policy.decide.approvals.requirement import LayeredSeparation, Requirement
from policy.decide.approvals.satisfaction import standing
from policy.decide.approvals.votes import Ballots, read_votes, speakers
from policy.decide.people import People, parties_of
from policy.decide.request import Request
from policy.decide.separation import approver_exclusions
from policy.ir.alternatives import quorum_of
from policy.model.canonical import digest
from policy.model.decision import Approval, Reason
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Judged:
    """One requirement, judged."""

    approval: Approval
    reasons: tuple[Reason, ...]
    """Why it is asked for, as long as it is not satisfied, and what came of it."""


def judge(
    requirements: Sequence[Requirement],
    request: Request,
    separations: Sequence[LayeredSeparation],
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Judged, ...]:
    """Judge every requirement of an action, in their order. `separations` are all that apply to it.

    Raises ValueError where an approval has more alternatives than `limits` allow; no loader lets one through.
    """
    if not requirements:
        return ()
    people = People(request.context)
    ballots = read_votes(request, people)
    snapshots = any("input_snapshot" in requirement.approval.evidence for requirement in requirements)
    electorate = _electorate(request, people, ballots, separations, digest(request.action.input) if snapshots else None)
    ids = frozenset(requirement.id for requirement in requirements)
    return tuple(_judge_one(requirement, electorate, ballots, ids, limits) for requirement in requirements)


def _electorate(
    request: Request,
    people: People,
    ballots: Ballots,
    separations: Sequence[LayeredSeparation],
    input_hash: str | None,
) -> Electorate:
    parties = parties_of(request.context)
    exclusions = approver_exclusions(separations, request, people)
    used = request.context.used_votes
    unknown = None
    if exclusions.unknown or not parties.known:
        unknown = "approval.parties_unknown"
    elif people.untold_people(parties):
        unknown = "approval.person_unknown"
    return Electorate(
        request=request,
        policy_hash=request.policy.hash,
        now=request.now.nanoseconds,
        people=people,
        records={name: record for name, record in people.records.items() if name not in request.authority_failures},
        parties=parties,
        party_persons=frozenset(people.person(party.id) for party in parties.stated),
        exclusions=exclusions,
        separations=separations,
        used=None if used is None else frozenset(used),
        unknown=unknown,
        input_hash=input_hash,
        withdrawn=ballots.withdrawn,
    )


def _judge_one(
    requirement: Requirement, electorate: Electorate, ballots: Ballots, ids: frozenset[str], limits: Limits
) -> Judged:
    approval = requirement.approval
    quorum = quorum_of(approval.need, limits.alternatives)
    if quorum is None:
        raise ValueError(f"the approval {requirement.id} has more than {limits.alternatives} alternatives")
    table = leaf_table(quorum.leaves, electorate.request)
    question = ask(requirement, table, electorate)
    spoken = speakers(ballots.ballots, requirement.id, ids)
    approvals = count(ballots.ballots, spoken, question)
    approving = frozenset(ballot.person for ballot, _ in approvals.counted)
    supporters = (supporter for _, supporter in approvals.counted)
    verdict = Verdict(
        question=question,
        ballots=ballots.ballots,
        spoken=frozenset(ballot.decision_id for ballot in spoken),
        counted=approvals.counted,
        refused=approvals.refused,
        denials=judge_denials(spoken, ballots.lifted, approving, question),
        stands=standing(quorum, supporters, approval.at_least, distinct=approval.distinct_by is not None),
    )
    return Judged(report(verdict), reasons(verdict))
