"""What else is measured: loading, many decisions, quorums, catalogs, imports, start-up, reloading.

What must not be warmed by this process runs in one of its own, by `probes`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import quartiles

Row = dict[str, Any]
Section = Callable[[bool], list[Row]]
"""Measures, quickly where asked to, and gives rows: name, value, unit, and quartiles and a note where there are."""

_ROOT = Path(__file__).resolve().parents[2]
_LIBRARIES = ("pydantic", "jsonschema_rs", "jsonschema", "referencing", "lark", "ruamel.yaml", "cachetools", "rich")


def row(name: str, values: Sequence[float], unit: str, note: str = "") -> Row:
    """The median and the quartiles of what was measured."""
    first, middle, third = quartiles(values)
    spread = None if len(values) < 2 else [round(first, 3), round(third, 3)]
    return {"name": name, "value": round(middle, 3), "unit": unit, "quartiles": spread, "note": note}


def loading(quick: bool) -> list[Row]:
    """Time and memory of loading a policy of so many rules, each in a process of its own."""
    rows = []
    for rules in (100, 1_000) if quick else (10, 100, 1_000, 10_000, 100_000):
        runs = [_probe("load", rules) for _ in range(1 if quick or rules > 10_000 else 3)]
        note = "a process of its own; more than importing the engine takes"
        rows.append(row(f"load {rules:,} rules", [each["seconds"] for each in runs], "s"))
        rows.append(row(f"peak memory of {rules:,} rules", [each["memory_mb"] for each in runs], "MB", note))
    return rows


def throughput(quick: bool) -> list[Row]:
    """Decisions in a second: `decide_many`, threads that share an engine, processes."""
    rules, rounds = (100, 2) if quick else (1_000, 5)
    runs = [_probe("throughput", rules, 200 if quick else 2_000) for _ in range(rounds)]
    rows = [
        row("`decide_many`, models", [each["many"] for each in runs], "/s", f"{rules:,} rules, one thread"),
        *(
            row(f"{count} threads on one engine", [each["threads"][count] for each in runs], "/s", "together")
            for count in runs[0]["threads"]
        ),
    ]
    for count in (1, 2):
        values = [_processes(count, rules, 200 if quick else 2_000) for _ in range(rounds)]
        rows.append(row(f"{count} process{'es' * (count > 1)}", values, "/s", "together"))
    return rows


def quorum(quick: bool) -> list[Row]:
    """A decision that counts so many votes over an approval of fifty leaves."""
    rounds = 5 if quick else 25
    found = _probe("quorum", rounds, *((10, 100) if quick else (10, 100, 2_000)))
    note = "an approval of 50 leaves; models; all reasons"
    return [row(f"decide with {int(votes):,} votes", values, "ms", note) for votes, values in found.items()]


def catalog(quick: bool) -> list[Row]:
    """Making the decision functions of a whole catalog, and the first decision of each."""
    count = 500 if quick else 10_000
    runs = [_probe("catalog", count) for _ in range(1 if quick else 3)]
    return [
        row(f"admit {count:,} capabilities", [each["admit"] for each in runs], "s"),
        row(f"specialise {count:,} capabilities", [each["specialise"] for each in runs], "s"),
        row(f"first decision of {count:,} capabilities", [each["first"] for each in runs], "s", "one route each"),
        row("memory of these", [each["memory_mb"] for each in runs], "MB"),
    ]


def imports(quick: bool) -> list[Row]:
    """Importing the package, the engine, and each library by itself."""
    rounds = 3 if quick else 11
    statements = {
        "`import policy`": "import policy",
        "`from policy import Engine`": "from policy import Engine",
        **{f"`import {name}` alone": f"import {name}" for name in _LIBRARIES},
    }
    code = "import time\nstarted = time.perf_counter()\n{}\nprint(time.perf_counter() - started)"
    values: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(rounds):
        for name, statement in statements.items():
            values[name].append(float(_python("-c", code.format(statement))) * 1_000)
    return [row(name, each, "ms") for name, each in values.items()]


def startup(quick: bool) -> list[Row]:
    """`policy decide` from the start of the process to its end, and an empty Python beside it."""
    rounds = 3 if quick else 11
    pack = _ROOT / "rules" / "quickstart"
    request = ("--policy", str(pack), "--request", str(pack / "request.json"))
    run = "import sys; from policy.cli import main; sys.exit(main())"
    commands = {
        "`policy decide`, end to end": ("-c", run, "decide", *request),
        "`policy decide`, no byte code kept": ("-c", run, "decide", *request),
        "`python -c pass`": ("-c", "pass"),
    }
    values: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, arguments in commands.items():
            with tempfile.TemporaryDirectory() as folder:
                fresh = {"PYTHONPYCACHEPREFIX": folder} if "no byte code" in name else {}
                started = time.perf_counter()
                _python(*arguments, **fresh)
                values[name].append((time.perf_counter() - started) * 1_000)
    return [row(name, each, "ms", "the quickstart pack" if "decide" in name else "") for name, each in values.items()]


def reloading(quick: bool) -> list[Row]:
    """The longest and the median decision of a thread while another loads a policy."""
    rules = 100 if quick else 10_000
    runs = [_probe("reload", rules) for _ in range(1 if quick else 3)]
    note = f"while another thread loads {rules:,} rules; the interpreter switches threads every 5 ms"
    return [
        row("longest decision in a reload", [each["longest_ms"] for each in runs], "ms", note),
        row("decision in a reload, p50", [each["p50_ms"] for each in runs], "ms", note),
        row("longest decision without", [each["quiet_longest_ms"] for each in runs], "ms"),
    ]


SECTIONS: Mapping[str, Section] = {
    "loading": loading,
    "throughput": throughput,
    "quorum": quorum,
    "catalog": catalog,
    "imports": imports,
    "startup": startup,
    "reloading": reloading,
}
"""The sections by name, in the order they are run."""


def _probe(name: str, *arguments: int) -> Any:
    return json.loads(_python("-m", "tests.benchmarks.probes", name, *map(str, arguments)))


def _python(*arguments: str, **environment: str) -> str:
    """What a Python of its own prints. Raises CalledProcessError where it fails."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=_ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return done.stdout


def _processes(count: int, rules: int, requests: int) -> float:
    """Decisions in a second of so many processes that begin together, each with an engine of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.probes", "worker", str(rules), str(requests)]
    running = [
        subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for each in running:
        if each.stdout is None or each.stdout.readline() != "ready\n":
            raise RuntimeError("a worker did not get ready")
    for each in running:
        if each.stdin is not None:
            each.stdin.write("go\n")
            each.stdin.flush()
    done = [json.loads(each.communicate()[0]) for each in running]
    return float(sum(each["decisions"] for each in done) / max(each["seconds"] for each in done))
