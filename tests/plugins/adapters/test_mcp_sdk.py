"""The MCP Python SDK, with its own client in the same process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import anyio
import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams, CallToolResult, ElicitResult, ListToolsResult, TextContent, Tool

from policy.plugins.adapters import mcp_sdk as adapter
from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.mcp_sdk import PolicyMiddleware
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import NAMES, OMAR, ROSA, Desk, FiveThings, Reply, desk, stated

Got = TypeVar("Got")
Call = tuple[str, dict[str, Any]]


class McpServer:
    """A server of the SDK with the desk's tools, and a client that knows only the protocol."""

    def __init__(self, at: Desk, server: MCPServer | Server[Any], *, gated: bool = False) -> None:
        self.server = server
        if not gated:
            self.server.middleware.append(PolicyMiddleware(at.gate))
        self.asked: dict[str, Call] = {}

    def session(self, talk: Callable[[Client], Awaitable[Got]]) -> Got:
        """One conversation with the server."""

        async def connected() -> Got:
            async with Client(self.server) as client:
                return await talk(client)

        return anyio.run(connected)

    def request(self, tool: str, arguments: dict[str, Any], **more: Any) -> CallToolResult:
        """One call, as it goes over the protocol."""
        return self.session(lambda client: client.call_tool(tool, arguments, **more))

    def tools(self) -> list[Tool]:
        """The list that a client gets."""
        return self.session(lambda client: client.list_tools()).tools

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


def high_level(at: Desk) -> MCPServer:
    """The tools as functions; the SDK makes their schemas, and coerces what it can."""
    server = MCPServer("desk")

    @server.tool()
    def order_read(order: str) -> str:
        return at.run("order_read", order=order)

    @server.tool()
    def refund_create(amount: float) -> str:
        return at.run("refund_create", amount=amount)

    @server.tool()
    def note_write(text: str, requester: str) -> str:
        return at.run("note_write", text=text, requester=requester)

    @server.tool()
    def vault_open() -> str:
        return at.run("vault_open")

    return server


def low_level(at: Desk) -> Server[Any]:
    """The tools as two handlers, which judge nothing themselves."""

    async def listed(ctx: object, params: object) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name=name, input_schema={"type": "object"}) for name in NAMES])

    async def called(ctx: object, params: CallToolRequestParams) -> CallToolResult:
        text = at.run(params.name, **(params.arguments or {}))
        return CallToolResult(content=[TextContent(type="text", text=text)])

    return Server("desk", on_list_tools=listed, on_call_tool=called)


class TestMCPServer(FiveThings):
    """The five things, on the SDK's high level (once called FastMCP)."""

    host_rejects = False

    def runtime(self, desk: Desk) -> McpServer:
        return McpServer(desk, high_level(desk))


class TestServer(FiveThings):
    """The five things, on the SDK's low level."""

    host_rejects = False

    def runtime(self, desk: Desk) -> McpServer:
        return McpServer(desk, low_level(desk))


@pytest.fixture
def at() -> Desk:
    return desk()


@pytest.fixture
def server(at: Desk) -> McpServer:
    return McpServer(at, low_level(at))


def test_the_handle_may_come_in_the_metadata_of_the_request(at: Desk, server: McpServer) -> None:
    handle = server.call("refund_create", {"amount": 250}).handle
    at.approve(str(handle))
    server.request("refund_create", {"amount": 250}, meta={"agent-policy/approval": handle})
    assert at.ran == [("refund_create", {"amount": 250})]


def test_a_released_call_is_not_released_again(at: Desk, server: McpServer) -> None:
    reply = server.call("refund_create", {"amount": 250})
    at.approve(str(reply.handle))
    server.go_on(reply, "approve")
    again = server.go_on(reply, "approve")
    assert at.ran == [("refund_create", {"amount": 250})]
    assert "(approval.consumed)" in again.text


def test_changed_arguments_are_not_released(at: Desk, server: McpServer) -> None:
    handle = server.call("refund_create", {"amount": 250}).handle
    at.approve(str(handle))
    changed = _reply(server.request("refund_create", {"amount": 251, "approval_handle": handle}))
    assert at.ran == []
    assert "(approval.action_changed)" in changed.text


@pytest.mark.parametrize("handle", ["made-up", "", 7, {"approved": True}])
def test_a_handle_of_the_clients_own_making_releases_nothing(at: Desk, server: McpServer, handle: object) -> None:
    reply = _reply(server.request("refund_create", {"amount": 250, "approval_handle": handle}))
    assert at.ran == []
    assert "(approval.request_unknown)" in reply.text


def test_what_a_client_says_of_an_approval_is_not_heard(at: Desk, server: McpServer) -> None:
    meta: Any = {"approved": True, "agent-policy/approved": True, "agent-policy/approval": None}
    result = server.request("refund_create", {"amount": 250}, meta=meta)
    assert at.ran == []
    assert result.is_error
    assert result.structured_content["outcome"] == "require-approval"


def test_an_answer_that_nobody_asked_for_is_not_heard(at: Desk, server: McpServer) -> None:
    """The protocol lets clients answer questions of a server; the gate asks none, and reads no state from a client."""
    handle = server.call("refund_create", {"amount": 250}).handle
    answers: Any = {"approval": ElicitResult(action="accept", content={"approved": True})}
    assert server.request("refund_create", {"amount": 250}, input_responses=answers).is_error
    assert server.request("refund_create", {"amount": 250}, request_state=handle).is_error
    assert at.ran == []


def test_a_state_that_the_server_did_not_seal_is_refused(at: Desk) -> None:
    async def talk(client: Client) -> None:
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await client.call_tool("refund_create", {"amount": 50}, request_state="approved")

    McpServer(at, high_level(at)).session(talk)
    assert at.ran == []


def test_a_handle_of_another_persons_call_releases_nothing(at: Desk, server: McpServer) -> None:
    """Two servers over one store, each with another caller."""
    handle = server.call("refund_create", {"amount": 250}).handle
    at.approve(str(handle))
    at.gate = Gate(at.authorizer, context=lambda run: stated(OMAR), capability=NAMES)
    other = McpServer(at, low_level(at))
    reply = _reply(other.request("refund_create", {"amount": 250, "approval_handle": handle}))
    assert at.ran == []
    assert "(approval.action_changed)" in reply.text


def test_a_waiting_call_tells_how_to_go_on(at: Desk, server: McpServer) -> None:
    result = server.request("refund_create", {"amount": 250})
    handle = at.authorizer.pending()[0].handle
    assert result.structured_content == {
        "outcome": "require-approval",
        "message": "waiting for approval: a `require` asks for an approval that is not complete"
        " (rule.requires_approval)",
        "handle": handle,
    }
    assert f"`approval_handle` set to `{handle}`" in _reply(result).text


def test_listed_tools_take_a_handle(server: McpServer) -> None:
    assert [sorted(tool.input_schema["properties"]) for tool in server.tools()] == [["approval_handle"]] * 2


def test_a_tool_with_an_argument_of_that_name_is_not_offered(at: Desk) -> None:
    inner = MCPServer("desk")

    @inner.tool()
    def order_read(approval_handle: str) -> str:
        return at.run("order_read", approval_handle=approval_handle)

    assert McpServer(at, inner).offered() == set()


def test_no_shared_cache_keeps_what_one_caller_may_see(at: Desk) -> None:
    async def listed(ctx: object, params: object) -> ListToolsResult:
        tools = [Tool(name=name, input_schema={"type": "object"}) for name in NAMES]
        return ListToolsResult(tools=tools, ttl_ms=60_000, cache_scope="public")

    server = McpServer(at, Server("desk", on_list_tools=listed))
    result = server.session(lambda client: client.list_tools())
    assert (result.ttl_ms, result.cache_scope) == (60_000, "private")


def test_calls_at_once_are_judged_each_for_itself(at: Desk, server: McpServer) -> None:
    async def talk(client: Client) -> None:
        async with anyio.create_task_group() as group:
            for amount in (50, 501, 60, 250):
                group.start_soon(client.call_tool, "refund_create", {"amount": amount})

    server.session(talk)
    assert sorted(arguments["amount"] for _, arguments in at.ran) == [50, 60]


def test_the_example_gates_a_server(at: Desk) -> None:
    names = run_example(
        adapter,
        Gate=Gate,
        MCPServer=MCPServer,
        PolicyMiddleware=PolicyMiddleware,
        authorizer=at.authorizer,
        names=NAMES,
        refund=lambda amount: at.run("refund_create", amount=amount),
        parties=stated,
        user_of=lambda request: ROSA,
    )
    server = McpServer(at, names["server"], gated=True)
    assert server.offered() == {"refund_create"}
    reply = server.call("refund_create", {"amount": 250})
    at.approve(str(reply.handle))
    assert at.ran == []
    server.go_on(reply, "approve")
    assert at.ran == [("refund_create", {"amount": 250})]
