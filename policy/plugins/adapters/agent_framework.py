"""Microsoft Agent Framework: tools behind a policy. Needs the extra `agent-framework` (`agent-framework-core` 1).

Ten lines of a host, which give the tools of an agent to the policy::

    gate = Gate(authorizer, context=lambda run: parties(run.given["user"]), capability=names)
    agent = Agent(client, tools=[gated(tool, gate) for tool in tools], middleware=policy_middleware(gate))

    session, host = agent.create_session(), {"user": "rosa"}
    result = await agent.run("give rosa 250 back", session=session, function_invocation_kwargs=host)
    answers = []
    for asked in result.user_input_requests:  # calls that wait for people
        people_vote(asked.additional_properties["handle"])  # authorizer.vote(handle, by=…)
        answers.append(asked.to_function_approval_response(approved=True))
    if answers:
        result = await agent.run(Message("user", answers), session=session, function_invocation_kwargs=host)

The gate is inside the tool, behind every middleware, which may still edit the arguments before: what is judged are the
validated arguments, defaults included, and they are what runs. The middleware hides tools and refuses those that are
not gated. An approval response is no approval: it resumes the call, which is decided again and runs where the votes in
the store suffice. Tools that the model's provider runs by itself are not gated.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from agent_framework import (
    AgentContext,
    AgentMiddleware,
    AgentSession,
    ChatContext,
    ChatMiddleware,
    Content,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    tool,
)
from agent_framework.exceptions import UserInputRequiredException

from policy.plugins.adapters.common import Gate, Verdict
from policy.plugins.adapters.stated import UNSTATED, stated

__all__ = ["PolicyTool", "Run", "gated", "policy_middleware"]

UNGATED = "denied: the tool is not behind the policy, so nothing ran"
"""What a model reads where a tool was given to the agent past the gate."""
_GIVEN = "policy_given"


@dataclass(frozen=True, slots=True)
class Run:
    """What the gate's `context` is given: the host's word on a run."""

    session: AgentSession | None
    """The session."""
    given: Mapping[str, Any]
    """What the host gave `run` as `function_invocation_kwargs`; models do not write it."""


class PolicyTool(FunctionTool):
    """A function tool that runs as a policy decides; made by `gated`."""


class _Refused(str):
    """A reason in place of a result, which no parser of the tool is given."""

    __slots__ = ()


def gated(given: FunctionTool | Callable[..., Any], gate: Gate) -> PolicyTool:
    """A tool or function, behind the gate. Raises TypeError for a tool that is only declared, as it runs elsewhere."""
    inner = given if isinstance(given, FunctionTool) else tool(given)
    if inner.declaration_only:
        raise TypeError(f"`{inner.name}` does not run here, so it cannot be behind a policy")

    async def judged(invocation: FunctionInvocationContext, **arguments: Any) -> Any:
        own = {**_defaults(inner), **copy.deepcopy(arguments)}
        try:
            shown = stated(own)
        except (TypeError, ValueError, RecursionError):
            return _Refused(UNSTATED)
        verdict = await _verdict(inner.name, shown, invocation, gate)
        if not verdict.runs:
            return _Refused(verdict.message)
        if inner._context_parameter_name is not None:
            own[inner._context_parameter_name] = invocation
        return await _run(inner, own)

    return PolicyTool(
        name=inner.name,
        description=inner.description,
        approval_mode=inner.approval_mode,
        kind=inner.kind,
        additional_properties=inner.additional_properties,
        func=judged,
        input_model=inner.parameters() if inner.input_model is None else inner.input_model,
        result_parser=_parser(inner),
    )


def policy_middleware(
    gate: Gate, *, free: Collection[str] = ()
) -> list[AgentMiddleware | FunctionMiddleware | ChatMiddleware]:
    """Hides the tools that an agent may not see and refuses those past the gate, but for the `free` ones."""
    return [_TellsTheHostsWord(), _OnlyGated(free), _OnlyOffered(gate, free)]


class _TellsTheHostsWord(AgentMiddleware):
    """The library does not tell its chat middleware what the host gave a run, so it goes along with the request."""

    async def process(self, context: AgentContext, call_next: Callable[[], Awaitable[None]]) -> None:
        context.client_kwargs = {**context.client_kwargs, _GIVEN: dict(context.function_invocation_kwargs)}
        await call_next()


class _OnlyGated(FunctionMiddleware):
    def __init__(self, free: Collection[str]) -> None:
        self._free = frozenset(free)

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        if isinstance(context.function, PolicyTool) or context.function.name in self._free:
            await call_next()
        else:
            context.result = UNGATED


class _OnlyOffered(ChatMiddleware):
    def __init__(self, gate: Gate, free: Collection[str]) -> None:
        self._gate = gate
        self._free = frozenset(free)

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        given = context.kwargs.pop(_GIVEN, {})  # taken out again: no client of a model knows it
        options = dict(context.options or {})
        # A tool that has no name here is run by the model's provider.
        tools = options.get("tools") or []
        named = {each.name: each for each in tools if isinstance(each, FunctionTool)}
        offered = {*await self._gate.offered_async(named, Run(context.session, given))}
        offered |= self._free
        if "tools" in options:
            options["tools"] = [each for each in tools if not isinstance(each, FunctionTool) or each.name in offered]
            context.options = options
        await call_next()


async def _verdict(name: str, shown: dict[str, Any], invocation: FunctionInvocationContext, gate: Gate) -> Verdict:
    """The decision. Raises UserInputRequiredException where the call waits for people and the run can be resumed."""
    run, call = Run(invocation.session, invocation.kwargs), invocation.metadata.get("call_id")
    if not isinstance(call, str):  # without an id there is nothing to come back to
        return await gate.check_async(name, shown, run)
    verdict = await gate.settle_async(name, shown, run, call=call)
    if verdict.waits:
        raise UserInputRequiredException([_request(name, shown, invocation, call, verdict)])
    return verdict


def _request(
    name: str, shown: dict[str, Any], invocation: FunctionInvocationContext, call: str, verdict: Verdict
) -> Content:
    """What the host is asked, with the `handle` of the approval request; asked again, it has a name of its own."""
    occurrence = invocation.metadata.get("function_call_occurrence_id", call)
    again = "approval_response" in invocation.metadata
    return Content.from_function_approval_request(
        id=f"{occurrence}:again:{uuid4().hex}" if again else occurrence,
        function_call=Content.from_function_call(call_id=call, name=name, arguments=shown, id=occurrence),
        additional_properties={
            "handle": verdict.handle,
            "message": verdict.message,
            "_replacement_approval_request": again,
        },
    )


async def _run(inner: FunctionTool, arguments: dict[str, Any]) -> Any:
    """The tool itself, once, with no second validation of what was judged; one that blocks runs in a thread."""
    function = inner.func.func if isinstance(inner.func, FunctionTool) else inner.func
    result = (
        inner(**arguments) if inspect.iscoroutinefunction(function) else await asyncio.to_thread(inner, **arguments)
    )
    return await result if inspect.isawaitable(result) else result


def _defaults(inner: FunctionTool) -> dict[str, Any]:
    """What the function would fill in by itself, so that it is judged."""
    function = inner.func.func if isinstance(inner.func, FunctionTool) else inner.func
    return {
        name: copy.deepcopy(parameter.default)
        for name, parameter in inspect.signature(function or inner).parameters.items()
        if parameter.default is not inspect.Parameter.empty and name != inner._context_parameter_name
    }


def _parser(inner: FunctionTool) -> Any:
    parse = inner.result_parser
    if not callable(parse):
        return parse
    return lambda result: str(result) if isinstance(result, _Refused) else parse(result)
