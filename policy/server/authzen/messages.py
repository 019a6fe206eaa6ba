"""The messages of the Authorization API 1.0. Members that are not known are ignored, as it asks."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from policy.model.base import Json


def _stated(value: Any) -> Any:
    """A member may be left out; one that is there is no null."""
    if value is None:
        raise ValueError("input should not be null; leave the member out")
    return value


Object = Annotated[dict[str, Json] | None, BeforeValidator(_stated), WithJsonSchema({"type": "object"})]
"""A JSON object that may be left out."""
Items = Annotated[list[Json] | None, BeforeValidator(_stated), WithJsonSchema({"type": "array"})]
"""A JSON array that may be left out."""


class Message(BaseModel):
    """Frozen, strict, open for members of later versions."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", allow_inf_nan=False)


class Subject(Message):
    """Who is asked about."""

    type: str
    """Its type."""
    id: str
    """Its id, unique within the type."""
    properties: Object = None
    """What the caller says of it."""


class Resource(Message):
    """What is accessed."""

    type: str
    """Its type."""
    id: str
    """Its id, unique within the type."""
    properties: Object = None
    """What the caller says of it."""


class ActionName(Message):
    """What is done."""

    name: str
    """Its name."""
    properties: Object = None
    """Its particulars."""


class EvaluationRequest(Message):
    """One access evaluation."""

    subject: Subject
    """Who."""
    action: ActionName
    """Does what."""
    resource: Resource
    """To what."""
    context: Object = None
    """Under which circumstances; also the members that the protocol's drafts put there."""


class EvaluationOptions(Message):
    """How several evaluations are done."""

    evaluations_semantic: str = "execute_all"
    """`execute_all`, `deny_on_first_deny` or `permit_on_first_permit`."""


class EvaluationsRequest(Message):
    """Several access evaluations; without `evaluations`, or with none in it, a single one."""

    subject: Object = None
    """The default subject."""
    action: Object = None
    """The default action."""
    resource: Object = None
    """The default resource."""
    context: Object = None
    """The default context."""
    evaluations: Items = None
    """The evaluations; a member written there replaces the default."""
    options: EvaluationOptions = Field(default_factory=EvaluationOptions)
    """How they are done."""


class EvaluationResponse(Message):
    """One decision."""

    decision: bool
    """Whether the access is permitted."""
    context: dict[str, Json] | None = None
    """Why, and what the drafts put there: `reason`, `reason_user`, `reason_admin`, `access_request`, `obligations`."""


class EvaluationsResponse(Message):
    """The decisions in the order of the evaluations; of a single one, its decision."""

    evaluations: list[EvaluationResponse] | None = None
    """One for each evaluation that was done."""
    decision: bool | None = None
    """The decision, where there was a single evaluation."""
    context: dict[str, Json] | None = None
    """Its context."""


class Metadata(Message):
    """The configuration of the service as a policy decision point."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow", allow_inf_nan=False)

    policy_decision_point: str
    """The service's address."""
    access_evaluation_endpoint: str
    """Where one evaluation is asked for."""
    access_evaluations_endpoint: str
    """Where several are."""
    access_request_endpoint: str
    """Where access is requested (Access Request and Approval profile)."""
    capabilities: list[str]
    """The drafts that are implemented."""
    supported_obligations: list[str]
    """The types of obligations that may be issued (Obligations extension)."""


class Denial(Message):
    """The denied evaluation that an access request is about."""

    evaluation_id: str | None = None
    """`context.evaluation_id` of the denial."""
    binding_token: str | None = None
    """Not used by this service, whose denials are bound by `evaluation_id`."""
    expires_at: str
    """`context.access_request.expires_at` of the denial."""
    evaluated_at: str | None = None
    """`context.evaluated_at` of the denial."""
    reason: str | None = None
    """`context.reason` of the denial."""
    template: str | None = None
    """`context.access_request.template` of the denial."""


class AccessRequest(Message):
    """An access request: the denied evaluation again, and the denial."""

    subject: Subject
    """The subject of the denied evaluation."""
    action: ActionName
    """Its action."""
    resource: Resource
    """Its resource."""
    context: Object = None
    """Its context, perhaps with more."""
    denial: Denial
    """The denial."""
    items: list[Json] | None = None
    """Bundles are not taken."""
    callback: dict[str, Json] | None = None
    """Callbacks are not made; ask the status endpoint."""


class TaskResponse(Message):
    """A task handle, and its result once there is one."""

    task: dict[str, Any]
    """`id`, `status`, `status_endpoint`, `expires_at`, `links`, `display`."""
    result: dict[str, Any] | None = None
    """`mode` and `approval`, where the task is approved."""


class CancelTask(Message):
    """Why a task is cancelled."""

    reason: str | None = None
    """A code."""
    comment: str | None = None
    """Words for people."""
