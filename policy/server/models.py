"""The messages of the native endpoints. They grow; they do not change."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from policy.model.base import Identifier, Json, Model
from policy.model.context import Constraint, Evidence, Principal
from policy.model.decision import Decision


class DecideRequest(Model):
    """One call to decide on. The capability is `action.capability_id`, taken from the service's catalog."""

    action: dict[str, Json]
    """What will be executed; `policy schema action` is its schema. A malformed one is a denial that says so."""
    context: dict[str, Json]
    """The runtime's word on who, where and when; `policy schema context` is its schema."""


class DecideResponse(Model):
    """One decision."""

    allowed: bool
    """Whether the action may run now. The only thing that lets it run."""
    outcome: Literal["allow", "require-approval", "deny"]
    """The decision in one word."""
    message: str
    """Outcome and plain reasons, safe to show a model: no people, no rule text, no values of the input."""
    handle: str | None
    """The approval request that was opened, where people must approve and the service keeps approvals."""
    call: str
    """The call that was answered: the action's id, else the request digest."""
    decision: Decision
    """The whole decision, for the runtime."""


class DecideManyRequest(Model):
    """Several calls to decide on, each for itself."""

    requests: list[DecideRequest] = Field(min_length=1)
    """The calls."""


class DecideManyResponse(Model):
    """The decisions, in the order of the calls."""

    decisions: list[DecideResponse]
    """One for each call."""


class VisibleRequest(Model):
    """Which capabilities an agent may be shown."""

    context: dict[str, Json]
    """The runtime's word on who, where and when."""
    capabilities: list[Identifier] | None = None
    """Ids to choose among; None: the whole catalog. Unknown ids are never shown."""


class VisibleResponse(Model):
    """What may be shown; what is shown may still be denied."""

    visible: list[str]
    """Ids, in the order asked for."""


class ExplainResponse(Model):
    """A decision with every rule that was looked at. It opens no approval request and spends nothing."""

    decision: Decision
    """The decision, without the stored votes."""
    rules: list[dict[str, Json]]
    """Every rule and every condition with its value, as `policy decide --explain --format json` writes it."""


class ReleaseRequest(DecideRequest):
    """An approved call, right before its execution. Action and context are those of the decision, unchanged."""

    handle: Identifier
    """The approval request."""


class VoteRequest(Model):
    """An answer to an approval request."""

    by: Principal | None = None
    """Who answers, as authenticated by the caller; None: the principal of the caller's token."""
    decision: Literal["approved", "denied"]
    """The answer."""
    decision_id: Identifier | None = None
    """Its id; sent again with the same one, a vote is kept once. None: the service makes one up."""
    approval_id: Identifier | None = None
    """The one requirement it speaks for; None: for every requirement."""
    reason: str | None = None
    """The voter's words."""
    evidence: list[Evidence] = Field(default_factory=list)
    """Artifacts."""
    constraints: list[Constraint] | None = None
    """Conditions on the input."""


class WithdrawRequest(Model):
    """The withdrawal of a vote."""

    by: Principal | None = None
    """Who withdraws it; None: the principal of the caller's token."""
    decision_id: Identifier
    """The vote."""


class CancelRequest(Model):
    """The end of an approval request, which then releases nothing."""

    by: Principal | None = None
    """Who ends it; None: the principal of the caller's token, else the caller as a service."""


class ApprovalResponse(Model):
    """An approval request."""

    handle: str
    """Its unguessable name."""
    state: Literal["pending", "approved", "denied", "withdrawn", "consumed", "expired"]
    """Told by a fresh decision on the votes so far. `approved` lets nothing run: `release` does."""
    call: str
    """The call that waits for it."""
    action: dict[str, Json]
    """The action, frozen."""
    capability_id: str
    """The capability."""
    context: dict[str, Json]
    """The context, frozen."""
    request_digest: str
    """What votes are bound to."""
    policy_hash: str
    """The policy that last asked for the approval."""
    opened_at: str
    """When it was opened."""
    expires_at: str
    """When it ends."""
    votes: list[dict[str, Json]]
    """Every vote and withdrawal, in the order of receipt."""
    decision: dict[str, Json]
    """The last decision."""


class ApprovalsResponse(Model):
    """The approval requests that wait for votes, the oldest first."""

    approvals: list[ApprovalResponse]
    """The requests."""


class ReadyResponse(Model):
    """Whether the service decides, and by what."""

    ready: bool
    """True: there is a policy that decides."""
    policy_hash: str
    """The policy that decides now."""
    status: dict[str, Any]
    """The authorizer's own status: both policy hashes, the last reload, its error. Errors for readers only."""


class ErrorDetail(Model):
    """What is wrong."""

    status: int
    """The HTTP status."""
    code: str
    """Stable."""
    message: str
    """A sentence for a person."""
    reason: str | None = None
    """A reason code of grammar/CODES.md, where the authorizer gave one."""


class ErrorResponse(Model):
    """Every failure."""

    error: ErrorDetail
    """What is wrong."""


class ProblemResponse(Model):
    """A failure in the form of RFC 9457, where a protocol asks for it."""

    type: str
    """The problem type of the protocol."""
    title: str
    """A sentence for a person."""
    status: int
    """The HTTP status."""
    code: str
    """Stable."""
