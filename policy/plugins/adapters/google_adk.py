"""Google ADK: tools behind a policy. Needs the extra `google-adk` (ADK 2).

Ten lines of a host, which give the tools of an agent to the policy::

    gate = Gate(authorizer, context=lambda run: parties(run.user_id), capability=names)
    agent = LlmAgent(name="desk", model=model, tools=[PolicyToolset(tools, gate)])
    runner = InMemoryRunner(app=App(name="desk", root_agent=agent, plugins=[PolicyPlugin()]))

    answers = []
    async for event in runner.run_async(user_id="rosa", session_id=session, new_message=prompt):
        for handle, answer in waiting(event):  # a call that waits for people
            people_vote(handle)  # authorizer.vote(handle, by=…)
            answers.append(answer)
    go_on = types.UserContent(parts=answers)
    async for event in runner.run_async(user_id="rosa", session_id=session, new_message=go_on):
        ...

The gate is inside the tool's `run_async`, behind every plugin and callback, which may still edit the arguments before.
A `ToolConfirmation` is no approval: it resumes the call, which is decided again and runs where the votes in the store
suffice. Confirm after people voted: the library takes one answer for a call, so one that still waits then is over, and
the model reads that it waits. Tools that the model's provider runs by itself are not gated, and `PolicyPlugin` does
not see them; it refuses what was given to an agent past the gate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.events.event import Event
from google.adk.flows.llm_flows.functions import REQUEST_CONFIRMATION_FUNCTION_CALL_NAME as ASKED
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from policy.plugins.adapters.common import Gate

__all__ = ["PolicyPlugin", "PolicyTool", "PolicyToolset", "waiting"]

REJECTED = "denied: the host rejected the call"
"""What a model reads where the call was not confirmed."""
UNGATED = "denied: the tool is not behind the policy, so nothing ran"
"""What a model reads where a tool was given to the agent past the gate."""


class PolicyTool(BaseTool):
    """A tool that runs as a policy decides.

    The gate's `context` is given the library's `ToolContext`; what the host knows of the run is its `user_id` and
    `session`. What tools can write, such as `state`, is not the host's word.
    """

    def __init__(self, tool: BaseTool, gate: Gate) -> None:
        """Raises TypeError for a tool that is not run here, such as a search of the model's provider."""
        if type(tool).run_async is BaseTool.run_async:
            raise TypeError(f"`{tool.name}` does not run here, so it cannot be behind a policy")
        super().__init__(
            name=tool.name,
            description=tool.description,
            is_long_running=tool.is_long_running,
            custom_metadata=tool.custom_metadata,
            behavior=tool.behavior,
            response_scheduling=tool.response_scheduling,
        )
        self._defers_response = tool._defers_response
        self._tool = tool
        self._gate = gate

    def _get_declaration(self) -> types.FunctionDeclaration | None:
        return self._tool._get_declaration()

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        """What the tool does to the request, with this one in its place."""
        await self._tool.process_llm_request(tool_context=tool_context, llm_request=llm_request)
        for name, tool in llm_request.tools_dict.items():
            if tool is self._tool:
                llm_request.tools_dict[name] = self

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """The tool's result, or an `error` with a safe reason; a call that waits for people asks to be confirmed.

        The `payload` of that request has the `handle` of the approval request. A tool that wants to be confirmed itself
        takes the same answer: the library has one for a call.
        """
        if tool_context.tool_confirmation is not None and not tool_context.tool_confirmation.confirmed:
            return {"error": REJECTED}
        name, call = self._tool.name, tool_context.function_call_id
        # Without an id there is nothing to come back to, so every such call is a new one.
        verdict = (
            await self._gate.settle_async(name, args, tool_context, call=call)
            if call
            else await self._gate.check_async(name, args, tool_context)
        )
        if verdict.runs:
            return await self._tool.run_async(args=verdict.arguments, tool_context=tool_context)
        if verdict.waits and call and tool_context.tool_confirmation is None:
            tool_context.request_confirmation(hint=verdict.message, payload={"handle": verdict.handle})
            tool_context.actions.skip_summarization = True
        return {"error": verdict.message}


class PolicyToolset(BaseToolset):
    """Tools, functions and toolsets that are offered and run as a policy decides."""

    def __init__(self, tools: Sequence[BaseTool | BaseToolset | Callable[..., Any]], gate: Gate) -> None:
        super().__init__()
        self._use_invocation_cache = False  # what may be seen can change within an invocation
        self._gate = gate
        self._given = [tool if isinstance(tool, BaseTool | BaseToolset) else FunctionTool(tool) for tool in tools]

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        """The tools that the agent may see, each behind the gate; none where there is no run."""
        tools: list[BaseTool] = []
        for given in self._given:
            if isinstance(given, BaseToolset):
                tools.extend(await given.get_tools_with_prefix(readonly_context))
            else:
                tools.append(given)
        gated = [PolicyTool(tool, self._gate) for tool in tools]
        return list(await self._gate.offered_async(gated, readonly_context, name=lambda tool: tool.name))

    async def close(self) -> None:
        """Close the toolsets in it."""
        for given in self._given:
            if isinstance(given, BaseToolset):
                await given.close()


class PolicyPlugin(BasePlugin):
    """Refuses every call of a tool that is not behind a gate, whichever agent of the app was given it."""

    def __init__(self, *, free: Collection[str] = (), name: str = "policy") -> None:
        """`free` names the tools that run without a policy, such as the library's own `transfer_to_agent`."""
        super().__init__(name)
        self._free = frozenset(free)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """The refusal; None for a tool that asks the policy itself, in its execution."""
        if isinstance(tool, PolicyTool) or tool.name in self._free:
            return None
        return {"error": UNGATED}


def waiting(event: Event) -> list[tuple[str, types.Part]]:
    """The calls that an event says wait for people: the handle of each, and what to send so that it goes on."""
    found = []
    for call in event.get_function_calls():
        payload = ((call.args or {}).get("toolConfirmation") or {}).get("payload")
        handle = payload.get("handle") if call.name == ASKED and isinstance(payload, dict) else None
        if isinstance(handle, str):
            answer = types.FunctionResponse(id=call.id, name=call.name, response={"confirmed": True})
            found.append((handle, types.Part(function_response=answer)))
    return found
