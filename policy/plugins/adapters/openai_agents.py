"""OpenAI Agents SDK: function tools behind a policy. Needs the extra `openai-agents` (OpenAI Agents SDK 0.24).

Ten lines of a host::

    gate = Gate(authorizer, context=lambda run: parties(run.context["user"]), capability=names)
    agent = Agent(name="desk", model=model, tools=[gated(tool, gate) for tool in tools])

    result = await Runner.run(agent, prompt, context={"user": user})
    while result.interruptions:  # calls that wait for people
        for handle in (await handles(gate, result)).values():
            people_vote(handle)  # authorizer.vote(handle, by=…)
        state = result.to_state()
        for item in result.interruptions:
            state.approve(item)
        result = await Runner.run(agent, state)

The gate is inside the tool, so no way of calling it goes around; the library's own hook only pauses the run. The hook
is not asked for arguments that it cannot read, and not again once the host has approved: both end at the gate, which
then asks the store. Approved by the host without people's votes, the tool does not run.
Tools that the model's provider runs, and those of attached MCP servers, are no function tools: gate these where they
run.
"""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable
from typing import Any

from agents import FunctionTool, RunContextWrapper, RunResult, RunResultStreaming
from agents.tool_context import ToolContext

from policy.model.reader import DataError, read_json
from policy.plugins.adapters.common import Gate
from policy.source.limits import DEFAULT_LIMITS

__all__ = ["gated", "handles"]

_UNREADABLE = "denied: the arguments are no JSON object that can be read in one way"


def gated(tool: FunctionTool, gate: Gate) -> FunctionTool:
    """A copy of a tool that the policy hides, refuses, pauses or runs.

    The gate's `context` is given the SDK's run context; its `context` is what the host gave the run. Raises TypeError
    for a tool that is not run here.
    """
    if not isinstance(tool, FunctionTool):
        raise TypeError("only a function tool runs here; gate what runs elsewhere where it runs")
    own = copy.copy(tool)
    invoke, enabled, asks = own.on_invoke_tool, own.is_enabled, own.needs_approval

    async def offered(run: RunContextWrapper[Any], agent: Any) -> bool:
        return await _truth(enabled, run, agent) and bool(await gate.offered_async([tool.name], run))

    async def waits(run: RunContextWrapper[Any], arguments: dict[str, Any], call: str) -> bool:
        verdict = await gate.check_async(tool.name, arguments, run, call=call)
        return verdict.waits or (verdict.runs and await _truth(asks, run, arguments, call))

    async def judged(run: ToolContext[Any], text: str) -> Any:
        arguments = _read(text)
        if arguments is None:
            return _UNREADABLE
        verdict = await gate.settle_async(tool.name, arguments, run, call=run.tool_call_id)
        if not verdict.runs:
            return verdict.message
        return await invoke(run, json.dumps(verdict.arguments))

    own.is_enabled, own.needs_approval, own.on_invoke_tool = offered, waits, judged
    return own


async def handles(gate: Gate, result: RunResult | RunResultStreaming) -> dict[str, str]:
    """The approval requests that a paused run waits for: the id of the call to its handle."""
    found: dict[str, str] = {}
    for item in result.interruptions:
        call, arguments = getattr(item.raw_item, "call_id", None), _read(getattr(item.raw_item, "arguments", ""))
        if call is None or arguments is None or item.tool_name is None:
            continue
        verdict = await gate.check_async(item.tool_name, arguments, result.context_wrapper, call=call)
        if verdict.waits and verdict.handle is not None:
            found[call] = verdict.handle
    return found


async def _truth(setting: bool | Callable[..., Any], *given: Any) -> bool:
    """A setting of the library, which may be a value or a function, of now or of later."""
    value = setting(*given) if callable(setting) else setting
    return bool(await value if inspect.isawaitable(value) else value)


def _read(text: str) -> dict[str, Any] | None:
    """The arguments; None where they are no object, or one that readers could understand differently."""
    if not text.strip():
        return {}
    try:
        value = read_json(text, DEFAULT_LIMITS)
    except DataError:
        return None
    return value if isinstance(value, dict) else None
