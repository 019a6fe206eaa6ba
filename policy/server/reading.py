"""What a request brings: its body within the limits, JSON without tricks, and the model of the operation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from policy.model.bounds import pointer_of
from policy.model.data_error import DataError
from policy.model.reader import read_json
from policy.server.errors import ServiceError
from policy.server.operations import Operation
from policy.server.settings import ServiceLimits
from policy.source.limits import DEFAULT_LIMITS

_CAPABILITY = "capability"


async def read_body(request: Request, operation: Operation, limits: ServiceLimits) -> bytes:
    """The bytes of the body. Raises ServiceError for another content type, and for more than the limit."""
    _check_media(request, operation)
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limits.body_bytes:
        raise _too_large(limits)
    data = bytearray()
    try:
        async for chunk in request.stream():
            data += chunk
            if len(data) > limits.body_bytes:
                raise _too_large(limits)
    except ClientDisconnect:
        raise ServiceError("request.malformed", "the connection ended within the body") from None
    return bytes(data)


def read_model(data: bytes, operation: Operation, limits: ServiceLimits) -> BaseModel | None:
    """The model of a body. Raises ServiceError for what is not JSON, repeats a member or is not of the model."""
    model = operation.request
    if model is None or (operation.optional_body and not data.strip()):
        return None
    if not data.strip():
        raise ServiceError("body.missing", "the body is empty; a JSON object is expected")
    bounds = replace(DEFAULT_LIMITS, data_bytes=limits.body_bytes, data_depth=limits.depth)
    try:
        value = read_json(data, bounds)
    except DataError as error:
        where = "" if error.line is None else f", line {error.line}"
        column = "" if error.column is None else f", column {error.column}"
        raise ServiceError("body.malformed", f"the body is not read: {error.message}{where}{column}") from None
    except RecursionError:
        raise ServiceError("body.malformed", "the body is not read: nested too deeply") from None
    if not isinstance(value, dict):
        raise ServiceError("request.malformed", "the body must be a JSON object")
    if _CAPABILITY in value and model.model_config.get("extra") == "forbid":
        raise ServiceError(
            "request.capability_document",
            "capabilities come from the service's own catalog; name one by `action.capability_id`",
        )
    return validated(model, value)


def validated(model: type[BaseModel], value: Any) -> BaseModel:
    """The model of JSON data. Raises ServiceError that names the place and never the value."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        message = problem["msg"][:1].lower() + problem["msg"][1:]
        place = pointer_of(list(problem["loc"]))[:200]
        raise ServiceError("request.malformed", f"at `{place}`: {message}") from None


def _check_media(request: Request, operation: Operation) -> None:
    if operation.request is None:
        return
    headers = request.headers
    if operation.optional_body and "content-type" not in headers:
        return
    media, _, parameters = headers.get("content-type", "").partition(";")
    name, _, charset = parameters.strip().partition("=")
    plain = not parameters.strip() or (name.strip().lower() == "charset" and charset.strip(' "').lower() == "utf-8")
    if media.strip().lower() == "application/json" and plain and "content-encoding" not in headers:
        return
    message = "send `Content-Type: application/json` in UTF-8, without a content encoding"
    raise ServiceError("body.media_type", message, status=operation.media_status)


def _too_large(limits: ServiceLimits) -> ServiceError:
    # The rest of the body is never read, so the connection cannot be used again.
    headers = {"Connection": "close"}
    return ServiceError("body.too_large", f"the body has more than {limits.body_bytes:,} bytes", headers=headers)
