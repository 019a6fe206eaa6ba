"""Claude Agent SDK, driven over a transport in memory that speaks for Claude Code: no binary, no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal

import pytest
from claude_agent_sdk import (
    CanUseToolShadowedWarning,
    ClaudeAgentOptions,
    CLIConnectionError,
    HookMatcher,
    PermissionResultAllow,
    ResultMessage,
    SdkMcpTool,
    query,
)

from policy.plugins.adapters import claude_agent as adapter
from policy.plugins.adapters.claude_agent import REJECTED, PolicySession
from policy.plugins.adapters.common import Gate, Verdict
from tests.plugins.adapters.claude_code import SESSION, Call, ClaudeCode
from tests.plugins.adapters.docstring import run_example
from tests.plugins.adapters.five import (
    CATALOG,
    NAMES,
    NOT_COVERED,
    ROSA,
    TOO_MUCH,
    WAITING,
    Desk,
    FiveThings,
    Reply,
    desk,
    stated,
)


def _tools(at: Desk) -> list[SdkMcpTool[Any]]:
    def body(name: str) -> Callable[[Any], Awaitable[dict[str, Any]]]:
        async def handler(arguments: dict[str, Any]) -> dict[str, Any]:
            return {"content": [{"type": "text", "text": at.run(name, **arguments)}]}

        return handler

    return [
        SdkMcpTool(name=name, description="a tool", input_schema=capability["input_schema"], handler=body(name))
        for name, capability in zip(NAMES, CATALOG, strict=True)
    ]


def _gate(at: Desk) -> Gate:
    """The desk's gate, for the names that Claude Code has."""
    return Gate(
        at.authorizer,
        context=at.gate._context,
        capability=lambda name: _naming(at)(name.removeprefix("mcp__desk__")),
    )


def _naming(at: Desk) -> Callable[[str], str]:
    naming = at.gate._capability
    assert callable(naming)
    return naming


async def _turn(code: ClaudeCode, options: ClaudeAgentOptions) -> ResultMessage:
    """One turn of an agent."""

    async def prompt() -> AsyncIterator[dict[str, Any]]:
        yield {"type": "user", "message": {"role": "user", "content": "hello"}}

    code.options = options
    last: ResultMessage | None = None
    async for message in query(prompt=prompt(), options=options, transport=code):
        if isinstance(message, ResultMessage):
            last = message
    assert last is not None
    return last


class _Runtime:
    """Every call over the protocol, and for hidden tools as if Claude Code still had an older list."""

    def __init__(self, at: Desk) -> None:
        self._at = at
        self._session = PolicySession(_gate(at), None)
        self._calls: list[Call] = []

    def _options(self) -> ClaudeAgentOptions:
        return self._session.options(ClaudeAgentOptions(), servers={"desk": _tools(self._at)})

    def offered(self) -> set[str]:
        code = ClaudeCode([])
        asyncio.run(_turn(code, self._options()))
        return {name.removeprefix("mcp__desk__") for name in code.offered}

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        self._calls = [(f"mcp__desk__{tool}", arguments)]
        return self._reply()

    def go_on(self, reply: Reply, answer: Literal["approve", "reject"]) -> Reply:
        self._session._gate.authorizer = self._at.gate.authorizer
        if answer == "reject":
            assert reply.handle is not None
            self._session.reject(reply.handle)
        return self._reply()

    def _reply(self) -> Reply:
        result = asyncio.run(_turn(ClaudeCode(self._calls), self._options()))
        if result.deferred_tool_use is None:
            return Reply(text=str(result.result))
        assert (result.deferred_tool_use.name, result.deferred_tool_use.input) == self._calls[0]
        return Reply(text=WAITING, handle=self._session.waiting[-1])


class TestClaudeAgent(FiveThings):
    """The five things."""

    def runtime(self, desk: Desk) -> _Runtime:
        """A session with a server in this process."""
        return _Runtime(desk)


def test_the_example_of_the_docstring() -> None:
    """Runs as it is written: the call waits, lena votes, and it runs."""
    at = desk()

    def ask(*, prompt: str, options: ClaudeAgentOptions) -> AsyncIterator[Any]:
        async def messages() -> AsyncIterator[Any]:
            yield await _turn(ClaudeCode([("mcp__desk__refund_create", {"amount": 250})]), options)

        return messages()

    names = run_example(
        adapter,
        ClaudeAgentOptions=ClaudeAgentOptions,
        Gate=Gate,
        PolicySession=PolicySession,
        authorizer=at.authorizer,
        names={f"mcp__desk__{tool}": capability for tool, capability in NAMES.items()},
        parties=stated,
        people_vote=at.approve,
        prompt="give rosa 250 back",
        query=ask,
        replace=replace,
        tools=_tools(at),
        user=ROSA,
    )
    assert at.ran == [("refund_create", {"amount": 250})]
    assert names["result"].result == "done: refund_create"
    assert names["options"].tools == []


@pytest.mark.parametrize("asks_hooks", [True, False])
@pytest.mark.parametrize(("amount", "text"), [(250, WAITING), (501, TOO_MUCH)])
def test_the_gate_is_inside_the_tools_of_this_process(asks_hooks: bool, amount: int, text: str) -> None:
    """No hook is asked, or a deferral is passed over as the turn has two calls: the tool does not run."""
    at = desk()
    session = PolicySession(_gate(at), None)
    options = session.options(ClaudeAgentOptions(), servers={"desk": _tools(at)})
    calls = [("mcp__desk__order_read", {}), ("mcp__desk__refund_create", {"amount": amount})]
    result = asyncio.run(_turn(ClaudeCode(calls, asks_hooks=asks_hooks), options))
    assert result.result == text
    assert at.ran == [("order_read", {})]


def test_the_same_call_again_needs_an_approval_again() -> None:
    """One approval is one execution; a second call of the same content opens a request of its own."""
    at = desk()
    runtime = _Runtime(at)
    first = runtime.call("refund_create", {"amount": 250})
    assert first.handle is not None
    at.approve(first.handle)
    assert runtime.go_on(first, "approve").text == "done: refund_create"
    second = runtime.call("refund_create", {"amount": 250})
    assert second.handle not in {None, first.handle}
    assert at.ran == [("refund_create", {"amount": 250})]


@pytest.mark.parametrize("tool", ["mcp__desk__refund_create", "Refund"])
@pytest.mark.parametrize("asks_hooks", [True, False])
def test_what_the_host_rejected_does_not_run(tool: str, asks_hooks: bool) -> None:
    """Though people voted for it; the same call of another session is another call."""
    at = desk()
    gate = Gate(at.authorizer, context=at.gate._context, capability={tool: "refund.create"})
    session = PolicySession(gate, None)
    options = session.options(ClaudeAgentOptions(), servers={"desk": _tools(at)})
    call = (tool, {"amount": 250})
    asyncio.run(_turn(ClaudeCode([call]), options))
    (handle,) = session.waiting
    at.approve(handle)
    session.reject(handle)
    code = ClaudeCode([call], asks_hooks=asks_hooks or tool == "Refund")
    assert asyncio.run(_turn(code, options)).result == REJECTED
    assert at.ran + code.ran == []
    with pytest.raises(KeyError, match="unknown"):
        session.reject("unknown")


def _bash(at: Desk) -> Gate:
    """A desk where `Refund` is a tool that Claude Code runs by itself."""
    return Gate(at.authorizer, context=at.gate._context, capability={"Refund": "refund.create", "Vault": "vault.open"})


def test_what_claude_code_runs_is_decided_in_the_hook() -> None:
    """A call that waits is denied for now; made again after people voted, it runs once."""
    at = desk()
    session = PolicySession(_bash(at), None)
    options = session.options(ClaudeAgentOptions(tools=["Refund", "Vault", "Bash"]))
    assert options.tools == ["Refund"]

    def call(name: str, amount: int) -> tuple[Any, list[Call]]:
        code = ClaudeCode([(name, {"amount": amount})])
        return asyncio.run(_turn(code, options)).result, code.ran

    assert call("Refund", 50) == ("done: Refund", [("Refund", {"amount": 50})])
    assert call("Refund", 501) == (TOO_MUCH, [])
    assert call("Vault", 1) == (NOT_COVERED, [])
    said, ran = call("Bash", 1)
    assert ran == []
    assert "denied" in said
    assert call("Refund", 250) == (WAITING, [])
    (handle,) = session.waiting
    at.approve(handle)
    assert call("Refund", 250) == ("done: Refund", [("Refund", {"amount": 250})])
    assert call("Refund", 250) == (WAITING, [])
    assert session.waiting[0] == handle
    assert len(session.waiting) == 2


def test_two_calls_at_once_spend_one_approval_once() -> None:
    """The same call twice in a turn: one runs."""
    at = desk()
    session = PolicySession(_bash(at), None)
    options = session.options(ClaudeAgentOptions())
    asyncio.run(_turn(ClaudeCode([("Refund", {"amount": 250})]), options))
    at.approve(session.waiting[0])
    code = ClaudeCode([("Refund", {"amount": 250})] * 2)
    asyncio.run(_turn(code, options))
    assert code.ran == [("Refund", {"amount": 250})]


def test_the_same_call_made_twice_at_once_is_two_calls() -> None:
    """Each is decided and recorded for itself."""
    at = desk()
    calls: list[str] = []

    class Noting(Gate):
        __slots__ = ()

        def settle(self, tool: str, arguments: Any, run: Any, *, call: str) -> Verdict:
            calls.append(call)
            return super().settle(tool, arguments, run, call=call)

    session = PolicySession(
        Noting(at.authorizer, context=at.gate._context, capability={"Refund": "refund.create"}), None
    )
    (matcher,) = (session.options(ClaudeAgentOptions()).hooks or {})["PreToolUse"]
    given: Any = {"hook_event_name": "PreToolUse", "session_id": SESSION, "tool_name": "Refund"}
    given["tool_input"] = {"amount": 50}

    async def twice() -> list[Any]:
        return await asyncio.gather(*(matcher.hooks[0](given, "toolu_1", {"signal": None}) for _ in range(2)))

    decisions = [said["hookSpecificOutput"]["permissionDecision"] for said in asyncio.run(twice())]
    assert decisions == ["allow", "allow"]
    assert len(set(calls)) == 2


@pytest.mark.parametrize(("edited", "ran"), [(None, [50]), (100, [100]), (300, []), (501, [])])
@pytest.mark.parametrize("tool", ["mcp__desk__refund_create", "Refund"])
def test_what_the_host_edits_is_decided_again(tool: str, edited: int | None, ran: list[int]) -> None:
    """By `can_use_tool`: less may run by itself, more waits, too much is refused."""
    at = desk()
    gate = Gate(
        at.authorizer, context=at.gate._context, capability=lambda name: "refund.create" if name == tool else name
    )
    asked: list[str] = []

    async def host(name: str, given: dict[str, Any], context: object) -> PermissionResultAllow:
        asked.append(name)
        return PermissionResultAllow(updated_input=None if edited is None else {"amount": edited})

    session = PolicySession(gate, None)
    options = session.options(ClaudeAgentOptions(can_use_tool=host), servers={"desk": _tools(at)})
    code = ClaudeCode([(tool, {"amount": 50})])
    said = asyncio.run(_turn(code, options)).result
    assert asked == [tool]
    assert [arguments["amount"] for _, arguments in at.ran + code.ran] == ran
    if edited == 300:
        assert said == WAITING
        assert [each.handle for each in at.authorizer.pending()] == session.waiting
    if edited == 501:
        assert said == TOO_MUCH


def test_the_hook_is_asked_where_can_use_tool_is_not() -> None:
    """The library warns that a tool allowed as a whole is never asked for; the hook still is."""
    at = desk()
    session = PolicySession(_bash(at), None)

    async def host(name: str, given: dict[str, Any], context: object) -> PermissionResultAllow:
        raise AssertionError("not asked")

    options = session.options(ClaudeAgentOptions(can_use_tool=host, allowed_tools=["Refund"]))
    code = ClaudeCode([("Refund", {"amount": 501})])
    with pytest.warns(CanUseToolShadowedWarning, match="Refund"):
        assert asyncio.run(_turn(code, options)).result == TOO_MUCH
    assert code.ran == []


def test_a_hook_that_fails_blocks() -> None:
    """It is no missing opinion; and a Claude Code that would take it for one is not started."""
    at = desk()
    session = PolicySession(_bash(at), None)
    options = session.options(ClaudeAgentOptions())
    (matcher,) = (options.hooks or {})["PreToolUse"]
    assert isinstance(matcher, HookMatcher)
    assert matcher.matcher is None
    assert matcher.on_failure == "block"

    async def breaks(*given: object) -> Any:
        raise RuntimeError("secret-4711")

    matcher.hooks = [breaks]
    code = ClaudeCode([("Refund", {"amount": 50})])
    assert asyncio.run(_turn(code, options)).result == "blocked"
    assert code.ran == []
    with pytest.raises(CLIConnectionError, match="does not honor on_failure"):
        asyncio.run(_turn(ClaudeCode([], honors_failure=False), options))


def test_another_hook_that_could_edit_is_not_taken() -> None:
    """Nor servers that cannot be seen here."""
    session = PolicySession(desk().gate, None)
    with pytest.raises(ValueError, match="the policy must be the last to see a call"):
        session.options(ClaudeAgentOptions(hooks={"PreToolUse": [HookMatcher()]}))
    with pytest.raises(TypeError, match="give `mcp_servers` as a mapping"):
        session.options(ClaudeAgentOptions(mcp_servers="servers.json"))
