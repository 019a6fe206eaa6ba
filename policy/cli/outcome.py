"""Exit codes, and the error that ends a command with code 2."""

from __future__ import annotations

OK = 0
"""Done; for `decide`: allow."""
FAILURE = 1
"""A finding that fails the command, or a policy that does not load."""
USAGE = 2
"""Wrong usage, a file that is not there or that is not JSON or YAML."""
REQUIRE_APPROVAL = 3
"""`decide`: the action waits for people."""
DENY = 4
"""`decide`: the action must not run."""


class UsageError(Exception):
    """Wrong usage: a clause in the style of diagnostics, and perhaps what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help
