"""What every public model shares."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, WithJsonSchema

from policy.types.instants import parse_timestamp


def _timestamp(text: str) -> str:
    if parse_timestamp(text) is None:
        raise ValueError("not an RFC 3339 timestamp with an offset, at most 9 fraction digits and a year 1-9999")
    return text


Timestamp = Annotated[str, AfterValidator(_timestamp), WithJsonSchema({"type": "string", "format": "date-time"})]
"""RFC 3339 text with offset, kept as written."""

Identifier = Annotated[str, StringConstraints(min_length=1)]
"""A non-empty string, compared by code point."""

Json = Any
"""A JSON value, bounds checked apart (`policy.model.bounds`)."""


class Model(BaseModel):
    """Frozen, strict (nothing is coerced), unknown members refused, no NaN and no infinity."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        protected_namespaces=(),
    )

    schema_mode: ClassVar[Literal["validation", "serialization"]] = "validation"
    """Which form `json_schema` describes: what is read, or (for a decision) what is written."""

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The JSON Schema (Draft 2020-12) of the wire form, as `policy schema` publishes it."""
        from policy.model.published import json_schema

        return json_schema(cls, cls.schema_mode)


class Part(Model):
    """A model that stands inside others only: a validator of its own is made when somebody asks for it."""

    model_config = ConfigDict(defer_build=True)


_Made = TypeVar("_Made", bound=Model)


def made(model: type[_Made], members: dict[str, Any]) -> _Made:
    """A model of members that this package worked out itself, all of them given in their order: nothing is checked."""
    value = model.__new__(model)
    put = object.__setattr__
    put(value, "__dict__", members)
    put(value, "__pydantic_fields_set__", set(members))
    put(value, "__pydantic_extra__", None)
    put(value, "__pydantic_private__", None)
    return value
