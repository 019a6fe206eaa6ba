"""What every adapter is tested for, in one place: a desk with four tools, and the same questions to each runtime.

A test module makes a runtime, which drives its library with a model or client of its own, and a subclass of
`FiveThings` named `Test…` that gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

import pytest

from policy import Engine
from policy.contracts.catalog import read_catalog
from policy.model.context import AuthorityRecord
from policy.model.decision import Decision
from policy.plugins import Authorizer, MemoryApprovalStore
from policy.plugins.adapters.common import FAILED, Gate

POLICY = """
policy "desk" { version "1" default approval "lead" }
directory { roles "support.lead" }

route "chat" {
  allow order.read
  allow refund.create when input.amount <= 500
  allow note.write when requester.id == "omar"
}

require "large-refund" {
  for refund.create
  when input.amount > 100
  approval "lead"
  because "refunds above 100 are seen by a lead"
}

approval "lead" { need role "support.lead" valid for 1h }
"""
"""Refunds up to 100 run, up to 500 wait for a lead, above are refused; notes are omar's; the vault is nobody's."""
LENIENT = POLICY.replace("input.amount > 100", "input.amount > 400")
"""Refunds up to 400 run."""

NAMES = {
    "order_read": "order.read",
    "refund_create": "refund.create",
    "note_write": "note.write",
    "vault_open": "vault.open",
}
"""The tools, and the capabilities they stand for."""
OFFERED = {"order_read", "refund_create"}
"""The tools that rosa's agent may see: of the notes it is certain that they are not hers."""
ROSA = {"id": "rosa", "kind": "human", "person_id": "rosa"}
OMAR = {"id": "omar", "kind": "human", "person_id": "omar"}
LENA = {"id": "lena", "kind": "human"}
AGENT = {"id": "agent-7", "kind": "agent"}

TOO_MUCH = "denied: an `allow` covers the capability and its condition does not hold (scope.condition_false)"
NOT_COVERED = "denied: no `allow` of the route covers the capability (scope.not_allowed)"
ILL_TYPED = "denied: the input breaks the capability's schema (input.schema_violation)"
WAITING = "waiting for approval: a `require` asks for an approval that is not complete (rule.requires_approval)"

Broken = Literal["engine", "context", "naming"]


def _now() -> datetime:
    return datetime.now(UTC)


def _capability(scope: str, properties: Mapping[str, Any], **acc: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties)}
    return {"acc": {"version": 1, "enabled": True, "scope": scope, **acc}, "input_schema": schema}


CATALOG = [
    _capability("order.read", {"order": {"type": "string"}}, execution={"readonly": True}),
    _capability("refund.create", {"amount": {"type": "number"}}),
    _capability("note.write", {"text": {"type": "string"}, "requester": {"type": "string"}}),
    _capability("vault.open", {}),
]


class _BrokenEngine(Engine):
    def decide(self, action: object, capability: object, context: object) -> Decision:
        raise RuntimeError("secret-4711")


class _Directory:
    """Knows lena as a lead, until it breaks."""

    def __init__(self) -> None:
        self.broken = False

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        if self.broken:
            raise RuntimeError("secret-4711")
        if principal_id != "lena":
            return None
        return AuthorityRecord(principal_id="lena", kind="human", person_id="lena", roles=["support.lead"])


@dataclass
class Desk:
    """An authorizer and a gate over it, and what the tools did."""

    authorizer: Authorizer
    gate: Gate
    directory: _Directory
    ran: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Every execution, in order: the tool and the arguments it got."""

    def run(self, tool: str, **arguments: Any) -> str:
        """The body of every tool."""
        self.ran.append((tool, arguments))
        return f"done: {tool}"

    def approve(self, handle: str) -> None:
        """Lena votes for it."""
        self.authorizer.vote(handle, by=LENA)

    def reject(self, handle: str) -> None:
        """Lena votes against it."""
        self.authorizer.vote(handle, by=LENA, decision="denied")


def stated(user: Mapping[str, Any]) -> dict[str, Any]:
    """The trusted context of somebody's agent, as the examples of the adapters have it."""
    person = dict(user)
    return {"route": "chat", "requester": person, "operator": AGENT, "subject": person, "delegation": []}


def desk(*, requester: Mapping[str, Any] = ROSA, broken: Broken | None = None, policy: str = POLICY) -> Desk:
    """A desk that the given person's agent works at, with one part that raises where asked for."""

    def context(run: object) -> dict[str, Any]:
        if broken == "context":
            raise RuntimeError("secret-4711")
        return stated(requester)

    def naming(tool: str) -> str:
        if broken == "naming":
            raise RuntimeError("secret-4711")
        return NAMES[tool]

    directory = _Directory()
    policies = (_BrokenEngine if broken == "engine" else Engine).from_source(policy, resolver=directory, clock=_now)
    authorizer = Authorizer(
        policies=policies,
        catalog=read_catalog(CATALOG, "catalog"),
        resolver=directory,
        approvals=MemoryApprovalStore(),
    )
    return Desk(authorizer=authorizer, gate=Gate(authorizer, context=context, capability=naming), directory=directory)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What came of a call."""

    text: str
    """What the model or the client reads; empty where the run is paused."""
    handle: str | None = None
    """The approval request, where the call waits."""


class Runtime(Protocol):
    """One library with the desk's four tools, each gated."""

    def offered(self) -> set[str]:
        """The tools that the model or the client is shown."""

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        """One call of a tool, as the model or the client asks for it."""

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"]) -> Reply:
        """Go on with a call that waits, as the host does it; a library without a say of the host ignores `answer`."""


class FiveThings:
    """The questions. A subclass says how a runtime is made, and whether the host itself can reject a paused call."""

    host_rejects = True

    def runtime(self, desk: Desk) -> Runtime:
        """The library with this desk's tools."""
        raise NotImplementedError

    def test_an_allowed_call_runs(self) -> None:
        """Once, with its arguments, and the model reads its result."""
        at = desk()
        reply = self.runtime(at).call("refund_create", {"amount": 50})
        assert at.ran == [("refund_create", {"amount": 50})]
        assert "done: refund_create" in reply.text
        assert reply.handle is None

    @pytest.mark.parametrize(
        ("tool", "arguments", "text"),
        [
            ("refund_create", {"amount": 501}, TOO_MUCH),
            ("vault_open", {}, NOT_COVERED),
            ("refund_create", {"amount": "50"}, ILL_TYPED),
        ],
    )
    def test_a_denied_call_does_not_run(self, tool: str, arguments: dict[str, Any], text: str) -> None:
        """The model reads why, without people, rules or values. What a library would coerce is refused as it is."""
        at = desk()
        reply = self.runtime(at).call(tool, arguments)
        assert at.ran == []
        assert text in reply.text
        assert reply.handle is None

    def test_an_approval_pauses_and_approved_it_runs_once(self) -> None:
        """People's votes in the store let it run, with the arguments that they saw."""
        at = desk()
        runtime = self.runtime(at)
        reply = runtime.call("refund_create", {"amount": 250})
        assert at.ran == []
        assert reply.handle is not None
        assert [each.handle for each in at.authorizer.pending()] == [reply.handle]
        at.approve(reply.handle)
        done = runtime.go_on(reply, "approve")
        assert at.ran == [("refund_create", {"amount": 250})]
        assert "done: refund_create" in done.text
        found = at.authorizer.request(reply.handle)
        assert found is not None
        assert found.state == "consumed"

    def test_rejected_by_people_it_does_not_run(self) -> None:
        """Whatever the host says: the vote in the store counts."""
        at = desk()
        runtime = self.runtime(at)
        reply = runtime.call("refund_create", {"amount": 250})
        assert reply.handle is not None
        at.reject(reply.handle)
        done = runtime.go_on(reply, "approve")
        assert at.ran == []
        assert "denied" in done.text

    def test_approved_by_the_host_alone_it_does_not_run(self) -> None:
        """Without people's votes there is no approval."""
        at = desk()
        runtime = self.runtime(at)
        reply = runtime.call("refund_create", {"amount": 250})
        done = runtime.go_on(reply, "approve")
        assert at.ran == []
        assert WAITING in done.text

    def test_rejected_by_the_host_it_does_not_run(self) -> None:
        """Though people approved: what the host rejected is not opened again."""
        at = desk()
        runtime = self.runtime(at)
        reply = runtime.call("refund_create", {"amount": 250})
        assert reply.handle is not None
        at.approve(reply.handle)
        runtime.go_on(reply, "reject")
        assert at.ran == ([] if self.host_rejects else [("refund_create", {"amount": 250})])

    def test_rejected_by_the_host_it_is_not_opened_again(self) -> None:
        """Not by a policy either that has come to allow it without an approval, were it decided again."""
        at = desk()
        runtime = self.runtime(at)
        reply = runtime.call("refund_create", {"amount": 250})
        at.gate.authorizer = desk(policy=LENIENT).authorizer
        runtime.go_on(reply, "reject")
        assert at.ran == []

    def test_hidden_tools_are_not_offered(self) -> None:
        """What no rule allows is not shown; for somebody else it is."""
        assert self.runtime(desk()).offered() == OFFERED
        assert self.runtime(desk(requester=OMAR)).offered() == {*OFFERED, "note_write"}

    @pytest.mark.parametrize("broken", ["engine", "context", "naming"])
    def test_what_raises_runs_nothing(self, broken: Broken) -> None:
        """And tells the model nothing of what went wrong."""
        at = desk(broken=broken)
        reply = self.runtime(at).call("refund_create", {"amount": 50})
        assert at.ran == []
        assert "denied" in reply.text
        assert "secret-4711" not in reply.text
        assert FAILED in reply.text or "(authorizer.failed)" in reply.text

    @pytest.mark.parametrize("broken", ["context", "naming"])
    def test_what_raises_hides_every_tool(self, broken: Broken) -> None:
        """Nothing is shown where that cannot be told."""
        assert self.runtime(desk(broken=broken)).offered() == set()

    def test_a_directory_that_raises_releases_nothing(self) -> None:
        """Who approved is asked at the release, and nobody can tell."""
        at = desk()
        runtime = self.runtime(at)
        reply = runtime.call("refund_create", {"amount": 250})
        assert reply.handle is not None
        at.approve(reply.handle)
        at.directory.broken = True
        done = runtime.go_on(reply, "approve")
        assert at.ran == []
        assert "secret-4711" not in done.text

    def test_arguments_name_no_requester(self) -> None:
        """The parties are the host's word: an argument that names omar makes nobody omar."""
        at = desk()
        reply = self.runtime(at).call("note_write", {"text": "hello", "requester": "omar"})
        assert at.ran == []
        assert TOO_MUCH in reply.text
        at = desk(requester=OMAR)
        self.runtime(at).call("note_write", {"text": "hello", "requester": "rosa"})
        assert at.ran == [("note_write", {"text": "hello", "requester": "rosa"})]
