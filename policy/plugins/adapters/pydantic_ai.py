"""Pydantic AI: tools behind a policy. Needs the extra `pydantic-ai` (Pydantic AI 2).

Ten lines of a host, which give every tool of an agent to the policy::

    gate = Gate(authorizer, context=lambda run: run.deps.context, capability=names)
    agent = Agent(model, deps_type=Session, output_type=[str, DeferredToolRequests], tools=tools,
                  capabilities=[PolicyCapability(gate)])

    result = agent.run_sync(prompt, deps=session)
    if isinstance(result.output, DeferredToolRequests):  # calls that wait for people
        asked = result.output
        for call in asked.metadata.values():
            people_vote(call["handle"])  # authorizer.vote(handle, by=…)
        result = agent.run_sync(message_history=result.all_messages(), deps=session,
                                deferred_tool_results=asked.build_results(approve_all=True))

`PolicyToolset(toolset, gate)` gates one toolset instead. Both filter the tools that the model is offered, and both
decide inside the execution of the tool, after the library has validated and coerced the arguments and after every hook
has had its say; what runs is built anew from what was judged. An answer in `DeferredToolResults` is no approval: it
resumes the call, which is decided again, edited arguments included, and runs where the votes in the store suffice.
Output tools, and tools that the model's provider runs by itself, are not gated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic_ai import ApprovalRequired, RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.stated import UNSTATED, stated

__all__ = ["PolicyCapability", "PolicyToolset"]


@dataclass
class PolicyToolset(WrapperToolset[AgentDepsT]):
    """A toolset whose tools are offered and run as a policy decides.

    The gate's `context` is given the library's `RunContext`; the host's word is in its `deps`.
    """

    gate: Gate

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """The tools that the agent may see."""
        tools = await super().get_tools(ctx)
        offered = await self.gate.offered_async(tools, ctx)
        return {name: tools[name] for name in offered}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Run the call, where the policy allows it.

        Raises ToolFailed with a safe reason where it does not, and ApprovalRequired where the call waits for people,
        with `handle` and `message` in its metadata.
        """
        same = _shown(tool_args, tool, ctx)
        if same is None:
            raise ToolFailed(UNSTATED)
        shown, runs = same
        # Without an id there is nothing to come back to, so every such call is a new one.
        verdict = (
            await self.gate.check_async(name, shown, ctx)
            if ctx.tool_call_id is None
            else await self.gate.settle_async(name, shown, ctx, call=ctx.tool_call_id)
        )
        if verdict.waits:
            raise ApprovalRequired({"handle": verdict.handle, "message": verdict.message})
        if not verdict.runs:
            raise ToolFailed(verdict.message)
        return await super().call_tool(name, runs, ctx, tool)


@dataclass
class PolicyCapability(AbstractCapability[AgentDepsT]):
    """Every function tool of an agent behind a policy, whichever way the agent was given it."""

    gate: Gate

    def get_ordering(self) -> CapabilityOrdering:
        """Innermost: what other capabilities do to a call is done before it is judged."""
        return CapabilityOrdering(position="innermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """The agent's toolset, gated."""
        return PolicyToolset(toolset, self.gate)


def _shown(
    arguments: dict[str, Any], tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Validated arguments as JSON in the form of the tool's schema, and built anew from that; None if they differ."""
    try:
        shown: dict[str, Any] = stated(arguments)
        if len(shown) == 1 and not shown.keys() & tool.tool_def.parameters_json_schema.get("properties", {}).keys():
            # A single model as the argument is flattened in the schema, and enveloped by validation.
            (inner,) = shown.values()
            shown = inner if isinstance(inner, dict) else shown
        text = json.dumps(shown, allow_nan=False)
        again: dict[str, Any] = tool.args_validator.validate_json(text, context=ctx.validation_context)
    except (TypeError, ValueError, RecursionError):
        return None
    return (shown, again) if again == arguments else None
