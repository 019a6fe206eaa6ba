"""One validated request, as every stage sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from policy.ir import nodes as ir
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.context import Context
from policy.source.records import dataclass
from policy.types.values import Timestamp

if TYPE_CHECKING:
    from policy.decide.conditions import Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An action, its capability and its context, validated, with the facts that conditions read."""

    policy: ir.PolicySet
    action: Action
    capability: AdmittedCapability
    context: Context
    now: Timestamp
    digest: str
    """The request digest, `sha256:…`."""
    facts: Mapping[str, object]
    """Runtime values of the built-in names; a name without a value is left out."""
    conditions: Conditions
    """Evaluates conditions over the facts."""
    authority_failures: frozenset[str]
    """Principal ids whose authority record could not be fetched (the resolver failed)."""
