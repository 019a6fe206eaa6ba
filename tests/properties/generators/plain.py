"""Requests that nobody voted on and policies of several layers with many rules: what most decisions are about."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from policy import Action, Context
from tests.properties.generators.capabilities import capabilities
from tests.properties.generators.expressions import prohibiting
from tests.properties.generators.policies import statements
from tests.properties.generators.requests import actions, contexts

_ENOUGH = 8
"""Rules that share a path are arranged by it from so many on."""
_EQUALITIES = (
    'subject.id == "ana"',
    'subject.id == "ben"',
    'subject.id in ["cai", "dee", "bot-1"]',
    '"ana" == subject.id',
    'session == "s-1"',
    'session == "s-2"',
    'context.env == "prod"',
    'context.env == "test"',
    'context.incident == "inc-1"',
    'context.incident in ["inc-1", "inc-2"]',
    'subject.attributes.department == "red"',
    'operator.id == "bot-1"',
    'tenant.id == "t-1"',
    'credential.issuer == "iss-1"',
)
_DOES = ("deny", "require", "raise", "separation", "obligation")
_BODIES = {
    "deny": "",
    "require": 'approval "duty"',
    "raise": "to high",
    "separation": "approver differs from requester",
    "obligation": "redact input.name",
}
_FULL: dict[str, Any] = {
    "amount": 10,
    "currency": "EUR",
    "name": "x",
    "flag": True,
    "path": "/srv/data/a",
    "url": "https://a.example/x",
    "mail": "ana@a.example",
    "at": "2026-11-30T11:00:00Z",
    "id": "k-1",
    "lines": [{"amount": 1, "tag": "x"}],
}
_VARIED = {"amount", "currency", "flag", "id", "lines"}
_CREDENTIAL = {"id": "c-1", "scopes": ["pay"], "tenant_id": "t-1", "expires_at": "2026-12-31T00:00:00Z"}
_CONTRACT: dict[str, Any] = {
    "idempotency": {"requirement": "optional", "collision_behavior": "reject_conflict", "key_scope": "tenant"},
    "execution": {
        "supports_sync": True,
        "supports_async": True,
        "supports_streaming": False,
        "supports_cancel": False,
        "supports_retry": False,
        "expected_completion": "sync",
        "retry_safety": "unknown",
    },
    "data": {"sensitivity": "internal", "contains_pii": False, "redaction_required": False},
}
_STATED = {"address": "10.1.2.3", "wait": "1h", "change": {"author": "dee", "contributors": []}}
_ROSTER: dict[str, Any] = {
    "roles": ["clerk"],
    "groups": ["treasury"],
    "attributes": {"department": "red", "limit": 100},
}


@cache
@st.composite
def equal_rules(draw: st.DrawFn) -> list[str]:
    """Many rules of one kind whose conditions are conjunctions with an equality: they are arranged by it."""
    kind = draw(st.sampled_from(_DOES))
    found = []
    for number in range(draw(st.integers(_ENOUGH, 2 * _ENOUGH))):
        parts = draw(st.lists(st.sampled_from(_EQUALITIES), min_size=1, max_size=2, unique=True))
        if draw(st.integers(0, 3)) == 0:
            parts.append(f"({draw(prohibiting())})")
        found.append(f'{kind} "many-{number}" {{ when {" and ".join(parts)} {_BODIES[kind]} }}')
    return found


@cache
@st.composite
def layers(draw: st.DrawFn) -> list[str]:
    """The texts of one to three layers. Inner ones define the same names otherwise, and may not know a route."""
    texts = []
    for number in range(draw(st.sampled_from([1, 1, 2, 3]))):
        found = draw(statements(claims=number == 0 and draw(st.booleans())))
        if draw(st.integers(0, 2)) == 0:
            found = [*found, *draw(equal_rules())]
        text = "\n".join(found)
        if number:
            text = text.replace("define large = input.amount > 100", f"define large = input.amount > {10 * number}")
            text = text.replace('define in_prod = context.env == "prod"', 'define in_prod = context.env == "test"')
        if number and draw(st.booleans()):
            text = "\n".join(line for line in text.split("\n") if not line.startswith('route "office"'))
        texts.append(text)
    return texts


@cache
@st.composite
def plain_requests(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """An action, a capability and a context without votes, hops and claims; usually everything is stated."""
    capability = draw(capabilities())
    action, context = draw(actions(capability["id"])), draw(contexts())
    for name in ("compliance", "identity", "approval", "transaction"):
        action.pop(name, None)
    for name in ("authorities", "history"):
        context.pop(name, None)
    if draw(st.integers(0, 5)):
        action["input"] = {**action["input"], **{name: _FULL[name] for name in _FULL.keys() - _VARIED}}
        action["input"] = {**_FULL, **action["input"]}
        action.setdefault("idempotency_key", "k")
        whole = {"used_votes": [], "delegation": [], "session": "s-1", "region": "eu", "tenant": {"id": "t-1"}}
        ana = {"id": "ana", "kind": "human", "person_id": "ana"}
        context = {"route": "desk", **whole, "operator": {"id": "bot-1", "kind": "agent"}, **context}
        context["credential"] = {**_CREDENTIAL, "issuer": context.get("credential", {}).get("issuer", "iss-1")}
        context["attributes"] = {**_STATED, **context["attributes"]}
        for name in ("requester", "operator", "subject"):
            party = {**_ROSTER, **context.get(name, ana)}
            context[name] = {**party, "person_id": party.get("person_id", party["id"])}
        if draw(st.integers(0, 3)):
            capability = _known(capability)
    return action, capability, context


def _known(capability: dict[str, Any]) -> dict[str, Any]:
    """The capability with everything declared that conditions read, enabled, and without an approval of its own."""
    contract = {**_CONTRACT, "side_effects": capability.get("contract", {}).get("side_effects") or ["write"]}
    made = {**capability, "contract": contract}
    if "acc" in made:
        made["acc"] = {"version": 1, "enabled": True, "scope": made["acc"]["scope"]}
    return made


def as_models(action: Any, context: Any) -> tuple[Any, Any]:
    """The same as models that nobody validated, where plain data is no such model."""
    made: list[Any] = []
    for model, data in ((Action, action), (Context, context)):
        try:
            made.append(model.model_validate(data))
        except ValueError:
            members = data if isinstance(data, dict) else {}
            made.append(model.model_construct(**members))
    return made[0], made[1]
