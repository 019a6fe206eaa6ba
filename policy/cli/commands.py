"""The commands, and the module of each: it has `configure(parser)` and `run(arguments) -> exit code`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from policy.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One command; its module is imported when it runs."""

    name: str
    summary: str
    exits: str

    def module(self) -> Any:
        """The module of the command."""
        return import_module(f"policy.cli.{self.name}")


_ALL = (
    Command("check", "report every finding about policies and capabilities", "Exit codes: 0, 1 on an error."),
    Command(
        "decide", "decide on one action", "Exit codes: 0 allow, 3 require-approval, 4 deny, 1 policy not loadable."
    ),
    Command(
        "test",
        "run the fixtures of policies",
        "Exit codes: 0, 1 a case failed, a file has an error or a threshold was missed.",
    ),
    Command("fmt", "write policies in the canonical layout", "Exit codes: 0, 1 with --check where one would change."),
    Command("digest", "print what an approval of a request is bound to", "Exit codes: 0, 1 unreadable request."),
    Command(
        "visible", "list what an agent may be shown, and why not the rest", "Exit codes: 0, 1 policy not loadable."
    ),
    Command(
        "serve",
        "answer over HTTP: decisions, approvals and AuthZEN",
        "Exit codes: 0 ended by SIGINT or SIGTERM, 1 policy not loadable or address not free.",
    ),
    Command("init", "write a policy, a catalog and fixtures to start from", "Exit codes: 0."),
    Command("schema", "print the JSON Schema of a model", "Exit codes: 0."),
)

COMMANDS: Mapping[str, Command] = {command.name: command for command in _ALL}
"""Name to command, in the order of the help."""
