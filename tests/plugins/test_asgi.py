"""The middleware: what is not allowed never reaches an endpoint, and the endpoint gets what was judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from policy.plugins.adapters.common import FAILED, Gate
from policy.plugins.asgi import Declared, PolicyMiddleware, capability
from tests.plugins.web import PROBLEM, approve, gate, send


class _Shop:
    def __init__(self, folder: Path, **options: Any) -> None:
        self.ran: list[Any] = []
        self.gate: Gate = gate(folder)

        @capability("refund.create")
        async def refund(request: Request) -> Response:
            self.ran.append([request.path_params["order"], await request.json()])
            return JSONResponse({"done": True})

        @capability("order.search", query=["most", "tag"])
        async def search(request: Request) -> Response:
            self.ran.append(str(request.query_params))
            return JSONResponse({"done": True})

        @capability("order.wipe")
        async def wipe(request: Request) -> Response:
            self.ran.append("wipe")
            return JSONResponse({"done": True})

        async def plain(request: Request) -> Response:
            self.ran.append("plain")
            return JSONResponse({"done": True})

        self.app = Starlette(
            routes=[
                Route("/refunds/{order}", refund, methods=["POST"]),
                Mount("/orders", routes=[Route("/search", search), Route("/wipe", wipe)]),
                Route("/plain/{order}", plain),
            ],
            middleware=[Middleware(PolicyMiddleware, gate=self.gate, **options)],
        )


@pytest.fixture
def shop(tmp_path: Path) -> _Shop:
    """A Starlette application behind the middleware."""
    return _Shop(tmp_path)


def test_an_allowed_request_runs_with_its_body(shop: _Shop) -> None:
    answer = send(shop.app, "POST", "/refunds/o-1", json={"amount": 50})
    assert (answer.status_code, shop.ran) == (200, [["o-1", {"amount": 50}]])


def test_a_denied_request_gets_a_safe_reason(shop: _Shop) -> None:
    answer = send(shop.app, "POST", "/refunds/o-1", json={"amount": 900})
    assert (answer.status_code, answer.headers["content-type"], shop.ran) == (403, PROBLEM, [])
    told = answer.json()
    assert (told["outcome"], told["handle"], told["status"]) == ("deny", None, 403)
    assert told["detail"].startswith("denied: ")
    assert "900" not in answer.text


def test_an_approved_request_is_released_once(shop: _Shop) -> None:
    waiting = send(shop.app, "POST", "/refunds/o-1", json={"amount": 250})
    handle = waiting.json()["handle"]
    assert (waiting.status_code, waiting.json()["outcome"], shop.ran) == (403, "require-approval", [])
    named = {"x-approval-handle": handle}
    assert send(shop.app, "POST", "/refunds/o-1", json={"amount": 250}, headers=named).status_code == 403
    approve(shop.gate, handle)
    for path, amount in (("o-1", 251), ("o-2", 250)):
        assert send(shop.app, "POST", f"/refunds/{path}", json={"amount": amount}, headers=named).status_code == 403
    assert shop.ran == []
    assert send(shop.app, "POST", "/refunds/o-1", json={"amount": 250}, headers=named).status_code == 200
    assert send(shop.app, "POST", "/refunds/o-1", json={"amount": 250}, headers=named).status_code == 403
    assert shop.ran == [["o-1", {"amount": 250}]]


def test_who_acts_is_the_hosts_word(shop: _Shop) -> None:
    answer = send(shop.app, "POST", "/refunds/o-1", json={"amount": 50}, headers={"x-session": ""})
    assert (answer.status_code, answer.json()["detail"], shop.ran) == (403, FAILED, [])


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("most=3", 200),
        ("most=6", 403),
        ("most=3.5", 403),
        ("most= 3", 403),
        ("tag=a&tag=b", 200),
        ("most=3&most=4", 400),
        ("other=1", 400),
    ],
)
def test_queries_are_judged_as_the_schema_describes_them(shop: _Shop, query: str, status: int) -> None:
    assert send(shop.app, "GET", f"/orders/search?{query}").status_code == status
    assert len(shop.ran) == (status == 200)


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b'{"amount": 50, "amount": 900}', {}, 400),
        (b'{"amount": 50, "order": "o-2"}', {}, 400),
        (b"{", {}, 400),
        (b"[" * 100_000, {}, 400),
        (b"[1]", {}, 403),
        (b'{"amount": 50}', {"content-type": "text/plain"}, 415),
        (b'{"amount": 50}', {"content-encoding": "gzip"}, 415),
        (b'{"amount": 50, "order2": "' + b"x" * (1 << 20) + b'"}', {}, 413),
        (b"", {}, 403),
    ],
)
def test_bodies_that_could_be_read_in_two_ways(
    shop: _Shop, content: bytes, headers: dict[str, str], status: int
) -> None:
    sent = {"content-type": "application/json", **headers}
    answer = send(shop.app, "POST", "/refunds/o-1", content=content, headers=sent)
    assert (answer.status_code, answer.headers["content-type"], shop.ran) == (status, PROBLEM, [])


def test_an_input_of_the_query_does_not_come_by_the_body(shop: _Shop) -> None:
    answer = send(shop.app, "GET", "/orders/search", json={"most": 3})
    assert (answer.status_code, shop.ran) == (400, [])


@pytest.mark.parametrize("path", ["/plain/o-1", "/nowhere", "/orders/wipe", "/orders/nowhere"])
def test_what_names_no_capability_or_is_not_allowed(shop: _Shop, path: str) -> None:
    assert (send(shop.app, "GET", path).status_code, shop.ran) == (403, [])


def test_a_mapping_names_capabilities_and_open_routes(tmp_path: Path) -> None:
    shop = _Shop(tmp_path, capabilities={"GET /plain/{order}": Declared("order.read")})
    assert (send(shop.app, "GET", "/plain/o-1").status_code, shop.ran) == (200, ["plain"])
    shop = _Shop(tmp_path, open_routes=["GET /plain/{order}"])
    assert (send(shop.app, "GET", "/plain/o-1", headers={"x-session": ""}).status_code, shop.ran) == (200, ["plain"])
    assert send(shop.app, "GET", "/plain/o-1/more").status_code == 403
    with pytest.raises(ValueError, match="a route is written like"):
        PolicyMiddleware(shop.app, gate=shop.gate, open_routes=["/plain"])


def test_an_authorizer_that_fails_runs_nothing(shop: _Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any, **more: Any) -> Any:
        raise RuntimeError("down")

    monkeypatch.setattr(type(shop.gate.authorizer), "authorize", fail)
    answer = send(shop.app, "POST", "/refunds/o-1", json={"amount": 50})
    assert (answer.status_code, answer.json()["detail"], shop.ran) == (403, FAILED, [])
    monkeypatch.setattr(type(shop.gate.authorizer), "capabilities", property(fail))
    answer = send(shop.app, "POST", "/refunds/o-1", json={"amount": 50})
    assert (answer.status_code, answer.json()["detail"], shop.ran) == (403, FAILED, [])
