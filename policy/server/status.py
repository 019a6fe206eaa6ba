"""Whether the service lives and decides. Asked by machines without a token, so it tells no more than that."""

from __future__ import annotations

from typing import Any

from policy.server.models import ReadyResponse
from policy.server.operations import Answer, Call, Operation, Service

_OPEN = frozenset({"policy_hash", "candidate_hash", "loaded_at", "last_reload"})
"""Members of the authorizer's status that anybody may see; the others may name files."""


def health(service: Service, call: Call) -> Answer:
    """The process answers."""
    return Answer(body="ok\n", media_type="text/plain; charset=utf-8")


def ready(service: Service, call: Call) -> Answer:
    """There is a policy that decides, and a thread that answers."""
    status = service.authorizer.status()
    return Answer(body=_ready(service, {name: part for name, part in status.items() if _open(name, part)}))


def status(service: Service, call: Call) -> Answer:
    """Everything that is known of the policy and its last reload."""
    settings = service.settings
    files = {"tokens_error": settings.tokens.error, "subjects_error": settings.directory.error}
    return Answer(body=_ready(service, {**service.authorizer.status(), **files}))


def _ready(service: Service, shown: dict[str, Any]) -> dict[str, Any]:
    return {"ready": True, "policy_hash": service.authorizer.engine.policy_hash, "status": shown}


def _open(name: str, part: Any) -> bool:
    return name in _OPEN or name.endswith("_hash") or isinstance(part, bool)


OPERATIONS = (
    Operation(
        name="health",
        method="GET",
        path="/healthz",
        summary="The process answers.",
        handler=health,
        media_type="text/plain; charset=utf-8",
        quick=True,
    ),
    Operation(
        name="ready",
        method="GET",
        path="/readyz",
        summary="There is a policy that decides, and which.",
        handler=ready,
        response=ReadyResponse,
    ),
    Operation(
        name="status",
        method="GET",
        path="/v1/status",
        summary="The policy that decides, and what became of the last reload.",
        handler=status,
        permission="read",
        response=ReadyResponse,
        quick=True,
    ),
)
"""Health, readiness and status."""
