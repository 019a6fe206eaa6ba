"""The MCP Python SDK: a server whose tools are behind a policy. Needs the extra `mcp` (MCP SDK 2).

Ten lines of a host, which filter `tools/list` and gate `tools/call`::

    gate = Gate(authorizer, context=lambda request: parties(user_of(request)), capability=names)
    server = MCPServer("desk")
    server.middleware.append(PolicyMiddleware(gate))

    @server.tool()
    def refund_create(amount: float) -> str:
        return refund(amount)

    # A call that waits is answered with a handle. Once people have voted, authorizer.vote(handle, by=…),
    # the client calls again with the same arguments and `approval_handle`.

`Server`, the low level of the SDK, takes the same middleware. Every message of a client passes it, however it came in.
Append it last: what stands behind it could change a call that was judged. Resources and prompts are not gated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent
from pydantic import BaseModel

from policy.plugins.adapters.common import Gate, Verdict
from policy.plugins.adapters.mcp_results import asked, of_server, told, with_handle

__all__ = ["PolicyMiddleware", "of_server"]


class PolicyMiddleware:
    """Offers the tools that the policy shows, and serves a call where the policy allows it.

    The gate's `context` is given the SDK's `ServerRequestContext`.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Serve one message of a client. Raises MCPError for a call without a name or with malformed arguments."""
        if ctx.method == "tools/list":
            return await self._listed(ctx, await call_next(ctx))
        if ctx.method == "tools/call":
            return await self._called(ctx, call_next)
        return await call_next(ctx)

    async def _called(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        params = ctx.params or {}
        name, arguments = params.get("name"), params.get("arguments")
        arguments = {} if arguments is None else arguments
        meta = params.get("_meta")
        if not isinstance(name, str) or not isinstance(arguments, Mapping):
            raise MCPError(code=INVALID_PARAMS, message="a tool call needs a name and an object of arguments")
        request = asked(name, arguments, meta if isinstance(meta, Mapping) else None)
        verdict = await request.judged(self._gate, ctx)
        if not verdict.runs:
            return _refusal(verdict)
        return await call_next(replace(ctx, params={**params, "arguments": verdict.arguments}))

    async def _listed(self, ctx: ServerRequestContext[Any, Any], result: HandlerResult) -> dict[str, Any]:
        listed = _wire(result)
        tools = [tool for tool in listed.get("tools", []) if isinstance(tool, Mapping)]
        offered = await self._gate.offered_async(tools, ctx, name=lambda tool: str(tool.get("name")))
        schemas = [(tool, with_handle(str(tool.get("name")), tool.get("inputSchema", {}))) for tool in offered]
        shown = [{**tool, "inputSchema": schema} for tool, schema in schemas if schema is not None]
        # What one caller may see is not for a cache that others read.
        private = {"cacheScope": "private"} if "cacheScope" in listed else {}
        return {**listed, "tools": shown, **private}


def _wire(result: HandlerResult) -> dict[str, Any]:
    """A result as it goes over the wire."""
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dict(result or {})


def _refusal(verdict: Verdict) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=told(verdict))],
        structured_content=verdict.to_payload(),
        is_error=True,
    )
