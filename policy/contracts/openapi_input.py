"""The input schema of an OpenAPI operation: parameters and body in one view (model.md section 2).

Path, query, header and cookie names and the members of an object body are members of the input; a body that is no
object is the member `body`. What has no place in the request is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from policy.contracts.fragments import follow
from policy.contracts.openapi_schema import Converted, Schemas, UnsupportedError
from policy.contracts.parameters import applied_schemas, declared_names, types_of_value
from policy.model.canonical import canonical_bytes
from policy.model.mistakes import quoted
from policy.source.records import dataclass

BODY = "body"
"""The member that holds a body which is no object."""

_LOCATIONS = ("path", "query", "header", "cookie")
_IGNORED_HEADERS = ("accept", "content-type", "authorization")
_TEMPLATE = re.compile(r"\{([^{}]+)\}")
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json(?:\s*;.*)?|\*/\*", re.IGNORECASE)
_FORM = re.compile(r"application/x-www-form-urlencoded(?:\s*;.*)?|multipart/form-data(?:\s*;.*)?", re.IGNORECASE)
_PLAIN = frozenset({"type", "properties", "required", "additionalProperties"})
_CLOSING = ("unevaluatedProperties", "patternProperties", "propertyNames", "maxProperties", "minProperties")
_CHAIN = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class InputView:
    """An operation's input schema, its levels, and the names that two places define differently."""

    schema: dict[str, Any]
    depth: int
    conflicting: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """One named input; several may have one name."""

    name: str
    schema: Converted
    required: bool


def input_view(operation: Mapping[str, Any], shared: object, path: str, schemas: Schemas) -> InputView:
    """The view of one operation; `shared` are the parameters of its path. Raises UnsupportedError."""
    members = _parameters(operation.get("parameters", []), shared, path, schemas)
    request = referred(operation.get("requestBody"), schemas)
    if request is None:
        return _view(members, Converted(schema={"additionalProperties": False}), schemas)
    if not isinstance(request, Mapping):
        raise UnsupportedError("`requestBody` is no object; correct it")
    required = request.get("required") is True
    body = _body_schema(request.get("content"), schemas)
    plain = _plain_object(body, schemas)
    if plain is not None:
        return _with_members(members, plain, required, schemas)
    closed = schemas.closed(body).schema
    types, names = types_of_value(closed), declared_names(closed)
    if types != {"object"} and not ("object" in types and names):
        whole = _Member(name=BODY, schema=body, required=required)
        return _view([*members, whole], Converted(schema={"additionalProperties": False}), schemas)
    if members and any(_closes(each) for each in applied_schemas(closed)):
        raise UnsupportedError("the body is closed and there are parameters beside it; write the body as one object")
    both = names & {member.name for member in members}
    extra = Converted(schema={"allOf": [body.schema]}, references=body.references)
    return _view(members, extra, schemas, both)


def _with_members(members: list[_Member], body: Converted, required: bool, schemas: Schemas) -> InputView:
    """The view over parameters and a plain object body."""
    schema = body.schema if isinstance(body.schema, dict) else {}
    asked = [name for name in schema.get("required", []) if isinstance(name, str)]
    properties = schema.get("properties", {})
    inner = [
        _Member(
            name=name, schema=Converted(schema=each, references=body.references), required=required and name in asked
        )
        for name, each in properties.items()
    ]
    extra: dict[str, Any] = {}
    if "additionalProperties" in schema:
        extra["additionalProperties"] = schema["additionalProperties"]
    if required:
        extra["required"] = asked
    elif asked:
        # The body may be left out; one that is there has everything it needs.
        extra["dependentRequired"] = {name: sorted(set(asked) - {name}) for name in properties}
    return _view([*members, *inner], Converted(schema=extra, references=body.references), schemas)


def _view(
    members: list[_Member], extra: Converted, schemas: Schemas, conflicting: frozenset[str] = frozenset()
) -> InputView:
    """The object that has these members and of which `extra` holds too."""
    said = extra.schema if isinstance(extra.schema, dict) else {}
    references = extra.references
    properties: dict[str, Any] = {}
    required: set[str] = set(said.get("required", []))
    doubtful: set[str] = set(conflicting)
    for name, same in _grouped(members).items():
        different = _distinct([each.schema.schema for each in same])
        properties[name] = different[0] if len(different) == 1 else {"allOf": different}
        doubtful |= {name} if len(different) > 1 else set()
        required |= {name} if any(each.required for each in same) else set()
        references |= frozenset().union(*(each.schema.references for each in same))
    schema: dict[str, Any] = {"type": "object", **said, "properties": properties, "required": sorted(required)}
    closed = schemas.closed(Converted(schema=schema, references=references))
    return InputView(schema=closed.schema, depth=closed.depth, conflicting=frozenset(doubtful))


def _distinct(values: list[Any]) -> list[Any]:
    """The values that differ as JSON, in an order that does not depend on theirs."""
    if len(values) < 2:
        return values
    by_text = {canonical_bytes(value): value for value in values}
    return [by_text[text] for text in sorted(by_text)]


def _grouped(members: Iterable[_Member]) -> dict[str, list[_Member]]:
    grouped: dict[str, list[_Member]] = {}
    for member in members:
        grouped.setdefault(member.name, []).append(member)
    return grouped


def _plain_object(body: Converted, schemas: Schemas) -> Converted | None:
    """The body as an object that says nothing but members, following plain references; None for any other."""
    at = body
    for _ in range(_CHAIN):
        if isinstance(at.schema, bool):
            return None
        if at.schema.keys() != {"$ref"}:
            said = at.schema.keys() <= _PLAIN and at.schema.get("type", "object") == "object"
            about = "type" in at.schema or "properties" in at.schema
            return at if said and about and isinstance(at.schema.get("properties", {}), dict) else None
        at = schemas.component(next(iter(at.references)))
    raise UnsupportedError("the schema of the body only refers to itself; describe it")


def _closes(schema: Mapping[str, Any]) -> bool:
    """Whether a schema judges members that it does not name."""
    return schema.get("additionalProperties", True) is not True or any(word in schema for word in _CLOSING)


def _parameters(own: object, shared: object, path: str, schemas: Schemas) -> list[_Member]:
    found: dict[tuple[str, str], _Member] = {}
    for listed in (shared, own):
        if not isinstance(listed, list):
            raise UnsupportedError("`parameters` is no list; correct it")
        for written in listed:
            parameter = referred(written, schemas)
            if not isinstance(parameter, Mapping):
                raise UnsupportedError(f"the parameter {quoted(written)} is no object; correct it")
            name, where = parameter.get("name"), parameter.get("in")
            if not isinstance(name, str) or not name or where not in _LOCATIONS:
                message = f"the parameter {quoted(name)} in {quoted(where)} is malformed"
                raise UnsupportedError(f"{message}; give a name and path, query, header or cookie")
            if where != "header" or name.lower() not in _IGNORED_HEADERS:
                schema = _parameter_schema(parameter, name, schemas)
                required = where == "path" or parameter.get("required") is True
                found[(str(where), name)] = _Member(name=name, schema=schema, required=required)
    _complete(path, {name for where, name in found if where == "path"})
    return [found[key] for key in sorted(found)]


def _complete(path: str, declared: set[str]) -> None:
    """A path's template and its parameters name each other."""
    template = set(_TEMPLATE.findall(path))
    if template - declared:
        raise UnsupportedError(f"{quoted(min(template - declared))} stands in the path undescribed; add a parameter")
    if declared - template:
        raise UnsupportedError(f"{quoted(min(declared - template))} is no part of the path; remove the parameter")


def _parameter_schema(parameter: Mapping[str, Any], name: str, schemas: Schemas) -> Converted:
    content = parameter.get("content")
    if "schema" in parameter and content is None:
        return schemas.convert(parameter["schema"])
    if "schema" not in parameter and isinstance(content, Mapping) and len(content) == 1:
        media = next(iter(content.values()))
        if isinstance(media, Mapping) and "schema" in media:
            return schemas.convert(media["schema"])
    raise UnsupportedError(f"the parameter {quoted(name)} has no schema of its own; give it one")


def _body_schema(content: object, schemas: Schemas) -> Converted:
    """The schema of the JSON representation, else of a form."""
    if not isinstance(content, Mapping):
        raise UnsupportedError("the body has no content; describe it")
    for kind in (_JSON, _FORM):
        media = [each for name, each in content.items() if kind.fullmatch(name) is not None]
        if not all(isinstance(each, Mapping) and "schema" in each for each in media):
            raise UnsupportedError("the body has no schema; give it one")
        distinct = _distinct([each["schema"] for each in media])
        if len(distinct) > 1:
            raise UnsupportedError("the body is described in two different ways; describe it once")
        if distinct:
            return schemas.convert(distinct[0])
    raise UnsupportedError("the body is neither JSON nor a form; describe it as one of them")


def referred(value: object, schemas: Schemas) -> object:
    """What a value that may be a reference object stands for."""
    for _ in range(_CHAIN):
        if not isinstance(value, Mapping) or "$ref" not in value:
            return value
        value = follow(schemas.document, schemas.pointer(value["$ref"]))
        if value is None:
            raise UnsupportedError("a reference names nothing; correct it")
    raise UnsupportedError("a reference only leads to references; correct it")
