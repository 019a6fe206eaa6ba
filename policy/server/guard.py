"""What stands before every route: sizes, names, numbers of requests; what goes on every answer."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from policy.server.endpoint import failure, timed_out
from policy.server.errors import ServiceError
from policy.server.settings import Settings

_LOG = logging.getLogger("policy.server")
_REQUEST_ID = "x-request-id"


class Guard:
    """Bounds requests, echoes `X-Request-ID`, and turns what nobody caught into an error.

    A service without tokens answers whoever reaches it, so it must not be reachable through a browser of this machine
    that shows a foreign page: the `Host` must be a loopback name or the public address, and an `Origin` the same host.
    """

    __slots__ = ("_app", "_count", "_hosts", "_settings")

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._count = 0
        public = None if settings.public_url is None else urlsplit(settings.public_url).hostname
        self._hosts = frozenset({"localhost"} if public is None else {"localhost", public})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; other protocols pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        sending = _Sending(send, headers.get(_REQUEST_ID))
        failed: Exception | None = None
        self._count += 1
        try:
            problem = self._problem(headers)
            # Twice the time of a request: the second one is for a caller that reads its answer slowly.
            async with asyncio.timeout(2 * self._settings.limits.request_seconds):
                if problem is not None:
                    await problem.response()(scope, receive, sending)
                else:
                    await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - whatever fails is told as a failure; it allows nothing
            failed = error
        finally:
            self._count -= 1
        if failed is None:
            return
        _LOG.error("a request failed", exc_info=failed)
        if sending.started:
            # The server ends the connection, so that half an answer is not taken for a whole one.
            raise failed
        told = timed_out() if isinstance(failed, TimeoutError) else failure()
        await told.response()(scope, receive, sending)

    def _problem(self, headers: Headers) -> ServiceError | None:
        limits = self._settings.limits
        if sum(len(name) + len(value) for name, value in headers.raw) > limits.header_bytes:
            return ServiceError("request.too_many_headers", f"the headers have more than {limits.header_bytes:,} bytes")
        if self._count > limits.requests:
            message = "too many requests at once; ask again"
            return ServiceError("service.busy", message, headers={"Retry-After": "1"})
        if self._settings.tokens.configured:
            return None
        if not self._known(headers.getlist("host")):
            return ServiceError("request.host_unknown", "a service without tokens answers to loopback names alone")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return ServiceError("request.origin_foreign", "a service without tokens answers no foreign page")
        return None

    def _known(self, hosts: Iterable[str]) -> bool:
        names = [_name(host) for host in hosts]
        return len(names) == 1 and (names[0] in self._hosts or is_loopback(names[0]))


class _Sending:
    """Sends an answer with the headers that every answer has."""

    __slots__ = ("_request_id", "_send", "started")

    def __init__(self, send: Send, request_id: str | None) -> None:
        self._send = send
        self._request_id = request_id
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")
            headers.setdefault("x-content-type-options", "nosniff")
            if self._request_id is not None:
                headers[_REQUEST_ID] = self._request_id
        await self._send(message)


def is_loopback(host: str) -> bool:
    """Whether a name or address stands for this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""
