"""The closed sets of bare words (model.md sections 1 to 4)."""

from __future__ import annotations

from policy.syntax import words
from policy.types.kinds import Vocabulary

PRINCIPAL_KIND = Vocabulary("principal kind", words.PRINCIPAL_KINDS)
CAPABILITY_KIND = Vocabulary("capability kind", ("agent", "tool", "workflow", "channel", "resource", "human_task"))
STABILITY = Vocabulary("stability", ("stable", "experimental", "deprecated"))
MODE = Vocabulary("execution mode", ("sync", "async", "streaming"))
TRANSACTION_MODE = Vocabulary(
    "transaction mode",
    ("execute", "dry_run", "plan", "commit", "compensate", "reconcile", "rollback_not_supported"),
)
EFFECT = Vocabulary("effect", words.EFFECTS)
EVIDENCE_KIND = Vocabulary("evidence kind", words.EVIDENCE)
IDEMPOTENCY_REQUIREMENT = Vocabulary("idempotency requirement", ("required", "optional", "unsupported"))
COLLISION_BEHAVIOR = Vocabulary(
    "collision behaviour", ("return_original_result", "reject_conflict", "revalidate_input_hash")
)
KEY_SCOPE = Vocabulary("key scope", ("action", "capability", "principal", "tenant", "external_account"))
COMPLETION = Vocabulary("expected completion", ("sync", "async", "streaming", "any"))
RETRY_SAFETY = Vocabulary("retry safety", ("safe", "safe_with_idempotency_key", "unsafe", "unknown"))
SELECTOR_TYPE = Vocabulary("approver selector", ("principal", "role", "group", "tenant_policy", "external_system"))
DRY_RUN_FIDELITY = Vocabulary(
    "dry-run fidelity", ("schema_only", "policy_and_schema", "downstream_validation", "full_simulation")
)
COMPENSATION_MODE = Vocabulary(
    "compensation mode", ("not_required", "supported", "best_effort", "rollback_not_supported")
)

CONTRACT_VOCABULARIES = (
    IDEMPOTENCY_REQUIREMENT,
    COLLISION_BEHAVIOR,
    KEY_SCOPE,
    COMPLETION,
    RETRY_SAFETY,
    SELECTOR_TYPE,
    DRY_RUN_FIDELITY,
    COMPENSATION_MODE,
)
"""The vocabularies that only the contract uses."""
