"""An approval in plain sentences: what is asked and why, who may still give it, who may not, until when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policy.model.decision import Approval, CountedVote
from policy.render.escape import printable
from policy.render.style import PLAIN, Role, Style

_INDENT = "  "
_SHOWN = 10
"""Names that a sentence lists; the JSON form has them all."""
_STATES: dict[str, tuple[Role, str]] = {
    "pending": ("require-approval", "is waiting"),
    "satisfied": ("allow", "is given"),
    "denied": ("deny", "was refused"),
    "no_path": ("deny", "cannot be given by anybody"),
}


def render_approval(approval: Approval, style: Style = PLAIN, *, awaited: bool = True) -> str:
    """One approval requirement and its state, in sentences of one line each.

    Not `awaited`, the action is refused whatever people say, and nobody is told to approve it.
    """
    role, state = _STATES[approval.state]
    head = f'approval "{printable(approval.id)}" {style.paint(role, state)}'
    return "\n".join([head, *(f"{_INDENT}{line}" for line in _sentences(approval, awaited))]) + "\n"


def _sentences(approval: Approval, awaited: bool) -> Iterable[str]:
    yield f"asked for: {printable(approval.needs)}"
    if approval.because is not None:
        yield f"because: {printable(approval.because)}"
    if approval.prompt is not None:
        yield f"to be shown to approvers: {printable(approval.prompt)}"
    if approval.state == "pending":
        yield f"still missing: {approval.missing} approval{'' if approval.missing == 1 else 's'}"
    yield from _votes("given by", approval.counted)
    yield from _votes("refused by", approval.denials)
    for vote in approval.not_counted:
        who, code = printable(vote.approver), printable(vote.code)
        yield f"the vote {printable(vote.decision_id)} of {who} does not count: {printable(vote.message)} ({code})"
    if approval.state == "pending" and awaited:
        yield from _who_may(approval)
    if approval.state == "satisfied" or (approval.state == "pending" and awaited):
        yield from _until(approval)


def _votes(words: str, votes: Sequence[CountedVote]) -> Iterable[str]:
    if votes:
        yield f"{words}: " + _listed(f"{vote.approver} ({vote.decision_id})" for vote in votes)


def _who_may(approval: Approval) -> Iterable[str]:
    if approval.could_approve:
        yield f"may still approve: {_listed(approval.could_approve)}"
    if approval.next and approval.next != approval.could_approve:
        yield f"would complete it: {_listed(approval.next)}"
    if approval.candidates is not None:
        known = _listed(approval.candidates) or "nobody"
        yield f"of the people whose authority is known, these could approve now: {known}"
    if approval.excluded:
        yield f"may not approve: {_listed(_barred(approval))}"
    if approval.evidence:
        yield f"an approval must bring: {_listed(approval.evidence)}"


def _barred(approval: Approval) -> Iterable[str]:
    """Who may not approve, each with what stands in the way."""
    for name in approval.excluded:
        why = approval.excluded_by.get(name, ())
        yield f"{name} ({', '.join(why)})" if why else name


def _until(approval: Approval) -> Iterable[str]:
    if approval.expires_at is not None:
        yield f"the first approval that counts ends at {printable(approval.expires_at)}"
    elif approval.state == "pending":
        yield f"an approval counts for {printable(approval.valid_for)} from the moment it is given"


def _listed(names: Iterable[str]) -> str:
    every = [printable(name) for name in names]
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more
