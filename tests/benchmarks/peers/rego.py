"""Rego on regorus, through opa-eval: one rule over a data map, and one rule per permission."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.contestant import Contestant
from tests.benchmarks.ours import table
from tests.benchmarks.workload import Answer, Permission, Workload

_MAP = """package bench

import rego.v1

permission := data.permissions[input.route][input.scope]

amounts := permission.tenants[input.tenant]

default outcome := "deny"

refused if not permission.role in input.roles

refused if {
	input.environment == "production"
	input.amount > permission.ceiling
}

refused if input.amount > amounts.limit

outcome := "deny" if refused

else := "require-approval" if input.amount > amounts.review

else := "allow" if permission
"""
_RULE = """
outcome := found if {{
	input.route == "{route}"
	input.scope == "{scope}"
	not refused({ceiling}, "{role}")
	amounts := {tenants}[input.tenant]
	input.amount <= amounts.limit
	found := answer(amounts.review)
}}
"""
_HEAD = """package bench

import rego.v1

default outcome := "deny"

refused(ceiling, _) if {
	input.environment == "production"
	input.amount > ceiling
}

refused(_, role) if not role in input.roles

answer(review) := "require-approval" if input.amount > review

else := "allow"
"""


def rego(work: Workload) -> Iterator[Contestant]:
    """Rego with the policy as data, indexed by hand, and with the policy as rules."""
    module = import_module("opa_eval")
    number = f"opa-eval {version('opa-eval')}"
    requests = [(json.dumps(ask.facts()),) for ask in work.asks]
    with tempfile.TemporaryDirectory() as folder:
        data = json.dumps({"permissions": table(work)})
        mapped = _engine(module, Path(folder) / "map.rego", _MAP, data)
        text = _HEAD + "".join(map(_rule, work.permissions))
        ruled = _engine(module, Path(folder) / "rules.rego", text, None)
    note = "one rule over a data map indexed by hand; the input as JSON text, made beforehand"
    yield Contestant("Rego on regorus, data map", mapped.evaluate_parsed, requests, Answer, number, note)
    note = "one rule per permission, its tenants a map; the input as JSON text, made beforehand"
    yield Contestant("Rego on regorus, rules", ruled.evaluate_parsed, requests, Answer, number, note)


def _engine(module: Any, path: Path, text: str, data: str | None) -> Any:
    path.write_text(text, encoding="utf-8")
    return module.OpaEval(str(path), data, "data.bench.outcome")


def _rule(each: Permission) -> str:
    tenants = json.dumps({name: {"limit": a.limit, "review": a.review} for name, a in each.tenants.items()})
    return _RULE.format(route=each.route, scope=each.scope, ceiling=each.ceiling, role=each.role, tenants=tenants)
