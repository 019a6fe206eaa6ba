"""The OpenAPI document, made of the operations and their models."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from policy.model.published import json_schema
from policy.server.errors import STATUSES
from policy.server.models import ErrorResponse, ProblemResponse
from policy.server.operations import Operation

_VERSION = "1.0"
_COMMON = (
    "request.malformed",
    "request.too_many_headers",
    "request.host_unknown",
    "request.origin_foreign",
    "service.busy",
    "service.timeout",
    "service.failure",
)
"""Errors that every operation may have."""
_BODY = ("body.missing", "body.malformed", "body.too_large", "body.media_type")
_CALLER = ("caller.unauthenticated", "caller.not_permitted")
_PARAMETER = re.compile(r"\{(\w+)\}")
_PROBLEM = "access_request.refused"
_PROBLEM_STATUSES = (400, 404, 409, 410)
"""The statuses of the problems of the Access Request and Approval profile."""
_PARTS = "#/components/schemas/"


def document(operations: Iterable[Operation], base: str) -> dict[str, Any]:
    """The OpenAPI 3.1 document of the operations, served at a base address."""
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas)
    _reference(ErrorResponse, schemas, written=True)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Policy decision service",
            "version": _VERSION,
            "description": "Decides whether an agent's action may run, must wait for people, or is refused.",
        },
        "servers": [{"url": base}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {str(operation.success): _success(operation, schemas), **_errors(operation, schemas)},
        "security": [],
    }
    if operation.permission is not None:
        described["security"] = [{"bearer": []}]
        described["description"] = f"Takes the permission `{operation.permission}`."
    parameters = _PARAMETER.findall(operation.path)
    if parameters:
        described["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in parameters
        ]
    if operation.request is not None:
        described["requestBody"] = {
            "required": not operation.optional_body,
            "content": {"application/json": {"schema": _reference(operation.request, schemas, written=False)}},
        }
    return described


def _success(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if operation.response is None:
        schema: dict[str, Any] = (
            {"type": "object"} if operation.media_type == "application/json" else {"type": "string"}
        )
    else:
        schema = _reference(operation.response, schemas, written=True)
    media = operation.media_type.partition(";")[0]
    return {"description": "The answer.", "content": {media: {"schema": schema}}}


def _errors(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    codes = [*_COMMON, *operation.errors]
    codes += _BODY if operation.request is not None else ()
    codes += _CALLER if operation.permission is not None else ()
    by_status: dict[int, list[str]] = {}
    for code in codes:
        changed = operation.media_status is not None and code == "body.media_type"
        status = operation.media_status if changed and operation.media_status is not None else STATUSES[code]
        by_status.setdefault(status, []).append(code)
    schema = _reference(ErrorResponse, schemas, written=True)
    problems = _PROBLEM_STATUSES if _PROBLEM in codes else ()
    described: dict[str, Any] = {}
    for status in sorted({*by_status, *problems}):
        found = by_status.get(status, [_PROBLEM])
        content = {"application/json": {"schema": schema}} if status in by_status else {}
        if status in problems:
            content["application/problem+json"] = {"schema": _reference(ProblemResponse, schemas, written=True)}
        description = "An error: " + ", ".join(f"`{code}`" for code in dict.fromkeys(found)) + "."
        described[str(status)] = {"description": description, "content": content}
    return described


def _reference(model: type[BaseModel], schemas: dict[str, Any], *, written: bool) -> dict[str, Any]:
    """A reference to the model's schema, which is put among the schemas with everything that it refers to."""
    schema = json_schema(model, "serialization" if written else "validation")
    parts = {**schema.pop("$defs", {}), model.__name__: schema}
    schema.pop("$schema", None)
    for name, part in parts.items():
        placed = _placed(part)
        if schemas.setdefault(name, placed) != placed:
            raise ValueError(f"two schemas are named `{name}`")
    return {"$ref": f"{_PARTS}{model.__name__}"}


def _placed(part: Any) -> Any:
    """A schema whose references lead to where OpenAPI keeps schemas."""
    if isinstance(part, list):
        return [_placed(each) for each in part]
    if not isinstance(part, dict):
        return part
    placed: dict[str, Any] = {}
    for name, value in part.items():
        if name == "$ref" and isinstance(value, str):
            placed[name] = f"{_PARTS}{value.removeprefix('#/$defs/')}"
        elif name != "default" or value is not None:
            # That a member is null where it is left out says nothing, and is not true of those that may not be null.
            placed[name] = _placed(value)
    return placed
