"""Work off the event loop: a fixed number of daemon threads, so that neither a slow store nor a deep decision stops
the service from answering, and none of them can keep it from ending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Threads:
    """Runs functions in threads, first come first served. They start with the first work and end by `stop`."""

    __slots__ = ("_count", "_jobs", "_running")

    def __init__(self, count: int) -> None:
        self._count = count
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._running = 0

    def start(self) -> None:
        """Start the threads; does nothing where they run."""
        while self._running < self._count:
            self._running += 1
            Thread(target=_work, args=(self._jobs,), name=f"policy-{self._running}", daemon=True).start()

    def stop(self) -> None:
        """Let the threads end when they have done what they were given. Nobody waits for them."""
        for _ in range(self._running):
            self._jobs.put(None)
        self._running = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of `work`; raises what it raises.

        Where the caller is cancelled, work that has not begun is never done, and work that has goes on unheard.
        """
        self.start()
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._jobs.put((work, future))
        return await future


def _work(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        work, future = job
        if future.cancelled():
            continue
        result: Any = None
        failure: BaseException | None = None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
            failure = error
        with suppress(RuntimeError):
            # The loop may have ended before work that nobody waited for.
            future.get_loop().call_soon_threadsafe(_settle, future, result, failure)
        # Kept alive by this frame until the next job otherwise.
        del job, work, future, result, failure


def _settle(future: asyncio.Future[Any], result: Any, failure: BaseException | None) -> None:
    if future.done():
        return
    if failure is None:
        future.set_result(result)
    elif isinstance(failure, StopIteration):
        # No future can carry it.
        future.set_exception(RuntimeError("work ended with StopIteration"))
    else:
        future.set_exception(failure)
