"""Every code of the contract guards: one call that it denies and one that it lets through (language.md section 8)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.decide_world import EXECUTION, NOW, OPEN, acc, aip, codes, context, contract, decide

Json = dict[str, Any]

KEYED = contract(
    idempotency={"requirement": "required", "collision_behavior": "reject_conflict", "key_scope": "tenant"}
)
PLANNED = contract(
    transaction={
        "supported_modes": ["execute", "dry_run", "commit"],
        "requires_plan_before_commit": True,
        "dry_run_fidelity": "schema_only",
    }
)


def compensable(**members: Any) -> Json:
    return contract(
        transaction={
            "supported_modes": ["execute", "compensate"],
            "requires_plan_before_commit": False,
            "dry_run_fidelity": "schema_only",
        },
        compensation={"mode": "best_effort", "requires_approval": False, **members},
    )


def credentials(**members: Any) -> Json:
    return contract(credentials={"required": True, "allow_oauth_refresh": True, **members})


def residency(**members: Any) -> Json:
    data = {"sensitivity": "internal", "contains_pii": False, "redaction_required": False, "residency": members}
    return contract(data=data)


def hop(start: str, end: str, scope: str = "refund.**") -> Json:
    return {"from": {"id": start, "kind": "human"}, "to": {"id": end, "kind": "agent"}, "scope": scope}


def credential(**members: Any) -> Json:
    return context(credential={"tenant_id": "acme", **members})


COMPENSATE = {"transaction": {"mode": "compensate", "compensation_for": "a-0"}}
REGIONS = residency(allowed_regions=["eu-central"], prohibited_regions=["us-east"])
CHAIN = [hop(f"p{number}", f"p{number + 1}") for number in range(9)]

TABLE: list[tuple[str, Json | None, Json, Json, Json, Json]] = [
    # code, contract, denied: action and context, allowed: action and context
    ("idempotency.required", KEYED, {}, context(), {"idempotency_key": "k"}, context()),
    ("idempotency.required", KEYED, {"idempotency_key": ""}, context(), {"idempotency_key": "k"}, context()),
    ("idempotency.required", KEYED, {"idempotency_key": " \t\u200b"}, context(), {"idempotency_key": "k"}, context()),
    ("execution.mode_unsupported", contract(), {"mode": "streaming"}, context(), {"mode": "sync"}, context()),
    (
        "execution.mode_unsupported",
        contract(execution={**EXECUTION, "supports_sync": False, "supports_async": True}),
        {},
        context(),
        {"mode": "async"},
        context(),
    ),
    (
        "transaction.unsupported",
        contract(),
        {"transaction": {"mode": "dry_run"}},
        context(),
        {"transaction": {"mode": "execute"}},
        context(),
    ),
    ("transaction.unsupported", None, {"transaction": {"mode": "plan"}}, context(), {}, context()),
    (
        "transaction.mode_unsupported",
        PLANNED,
        {"transaction": {"mode": "plan"}},
        context(),
        {"transaction": {"mode": "dry_run"}},
        context(),
    ),
    (
        "transaction.mode_unsupported",
        contract(
            transaction={
                "supported_modes": ["dry_run"],
                "requires_plan_before_commit": False,
                "dry_run_fidelity": "schema_only",
            }
        ),
        {},
        context(),
        {"transaction": {"mode": "dry_run"}},
        context(),
    ),
    (
        "transaction.plan_required",
        PLANNED,
        {"transaction": {"mode": "commit"}},
        context(),
        {"transaction": {"mode": "commit", "plan_id": "plan-1"}},
        context(),
    ),
    (
        "transaction.compensation_unsupported",
        compensable(mode="not_required"),
        COMPENSATE,
        context(),
        {},
        context(),
    ),
    (
        "transaction.compensation_window",
        compensable(compensation_window_ms=1_000),
        COMPENSATE,
        context(),
        COMPENSATE,
        context(transaction={"committed_at": "2026-06-10T11:59:59.000000001Z"}),
    ),
    (
        "transaction.compensation_window",
        compensable(compensation_window_ms=1_000),
        COMPENSATE,
        context(transaction={"committed_at": "2026-06-10T11:59:59Z"}),
        COMPENSATE,
        context(transaction={"committed_at": NOW}),
    ),
    (
        "tenant.mismatch",
        None,
        {},
        context(subject={"id": "rosa", "kind": "human", "tenant_id": "other"}),
        {},
        context(subject={"id": "rosa", "kind": "human", "tenant_id": "acme"}),
    ),
    (
        "tenant.mismatch",
        None,
        {},
        context(operator={"id": "agent-7", "kind": "agent", "tenant_id": "other"}),
        {},
        context(operator={"id": "agent-7", "kind": "agent"}),
    ),
    (
        "tenant.mismatch",
        None,
        {},
        context(tenant=None, requester={"id": "rosa", "kind": "human", "tenant_id": "acme"}),
        {},
        context(tenant=None),
    ),
    ("credential.required", credentials(), {}, context(), {}, credential()),
    (
        "credential.expired",
        credentials(),
        {},
        credential(expires_at=NOW),
        {},
        credential(expires_at="2026-06-10T12:00:00.000000001Z"),
    ),
    ("credential.expired", None, {}, credential(expires_at=NOW), {}, credential()),
    (
        "credential.issuer_denied",
        credentials(accepted_issuers=["idp"]),
        {},
        credential(issuer="elsewhere"),
        {},
        credential(issuer="idp"),
    ),
    ("credential.issuer_denied", credentials(accepted_issuers=["idp"]), {}, credential(), {}, credential(issuer="idp")),
    (
        "credential.scope_missing",
        credentials(required_scopes=["a", "b"]),
        {},
        credential(scopes=["a"]),
        {},
        credential(scopes=["b", "a"]),
    ),
    ("credential.scope_missing", credentials(required_scopes=["a"]), {}, credential(), {}, credential(scopes=["a"])),
    (
        "credential.tenant_mismatch",
        credentials(),
        {},
        context(credential={"id": "c-1"}),
        {},
        context(credential={"id": "c-1", "tenant_id": "acme"}),
    ),
    (
        "credential.tenant_mismatch",
        None,
        {},
        context(tenant=None, credential={"tenant_id": "acme"}),
        {},
        context(tenant=None, credential={"id": "c-1"}),
    ),
    ("residency.region_denied", REGIONS, {}, context(region="us-east"), {}, context(region="eu-central")),
    ("residency.region_denied", REGIONS, {}, context(region="eu-west"), {}, context(region="eu-central")),
    (
        "residency.region_denied",
        residency(prohibited_regions=["us-east"]),
        {},
        context(region="us-east"),
        {},
        context(region="anywhere"),
    ),
    ("residency.region_unknown", REGIONS, {}, context(), {}, context(region="eu-central")),
    ("residency.region_unknown", residency(), {}, context(), {}, context(region="anywhere")),
    (
        "delegation.too_deep",
        None,
        {},
        context(delegation=[*CHAIN, hop("p9", "p10"), hop("p10", "agent-7")]),
        {},
        context(delegation=[*CHAIN, hop("p9", "agent-7")]),
    ),
    (
        "delegation.empty_scope",
        None,
        {},
        context(delegation=[hop("rosa", "agent-7", " ")]),
        {},
        context(delegation=[hop("rosa", "agent-7", "refund.create")]),
    ),
    (
        "delegation.broken",
        None,
        {},
        context(delegation=[hop("rosa", "agent-1"), hop("agent-2", "agent-7")]),
        {},
        context(delegation=[hop("rosa", "agent-1"), hop("agent-1", "agent-7")]),
    ),
    (
        "delegation.wrong_delegate",
        None,
        {},
        context(delegation=[hop("rosa", "agent-1")]),
        {},
        context(delegation=[hop("rosa", "agent-7")]),
    ),
    (
        "delegation.wrong_delegate",
        None,
        {},
        context(delegation=[hop("rosa", "agent-7")], operator=None),
        {},
        context(delegation=[], operator=None),
    ),
    (
        "delegation.scope_not_covered",
        None,
        {},
        context(delegation=[hop("rosa", "agent-7", "order.**")]),
        {},
        context(delegation=[hop("rosa", "agent-7", "*.create")]),
    ),
    (
        "delegation.scope_not_covered",
        None,
        {},
        context(delegation=[hop("rosa", "agent-7", "refund.**.create")]),
        {},
        context(delegation=[hop("rosa", "agent-7", "**")]),
    ),
]


@pytest.mark.parametrize(("code", "declared", "denied", "denied_in", "allowed", "allowed_in"), TABLE)
def test_each_guard_denies_and_lets_through(
    code: str, declared: Json | None, denied: Json, denied_in: Json, allowed: Json, allowed_in: Json
) -> None:
    capability = aip() if declared is None else aip(contract=declared)

    refused = decide(OPEN, capability, stated=denied_in, **denied)
    passed = decide(OPEN, capability, stated=allowed_in, **allowed)

    assert (codes(refused), passed.outcome.value, codes(passed)) == ([code], "allow", [])


def test_a_capability_without_a_contract_supports_no_compensation() -> None:
    refused = decide(OPEN, aip(), stated=context(), **COMPENSATE)

    assert codes(refused) == ["transaction.compensation_unsupported", "transaction.unsupported"]


def test_a_note_names_the_capability_that_compensates() -> None:
    declared = compensable(mode="supported", compensation_capability_id="refund.undo")
    decision = decide(OPEN, aip(contract=declared), stated=context(), **COMPENSATE)

    (note,) = [reason for reason in decision.reasons if reason.effect == "note"]
    assert decision.outcome.value == "allow"
    assert (note.code, note.message) == (
        "transaction.compensating_capability",
        "`refund.undo` compensates this action; it needs a decision of its own",
    )


def test_a_delegated_call_of_a_capability_without_a_scope_is_never_covered() -> None:
    capability = aip()
    del capability["scope"]
    policy = 'route "desk" { allow capability "refund.*" }'
    chain = context(delegation=[hop("rosa", "agent-7", "**")])

    assert decide(policy, capability).outcome.value == "allow"
    assert codes(decide(policy, capability, stated=chain)) == ["delegation.scope_not_covered"]


def test_every_guard_speaks_at_once() -> None:
    declared = contract(
        idempotency=KEYED["idempotency"],
        credentials={"required": True, "allow_oauth_refresh": False},
        data=REGIONS["data"],
    )
    refused = decide(OPEN, aip(contract=declared), stated=context(), mode="async")

    assert codes(refused) == [
        "credential.required",
        "execution.mode_unsupported",
        "idempotency.required",
        "residency.region_unknown",
    ]


def test_acc_alone_declares_no_guard() -> None:
    assert decide(OPEN, acc(), stated=context(), mode="async").outcome.value == "allow"
