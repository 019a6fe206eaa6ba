"""Trying a policy on fixtures before it decides anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from policy.engine import Engine
from policy.fixtures.runner import run_with
from policy.fixtures.session import gather

_TOLD = 5
"""Problems that a message tells."""


def problems(engine: Engine, fixtures: Sequence[Path]) -> tuple[str, ...]:
    """What keeps a policy from passing its fixtures, each as a line; empty where it passes, or where there are none.

    The cases state records and instants themselves: the policy is tried without a directory and without a clock.
    """
    return tuple(_problems(engine, fixtures)) if fixtures else ()


def told(found: Sequence[str]) -> str:
    """Problems as one sentence, bounded."""
    more = len(found) - _TOLD
    return "; ".join([*found[:_TOLD], *([f"and {more:,} more"] if more > 0 else [])])


def _problems(engine: Engine, fixtures: Sequence[Path]) -> Iterator[str]:
    missing = [path for path in fixtures if not path.exists()]
    if missing:
        yield from (f"{path}: does not exist" for path in missing)
        return
    gathered = gather(fixtures)
    for diagnostic in gathered.diagnostics:
        yield f"{diagnostic.location}: {diagnostic.message}"
    if not gathered.count and not gathered.diagnostics:
        yield "the fixtures hold no case"
    plain = Engine(engine.compiled)
    results = [*(run_with(case, plain) for case in gathered.cases), *gathered.load_results]
    for result in results:
        if not result.passed:
            yield f"{result.path}:{result.line}: {result.name}: {', '.join(result.differences)}"
