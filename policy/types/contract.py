"""The type of `contract`: the AIP 1.0 capability contract (model.md section 1)."""

from __future__ import annotations

from policy.types.kinds import Basic, Field, ListOf, Record, Type
from policy.types.vocabularies import (
    COLLISION_BEHAVIOR,
    COMPENSATION_MODE,
    COMPLETION,
    DRY_RUN_FIDELITY,
    EFFECT,
    EVIDENCE_KIND,
    IDEMPOTENCY_REQUIREMENT,
    KEY_SCOPE,
    RETRY_SAFETY,
    SELECTOR_TYPE,
    TRANSACTION_MODE,
)

_STRINGS = ListOf(Basic.STRING)


def _record(name: str, required: dict[str, Type], optional: dict[str, Type] | None = None) -> Record:
    return Record(
        name,
        (
            *((member, Field(type_)) for member, type_ in required.items()),
            *((member, Field(type_, optional=True)) for member, type_ in (optional or {}).items()),
        ),
    )


_IDEMPOTENCY = _record(
    "idempotency contract",
    {"requirement": IDEMPOTENCY_REQUIREMENT, "collision_behavior": COLLISION_BEHAVIOR, "key_scope": KEY_SCOPE},
    {"ttl_ms": Basic.NUMBER},
)

_EXECUTION = _record(
    "execution contract",
    {
        "supports_sync": Basic.BOOLEAN,
        "supports_async": Basic.BOOLEAN,
        "supports_streaming": Basic.BOOLEAN,
        "supports_cancel": Basic.BOOLEAN,
        "supports_retry": Basic.BOOLEAN,
        "expected_completion": COMPLETION,
        "retry_safety": RETRY_SAFETY,
    },
)

_DATA = _record(
    "data contract",
    {"sensitivity": Basic.SENSITIVITY, "contains_pii": Basic.BOOLEAN, "redaction_required": Basic.BOOLEAN},
    {
        "residency": _record("residency", {"allowed_regions": _STRINGS, "prohibited_regions": _STRINGS}),
        "retention": _record(
            "retention",
            {"legal_hold_allowed": Basic.BOOLEAN},
            {"retain_for_ms": Basic.NUMBER, "delete_after_ms": Basic.NUMBER},
        ),
    },
)

_CREDENTIALS = _record(
    "credentials contract",
    {
        "required": Basic.BOOLEAN,
        "accepted_issuers": _STRINGS,
        "required_scopes": _STRINGS,
        "allow_oauth_refresh": Basic.BOOLEAN,
    },
)

# A rule is a tree of any depth, so its members are read as JSON; a time in a contract stays its text.
_APPROVAL = _record(
    "approval policy",
    {
        "required": Basic.BOOLEAN,
        "approver_selector": _record(
            "approver selector",
            {"type": SELECTOR_TYPE},
            {"id": Basic.STRING, "name": Basic.STRING, "system": Basic.STRING},
        ),
        "evidence_requirements": ListOf(EVIDENCE_KIND),
        "minimum_distinct_principals": Basic.NUMBER,
        "separation_of_duties": _record(
            "separation of duties",
            {
                "requester_must_differ": Basic.BOOLEAN,
                "operator_must_differ": Basic.BOOLEAN,
                "allow_self_approval": Basic.BOOLEAN,
            },
        ),
    },
    {
        "reason": Basic.STRING,
        "ttl_ms": Basic.NUMBER,
        "delegated_authority": _record(
            "delegated authority", {"principal": Basic.STRING, "scope": _STRINGS}, {"expires_at": Basic.STRING}
        ),
        "rule": Basic.JSON,
        "policy_version": Basic.STRING,
    },
)

_SLA = _record(
    "service levels",
    {"async_expected": Basic.BOOLEAN},
    {
        "expected_latency_ms": Basic.NUMBER,
        "timeout_ms": Basic.NUMBER,
        "max_queue_delay_ms": Basic.NUMBER,
        "availability_target": Basic.STRING,
    },
)

_TRANSACTION = _record(
    "transaction contract",
    {
        "supported_modes": ListOf(TRANSACTION_MODE),
        "requires_plan_before_commit": Basic.BOOLEAN,
        "dry_run_fidelity": DRY_RUN_FIDELITY,
    },
)

_COMPENSATION = _record(
    "compensation contract",
    {"mode": COMPENSATION_MODE, "requires_approval": Basic.BOOLEAN},
    {"compensation_capability_id": Basic.STRING, "compensation_window_ms": Basic.NUMBER},
)

CONTRACT = _record(
    "contract",
    {
        "side_effects": ListOf(EFFECT),
        "idempotency": _IDEMPOTENCY,
        "execution": _EXECUTION,
        "data": _DATA,
    },
    {
        "credentials": _CREDENTIALS,
        "approval": _APPROVAL,
        "sla": _SLA,
        "transaction": _TRANSACTION,
        "compensation": _COMPENSATION,
    },
)
"""What a condition may read of a contract, with the types that its values have at decision time."""
