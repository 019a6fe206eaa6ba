"""How AuthZEN messages become actions and contexts: the part of the settings that `mapping` reads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, Self

from pydantic import Field, model_validator

from policy.model.base import Identifier, Model
from policy.model.context import PrincipalKind, Tenant

InputForm = Literal["whole", "arguments"]
"""What the action's input is made of."""
_TYPES: Mapping[str, PrincipalKind] = MappingProxyType({"user": "human", "agent": "agent", "service": "service"})


class CapabilityRule(Model):
    """Which capability an AuthZEN action on a type of resource calls. The first rule that matches counts."""

    action: Identifier
    """The `action.name` it is for."""
    resource: Identifier | None = None
    """The `resource.type` it is for; None: every type."""
    capability: Identifier
    """The id in the service's catalog."""
    input: InputForm | None = None
    """What the input is made of; None: as the service says."""
    route: Identifier | None = None
    """The route of such a call; None: that of the caller or the service."""


class AuthzenSettings(Model):
    """The mapping, as `policy.server.authzen.mapping` documents it."""

    route: Identifier = "authzen"
    """The route of evaluations."""
    tenant: Tenant | None = None
    """The tenant of every evaluation."""
    region: Identifier | None = None
    """Where the resources are."""
    subject_types: dict[Identifier, PrincipalKind] = Field(default_factory=lambda: dict(_TYPES))
    """The subject types that are known, and what principal each is. Subjects of another type are refused."""
    plain_type: Identifier = "user"
    """The type whose ids are principal ids as they are; ids of another type become `TYPE:ID`."""
    subject_properties: list[Identifier] = Field(default_factory=list)
    """Names of `subject.properties` that callers are trusted to state: they become attributes that the directory does
    not hold. Everything else is an unverified claim."""
    context_properties: list[Identifier] = Field(default_factory=list)
    """Names of the request's `context` members that callers are trusted to state: they become `context.NAME`.
    Everything else is an unverified claim."""
    capabilities: list[CapabilityRule] = Field(default_factory=list)
    """Rules that name capabilities; without a match the capability id is the action's name."""
    input: InputForm = "whole"
    """What the input is made of."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        if self.plain_type not in self.subject_types:
            raise ValueError("`plain_type` must be one of `subject_types`")
        for name in ("approval", "supported_mandatory_extensions", "supported_obligations"):
            if name in self.context_properties:
                raise ValueError(f"`{name}` is a word of the protocol and no attribute")
        return self
