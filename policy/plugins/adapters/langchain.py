"""LangChain agents, on LangGraph: tools behind a policy. Needs the extra `langchain` (LangChain 1, LangGraph 1).

Ten lines of a host::

    gate = Gate(authorizer, context=lambda runtime: parties(runtime.context["user"]), capability=names)
    agent = create_agent(model, tools, middleware=[PolicyMiddleware(gate)], checkpointer=InMemorySaver())

    result = agent.invoke({"messages": prompt}, thread, context={"user": user})
    while asked := result.get("__interrupt__"):  # calls that wait for people
        for each in asked:
            people_vote(each.value["handle"])  # authorizer.vote(handle, by=…)
        answers = {each.id: {"type": "approve"} for each in asked}
        result = agent.invoke(Command(resume=answers), thread, context={"user": user})

An answer in `resume` is no approval: it resumes the call, which is decided again and runs where the votes in the store
suffice. Resumed before people have answered, with a rejection or with anything else, it does not run.
`{"type": "edit", "args": {…}}` changes the arguments, which are decided anew and interrupt once more.
What waits is written down in the state before the interrupt, so that no later decision opens it again. List this
middleware last: one behind it could change a call that was judged. Tools that the model's provider runs by itself are
hidden by the policy, not gated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, NotRequired, TypeAlias

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr, ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command, interrupt

from policy.plugins.adapters.common import Gate, Verdict

__all__ = ["PolicyMiddleware"]

_REJECTED = "denied: the call was rejected"
_UNNAMED = "denied: the call has no id, so it cannot wait for approval"

Answered: TypeAlias = ToolMessage | Command[Any]


class _State(AgentState[Any]):
    policy_waiting: NotRequired[Annotated[dict[str, str], PrivateStateAttr]]  # type: ignore[valid-type]
    """The calls of the last model turn that wait: id to handle."""


class PolicyMiddleware(AgentMiddleware[Any, Any, Any]):
    """Offers the tools that the policy shows, and runs a call where the policy allows it.

    The gate's `context` is given the graph's runtime; its `context` is what the host gave the run.
    """

    state_schema = _State

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Ask the model with the tools that may be shown."""
        offered = self._gate.offered(request.tools, request.runtime, name=_name)
        return handler(request.override(tools=offered))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """`wrap_model_call` of an asynchronous run."""
        offered = await self._gate.offered_async(request.tools, request.runtime, name=_name)
        return await handler(request.override(tools=offered))

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any]:
        """Write down which of the model's calls wait, in a step of its own."""
        last = state["messages"][-1]
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        judged = [(call["id"], self._check(call["name"], call["args"], runtime, call["id"])) for call in calls]
        return {"policy_waiting": {name: each.handle for name, each in judged if name and each.waits and each.handle}}

    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any]:
        """`after_model` of an asynchronous run."""
        return await asyncio.to_thread(self.after_model, state, runtime)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answered]) -> Answered:
        """Run the tool where the call may run, after people have answered where it waits."""
        verdict = self._settled(request)
        return handler(_judged(request, verdict)) if verdict.runs else _refusal(request, verdict)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answered]]
    ) -> Answered:
        """`wrap_tool_call` of an asynchronous run."""
        verdict = await asyncio.to_thread(self._settled, request)
        return await handler(_judged(request, verdict)) if verdict.runs else _refusal(request, verdict)

    def _settled(self, request: ToolCallRequest) -> Verdict:
        """What to do with a call in the end. Interrupts the graph until the host has answered."""
        call, runtime = request.tool_call, request.runtime
        name, arguments, identifier = call["name"], call["args"], call["id"]
        handle = _waiting(request.state).get(identifier or "")
        if handle is None:
            verdict = self._check(name, arguments, runtime, identifier)
            if not verdict.waits:
                return verdict
            handle = verdict.handle
        if handle is None or not identifier:
            return Verdict(kind="refuse", message=_UNNAMED if handle else "denied: there is nobody to ask for approval")
        # What the host answers is read before anything is decided again, on every replay of this step.
        answer = interrupt(_asked(name, arguments, handle, identifier))
        edited: Verdict | None = None
        while (arguments_now := _edited(answer)) is not None:
            arguments = arguments_now
            edited = self._check(name, arguments, runtime, identifier)
            if not edited.runs and edited.handle is None:
                return edited
            handle = edited.handle
            answer = interrupt(_asked(name, arguments, handle, identifier))
        if not _approves(answer):
            return Verdict(kind="refuse", message=_REJECTED)
        if edited is not None and edited.runs:
            return edited
        return self._gate.resume(name, arguments, runtime, str(handle), call=identifier)

    def _check(self, name: str, arguments: dict[str, Any], runtime: Any, identifier: str | None) -> Verdict:
        return self._gate.check(name, arguments, runtime, call=identifier)


def _name(tool: Any) -> str:
    """A tool's name; one that the model's provider runs has only what kind it is."""
    if isinstance(tool, Mapping):
        return str(tool.get("name") or tool.get("type"))
    return str(tool.name)


def _waiting(state: Any) -> Mapping[str, str]:
    waiting = state.get("policy_waiting") if isinstance(state, Mapping) else None
    return waiting if isinstance(waiting, Mapping) else {}


def _asked(name: str, arguments: dict[str, Any], handle: str | None, identifier: str) -> dict[str, Any]:
    """What the interrupt shows the host."""
    return {"type": "policy_approval", "handle": handle, "tool": name, "args": arguments, "tool_call_id": identifier}


def _approves(answer: object) -> bool:
    return isinstance(answer, Mapping) and answer.get("type") == "approve"


def _edited(answer: object) -> dict[str, Any] | None:
    """The arguments that the host put in place of the model's."""
    if not isinstance(answer, Mapping) or answer.get("type") != "edit" or not isinstance(answer.get("args"), Mapping):
        return None
    return dict(answer["args"])


def _judged(request: ToolCallRequest, verdict: Verdict) -> ToolCallRequest:
    """The request with the arguments that were judged."""
    return request.override(tool_call={**request.tool_call, "args": verdict.arguments})


def _refusal(request: ToolCallRequest, verdict: Verdict) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(
        content=verdict.message,
        name=call["name"],
        tool_call_id=call["id"],
        status="error",
        artifact=verdict.to_payload(),
    )
