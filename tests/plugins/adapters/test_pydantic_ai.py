"""Pydantic AI, driven by a model that is a function: no network."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, SecretStr
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, Tool, ToolApproved
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, ToolsetTool, WrapperToolset

from policy.plugins.adapters import pydantic_ai as adapter
from policy.plugins.adapters.common import Gate
from policy.plugins.adapters.pydantic_ai import PolicyCapability, PolicyToolset
from policy.plugins.adapters.stated import UNSTATED
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import CATALOG, NAMES, ROSA, TOO_MUCH, WAITING, Desk, FiveThings, Reply, desk, stated

Output = str | DeferredToolRequests


def _says(*calls: tuple[str, dict[str, Any]]) -> FunctionModel:
    """A model that makes the calls, one after another, and ends with what it read last."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        made = sum(isinstance(message, ModelResponse) for message in messages)
        if made < len(calls):
            return ModelResponse(parts=[ToolCallPart(*calls[made])])
        read = messages[-1].parts[-1]
        assert isinstance(read, ToolReturnPart)
        return ModelResponse(parts=[TextPart(str(read.content))])

    return FunctionModel(answer)


def _tools(at: Desk) -> list[Tool[None]]:
    """The desk's tools, with the catalog's schemas and no validation by the library."""

    def body(name: str) -> Callable[..., str]:
        return lambda **arguments: at.run(name, **arguments)

    return [
        Tool.from_schema(body(name), name, "a tool", capability["input_schema"])
        for name, capability in zip(NAMES, CATALOG, strict=True)
    ]


def _reply(result: AgentRunResult[Output]) -> Reply:
    if isinstance(result.output, str):
        return Reply(text=result.output)
    (metadata,) = result.output.metadata.values()
    return Reply(text=metadata["message"], handle=metadata["handle"])


class _Stale(PolicyToolset[None]):  # type: ignore[type-arg]
    """A list of tools from before a rule changed: the model still knows them all."""

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return await WrapperToolset.get_tools(self, ctx)


class _Runtime:
    def __init__(self, at: Desk) -> None:
        self._toolset = FunctionToolset(_tools(at))
        self._gate = at.gate
        self._agent = self._with(_Stale(self._toolset, at.gate))
        self._result: AgentRunResult[Output] | None = None

    @staticmethod
    def _with(toolset: AbstractToolset[None]) -> Agent[None, Output]:
        return Agent(output_type=[str, DeferredToolRequests], toolsets=[toolset])

    def offered(self) -> set[str]:
        seen: set[str] = set()

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            seen.update(tool.name for tool in info.function_tools)
            return ModelResponse(parts=[TextPart("nothing to do")])

        self._with(PolicyToolset(self._toolset, self._gate)).run_sync("hello", model=FunctionModel(answer))
        return seen

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        self._result = self._agent.run_sync("hello", model=_says((tool, arguments)))
        return _reply(self._result)

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"], **edited: Any) -> Reply:
        assert self._result is not None
        assert isinstance(self._result.output, DeferredToolRequests)
        (call,) = self._result.output.approvals
        approval: bool | ToolApproved = answer == "approve"
        if edited:
            approval = ToolApproved(override_args=edited)
        self._result = self._agent.run_sync(
            model=_says((call.tool_name, {})),
            message_history=self._result.all_messages(),
            deferred_tool_results=DeferredToolResults(approvals={call.tool_call_id: approval}),
        )
        return _reply(self._result)


class TestPydanticAi(FiveThings):
    """The five things."""

    def runtime(self, desk: Desk) -> _Runtime:
        """An agent with a gated toolset."""
        return _Runtime(desk)


class _Session(BaseModel):
    context: dict[str, Any]


def test_the_example_of_the_docstring() -> None:
    """Runs as it is written: the call waits, lena votes, and it runs."""
    at = desk()
    names = run_example(
        adapter,
        Agent=Agent,
        DeferredToolRequests=DeferredToolRequests,
        Gate=Gate,
        PolicyCapability=PolicyCapability,
        Session=_Session,
        authorizer=at.authorizer,
        model=_says(("refund_create", {"amount": 250})),
        names=NAMES,
        people_vote=at.approve,
        prompt="give rosa 250 back",
        session=_Session(context=stated(ROSA)),
        tools=_tools(at),
    )
    assert at.ran == [("refund_create", {"amount": 250})]
    assert names["result"].output == "done: refund_create"


def test_the_capability_gates_every_tool_of_an_agent() -> None:
    """Those given as functions, those of toolsets, and those that other capabilities bring."""
    at = desk()

    class Brings(AbstractCapability[None]):
        def get_toolset(self) -> AbstractToolset[None]:
            return FunctionToolset(_tools(at)[2:])

    agent: Agent[None, str] = Agent(
        _says(("refund_create", {"amount": 501})),
        tools=_tools(at)[:1],
        toolsets=[FunctionToolset(_tools(at)[1:2])],
        capabilities=[PolicyCapability(at.gate), Brings()],
    )
    assert agent.run_sync("hello").output == TOO_MUCH
    assert agent.run_sync("hello", model=_says(("order_read", {"order": "A-1"}))).output == "done: order_read"
    for hidden in ("note_write", "vault_open"):
        said = agent.run_sync("hello", model=_says((hidden, {}))).output
        assert said == f"Unknown tool name: '{hidden}'. Available tools: 'order_read', 'refund_create'"
    assert at.ran == [("order_read", {"order": "A-1"})]


class _Tenfold(AbstractCapability[None]):
    """By a hook."""

    async def before_tool_execute(self, ctx: RunContext[None], **given: Any) -> dict[str, Any]:
        return {"amount": given["args"]["amount"] * 10}


class _TenfoldTools(WrapperToolset[None]):
    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> Any:
        return await super().call_tool(name, {"amount": tool_args["amount"] * 10}, ctx, tool)


class _Tenfolded(AbstractCapability[None]):
    """By a toolset around the agent's."""

    def get_wrapper_toolset(self, toolset: AbstractToolset[None]) -> AbstractToolset[None]:
        return _TenfoldTools(toolset)


@pytest.mark.parametrize("other", [_Tenfold(), _Tenfolded()])
def test_what_another_capability_does_to_the_arguments_is_judged(other: AbstractCapability[None]) -> None:
    """Wherever it stands in the list: the gate is the last to see a call."""
    at = desk()
    policy: AbstractCapability[None] = PolicyCapability(at.gate)
    for capabilities in ([policy, other], [other, policy]):
        agent: Agent[None, str] = Agent(
            _says(("refund_create", {"amount": 51})), tools=_tools(at), capabilities=capabilities
        )
        assert agent.run_sync("hello").output == TOO_MUCH
    assert at.ran == []


def test_what_was_judged_runs() -> None:
    """Though the arguments change while they are judged."""
    at = desk()
    held: list[dict[str, Any]] = []

    class Holds(AbstractCapability[None]):
        async def before_tool_execute(self, ctx: RunContext[None], **given: Any) -> dict[str, Any]:
            held.append(given["args"])
            return held[0]

    def context(run: object) -> dict[str, Any]:
        for arguments in held:
            arguments["amount"] = 5000
        return stated(ROSA)

    gate = Gate(at.authorizer, context=context, capability=NAMES)
    agent: Agent[None, str] = Agent(
        _says(("refund_create", {"amount": 50})), tools=_tools(at), capabilities=[Holds(), PolicyCapability(gate)]
    )
    agent.run_sync("hello")
    assert held == [{"amount": 5000}]
    assert at.ran == [("refund_create", {"amount": 50})]


@pytest.mark.parametrize(("amount", "ran"), [("100", 100), ("501", None)])
def test_coerced_arguments_are_judged_as_they_run(amount: str, ran: int | None) -> None:
    """The model wrote text, the tool gets a number: the number is judged."""
    at = desk()

    def refund_create(amount: int) -> str:
        return at.run("refund_create", amount=amount)

    agent: Agent[None, str] = Agent(
        _says(("refund_create", {"amount": amount})), tools=[refund_create], capabilities=[PolicyCapability(at.gate)]
    )
    said = agent.run_sync("hello").output
    assert at.ran == ([] if ran is None else [("refund_create", {"amount": ran})])
    assert said == (TOO_MUCH if ran is None else "done: refund_create")


def test_coerced_arguments_wait_like_others() -> None:
    """The library's approval is asked for after validation, and so is this one."""
    at = desk()

    def refund_create(amount: int) -> str:
        return at.run("refund_create", amount=amount)

    agent: Agent[None, Output] = Agent(
        _says(("refund_create", {"amount": "250"})),
        tools=[Tool(refund_create, requires_approval=True)],
        output_type=[str, DeferredToolRequests],
        capabilities=[PolicyCapability(at.gate)],
    )
    asked = agent.run_sync("hello")
    assert isinstance(asked.output, DeferredToolRequests)
    assert at.authorizer.pending() == []  # the tool's own approval comes first, and is no vote
    answered = agent.run_sync(
        message_history=asked.all_messages(), deferred_tool_results=asked.output.build_results(approve_all=True)
    )
    (request,) = at.authorizer.pending()
    assert request.action["input"] == {"amount": 250}
    assert _reply(answered) == Reply(text=WAITING, handle=request.handle)
    assert at.ran == []


class _Refund(BaseModel):
    amount: Decimal
    currency: str = Field("EUR", alias="in")


def test_a_model_as_the_argument_is_judged_in_the_form_of_the_schema() -> None:
    """A decimal is the number that the model wrote, and a default is stated as well."""
    at = desk()
    got: list[_Refund] = []

    def refund_create(refund: _Refund) -> str:
        got.append(refund)
        return "done"

    agent: Agent[None, Output] = Agent(
        _says(("refund_create", {"amount": 250.5})),
        tools=[refund_create],
        output_type=[str, DeferredToolRequests],
        capabilities=[PolicyCapability(at.gate)],
    )
    asked = agent.run_sync("hello")
    assert isinstance(asked.output, DeferredToolRequests)
    (request,) = at.authorizer.pending()
    assert request.action["input"] == {"amount": 250.5, "in": "EUR"}
    at.approve(request.handle)
    done = agent.run_sync(
        message_history=asked.all_messages(), deferred_tool_results=asked.output.build_results(approve_all=True)
    )
    assert done.output == "done"
    assert got == [_Refund.model_validate({"amount": Decimal("250.5")})]


class _Masked(BaseModel):
    amount: int
    password: SecretStr


class _Doubling(BaseModel):
    amount: Annotated[int, AfterValidator(lambda amount: amount * 2)]


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        (_Masked, {"amount": 50, "password": "secret-4711"}),
        (_Doubling, {"amount": 50}),
        (_Refund, {"amount": "0.1000000000000000055511151231257827"}),
        (_Refund, {"amount": "1e400"}),
    ],
)
def test_arguments_that_json_does_not_state_are_refused(model: type[BaseModel], arguments: dict[str, Any]) -> None:
    """What the policy cannot be shown does not run."""
    at = desk()

    def refund_create(refund: Any) -> str:
        return at.run("refund_create", refund=refund)

    refund_create.__annotations__["refund"] = model
    agent: Agent[None, str] = Agent(
        _says(("refund_create", arguments)), tools=[refund_create], capabilities=[PolicyCapability(at.gate)]
    )
    assert agent.run_sync("hello").output == UNSTATED
    assert at.ran == []


@pytest.mark.parametrize(("edited", "ran"), [(100, [100]), (300, []), (501, [])])
def test_what_the_approver_edits_is_decided_again(edited: int, ran: list[int]) -> None:
    """The vote was for 250: less may run by itself, more waits anew, too much is refused."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert reply.handle is not None
    at.approve(reply.handle)
    again = runtime.go_on(reply, "approve", amount=edited)
    assert [arguments["amount"] for _, arguments in at.ran] == ran
    if edited == 300:
        assert again.text == WAITING
        assert again.handle not in {None, reply.handle}
    if edited == 501:
        assert again.text == TOO_MUCH


def test_resumed_twice_it_runs_once() -> None:
    """The same answer sent again finds the approval spent."""
    at = desk()
    runtime = _Runtime(at)
    reply = runtime.call("refund_create", {"amount": 250})
    assert reply.handle is not None
    at.approve(reply.handle)
    paused = runtime._result
    runtime.go_on(reply, "approve")
    runtime._result = paused
    assert "denied" in runtime.go_on(reply, "approve").text
    assert at.ran == [("refund_create", {"amount": 250})]
