"""The approval policy of an AIP 1.0 contract (model.md section 1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from policy.model.base import Identifier, Part, Timestamp

AT_LEAST_ONE: dict[str, Any] = {"minimum": 1}
"""For published schemas: admission refuses 0 under a code of its own."""

EvidenceKind = Literal["reason", "input_snapshot", "policy_decision", "external_ticket", "attachment"]
"""Words for what an approval must bring."""


class PrincipalSelector(Part):
    """One principal approves."""

    type: Literal["principal"]
    """The tag."""
    id: str
    """The principal's id."""


class RoleSelector(Part):
    """Somebody with a role approves."""

    type: Literal["role"]
    """The tag."""
    name: str
    """The role."""


class GroupSelector(Part):
    """Somebody of a group approves."""

    type: Literal["group"]
    """The tag."""
    name: str
    """The group."""


class TenantPolicySelector(Part):
    """Somebody whom a policy of the tenant names approves; being of the tenant is not enough."""

    type: Literal["tenant_policy"]
    """The tag."""


class ExternalSystemSelector(Part):
    """Somebody for whom an external system vouches approves."""

    type: Literal["external_system"]
    """The tag."""
    system: str
    """The system's id."""


ApproverSelector = Annotated[
    PrincipalSelector | RoleSelector | GroupSelector | TenantPolicySelector | ExternalSystemSelector,
    Field(discriminator="type"),
]
"""Who approves, as one leaf; used where the policy has no `rule`."""


class AllRule(Part):
    """Every child holds."""

    operator: Literal["all"]
    """The tag."""
    rules: list[ApprovalRule] = Field(json_schema_extra={"minItems": 1})
    """The children."""
    allow_decision_reuse: bool = False
    """Whether one person may serve several children; heard at the root only."""


class AnyRule(Part):
    """One child holds."""

    operator: Literal["any"]
    """The tag."""
    rules: list[ApprovalRule] = Field(json_schema_extra={"minItems": 1})
    """The children."""


class QuorumRule(Part):
    """`required` different people approve, each under one of the children."""

    operator: Literal["quorum"]
    """The tag."""
    required: int = Field(json_schema_extra=AT_LEAST_ONE)
    """How many."""
    rules: list[ApprovalRule] = Field(json_schema_extra={"minItems": 1})
    """The children."""
    distinct_principals: bool = True
    """Counted as true whatever it says: one person never votes twice."""


class PrincipalRule(Part):
    """One principal approves."""

    operator: Literal["principal"]
    """The tag."""
    id: str
    """The principal's id."""


class RoleRule(Part):
    """Somebody with a role approves."""

    operator: Literal["role"]
    """The tag."""
    name: str
    """The role."""


class GroupRule(Part):
    """Somebody of a group approves."""

    operator: Literal["group"]
    """The tag."""
    name: str
    """The group."""


class TenantPolicyRule(Part):
    """Somebody whom a policy of the tenant names approves."""

    operator: Literal["tenant_policy"]
    """The tag."""
    policy_id: str
    """The policy's id."""


class ExternalSystemRule(Part):
    """Somebody for whom an external system vouches approves."""

    operator: Literal["external_system"]
    """The tag."""
    system: str
    """The system's id."""


class DelegatedAuthorityRule(Part):
    """Somebody to whom authority was delegated approves."""

    operator: Literal["delegated_authority"]
    """The tag."""
    scope: str
    """The delegated scope."""
    max_risk: Literal["low", "medium", "high", "critical"] | None = None
    """The highest risk it serves for; an unknown risk is not served."""
    max_value: int | float | None = Field(default=None, ge=0)
    """The highest value it serves for; an unknown value is not served."""


ApprovalRule = Annotated[
    AllRule
    | AnyRule
    | QuorumRule
    | PrincipalRule
    | RoleRule
    | GroupRule
    | TenantPolicyRule
    | ExternalSystemRule
    | DelegatedAuthorityRule,
    Field(discriminator="operator"),
]
"""A composable expression of who approves."""


class DelegatedAuthority(Part):
    """Authority the contract says it delegates; it grants nothing here, authority is the resolver's word."""

    principal: Identifier
    """To whom."""
    scope: list[Identifier] = Field(default_factory=list)
    """For what."""
    expires_at: Timestamp | None = None
    """Until when, RFC 3339."""


class SeparationOfDuties(Part):
    """Who may not approve. Requester, operator, subject and delegators never do, whatever this says."""

    requester_must_differ: bool = False
    """Already the default."""
    operator_must_differ: bool = False
    """Already the default."""
    allow_self_approval: bool = False
    """Not heard: a contract never lets anybody approve what they asked for."""


class ApprovalPolicy(Part):
    """When approval is needed before execution and who gives it."""

    required: bool
    """Whether every call needs it."""
    reason: str | None = None
    """Why, for approvers."""
    approver_selector: ApproverSelector
    """Who approves, where there is no `rule`."""
    ttl_ms: int | None = Field(default=None, json_schema_extra={"exclusiveMinimum": 0})
    """Milliseconds an approval counts, above 0; absent: 24 hours."""
    evidence_requirements: list[EvidenceKind] = Field(default_factory=list)
    """What an approval must bring."""
    delegated_authority: DelegatedAuthority | None = None
    """Grants nothing here."""
    rule: ApprovalRule | None = None
    """Who approves."""
    minimum_distinct_principals: int = Field(default=1, json_schema_extra=AT_LEAST_ONE)
    """How many people must approve at least."""
    separation_of_duties: SeparationOfDuties = SeparationOfDuties()
    """Who may not approve."""
    policy_version: str | None = None
    """The version of the provider's policy; kept for records."""


AllRule.model_rebuild()
AnyRule.model_rebuild()
QuorumRule.model_rebuild()
ApprovalPolicy.model_rebuild()
