"""A file of lines that several threads and processes append to, rotated by size and count."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import ModuleType

from policy.plugins.problems import ConfigurationError, LogError

DEFAULT_MAX_BYTES = 64 << 20
"""Bytes of one file."""
DEFAULT_KEEP = 10
"""Rotated files that are kept beside the one that is written."""


class RotatingFile:
    """Appends whole lines. A line is never parted, and one that was not written whole is taken back.

    `decisions.jsonl` becomes `decisions.jsonl.1`, that one `.2`, and so on; beyond `keep` they are deleted. Where the
    system has advisory locks (not on Windows) several processes may write one file.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, max_bytes: int = DEFAULT_MAX_BYTES, keep: int = DEFAULT_KEEP
    ) -> None:
        """Raises ConfigurationError where the file cannot be opened or a bound is below 1."""
        if max_bytes < 1 or keep < 1:
            raise ConfigurationError("a log holds at least one byte a file and keeps at least one file")
        self._path = Path(path)
        self._max_bytes = max_bytes
        self._keep = keep
        self._lock = RLock()
        self._locks = _advisory_locks()
        try:
            os.close(self._opened(self._path))
        except OSError as error:
            raise ConfigurationError(f"the log `{path}` cannot be opened: {_told(error)}") from error

    @property
    def path(self) -> Path:
        """The file that is written."""
        return self._path

    def write(self, line: bytes) -> None:
        """Append a line, which ends in a newline. Raises LogError where it was not written whole."""
        try:
            with self._lock, self._alone():
                descriptor = self._opened(self._path)
                try:
                    size = os.fstat(descriptor).st_size
                    if size and size + len(line) > self._max_bytes:
                        self._rotate()
                        os.close(descriptor)
                        descriptor = -1
                        descriptor = self._opened(self._path)
                        size = 0
                    _append(descriptor, line, size)
                finally:
                    if descriptor >= 0:
                        os.close(descriptor)
        except OSError as error:
            raise LogError(f"the log `{self._path}` cannot be written: {_told(error)}") from error

    def close(self) -> None:
        """Give back nothing: no file is kept open between two lines."""

    def _rotate(self) -> None:
        self._numbered(self._keep).unlink(missing_ok=True)
        for number in range(self._keep - 1, 0, -1):
            if self._numbered(number).exists():
                self._numbered(number).replace(self._numbered(number + 1))
        self._path.replace(self._numbered(1))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process writes or rotates meanwhile."""
        if self._locks is None:
            yield
            return
        descriptor = self._opened(self._path.with_name(f"{self._path.name}.lock"))
        try:
            self._locks.flock(descriptor, self._locks.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _opened(self, path: Path) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        return os.open(path, flags, 0o600)


def _append(descriptor: int, line: bytes, size: int) -> None:
    """Write a line whole, behind a line that a killed process left unfinished on a line of its own."""
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        line = b"\n" + line
    rest = memoryview(line)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _advisory_locks() -> ModuleType | None:
    try:
        return importlib.import_module("fcntl")
    except ImportError:
        return None


def _told(error: OSError) -> str:
    return (error.strerror or "unknown").lower()
