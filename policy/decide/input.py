"""Stage 4: the input against its schema."""

from __future__ import annotations

from policy.decide import reasons
from policy.model.admitted import AdmittedCapability
from policy.model.decision import Reason


def judge_input(capability: AdmittedCapability, value: object) -> tuple[Reason, ...]:
    """A denial for every violation, each with its JSON Pointer into the input."""
    return tuple(
        reasons.deny("input.schema_violation", violation.message, violation.pointer)
        for violation in capability.input_schema.violations(value)
    )
