"""The routes of the page. Its files say nothing of the policy; what does stands behind the callers' tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policy.plugins.authorizer import Authorizer
from policy.server.authzen.memory import OpenCalls, Submissions
from policy.server.endpoint import route
from policy.server.operations import Service
from policy.server.page.operations import OPERATIONS
from policy.server.settings import Settings
from policy.server.threads import Threads

_FILES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_THREADS = 2
"""Texts that are compiled at once for people; runtimes have their own threads."""


def page_routes(authorizer: Authorizer, settings: Settings) -> list[Route]:
    """The page's files, and its endpoints."""
    service = Service(authorizer=authorizer, settings=settings, calls=OpenCalls(), submissions=Submissions())
    threads = Threads(_THREADS)
    return [
        *(Route(path, _static(*named), methods=["GET"]) for path, named in _FILES.items()),
        *(route(operation, service, threads) for operation in OPERATIONS),
    ]


def _static(name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    content = (files("policy.server.page") / name).read_bytes()

    async def answer(request: Request) -> Response:
        return Response(content, headers=_HEADERS, media_type=media_type)

    return answer
