"""Access Request and Approval profile (draft 1), re-evaluation mode, on the authorizer's approval requests.

The handle of an approval request is `evaluation_id` of the denial, `task.id`, and `approval.id`: unguessable, and
resolved on the server alone, so nothing is signed (`binding_token`, `approval.state` and `jwks_uri` are not used). The
denial opens the request, since votes are bound to what the engine decided; submitting it is what tells the caller the
task. A task belongs to the caller whose evaluation was denied; others see it with the permission `read`.

| approval request | task |
| --- | --- |
| pending | `pending` |
| approved | `approved`, with a result; a later vote or a changed policy can make it `pending` or `denied` again |
| denied | `denied` |
| withdrawn | `cancelled` |
| consumed | `consumed`, a status of our own, which the profile has callers treat as not approved |
| expired | the problem `task_expired` |

An approval covers what was denied and nothing else: subject, action and resource with their properties, and the
trusted members of the context. It is spent by the re-evaluation that permits. Bundles (`items`) are refused; callbacks
are not made, callers ask the status endpoint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from policy.model.canonical import canonical_bytes
from policy.model.context import Principal
from policy.plugins.approvals.protocol import ApprovalRequest
from policy.plugins.problems import ApprovalError
from policy.server.authentication import Caller
from policy.server.authzen.mapping import Mapped, MappingError, map_request
from policy.server.authzen.messages import AccessRequest, EvaluationRequest
from policy.server.errors import ServiceError
from policy.server.operations import Answer, Call, Service
from policy.types.instants import parse_timestamp

CAPABILITY = "urn:openid:authzen:capability:access-request"
"""How the metadata name the profile."""
PATH = "/access/v1/requests"
"""Where access is requested."""
MODE = "reevaluate"
"""The one completion mode."""
_PROBLEM = "urn:openid:authzen:access-request:error:"
_STATUSES = {"withdrawn": "cancelled"}
_RETRY = {"Retry-After": "5"}
_ACTOR = "act"


def hint(request: ApprovalRequest, base: str, message: str) -> dict[str, Any]:
    """What the context of a denial says where an approval request stands behind it."""
    wanted = [each["id"] for each in request.decision.get("approvals", []) if each.get("state") != "satisfied"]
    return {
        "evaluation_id": request.handle,
        "evaluated_at": request.decision.get("evaluated_at") or request.opened_at,
        "access_request": {
            "endpoint": f"{base}{PATH}",
            "template": ",".join(wanted) or "approval",
            "expires_at": request.expires_at,
            "display": {"title": "Approval needed", "description": message},
        },
    }


def approval_result(request: ApprovalRequest) -> dict[str, Any]:
    """The approval of an approved request, for `context.approval`."""
    return {"id": request.handle, "approved_until": approved_until(request.decision, request.expires_at)}


def approved_until(decision: Mapping[str, Any], expires_at: str) -> str:
    """When the first thing that an approval rests on ends."""
    ends = [expires_at, *(each.get("expires_at") for each in decision.get("approvals", []))]
    known: list[tuple[int, str]] = [
        (read.nanoseconds, end) for end in ends if end is not None and (read := parse_timestamp(end)) is not None
    ]
    return min(known)[1]


def covers(request: ApprovalRequest, mapped: Mapped, trusted: list[str]) -> bool:
    """Whether an approval request is about this very evaluation."""
    return _bound(request.action, request.context, trusted) == _bound(mapped.action, mapped.context, trusted)


def evaluation_key(caller: Caller, mapped: Mapped, trusted: list[str]) -> str:
    """What tells one evaluation from another."""
    bound = _bound(mapped.action, mapped.context, trusted)
    return hashlib.sha256(caller.name.encode() + b"\0" + bound).hexdigest()


def owns(caller: Caller, request: ApprovalRequest) -> bool:
    """Whether it was this caller's evaluation that opened a request."""
    operator = request.context.get("operator")
    return isinstance(operator, Mapping) and operator.get("id") == caller.name


def submit(service: Service, call: Call) -> Answer:
    """An access request for a denied evaluation."""
    body: AccessRequest = call.body
    _check_repetition(service, call)
    if body.items is not None or body.denial.evaluation_id is None:
        raise _problem("invalid_denial_binding", "one evaluation with `denial.evaluation_id` is taken, no bundle")
    request = _looked(service, body.denial.evaluation_id)
    if request is None or not owns(call.caller, request) or body.denial.expires_at != request.expires_at:
        raise _problem("invalid_denial_binding", "the denial is not one of the caller's")
    if not covers(request, _mapped(service, call), list(service.settings.authzen.context_properties)):
        raise _problem("invalid_denial_binding", "the request is not the one that was denied")
    if request.state == "expired":
        raise _problem("expired_denial", "the denial has expired", 410)
    if request.state in {"withdrawn", "consumed"}:
        raise _problem("not_requestable", "the access is not requestable any more")
    answer = _task(request, call)
    location = answer["task"]["status_endpoint"]
    return Answer(body=answer, status=201 if "result" in answer else 202, headers={"Location": location})


def status(service: Service, call: Call) -> Answer:
    """Where a task stands."""
    request = _readable(service, call)
    if request.state == "expired":
        raise _problem("task_expired", "the task has expired", 410)
    return Answer(body=_task(request, call), headers=_RETRY if request.state == "pending" else {})


def cancel(service: Service, call: Call) -> Answer:
    """End a task; for the caller whose evaluation it is about."""
    request = _readable(service, call)
    if not owns(call.caller, request):
        raise _unknown()
    if request.state == "expired":
        raise _problem("task_expired", "the task has expired", 410)
    if request.state not in {"pending", "approved"}:
        raise _problem("invalid_task_state", "the task has ended", 409)
    try:
        ended = service.authorizer.cancel(request.handle, by=Principal(id=call.caller.name, kind="service"))
    except ApprovalError as error:
        raise _problem("invalid_task_state", error.message, 409) from error
    return Answer(body=_task(ended, call))


def _readable(service: Service, call: Call) -> ApprovalRequest:
    request = _looked(service, call.path["handle"])
    if request is None or not (owns(call.caller, request) or "read" in call.caller.permissions):
        raise _unknown()
    return request


def _task(request: ApprovalRequest, call: Call) -> dict[str, Any]:
    address = f"{call.base}{PATH}/{request.handle}"
    task: dict[str, Any] = {
        "id": request.handle,
        "status": _STATUSES.get(request.state, request.state),
        "status_endpoint": address,
        "expires_at": request.expires_at,
    }
    if request.state in {"pending", "approved"}:
        task["links"] = {"cancel": f"{address}/cancel"}
    if request.state != "approved":
        return {"task": task}
    return {"task": task, "result": {"mode": MODE, "approval": approval_result(request)}}


def _bound(action: Mapping[str, Any], context: Mapping[str, Any], trusted: list[str]) -> bytes:
    claims = action.get("identity")
    attributes = context.get("attributes")
    subject, operator = context.get("subject"), context.get("operator")
    return canonical_bytes(
        {
            "capability": action.get("capability_id"),
            "input": action.get("input"),
            "subject": subject.get("id") if isinstance(subject, Mapping) else None,
            "operator": operator.get("id") if isinstance(operator, Mapping) else None,
            # The actor may be told elsewhere; the profile leaves it out of the comparison.
            "properties": {name: part for name, part in claims.items() if name != _ACTOR}
            if isinstance(claims, Mapping)
            else {},
            "route": context.get("route"),
            "context": {name: attributes[name] for name in trusted if name in attributes}
            if isinstance(attributes, Mapping)
            else {},
        }
    )


def _mapped(service: Service, call: Call) -> Mapped:
    body: AccessRequest = call.body
    # Both were validated as parts of the access request.
    evaluation = EvaluationRequest.model_construct(
        subject=body.subject, action=body.action, resource=body.resource, context=body.context
    )
    try:
        return map_request(evaluation, call.caller, service.settings.directory, service.settings.authzen)
    except MappingError as error:
        raise _problem("invalid_denial_binding", error.message) from error


def _check_repetition(service: Service, call: Call) -> None:
    key = call.headers.get("idempotency-key")
    if key is None:
        return
    digest = hashlib.sha256(canonical_bytes(call.body.model_dump(mode="json"))).hexdigest()
    if not service.submissions.same(call.caller.name, key, digest):
        raise _problem("duplicate_request", "the `Idempotency-Key` was sent with another body", 409)


def _looked(service: Service, handle: str) -> ApprovalRequest | None:
    try:
        return service.authorizer.request(handle)
    except ApprovalError as error:
        raise ServiceError("approval.store_unavailable", error.message, reason=error.code) from error


def _unknown() -> ServiceError:
    return _problem("unknown_task", "no task has this handle", 404)


def _problem(name: str, message: str, status: int = 400) -> ServiceError:
    return ServiceError("access_request.refused", message, status=status, problem=f"{_PROBLEM}{name}")
