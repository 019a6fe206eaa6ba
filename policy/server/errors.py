"""Failures as the service tells them: one JSON object, one stable code, never a stack trace, never an allow."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from starlette.responses import Response

from policy.server.wire import json_bytes

STATUSES: Mapping[str, int] = MappingProxyType(
    {
        "request.malformed": 400,
        "request.capability_document": 400,
        "request.too_many_headers": 431,
        "request.host_unknown": 421,
        "request.origin_foreign": 403,
        "body.missing": 400,
        "body.malformed": 400,
        "body.too_large": 413,
        "body.media_type": 415,
        "caller.unauthenticated": 401,
        "caller.not_permitted": 403,
        "path.unknown": 404,
        "path.method": 405,
        "access_request.refused": 400,
        "capability.unknown": 404,
        "approval.unknown": 404,
        "approval.refused": 409,
        "approval.store_unavailable": 503,
        "service.timeout": 503,
        "service.busy": 503,
        "service.failure": 500,
    }
)
"""Every error code of the service with its HTTP status."""


class ServiceError(Exception):
    """A request that gets an error in place of an answer."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        reason: str | None = None,
        problem: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """One of `STATUSES`."""
        self.message = message
        """A sentence for a person, free of what the caller sent."""
        self.status = STATUSES[code] if status is None else status
        """The HTTP status."""
        self.headers = dict(headers or {})
        """Headers of the answer."""
        self.reason = reason
        """A reason code of grammar/CODES.md where the authorizer gave one."""
        self.problem = problem
        """A problem type (RFC 9457) where a protocol asks for one."""

    def response(self) -> Response:
        """The answer."""
        if self.problem is not None:
            body: dict[str, Any] = {
                "type": self.problem,
                "title": self.message,
                "status": self.status,
                "code": self.code,
            }
            return Response(json_bytes(body), self.status, headers=self.headers, media_type="application/problem+json")
        error: dict[str, Any] = {"status": self.status, "code": self.code, "message": self.message}
        if self.reason is not None:
            error["reason"] = self.reason
        return Response(json_bytes({"error": error}), self.status, headers=self.headers, media_type="application/json")
