"""`policy test` and its `--mutate` on 300 rules with 1,000 cases: `python -m tests.benchmarks.fixtures`.

Both are run on two cores. Prints what they took, and exits 1 where a case fails, where `policy test` takes five
seconds or more, or where mutation takes two minutes or more.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.machine import machine
from tests.benchmarks.workload import ROLES, Permission, Workload, capability, policy_texts, workload

_ROOT = Path(__file__).resolve().parents[2]
_RULES, _CASES = 300, 1_000
_TEST_SECONDS, _MUTATE_SECONDS = 5.0, 120.0


def write_project(folder: Path, rules: int = _RULES, cases: int = _CASES) -> int:
    """Write a policy, its catalog and its fixtures; how many cases there are.

    The cases stand on both sides of every threshold first; then come amounts in between, up to the number asked for.
    """
    work = workload(rules, 0)
    for number, text in enumerate(policy_texts(work)):
        (folder / f"part{number}.policy").write_text(text, encoding="utf-8")
    catalog = [capability(scope) for scope in work.scopes]
    (folder / "catalog.json").write_text(json.dumps(catalog, indent=1), encoding="utf-8")
    lines = list(_cases(work))
    if len(lines) < cases:
        lines.extend(_more(work, cases - len(lines)))
    lines = lines[:cases]
    (folder / "all.fixtures.yaml").write_text(_HEAD + "".join(lines), encoding="utf-8")
    return len(lines)


_HEAD = """policy: .
capabilities: catalog.json
now: 2026-11-30T10:00:00Z
context:
  requester: {id: rosa, kind: human, roles: []}
  operator: {id: agent-7, kind: agent, roles: []}
  session: session-1
cases:
"""


def _case(each: Permission, tenant: str, role: str, amount: int, environment: str, expect: str) -> str:
    name = f"{each.route} {each.scope} {tenant} {role} {amount} {environment}"
    subject = f"{{id: rosa, kind: human, roles: [{role}]}}"
    context = f"{{route: {each.route}, tenant: {{id: {tenant}}}, subject: {subject}, environment: {environment}}}"
    given = f"{{order_id: A-1, amount: {amount}}}"
    return (
        f'  - {{name: "{name}", capability: "cap:{each.scope}", input: {given},\n'
        f"     context: {context}, expect: {expect}}}\n"
    )


def _cases(work: Workload) -> Iterator[str]:
    for each in work.permissions:
        other = next(role for role in ROLES if role != each.role)
        yield _case(each, "tenant0", other, 1, "production", "deny")
        nobody = "tenant99"
        yield _case(each, nobody, each.role, each.ceiling, "production", "allow")
        yield _case(each, nobody, each.role, each.ceiling + 1, "production", "deny")
        yield _case(each, nobody, each.role, each.ceiling + 1, "staging", "allow")
        for tenant, amounts in each.tenants.items():
            yield _case(each, tenant, each.role, amounts.review, "production", "allow")
            yield _case(each, tenant, each.role, amounts.review + 1, "production", "require-approval")
            yield _case(each, tenant, each.role, amounts.limit, "staging", "require-approval")
            yield _case(each, tenant, each.role, amounts.limit + 1, "staging", "deny")


def _more(work: Workload, count: int) -> Iterator[str]:
    for number in range(count):
        each = work.permissions[number % len(work.permissions)]
        tenant = f"tenant{number // len(work.permissions) % len(each.tenants)}"
        amount = 1 + number % each.tenants[tenant].review
        yield _case(each, tenant, each.role, amount, "production", "allow")


def run(folder: Path, *options: str) -> tuple[float, int, str]:
    """Run `policy test` in a process of its own: seconds, exit code, and what was found in one line."""
    command = [sys.executable, "-c", "import sys; from policy.cli import main; sys.exit(main())", "test", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    started = time.perf_counter()
    done = subprocess.run(
        [*command, *options], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    lines = done.stdout.strip().splitlines()
    seconds, told = time.perf_counter() - started, [line for line in lines if line.startswith("mutation ")]
    return seconds, done.returncode, "; ".join([*told, *lines[-1:]])


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the project, run both, and say how long they took."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fixtures", description=__doc__)
    parser.add_argument("--rules", type=int, default=_RULES)
    parser.add_argument("--cases", type=int, default=_CASES)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of `policy test`; the median counts (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    options = parser.parse_args(arguments)
    jobs = ("--jobs", str(options.jobs))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = write_project(folder, options.rules, options.cases)
        print(f"{options.rules:,} rules, {cases:,} cases, {options.jobs} processes")
        tests = sorted(run(folder, *jobs) for _ in range(options.rounds))
        seconds, code, line = tests[len(tests) // 2]
        print(f"`policy test`: {seconds:.2f} s ({tests[0][0]:.2f}–{tests[-1][0]:.2f}), exit {code}: {line}", flush=True)
        mutation, mutation_code, mutation_line = run(folder, "--mutate", *jobs)
        print(f"`policy test --mutate`: {mutation:.1f} s, exit {mutation_code}: {mutation_line}")
    if options.json is not None:
        found = {
            "machine": machine(),
            "rules": options.rules,
            "cases": cases,
            "jobs": options.jobs,
            "test_s": [round(each[0], 3) for each in tests],
            "mutate_s": round(mutation, 2),
            "mutate": mutation_line,
        }
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    passed = all(each[1] == 0 for each in tests) and mutation_code == 0
    return 0 if passed and seconds < _TEST_SECONDS and mutation < _MUTATE_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
