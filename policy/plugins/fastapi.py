"""A FastAPI dependency that asks before an endpoint runs.

    app = FastAPI(dependencies=[Depends(PolicyDependency(gate))])
    app.add_exception_handler(PolicyRefusal, refused)

It knows the route that FastAPI chose, in included routers too: its `openapi_extra["x-agent-capability"]`, a string
with the capability's id, or the ACC declaration itself, which makes the operation's id the capability's. Input, body
and answers are as `policy.plugins.asgi` tells.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from fastapi import HTTPException, Request, Response

from policy.plugins.adapters.common import Gate
from policy.plugins.asgi import (
    BODY_BYTES,
    HANDLE_HEADER,
    Asked,
    Declared,
    RefusedError,
    failure_problem,
    judged,
    refusal_problem,
    route_capability,
    verdict_problem,
)

__all__ = ["PolicyDependency", "PolicyRefusal", "refused"]

_LOG = logging.getLogger("policy")


class PolicyRefusal(HTTPException):
    """A call that does not run. Without `refused` it is answered as JSON with the reason alone."""

    def __init__(self, problem: dict[str, Any]) -> None:
        handle = problem["handle"]
        headers = {"cache-control": "no-store", **({} if handle is None else {HANDLE_HEADER: handle})}
        super().__init__(problem["status"], detail=problem["detail"], headers=headers)
        self.problem = problem
        """The answer (RFC 9457)."""


async def refused(request: Request, error: Exception) -> Response:
    """Answer a refusal as `application/problem+json`; to be added as the handler of `PolicyRefusal`."""
    problem = error.problem if isinstance(error, PolicyRefusal) else failure_problem()
    headers = error.headers if isinstance(error, PolicyRefusal) else None
    return Response(
        json.dumps(problem, ensure_ascii=False).encode(),
        problem["status"],
        headers=dict(headers or {}),
        media_type="application/problem+json",
    )


class PolicyDependency:
    """Raises PolicyRefusal where the route's capability is not allowed.

    `gate` asks; its `context` gets the request's scope. `capabilities` maps `METHOD /path/{name}`, as the route
    writes it, to a capability where the route does not name one; a route without any is refused, unless
    `open_routes` has it. FastAPI reads a declared body before its dependencies: bound bodies at the server too.
    """

    def __init__(
        self,
        gate: Gate,
        *,
        capabilities: Mapping[str, str] = MappingProxyType({}),
        open_routes: Collection[str] = (),
        body_bytes: int = BODY_BYTES,
    ) -> None:
        self._gate = gate
        self._capabilities = capabilities
        self._open = frozenset(open_routes)
        self._body_bytes = body_bytes

    async def __call__(self, request: Request) -> None:
        """Ask about the request. Raises PolicyRefusal."""
        try:
            problem = await self._problem(request)
        except RefusedError as error:
            problem = refusal_problem(error)
        except Exception as error:  # noqa: BLE001 - whatever fails is a refusal, told in the log
            _LOG.error("a request could not be judged, so it is refused", exc_info=error)
            problem = failure_problem()
        if problem is not None:
            raise PolicyRefusal(problem)

    async def _problem(self, request: Request) -> dict[str, Any] | None:
        route = request.scope.get("route")
        key = f"{request.method} {getattr(route, 'path', '')}"
        if key in self._open:
            return None
        declared = route_capability(route, request.method)
        if declared is None and key in self._capabilities:
            declared = Declared(self._capabilities[key])
        if declared is None:
            raise RefusedError(403, "the route names no capability, so nothing ran")
        extra = getattr(route, "openapi_extra", None) or {}
        asked = Asked(
            declared=Declared(declared.capability, declared.query | frozenset(_queried(route))),
            path=request.path_params,
            body=getattr(route, "body_field", None) is not None or "requestBody" in extra,
            query=request.scope.get("query_string", b""),
            headers=tuple(request.headers.raw),
        )
        verdict = await judged(self._gate, asked, await self._body(request), request.scope)
        return None if verdict.runs else verdict_problem(verdict)

    async def _body(self, request: Request) -> bytes:
        """The body, which the endpoint can read again."""
        if not hasattr(request, "_body"):
            data = bytearray()
            async for chunk in request.stream():
                data += chunk
                if len(data) > self._body_bytes:
                    raise self._too_large()
            # Where Starlette itself keeps a body that was read, for everybody who reads it later.
            request._body = bytes(data)
        body = await request.body()
        if len(body) > self._body_bytes:
            raise self._too_large()
        return body

    def _too_large(self) -> RefusedError:
        return RefusedError(413, f"the body has more than {self._body_bytes:,} bytes")


def _queried(route: Any) -> Iterator[str]:
    """The query parameters that an endpoint and its dependencies read."""
    waiting = [getattr(route, "dependant", None)]
    while waiting:
        dependant = waiting.pop()
        if dependant is not None:
            yield from (each.alias for each in dependant.query_params)
            waiting += dependant.dependencies
