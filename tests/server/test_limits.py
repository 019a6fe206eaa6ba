"""What a request may cost, and what every failure looks like."""

from __future__ import annotations

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from policy.server.errors import STATUSES
from policy.server.settings import ServiceLimits, Settings
from tests.server.world import CONTEXT, Live, asked, authorizer, live

_JSON = {"Content-Type": "application/json"}


def _limits(**more: Any) -> Settings:
    return Settings(page=False, limits=ServiceLimits(**more))


def _error(answer: httpx.Response) -> tuple[int, str]:
    """Status and code of an error, which must be one of the service's form."""
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert set(body) == {"error"}
    assert body["error"]["status"] == answer.status_code == STATUSES[body["error"]["code"]]
    assert "Traceback" not in answer.text
    assert "allowed" not in body
    return answer.status_code, body["error"]["code"]


def test_a_body_that_is_too_large_is_refused() -> None:
    with live(_limits(body_bytes=2000)) as service:
        assert service.post("/v1/decide", asked("memo.send", text="x" * 900)).status_code == 200
        large = json.dumps(asked("memo.send", text="x" * 2000)).encode()
        assert _error(service.client.post("/v1/decide", content=large, headers=_JSON)) == (413, "body.too_large")
        parts = (large[start : start + 100] for start in range(0, len(large), 100))
        assert _error(service.client.post("/v1/decide", content=parts, headers=_JSON)) == (413, "body.too_large")
        assert service.client.get("/healthz").status_code == 200


def test_a_length_alone_is_enough_to_refuse() -> None:
    with live(_limits(body_bytes=2000)) as service:
        answer = _raw(
            service,
            b"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 99999999999999999999\r\n\r\n",
        )
        assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "content",
    [
        b'{"action": {"input": ' + b"[" * 500 + b"]" * 500 + b'}, "context": {}}',
        b"[" * 200_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_nested_too_deeply_is_refused(service: Live, content: bytes) -> None:
    assert _error(service.client.post("/v1/decide", content=content, headers=_JSON)) == (400, "body.malformed")


@pytest.mark.parametrize(
    "content",
    [
        b'{"action": {}, "action": {}, "context": {}}',
        b'{"action": {"input": {"amount": 1, "amount": 2}}, "context": {}}',
        b'{"action": {"input": NaN}, "context": {}}',
        b'{"action": {"input": 1e999}, "context": {}}',
        b'{"action": {"input": 9007199254740993}, "context": {}}',
        b'{"action": {"input": "\\ud800"}, "context": {}}',
        b'{"action": {}, "context": {}} {}',
        b"\xef\xbb\xbf{}",
        b"\xff\xfe",
        b"{",
        b"'{}'",
    ],
)
def test_what_is_no_plain_json_is_refused(service: Live, content: bytes) -> None:
    assert _error(service.client.post("/v1/decide", content=content, headers=_JSON)) == (400, "body.malformed")


@pytest.mark.parametrize("content", [b"[]", b"null", b"5", b'"text"', b"true"])
def test_what_is_no_object_is_refused(service: Live, content: bytes) -> None:
    assert _error(service.client.post("/v1/decide", content=content, headers=_JSON)) == (400, "request.malformed")


def test_a_body_that_is_not_there_is_refused(service: Live) -> None:
    for content in (b"", b" \n"):
        assert _error(service.client.post("/v1/decide", content=content, headers=_JSON)) == (400, "body.missing")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/json"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/json; boundary=x"},
        {"Content-Type": "application/jsonp"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": "application/json", "Content-Encoding": "identity"},
    ],
)
def test_another_content_type_is_refused(service: Live, headers: dict[str, str]) -> None:
    answer = service.client.post("/v1/decide", content=json.dumps(asked("order.read")).encode(), headers=headers)
    assert _error(answer) == (415, "body.media_type")


@pytest.mark.parametrize("media", ["application/json", "Application/JSON", 'application/json; charset="UTF-8"'])
def test_json_is_taken_however_it_is_written(service: Live, media: str) -> None:
    content = json.dumps(asked("order.read")).encode()
    assert service.client.post("/v1/decide", content=content, headers={"Content-Type": media}).json()["allowed"] is True


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/decide", {"POST"}),
        ("DELETE", "/v1/approvals/x", {"GET", "HEAD"}),
        ("PUT", "/healthz", {"GET", "HEAD"}),
        ("OPTIONS", "/v1/decide", {"POST"}),
        ("PATCH", "/access/v1/evaluation", {"POST"}),
    ],
)
def test_another_method_is_refused(service: Live, method: str, path: str, allowed: set[str]) -> None:
    answer = service.client.request(method, path)
    assert _error(answer) == (405, "path.method")
    assert set(answer.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize("path", ["/nowhere", "/v1/decide/", "/v1", "/v1/approvals/a/b/c", "/V1/decide", "/v1/../etc"])
def test_another_path_is_refused(service: Live, path: str) -> None:
    assert _error(service.client.post(path, json={})) == (404, "path.unknown")


def test_headers_that_are_too_large_are_refused() -> None:
    with live(_limits(header_bytes=2000)) as service:
        assert service.client.get("/healthz", headers={"X-Request-ID": "x" * 1000}).status_code == 200
        answer = service.client.get("/healthz", headers={"X-Filler": "x" * 2000})
        assert _error(answer) == (431, "request.too_many_headers")
        answer = service.client.get("/healthz", headers={f"X-{number}": "x" * 90 for number in range(200)})
        assert (answer.status_code, answer.json()["error"]["code"]) == (431, "request.too_many_headers")


def _raw(service: Live, sent: bytes) -> bytes:
    url = httpx.URL(service.address)
    with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
        connection.sendall(sent)
        received = bytearray()
        while chunk := connection.recv(65536):
            received += chunk
    return bytes(received)


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nBad Header: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST /v1/decide HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /v1/decide HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_what_is_no_http_is_told_so_in_the_service_form(service: Live, sent: bytes) -> None:
    head, _, body = _raw(service, sent).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body.split(b"\r\n")[1] if b"chunked" in head.lower() else body)["error"]["status"] == 400


def test_headers_that_never_end_are_not_waited_for() -> None:
    with live(_limits(request_seconds=1.0)) as service:
        assert _raw(service, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n") == b""
        assert _raw(service, b"") == b""
        assert service.client.get("/healthz").status_code == 200


class Stuck:
    """An authorizer that answers when it is let, or fails."""

    def __init__(self, problem: BaseException | None = None) -> None:
        self.inner = authorizer()
        self.problem = problem
        self.entered = Event()
        self.go = Event()

    def authorize(self, *arguments: Any) -> Any:
        self.entered.set()
        if self.problem is not None:
            raise self.problem
        self.go.wait(20)
        return self.inner.authorize(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def test_a_request_that_takes_too_long_gets_no_answer_that_allows() -> None:
    stuck = Stuck()
    with live(_limits(request_seconds=1.0, threads=2), deciding=stuck) as service:
        for path, body in (
            ("/v1/decide", asked("order.read")),
            ("/access/v1/evaluation", {"subject": {"type": "user", "id": "rosa"}, "action": {"name": "order.read"},
                                       "resource": {"type": "order", "id": "1"}}),
            ("/v1/explain", asked("order.read")),
        ):  # fmt: skip
            answer = service.post(path, body)
            assert _error(answer) == (503, "service.timeout")
            assert answer.headers["retry-after"] == "1"
        assert service.client.get("/healthz").text == "ok\n"
        assert _error(service.client.get("/readyz")) == (503, "service.timeout")
        stuck.go.set()
        assert service.post("/v1/decide", asked("order.read")).json()["allowed"] is True


def test_a_body_that_never_ends_is_not_waited_for() -> None:
    with live(_limits(request_seconds=1.0)) as service:
        head = (
            b"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n"
        )
        answer = _raw(service, head + b'Connection: close\r\n\r\n{"action"')
        assert answer.startswith(b"HTTP/1.1 503 ")


def test_an_answer_that_is_not_read_is_not_waited_for() -> None:
    ended = Event()

    class Endless(Response):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            try:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                while True:
                    await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
            finally:
                ended.set()

    async def endless(request: Request) -> Response:
        return Endless()

    with live(_limits(request_seconds=0.5), routes=(Route("/endless", endless),)) as service:
        url = httpx.URL(service.address)
        with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
            connection.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(12) == b"HTTP/1.1 200"
            assert ended.wait(20), "it was waited for"
        assert service.client.get("/healthz").status_code == 200


def test_a_host_route_that_takes_too_long_is_told_like_the_others() -> None:
    async def endless(request: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError("it was set")

    with live(_limits(request_seconds=0.5), routes=(Route("/endless", endless),)) as service:
        assert _error(service.client.get("/endless")) == (503, "service.timeout")


def test_more_requests_at_once_than_the_limit_are_sent_away() -> None:
    stuck = Stuck()
    with live(_limits(requests=1), deciding=stuck) as service, ThreadPoolExecutor(1) as pool:
        first = pool.submit(service.post, "/v1/decide", asked("order.read"))
        assert stuck.entered.wait(20)
        answer = httpx.get(f"{service.address}/healthz", timeout=20, trust_env=False)
        stuck.go.set()
        assert _error(answer) == (503, "service.busy")
        assert answer.headers["retry-after"] == "1"
        assert first.result(20).json()["allowed"] is True


@pytest.mark.parametrize("problem", [ValueError("a secret"), KeyError("a secret"), RecursionError("a secret")])
def test_a_failure_allows_nothing_and_tells_nothing(problem: Exception) -> None:
    with live(deciding=Stuck(problem)) as service:
        answer = service.post("/v1/decide", asked("order.read"), headers={"X-Request-ID": "r-1"})
        assert _error(answer) == (500, "service.failure")
        assert answer.headers["x-request-id"] == "r-1"
        assert "secret" not in answer.text
        batch = service.post("/v1/decide-many", {"requests": [asked("order.read")]})
        assert _error(batch) == (500, "service.failure")
        assert service.client.get("/healthz").status_code == 200


def test_a_host_route_that_fails_is_told_like_the_others() -> None:
    async def broken(request: Request) -> Response:
        raise ValueError("a secret")

    with live(routes=(Route("/broken", broken),)) as service:
        answer = service.client.get("/broken")
        assert _error(answer) == (500, "service.failure")
        assert "secret" not in answer.text


def test_a_decision_that_is_too_large_for_the_engine_is_a_denial(service: Live) -> None:
    call = asked("order.read", items=[0] * 110_000)
    answer = service.post("/v1/decide", call)
    assert answer.status_code == 400 or answer.json()["allowed"] is False
    deep: Any = 1
    for _ in range(66):
        deep = [deep]
    assert (
        service.post("/v1/decide", {"action": {**call["action"], "input": deep}, "context": CONTEXT}).json()["allowed"]
        is False
    )
