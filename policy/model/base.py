"""What every public model shares."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

from policy.types.instants import parse_timestamp


def _timestamp(text: str) -> str:
    if parse_timestamp(text) is None:
        raise ValueError("not an RFC 3339 timestamp with an offset, at most 9 fraction digits and a year 1-9999")
    return text


Timestamp = Annotated[str, AfterValidator(_timestamp)]
"""RFC 3339 text with offset, kept as written."""

Identifier = Annotated[str, StringConstraints(min_length=1)]
"""A non-empty string, compared by code point."""

Json = Any
"""A JSON value, bounds checked apart (model.md section 6)."""


class Model(BaseModel):
    """Frozen, strict (nothing is coerced), unknown members refused."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", protected_namespaces=(), use_attribute_docstrings=True)
