"""casbin and vakt, which look through a list of rules.

Both answer yes or no. Where one query cannot tell a refusal from a request for approval, two are asked: may it run at
all, and may it run unattended; the second only where the first is answered yes.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.contestant import Contestant
from tests.benchmarks.workload import ROLES, Answer, Ask, Workload

_COLUMNS = """[request_definition]
r = route, scope, act, tenant, role, amount, environment
[policy_definition]
p = route, scope, act, tenant, role, over, environment, eft, says
[policy_effect]
e = {effect}
[matchers]
m = r.route == p.route && r.scope == p.scope && {act}(p.tenant == "*" || r.tenant == p.tenant) && \
(p.role == "*" || r.role == p.role) && (p.environment == "*" || r.environment == p.environment) && \
r.amount > number(p.over)
"""
_EVAL = """[request_definition]
r = route, scope, tenant, role, amount, environment
[policy_definition]
p = route, scope, condition, eft, says
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = r.route == p.route && r.scope == p.scope && eval(p.condition)
"""
_PRIORITY = "priority(p.eft) || deny"
_DENY_WINS = "some(where (p.eft == allow)) && !some(where (p.eft == deny))"


def casbin(work: Workload) -> Iterator[Contestant]:
    """casbin by columns, by columns behind the cache of FastEnforcer, and with a condition in each rule."""
    library = import_module("casbin")
    logging.getLogger("casbin").setLevel(logging.ERROR)
    number = f"casbin {version('casbin')}"
    fast = _enforcer(library.FastEnforcer, _COLUMNS.format(effect=_DENY_WINS, act=_ACT), cache_key_order=[0, 1])
    fast.add_policies([*_by_columns(work, "run"), *_by_columns(work, "unattended")])
    requests = [
        tuple((ask.route, ask.scope, act, ask.tenant, ask.role, ask.amount, ask.environment) for act in _ACTS)
        for ask in work.asks
    ]
    note = "rules by route and scope in its cache; two queries"
    yield Contestant("casbin FastEnforcer", _two_queries(fast.enforce), requests, Answer, number, note)
    columns = _enforcer(library.Enforcer, _COLUMNS.format(effect=_PRIORITY, act=""))
    columns.add_policies(_by_columns(work, None))
    one = [each[:1][0] for each in requests]
    note = "thresholds in columns, the first rule that fits; one query"
    yield Contestant("casbin Enforcer", columns.enforce_ex, one, _said, number, note)
    conditions = _enforcer(library.Enforcer, _EVAL)
    conditions.add_policies(list(_by_condition(work)))
    asked = [(a.route, a.scope, a.tenant, a.role, a.amount, a.environment) for a in work.asks]
    note = "a condition in each rule, the first rule that fits; one query"
    yield Contestant("casbin Enforcer, eval", conditions.enforce_ex, asked, _said, number, note)


_ACT = "r.act == p.act && "
_ACTS = ("run", "unattended")


def _enforcer(kind: type[Any], text: str, **options: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.conf"
        path.write_text(text, encoding="utf-8")
        enforcer = kind(str(path), **options)
    enforcer.add_function("number", float)
    return enforcer


def _by_columns(work: Workload, act: str | None) -> list[list[str]]:
    """Rules of columns: of one query where `act` is None (the first that fits decides), else of one of two."""
    rules: list[list[str]] = []
    for each in work.permissions:
        place = [each.route, each.scope, act or "run"]
        rules.append([*place, "*", "*", str(each.ceiling), "production", "deny", "deny"])
        for tenant, amounts in each.tenants.items():
            rules.append([*place, tenant, "*", str(amounts.limit), "*", "deny", "deny"])
        if act != "run":
            for tenant, amounts in each.tenants.items():
                rules.append([*place, tenant, each.role, str(amounts.review), "*", "deny", "require-approval"])
        rules.append([*place, "*", each.role, "0", "*", "allow", "allow"])
    return rules


def _by_condition(work: Workload) -> Iterator[list[str]]:
    for each in work.permissions:
        place = [each.route, each.scope]
        yield [*place, f"r.environment == 'production' && r.amount > {each.ceiling}", "deny", "deny"]
        for tenant, amounts in each.tenants.items():
            yield [*place, f"r.tenant == '{tenant}' && r.amount > {amounts.limit}", "deny", "deny"]
            review = f"r.tenant == '{tenant}' && r.role == '{each.role}' && r.amount > {amounts.review}"
            yield [*place, review, "deny", "require-approval"]
        yield [*place, f"r.role == '{each.role}'", "allow", "allow"]


def _said(result: tuple[bool, list[str]]) -> Answer:
    """The answer of the rule that decided; refused where none fits."""
    return Answer(result[1][-1]) if result[1] else Answer.DENY


def _two_queries(enforce: Callable[..., bool]) -> Callable[[Any, Any], str]:
    def decide(run: tuple[Any, ...], unattended: tuple[Any, ...]) -> str:
        if not enforce(*run):
            return "deny"
        return "allow" if enforce(*unattended) else "require-approval"

    return decide


def vakt(work: Workload) -> Iterator[Contestant]:
    """vakt with its exact checker over policies in memory."""
    library, rules = import_module("vakt"), import_module("vakt.rules")
    logging.getLogger("vakt").setLevel(logging.ERROR)
    storage = library.MemoryStorage()
    for number, policy in enumerate(_vakt_policies(library, rules, work)):
        policy.uid = str(number)
        storage.add(policy)
    guard = library.Guard(storage, library.StringExactChecker())
    requests = [tuple(_inquiry(library, ask, act) for act in _ACTS) for ask in work.asks]
    note = "exact checker, policies in memory, inquiries made beforehand; two queries"

    def decide(run: Any, unattended: Any) -> str:
        if not guard.is_allowed_check(run):
            return "deny"
        return "allow" if guard.is_allowed_check(unattended) else "require-approval"

    yield Contestant("vakt", decide, requests, Answer, f"vakt {version('vakt')}", note)


def _inquiry(library: Any, ask: Ask, act: str) -> Any:
    facts = {"tenant": ask.tenant, "amount": ask.amount, "environment": ask.environment}
    return library.Inquiry(subject=ask.role, resource=ask.scope, action=f"{ask.route}:{act}", context=facts)


def _vakt_policies(library: Any, rules: Any, work: Workload) -> Iterator[Any]:
    equal, above = rules.Eq, rules.Greater
    allow, deny = library.ALLOW_ACCESS, library.DENY_ACCESS
    for each in work.permissions:
        anyhow, unattended = [[f"{each.route}:{act}" for act in acts] for acts in (_ACTS, _ACTS[1:])]
        policy = partial(library.Policy, None, resources=[each.scope])
        yield policy(effect=allow, subjects=[each.role], actions=anyhow)
        production = {"environment": equal("production"), "amount": above(each.ceiling)}
        yield policy(effect=deny, subjects=ROLES, actions=anyhow, context=production)
        for tenant, amounts in each.tenants.items():
            limit = {"tenant": equal(tenant), "amount": above(amounts.limit)}
            yield policy(effect=deny, subjects=ROLES, actions=anyhow, context=limit)
            review = {"tenant": equal(tenant), "amount": above(amounts.review)}
            yield policy(effect=deny, subjects=[each.role], actions=unattended, context=review)
