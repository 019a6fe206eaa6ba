"""The capability document (interfaces.md section 2): an AIP 1.0 capability, an ACC v1 declaration, or both."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, WithJsonSchema, model_validator

from policy.model.acc import AccDeclaration
from policy.model.base import Identifier, Json, Model
from policy.model.contract import Contract

CapabilityKind = Literal["agent", "tool", "workflow", "channel", "resource", "human_task"]
"""Words for what a capability is; `resource` is not callable."""

HttpMethod = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
"""Verbs an operation may have."""


def _schema(value: object) -> object:
    if not isinstance(value, dict | bool):
        # Pydantic turns a ValueError into a finding, a TypeError it lets through.
        raise ValueError("a JSON Schema is an object, or `true` or `false`")  # noqa: TRY004
    return value


JsonSchema = Annotated[Any, AfterValidator(_schema), WithJsonSchema({"type": ["object", "boolean"]})]
"""A JSON Schema, compiled by admission."""

UNDIGESTED = ("name", "description", "cost", "bindings")
"""Members that are no part of the request digest; nor is `acc.guidance`."""


def _publish_required(schema: dict[str, Any]) -> None:
    schema["required"] = ["input_schema"]
    schema["anyOf"] = [{"required": ["id", "name", "kind"]}, {"required": ["acc"]}]


class Capability(Model):
    """What somebody may be allowed to do. A document declares; only a policy grants.

    Without `acc` the members `id`, `name` and `kind` are required; with it they default to the declaration's
    scope, the id and `tool`. Admission (`policy.contracts.admission.admit`) checks what a shape cannot say.
    """

    model_config = ConfigDict(json_schema_extra=_publish_required)

    id: Identifier
    """Unique within a catalog, compared by code point."""
    name: str
    """For people; not blank."""
    kind: CapabilityKind
    """What it is."""
    input_schema: JsonSchema
    """Draft 2020-12 JSON Schema of the action's input."""
    output_schema: JsonSchema | None = None
    """Draft 2020-12 JSON Schema of the result."""
    scope: Identifier | None = None
    """What patterns match where there is no declaration; written by the deployment."""
    method: HttpMethod | None = None
    """The HTTP verb of the operation that carries the declaration; only with `acc`."""
    description: Json = None
    """A hint, never security."""
    cost: Json = None
    """A hint, never security."""
    auth: Json = None
    """A hint, never security."""
    bindings: Json = None
    """A hint, never security."""
    risk: Literal["low", "medium", "high", "critical"] | None = None
    """Declared risk; absent: a default applies (language.md section 7)."""
    stability: Literal["stable", "experimental", "deprecated"] | None = None
    """How settled it is."""
    requires_human_approval: bool = False
    """Whether a human must approve every call."""
    contract: Contract | None = None
    """The AIP contract; absence declares nothing."""
    acc: AccDeclaration | None = None
    """The ACC declaration."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in_from_the_declaration(cls, value: Any) -> Any:
        return filled_in(value)

    @model_validator(mode="after")
    def _method_belongs_to_a_declaration(self) -> Self:
        if self.method is not None and self.acc is None:
            raise ValueError("`method` is given only beside `acc`")
        return self


def filled_in(document: Any) -> Any:
    """The document with the members that may be left out beside `acc`; anything else comes back as it is."""
    if not isinstance(document, dict):
        return document
    declaration = document.get("acc")
    if isinstance(declaration, AccDeclaration):
        scope: object = declaration.scope
    elif isinstance(declaration, dict):
        scope = declaration.get("scope")
    else:
        return document
    filled = dict(document)
    if isinstance(scope, str):
        filled.setdefault("id", scope)
    if isinstance(filled.get("id"), str):
        filled.setdefault("name", filled["id"])
    filled.setdefault("kind", "tool")
    return filled
