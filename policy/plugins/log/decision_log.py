"""The decision log of an authorizer: where it is written, what it may hold, and what its failure means."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from os import PathLike
from threading import Lock
from typing import Any, Literal, Protocol

from policy.plugins.approvals.protocol import Json
from policy.plugins.log.event import Contents, envelope, line
from policy.plugins.log.redaction import read_path
from policy.plugins.log.writer import DEFAULT_KEEP, DEFAULT_MAX_BYTES, RotatingFile
from policy.plugins.problems import ConfigurationError, LogError

OnFailure = Literal["deny", "continue"]
"""What an entry that cannot be written means: the call is denied, or it goes on and the failure is told elsewhere."""
DEFAULT_SOURCE = "urn:agent-policy:authorizer"
"""The CloudEvents source of entries where none is configured."""

_LOG = logging.getLogger("policy")


class Sink(Protocol):
    """Where lines go."""

    def write(self, line: bytes) -> None:
        """Take one line, which ends in a newline; raise anything where it is not taken."""

    def close(self) -> None:
        """Give back what is held."""


class DecisionLog:
    """Writes entries as lines; safe to share between threads."""

    def __init__(
        self,
        sink: Sink | str | PathLike[str],
        *,
        on_failure: OnFailure,
        inputs: Sequence[str] = (),
        messages: bool = False,
        source: str = DEFAULT_SOURCE,
        max_bytes: int = DEFAULT_MAX_BYTES,
        keep: int = DEFAULT_KEEP,
    ) -> None:
        """A log to a file, or to whatever else takes lines.

        `inputs` are the paths of the input whose values may be logged (`input.order_id`); none by default. `messages`
        adds the sentences of reasons, which may tell of values. Raises ConfigurationError for a file that cannot be
        opened, an unknown `on_failure`, or a path that is none.
        """
        if on_failure not in ("deny", "continue"):
            raise ConfigurationError("`on_failure` is `deny` or `continue`")
        for path in inputs:
            if not read_path(path):
                raise ConfigurationError(f"`{path}` is no path into the input, such as `input.order_id`")
        if not source:
            raise ConfigurationError("`source` is empty; leave it out or name this runtime")
        self.on_failure: OnFailure = on_failure
        """What an entry that cannot be written means."""
        self.contents = Contents(inputs=tuple(inputs), messages=messages)
        """What entries may hold."""
        self._source = source
        self._sink = RotatingFile(sink, max_bytes=max_bytes, keep=keep) if isinstance(sink, str | PathLike) else sink
        self._lock = Lock()
        self._failures = 0
        self._last_error: str | None = None

    def write(self, kind: str, time: str, subject: str | None, data: Json) -> bool:
        """Write an entry; False where it was not written and calls go on. Raises LogError where they are denied."""
        try:
            self._sink.write(line(envelope(kind, time, self._source, subject, data)))
        except Exception as error:  # noqa: BLE001 - a sink is the host's; whatever it raises is told as its failure
            failure = error
        else:
            return True
        with self._lock:
            self._failures += 1
            self._last_error = str(failure)
        _LOG.error("an entry of the decision log was not written", exc_info=failure)
        if self.on_failure == "deny":
            raise LogError("an entry of the decision log was not written") from failure
        return False

    def status(self) -> dict[str, Any]:
        """How often writing failed, and the last reason."""
        with self._lock:
            return {"on_failure": self.on_failure, "failures": self._failures, "last_error": self._last_error}

    def close(self) -> None:
        """Close the sink."""
        self._sink.close()
