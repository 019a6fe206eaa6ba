"""CEL in Rust (common-expression-language) and in Python (cel-python), each behind an index of the host.

CEL has expressions and no policies: the host looks up the one expression of the route, scope and tenant, compiled
once, and that expression gives the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any

from tests.benchmarks.contestant import Contestant
from tests.benchmarks.workload import Amounts, Answer, Permission, Workload

_Key = tuple[str, str, str]


def cel_in_rust(work: Workload) -> Iterator[Contestant]:
    """CEL on the Rust interpreter: one compiled program per route, scope and tenant, looked up by the host."""
    compile_ = import_module("cel").compile
    programs = {key: compile_(text).execute for key, text in _texts(work)}
    requests = [((ask.route, ask.scope, ask.tenant), ask.facts()) for ask in work.asks]
    note = "one program per route, scope and tenant, looked up by the host"
    number = f"common-expression-language {version('common-expression-language')}"
    yield Contestant("CEL in Rust, host index", _looked_up(programs), requests, Answer, number, note)


def cel_in_python(work: Workload) -> Iterator[Contestant]:
    """CEL in Python: the same, with the input converted beforehand. Its transpiling runner refuses conditionals."""
    celpy = import_module("celpy")
    environment = celpy.Environment()
    programs = {key: environment.program(environment.compile(text)).evaluate for key, text in _texts(work)}
    requests = [((ask.route, ask.scope, ask.tenant), celpy.json_to_cel(ask.facts())) for ask in work.asks]
    note = "one program per route, scope and tenant, looked up by the host; the input converted beforehand"
    number = f"cel-python {version('cel-python')}"
    yield Contestant("CEL in Python, host index", _looked_up(programs), requests, Answer, number, note)


def _looked_up(programs: dict[_Key, Callable[[Any], Any]]) -> Callable[[_Key, Any], Any]:
    def decide(key: _Key, facts: Any) -> Any:
        return programs[key](facts)

    return decide


def _texts(work: Workload) -> Iterator[tuple[_Key, str]]:
    for each in work.permissions:
        for tenant, amounts in each.tenants.items():
            yield (each.route, each.scope, tenant), _text(each, amounts)


def _text(each: Permission, amounts: Amounts) -> str:
    refused = (
        f'!("{each.role}" in roles) || (environment == "production" && amount > {each.ceiling})'
        f" || amount > {amounts.limit}"
    )
    return f'({refused}) ? "deny" : (amount > {amounts.review} ? "require-approval" : "allow")'
