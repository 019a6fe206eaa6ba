"""OpenAPI documents for tests: one operation, to be changed in one place."""

from __future__ import annotations

from typing import Any

from policy.contracts.catalog import LoadedCatalog, read_catalog
from policy.model.admitted import AdmittedCapability

Json = dict[str, Any]

NUMBER = {"type": "number"}
STRING = {"type": "string"}
ID = {"name": "id", "in": "path", "required": True, "schema": STRING}


def declaration(**members: object) -> Json:
    return {"version": 1, "enabled": True, "scope": "order.update", **members}


def operation_of(**members: object) -> Json:
    return {"operationId": "update", "x-agent-capability": declaration(), **members}


def document_of(operation: object, *, path: str = "/orders", verb: str = "post", **members: object) -> Json:
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {path: {verb: operation}}, **members}


def body_of(schema: object, **members: object) -> Json:
    return {"content": {"application/json": {"schema": schema}}, **members}


def query_of(name: str, schema: object = STRING, **members: object) -> Json:
    return {"name": name, "in": "query", "schema": schema, **members}


def load(document: object) -> LoadedCatalog:
    return read_catalog(document, "api.json")


def only(document: object) -> AdmittedCapability:
    catalog = load(document)
    assert catalog.diagnostics == ()
    assert len(catalog.capabilities) == 1
    return next(iter(catalog.capabilities.values()))


def schema_of(**members: object) -> Any:
    return only(document_of(operation_of(**members))).document.input_schema


def skipped(document: object) -> tuple[str | None, str]:
    catalog = load(document)
    assert dict(catalog.capabilities) == {}
    assert [found.code for found in catalog.diagnostics] == ["openapi.operation_skipped"]
    return catalog.diagnostics[0].pointer, catalog.diagnostics[0].message
