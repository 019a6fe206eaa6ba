"""The OpenAI Agents SDK, driven by a scripted model: no network."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelBehaviorError,
    Runner,
    RunResult,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool_context import ToolContext

from policy.plugins.adapters import openai_agents as adapter
from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.openai_agents import gated, handles
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import NAMES, OFFERED, ROSA, TOO_MUCH, WAITING, Desk, FiveThings, Reply, desk, stated

UNREADABLE = "denied: the arguments are no JSON object that can be read in one way"


@pytest.fixture(autouse=True)
def quiet() -> None:
    """The SDK would send traces to its maker."""
    set_tracing_disabled(True)


def desk_tools(at: Desk) -> list[FunctionTool]:
    """The tools as functions; the SDK makes their schemas, and coerces what it can."""

    @function_tool
    def order_read(order: str) -> str:
        return at.run("order_read", order=order)

    @function_tool
    def refund_create(amount: float) -> str:
        return at.run("refund_create", amount=amount)

    @function_tool
    def note_write(text: str, requester: str) -> str:
        return at.run("note_write", text=text, requester=requester)

    @function_tool
    def vault_open() -> str:
        return at.run("vault_open")

    return [order_read, refund_create, note_write, vault_open]


class Agents:
    """An agent with the desk's tools, whose model makes the calls it is told to."""

    def __init__(self, at: Desk, *, stale: bool = True) -> None:
        self.at = at
        self.tools = [gated(tool, at.gate) for tool in desk_tools(at)]
        if stale:
            # The model was offered the tools before: what is called is refused all the same.
            for tool in self.tools:
                tool.is_enabled = True
        self.model = ScriptedModel()
        self.agent: Agent[Any] = Agent(name="desk", model=self.model, tools=list(self.tools))
        self.paused: RunResult | None = None

    def offered(self) -> set[str]:
        fresh = Agents(self.at, stale=False)
        fresh.model.enqueue([assistant_message("hello")])
        asyncio.run(Runner.run(fresh.agent, "hello"))
        (call,) = fresh.model.calls
        return {tool.name for tool in call.tools}

    def call(self, tool: str, arguments: dict[str, Any] | str) -> Reply:
        return self.turn(function_call(tool, arguments, call_id="call-1"))

    def turn(self, *calls: Any) -> Reply:
        """One turn of the model with calls, and the one that ends the run."""
        self.model.extend([list(calls), [assistant_message("end")]])
        return self.result(asyncio.run(Runner.run(self.agent, "go")))

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"], *, always: bool = False) -> Reply:
        assert self.paused is not None
        state = self.paused.to_state()
        for item in self.paused.interruptions:
            if answer == "approve":
                state.approve(item, always_approve=always)
            else:
                state.reject(item)
        return self.result(asyncio.run(Runner.run(self.agent, state)))

    def result(self, result: RunResult) -> Reply:
        """What the model read of its calls, or the handle of what waits."""
        self.paused = result if result.interruptions else None
        if self.paused is not None:
            found = asyncio.run(handles(self.at.gate, result))
            return Reply(text="", handle=next(iter(found.values()), None))
        seen = [item for item in self.model.calls[-1].input if item.get("type") == "function_call_output"]
        return Reply(text=" ".join(str(item["output"]) for item in seen))


def by_hand(tool: FunctionTool, call: str, arguments: dict[str, Any]) -> Any:
    """What a tool gives that is invoked without a run around it."""
    text = json.dumps(arguments)
    context = ToolContext(context=None, tool_name=tool.name, tool_call_id=call, tool_arguments=text)

    async def invoked() -> Any:
        return await tool.on_invoke_tool(context, text)

    return asyncio.run(invoked())


class TestAgents(FiveThings):
    """The five things."""

    def runtime(self, desk: Desk) -> Agents:
        return Agents(desk)


@pytest.fixture
def at() -> Desk:
    return desk()


@pytest.fixture
def agents(at: Desk) -> Agents:
    return Agents(at)


def test_a_hidden_tool_is_no_tool(at: Desk) -> None:
    with pytest.raises(ModelBehaviorError, match="vault_open not found"):
        Agents(at, stale=False).call("vault_open", {})
    assert at.ran == []


@pytest.mark.parametrize("text", ['{"amount": 50', "[50]", '{"amount": 900, "amount": 50}', '{"amount": NaN}'])
def test_arguments_that_cannot_be_read_in_one_way_run_nothing(at: Desk, agents: Agents, text: str) -> None:
    """The SDK does not ask its hook about those that are no JSON object, but pauses; approved, they end at the gate."""
    reply = agents.call("refund_create", text)
    if agents.paused is not None:
        assert reply.handle is None
        reply = agents.go_on(reply, "approve")
    assert at.ran == []
    assert UNREADABLE in reply.text


def test_coerced_arguments_are_judged_as_the_model_wrote_them(at: Desk, agents: Agents) -> None:
    """The tool would make 250 of it, and the rule above 100 would not have seen a number."""
    agents.call("refund_create", {"amount": "250"})
    assert at.ran == []
    assert agents.paused is None


def test_approved_for_always_by_the_host_each_call_still_waits_for_people(at: Desk, agents: Agents) -> None:
    """The SDK does not ask its hook any more; the gate does not need it."""
    agents.model.extend(
        [
            [function_call("refund_create", {"amount": 250}, call_id="call-1")],
            [function_call("refund_create", {"amount": 260}, call_id="call-2")],
            [assistant_message("end")],
        ]
    )
    first = agents.result(asyncio.run(Runner.run(agents.agent, "go")))
    at.approve(str(first.handle))
    done = agents.go_on(first, "approve", always=True)
    assert at.ran == [("refund_create", {"amount": 250})]
    assert WAITING in done.text


def test_arguments_changed_while_the_run_is_paused_are_not_approved(at: Desk, agents: Agents) -> None:
    """The SDK notices them itself where it restores a run; the gate, wherever they come from."""
    reply = agents.call("refund_create", {"amount": 250})
    at.approve(str(reply.handle))
    assert by_hand(agents.tools[1], "call-1", {"amount": 251}) == WAITING
    assert at.ran == []
    agents.go_on(reply, "approve")
    assert at.ran == [("refund_create", {"amount": 250})]


def test_calls_at_once_are_judged_each_for_itself(at: Desk, agents: Agents) -> None:
    calls = [
        function_call("refund_create", {"amount": amount}, call_id=f"call-{amount}") for amount in (50, 501, 250, 60)
    ]
    reply = agents.turn(*calls)
    ran_at_once = sorted(arguments["amount"] for _, arguments in at.ran)
    assert ran_at_once in ([], [50, 60])
    at.approve(str(reply.handle))
    done = agents.go_on(reply, "approve")
    assert sorted(arguments["amount"] for _, arguments in at.ran) == [50, 60, 250]
    assert TOO_MUCH in done.text


def test_the_tool_called_by_hand_asks_too(at: Desk, agents: Agents) -> None:
    assert by_hand(agents.tools[1], "call-9", {"amount": 501}) == TOO_MUCH
    assert at.ran == []


def test_the_tools_own_conditions_hold_too(at: Desk) -> None:
    @function_tool(is_enabled=False)
    def order_read(order: str) -> str:
        return at.run("order_read", order=order)

    @function_tool(needs_approval=True)
    def refund_create(amount: float) -> str:
        return at.run("refund_create", amount=amount)

    agents = Agents(at)
    agents.agent.tools = [gated(order_read, at.gate), gated(refund_create, at.gate)]
    reply = agents.call("refund_create", {"amount": 50})
    assert {tool.name for tool in agents.model.calls[0].tools} == {"refund_create"}
    assert at.ran == []
    assert agents.paused is not None
    agents.go_on(reply, "approve")
    assert at.ran == [("refund_create", {"amount": 50})]


def test_a_tool_behind_an_agent_that_is_a_tool_pauses_the_whole_run(at: Desk) -> None:
    call = function_call("refund_create", {"amount": 250}, call_id="call-2")
    inner_model = ScriptedModel([[call], [assistant_message("refunded")]])
    inner: Agent[Any] = Agent(name="inner", model=inner_model, tools=[gated(each, at.gate) for each in desk_tools(at)])
    as_tool = gated(inner.as_tool("order_read", "asks the other agent"), at.gate)
    agents = Agents(at)
    agents.agent.tools = [as_tool]
    reply = agents.call("order_read", {"input": "refund 250"})
    assert at.ran == []
    at.approve(str(reply.handle))
    assert agents.go_on(reply, "approve").text == "refunded"
    assert at.ran == [("refund_create", {"amount": 250})]


def test_the_tool_given_is_left_as_it_is(at: Desk) -> None:
    @function_tool
    def order_read(order: str) -> str:
        return at.run("order_read", order=order)

    before = (order_read.is_enabled, order_read.needs_approval, order_read.on_invoke_tool)
    gated(order_read, at.gate)
    assert (order_read.is_enabled, order_read.needs_approval, order_read.on_invoke_tool) == before


def test_a_tool_that_runs_elsewhere_is_not_taken(at: Desk) -> None:
    with pytest.raises(TypeError, match="only a function tool runs here"):
        gated(WebSearchTool(), at.gate)  # type: ignore[arg-type]


def test_the_offer_is_for_whom_the_host_says(at: Desk) -> None:
    assert Agents(at, stale=False).offered() == OFFERED


def test_the_example_pauses_and_goes_on(at: Desk) -> None:
    asked: list[str] = []

    def people_vote(handle: str) -> None:
        assert at.ran == []
        asked.append(handle)
        at.approve(handle)

    call = function_call("refund_create", {"amount": 250}, call_id="call-1")
    names = run_example(
        adapter,
        Agent=Agent,
        Gate=Gate,
        Runner=Runner,
        authorizer=at.authorizer,
        gated=gated,
        handles=handles,
        model=ScriptedModel([[call], [assistant_message("end")]]),
        names=NAMES,
        people_vote=people_vote,
        prompt="go",
        parties=stated,
        tools=desk_tools(at),
        user=ROSA,
    )
    assert names["result"].final_output == "end"
    assert len(asked) == 1
    assert at.ran == [("refund_create", {"amount": 250})]
