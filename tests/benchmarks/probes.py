"""Measures that need a process of their own: `python -m tests.benchmarks.probes NAME NUMBER...` prints JSON."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from policy import Action, Context, Engine
from policy.contracts.admission import admit
from tests.benchmarks.contestant import Contestant
from tests.benchmarks.ours import LIMITS, ours, write_policy
from tests.benchmarks.votes import quorum_request
from tests.benchmarks.workload import HEADER, capability, workload


def _memory() -> float:
    """The peak of this process so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def _resident() -> float:
    """What this process holds now, in MB; its peak where the system does not tell."""
    told = Path("/proc/self/statm")
    if not told.exists():
        return _memory()
    return int(told.read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6


def _engine(rules: int) -> Engine:
    with tempfile.TemporaryDirectory() as folder:
        return Engine.load(write_policy(workload(rules, 0), Path(folder) / "policy"), limits=LIMITS)


def load(rules: int) -> dict[str, float]:
    """Seconds of loading, and how much higher the peak of memory is after it."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_policy(workload(rules, 0), Path(folder) / "policy")
        Engine.from_source(f'{HEADER}route "route0" {{ allow service0.write }}\n')
        before, started = _memory(), time.perf_counter()
        Engine.load(path, limits=LIMITS)
        return {"seconds": time.perf_counter() - started, "memory_mb": _memory() - before}


def _ready(rules: int, requests: int) -> tuple[Engine, Contestant]:
    """An engine, and its requests as models, each decided once."""
    engine, work = _engine(rules), workload(rules, requests)
    models = next(iter(ours(engine, work, interpreter=False)))
    for request in models.requests:
        models.decide(*request)
    return engine, models


def throughput(rules: int, requests: int) -> dict[str, Any]:
    """Decisions in a second by `decide_many`, and by threads that share the engine."""
    engine, models = _ready(rules, requests)
    started = time.perf_counter()
    decided = sum(1 for decision in engine.decide_many(models.requests) if decision.reasons)
    many = decided / (time.perf_counter() - started)
    return {"many": many, "threads": {count: _threads(models, count) for count in (1, 2, 4)}}


def _threads(models: Contestant, count: int) -> float:
    begin = threading.Barrier(count + 1)

    def work() -> None:
        begin.wait()
        for request in models.requests:
            models.decide(*request)

    threads = [threading.Thread(target=work) for _ in range(count)]
    for each in threads:
        each.start()
    begin.wait()
    started = time.perf_counter()
    for each in threads:
        each.join()
    return count * len(models.requests) / (time.perf_counter() - started)


def worker(rules: int, requests: int) -> dict[str, float]:
    """Say that it is ready, wait for a line, and decide every request."""
    _, models = _ready(rules, requests)
    print("ready", flush=True)
    sys.stdin.readline()
    started = time.perf_counter()
    for request in models.requests:
        models.decide(*request)
    return {"decisions": len(models.requests), "seconds": time.perf_counter() - started}


def quorum(rounds: int, *votes: int) -> dict[int, list[float]]:
    """Milliseconds of decisions with so many votes, in interleaved rounds."""
    prepared = {count: quorum_request(count) for count in votes}
    taken: dict[int, list[float]] = {count: [] for count in votes}
    for _ in range(rounds):
        for count, (engine, request, expected) in prepared.items():
            started = time.perf_counter()
            decision = engine.decide(*request)
            reasons = decision.reasons
            taken[count].append((time.perf_counter() - started) * 1_000)
            if decision.outcome.value != expected or not reasons:
                raise RuntimeError(f"{count} votes: {decision.outcome.value} for {expected}")
    return taken


def catalog(count: int) -> dict[str, float]:
    """Seconds for the capabilities of a whole catalog, under a policy that has a rule about each of them."""
    clauses = "".join(f"  allow scope{number}.write when input.amount <= 500\n" for number in range(count))
    engine = Engine.from_source(f'{HEADER}route "route0" {{\n{clauses}}}\n', limits=LIMITS)
    before, started = _resident(), time.perf_counter()
    admissions = [admit(capability(f"scope{number}.write")).capability for number in range(count)]
    known = [each for each in admissions if each is not None]
    admit_seconds, started = time.perf_counter() - started, time.perf_counter()
    functions = [engine.specialise(each) for each in known]
    specialise_seconds = time.perf_counter() - started
    context = Context.model_validate(_CONTEXT)
    actions = [
        Action.model_validate({"id": "call", "capability_id": each.id, "input": {"order_id": "a", "amount": 1}})
        for each in known
    ]
    started = time.perf_counter()
    allowed = sum(function(action, context).allowed for function, action in zip(functions, actions, strict=True))
    first = time.perf_counter() - started
    if allowed != count:
        raise RuntimeError(f"{allowed} of {count} are allowed")
    return {"admit": admit_seconds, "specialise": specialise_seconds, "first": first, "memory_mb": _resident() - before}


_PERSON = {"id": "person", "kind": "human", "person_id": "person", "roles": []}
_CONTEXT = {
    "route": "route0",
    "now": "2026-11-30T10:00:00Z",
    "requester": _PERSON,
    "subject": _PERSON,
    "operator": {"id": "agent", "kind": "agent", "roles": []},
    "delegation": [],
    "used_votes": [],
    "attributes": {"environment": "production"},
}


def reload(rules: int) -> dict[str, float]:
    """Milliseconds of the decisions of one thread: alone for a second, then while another thread loads a policy."""
    _, models = _ready(100, 200)
    quiet = _decisions(models, lambda elapsed: elapsed < 1.0)
    with tempfile.TemporaryDirectory() as folder:
        path = write_policy(workload(rules, 0), Path(folder) / "policy")
        loading = threading.Thread(target=lambda: Engine.load(path, limits=LIMITS))
        loading.start()
        busy = _decisions(models, lambda elapsed: loading.is_alive())
        loading.join()
    return {"longest_ms": busy[-1], "p50_ms": busy[len(busy) // 2], "quiet_longest_ms": quiet[-1]}


def _decisions(models: Contestant, on: Callable[[float], bool]) -> list[float]:
    """The milliseconds of decisions made as long as asked to, at least one, in ascending order."""
    begun, taken = time.perf_counter(), []
    while True:
        for request in models.requests:
            started = time.perf_counter()
            models.decide(*request)
            taken.append((time.perf_counter() - started) * 1_000)
            if not on(time.perf_counter() - begun):
                return sorted(taken)


_PROBES: Mapping[str, Callable[..., Any]] = {
    "load": load,
    "throughput": throughput,
    "worker": worker,
    "quorum": quorum,
    "catalog": catalog,
    "reload": reload,
}

if __name__ == "__main__":
    print(json.dumps(_PROBES[sys.argv[1]](*map(int, sys.argv[2:]))))
