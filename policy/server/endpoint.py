"""An operation as a route: who calls, what it brings, the operation in a thread, the answer within the time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policy.server.authentication import LOCAL, Caller
from policy.server.errors import ServiceError
from policy.server.operations import Answer, Call, Operation, Service
from policy.server.reading import read_body, read_model
from policy.server.threads import Threads
from policy.server.wire import json_bytes

_LOG = logging.getLogger("policy.server")


def route(operation: Operation, service: Service, threads: Threads) -> Route:
    """The route of an operation."""
    return Route(
        operation.path, _endpoint(operation, service, threads), methods=[operation.method], name=operation.name
    )


def _endpoint(operation: Operation, service: Service, threads: Threads) -> Callable[[Request], Awaitable[Response]]:
    seconds = service.settings.limits.request_seconds

    async def answer(request: Request) -> Response:
        try:
            async with asyncio.timeout(seconds):
                return await _answered(operation, service, threads, request)
        except ServiceError as error:
            return error.response()
        except TimeoutError:
            _LOG.error("%s took more than %s seconds", operation.name, seconds)
            return timed_out().response()
        except Exception:  # noqa: BLE001 - whatever fails is told as a failure and logged; it allows nothing
            _LOG.exception("%s failed", operation.name)
            return failure().response()

    return answer


async def _answered(operation: Operation, service: Service, threads: Threads, request: Request) -> Response:
    # Who may not ask is told so before anything of the body is read.
    caller = authenticated(operation, service, request)
    data = await read_body(request, operation, service.settings.limits)
    if operation.quick:
        return _done(operation, service, caller, request, data)
    return await threads.run(partial(_done, operation, service, caller, request, data))


def _done(operation: Operation, service: Service, caller: Caller, request: Request, data: bytes) -> Response:
    call = Call(
        caller=caller,
        base=base_address(service, request),
        body=read_model(data, operation, service.settings.limits),
        path=MappingProxyType(dict(request.path_params)),
        headers=request.headers,
    )
    return _written(operation.handler(service, call))


def authenticated(operation: Operation, service: Service, request: Request) -> Caller:
    """Who calls. Raises ServiceError where that is nobody known, or somebody who may not."""
    if operation.permission is None:
        return LOCAL
    caller = service.settings.tokens.caller(request.headers.getlist("authorization"))
    caller.require(operation.permission)
    return caller


def base_address(service: Service, request: Request) -> str:
    """The service's address as callers use it: the public one, else where the request came to, never what it says."""
    if service.settings.public_url is not None:
        return service.settings.public_url
    host, port = request.scope.get("server") or ("localhost", None)
    shown = f"[{host}]" if ":" in host else host
    return f"{request.scope.get('scheme', 'http')}://{shown}" + ("" if port is None else f":{port}")


def _written(answer: Answer) -> Response:
    content = answer.body.encode() if isinstance(answer.body, str) else json_bytes(answer.body)
    return Response(content, answer.status, headers=dict(answer.headers), media_type=answer.media_type)


def timed_out() -> ServiceError:
    """The error of a request that took too long."""
    message = "no answer within the time; nothing is allowed, ask again"
    return ServiceError("service.timeout", message, headers={"Retry-After": "1"})


def failure() -> ServiceError:
    """The error of a request that something failed for."""
    return ServiceError("service.failure", "something failed; nothing is allowed")
