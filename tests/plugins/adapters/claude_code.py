"""Claude Code as its documentation has it, as a transport in memory: no binary, no network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, Transport

Call = tuple[str, dict[str, Any]]
SESSION = "6b0d7a2e-9a52-4f5e-8f6e-0d1c9b7a4711"


@dataclass
class ClaudeCode(Transport):
    """Claude Code as its documentation has it, for one turn with some calls of tools.

    It asks the hook, then the host where the hook has no opinion, then runs the tool: one of its own, or one of the
    SDK's process. A call is deferred only where it is the only one of the turn; else the deferral is passed over.
    """

    calls: list[Call]
    honors_failure: bool = True
    asks_hooks: bool = True
    """Whether hooks are run at all."""
    offered: set[str] = field(default_factory=set)
    ran: list[Call] = field(default_factory=list)
    """What it ran by itself."""
    options: ClaudeAgentOptions | None = None

    async def connect(self) -> None:
        self._out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._hooks: list[dict[str, Any]] = []
        self._turn: asyncio.Task[None] | None = None

    async def write(self, data: str) -> None:
        message = json.loads(data)
        match message["type"]:
            case "control_request":
                self._hooks = (message["request"].get("hooks") or {}).get("PreToolUse", [])
                known = {"commands": [], "hook_on_failure_supported": self.honors_failure}
                answer = {"subtype": "success", "request_id": message["request_id"], "response": known}
                await self._out.put({"type": "control_response", "response": answer})
            case "control_response":
                self._answers.pop(message["response"]["request_id"]).set_result(message["response"])
            case "user":
                self._turn = asyncio.create_task(self._run())

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (message := await self._out.get()) is not None:
            yield message

    async def close(self) -> None:
        await self._out.put(None)

    async def end_input(self) -> None:
        pass

    def is_ready(self) -> bool:
        return True

    async def _ask(self, **request: Any) -> dict[str, Any]:
        number = f"cli-{len(self._answers)}-{id(request)}"
        self._answers[number] = asyncio.get_running_loop().create_future()
        answer = self._answers[number]
        await self._out.put({"type": "control_request", "request_id": number, "request": request})
        return await answer

    async def _mcp(self, server: str, method: str, **params: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await self._ask(subtype="mcp_message", server_name=server, message=message)
        result: dict[str, Any] = answer["response"]["mcp_response"]["result"]
        return result

    async def _run(self) -> None:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "claude", "version": "2"}}
        servers = self.options.mcp_servers if self.options else {}
        assert isinstance(servers, dict)
        for server in servers:
            await self._mcp(str(server), "initialize", **about)
            listed = await self._mcp(str(server), "tools/list")
            self.offered.update(f"mcp__{server}__{tool['name']}" for tool in listed["tools"])
        said, deferred = "nothing to do", None
        for name, arguments in self.calls:
            kind, text = await self._permitted(name, arguments)
            if kind == "defer" and len(self.calls) == 1:
                deferred = {"id": "toolu_1", "name": name, "input": arguments}
                break
            said = text if kind == "deny" else await self._execute(name, json.loads(text))
        result = {"type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1}
        result |= {"is_error": False, "session_id": SESSION, "result": said, "deferred_tool_use": deferred}
        await self._out.put(result)
        await self._out.put(None)

    async def _permitted(self, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
        """The decision, with the reason of a denial or the arguments of anything else."""
        for matcher in self._hooks if self.asks_hooks else []:
            given: dict[str, Any] = {"session_id": SESSION, "transcript_path": "", "cwd": ""}
            given |= {
                "hook_event_name": "PreToolUse",
                "tool_name": name,
                "tool_input": arguments,
                "tool_use_id": "toolu_1",
            }
            (callback,) = matcher["hookCallbackIds"]
            answer = await self._ask(subtype="hook_callback", callback_id=callback, input=given, tool_use_id="toolu_1")
            if answer["subtype"] == "error":
                if matcher.get("onFailure") == "block":
                    return "deny", "blocked"
                continue
            said = answer["response"].get("hookSpecificOutput", {})
            if said.get("permissionDecision") in {"deny", "defer"} and len(self.calls) == 1:
                return said["permissionDecision"], said["permissionDecisionReason"]
            if said.get("permissionDecision") == "deny":
                return "deny", said["permissionDecisionReason"]
            if said.get("permissionDecision") == "allow":
                return "allow", json.dumps(arguments)
        if self.options is not None and self.options.can_use_tool is not None:
            answer = await self._ask(subtype="can_use_tool", tool_name=name, input=arguments, tool_use_id="toolu_1")
            if answer["response"]["behavior"] == "deny":
                return "deny", answer["response"]["message"]
            return "allow", json.dumps(answer["response"]["updatedInput"])
        return "allow", json.dumps(arguments)

    async def _execute(self, name: str, arguments: dict[str, Any]) -> str:
        if not name.startswith("mcp__"):
            self.ran.append((name, arguments))
            return f"done: {name}"
        _, server, tool = name.split("__")
        result = await self._mcp(server, "tools/call", name=tool, arguments=arguments)
        return str(result["content"][0]["text"])
