"""What the tests of web frameworks share: a gate over refunds, and a client within the process."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from policy.plugins import Authorizer, MemoryApprovalStore
from policy.plugins.adapters.common import Gate
from tests.plugins.world import Clock, Directory, context, person
from tests.server.world import LENA

POLICY = """
policy "shop" { version "1" }
directory { roles "teller" }
route "desk" { allow order.read  allow refund.create when input.amount <= 500  allow order.search }
require "large" { for refund.create when input.amount > 100 approval "one" }
approval "one" { need role "teller" valid for 1h }
"""
_AMOUNT = {"amount": {"type": "number"}, "order": {"type": "string"}}
CATALOG: list[dict[str, Any]] = [
    {
        "acc": {"version": 1, "enabled": True, "scope": "refund.create"},
        "input_schema": {
            "type": "object",
            "required": ["amount", "order"],
            "properties": {**_AMOUNT, "urgent": {"type": "boolean"}},
            "additionalProperties": False,
        },
    },
    {
        "acc": {"version": 1, "enabled": True, "scope": "order.read"},
        "input_schema": {"type": "object", "properties": {"order": {"type": "string"}}, "additionalProperties": False},
    },
    {
        "acc": {"version": 1, "enabled": True, "scope": "order.search"},
        "input_schema": {
            "type": "object",
            "properties": {"most": {"type": "integer", "maximum": 5}, "tag": {"type": "array"}},
            "additionalProperties": False,
        },
    },
    {"acc": {"version": 1, "enabled": True, "scope": "order.wipe"}, "input_schema": {"type": "object"}},
]
PROBLEM = "application/problem+json"


def host(scope: Any) -> dict[str, Any]:
    """Who asks, from a header that stands for the host's own session."""
    named = dict(scope["headers"]).get(b"x-session", b"").decode()
    if not named:
        raise LookupError("no session")
    return context(requester=person(named), subject=person(named))


def gate(folder: Any) -> Gate:
    """A gate over the policy."""
    from policy.contracts.catalog import read_catalog

    path = folder / "shop.policy"
    path.write_text(POLICY, encoding="utf-8")
    deciding = Authorizer(
        policies=path,
        catalog=read_catalog(CATALOG, "catalog"),
        resolver=Directory(),
        approvals=MemoryApprovalStore(),
        clock=Clock(),
    )
    return Gate(deciding, context=host)


def send(app: Any, method: str, path: str, **more: Any) -> httpx.Response:
    """One request to an application, as rosa unless other headers say so."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as client:
            return await client.request(
                method, path, **{**more, "headers": {"x-session": "rosa", **more.get("headers", {})}}
            )

    return asyncio.run(ask())


def approve(given: Gate, handle: str) -> None:
    """A teller approves."""
    given.authorizer.vote(handle, by=LENA)
