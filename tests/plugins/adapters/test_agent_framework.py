"""Microsoft Agent Framework, driven by a chat client of its own kind: no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, Never

import pytest
from agent_framework import (
    Agent,
    AgentResponse,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationContext,
    FunctionInvocationLayer,
    FunctionMiddleware,
    FunctionTool,
    Message,
    ResponseStream,
    tool,
)
from pydantic import AfterValidator, SecretStr

from policy.plugins.adapters import agent_framework as adapter
from policy.plugins.adapters.agent_framework import UNGATED, PolicyTool, Run, gated, policy_middleware
from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.stated import UNSTATED
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import (
    NAMES,
    ROSA,
    TOO_MUCH,
    WAITING,
    Desk,
    FiveThings,
    Reply,
    desk,
    stated,
)


class _Client(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):  # type: ignore[misc]
    """Makes one call, and ends with what it read of it."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        super().__init__()
        self.calls = calls
        self.seen: set[str] = set()
        self.got: set[str] = set()

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse] | ResponseStream[ChatResponseUpdate, ChatResponse]:
        self.got.update(kwargs)
        self.seen.update(each.name for each in options.get("tools") or [])
        read = [content for content in messages[-1].contents if content.type == "function_result"]
        if read:
            contents = [Content.from_text(str(each.result)) for each in read]
        elif self.calls:
            contents = [
                Content.from_function_call(call_id=f"call-{number}", name=name, arguments=arguments)
                for number, (name, arguments) in enumerate(self.calls)
            ]
        else:
            contents = [Content.from_text("nothing to do")]
        return self._stream(contents) if stream else self._answer(contents)

    async def _answer(self, contents: list[Content]) -> ChatResponse:
        return ChatResponse(messages=[Message("assistant", contents)])

    def _stream(self, contents: list[Content]) -> ResponseStream[ChatResponseUpdate, ChatResponse]:
        async def updates() -> AsyncIterable[ChatResponseUpdate]:
            yield ChatResponseUpdate(contents=contents, role="assistant")

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)


def _tools(at: Desk) -> list[FunctionTool]:
    """The desk's tools, with a schema that leaves it to the gate to refuse arguments."""

    def body(name: str) -> Callable[..., str]:
        return lambda **arguments: at.run(name, **arguments)

    return [
        FunctionTool(name=name, description="a tool", func=body(name), input_model={"type": "object"}) for name in NAMES
    ]


def _agent(client: _Client, tools: Sequence[FunctionTool], at: Desk, *more: FunctionMiddleware) -> Agent[Any]:
    return Agent(client, tools=list(tools), middleware=[*policy_middleware(at.gate), *more])


def _run(agent: Agent[Any], given: Any, **more: Any) -> AgentResponse[Any]:
    async def run() -> AgentResponse[Any]:
        return await agent.run(given, **more)

    return asyncio.run(run())


def _reply(result: AgentResponse[Any]) -> Reply:
    if not result.user_input_requests:
        return Reply(text=result.text)
    (asked,) = result.user_input_requests
    return Reply(text=asked.additional_properties["message"], handle=asked.additional_properties["handle"])


class _Runtime:
    """One session. What the model is offered is kept apart from what it calls, as if it knew an older list."""

    def __init__(self, at: Desk) -> None:
        self._at = at
        self._session = AgentSession()
        self._result: AgentResponse[Any] | None = None
        self._agent: Agent[Any] | None = None

    def _tools(self) -> list[PolicyTool]:
        return [gated(each, self._at.gate) for each in _tools(self._at)]

    def offered(self) -> set[str]:
        client = _Client()
        _run(_agent(client, self._tools(), self._at), "hello")
        return client.seen

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        self._agent = _agent(_Client((tool, arguments)), self._tools(), self._at)
        return self._send(Message("user", ["hello"]))

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"], **edited: Any) -> Reply:
        assert self._result is not None
        (asked,) = self._result.user_input_requests
        return self.answer(asked.to_function_approval_response(approved=answer == "approve"), **edited)

    def answer(self, response: Content, **edited: Any) -> Reply:
        if edited:
            assert response.function_call is not None
            response.function_call.arguments = edited
        return self._send(Message("user", [response]))

    def _send(self, message: Message) -> Reply:
        assert self._agent is not None
        self._result = _run(self._agent, message, session=self._session)
        return _reply(self._result)


class TestAgentFramework(FiveThings):
    """The five things."""

    def runtime(self, desk: Desk) -> _Runtime:
        """An agent with gated tools and the middleware."""
        return _Runtime(desk)


def test_the_example_of_the_docstring() -> None:
    """Runs as it is written: the call waits, lena votes, and it runs."""
    at = desk()
    names = run_example(
        adapter,
        Agent=Agent,
        Gate=Gate,
        Message=Message,
        authorizer=at.authorizer,
        client=_Client(("refund_create", {"amount": 250})),
        gated=gated,
        names=NAMES,
        parties=lambda user: stated({**ROSA, "id": user}),
        people_vote=at.approve,
        policy_middleware=policy_middleware,
        tools=_tools(at),
    )
    assert at.ran == [("refund_create", {"amount": 250})]
    assert names["result"].text == "done: refund_create"


class _Tenfold(FunctionMiddleware):
    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        assert isinstance(context.arguments, dict)
        context.arguments = {"amount": context.arguments["amount"] * 10}
        await call_next()


def test_what_middleware_does_to_the_arguments_is_judged() -> None:
    """Wherever it stands in the list: the gate is the last to see a call."""
    at = desk()
    tools = [gated(each, at.gate) for each in _tools(at)]
    client = _Client(("refund_create", {"amount": 51}))
    assert _run(_agent(client, tools, at, _Tenfold()), "hello").text == TOO_MUCH
    first: Agent[Any] = Agent(client, tools=tools, middleware=[_Tenfold(), *policy_middleware(at.gate)])
    assert _run(first, "hello").text == TOO_MUCH
    assert at.ran == []


def test_middleware_that_raises_runs_nothing() -> None:
    """It is no opinion that lets the call through."""
    at = desk()

    class Breaks(FunctionMiddleware):
        async def process(self, context: FunctionInvocationContext, call_next: object) -> Never:
            raise RuntimeError("secret-4711")

    client = _Client(("refund_create", {"amount": 50}))
    said = _run(_agent(client, [gated(each, at.gate) for each in _tools(at)], at, Breaks()), "hello").text
    assert at.ran == []
    assert "secret-4711" not in said


def _says(at: Desk, function: Callable[..., Any] | FunctionTool, **arguments: Any) -> str:
    """What the model reads of a call of a function named `refund_create`."""
    client = _Client(("refund_create", arguments))
    return _run(_agent(client, [gated(function, at.gate)], at), "hello", session=AgentSession()).text


@pytest.mark.parametrize(
    ("arguments", "text", "ran"),
    [
        ({"amount": "100"}, "done: refund_create", [100]),
        ({"amount": "501"}, TOO_MUCH, []),
        ({"amount": "250"}, "", []),
        ({}, TOO_MUCH, []),
    ],
)
def test_arguments_are_judged_as_they_run(arguments: dict[str, Any], text: str, ran: list[int]) -> None:
    """The model wrote text, the tool gets a number, or one that the model did not write at all."""
    at = desk()

    def refund_create(amount: int = 600) -> str:
        return at.run("refund_create", amount=amount)

    assert _says(at, refund_create, **arguments) == text
    assert [given["amount"] for _, given in at.ran] == ran
    assert [each.action["input"] for each in at.authorizer.pending()] == ([] if text else [{"amount": 250}])


def test_arguments_are_validated_once() -> None:
    """A validator that changes a value is not let change what was judged."""
    at = desk()

    async def refund_create(amount: Annotated[int, AfterValidator(lambda amount: amount * 2)]) -> str:
        return at.run("refund_create", amount=amount)

    assert _says(at, refund_create, amount=50) == "done: refund_create"
    assert at.ran == [("refund_create", {"amount": 100})]
    assert _says(at, refund_create, amount=251) == TOO_MUCH


def test_types_that_json_states_reach_the_tool_as_they_are() -> None:
    """And the invocation, where the tool asks for it."""
    at = desk()
    got: list[object] = []

    def refund_create(amount: Decimal, day: date, call: FunctionInvocationContext) -> str:
        got.extend([amount, day, call.function.name])
        return "done"

    assert _says(at, refund_create, amount="50.5", day="2026-12-01") == "done"
    assert got == [Decimal("50.5"), date(2026, 12, 1), "refund_create"]


def test_arguments_that_json_does_not_state_are_refused() -> None:
    """What the policy cannot be shown does not run."""
    at = desk()

    def refund_create(amount: int, password: SecretStr) -> str:
        return at.run("refund_create", amount=amount)

    assert _says(at, refund_create, amount=50, password="secret-4711") == UNSTATED
    assert at.ran == []


def test_the_tools_own_parser_is_given_results_alone() -> None:
    """A refusal reaches the model as it is."""
    at = desk()

    def refund_create(amount: int) -> int:
        return amount

    given = FunctionTool(name="refund_create", func=refund_create, result_parser=lambda result: f"{result:,} euros")
    assert _says(at, given, amount=50) == "50 euros"
    assert _says(at, given, amount=5000) == TOO_MUCH


def test_confirmed_too_early_it_is_asked_again() -> None:
    """By a name of its own, and runs once people have voted."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert runtime._result is not None
    (first,) = runtime._result.user_input_requests
    again = runtime.go_on(reply, "approve")
    (second,) = runtime._result.user_input_requests
    assert first.id != second.id
    assert again == reply == Reply(text=WAITING, handle=reply.handle)
    assert reply.handle is not None
    at.approve(reply.handle)
    assert runtime.go_on(again, "approve").text == "done: refund_create"
    assert at.ran == [("refund_create", {"amount": 250})]


def test_a_tool_that_asks_for_approval_itself_asks_first() -> None:
    """That approval is no vote: the call then waits for people as well."""
    at = desk()

    @tool(approval_mode="always_require")
    def refund_create(amount: int) -> str:
        return at.run("refund_create", amount=amount)

    session = AgentSession()
    agent = _agent(_Client(("refund_create", {"amount": 250})), [gated(refund_create, at.gate)], at)
    (own,) = _run(agent, "hello", session=session).user_input_requests
    assert at.authorizer.pending() == []
    answer = Message("user", [own.to_function_approval_response(approved=True)])
    (asked,) = _run(agent, answer, session=session).user_input_requests
    at.approve(asked.additional_properties["handle"])
    answer = Message("user", [asked.to_function_approval_response(approved=True)])
    assert _run(agent, answer, session=session).text == "done: refund_create"
    assert at.ran == [("refund_create", {"amount": 250})]


def test_what_the_approver_edits_does_not_run() -> None:
    """The library keeps the call that it asked for, and people voted for that one."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert reply.handle is not None
    at.approve(reply.handle)
    runtime.go_on(reply, "approve", amount=300)
    assert at.ran == [("refund_create", {"amount": 250})]


def test_answered_twice_it_runs_once() -> None:
    """The same answer sent again runs nothing."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert runtime._result is not None
    (asked,) = runtime._result.user_input_requests
    assert reply.handle is not None
    at.approve(reply.handle)
    runtime.answer(asked.to_function_approval_response(approved=True))
    runtime.answer(asked.to_function_approval_response(approved=True))
    assert at.ran == [("refund_create", {"amount": 250})]


def test_of_two_calls_one_may_wait() -> None:
    """The other one runs at once, and once."""
    at = desk()
    session = AgentSession()
    client = _Client(("refund_create", {"amount": 250}), ("order_read", {"order": "A-1"}))
    agent = _agent(client, [gated(each, at.gate) for each in _tools(at)], at)
    (asked,) = _run(agent, "hello", session=session).user_input_requests
    assert at.ran == [("order_read", {"order": "A-1"})]
    at.approve(asked.additional_properties["handle"])
    _run(agent, Message("user", [asked.to_function_approval_response(approved=True)]), session=session)
    assert at.ran == [("order_read", {"order": "A-1"}), ("refund_create", {"amount": 250})]


def test_streamed_runs_are_gated() -> None:
    """Like others."""
    at = desk()
    agent = _agent(_Client(("refund_create", {"amount": 501})), [gated(each, at.gate) for each in _tools(at)], at)

    async def stream() -> str:
        return "".join([update.text async for update in agent.run("hello", stream=True)])

    assert asyncio.run(stream()) == TOO_MUCH
    assert at.ran == []


def test_a_tool_past_the_gate_is_refused_by_the_middleware() -> None:
    """But for those that the host names."""
    at = desk()
    client = _Client(("refund_create", {"amount": 50}))
    assert _run(_agent(client, _tools(at), at), "hello").text == UNGATED
    assert at.ran == []
    client = _Client(("vault_open", {}))
    free: Agent[Any] = Agent(client, tools=_tools(at), middleware=policy_middleware(at.gate, free={"vault_open"}))
    assert _run(free, "hello").text == "done: vault_open"
    assert "vault_open" in client.seen


def test_a_gated_tool_needs_no_middleware() -> None:
    """Without it nothing is hidden and a call cannot be paused, and none runs that should not."""
    at = desk()
    tools = [gated(each, at.gate) for each in _tools(at)]
    for amount, text in ((50, "done: refund_create"), (250, WAITING), (501, TOO_MUCH)):
        agent: Agent[Any] = Agent(_Client(("refund_create", {"amount": amount})), tools=tools)
        assert _run(agent, "hello").text == text
    assert at.ran == [("refund_create", {"amount": 50})]


def test_the_context_is_given_what_the_host_gave_the_run() -> None:
    """What the model writes under the same name stays an argument."""
    at = desk()
    runs: list[Run] = []

    def context(run: Run) -> dict[str, Any]:
        runs.append(run)
        return stated(ROSA)

    gate = Gate(at.authorizer, context=context, capability=NAMES)
    client = _Client(("note_write", {"text": "hello", "requester": "omar", "user": "omar"}))
    agent: Agent[Any] = Agent(
        client, tools=[gated(each, gate) for each in _tools(at)], middleware=policy_middleware(gate)
    )
    session = AgentSession()
    assert _run(agent, "hello", session=session, function_invocation_kwargs={"user": "rosa"}).text == TOO_MUCH
    assert {run.given["user"] for run in runs} == {"rosa"}
    assert {id(run.session) for run in runs} == {id(session)}
    assert len(runs) == 3  # what is offered, the call, what is offered
    assert client.got == set()
    assert at.ran == []


def test_a_tool_that_is_only_declared_is_not_taken() -> None:
    """It runs elsewhere, where no gate is."""
    with pytest.raises(TypeError, match="`vault` does not run here, so it cannot be behind a policy"):
        gated(FunctionTool(name="vault"), desk().gate)
