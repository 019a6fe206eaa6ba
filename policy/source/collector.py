"""The cyclic garbage collector, where much is made that stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """No search for cycles while trees are made: there are none, and each search goes through all that was made.

    A collector that was off stays off. Threads that pause it at the same time leave it on when the last of those that
    found it on is done; other threads only have their cycles collected a little later.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
