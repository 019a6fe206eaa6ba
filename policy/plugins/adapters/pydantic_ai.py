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
import math
from collections.abc import Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_ai import ApprovalRequired, RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
from pydantic_core import PydanticSerializationError, to_jsonable_python

from policy.plugins.adapters.common import Gate

__all__ = ["PolicyCapability", "PolicyToolset"]

UNSTATED = "denied: the arguments cannot be stated as JSON exactly, so nothing ran"
"""What a model reads where the policy could not be shown what would run."""
_DIGITS = 300
"""Digits of the largest number that readers of JSON agree on."""


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
        stated = _stated(tool_args, tool, ctx)
        if stated is None:
            raise ToolFailed(UNSTATED)
        # Without an id there is nothing to come back to, so every such call is a new one.
        verdict = (
            await self.gate.check_async(name, stated, ctx)
            if ctx.tool_call_id is None
            else await self.gate.settle_async(name, stated, ctx, call=ctx.tool_call_id)
        )
        if verdict.waits:
            raise ApprovalRequired({"handle": verdict.handle, "message": verdict.message})
        if not verdict.runs:
            raise ToolFailed(verdict.message)
        return await super().call_tool(name, _validated(verdict.arguments, tool, ctx), ctx, tool)


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


def _stated(
    arguments: dict[str, Any], tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]
) -> dict[str, Any] | None:
    """Validated arguments as JSON, in the form that the tool's schema has; None where they are not the same again."""
    try:
        stated = _plain(arguments)
        if len(stated) == 1 and not stated.keys() & tool.tool_def.parameters_json_schema.get("properties", {}).keys():
            # A single model as the argument is flattened in the schema, and enveloped by validation.
            (inner,) = stated.values()
            stated = inner if isinstance(inner, dict) else stated
        return stated if _validated(stated, tool, ctx) == arguments else None
    except (PydanticSerializationError, ValidationError, TypeError, ValueError, RecursionError):
        return None


def _validated(stated: dict[str, Any], tool: ToolsetTool[AgentDepsT], ctx: RunContext[AgentDepsT]) -> dict[str, Any]:
    """What a tool is called with, from the arguments that were judged."""
    text = json.dumps(stated, allow_nan=False)
    validated: dict[str, Any] = tool.args_validator.validate_json(text, context=ctx.validation_context)
    return validated


def _plain(value: Any) -> Any:
    """JSON of a validated value. A decimal is a number, as the model wrote it."""
    match value:
        case BaseModel():
            return _plain(value.model_dump(by_alias=True))
        case Mapping():
            return {_key(name): _plain(member) for name, member in value.items()}
        case list() | tuple() | Set():
            return [_plain(item) for item in value]
        case Decimal():
            return _number(value)
        case float() if not math.isfinite(value):
            raise ValueError("not a JSON number")
        case _:
            return to_jsonable_python(value)


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("not a JSON name")
    return name


def _number(value: Decimal) -> int | float:
    """The number of a decimal. Raises ValueError where JSON readers would not agree on it."""
    if not value.is_finite() or value.adjusted() > _DIGITS:
        raise ValueError("not a JSON number")
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    if Decimal(repr(number)) != value:
        raise ValueError("not a JSON number")
    return number
