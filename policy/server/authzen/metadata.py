"""The configuration of the service as a policy decision point (Authorization API 1.0, `/.well-known`)."""

from __future__ import annotations

from typing import Any

from policy.server.authzen import access_request, evaluation, obligations
from policy.server.authzen.messages import (
    AccessRequest,
    CancelTask,
    EvaluationRequest,
    EvaluationResponse,
    EvaluationsRequest,
    EvaluationsResponse,
    Metadata,
    TaskResponse,
)
from policy.server.operations import Answer, Call, Operation, Service

EVALUATION = "/access/v1/evaluation"
"""Where one evaluation is asked for."""
EVALUATIONS = "/access/v1/evaluations"
"""Where several are."""
WELL_KNOWN = "/.well-known/authzen-configuration"
"""Where the metadata are."""
_MEDIA_STATUS = 400
"""The Authorization API's conformance tests ask for 400 where another content type is sent."""
_PROBLEMS = ("access_request.refused", "approval.store_unavailable")


def metadata(service: Service, call: Call) -> Answer:
    """The configuration."""
    body: dict[str, Any] = {
        "policy_decision_point": call.base,
        "access_evaluation_endpoint": f"{call.base}{EVALUATION}",
        "access_evaluations_endpoint": f"{call.base}{EVALUATIONS}",
        "access_request_endpoint": f"{call.base}{access_request.PATH}",
        "capabilities": [access_request.CAPABILITY, obligations.CAPABILITY],
        "supported_obligations": [obligations.TYPE],
    }
    return Answer(body=body)


OPERATIONS = (
    Operation(
        name="authzenConfiguration",
        method="GET",
        path=WELL_KNOWN,
        summary="AuthZEN: the configuration of the policy decision point.",
        handler=metadata,
        response=Metadata,
        quick=True,
    ),
    Operation(
        name="accessEvaluation",
        method="POST",
        path=EVALUATION,
        summary="AuthZEN: one access evaluation.",
        handler=evaluation.evaluation,
        permission="decide",
        request=EvaluationRequest,
        response=EvaluationResponse,
        media_status=_MEDIA_STATUS,
    ),
    Operation(
        name="accessEvaluations",
        method="POST",
        path=EVALUATIONS,
        summary="AuthZEN: several access evaluations.",
        handler=evaluation.evaluations,
        permission="decide",
        request=EvaluationsRequest,
        response=EvaluationsResponse,
        media_status=_MEDIA_STATUS,
    ),
    Operation(
        name="submitAccessRequest",
        method="POST",
        path=access_request.PATH,
        summary="AuthZEN: request access after a denial that people can lift.",
        handler=access_request.submit,
        permission="decide",
        request=AccessRequest,
        response=TaskResponse,
        success=202,
        errors=_PROBLEMS,
        media_status=_MEDIA_STATUS,
    ),
    Operation(
        name="accessRequestTask",
        method="GET",
        path=f"{access_request.PATH}/{{handle}}",
        summary="AuthZEN: where a requested access stands.",
        handler=access_request.status,
        permission="decide",
        response=TaskResponse,
        errors=_PROBLEMS,
    ),
    Operation(
        name="cancelAccessRequest",
        method="POST",
        path=f"{access_request.PATH}/{{handle}}/cancel",
        summary="AuthZEN: end a requested access.",
        handler=access_request.cancel,
        permission="decide",
        request=CancelTask,
        optional_body=True,
        response=TaskResponse,
        errors=_PROBLEMS,
        media_status=_MEDIA_STATUS,
    ),
)
"""The endpoints of AuthZEN and of its drafts."""
