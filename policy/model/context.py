"""The trusted context: the runtime's word, never the caller's (model.md section 4)."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field

from policy.model.base import Identifier, Json, Model, Part, Timestamp

PrincipalKind = Literal["human", "agent", "service", "tenant", "customer", "contact", "system"]
RiskWord = Literal["low", "medium", "high", "critical"]


class Principal(Model):
    """Somebody or something that takes part in an action. What is not stated is unknown; `[]` is stated."""

    id: Identifier
    """Unique within the directory, compared by code point."""
    kind: PrincipalKind
    """What it is."""
    person_id: Identifier | None = None
    """The person behind the principal; two principals with one person_id are one person."""
    tenant_id: Identifier | None = None
    """The tenant the principal belongs to."""
    display_name: str | None = None
    """For people; never compared."""
    trust_domain: Identifier | None = None
    """The trust domain that authenticated it."""
    did: Identifier | None = None
    """A decentralised identifier."""
    external_refs: list[Json] | None = None
    """References into other systems."""
    roles: list[Identifier] | None = None
    """Roles held; None: not stated."""
    groups: list[Identifier] | None = None
    """Groups, nested ones expanded by the runtime; None: not stated."""
    attributes: dict[str, Json] | None = None
    """Attributes of the directory."""


class Tenant(Part):
    """The tenant of the call."""

    id: Identifier
    """The tenant's id."""
    system: Identifier | None = None
    """The system that tenant ids are unique in."""


class DelegationHop(Part):
    """One verified hop of delegated authority (AIP 1.0)."""

    model_config = ConfigDict(populate_by_name=True)

    from_: Principal = Field(alias="from")
    """Who delegates."""
    to: Principal
    """To whom."""
    scope: str
    """A scope pattern that covers what is delegated."""
    delegated_at: Timestamp | None = None
    """When, RFC 3339."""


class Credential(Part):
    """The verified credential that the call will use."""

    id: Identifier | None = None
    """Its id."""
    issuer: Identifier | None = None
    """Who issued it."""
    scopes: list[Identifier] | None = None
    """Scopes it carries; None: not stated."""
    tenant_id: Identifier | None = None
    """The tenant it was issued for."""
    expires_at: Timestamp | None = None
    """When it ends, RFC 3339; at that instant it is expired."""


class Evidence(Model):
    """An artifact that a vote brings."""

    id: Identifier
    """Its id."""
    kind: Identifier
    """What it is: `external_ticket`, `input_snapshot`, `policy_decision`, ..."""
    uri: Identifier | None = None
    """Where it lies."""
    hash: Identifier | None = None
    """Its hash: `sha256:` and 64 hexadecimal digits for snapshots."""
    redacted: bool | None = None
    """Whether it was redacted."""


class Constraint(Part):
    """A condition that the voter attached to an approval (AIP 1.0)."""

    field: str
    """JSON Pointer into the action's input."""
    operator: str
    """eq neq lt lte gt gte contains max_length min_length in; anything else fails."""
    value: Json = None
    """What is compared with."""


class Vote(Model):
    """A person's answer to an approval request, as received by the runtime."""

    approval_id: Identifier | None = None
    """The one requirement it speaks for; None: for every requirement of the request."""
    decision: Literal["approved", "denied", "revoked"]
    """`revoked` withdraws the vote named by `target_decision_id`."""
    decision_id: Identifier
    """Unique."""
    approver: Principal
    """Who voted, as authenticated by the runtime."""
    decided_at: Timestamp
    """The runtime's receipt time, RFC 3339."""
    request_digest: Identifier | None = None
    """The request it answers."""
    policy_hash: Identifier | None = None
    """The policy it was given under."""
    expires_at: Timestamp | None = None
    """The voter's own deadline."""
    reason: str | None = None
    """The voter's words."""
    evidence: list[Evidence] | None = None
    """Artifacts."""
    constraints: list[Constraint] | None = None
    """Conditions on the input."""
    target_decision_id: Identifier | None = None
    """The vote that a `revoked` withdraws."""


class DelegatedScope(Part):
    """Authority delegated to an approver."""

    scope: str
    """A scope pattern."""
    expires_at: Timestamp | None = None
    """When it ends."""
    max_risk: RiskWord | None = None
    """The highest risk it covers."""
    max_value: int | float | None = None
    """The highest value it covers."""
    revoked: bool = False
    """Whether it was taken back."""


class AuthorityRecord(Model):
    """What the trusted resolver says of an approver."""

    principal_id: Identifier
    """The principal it is about."""
    kind: PrincipalKind
    """What the principal is."""
    person_id: Identifier
    """The person behind it; a directory that knows no persons repeats the id."""
    tenant_id: Identifier | None = None
    """The tenant the authority holds in."""
    roles: list[Identifier] | None = None
    """Roles held; None: not stated."""
    groups: list[Identifier] | None = None
    """Groups, nested ones expanded; None: not stated."""
    tenant_policies: list[Identifier] | None = None
    """Tenant policies that name this principal."""
    external_systems: list[Identifier] | None = None
    """External systems that vouch for it."""
    delegated_scopes: list[DelegatedScope] | None = None
    """Delegated authority."""
    attributes: dict[str, Json] | None = None
    """Attributes of the directory."""
    revision: str | int | None = None
    """The directory's revision."""
    expires_at: Timestamp | None = None
    """When the record ends; at that instant it is expired."""
    revoked: bool = False
    """Whether it was taken back."""
    may_revoke: bool = False
    """Whether its principal may withdraw other people's votes."""


class HistoryPerson(Part):
    """Somebody who took part in an executed action."""

    id: Identifier
    """The principal's id."""
    kind: PrincipalKind
    """What it is."""
    person_id: Identifier | None = None
    """The person behind it; None: not told."""


class HistoryEntry(Part):
    """One executed action."""

    scope: str
    """Its scope."""
    tenant_id: Identifier | None = None
    """Its tenant."""
    people: list[HistoryPerson]
    """Who performed it."""
    keys: dict[str, Json]
    """The objects it concerned, by input path: `{"input.payment_id": "p-1"}`."""
    at: Timestamp
    """When it was executed, RFC 3339."""


class History(Model):
    """Executed actions, complete from an instant on."""

    complete_since: Timestamp | None = None
    """From when nothing is missing; None: from the beginning."""
    entries: list[HistoryEntry]
    """The actions, in any order."""


class ContextTransaction(Part):
    """What the runtime knows of the transaction."""

    committed_at: Timestamp | None = None
    """When the transaction to compensate was committed."""


class Context(Model):
    """Everything the runtime vouches for. What it does not state is unknown, never empty."""

    route: Identifier | None = None
    """The entry point or surface the call came through."""
    now: Timestamp | None = None
    """The instant of the decision, RFC 3339 with offset."""
    tenant: Tenant | None = None
    """The tenant of the call."""
    region: Identifier | None = None
    """Where the tool runs."""
    requester: Principal | None = None
    """Who asked for the action."""
    operator: Principal | None = None
    """Who makes the call."""
    subject: Principal | None = None
    """On whose authority it is done."""
    delegation: list[DelegationHop] | None = None
    """Verified hops, first first; None: not stated."""
    credential: Credential | None = None
    """The verified credential."""
    approvals: list[Vote] | None = None
    """Votes received."""
    used_votes: list[Identifier] | None = None
    """Decision ids already spent; None: not stated."""
    authorities: list[AuthorityRecord] | None = None
    """What the trusted resolver says of each approver; None: not stated."""
    history: History | None = None
    """Executed actions; None: not stated."""
    session: Identifier | None = None
    """A run, conversation or case id; part of the request digest."""
    transaction: ContextTransaction | None = None
    """What is known of the transaction."""
    attributes: dict[str, Json] | None = None
    """The values of `context.NAME`."""

    @classmethod
    def for_principal(cls, principal: Principal | dict[str, Any], **members: Any) -> Self:
        """State one principal as requester, operator and subject: a person acting for herself.

        Raises pydantic.ValidationError where a member is malformed.
        """
        return cls.model_validate({**members, "requester": principal, "operator": principal, "subject": principal})
