"""Google ADK, driven by a model of its own kind: no network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Literal

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.google_search_tool import google_search
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from pydantic import Field

from policy.plugins.adapters import google_adk as adapter
from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.google_adk import REJECTED, UNGATED, PolicyPlugin, PolicyTool, PolicyToolset, waiting
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import (
    CATALOG,
    NAMES,
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


class _Model(BaseLlm):
    """Makes one call, and ends with what it read of it."""

    model: str = "scripted"
    makes: tuple[str, dict[str, Any]] | None = None
    seen: set[str] = Field(default_factory=set)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        for config in llm_request.config.tools or []:
            assert isinstance(config, types.Tool)
            self.seen.update(str(each.name) for each in config.function_declarations or [])
        read = (llm_request.contents[-1].parts or [])[-1].function_response
        if read is not None:
            part = types.Part(text=json.dumps(read.response))
        elif self.makes is None:
            part = types.Part(text="nothing to do")
        else:
            name, arguments = self.makes
            part = types.Part(function_call=types.FunctionCall(name=name, args=arguments))
        yield LlmResponse(content=types.ModelContent(parts=[part]))


class _DeskTool(BaseTool):
    """A tool with the catalog's schema, which takes the arguments as the model wrote them."""

    def __init__(self, at: Desk, name: str, schema: dict[str, Any]) -> None:
        super().__init__(name=name, description="a tool")
        self._at, self._schema = at, schema

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(name=self.name, parameters_json_schema=self._schema)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return {"result": self._at.run(self.name, **args)}


def _tools(at: Desk) -> list[BaseTool]:
    return [_DeskTool(at, name, capability["input_schema"]) for name, capability in zip(NAMES, CATALOG, strict=True)]


class _Stale(PolicyToolset):
    """A list of tools from before a rule changed: the model still knows them all."""

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        return [PolicyTool(tool, self._gate) for tool in self._given if isinstance(tool, BaseTool)]


Tools = Sequence[BaseTool | BaseToolset | Callable[..., Any]]


class _Session:
    """One session of a runner, and the replies in it."""

    def __init__(self, model: BaseLlm, tools: Tools, *plugins: BasePlugin, **callbacks: Any) -> None:
        agent = LlmAgent(name="desk", model=model, tools=list(tools), **callbacks)
        self._runner = InMemoryRunner(app=App(name="desk", root_agent=agent, plugins=list(plugins)))
        self.answers: list[types.Part] = []
        self.asked: list[str | None] = []
        self._id: str | None = None

    def send(self, *parts: types.Part) -> Reply:
        return asyncio.run(self._send(types.UserContent(parts=list(parts))))

    async def _send(self, message: types.Content) -> Reply:
        if self._id is None:
            session = await self._runner.session_service.create_session(app_name="desk", user_id="rosa")
            self._id = session.id
        text, handle = "", None
        async for event in self._runner.run_async(user_id="rosa", session_id=self._id, new_message=message):
            self.asked.extend(call.id for call in event.get_function_calls() if call.name == "adk_request_confirmation")
            for found, answer in waiting(event):
                handle = found
                self.answers.append(answer)
            text = "".join(part.text or "" for part in (event.content and event.content.parts) or []) or text
        return Reply(text=text, handle=handle)


HELLO = types.Part(text="hello")


class _Runtime:
    def __init__(self, at: Desk) -> None:
        self._at = at
        self._session: _Session | None = None

    def offered(self) -> set[str]:
        model = _Model()
        _Session(model, [PolicyToolset(_tools(self._at), self._at.gate)], PolicyPlugin()).send(HELLO)
        return model.seen

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        model = _Model(makes=(tool, arguments))
        self._session = _Session(model, [_Stale(_tools(self._at), self._at.gate)], PolicyPlugin())
        return self._session.send(HELLO)

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"]) -> Reply:
        assert self._session is not None
        (part,) = self._session.answers
        assert part.function_response is not None
        part.function_response.response = {"confirmed": answer == "approve"}
        return self._session.send(part)


class TestGoogleAdk(FiveThings):
    """The five things."""

    def runtime(self, desk: Desk) -> _Runtime:
        """An agent with a gated toolset, and the plugin."""
        return _Runtime(desk)


def test_the_example_of_the_docstring() -> None:
    """Runs as it is written: the call waits, lena votes, and it runs."""
    at = desk()

    class Runner(InMemoryRunner):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.auto_create_session = True

    names = run_example(
        adapter,
        App=App,
        Gate=Gate,
        InMemoryRunner=Runner,
        LlmAgent=LlmAgent,
        PolicyPlugin=PolicyPlugin,
        PolicyToolset=PolicyToolset,
        authorizer=at.authorizer,
        model=_Model(makes=("refund_create", {"amount": 250})),
        names=NAMES,
        parties=lambda user: stated({**ROSA, "id": user}),
        people_vote=at.approve,
        prompt=types.UserContent("give rosa 250 back"),
        session="session-1",
        tools=_tools(at),
        types=types,
        waiting=waiting,
    )
    assert at.ran == [("refund_create", {"amount": 250})]
    assert names["event"].content.parts[0].text == '{"result": "done: refund_create"}'


def test_rejected_by_the_host_the_model_is_told() -> None:
    """In words that tell nothing more."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert runtime.go_on(reply, "reject").text == json.dumps({"error": REJECTED})


def test_what_callbacks_do_to_the_arguments_is_judged() -> None:
    """Those of plugins and those of the agent: the gate is the last to see a call."""
    at = desk()

    class Tenfold(BasePlugin):
        async def before_tool_callback(
            self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
        ) -> None:
            tool_args["amount"] *= 10

    def tenfold(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> None:
        args["amount"] *= 10

    model = _Model(makes=("refund_create", {"amount": 51}))
    tools = [PolicyToolset(_tools(at), at.gate)]
    said = json.dumps({"error": TOO_MUCH})
    assert _Session(model, tools, PolicyPlugin(), Tenfold("tenfold")).send(HELLO).text == said
    assert _Session(model, tools, PolicyPlugin(), before_tool_callback=tenfold).send(HELLO).text == said
    assert at.ran == []


def test_a_callback_that_raises_runs_nothing() -> None:
    """It is no opinion that lets the call through."""
    at = desk()

    def breaks(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> None:
        raise RuntimeError("secret-4711")

    model = _Model(makes=("refund_create", {"amount": 50}))
    session = _Session(model, [PolicyToolset(_tools(at), at.gate)], PolicyPlugin(), before_tool_callback=breaks)
    with pytest.raises(RuntimeError, match="secret-4711"):
        session.send(HELLO)
    assert at.ran == []


@pytest.mark.parametrize(("amount", "text"), [(100, "done: refund_create"), (501, TOO_MUCH)])
def test_functions_are_tools_too(amount: int, text: str) -> None:
    """As an agent takes them."""
    at = desk()

    def refund_create(amount: float) -> str:
        """Give money back."""
        return at.run("refund_create", amount=amount)

    model = _Model(makes=("refund_create", {"amount": amount}))
    assert text in _Session(model, [PolicyToolset([refund_create], at.gate)], PolicyPlugin()).send(HELLO).text
    assert at.ran == ([] if text == TOO_MUCH else [("refund_create", {"amount": amount})])


def test_toolsets_are_wrapped_with_their_prefix() -> None:
    """The name that the model calls is the one that stands for the capability."""
    at = desk()

    class Inner(BaseToolset):
        async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
            return _tools(at)

    gate = Gate(
        at.authorizer,
        context=lambda run: stated(ROSA),
        capability=lambda name: NAMES[name.removeprefix("desk_")],
    )
    model = _Model(makes=("desk_order_read", {"order": "A-1"}))
    session = _Session(model, [PolicyToolset([Inner(tool_name_prefix="desk")], gate)], PolicyPlugin())
    assert "done: desk_order_read" in session.send(HELLO).text
    assert model.seen == {f"desk_{name}" for name in OFFERED}
    assert at.ran == [("desk_order_read", {"order": "A-1"})]


@pytest.mark.parametrize("amount", [50, 250])
def test_a_tool_that_asks_to_be_confirmed_itself_takes_the_same_answer(amount: int) -> None:
    """Whether people must vote as well or not, the host is asked once."""
    at = desk()

    def refund_create(amount: float) -> str:
        return at.run("refund_create", amount=amount)

    tool = FunctionTool(refund_create, require_confirmation=True)
    model = _Model(makes=("refund_create", {"amount": amount}))
    session = _Session(model, [PolicyToolset([tool], at.gate)], PolicyPlugin())
    session.send(HELLO)
    assert at.ran == []
    (asked,) = session.asked
    for request in at.authorizer.pending():
        at.approve(request.handle)
    answer = types.FunctionResponse(id=asked, name="adk_request_confirmation", response={"confirmed": True})
    assert "done: refund_create" in session.send(types.Part(function_response=answer)).text
    assert at.ran == [("refund_create", {"amount": amount})]


def test_a_paused_run_asks_the_model_nothing() -> None:
    """It would make the call again."""
    assert _Runtime(desk()).call("refund_create", {"amount": 250}).text == ""


def test_what_was_judged_runs() -> None:
    """Though the arguments change while they are judged."""
    at = desk()
    arguments = {"amount": 50}

    def context(run: object) -> dict[str, Any]:
        arguments["amount"] = 5000
        return stated(ROSA)

    gate = Gate(at.authorizer, context=context, capability=NAMES)

    def changes(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> None:
        nonlocal arguments
        arguments = args

    model = _Model(makes=("refund_create", {"amount": 50}))
    _Session(model, [_Stale(_tools(at), gate)], PolicyPlugin(), before_tool_callback=changes).send(HELLO)
    assert arguments == {"amount": 5000}
    assert at.ran == [("refund_create", {"amount": 50})]


def test_confirmed_too_early_the_model_reads_that_it_waits() -> None:
    """And the late vote lets nothing run: the library takes one answer for a call."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert reply.handle is not None
    assert runtime.go_on(reply, "approve").text == json.dumps({"error": WAITING})
    at.approve(reply.handle)
    runtime.go_on(reply, "approve")
    assert at.ran == []


def test_confirmed_twice_it_runs_once() -> None:
    """The same answer sent again runs nothing."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert reply.handle is not None
    at.approve(reply.handle)
    runtime.go_on(reply, "approve")
    runtime.go_on(reply, "approve")
    assert at.ran == [("refund_create", {"amount": 250})]


def test_a_tool_past_the_gate_is_refused_by_the_plugin() -> None:
    """But for those that the host names."""
    at = desk()
    model = _Model(makes=("refund_create", {"amount": 50}))
    said = _Session(model, _tools(at), PolicyPlugin()).send(HELLO).text
    assert said == json.dumps({"error": UNGATED})
    assert at.ran == []
    _Session(model, _tools(at), PolicyPlugin(free={"refund_create"})).send(HELLO)
    assert at.ran == [("refund_create", {"amount": 50})]


def test_a_tool_that_runs_elsewhere_is_not_taken() -> None:
    """A search of the model's provider cannot be behind a gate."""
    with pytest.raises(TypeError, match="`google_search` does not run here, so it cannot be behind a policy"):
        PolicyTool(google_search, desk().gate)
