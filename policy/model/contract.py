"""The AIP 1.0 capability contract (model.md section 1): what using a capability means.

These models hold the shape. The rules between members (a window above 0, a quorum that can be reached) are
those of manifest admission, `policy.contracts.aip`, which reports each with its own code.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from policy.model.approval_policy import ApprovalPolicy
from policy.model.base import Identifier, Part

SideEffect = Literal[
    "read",
    "write",
    "delete",
    "send_message",
    "financial",
    "identity",
    "medical",
    "legal",
    "external_network",
    "code_execution",
]
"""Words for what a call may do."""

ContractTransactionMode = Literal[
    "execute", "dry_run", "plan", "commit", "compensate", "reconcile", "rollback_not_supported"
]
"""Words for how a call may take part in a transaction."""

POSITIVE: dict[str, Any] = {"exclusiveMinimum": 0}
"""For published schemas: admission refuses 0 and less under a code of its own."""

Milliseconds = Annotated[int, Field(ge=0)]
"""A length of time in milliseconds."""


class Idempotency(Part):
    """How repeated calls are recognised."""

    requirement: Literal["required", "optional", "unsupported"]
    """Whether a call must carry an idempotency key."""
    collision_behavior: Literal["return_original_result", "reject_conflict", "revalidate_input_hash"]
    """What happens when a key is seen again."""
    key_scope: Literal["action", "capability", "principal", "tenant", "external_account"]
    """Within what a key is unique."""
    ttl_ms: int | None = Field(default=None, json_schema_extra=POSITIVE)
    """Milliseconds a key is kept, above 0."""


class Execution(Part):
    """How a call runs; at least one of sync, async and streaming is supported."""

    supports_sync: bool
    """Whether the result can be awaited."""
    supports_async: bool
    """Whether the call can be submitted and completed later."""
    supports_streaming: bool
    """Whether the result can be streamed."""
    supports_cancel: bool
    """Whether a running call can be cancelled."""
    supports_retry: bool
    """Whether a failed call can be repeated."""
    expected_completion: Literal["sync", "async", "streaming", "any"]
    """How a call usually completes."""
    retry_safety: Literal["safe", "safe_with_idempotency_key", "unsafe", "unknown"]
    """Whether repeating is safe."""


class Residency(Part):
    """Where data may be processed, by region name."""

    allowed_regions: list[Identifier] = Field(default_factory=list)
    """The only regions allowed; empty: all but the prohibited ones."""
    prohibited_regions: list[Identifier] = Field(default_factory=list)
    """Regions that are never allowed."""


class Retention(Part):
    """How long data is kept."""

    retain_for_ms: Milliseconds | None = None
    """Milliseconds it is kept at least."""
    delete_after_ms: Milliseconds | None = None
    """Milliseconds after which it is deleted."""
    legal_hold_allowed: bool
    """Whether a legal hold may stop the deletion."""


class DataContract(Part):
    """What data a call touches."""

    sensitivity: Literal["public", "internal", "confidential", "restricted", "regulated", "unknown"]
    """How sensitive it is; unknown counts as the highest."""
    contains_pii: bool
    """Whether personal data may be present."""
    redaction_required: bool
    """Whether it must be redacted before it is recorded or handed on."""
    residency: Residency | None = None
    """Where it may be processed."""
    retention: Retention | None = None
    """How long it is kept."""


class Credentials(Part):
    """What credential a call needs."""

    required: bool
    """Whether a verified credential is needed."""
    accepted_issuers: list[Identifier] = Field(default_factory=list)
    """Issuers accepted; empty: any."""
    required_scopes: list[Identifier] = Field(default_factory=list)
    """Scopes the credential must carry."""
    allow_oauth_refresh: bool
    """Whether an expired OAuth state may be refreshed by the runtime."""


class Sla(Part):
    """Service levels; hints for scheduling."""

    expected_latency_ms: Milliseconds | None = None
    """Milliseconds a call usually takes."""
    timeout_ms: Milliseconds | None = None
    """Milliseconds after which it is given up."""
    async_expected: bool
    """Whether callers should expect asynchronous completion."""
    max_queue_delay_ms: Milliseconds | None = None
    """Milliseconds a call may wait."""
    availability_target: str | None = None
    """For people, such as `99.9%`."""


class Transaction(Part):
    """How a call takes part in transactions."""

    supported_modes: list[ContractTransactionMode] = Field(default_factory=list, json_schema_extra={"minItems": 1})
    """Modes offered; at least one."""
    requires_plan_before_commit: bool
    """Whether a commit must name the plan it carries out."""
    dry_run_fidelity: Literal["schema_only", "policy_and_schema", "downstream_validation", "full_simulation"]
    """How much a dry run checks."""


class Compensation(Part):
    """How an executed call can be undone."""

    mode: Literal["not_required", "supported", "best_effort", "rollback_not_supported"]
    """Whether undoing is offered."""
    compensation_capability_id: Identifier | None = None
    """The capability that undoes it; it needs a decision of its own."""
    compensation_window_ms: int | None = Field(default=None, json_schema_extra=POSITIVE)
    """Milliseconds after the commit in which it can be undone, above 0."""
    requires_approval: bool
    """Whether undoing needs approval."""


class Contract(Part):
    """An AIP capability contract. What it does not declare is unknown, not harmless."""

    side_effects: list[SideEffect] = Field(default_factory=list)
    """What a call may do, each once; empty: unknown."""
    idempotency: Idempotency
    """Repetition."""
    execution: Execution
    """Execution."""
    data: DataContract
    """Data."""
    credentials: Credentials | None = None
    """Credentials."""
    approval: ApprovalPolicy | None = None
    """Approval policy."""
    sla: Sla | None = None
    """Service levels."""
    transaction: Transaction | None = None
    """Transactions."""
    compensation: Compensation | None = None
    """Compensation."""
