"""A progress bar on a terminal; silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Shows how many of `total` are done, on standard error; call what it gives once for each."""
    if not sys.stderr.isatty() or total < 2:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Drawn by the caller's own steps: a thread that draws would be copied into processes that start later.
    with Progress(*columns, console=Console(file=sys.stderr), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(what, total=total)
        step = max(1, total // 100)

        def advance() -> None:
            bar.advance(task)
            if bar.tasks[0].completed % step == 0:
                bar.refresh()

        yield advance
