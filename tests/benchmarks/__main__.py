"""Measure the engine beside its peers: `python -m tests.benchmarks --json results.json --markdown README.md`.

One process tree; `pip install -e .[benchmark]` brings the peers. Prints the Markdown table and, at the end of a run,
writes what was asked for. Exits 1 where a contestant gives another answer than the policy.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from policy import Engine
from tests.benchmarks import sections
from tests.benchmarks.contestant import Absent, Contestant, made
from tests.benchmarks.machine import machine
from tests.benchmarks.measure import DisagreementError, measure
from tests.benchmarks.ours import LIMITS, floor, ours, write_policy
from tests.benchmarks.peers import PEERS
from tests.benchmarks.report import block, place
from tests.benchmarks.workload import workload

_SIZES = (10, 100, 1_000, 10_000, 100_000)
_PEER_LIMIT = 10_000
"""The most rules that peers are given."""
_INTERPRETER_LIMIT = 10_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the options ask for."""
    options = _options(arguments)
    started = time.perf_counter()
    results: dict[str, Any] = {"machine": machine(), "sizes": [], "rounds": options.rounds}
    try:
        for size in options.sizes:
            _say(f"{size:,} rules")
            results["sizes"].append(_size(size, options))
    except DisagreementError as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 1
    results["sections"] = _sections(options)
    results["seconds"] = round(time.perf_counter() - started, 1)
    text = block(results)
    print(text)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    if options.markdown is not None:
        place(options.markdown, text)
    return 0


def _size(size: int, options: argparse.Namespace) -> dict[str, Any]:
    work = workload(size, options.requests)
    with tempfile.TemporaryDirectory() as folder:
        before = time.perf_counter()
        engine = Engine.load(write_policy(work, Path(folder) / "policy"), limits=LIMITS)
        loaded = time.perf_counter() - before
    contestants: list[Contestant] = [*floor(work), *ours(engine, work, interpreter=size <= _INTERPRETER_LIMIT)]
    absent: list[Absent] = []
    chosen = {name: maker for name, maker in PEERS.items() if name in options.peers}
    if size <= _PEER_LIMIT:
        peers, absent = made(chosen, work)
        contestants.extend(peers)
    rows = measure(work, contestants, options.rounds, options.seconds)
    return {
        "rules": work.rules,
        "load_s": round(loaded, 3),
        "rows": rows,
        "absent": [{"name": each.name, "why": each.why} for each in absent],
    }


def _sections(options: argparse.Namespace) -> dict[str, Any]:
    found = {}
    chosen: Mapping[str, sections.Section] = sections.SECTIONS
    for name, section in chosen.items():
        if name in options.sections:
            _say(name)
            found[name] = section(options.quick)
    return found


def _say(what: str) -> None:
    print(f"measuring: {what}", file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--sizes", type=_numbers, help="numbers of rules, by commas (default 10 to 100,000)")
    parser.add_argument("--requests", type=int, help="requests of each round (default 2,000)")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 9)")
    parser.add_argument("--seconds", type=float, help="most seconds of one contestant in one round (default 4)")
    parser.add_argument("--peers", type=_names(PEERS), help=f"by commas, or none (default all: {', '.join(PEERS)})")
    names = ", ".join(sections.SECTIONS)
    parser.add_argument("--sections", type=_names(sections.SECTIONS), help=f"by commas, or none (default: {names})")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds, to try it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="put the table between the marks of this file")
    options = parser.parse_args(arguments)
    sizes, requests, rounds, seconds = ((10, 1_000), 200, 3, 0.5) if options.quick else (_SIZES, 2_000, 9, 4.0)
    options.sizes = sizes if options.sizes is None else options.sizes
    options.requests = requests if options.requests is None else options.requests
    options.rounds = rounds if options.rounds is None else options.rounds
    options.seconds = seconds if options.seconds is None else options.seconds
    options.peers = tuple(PEERS) if options.peers is None else options.peers
    options.sections = tuple(sections.SECTIONS) if options.sections is None else options.sections
    return options


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(each.replace("_", "")) for each in text.split(","))


class _names:  # noqa: N801 - it is used as a function, and its name stands in the parser's messages
    """Reads names of a table, by commas."""

    def __init__(self, known: Mapping[str, object]) -> None:
        self._known = known

    def __call__(self, text: str) -> tuple[str, ...]:
        names = () if text in ("", "none") else tuple(text.split(","))
        unknown = [each for each in names if each not in self._known]
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; known: {', '.join(self._known)}")
        return names


if __name__ == "__main__":
    sys.exit(main())
