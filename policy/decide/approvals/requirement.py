"""What is asked of approvers."""

from __future__ import annotations

from policy.ir import nodes as ir
from policy.model.decision import Reason
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One approval that this action needs, with every reason that asks for it."""

    id: str
    """As decisions show it: the approval's id, `layer/id` where there are several layers, `contract`."""
    approval: ir.Approval
    layer: str | None
    reasons: tuple[Reason, ...]
    humans_only: bool
    """`requires_human_approval`: kinds other than human do not count here, whatever the approval accepts."""
    prompt: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayeredSeparation:
    """A separation whose selector is not false for this action, with its layer."""

    rule: ir.Separation
    layer: str
