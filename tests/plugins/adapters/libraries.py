"""Which adapters can be tested here: those whose library is installed."""

from __future__ import annotations

from importlib.util import find_spec

LIBRARIES = {
    "agent_framework": "agent_framework",
    "claude_agent": "claude_agent_sdk",
    "fastmcp": "fastmcp",
    "google_adk": "google.adk",
    "langchain": "langchain",
    "mcp_sdk": "mcp.server.mcpserver",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}
"""Adapter to the module of its library."""


def missing() -> list[str]:
    """The adapters whose library is not installed."""
    return [adapter for adapter, module in LIBRARIES.items() if not _installed(module)]


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it is missing, or is another version without it
        return False
