"""The reference vectors of ACC v1 through the public API: every one, parser profile too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policy import Context, Decision, Engine, Outcome

_VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "acc-v1-vectors.json").read_text(encoding="utf-8")
)["vectors"]

_POLICY = """
policy "vectors" { default approval "reviewer" }
route "agent" { allow order.*, refund.*, customer.* }
route "elsewhere" { allow other.* }
approval "reviewer" { need role "reviewer" }
"""
_PERSON = {"id": "rosa", "kind": "human", "person_id": "rosa", "roles": []}
_OUTCOMES = {
    "allow": Outcome.ALLOW,
    "approval_required": Outcome.REQUIRE_APPROVAL,
    "reject_invalid_arguments": Outcome.DENY,
}


def _vectors(*kinds: str) -> list[Any]:
    return [pytest.param(vector, id=vector["id"]) for vector in _VECTORS if vector["kind"] in kinds]


def _engine() -> Engine:
    return Engine.from_source(_POLICY)


def _capability(given: dict[str, Any]) -> dict[str, Any]:
    document = {"acc": given["declaration"], "input_schema": given.get("parameter_schema", {"type": "object"})}
    return {**document, "method": given["http_method"]} if "http_method" in given else document


def _context(given: dict[str, Any]) -> Context:
    route = "agent" if given.get("scope_allowed", True) else "elsewhere"
    members: dict[str, Any] = {"route": route, "now": "2026-11-30T10:00:00Z", "delegation": []}
    if given.get("trusted_subject", True):
        return Context.for_principal(_PERSON, **members)
    return Context.model_validate({**members, "requester": _PERSON, "operator": _PERSON})


def _decide(given: dict[str, Any]) -> Decision:
    scope = given["declaration"]["scope"]
    action = {"id": "a-1", "capability_id": scope, "input": given.get("args", {})}
    return _engine().decide(action, _capability(given), _context(given))


def _codes(decision: Decision) -> list[str]:
    return [reason.code for reason in decision.reasons if reason.effect == "deny"]


@pytest.mark.parametrize("vector", _vectors("declaration"))
def test_an_invalid_declaration_is_never_exposed_and_never_decided_on(vector: dict[str, Any]) -> None:
    given = vector["input"]
    action = {"id": "a-1", "capability_id": "order.read", "input": {}}
    decision = _engine().decide(action, _capability(given), _context(given))
    expected = vector["expected"]
    refusals = {"invalid_declaration": "capability.invalid", "unsupported_version": "capability.unsupported_version"}
    assert decision.allowed is expected["valid"]
    assert _codes(decision) == ([] if expected["valid"] else [refusals[expected["diagnostic"]]])


@pytest.mark.parametrize("vector", _vectors("exposure"))
def test_a_capability_is_exposed_where_the_vector_says(vector: dict[str, Any]) -> None:
    given = vector["input"]
    shown = _engine().exposes(_capability(given), _context(given)).outcome is not Outcome.DENY
    assert shown is vector["expected"]["exposed"]
    assert _decide(given).allowed is shown


@pytest.mark.parametrize("vector", _vectors("approval"))
def test_approval_is_asked_for_where_the_vector_says(vector: dict[str, Any]) -> None:
    decision = _decide(vector["input"])
    wanted = vector["expected"]["decision"]
    assert decision.outcome is _OUTCOMES[wanted]
    assert _codes(decision) == (["input.schema_violation"] if wanted == "reject_invalid_arguments" else [])


@pytest.mark.parametrize("vector", _vectors("risk-default"))
def test_risk_defaults_are_those_of_the_vector(vector: dict[str, Any]) -> None:
    risk = _decide(vector["input"]).risk
    assert (risk.declared, risk.effective) == (vector["expected"]["effective_risk"],) * 2


@pytest.mark.parametrize("vector", _vectors("audit-hint"))
def test_the_audit_hint_is_kept(vector: dict[str, Any]) -> None:
    assert _decide(vector["input"]).audit_sensitive is vector["expected"]["audit_sensitive"]


def test_every_vector_has_a_test() -> None:
    kinds = {"declaration", "exposure", "approval", "risk-default", "audit-hint"}
    assert len(_VECTORS) == 18
    assert {vector["kind"] for vector in _VECTORS} == kinds
