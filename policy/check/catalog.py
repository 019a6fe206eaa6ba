"""What lint needs to know of the capabilities and the approvers that a policy will meet.

The facts are plain data that the floors above fill in from admitted capabilities and authority records, so that the
checker depends on no document format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from policy.source.diagnostic import Diagnostic
from policy.source.records import dataclass
from policy.types.values import RiskLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogPlace:
    """Where a capability stands in a document."""

    file: str
    """The path shown to people."""
    pointer: str = ""
    """JSON Pointer (RFC 6901) to the capability."""
    line: int | None = None
    """1-based, where the document's text is known."""
    column: int | None = None
    """1-based, where the document's text is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityFacts:
    """One capability of the catalog."""

    id: str
    """The capability id."""
    scope: str | None
    """Its scope; None where neither the declaration nor the deployment gives one."""
    kind: str = "tool"
    """agent, tool, workflow, channel, resource or human_task."""
    input_schema: object = field(default=True, repr=False)
    """The input schema, Draft 2020-12 as JSON; `True` accepts everything."""
    effects: tuple[str, ...] | None = None
    """Side effects; None where unknown."""
    declared_risk: RiskLevel = RiskLevel.MEDIUM
    """The most severe declared or default level."""
    needs_default_approval: bool = False
    """Whether it asks for an approval and names nobody, so that the default approvals are asked."""
    has_contract_approval: bool = False
    """Whether its contract says who approves."""
    place: CatalogPlace | None = None
    """Where it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The capabilities that a deployment offers, by any order; ids are unique."""

    capabilities: tuple[CapabilityFacts, ...]
    """All of them."""
    findings: tuple[Diagnostic, ...] = ()
    """What reading its documents found; comments of a policy may accept the warnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityFacts:
    """One authority record of a directory, as `policy check --authorities` reads it."""

    principal_id: str
    """The principal it is about."""
    kind: str
    """What the principal is, such as `human`."""
    person_id: str
    """The person behind it."""
    tenant_id: str | None = None
    """The tenant the authority holds in."""
    roles: frozenset[str] = frozenset()
    """Roles held."""
    groups: frozenset[str] = frozenset()
    """Groups, nested ones expanded."""
    tenant_policies: frozenset[str] = frozenset()
    """Tenant policies that name the principal."""
    external_systems: frozenset[str] = frozenset()
    """External systems that vouch for it."""
    delegated_scopes: tuple[str, ...] = ()
    """Scope patterns delegated to it and not taken back."""
    attributes: Mapping[str, object] = field(default_factory=dict)
    """Attributes of the directory."""
    revoked: bool = False
    """Whether the record was taken back."""
