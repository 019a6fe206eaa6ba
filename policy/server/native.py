"""The native endpoints: decide, decide-many, visible, explain, release."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from policy.plugins.authorization import Authorization
from policy.render.explanation import explanation_json
from policy.server.authentication import Caller
from policy.server.errors import ServiceError
from policy.server.models import (
    DecideManyRequest,
    DecideManyResponse,
    DecideRequest,
    DecideResponse,
    ExplainResponse,
    ReleaseRequest,
    VisibleRequest,
    VisibleResponse,
)
from policy.server.operations import Answer, Call, Operation, Service

VOUCHED = ("approvals", "used_votes", "authorities", "history", "now")
"""Members of a context that the service has from its store, directory and clock; to state them is a permission."""


def decide(service: Service, call: Call) -> Answer:
    """One decision."""
    return Answer(body=_decided(service, call.caller, call.body))


def decide_many(service: Service, call: Call) -> Answer:
    """Several decisions, each for itself."""
    body: DecideManyRequest = call.body
    bound = service.settings.limits.batch
    if len(body.requests) > bound:
        raise ServiceError("request.malformed", f"at `/requests`: more than {bound:,} calls; send them in parts")
    for request in body.requests:
        check_vouched(call.caller, request.context)
    return Answer(body={"decisions": [_decided(service, call.caller, request) for request in body.requests]})


def visible(service: Service, call: Call) -> Answer:
    """Which capabilities may be shown."""
    body: VisibleRequest = call.body
    check_vouched(call.caller, body.context)
    chosen = list(service.authorizer.capabilities) if body.capabilities is None else body.capabilities
    return Answer(body={"visible": service.authorizer.visible(chosen, body.context)})


def explain(service: Service, call: Call) -> Answer:
    """The whole trace of one decision."""
    body: DecideRequest = call.body
    check_vouched(call.caller, body.context)
    capability = service.authorizer.capabilities.get(capability_id(body.action))
    if capability is None:
        raise ServiceError("capability.unknown", "the catalog has no capability of this id")
    context = body.context
    if context.get("now") is None:
        # An engine that was handed to the authorizer need not have a clock.
        context = {**context, "now": datetime.now(UTC).isoformat()}
    explanation = service.authorizer.engine.explain(body.action, capability, context)
    return Answer(body=explanation_json(explanation))


def release(service: Service, call: Call) -> Answer:
    """Decide again on the stored votes, and spend the approval where that allows."""
    body: ReleaseRequest = call.body
    check_vouched(call.caller, body.context)
    authorization = service.authorizer.release(
        body.action, capability_id(body.action), body.context, handle=body.handle
    )
    return Answer(body=decision_body(authorization))


def check_vouched(caller: Caller, context: Mapping[str, Any]) -> None:
    """Raise ServiceError where a context states what the caller may not vouch for."""
    stated = [name for name in VOUCHED if context.get(name) is not None]
    if stated and "vouch" not in caller.permissions:
        members = ", ".join(f"`{name}`" for name in stated)
        raise ServiceError("caller.not_permitted", f"to state {members} in a context takes the permission `vouch`")


def capability_id(action: Mapping[str, Any]) -> str:
    """The capability that an action calls; the empty text, which no catalog has, where it names none."""
    named = action.get("capability_id")
    return named if isinstance(named, str) else ""


def decision_body(authorization: Authorization) -> dict[str, Any]:
    """An authorization as `DecideResponse`."""
    decision = authorization.decision
    return {
        "allowed": authorization.allowed,
        "outcome": decision.outcome.value,
        "message": authorization.message,
        "handle": authorization.handle,
        "call": authorization.call,
        "decision": decision.model_dump(mode="json"),
    }


def _decided(service: Service, caller: Caller, request: DecideRequest) -> dict[str, Any]:
    check_vouched(caller, request.context)
    return decision_body(service.authorizer.authorize(request.action, capability_id(request.action), request.context))


OPERATIONS = (
    Operation(
        name="decide",
        method="POST",
        path="/v1/decide",
        summary="Decide on one call, and open an approval request where people must approve it.",
        handler=decide,
        permission="decide",
        request=DecideRequest,
        response=DecideResponse,
        errors=("request.capability_document",),
    ),
    Operation(
        name="decideMany",
        method="POST",
        path="/v1/decide-many",
        summary="Decide on several calls, each for itself, in the same order.",
        handler=decide_many,
        permission="decide",
        request=DecideManyRequest,
        response=DecideManyResponse,
        errors=("request.capability_document",),
    ),
    Operation(
        name="visible",
        method="POST",
        path="/v1/visible",
        summary="Which capabilities an agent may be shown.",
        handler=visible,
        permission="decide",
        request=VisibleRequest,
        response=VisibleResponse,
    ),
    Operation(
        name="explain",
        method="POST",
        path="/v1/explain",
        summary="A decision with every rule and condition behind it.",
        handler=explain,
        permission="explain",
        request=DecideRequest,
        response=ExplainResponse,
        errors=("request.capability_document", "capability.unknown"),
    ),
    Operation(
        name="release",
        method="POST",
        path="/v1/release",
        summary="Decide again right before the execution of an approved call, and spend the approval.",
        handler=release,
        permission="release",
        request=ReleaseRequest,
        response=DecideResponse,
        errors=("request.capability_document",),
    ),
)
"""The native endpoints."""
