"""Files that are read again when they change: who may call, and what is stored of people.

A role or a token that was taken back stops counting within a second, without a restart. A file that cannot be read any
more, or is wrong, changes nothing: the last good one holds, and the log and the status say so.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Generic, TypeVar

from policy.model.context import AuthorityRecord, Principal, PrincipalKind
from policy.model.data_error import DataError
from policy.model.reader import read_file
from policy.server.authentication import Caller, Tokens, read_tokens
from policy.server.directory import Directory, read_directory

_SECONDS = 1.0
"""Seconds between two looks at a file."""
_LOG = logging.getLogger("policy.server")
Content = TypeVar("Content")
_Mark = tuple[int, int, int] | None


class Watched(Generic[Content]):
    """What a file holds now. Safe to share between threads."""

    def __init__(
        self,
        path: str,
        read: Callable[[Any, str], Content],
        *,
        seconds: float = _SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the file. Raises DataError where it is not read, ValueError where it is wrong."""
        self._path = path
        self._read = read
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._mark = _mark(path)
        self._content = self._loaded()
        self._due = clock() + seconds
        self._error: str | None = None

    @property
    def error(self) -> str | None:
        """Why the file as it is now is not the one that holds; None where it is."""
        return self._error

    @property
    def current(self) -> Content:
        """The content; looks at the file where that was not done for a while."""
        if self._clock() >= self._due and self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._content

    def _look(self) -> None:
        self._due = self._clock() + self._seconds
        mark = _mark(self._path)
        if mark == self._mark:
            return
        # Kept first: a file that changes again while it is read is read again.
        self._mark = mark
        try:
            self._content = self._loaded()
        except (DataError, ValueError) as error:
            self._error = str(error)
            _LOG.error("`%s` is not taken, the last good one holds: %s", self._path, error)
        else:
            self._error = None
            _LOG.warning("`%s` was read again", self._path)

    def _loaded(self) -> Content:
        return self._read(read_file(self._path, catalog=True).value, self._path)


class WatchedTokens:
    """The tokens of a file."""

    configured = True

    def __init__(self, file: Watched[Tokens]) -> None:
        self._file = file

    @property
    def error(self) -> str | None:
        """Why the file as it is now does not hold."""
        return self._file.error

    def caller(self, headers: Iterable[str]) -> Caller:
        """Who the headers belong to, by the file as it is now."""
        return self._file.current.caller(headers)


class WatchedDirectory:
    """The principals of a file; an authority resolver too."""

    def __init__(self, file: Watched[Directory]) -> None:
        self._file = file

    @property
    def error(self) -> str | None:
        """Why the file as it is now does not hold."""
        return self._file.error

    def principal(self, principal_id: str, kind: PrincipalKind) -> Principal:
        """The principal, by the file as it is now."""
        return self._file.current.principal(principal_id, kind)

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        """The record, by the file as it is now."""
        return self._file.current.resolve(principal_id, tenant_id)


def watched_tokens(path: str) -> WatchedTokens:
    """The tokens of a file. Raises DataError and ValueError."""
    return WatchedTokens(Watched(path, read_tokens))


def watched_directory(path: str) -> WatchedDirectory:
    """The principals of a file. Raises DataError and ValueError."""
    return WatchedDirectory(Watched(path, read_directory))


def _mark(path: str) -> _Mark:
    """What tells one state of a file from another; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a name as it was given
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
