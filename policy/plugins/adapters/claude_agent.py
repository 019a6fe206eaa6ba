"""Claude Agent SDK: tools behind a policy. Needs the extra `claude-agent` (SDK 0.2, with the Claude Code it brings).

Ten lines of a host, which give every tool of a session to the policy::

    gate = Gate(authorizer, context=lambda user: parties(user), capability=names)  # `mcp__desk__refund` and `Bash`
    session = PolicySession(gate, user)
    options = session.options(ClaudeAgentOptions(tools=["Read"]), servers={"desk": tools})

    async for message in query(prompt=prompt, options=options):
        result = message
    if result.deferred_tool_use:  # a call that waits for people
        people_vote(session.waiting[-1])  # authorizer.vote(handle, by=…)
        async for message in query(prompt="go on", options=replace(options, resume=result.session_id)):
            result = message

A hook is asked before every tool of every agent of the session; where it fails, the call is blocked. For the tools of
`servers`, which run in this process, it pauses the run and the gate decides inside their execution, whatever the hook
was told. What Claude Code runs by itself (`Bash`, `Read`, tools of other servers) is decided in the hook, which is the
last place: there a call that waits is denied for now, and runs when the model makes it again after people voted.
Settings and plugins can bring hooks that edit arguments afterwards; take neither from users (`setting_sources=[]`).
A call is known by the session, the tool and the arguments. The library was tested by its own protocol, over a transport
in memory; the binary of Claude Code is larger than 300 MB and was not run.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from claude_agent_sdk import (
    CanUseTool,
    ClaudeAgentOptions,
    HookContext,
    HookInput,
    HookMatcher,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    SdkMcpTool,
    ToolPermissionContext,
    create_sdk_mcp_server,
)
from claude_agent_sdk.types import SyncHookJSONOutput

from policy.plugins.adapters.common import FAILED, Gate, Verdict

__all__ = ["PolicySession"]

REJECTED = "denied: the host rejected the call"
"""What a model reads where the host rejected a call that waited."""

_logger = logging.getLogger(__name__)


class PolicySession:
    """One session of an agent whose tools are offered and run as a policy decides.

    The gate's `context` is given `run`: what the host knows of this session. Make one for each session.
    """

    def __init__(self, gate: Gate, run: Any) -> None:
        self._gate = gate
        self._run = run
        self._here: set[str] = set()
        self._session: str | None = None
        self._executed: Counter[str] = Counter()
        self._one_by_one = asyncio.Lock()
        self._asks_host = False
        self._waiting: dict[str, str] = {}
        self._rejected: set[str] = set()

    @property
    def waiting(self) -> list[str]:
        """The handles of the calls that were paused or denied until people vote, the last one last."""
        return list(self._waiting)

    def reject(self, handle: str) -> None:
        """Reject a call that waits, whatever people vote; to outlast this session, `cancel` it at the authorizer.

        Raises KeyError for a handle that is not waiting here.
        """
        self._rejected.add(self._waiting[handle])

    def options(
        self, options: ClaudeAgentOptions, *, servers: Mapping[str, Sequence[SdkMcpTool[Any]]] | None = None
    ) -> ClaudeAgentOptions:
        """The options with every tool behind the gate, and without those that the agent may not see.

        `servers` are the tools that run in this process; a tool is called `mcp__SERVER__TOOL`. Built-in tools are
        hidden where `tools` names them. The host's `can_use_tool` is asked after the policy, and what it edits is
        decided again; without one, the policy's allow is enough. Raises ValueError where other `PreToolUse` hooks
        could edit what was judged, TypeError where servers are given as a file.
        """
        hooks = dict(options.hooks or {})
        if hooks.get("PreToolUse"):
            raise ValueError("the policy must be the last to see a call, so it takes no other `PreToolUse` hook")
        if not isinstance(options.mcp_servers, dict):
            raise TypeError("give `mcp_servers` as a mapping, not as a file")
        hooks["PreToolUse"] = [HookMatcher(hooks=[self._before], on_failure="block")]
        given = dict(options.mcp_servers)
        for server, tools in (servers or {}).items():
            given[server] = create_sdk_mcp_server(server, tools=self._gated(server, tools))
        changed = replace(options, hooks=hooks, mcp_servers=given)
        if isinstance(options.tools, list):
            changed.tools = self._gate.offered(options.tools, self._run)
        if options.can_use_tool is not None:
            self._asks_host = True
            changed.can_use_tool = self._permission(options.can_use_tool)
        return changed

    def _gated(self, server: str, tools: Sequence[SdkMcpTool[Any]]) -> list[SdkMcpTool[Any]]:
        """Those tools that may be seen, each with the gate in its handler."""
        named = {f"mcp__{server}__{tool.name}": tool for tool in tools}
        self._here.update(named)
        return [self._inside(name, named[name]) for name in self._gate.offered(named, self._run)]

    def _inside(self, name: str, tool: SdkMcpTool[Any]) -> SdkMcpTool[Any]:
        async def handler(arguments: dict[str, Any]) -> dict[str, Any]:
            verdict = await self._released(name, arguments)
            if not verdict.runs:
                return {"content": [{"type": "text", "text": verdict.message}], "is_error": True}
            return await tool.handler(verdict.arguments)

        return replace(tool, handler=handler)

    async def _before(self, given: HookInput, tool_use_id: str | None, context: HookContext) -> SyncHookJSONOutput:
        """The hook: allows, denies, or defers a call of this process that waits for people."""
        if given["hook_event_name"] != "PreToolUse":
            return _told("deny", FAILED)
        self._session = given["session_id"]
        name = given["tool_name"]
        verdict = await self._judged(name, given["tool_input"])
        if verdict.runs:
            # Where the host has a say of its own, the library asks it next.
            return {} if self._asks_host else _told("allow", verdict.message)
        if verdict.waits and name in self._here:
            return _told("defer", verdict.message)
        return _told("deny", verdict.message)

    def _permission(self, host: CanUseTool) -> CanUseTool:
        async def permission(name: str, given: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
            before = json.dumps(given, sort_keys=True)
            answer = await host(name, given, context)
            if not isinstance(answer, PermissionResultAllow):
                return answer
            edited = given if answer.updated_input is None else answer.updated_input
            if json.dumps(edited, sort_keys=True) == before:
                return answer
            verdict = await self._judged(name, edited)
            if not verdict.runs:
                return PermissionResultDeny(message=verdict.message)
            return replace(answer, updated_input=verdict.arguments)

        return permission

    async def _judged(self, name: str, arguments: dict[str, Any]) -> Verdict:
        """Whether a call may go on: to its execution here, which decides, or out of sight."""
        if name not in self._here:
            return await self._released(name, arguments)
        call = self._call(name, arguments)
        if call in self._rejected:
            return Verdict(kind="refuse", message=REJECTED)
        verdict = await self._gate.check_async(name, arguments, self._run, call=call)
        if verdict.waits and verdict.handle is not None and await self._approved(verdict.handle):
            return replace(verdict, kind="run")
        return self._noted(verdict, call)

    async def _released(self, name: str, arguments: dict[str, Any]) -> Verdict:
        """The last decision before an execution. The same call made twice at once is decided one after the other."""
        async with self._one_by_one:
            call = self._call(name, arguments)
            if call in self._rejected:
                return Verdict(kind="refuse", message=REJECTED)
            verdict = await self._gate.settle_async(name, arguments, self._run, call=call)
            if verdict.runs:
                self._executed[_content(name, arguments)] += 1
            return self._noted(verdict, call)

    def _noted(self, verdict: Verdict, call: str) -> Verdict:
        if verdict.waits and verdict.handle is not None:
            self._waiting[verdict.handle] = call
        return verdict

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        """The id of a call: the library's own is not told to a tool, and the model's next attempt has another one."""
        content = _content(name, arguments)
        return f"{self._session}:{content}:{self._executed[content]}"

    async def _approved(self, handle: str) -> bool:
        """Whether people's votes suffice, so that the execution should ask for the release."""
        try:
            request = await asyncio.to_thread(self._gate.authorizer.request, handle)
        except Exception:
            _logger.exception("the approval request cannot be read, so the call waits")
            return False
        return request is not None and request.state == "approved"


def _told(decision: str, message: str) -> SyncHookJSONOutput:
    said: Any = {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": message,
    }
    return {"hookSpecificOutput": said}


def _content(name: str, arguments: dict[str, Any]) -> str:
    text = json.dumps([name, arguments], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
