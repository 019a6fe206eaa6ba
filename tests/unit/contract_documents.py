"""Capability documents for tests: the smallest admitted ones, to be changed in one place."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from policy.contracts.admission import Admission, admit
from policy.model.admitted import AdmittedCapability
from policy.source.diagnostic import Diagnostic

Document = dict[str, Any]

_CONTRACT: Document = {
    "side_effects": ["write"],
    "idempotency": {"requirement": "required", "collision_behavior": "reject_conflict", "key_scope": "tenant"},
    "execution": {
        "supports_sync": True,
        "supports_async": False,
        "supports_streaming": False,
        "supports_cancel": False,
        "supports_retry": False,
        "expected_completion": "sync",
        "retry_safety": "unknown",
    },
    "data": {"sensitivity": "internal", "contains_pii": False, "redaction_required": False},
}


def contract(**members: object) -> Document:
    """An AIP contract without a finding."""
    return deepcopy({**_CONTRACT, **members})


def tool(**members: object) -> Document:
    """An AIP capability without a finding."""
    document = {"id": "order.cancel", "name": "cancel", "kind": "tool", "input_schema": {"type": "object"}}
    return deepcopy({**document, **members})


def approval(**members: object) -> Document:
    """An approval policy without a finding."""
    policy = {"required": True, "approver_selector": {"type": "role", "name": "duty.officer"}}
    return deepcopy({**policy, **members})


def with_approval(**members: object) -> Document:
    """A capability whose contract has such an approval policy."""
    return tool(contract=contract(approval=approval(**members)))


def declared(schema: object = True, /, **members: object) -> Document:
    """A document with an ACC declaration."""
    declaration = {"version": 1, "enabled": True, "scope": "refund.create", **members}
    return deepcopy({"acc": declaration, "input_schema": schema})


def admitted(document: Document) -> AdmittedCapability:
    """The capability of a document that must be admitted."""
    admission = admit(document)
    assert admission.capability is not None, admission.diagnostics
    return admission.capability


def findings(admission: Admission) -> list[tuple[str, str | None]]:
    """Codes and pointers of what was found."""
    return [(finding.code, finding.pointer) for finding in admission.diagnostics]


def only(admission: Admission) -> Diagnostic:
    """The one finding."""
    assert len(admission.diagnostics) == 1, admission.diagnostics
    return admission.diagnostics[0]
