"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, Router

from policy.plugins.authorizer import Authorizer
from policy.server import approvals, native, openapi, status
from policy.server.authzen import metadata
from policy.server.authzen.memory import OpenCalls, Submissions
from policy.server.endpoint import base_address, failure, route
from policy.server.errors import ServiceError
from policy.server.guard import Guard
from policy.server.operations import Operation, Service
from policy.server.settings import Settings
from policy.server.threads import Threads
from policy.server.wire import json_bytes

OPERATIONS: tuple[Operation, ...] = (
    *native.OPERATIONS,
    *approvals.OPERATIONS,
    *metadata.OPERATIONS,
    *status.OPERATIONS,
)
"""Everything that the service does."""
_PAGE = "policy.server.page"


def create_app(
    authorizer: Authorizer, settings: Settings | None = None, *, routes: Sequence[BaseRoute] = ()
) -> Starlette:
    """The service over an authorizer, which is closed when the application ends.

    `routes` are the host's own and stand first. Without tokens in the settings every caller may everything, and the
    application answers requests for loopback names only: bind it to loopback.
    """
    settings = Settings() if settings is None else settings
    service = Service(authorizer=authorizer, settings=settings, calls=OpenCalls(), submissions=Submissions())
    threads = Threads(settings.limits.threads)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        threads.start()
        try:
            yield
        finally:
            threads.stop()
            authorizer.close()

    application = Starlette(
        routes=[
            *routes,
            *(route(operation, service, threads) for operation in OPERATIONS),
            _document_route(service),
            *_page_routes(authorizer, settings),
        ],
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={HTTPException: _http_error, Exception: _failure},
        lifespan=lifespan,
    )
    router: Router = application.router
    router.redirect_slashes = False
    return application


def _document_route(service: Service) -> Route:
    async def document(request: Request) -> Response:
        written = openapi.document(OPERATIONS, base_address(service, request))
        return Response(json_bytes(written), media_type="application/json")

    return Route("/openapi.json", document, methods=["GET"], name="openapi")


def _page_routes(authorizer: Authorizer, settings: Settings) -> list[Route]:
    if not settings.page or find_spec(_PAGE) is None:
        return []
    routes: list[Route] = import_module(_PAGE).page_routes(authorizer, settings)
    return routes


async def _http_error(request: Request, error: Exception) -> Response:
    status_code = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    match status_code:
        case 404:
            return ServiceError("path.unknown", "there is no such path").response()
        case 405:
            return ServiceError("path.method", "the path has other methods", headers=headers).response()
        case _:
            return ServiceError("request.malformed", "the request is not taken", status=status_code).response()


async def _failure(request: Request, error: Exception) -> Response:
    return failure().response()
