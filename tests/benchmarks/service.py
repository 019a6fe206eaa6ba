"""The decision service under load on loopback, with a reload every second: `python -m tests.benchmarks.service`.

A closed loop of keep-alive connections asks `/v1/decide` for allows and denials alike, while the policy file changes
every second. Every answer is judged: the decision must be the right one, by a policy that was offered. Prints JSON and
a row of Markdown; the exit code is 1 where an answer was wrong or missing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from policy.contracts.catalog import load_catalog
from policy.engine import Engine
from tests.server.process import project, served
from tests.server.world import CONTEXT, POLICY, action, directory

_CASES: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("order.read", {}, True),
    ("refund.create", {"amount": 50}, True),
    ("refund.create", {"amount": 501}, False),
    ("order.wipe", {}, False),
)
_RELOAD_SECONDS = 1.0
_WARM_UP_SECONDS = 2.0


@dataclass
class Result:
    """What the connections saw."""

    latencies: list[int] = field(default_factory=list)
    """Nanoseconds from the first byte sent to the last one received."""
    wrong: int = 0
    failed: int = 0
    hashes: Counter[str] = field(default_factory=Counter)
    """Policy hash to the number of answers by it."""


def _variant(number: int) -> str:
    """The policy with another threshold, which no request of the benchmark meets."""
    return POLICY.replace("input.amount > 100", f"input.amount > {100 + number % 50}")


def _request(host: str, case: int, number: int) -> bytes:
    capability, arguments, _ = _CASES[case]
    body = json.dumps({"action": action(capability, f"load-{number}", **arguments), "context": CONTEXT}).encode()
    head = f"POST /v1/decide HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return int(head[9:12]), await reader.readexactly(length)


async def _connection(address: str, until: float, result: Result, known: set[str], seed: int) -> None:
    url = urlsplit(address)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    number = seed * 10_000_000
    while time.monotonic() < until:
        number += 1
        case = number % len(_CASES)
        begun = time.perf_counter_ns()
        try:
            writer.write(_request(url.netloc, case, number))
            status, body = await _answer(reader)
        except (OSError, asyncio.IncompleteReadError):
            result.failed += 1
            reader, writer = await asyncio.open_connection(url.hostname, url.port)
            continue
        result.latencies.append(time.perf_counter_ns() - begun)
        if status != 200:
            result.failed += 1
            continue
        answer = json.loads(body)
        digest = answer["decision"]["policy_hash"]
        result.hashes[digest] += 1
        if answer["allowed"] is not _CASES[case][2] or digest not in known:
            result.wrong += 1
    writer.close()
    await writer.wait_closed()


async def _changes(file: Path, catalog: Any, until: float, known: set[str], offered: list[str]) -> None:
    number = 0
    while time.monotonic() < until:
        number += 1
        text = _variant(number)
        digest = Engine.from_source(text, catalog=catalog).policy_hash
        known.add(digest)
        offered.append(digest)
        # Renamed into place, so that no half of it is ever read.
        beside = file.with_suffix(".new")
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
        await asyncio.sleep(_RELOAD_SECONDS)


async def _load(
    address: str, folder: Path, seconds: float, connections: int
) -> tuple[Result, Result, list[str], float]:
    catalog = load_catalog(folder / "capabilities.json")
    known = {Engine.from_source(POLICY, catalog=catalog).policy_hash}
    offered: list[str] = []
    warm = Result()
    until = time.monotonic() + _WARM_UP_SECONDS
    await asyncio.gather(*(_connection(address, until, warm, known, seed) for seed in range(connections)))
    result = Result()
    begun = time.monotonic()
    until = begun + seconds
    await asyncio.gather(
        _changes(folder / "desk.policy", catalog, until, known, offered),
        *(_connection(address, until, result, known, 100 + seed) for seed in range(connections)),
    )
    return warm, result, offered, time.monotonic() - begun


def _processor_seconds(process: int) -> float:
    """What a process has used of the processors; 0 where the system does not tell."""
    try:
        parts = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _engine(folder: Path) -> float:
    """The median microseconds of the engine for the same requests, in this process, with a directory as there."""
    catalog = load_catalog(folder / "capabilities.json")
    engine = Engine.from_source(POLICY, catalog=catalog, resolver=directory())
    context = {**CONTEXT, "now": "2026-11-30T10:00:00Z"}
    times: list[int] = []
    for number in range(4000):
        capability, arguments, allowed = _CASES[number % len(_CASES)]
        call = action(capability, f"own-{number}", **arguments)
        begun = time.perf_counter_ns()
        decision = engine.decide(call, catalog.capabilities[capability], context)
        times.append(time.perf_counter_ns() - begun)
        assert decision.allowed is allowed
    return statistics.median(times) / 1000


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.service", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long the load lasts")
    parser.add_argument("--connections", type=int, default=4, help="connections that ask at once")
    parser.add_argument("--approvals", action="store_true", help="with a store of approvals in a file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [*project(folder, POLICY), "--reload", "0.25"]
        if given.approvals:
            arguments += ["--approvals", str(folder / "approvals.sqlite")]
        engine = _engine(folder)
        with served(*arguments) as service:
            address = service.address()
            before = _processor_seconds(service.process.pid)
            warm, result, offered, elapsed = asyncio.run(_load(address, folder, given.seconds, given.connections))
            used = _processor_seconds(service.process.pid) - before
    cuts = statistics.quantiles(result.latencies, n=100)
    found = {
        "connections": given.connections,
        "seconds": round(elapsed, 1),
        "store": "sqlite" if given.approvals else "none",
        "requests": len(result.latencies),
        "requests_per_second": round(len(result.latencies) / elapsed),
        "p50_ms": round(cuts[49] / 1e6, 2),
        "p99_ms": round(cuts[98] / 1e6, 2),
        "processor_ms_per_request": round(1000 * used / (len(warm.latencies) + len(result.latencies)), 2),
        "engine_p50_ms": round(engine / 1000, 3),
        "policies_offered": len(offered),
        "policies_seen": len(result.hashes),
        "wrong": warm.wrong + result.wrong,
        "failed": warm.failed + result.failed,
    }
    print(json.dumps(found))
    print("| " + " | ".join(found) + " |")
    print("|" + " --- |" * len(found))
    print("| " + " | ".join(str(part) for part in found.values()) + " |")
    return 1 if found["wrong"] or found["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
