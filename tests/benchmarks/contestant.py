"""What is measured: something that answers the requests of a workload, each in a form of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.workload import Answer, Workload


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to decide, ready: its policy loaded, its requests in the form it takes."""

    name: str
    decide: Callable[..., Any]
    """What is timed. It is called with each of the requests in turn."""
    requests: Sequence[tuple[Any, ...]]
    """The arguments of each request."""
    answer: Callable[[Any], Answer]
    """What the result of `decide` means. Not timed."""
    library: str = ""
    """The distribution and its version; none for this project and the floor."""
    note: str = ""
    """How it was set up, and what it does not do."""


@dataclass(frozen=True, slots=True)
class Absent:
    """A contestant that could not take part, and why."""

    name: str
    why: str


Maker = Callable[[Workload], Iterable[Contestant | Absent]]
"""Makes the contestants of one library; raises ModuleNotFoundError where it is not installed."""


def made(makers: Mapping[str, Maker], work: Workload) -> tuple[list[Contestant], list[Absent]]:
    """The contestants of every maker, and those that are not there. No maker is left out without a word."""
    present: list[Contestant] = []
    absent: list[Absent] = []
    for name, maker in makers.items():
        try:
            found = list(maker(work))
        except ModuleNotFoundError as error:
            found = [Absent(name, f"not installed (no module {error.name})")]
        present.extend(each for each in found if isinstance(each, Contestant))
        absent.extend(each for each in found if isinstance(each, Absent))
    return present, absent
