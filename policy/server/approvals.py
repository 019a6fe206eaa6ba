"""Approval requests over HTTP: read them, vote, withdraw a vote, cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from policy.model.context import Principal
from policy.plugins.approvals.protocol import ApprovalRequest
from policy.plugins.problems import ApprovalError
from policy.server.authentication import Caller
from policy.server.errors import ServiceError
from policy.server.models import (
    ApprovalResponse,
    ApprovalsResponse,
    CancelRequest,
    VoteRequest,
    WithdrawRequest,
)
from policy.server.operations import Answer, Call, Operation, Service

Result = TypeVar("Result")
_ERRORS = ("approval.unknown", "approval.refused", "approval.store_unavailable")
_CODES = {
    "approval.request_unknown": "approval.unknown",
    "approval.store_unavailable": "approval.store_unavailable",
}


def pending(service: Service, call: Call) -> Answer:
    """The approval requests that wait for votes."""
    waiting = asked(service.authorizer.pending)
    return Answer(body={"approvals": [approval_body(each) for each in waiting]})


def read(service: Service, call: Call) -> Answer:
    """One approval request."""
    return Answer(body=approval_body(stored(service, call.path["handle"])))


def vote(service: Service, call: Call) -> Answer:
    """Keep an answer; when this comes back, it is kept for good."""
    body: VoteRequest = call.body
    by = speaker(call.caller, body.by)
    request = asked(
        lambda: service.authorizer.vote(
            call.path["handle"],
            by=by,
            decision=body.decision,
            reason=body.reason,
            evidence=body.evidence,
            constraints=body.constraints,
            decision_id=body.decision_id,
            approval_id=body.approval_id,
        ),
    )
    return Answer(body=approval_body(request))


def withdraw(service: Service, call: Call) -> Answer:
    """Withdraw a vote."""
    body: WithdrawRequest = call.body
    by = speaker(call.caller, body.by)
    handle, vote_id = call.path["handle"], body.decision_id
    return Answer(body=approval_body(asked(lambda: service.authorizer.withdraw(handle, by=by, decision_id=vote_id))))


def cancel(service: Service, call: Call) -> Answer:
    """End an approval request."""
    body: CancelRequest | None = call.body
    by = None if body is None else body.by
    if by is None and call.caller.principal is None:
        by = Principal(id=call.caller.name, kind="service")
    else:
        by = speaker(call.caller, by)
    who = by
    return Answer(body=approval_body(asked(lambda: service.authorizer.cancel(call.path["handle"], by=who))))


def speaker(caller: Caller, stated: Principal | None) -> Principal:
    """Who speaks: the token's principal alone where it has one, else whom the caller states.

    Raises ServiceError where a token speaks for somebody else, or nobody is stated.
    """
    if caller.principal is not None:
        if stated is not None and stated != caller.principal:
            raise ServiceError("caller.not_permitted", "this token speaks for its own principal alone")
        return caller.principal
    if stated is None:
        raise ServiceError("request.malformed", "at `/by`: state who it is, as authenticated by you")
    return stated


def stored(service: Service, handle: str) -> ApprovalRequest:
    """The approval request of a handle. Raises ServiceError for an unknown one."""
    found = asked(lambda: service.authorizer.request(handle))
    if found is None:
        raise ServiceError("approval.unknown", "no approval request has this handle")
    return found


def asked(ask: Callable[[], Result]) -> Result:
    """What the authorizer's approvals answer. Raises ServiceError where it refuses."""
    try:
        return ask()
    except ApprovalError as error:
        code = _CODES.get(error.code, "approval.refused")
        raise ServiceError(code, error.message, reason=error.code) from error


def approval_body(request: ApprovalRequest) -> dict[str, Any]:
    """An approval request as `ApprovalResponse`."""
    return {
        "handle": request.handle,
        "state": request.state,
        "call": request.call,
        "action": request.action,
        "capability_id": request.capability_id,
        "context": request.context,
        "request_digest": request.request_digest,
        "policy_hash": request.policy_hash,
        "opened_at": request.opened_at,
        "expires_at": request.expires_at,
        "votes": list(request.votes),
        "decision": request.decision,
    }


OPERATIONS = (
    Operation(
        name="pendingApprovals",
        method="GET",
        path="/v1/approvals",
        summary="The approval requests that wait for votes, the oldest first.",
        handler=pending,
        permission="read",
        response=ApprovalsResponse,
        errors=_ERRORS[2:],
    ),
    Operation(
        name="approval",
        method="GET",
        path="/v1/approvals/{handle}",
        summary="One approval request, its votes and what they come to.",
        handler=read,
        permission="read",
        response=ApprovalResponse,
        errors=_ERRORS,
    ),
    Operation(
        name="vote",
        method="POST",
        path="/v1/approvals/{handle}/votes",
        summary="Approve or deny, in the name of a person the caller authenticated.",
        handler=vote,
        permission="approve",
        request=VoteRequest,
        response=ApprovalResponse,
        errors=_ERRORS,
    ),
    Operation(
        name="withdrawVote",
        method="POST",
        path="/v1/approvals/{handle}/withdraw",
        summary="Withdraw a vote.",
        handler=withdraw,
        permission="approve",
        request=WithdrawRequest,
        response=ApprovalResponse,
        errors=_ERRORS,
    ),
    Operation(
        name="cancelApproval",
        method="POST",
        path="/v1/approvals/{handle}/cancel",
        summary="End an approval request, which then releases nothing.",
        handler=cancel,
        permission="cancel",
        request=CancelRequest,
        optional_body=True,
        response=ApprovalResponse,
        errors=_ERRORS,
    ),
)
"""The endpoints of approvals."""
