"""FastMCP: a server whose tools are behind a policy. Needs the extra `fastmcp` (FastMCP 4).

Ten lines of a host, which filter `tools/list` and gate `tools/call`::

    gate = Gate(authorizer, context=lambda run: parties(user_of(run)), capability=names)
    server = FastMCP("desk", middleware=[PolicyMiddleware(gate)])

    @server.tool
    def refund_create(amount: float) -> str:
        return refund(amount)

    # A call that waits is answered with a handle. Once people have voted, authorizer.vote(handle, by=…),
    # the client calls again with the same arguments and `approval_handle`.

FastMCP runs its middleware for the calls of clients and for those that tools make through the server, mounted servers
included. Let it be the first, so that no cache in front of it answers for it. All versions of a tool are one
capability. Resources and prompts are not gated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import Tool, ToolResult
from mcp_types import CallToolRequestParams, ListToolsRequest

from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.mcp_results import asked, of_server, told, with_handle

__all__ = ["PolicyMiddleware", "of_server"]


class PolicyMiddleware(Middleware):
    """Offers the tools that the policy shows, and runs a call where the policy allows it.

    The gate's `context` is given FastMCP's `Context`.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def on_list_tools(
        self, context: MiddlewareContext[ListToolsRequest], call_next: CallNext[ListToolsRequest, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """The tools that may be shown, each with an argument for a handle."""
        tools = await call_next(context)
        offered = await self._gate.offered_async(tools, context.fastmcp_context, name=lambda tool: tool.name)
        schemas = [(tool, with_handle(tool.name, tool.parameters)) for tool in offered]
        return [tool.model_copy(update={"parameters": schema}) for tool, schema in schemas if schema is not None]

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """The tool's result where the call may run, else an error that a model can read."""
        message = context.message
        request = asked(message.name, message.arguments or {}, _meta(context))
        verdict = await request.judged(self._gate, context.fastmcp_context)
        if not verdict.runs:
            return ToolResult(content=told(verdict), structured_content=verdict.to_payload(), is_error=True)
        judged = message.model_copy(update={"arguments": verdict.arguments})
        return await call_next(context.copy(message=judged))


def _meta(context: MiddlewareContext[Any]) -> Mapping[str, Any] | None:
    """The `_meta` of the client's request; FastMCP gives the middleware a message of its own making."""
    run = context.fastmcp_context
    request = None if run is None else run.request_context
    meta = None if request is None else request.meta
    return meta if isinstance(meta, Mapping) else None
