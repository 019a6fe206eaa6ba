"""Access evaluation and evaluations of the Authorization API 1.0.

An evaluation is always answered with 200 and a decision; a status of its own says that the request was none. Of
several evaluations each that cannot be done is `decision: false` with `context.error`. With `context.approval` (Access
Request and Approval profile) an evaluation is a release: it decides on the stored votes and spends the approval.
"""

from __future__ import annotations

from typing import Any

from policy.plugins.authorization import Authorization
from policy.plugins.problems import ApprovalError
from policy.server.authzen import access_request, answer, obligations
from policy.server.authzen.mapping import Mapped, MappingError, map_request
from policy.server.authzen.memory import OpenCalls
from policy.server.authzen.messages import EvaluationRequest, EvaluationsRequest
from policy.server.errors import ServiceError
from policy.server.operations import Answer, Call, Service
from policy.server.reading import validated

_ENTITIES = {"subject": ("type", "id"), "action": ("name",), "resource": ("type", "id")}
"""The entities of an evaluation, and their required members."""
_STOPS: dict[str, bool | None] = {"execute_all": None, "deny_on_first_deny": False, "permit_on_first_permit": True}
"""The semantics, and the decision after which no evaluation is done."""


def evaluation(service: Service, call: Call) -> Answer:
    """One access evaluation."""
    return Answer(body=_evaluated(service, call, call.body))


def evaluations(service: Service, call: Call) -> Answer:
    """Several access evaluations."""
    body: EvaluationsRequest = call.body
    if not body.evaluations:
        whole = {name: part for name in (*_ENTITIES, "context") if (part := getattr(body, name)) is not None}
        return Answer(body=_evaluated(service, call, validated(EvaluationRequest, whole)))
    bound = service.settings.limits.batch
    if len(body.evaluations) > bound:
        raise ServiceError("request.malformed", f"at `/evaluations`: more than {bound:,}; send them in parts")
    semantic = body.options.evaluations_semantic
    if semantic not in _STOPS:
        known = ", ".join(f"`{name}`" for name in _STOPS)
        raise ServiceError("request.malformed", f"at `/options/evaluations_semantic`: one of {known}")
    answers: list[dict[str, Any]] = []
    for each in body.evaluations:
        done = _one_of_several(service, call, body, each)
        answers.append(done)
        if done["decision"] is _STOPS[semantic]:
            break
    return Answer(body={"evaluations": answers})


def _one_of_several(service: Service, call: Call, body: EvaluationsRequest, written: Any) -> dict[str, Any]:
    try:
        return _evaluated(service, call, validated(EvaluationRequest, _with_defaults(body, written)))
    except ServiceError as error:
        return answer.erred(error)


def _with_defaults(body: EvaluationsRequest, written: Any) -> Any:
    """An evaluation with the defaults: one that is written replaces the default, but for the members it must have."""
    if not isinstance(written, dict):
        return written
    merged = dict(written)
    if "context" not in merged and body.context is not None:
        merged["context"] = body.context
    for name, required in _ENTITIES.items():
        default = getattr(body, name)
        own = merged.get(name)
        if default is None:
            continue
        if name not in merged:
            merged[name] = default
        elif isinstance(own, dict):
            merged[name] = {**{part: default[part] for part in required if part in default}, **own}
    return merged


def _evaluated(service: Service, call: Call, request: Any) -> dict[str, Any]:
    asked: EvaluationRequest = request
    try:
        mapped = map_request(asked, call.caller, service.settings.directory, service.settings.authzen)
    except MappingError as error:
        return answer.refused(error.code, error.message, error.status)
    approval = None if asked.context is None else asked.context.get("approval")
    adopted = obligations.adopted(asked.context)
    if approval is not None:
        return _reevaluated(service, call, mapped, approval, adopted=adopted)
    authorization = _authorized(service, call, mapped)
    return _answered(service, call, authorization, adopted=adopted)


def _authorized(service: Service, call: Call, mapped: Mapped) -> Authorization:
    key = access_request.evaluation_key(call.caller, mapped, list(service.settings.authzen.context_properties))
    waiting = service.calls.find(key)
    name = waiting[0] if waiting is not None and _open(service, waiting[1]) else OpenCalls.new()
    action = {**mapped.action, "id": name}
    authorization = service.authorizer.authorize(action, mapped.capability_id, mapped.context)
    if authorization.handle is not None:
        service.calls.keep(key, name, authorization.handle)
    return authorization


def _open(service: Service, handle: str) -> bool:
    try:
        request = service.authorizer.request(handle)
    except ApprovalError:
        return False
    return request is not None and request.state in {"pending", "approved"}


def _answered(service: Service, call: Call, authorization: Authorization, *, adopted: bool) -> dict[str, Any]:
    body = answer.response(authorization, adopted=adopted)
    if authorization.pending and authorization.handle is not None:
        try:
            request = service.authorizer.request(authorization.handle)
        except ApprovalError:
            request = None
        if request is not None:
            body["context"] |= access_request.hint(request, call.base, authorization.message)
    return body


def _reevaluated(service: Service, call: Call, mapped: Mapped, approval: Any, *, adopted: bool) -> dict[str, Any]:
    call.caller.require("release")
    handle = approval.get("id") if isinstance(approval, dict) else None
    if not isinstance(handle, str):
        return answer.refused("approval_malformed", "`context.approval` must be the object of the task's result", 400)
    try:
        request = service.authorizer.request(handle)
    except ApprovalError as error:
        return answer.refused(error.code, error.message, 503)
    trusted = list(service.settings.authzen.context_properties)
    if request is None or not access_request.covers(request, mapped, trusted):
        return answer.denied("approval_not_applicable", "the approval is of no such evaluation of this caller")
    if request.decision.get("obligations") and not adopted:
        return answer.denied(obligations.UNSUPPORTED, "the access comes with obligations, and the caller enforces none")
    action = {**mapped.action, "id": request.call}
    authorization = service.authorizer.release(action, mapped.capability_id, mapped.context, handle=handle)
    body = _answered(service, call, authorization, adopted=adopted)
    if body["decision"]:
        until = access_request.approved_until(authorization.decision.model_dump(mode="json"), request.expires_at)
        body.setdefault("context", {})["approval"] = {"id": handle, "approved_until": until}
    return body
