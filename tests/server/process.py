"""`policy serve` as a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from tests.server.world import CATALOG, PEOPLE

_ROOT = Path(__file__).parents[2]
_LISTENING = re.compile(r"listening on (http://\S+)")
PATIENCE = 60.0
"""Seconds that a process may take for what it is asked to do."""


class Served:
    """A running `policy serve`."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-c", "import sys, policy.cli; sys.exit(policy.cli.main())", "serve", *arguments]
        kept = {name: value for name, value in os.environ.items() if name != "POLICY_TOKENS"}
        self.process = subprocess.Popen(
            command,
            cwd=_ROOT,
            env={**kept, "PYTHONPATH": str(_ROOT), **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._queue: Queue[str | None] = Queue()
        Thread(target=self._read, daemon=True).start()

    def address(self) -> str:
        """Where it listens, as soon as it says so."""
        while (line := self._next()) is not None:
            if found := _LISTENING.search(line):
                return found.group(1)
        raise AssertionError(f"it did not listen: {self.lines}")

    def ended(self) -> tuple[int, str]:
        """Exit code and standard error of a process that ends."""
        code = self.process.wait(PATIENCE)
        while self._next() is not None:
            pass
        return code, "".join(self.lines)

    def kill(self) -> None:
        """End it at once."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def _next(self) -> str | None:
        try:
            line = self._queue.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError(f"it says nothing more: {self.lines}") from None
        if line is not None:
            self.lines.append(line)
        return line

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._queue.put(line)
        self._queue.put(None)


@contextmanager
def served(*arguments: str, environment: dict[str, str] | None = None) -> Iterator[Served]:
    """A `policy serve` that ends with the block, whatever happens in it."""
    running = Served(arguments, environment)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.kill()
        for stream in (running.process.stdout, running.process.stderr):
            if stream is not None:
                stream.close()


def project(folder: Path, policy: str) -> list[str]:
    """The arguments of a service over a policy, with files in a folder."""
    (folder / "desk.policy").write_text(policy, encoding="utf-8")
    _write(folder / "capabilities.json", CATALOG)
    _write(folder / "people.json", PEOPLE)
    return [
        "--policy",
        str(folder / "desk.policy"),
        "--capabilities",
        str(folder / "capabilities.json"),
        "--subjects",
        str(folder / "people.json"),
        "--port",
        "0",
    ]


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")
