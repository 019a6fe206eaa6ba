"""One reason to ask somebody, before it is known whom."""

from __future__ import annotations

from typing import Literal

from policy.model.decision import Reason
from policy.source.records import dataclass

Kind = Literal["named", "default", "contract", "default_or_contract"]
"""Who is asked: a named approval, the default approvals, the contract's own policy, or the first of the latter two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Something that asks for an approval."""

    kind: Kind
    layer: int | None = None
    """The layer that a named approval belongs to."""
    approval: str | None = None
    """The id of a named approval."""
    reason: Reason
    humans_only: bool = False
    """Whether nobody but humans may answer."""
    prompt: str | None = None
    """The declaration's text for approvers, filled in."""
