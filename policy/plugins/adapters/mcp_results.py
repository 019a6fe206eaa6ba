"""What both MCP adapters share: how a handle comes back, and what a client reads that was not served.

A call that waits for people ends in an error result whose structured content is `outcome`, `message` and `handle`. The
client calls again with the same arguments and the handle, either as the argument `approval_handle`, which every listed
tool gets for the sake of models, or as `_meta["agent-policy/approval"]`. Nothing else that a client sends is heard: who
approved what is asked from the store alone, for exactly the arguments that were frozen in it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from policy.plugins.adapters.common import Gate, Verdict

__all__ = ["ARGUMENT", "META", "Asked", "asked", "of_server", "told", "with_handle"]

ARGUMENT = "approval_handle"
"""The argument that carries a handle. It is taken away before the call is judged or runs."""
META = "agent-policy/approval"
"""The member of a request's `_meta` that carries a handle."""
_PROPERTY = MappingProxyType(
    {"type": "string", "description": "only where this call was told to wait for approval: the handle it was given"}
)

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request to call a tool."""

    tool: str
    """The tool's name."""
    arguments: Mapping[str, Any]
    """The tool's own arguments."""
    handle: object
    """What the client gave as a handle; None where it gave none."""

    async def judged(self, gate: Gate, run: object) -> Verdict:
        """Whether the call may run: checked, or resumed by its handle. A handle that is no text is refused."""
        if self.handle is None:
            return await gate.check_async(self.tool, self.arguments, run)
        return await gate.resume_async(self.tool, self.arguments, run, str(self.handle))


def of_server(server: str) -> Callable[[str], str]:
    """The naming of a server's tools as catalogs of MCP tools have it: `mcp.<server>.<tool>`."""
    return lambda tool: f"mcp.{server}.{tool}"


def asked(tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None) -> Asked:
    """Take the handle out of a request. The one in `_meta` goes before the one among the arguments."""
    own = {name: value for name, value in arguments.items() if name != ARGUMENT}
    by_meta = None if meta is None else meta.get(META)
    return Asked(tool=tool, arguments=own, handle=arguments.get(ARGUMENT) if by_meta is None else by_meta)


def told(verdict: Verdict) -> str:
    """The sentence that a model reads where its call did not run."""
    if not verdict.waits:
        return verdict.message
    if verdict.handle is None:
        return f"{verdict.message}. This server keeps no approvals, so the call cannot go on."
    return (
        f"{verdict.message}. Nothing ran yet. Once people have approved it, call again with the same arguments and "
        f"`{ARGUMENT}` set to `{verdict.handle}`."
    )


def with_handle(tool: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """A tool's input schema with the argument for the handle; None where the tool has that argument itself."""
    properties = schema.get("properties", {})
    if ARGUMENT in properties:
        _logger.error("the tool %r has an argument %r of its own, so it is not offered", tool, ARGUMENT)
        return None
    return {**schema, "properties": {**properties, ARGUMENT: dict(_PROPERTY)}}
