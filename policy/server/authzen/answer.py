"""Decisions as AuthZEN responses: `decision` is true for an allow alone, and the context says why not.

`reason` is one code for machines, `reasons` all of them, `reason_user` a sentence that may be shown, `reason_admin`
one that may not. A permit has a context only where a draft puts something there.
"""

from __future__ import annotations

from typing import Any

from policy.model.decision import Decision, Reason
from policy.plugins.authorization import Authorization
from policy.server.authzen import obligations
from policy.server.errors import ServiceError

APPROVAL_REQUIRED = "approval_required"
"""The reason of a denial that people can lift."""
_LANGUAGE = "en"
_TOLD = 20
_ADMIN_LENGTH = 4000


def response(authorization: Authorization, *, adopted: bool) -> dict[str, Any]:
    """The response to an evaluation, without what an access request adds."""
    decision = authorization.decision
    required = [each.model_dump(mode="json") for each in decision.obligations]
    if authorization.allowed and required and not adopted:
        return denied(obligations.UNSUPPORTED, "the access comes with obligations, and the caller enforces none")
    context: dict[str, Any] = {} if authorization.allowed else reasons(authorization)
    if required and adopted:
        context["obligations"] = obligations.obligation_objects(required)
    answer: dict[str, Any] = {"decision": authorization.allowed}
    if context:
        answer["context"] = context
    return answer


def reasons(authorization: Authorization) -> dict[str, Any]:
    """Why an evaluation is denied."""
    decision = authorization.decision
    told = [each for each in decision.reasons if each.effect == decision.outcome.value]
    codes = list(dict.fromkeys(each.code for each in told))
    return {
        "reason": APPROVAL_REQUIRED if authorization.pending else (codes[0] if codes else "denied"),
        "reasons": codes[:_TOLD],
        "reason_user": {_LANGUAGE: authorization.message},
        "reason_admin": {_LANGUAGE: _administrative(decision, told)},
    }


def denied(code: str, message: str) -> dict[str, Any]:
    """A denial that the service gives before or beside the engine."""
    context = {
        "reason": code,
        "reasons": [code],
        "reason_user": {_LANGUAGE: "denied"},
        "reason_admin": {_LANGUAGE: message},
    }
    return {"decision": False, "context": context}


def refused(code: str, message: str, status: int) -> dict[str, Any]:
    """A denial of an evaluation that could not be done."""
    answer = denied(code, message)
    answer["context"]["error"] = {"status": status, "message": message}
    return answer


def erred(error: ServiceError) -> dict[str, Any]:
    """The denial of one evaluation of several, whose request would be an error by itself."""
    return refused(error.code, error.message, error.status)


def _administrative(decision: Decision, told: list[Reason]) -> str:
    lines = [_line(each) for each in told[:_TOLD]]
    return f"{'; '.join(lines)} [policy {decision.policy_hash}]"[:_ADMIN_LENGTH]


def _line(reason: Reason) -> str:
    place = ", ".join(part for part in (reason.code, reason.rule, reason.location) if part)
    return f"{reason.message} ({place})"
