"""FastMCP, with its own client in the same process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import anyio
import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.client.client import CallToolResult
from mcp_types import TextContent, Tool

from policy.plugins.adapters import fastmcp as adapter
from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.fastmcp import PolicyMiddleware
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import (
    NAMES,
    NOT_COVERED,
    OFFERED,
    ROSA,
    TOO_MUCH,
    Desk,
    FiveThings,
    Reply,
    desk,
    stated,
)

Got = TypeVar("Got")
Call = tuple[str, dict[str, Any]]


class Mcp:
    """A server of FastMCP with the desk's tools, and a client that knows only the protocol."""

    def __init__(self, server: FastMCP[Any]) -> None:
        self.server = server
        self.asked: dict[str, Call] = {}

    def session(self, talk: Callable[[Client[Any]], Awaitable[Got]]) -> Got:
        """One conversation with the server."""

        async def connected() -> Got:
            async with Client(self.server) as client:
                return await talk(client)

        return anyio.run(connected)

    def request(self, tool: str, arguments: dict[str, Any], **more: Any) -> CallToolResult:
        """One call, as it goes over the protocol."""
        return self.session(lambda client: client.call_tool(tool, arguments, raise_on_error=False, **more))

    def tools(self) -> list[Tool]:
        """The list that a client gets."""
        return self.session(lambda client: client.list_tools())

    def offered(self) -> set[str]:
        return {tool.name for tool in self.tools()}

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        reply = _reply(self.request(tool, arguments))
        if reply.handle is not None:
            self.asked[reply.handle] = (tool, arguments)
        return reply

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"]) -> Reply:
        tool, arguments = self.asked[str(reply.handle)]
        return _reply(self.request(tool, {**arguments, "approval_handle": reply.handle}))


def _reply(result: CallToolResult) -> Reply:
    text = " ".join(part.text for part in result.content if isinstance(part, TextContent))
    payload = result.structured_content if result.is_error else None
    return Reply(text=text, handle=payload.get("handle") if isinstance(payload, dict) else None)


def gated(at: Desk, name: str = "desk") -> FastMCP[Any]:
    """The tools as functions; the library makes their schemas, and coerces what it can."""
    server: FastMCP[Any] = FastMCP(name, middleware=[PolicyMiddleware(at.gate)])
    add_tools(at, server)
    return server


def add_tools(at: Desk, server: FastMCP[Any]) -> None:
    """The desk's tools."""

    @server.tool
    def order_read(order: str) -> str:
        return at.run("order_read", order=order)

    @server.tool
    def refund_create(amount: float) -> str:
        return at.run("refund_create", amount=amount)

    @server.tool
    def note_write(text: str, requester: str) -> str:
        return at.run("note_write", text=text, requester=requester)

    @server.tool
    def vault_open() -> str:
        return at.run("vault_open")


class TestFastMCP(FiveThings):
    """The five things."""

    host_rejects = False

    def runtime(self, desk: Desk) -> Mcp:
        return Mcp(gated(desk))


@pytest.fixture
def at() -> Desk:
    return desk()


@pytest.fixture
def server(at: Desk) -> Mcp:
    return Mcp(gated(at))


def test_the_handle_may_come_in_the_metadata_of_the_request(at: Desk, server: Mcp) -> None:
    handle = server.call("refund_create", {"amount": 250}).handle
    at.approve(str(handle))
    server.request("refund_create", {"amount": 250}, meta={"agent-policy/approval": handle})
    assert at.ran == [("refund_create", {"amount": 250})]


def test_a_released_call_is_not_released_again(at: Desk, server: Mcp) -> None:
    reply = server.call("refund_create", {"amount": 250})
    at.approve(str(reply.handle))
    server.go_on(reply, "approve")
    again = server.go_on(reply, "approve")
    assert at.ran == [("refund_create", {"amount": 250})]
    assert "(approval.consumed)" in again.text


def test_changed_arguments_are_not_released(at: Desk, server: Mcp) -> None:
    handle = server.call("refund_create", {"amount": 250}).handle
    at.approve(str(handle))
    changed = _reply(server.request("refund_create", {"amount": 251, "approval_handle": handle}))
    assert at.ran == []
    assert "(approval.action_changed)" in changed.text


@pytest.mark.parametrize("handle", ["made-up", "", 7, {"approved": True}])
def test_a_handle_of_the_clients_own_making_releases_nothing(at: Desk, server: Mcp, handle: object) -> None:
    reply = _reply(server.request("refund_create", {"amount": 250, "approval_handle": handle}))
    assert at.ran == []
    assert "(approval.request_unknown)" in reply.text


def test_what_a_client_says_of_an_approval_is_not_heard(at: Desk, server: Mcp) -> None:
    result = server.request("refund_create", {"amount": 250}, meta={"approved": True, "agent-policy/approval": None})
    assert at.ran == []
    assert result.structured_content is not None
    assert result.structured_content["outcome"] == "require-approval"


def test_listed_tools_take_a_handle_beside_their_own_arguments(server: Mcp) -> None:
    found = {tool.name: sorted(tool.input_schema["properties"]) for tool in server.tools()}
    assert found == {"order_read": ["approval_handle", "order"], "refund_create": ["amount", "approval_handle"]}


def test_a_tool_with_an_argument_of_that_name_is_not_offered(at: Desk) -> None:
    server: FastMCP[Any] = FastMCP("desk", middleware=[PolicyMiddleware(at.gate)])

    @server.tool
    def order_read(approval_handle: str) -> str:
        return at.run("order_read", approval_handle=approval_handle)

    assert Mcp(server).offered() == set()


def test_another_address_of_a_tool_is_another_tool(at: Desk, server: Mcp) -> None:
    """FastMCP can address a tool by a hash of its server; a name that the host does not know is refused."""
    reply = server.call("__0123456789ab_refund_create", {"amount": 50})
    assert at.ran == []
    assert "denied" in reply.text


def test_a_mounted_server_is_gated_by_its_own_middleware(at: Desk) -> None:
    outer: FastMCP[Any] = FastMCP("outer")
    outer.mount(gated(at))
    server = Mcp(outer)
    assert server.offered() == OFFERED
    assert TOO_MUCH in server.call("refund_create", {"amount": 501}).text
    assert at.ran == []


def test_a_server_gates_what_is_mounted_in_it(at: Desk) -> None:
    inner: FastMCP[Any] = FastMCP("inner")
    add_tools(at, inner)
    outer: FastMCP[Any] = FastMCP("outer", middleware=[PolicyMiddleware(at.gate)])
    outer.mount(inner)
    server = Mcp(outer)
    assert server.offered() == OFFERED
    assert TOO_MUCH in server.call("refund_create", {"amount": 501}).text
    assert at.ran == []


def test_a_tool_that_calls_a_tool_is_judged_for_that_too(at: Desk, server: Mcp) -> None:
    inner = server.server

    @inner.tool(name="order_read")
    async def order_read(order: str, ctx: Context) -> str:
        result = await ctx.fastmcp.call_tool("vault_open", {})
        return str(result.content[0].text)  # type: ignore[union-attr]

    assert NOT_COVERED in server.call("order_read", {"order": "A-1"}).text
    assert at.ran == []


def test_the_example_gates_a_server(at: Desk) -> None:
    names = run_example(
        adapter,
        FastMCP=FastMCP,
        Gate=Gate,
        PolicyMiddleware=PolicyMiddleware,
        authorizer=at.authorizer,
        names=NAMES,
        refund=lambda amount: at.run("refund_create", amount=amount),
        parties=stated,
        user_of=lambda run: ROSA,
    )
    server = Mcp(names["server"])
    assert server.offered() == {"refund_create"}
    reply = server.call("refund_create", {"amount": 250})
    at.approve(str(reply.handle))
    assert at.ran == []
    server.go_on(reply, "approve")
    assert at.ran == [("refund_create", {"amount": 250})]
