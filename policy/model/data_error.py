"""The one error of the readers of JSON and YAML texts."""

from __future__ import annotations

_SHOWN = 40
"""Characters of a number that a message shows."""


class DataError(ValueError):
    """A text that is not the JSON or YAML data the engine reads.

    `message` is a sentence in the style of diagnostics; `line` and `column` are 1-based, None where the text as a
    whole is refused; `name` is the file, where one was read.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, name: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.name = name

    def named(self, name: str) -> DataError:
        """The same error with its file."""
        return DataError(self.message, self.line, self.column, name)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.name, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message


def number_problem(text: str) -> str:
    """Why the text of a number has no value in the data model, and what to do."""
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    if text.lstrip("+-").isdigit():
        return f"`{shown}` is beyond ±(2^53−1); send large identifiers as strings"
    return f"`{shown}` is no number that a double gives back in 17 digits; send it as a string"
