"""What can go wrong with an authorizer, as exceptions. A decision never raises them; it becomes a denial."""

from __future__ import annotations


class ConfigurationError(Exception):
    """An authorizer that cannot be built as it is configured; raised at construction, never later."""


class ApprovalError(Exception):
    """A vote, a withdrawal or a cancellation that is not taken."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        """Stable, listed in grammar/CODES.md."""
        self.message = message
        """A sentence for a person."""


class StoreError(Exception):
    """A store of approvals that does not answer, or whose file is not one."""


class RequestClosedError(Exception):
    """The approval request was consumed, withdrawn or superseded before."""

    def __init__(self, closed: str) -> None:
        super().__init__(closed)
        self.closed = closed
        """How it was closed."""


class StoreChangedError(Exception):
    """Votes or executions came in since they were read; what was decided by them must be decided again."""


class LogError(Exception):
    """An entry of the decision log that was not written."""


class HistoryError(Exception):
    """A source of history that does not answer."""
