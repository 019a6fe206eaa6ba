"""Diagnostics: what an ACC declaration, the documents that carry one, and a catalog can get wrong."""

from __future__ import annotations

import json
from typing import Any

from policy.source.codes.entry import Code, error, warning

_DECLARATION: dict[str, Any] = {"version": 1, "enabled": True, "scope": "refund.create"}
_INPUT: dict[str, Any] = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "note": {"type": "string"}},
    "required": ["amount"],
}


def _acc(**members: object) -> str:
    return json.dumps({"acc": {**_DECLARATION, **members}, "input_schema": _INPUT})


def _when(param: str, op: str, value: object, schema: object = _INPUT) -> str:
    condition = {"param": param, "op": op, "value": value}
    return json.dumps({"acc": {**_DECLARATION, "approval": {"when": [condition]}}, "input_schema": schema})


def _dotted(name: str) -> dict[str, Any]:
    below = {"type": "object", "properties": {"b": {"type": "number"}}}
    return {"type": "object", "properties": {"a": below, name: {"type": "number"}}}


def _openapi(operation: object, **members: object) -> str:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "refunds", "version": "1"},
        "paths": {"/refunds": {"get": operation}},
    }
    return json.dumps({**document, **members})


def _mcp(tool: object, **members: object) -> str:
    return json.dumps({"tools": [tool], **members})


_OPERATION: dict[str, Any] = {"operationId": "refunds", "x-agent-capability": _DECLARATION}
_SEARCH: dict[str, Any] = {"name": "search", "inputSchema": {"type": "object"}}
_TOOL: dict[str, Any] = {"id": "a", "name": "a", "kind": "tool", "input_schema": {"type": "object"}}

_ACC: tuple[Code, ...] = (
    error(
        "acc.invalid_declaration",
        "the declaration lacks a required member, or a member has another type or is out of its bounds",
        _acc(enabled="true"),
        _acc(enabled=True),
        format="json",
    ),
    error(
        "acc.unsupported_version",
        "the declaration has another integer version than 1; every decision about the capability denies",
        _acc(version=2),
        _acc(version=1),
        format="json",
    ),
    error(
        "acc.parameter_unknown",
        "a condition names no declared input, or one that no valid input has",
        _when("amuont", ">", 1000),
        _when("amount", ">", 1000),
        format="json",
    ),
    error(
        "acc.parameter_ambiguous",
        "a condition's parameter can be read in two ways, or two places of an operation define it differently",
        _when("a.b", ">", 1000, _dotted("a.b")),
        _when("a.b", ">", 1000, _dotted("c")),
        format="json",
    ),
    error(
        "acc.parameter_type",
        "the schema of a condition's parameter admits values that the operator cannot judge",
        _when("note", ">", 1000),
        _when("amount", ">", 1000),
        format="json",
    ),
    error(
        "acc.value_type",
        "the value of a condition is not of a type that the operator compares with",
        _when("amount", ">", "1000"),
        _when("amount", ">", 1000),
        format="json",
    ),
    warning(
        "acc.condition_never_matches",
        "a condition compares with a value of a type that its parameter never has",
        _when("amount", "==", "1000"),
        _when("amount", "==", 1000),
        format="json",
    ),
    warning(
        "acc.member_unknown",
        "a member that ACC ignores is almost one that it knows",
        _acc(aproval={"required": True}),
        _acc(approval={"required": True}),
        format="json",
    ),
)

_OPENAPI: tuple[Code, ...] = (
    error(
        "openapi.unsupported_version",
        "the document is of another version than OpenAPI 3.0 and 3.1, or of another schema dialect",
        _openapi(_OPERATION, openapi="4.0.0"),
        _openapi(_OPERATION),
        format="json",
    ),
    error(
        "openapi.malformed",
        "the document is not laid out as OpenAPI says",
        json.dumps({"openapi": "3.1.0", "paths": []}),
        _openapi(_OPERATION),
        format="json",
    ),
    error(
        "openapi.operation_skipped",
        "an operation is malformed, refers out of the document, or is not described well enough to be judged",
        _openapi({**_OPERATION, "parameters": [{"name": "page", "in": "query"}]}),
        _openapi({**_OPERATION, "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}]}),
        format="json",
    ),
    warning(
        "openapi.operations_undeclared",
        "operations that carry no declaration are no capabilities",
        _openapi({"operationId": "refunds"}),
        _openapi(_OPERATION),
        format="json",
    ),
    warning(
        "openapi.extension_misplaced",
        "a declaration stands elsewhere than on an operation and is ignored",
        _openapi(_OPERATION, **{"x-agent-capability": _DECLARATION}),
        _openapi(_OPERATION),
        format="json",
    ),
)

_MCP: tuple[Code, ...] = (
    error(
        "mcp.tool_skipped",
        "a tool is malformed or too large to be judged",
        _mcp({"name": "search"}),
        _mcp(_SEARCH),
        format="json",
    ),
    error(
        "mcp.server_malformed",
        "the name that a deployment gives a server cannot be part of a tool's id",
        "policy check --capabilities 'tools v2.json'",
        "policy check --capabilities tools-v2.json",
        format="yaml",
    ),
    warning(
        "mcp.list_incomplete",
        "the list is one page of several",
        _mcp(_SEARCH, nextCursor="2"),
        _mcp(_SEARCH),
        format="json",
    ),
)

_CATALOG: tuple[Code, ...] = (
    error(
        "catalog.unreadable",
        "the catalog cannot be read, is too large, or is neither JSON nor YAML 1.2",
        '{"id": "a", "id": "b"}',
        json.dumps(_TOOL),
        format="json",
    ),
    error(
        "catalog.shape_unknown",
        "the file is no capability, no list of them, no AIP manifest, no OpenAPI document and no MCP tool list",
        '{"capability": []}',
        json.dumps({"capabilities": [_TOOL]}),
        format="json",
    ),
    error(
        "catalog.duplicate_id",
        "two capabilities have one id; neither is taken",
        json.dumps([_TOOL, _TOOL]),
        json.dumps([_TOOL, {**_TOOL, "id": "b"}]),
        format="json",
    ),
)

CODES: tuple[Code, ...] = (*_ACC, *_OPENAPI, *_MCP, *_CATALOG)
