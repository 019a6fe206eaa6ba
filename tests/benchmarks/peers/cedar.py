"""Cedar, through cedarpy: policies and entities parsed once, as one set and sliced by the host.

Cedar answers permit or forbid. A rule that sends an action to a person is a `forbid` annotated as such: the answer
names the policies that determined it, so one query tells a refusal from a request for approval.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any

from tests.benchmarks.contestant import Contestant
from tests.benchmarks.workload import Answer, Ask, Permission, Workload


def cedar(work: Workload) -> Iterator[Contestant]:
    """Cedar over the whole set, and over the slice of the permission."""
    cedarpy = import_module("cedarpy")
    number = f"cedarpy {version('cedarpy')}"
    texts = {key: _policies(each) for key, each in work.by_key.items()}
    whole = cedarpy.PolicySet.from_str("\n".join(texts.values()))
    slices = {key: cedarpy.PolicySet.from_str(text) for key, text in texts.items()}
    nobody = cedarpy.Entities.from_json_str("[]")
    decide = cedarpy.is_authorized
    requests = [_request(ask) for ask in work.asks]
    sliced = [(each, slices[ask.key], nobody) for each, ask in zip(requests, work.asks, strict=True)]
    yield Contestant(
        "Cedar, sliced by the host",
        decide,
        sliced,
        _answer,
        number,
        "policies and entities parsed once, per permission",
    )
    whole_requests = [(each, whole, nobody) for each in requests]
    yield Contestant(
        "Cedar, one set", decide, whole_requests, _answer, number, "policies and entities parsed once, whole"
    )


def _policies(permission: Permission) -> str:
    head = f'principal, action == Action::"{permission.scope}", resource == Route::"{permission.route}"'
    role = f'context.roles.contains("{permission.role}")'
    ceiling = f'context.environment == "production" && context.amount > {permission.ceiling}'
    lines = [f"permit({head}) when {{ {role} }};", f'@id("deny") forbid({head}) when {{ {ceiling} }};']
    for tenant, amounts in permission.tenants.items():
        who = f'context.tenant == "{tenant}"'
        lines.append(f'@id("deny") forbid({head}) when {{ {who} && context.amount > {amounts.limit} }};')
        review = f"{who} && {role} && context.amount > {amounts.review}"
        lines.append(f'@id("require") forbid({head}) when {{ {review} }};')
    return "\n".join(lines)


def _request(ask: Ask) -> dict[str, Any]:
    facts = {"roles": [ask.role], "tenant": ask.tenant, "amount": ask.amount, "environment": ask.environment}
    return {
        "principal": {"type": "Person", "id": f"person-{ask.number % 97}"},
        "action": {"type": "Action", "id": ask.scope},
        "resource": {"type": "Route", "id": ask.route},
        "context": json.dumps(facts),
    }


def _answer(result: Any) -> Answer:
    if result.allowed:
        return Answer.ALLOW
    if result.diagnostics.errors:
        raise RuntimeError(f"Cedar: {result.diagnostics.errors}")
    determined = set(result.diagnostics.id_annotations_by_reason.values())
    return Answer.APPROVE if determined == {"require"} else Answer.DENY
