"""LangChain agents on LangGraph, driven by a model of its own fakes: no network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from policy.plugins.adapters import langchain as adapter
from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.langchain import PolicyMiddleware
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import (
    NAMES,
    NOT_COVERED,
    OFFERED,
    ROSA,
    TOO_MUCH,
    WAITING,
    Desk,
    FiveThings,
    Reply,
    desk,
    stated,
)

THREAD: Any = {"configurable": {"thread_id": "thread-1"}}
REJECTED = "denied: the call was rejected"


class Model(GenericFakeChatModel):
    """Says what it is told to, and remembers which tools it was shown."""

    shown: list[str] = []  # noqa: RUF012 - a field of a model

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Model:
        """Take the tools that the agent shows."""
        self.shown.extend(each.name if isinstance(each, BaseTool) else each["type"] for each in tools)
        return self


def desk_tools(at: Desk) -> list[BaseTool]:
    """The tools as functions; the library makes their schemas, and coerces what it can."""

    @tool
    def order_read(order: str) -> str:
        """Read an order."""
        return at.run("order_read", order=order)

    @tool
    def refund_create(amount: float) -> str:
        """Refund."""
        return at.run("refund_create", amount=amount)

    @tool
    def note_write(text: str, requester: str) -> str:
        """Write a note."""
        return at.run("note_write", text=text, requester=requester)

    @tool
    def vault_open() -> str:
        """Open the vault."""
        return at.run("vault_open")

    return [order_read, refund_create, note_write, vault_open]


def asks(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """A turn of the model with calls."""
    made = [{"name": name, "args": arguments, "id": f"call-{n}"} for n, (name, arguments) in enumerate(calls)]
    return AIMessage(content="", tool_calls=made)


class Agents:
    """An agent with the desk's tools, whose model makes the calls it is told to."""

    def __init__(
        self, at: Desk, *, asynchronous: bool = False, before: Sequence[AgentMiddleware[Any, Any]] = ()
    ) -> None:
        self.at, self.asynchronous = at, asynchronous
        self.before = before
        self.agent: Any = None

    def start(self, *turns: AIMessage) -> Reply:
        """A run whose model takes these turns."""
        self.model = Model(messages=iter([*turns, AIMessage(content="end")]), shown=[])
        self.agent = create_agent(
            self.model,
            desk_tools(self.at),
            middleware=[*self.before, PolicyMiddleware(self.at.gate)],
            checkpointer=InMemorySaver(),
        )
        return self.invoke({"messages": [("user", "go")]})

    def invoke(self, given: Any) -> Reply:
        """Run until the end or an interrupt."""
        if self.asynchronous:
            result = asyncio.run(self.agent.ainvoke(given, THREAD))
        else:
            result = self.agent.invoke(given, THREAD)
        self.interrupts = result.get("__interrupt__", [])
        text = " ".join(str(each.content) for each in result["messages"] if isinstance(each, ToolMessage))
        return Reply(text=text, handle=self.interrupts[0].value["handle"] if self.interrupts else None)

    def offered(self) -> set[str]:
        self.start()
        return set(self.model.shown)

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        return self.start(asks((tool, arguments)))

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"]) -> Reply:
        return self.resume({"type": answer})

    def resume(self, answer: Any) -> Reply:
        """The host's answer to whatever waits."""
        return self.invoke(Command(resume={each.id: answer for each in self.interrupts}))


class TestAgent(FiveThings):
    """The five things."""

    def runtime(self, desk: Desk) -> Agents:
        return Agents(desk)


class TestAsynchronousAgent(FiveThings):
    """The five things, where the host awaits its agent."""

    def runtime(self, desk: Desk) -> Agents:
        return Agents(desk, asynchronous=True)


@pytest.fixture
def at() -> Desk:
    return desk()


@pytest.fixture
def agents(at: Desk) -> Agents:
    return Agents(at)


def waiting(agents: Agents) -> str:
    """A call that waits for people."""
    reply = agents.call("refund_create", {"amount": 250})
    assert reply.handle is not None
    return reply.handle


def test_the_interrupt_shows_what_waits(at: Desk, agents: Agents) -> None:
    handle = waiting(agents)
    assert [each.value for each in agents.interrupts] == [
        {
            "type": "policy_approval",
            "handle": handle,
            "tool": "refund_create",
            "args": {"amount": 250},
            "tool_call_id": "call-0",
        }
    ]


@pytest.mark.parametrize("answer", ["approve", True, None, {}, {"type": "approved"}, {"type": "edit"}, ["approve"]])
def test_any_other_answer_is_a_rejection(at: Desk, agents: Agents, answer: object) -> None:
    at.approve(waiting(agents))
    assert agents.resume(answer).text == REJECTED
    assert at.ran == []


def test_edited_arguments_are_decided_anew_and_shown_again(at: Desk, agents: Agents) -> None:
    at.approve(waiting(agents))
    second = agents.resume({"type": "edit", "args": {"amount": 300}})
    assert second.handle is not None
    assert agents.interrupts[0].value["args"] == {"amount": 300}
    assert at.ran == []
    at.approve(second.handle)
    agents.resume({"type": "approve"})
    assert at.ran == [("refund_create", {"amount": 300})]


def test_an_approval_of_other_arguments_does_not_count_for_edited_ones(at: Desk, agents: Agents) -> None:
    at.approve(waiting(agents))
    agents.resume({"type": "edit", "args": {"amount": 300}})
    assert WAITING in agents.resume({"type": "approve"}).text
    assert at.ran == []


def test_edited_arguments_that_are_denied_do_not_run(at: Desk, agents: Agents) -> None:
    at.approve(waiting(agents))
    assert agents.resume({"type": "edit", "args": {"amount": 501}}).text == TOO_MUCH
    assert at.ran == []


def test_edited_arguments_that_are_allowed_run_once_the_host_says_so(at: Desk, agents: Agents) -> None:
    waiting(agents)
    agents.resume({"type": "edit", "args": {"amount": 50}})
    assert at.ran == []
    agents.resume({"type": "approve"})
    assert at.ran == [("refund_create", {"amount": 50})]


def test_an_edit_that_is_rejected_does_not_run(at: Desk, agents: Agents) -> None:
    waiting(agents)
    agents.resume({"type": "edit", "args": {"amount": 50}})
    assert agents.resume({"type": "reject"}).text == REJECTED
    assert at.ran == []


def test_calls_at_once_are_judged_each_for_itself(at: Desk, agents: Agents) -> None:
    turn = asks(*(("refund_create", {"amount": amount}) for amount in (50, 501, 250, 60)), ("vault_open", {}))
    agents.start(turn)
    assert sorted(arguments["amount"] for _, arguments in at.ran) == [50, 60]
    (pause,) = agents.interrupts
    at.approve(pause.value["handle"])
    done = agents.resume({"type": "approve"})
    assert sorted(arguments["amount"] for _, arguments in at.ran) == [50, 60, 250]
    assert TOO_MUCH in done.text
    assert NOT_COVERED in done.text


def test_a_call_without_an_id_does_not_wait(at: Desk, agents: Agents) -> None:
    call = {"name": "refund_create", "args": {"amount": 250}, "id": ""}
    reply = agents.start(AIMessage(content="", tool_calls=[call]))
    assert at.ran == []
    assert reply.text == "denied: the call has no id, so it cannot wait for approval"


def test_the_caller_of_the_graph_cannot_say_what_waits(at: Desk, agents: Agents) -> None:
    """What is written down is private to the middleware; a handle from outside would release nothing anyway."""
    agents.start()
    assert "policy_waiting" not in agents.agent.get_input_jsonschema()["properties"]


def test_a_middleware_in_front_changes_a_call_before_it_is_judged(at: Desk) -> None:
    class Changes(AgentMiddleware[Any, Any]):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(tool_call={**request.tool_call, "args": {"amount": 501}}))

    agents = Agents(at, before=[Changes()])
    assert agents.call("refund_create", {"amount": 50}).text == TOO_MUCH
    assert at.ran == []


def test_tools_of_the_models_provider_are_hidden_by_their_kind(at: Desk) -> None:
    class Provides(AgentMiddleware[Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(tools=[*request.tools, {"type": "web_search"}]))

    agents = Agents(at, before=[Provides()])
    assert agents.offered() == OFFERED


def test_the_example_pauses_and_goes_on(at: Desk) -> None:
    asked: list[str] = []

    def people_vote(handle: str) -> None:
        assert at.ran == []
        asked.append(handle)
        at.approve(handle)

    turns = [asks(("refund_create", {"amount": 250})), AIMessage(content="end")]
    names = run_example(
        adapter,
        Command=Command,
        Gate=Gate,
        InMemorySaver=InMemorySaver,
        PolicyMiddleware=PolicyMiddleware,
        authorizer=at.authorizer,
        create_agent=create_agent,
        model=Model(messages=iter(turns), shown=[]),
        names=NAMES,
        people_vote=people_vote,
        prompt="go",
        parties=stated,
        thread=THREAD,
        tools=desk_tools(at),
        user=ROSA,
    )
    assert names["result"]["messages"][-1].content == "end"
    assert len(asked) == 1
    assert at.ran == [("refund_create", {"amount": 250})]
