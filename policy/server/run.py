"""The service on uvicorn: its socket, its protocol with limits of its own, and a graceful end."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

import h11
from starlette.types import ASGIApp
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from policy.server.errors import ServiceError
from policy.server.guard import is_loopback
from policy.server.settings import ServiceLimits

GRACE_SECONDS = 15
"""How long requests in flight may still take when the service ends."""
_KEEP_ALIVE_SECONDS = 15
_HEADER_ROOM = 4096
"""Bytes beside the headers: the request line, and separators."""


class Protocol(H11Protocol):
    """HTTP/1.1 that answers errors in the service's form and waits for a request's headers only so long."""

    seconds = 10.0
    """Seconds from the opening of a connection, or the first byte on one that was idle, to the end of the headers."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the headers."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on; a slow sender of headers is not waited for."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._wait()
        elif self.conn.their_state is not h11.IDLE:
            self._heard()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._heard()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Tell what is no HTTP request so, in the service's form."""
        status = 431 if getattr(sys.exception(), "error_status_hint", 400) == 431 else 400
        code = "request.too_many_headers" if status == 431 else "request.malformed"
        answer = ServiceError(code, "this is no HTTP request that is taken").response()
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        for event in (
            h11.Response(status_code=status, headers=headers, reason=b""),
            h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self._close)

    def _heard(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        self.transport.close()


class Service(Server):
    """A server that ends with the command's own exit code when it is told to end."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """End on SIGINT and SIGTERM, and do not pass them on afterwards; in another thread than the main one, not."""
        if current_thread() is not main_thread():
            yield
            return
        handled = (signal.SIGINT, signal.SIGTERM)
        before = {each: signal.signal(each, self.handle_exit) for each in handled}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except OSError:
        listening.close()
        raise
    return listening


def on_loopback(listening: socket.socket) -> bool:
    """Whether only this machine reaches a socket."""
    return is_loopback(str(listening.getsockname()[0]))


def address_of(listening: socket.socket) -> str:
    """The address of a socket, as a URL."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(server: Service, listening: socket.socket, *, started: Callable[[], None]) -> bool:
    """Serve until SIGINT or SIGTERM, or `server.should_exit`; requests in flight are finished.

    `started` is called when requests are answered. False where the application did not start.
    """

    async def whole() -> None:
        running = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not running.done():
            await asyncio.sleep(0.01)
        if server.started:
            started()
        await running

    try:
        asyncio.run(whole())
    except SystemExit:
        return False
    return server.started


def server_for(app: ASGIApp, limits: ServiceLimits) -> Service:
    """The server of an application."""
    protocol = type("ServiceProtocol", (Protocol,), {"seconds": limits.request_seconds})
    config = Config(
        app,
        http=protocol,
        ws="none",
        lifespan="on",
        loop="asyncio",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=limits.header_bytes + _HEADER_ROOM,
    )
    return Service(config)
