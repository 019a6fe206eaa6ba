"""A live service for tests, on a free port, over a policy that allows, asks for approval, obliges and denies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
from starlette.routing import BaseRoute

from policy.contracts.catalog import read_catalog
from policy.engine import Engine
from policy.plugins import Authorizer, MemoryApprovalStore
from policy.server.app import create_app
from policy.server.authentication import Token, Tokens
from policy.server.directory import Directory, read_directory
from policy.server.run import address_of, bind, serve, server_for
from policy.server.settings import Settings

POLICY = """
policy "desk" { version "1" default approval "lead" }
context { medium_used: string optional }
directory { roles "support.lead", "auditor" attributes { email: string optional team: string optional } }

route "chat", "authzen" {
  allow order.read
  allow refund.create when input.amount <= 500
  allow memo.send
  allow team.read when subject.attributes.team == "payments"
  allow channel.read when context.medium_used == "mail"
  allow document.read
}

require "large-refund" {
  for refund.create
  when input.amount > 100
  approval "lead"
  because "refunds above 100 are seen by a lead"
}
require "secret-document" {
  for document.read
  when input.resource.properties.secret == true
  approval "lead"
}
require "long-memo" { for memo.send when length(input.text) > 20 approval "lead" }
deny "suspended" { for order.read when claims.identity.suspended exists and claims.identity.suspended == true }

approval "lead" { need role "support.lead" valid for 1h }

obligation "mask" { for memo.send redact input.text set notify = "secops" }
"""


def _declared(scope: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"acc": {"version": 1, "enabled": True, "scope": scope, **more}, "input_schema": schema}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


CATALOG: list[dict[str, Any]] = [
    _declared("order.read", {"type": "object"}, execution={"readonly": True}),
    _declared("refund.create", _object(amount={"type": "number", "minimum": 0}), risk={"level": "medium"}),
    _declared("memo.send", _object(text={"type": "string"})),
    _declared("team.read", {"type": "object"}),
    _declared("channel.read", {"type": "object"}),
    _declared("document.read", _object(resource={"type": "object"})),
    _declared("order.wipe", {"type": "object"}),
]
PEOPLE: dict[str, Any] = {
    "rosa": {"roles": [], "attributes": {"email": "rosa@shop.example", "team": "support"}},
    "omar": {"roles": ["auditor"]},
    "lena": {"roles": ["support.lead"]},
    "max": {"roles": ["support.lead"]},
    "ivan": {"revoked": True},
    "agent:a7": {"kind": "agent", "attributes": {"team": "payments"}},
}
CONTEXT: dict[str, Any] = {
    "route": "chat",
    "delegation": [],
    "requester": {"id": "rosa", "kind": "human", "person_id": "rosa"},
    "operator": {"id": "agent-7", "kind": "agent"},
    "subject": {"id": "rosa", "kind": "human", "person_id": "rosa"},
}
LENA = {"id": "lena", "kind": "human"}


def action(capability: str, call: str = "call-1", **arguments: Any) -> dict[str, Any]:
    """An action."""
    return {"id": call, "capability_id": capability, "input": arguments}


def asked(capability: str, call: str = "call-1", **arguments: Any) -> dict[str, Any]:
    """The body of a decide request."""
    return {"action": action(capability, call, **arguments), "context": CONTEXT}


def tokens(**permissions: list[str]) -> Tokens:
    """A token `secret-NAME` for each name, with its permissions."""
    return Tokens.of(
        Token.model_validate(
            {"name": name, "sha256": sha256(f"secret-{name}".encode()).hexdigest(), "permissions": allowed}
        )
        for name, allowed in permissions.items()
    )


def bearer(name: str) -> dict[str, str]:
    """The header that shows the token of a name."""
    return {"Authorization": f"Bearer secret-{name}"}


def directory() -> Directory:
    """The people."""
    return read_directory(PEOPLE, "people")


def authorizer(**more: Any) -> Authorizer:
    """An authorizer over the policy, with a store in memory."""
    catalog = read_catalog(CATALOG, "catalog")
    assert not [each for each in catalog.diagnostics if each.is_error]
    people = directory()
    engine = Engine.from_source(POLICY, resolver=people, catalog=catalog)
    return Authorizer(
        **{"policies": engine, "catalog": catalog, "resolver": people, "approvals": MemoryApprovalStore(), **more}
    )


@dataclass(frozen=True)
class Live:
    """A service that answers."""

    client: httpx.Client
    authorizer: Any
    address: str

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        """Post JSON."""
        return self.client.post(path, json=body, **more)


@contextmanager
def live(
    settings: Settings | None = None, *, deciding: Any = None, routes: tuple[BaseRoute, ...] = ()
) -> Iterator[Live]:
    """A service over an authorizer, on a free port, until the block ends."""
    used = authorizer() if deciding is None else deciding
    given = Settings(page=False) if settings is None else settings
    if given.directory == Directory():
        given = replace(given, directory=directory())
    listening = bind("127.0.0.1", 0)
    address = address_of(listening)
    server = server_for(create_app(used, given.at(address), routes=routes), given.limits)
    started = Event()
    thread = Thread(target=serve, args=(server, listening), kwargs={"started": started.set}, daemon=True)
    thread.start()
    try:
        assert started.wait(20), "the service did not start"
        with httpx.Client(base_url=address, timeout=20, trust_env=False) as client:
            yield Live(client=client, authorizer=used, address=address)
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive(), "the service did not end"
        listening.close()


def conformance(name: str) -> Any:
    """A file of the handed reference material."""
    return json.loads((Path(__file__).parents[1] / "conformance" / "data" / name).read_text(encoding="utf-8"))
