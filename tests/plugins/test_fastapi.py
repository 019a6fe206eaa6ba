"""The dependency: it knows the route that FastAPI chose, and what is not allowed never reaches an endpoint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Request
from pydantic import BaseModel

from policy.contracts.catalog import read_catalog
from policy.plugins import Authorizer
from policy.plugins.adapters.common import FAILED, Gate
from policy.plugins.fastapi import PolicyDependency, PolicyRefusal, refused
from tests.plugins.web import PROBLEM, approve, gate, host, send


class Refund(BaseModel):
    """What is asked for."""

    amount: float


class _Shop:
    def __init__(self, given: Gate, **options: Any) -> None:
        self.ran: list[Any] = []
        self.gate = given
        self.app = FastAPI(dependencies=[Depends(PolicyDependency(given, **options))])
        self.app.add_exception_handler(PolicyRefusal, refused)
        router = APIRouter(prefix="/shop")

        @router.post("/refunds/{order}", openapi_extra={"x-agent-capability": "refund.create"})
        async def refund(order: str, body: Refund) -> dict[str, bool]:
            self.ran.append([order, body.amount])
            return {"done": True}

        @router.post("/defaults/{order}", openapi_extra={"x-agent-capability": "refund.create"})
        async def defaults(order: str, amount: float = 900) -> dict[str, bool]:
            self.ran.append([order, amount])
            return {"done": True}

        @router.post("/raw/{order}", openapi_extra={"x-agent-capability": "refund.create", "requestBody": {}})
        async def raw(order: str, request: Request) -> dict[str, bool]:
            self.ran.append([order, (await request.body()).decode()])
            return {"done": True}

        @router.get("/plain/{order}")
        async def plain(order: str) -> dict[str, bool]:
            self.ran.append("plain")
            return {"done": True}

        self.app.include_router(router)


@pytest.fixture
def shop(tmp_path: Path) -> _Shop:
    """A FastAPI application whose every endpoint depends on the policy."""
    return _Shop(gate(tmp_path))


def test_allowed_and_denied(shop: _Shop) -> None:
    assert send(shop.app, "POST", "/shop/refunds/o-1", json={"amount": 50}).status_code == 200
    denied = send(shop.app, "POST", "/shop/refunds/o-1", json={"amount": 900})
    assert (denied.status_code, denied.headers["content-type"], shop.ran) == (403, PROBLEM, [["o-1", 50]])
    assert (denied.json()["outcome"], denied.json()["handle"]) == ("deny", None)


def test_an_approved_request_is_released_once(shop: _Shop) -> None:
    waiting = send(shop.app, "POST", "/shop/refunds/o-1", json={"amount": 250})
    handle = waiting.json()["handle"]
    assert (waiting.status_code, waiting.json()["outcome"]) == (403, "require-approval")
    assert waiting.headers["x-approval-handle"] == handle
    approve(shop.gate, handle)
    named = {"x-approval-handle": handle}
    statuses = [
        send(shop.app, "POST", "/shop/refunds/o-1", json={"amount": amount}, headers=named).status_code
        for amount in (251, 250, 250)
    ]
    assert (statuses, shop.ran) == ([403, 200, 403], [["o-1", 250]])


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("/shop/defaults/o-1", b'{"amount": 5}', 400),
        ("/shop/defaults/o-1", b"", 403),
        ("/shop/defaults/o-1?amount=900", b"", 403),
        ("/shop/refunds/o-1?amount=5", b'{"amount": 50}', 400),
        ("/shop/refunds/o-1", b'{"amount": 50, "amount": 900}', 400),
        ("/shop/refunds/o-1", b'{"amount": 50, "x": "' + b"x" * (1 << 20) + b'"}', 413),
        ("/shop/raw/o-1", b'{"amount": 50, "x": "' + b"x" * (1 << 20) + b'"}', 413),
    ],
)
def test_what_is_judged_is_what_the_endpoint_reads(shop: _Shop, path: str, content: bytes, status: int) -> None:
    headers = {"content-type": "application/json"} if content else {}
    answer = send(shop.app, "POST", path, content=content, headers=headers)
    assert (answer.status_code, answer.headers["content-type"], shop.ran) == (status, PROBLEM, [])


def test_what_the_endpoint_reads_itself(shop: _Shop) -> None:
    assert send(shop.app, "POST", "/shop/defaults/o-1?amount=50").status_code == 200
    assert send(shop.app, "POST", "/shop/raw/o-1", json={"amount": 50}).status_code == 200
    assert shop.ran == [["o-1", 50], ["o-1", '{"amount":50}']]


def test_routes_without_a_capability(shop: _Shop, tmp_path: Path) -> None:
    assert (send(shop.app, "GET", "/shop/plain/o-1").status_code, shop.ran) == (403, [])
    mapped = _Shop(gate(tmp_path), capabilities={"GET /shop/plain/{order}": "order.read"})
    assert (send(mapped.app, "GET", "/shop/plain/o-1").status_code, mapped.ran) == (200, ["plain"])
    open_ = _Shop(gate(tmp_path), open_routes=["GET /shop/plain/{order}"])
    assert (send(open_.app, "GET", "/shop/plain/o-1").status_code, open_.ran) == (200, ["plain"])


def test_failures_run_nothing(shop: _Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = send(shop.app, "POST", "/shop/refunds/o-1", json={"amount": 50}, headers={"x-session": ""})
    assert (nobody.status_code, nobody.json()["detail"]) == (403, FAILED)

    def fail(*given: Any) -> Any:
        raise RuntimeError("down")

    monkeypatch.setattr(type(shop.gate.authorizer), "capabilities", property(fail))
    answer = send(shop.app, "POST", "/shop/refunds/o-1", json={"amount": 50})
    assert (answer.status_code, answer.json()["detail"], shop.ran) == (403, FAILED, [])


def test_the_applications_own_document_is_the_catalog(tmp_path: Path) -> None:
    """An operation that carries a declaration is a capability, by its operation's id."""
    app = FastAPI()
    ran: list[int] = []
    declaration = {"version": 1, "enabled": True, "scope": "order.search"}

    async def search(most: int = 1) -> dict[str, bool]:
        ran.append(most)
        return {"done": True}

    path = tmp_path / "shop.policy"
    path.write_text('policy "shop" { version "1" }\nroute "desk" { allow order.search when input.most <= 5 }\n')
    app.get("/search", openapi_extra={"x-agent-capability": declaration})(search)
    catalog = read_catalog(app.openapi(), "shop")
    given = Gate(Authorizer(policies=path, catalog=catalog), context=host)
    guarded = FastAPI(dependencies=[Depends(PolicyDependency(given))])
    guarded.get("/search", openapi_extra={"x-agent-capability": declaration})(search)
    assert [send(guarded, "GET", f"/search?most={most}").status_code for most in (5, 6)] == [200, 403]
    assert ran == [5]


def test_the_example_of_the_readme(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python guarded_api.py\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    path = tmp_path / "shop.policy"
    path.write_text(
        'policy "shop" { version "1" }\nroute "desk" { allow refund.create when input.amount <= 500 }\n',
        encoding="utf-8",
    )
    document = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number"}}}
    catalog = read_catalog(
        [{"acc": {"version": 1, "enabled": True, "scope": "refund.create"}, "input_schema": document}], "catalog"
    )
    ran: list[float] = []

    def refund(amount: float) -> dict[str, bool]:
        ran.append(amount)
        return {"done": True}

    names: dict[str, Any] = {
        "Gate": Gate,
        "authorizer": Authorizer(policies=path, catalog=catalog),
        "user_of": lambda scope: scope,
        "parties": host,
        "Refund": Refund,
        "refund": refund,
    }
    exec(compile(block, "guarded_api.py", "exec", dont_inherit=True), names)
    statuses = [send(names["app"], "POST", "/refunds", json={"amount": amount}).status_code for amount in (50, 900)]
    assert (statuses, ran) == ([200, 403], [50])
