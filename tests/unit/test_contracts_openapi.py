"""The OpenAPI binding: operations that carry a declaration (model.md section 2)."""

from __future__ import annotations

import pytest

from policy.types.values import RiskLevel
from tests.unit.openapi_documents import (
    ID,
    NUMBER,
    Json,
    body_of,
    declaration,
    document_of,
    load,
    only,
    operation_of,
    query_of,
    skipped,
)

_LOOP = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}


def test_a_declared_operation_is_a_capability() -> None:
    operation = operation_of(
        summary="Update an order", deprecated=True, parameters=[ID], requestBody=body_of({"type": "object"})
    )
    catalog = load(document_of(operation, path="/orders/{id}", verb="put"))
    assert (catalog.kind, catalog.diagnostics) == ("OpenAPI document", ())
    capability = catalog.capabilities["update"]
    assert (capability.id, capability.scope, capability.document.name) == ("update", "order.update", "Update an order")
    assert (capability.document.kind, capability.document.method) == ("tool", "PUT")
    assert capability.document.stability == "deprecated"
    assert (capability.effects, capability.readonly, capability.declared_risk) == (None, False, RiskLevel.MEDIUM)
    assert capability.place is not None and capability.place.pointer == "/paths/~1orders~1{id}/put"


def test_an_operation_without_a_name_is_called_by_verb_and_path() -> None:
    operation = operation_of()
    del operation["operationId"]
    capability = only(document_of(operation, path="/orders", verb="get"))
    assert (capability.id, capability.document.name, capability.scope_wellformed) == (
        "GET /orders",
        "GET /orders",
        True,
    )


@pytest.mark.parametrize(
    ("verb", "members", "risk"),
    [
        ("get", {}, RiskLevel.LOW),
        ("get", {"execution": {"readonly": False}}, RiskLevel.MEDIUM),
        ("get", {"execution": {"readonly": True}}, RiskLevel.LOW),
        ("get", {"risk": {"level": "high"}}, RiskLevel.HIGH),
        ("head", {}, RiskLevel.MEDIUM),
        ("post", {}, RiskLevel.MEDIUM),
    ],
)
def test_a_get_defaults_to_low_risk_and_says_nothing_of_effects(verb: str, members: Json, risk: RiskLevel) -> None:
    capability = only(document_of(operation_of(**{"x-agent-capability": declaration(**members)}), verb=verb))
    assert capability.declared_risk is risk
    declared = members.get("execution", {}).get("readonly") is True
    assert (capability.effects, capability.readonly) == (("read",) if declared else None, declared)


def test_operations_without_a_declaration_are_no_capabilities() -> None:
    document = document_of({"operationId": "a"})
    document["paths"]["/orders"]["get"] = {"operationId": "b"}
    catalog = load(document)
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.message) for found in catalog.diagnostics] == [
        ("openapi.operations_undeclared", "2 operations carry no `x-agent-capability`, so none of them is a capability")
    ]


@pytest.mark.parametrize(
    ("declaration", "code", "pointer"),
    [
        (declaration(version=2), "acc.unsupported_version", "/version"),
        (declaration(version=1.0), "acc.invalid_declaration", "/version"),
        (declaration(enabled="yes"), "acc.invalid_declaration", "/enabled"),
        (None, "acc.invalid_declaration", "/version"),
        ("order.update", "acc.invalid_declaration", ""),
        (
            declaration(approval={"when": [{"param": "amount", "op": ">", "value": 1}]}),
            "acc.parameter_unknown",
            "/approval/when/0/param",
        ),
    ],
)
def test_an_operation_with_a_wrong_declaration_is_skipped(declaration: object, code: str, pointer: str) -> None:
    catalog = load(document_of(operation_of(**{"x-agent-capability": declaration})))
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        (code, f"/paths/~1orders/post/x-agent-capability{pointer}")
    ]


def test_a_disabled_operation_is_loaded_and_marked() -> None:
    assert not only(document_of(operation_of(**{"x-agent-capability": declaration(enabled=False)}))).enabled


def test_the_extension_counts_on_operations_only() -> None:
    document = document_of({"operationId": "a", "parameters": []})
    document["x-agent-capability"] = declaration()
    document["paths"]["/orders"]["x-agent-capability"] = declaration()
    document["info"]["x-agent-capability"] = declaration()
    catalog = load(document)
    assert dict(catalog.capabilities) == {}
    assert sorted((found.code, found.pointer) for found in catalog.diagnostics) == [
        ("openapi.extension_misplaced", "/info/x-agent-capability"),
        ("openapi.extension_misplaced", "/paths/~1orders/x-agent-capability"),
        ("openapi.extension_misplaced", "/x-agent-capability"),
        ("openapi.operations_undeclared", "/paths"),
    ]


@pytest.mark.parametrize("item", [5, [], {"$ref": "other.json"}, {"$ref": "#/nowhere"}])
def test_a_path_that_cannot_be_read_is_skipped(item: object) -> None:
    document = document_of(operation_of())
    document["paths"] = {"/orders": item}
    assert skipped(document)[0] == "/paths/~1orders"


def test_an_operation_that_is_no_object_is_skipped() -> None:
    assert skipped(document_of([]))[0] == "/paths/~1orders/post"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"pattern": "("},
        {"$ref": "#/components/schemas/A"},
        {"type": "number", "exclusiveMinimum": True, "minimum": 3},
    ],
)
def test_a_schema_that_does_not_compile_skips_its_operation(schema: Json) -> None:
    catalog = load(document_of(operation_of(parameters=[query_of("a", schema)]), components={"schemas": _LOOP}))
    assert dict(catalog.capabilities) == {}
    assert {found.code for found in catalog.diagnostics} == {"aip.schema_invalid"}
    assert {found.pointer for found in catalog.diagnostics} == {"/paths/~1orders/post"}


@pytest.mark.parametrize("version", ["2.0", "3.2.0", "3.10.0", "3", "4.0.0", 3.1, None, "3.1.0\n"])
def test_another_version_is_refused(version: object) -> None:
    catalog = load(document_of(operation_of(), openapi=version))
    assert [found.code for found in catalog.diagnostics] == ["openapi.unsupported_version"]
    assert dict(catalog.capabilities) == {}


def test_swagger_and_foreign_dialects_are_refused() -> None:
    for document in (
        {"swagger": "2.0", "paths": {}},
        document_of(operation_of(), jsonSchemaDialect="http://json-schema.org/draft-07/schema#"),
    ):
        assert [found.code for found in load(document).diagnostics] == ["openapi.unsupported_version"]


def test_two_operations_of_one_name_are_both_left_out() -> None:
    document = document_of(operation_of())
    document["paths"]["/orders"]["put"] = operation_of()
    catalog = load(document)
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        ("catalog.duplicate_id", "/paths/~1orders/put")
    ]


def test_one_wrong_operation_does_not_hide_the_others() -> None:
    document = document_of(operation_of())
    document["paths"]["/other"] = {"get": operation_of(operationId="other", parameters=[5])}
    catalog = load(document)
    assert list(catalog.capabilities) == ["update"]
    assert [found.code for found in catalog.diagnostics] == ["openapi.operation_skipped"]


def test_the_order_of_the_document_changes_no_digest() -> None:
    components = {
        "schemas": {"A": NUMBER, "B": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}}
    }
    operation = operation_of(
        parameters=[query_of("p"), query_of("q", {"$ref": "#/components/schemas/A"})],
        requestBody=body_of({"$ref": "#/components/schemas/B"}),
    )
    turned = {**operation, "parameters": list(reversed(operation["parameters"]))}
    other = {"schemas": dict(reversed(components["schemas"].items()))}
    assert (
        only(document_of(operation, components=components)).digest == only(document_of(turned, components=other)).digest
    )


def test_deep_and_tangled_schemas_end_quickly() -> None:
    deep: Json = NUMBER
    for _ in range(30):
        deep = {"allOf": [deep]}
    tangled = {
        f"S{n}": {
            "anyOf": [{"$ref": f"#/components/schemas/S{(n * k + 1) % 300}"} for k in range(1, 4)],
            "type": "object",
        }
        for n in range(300)
    }
    document = document_of(
        operation_of(parameters=[query_of("a", deep)], requestBody=body_of({"$ref": "#/components/schemas/S0"})),
        components={"schemas": tangled},
    )
    catalog = load(document)
    assert {found.code for found in catalog.diagnostics} == {"aip.schema_invalid"}


def test_what_describes_an_operation_is_bounded() -> None:
    wide = {f"S{n}": {"type": "object", "description": "x", "enum": [{"text": "y" * 2000}]} for n in range(600)}
    body = {"type": "object", "properties": {f"p{n}": {"$ref": f"#/components/schemas/S{n}"} for n in range(600)}}
    pointer, message = skipped(document_of(operation_of(requestBody=body_of(body)), components={"schemas": wide}))
    assert pointer == "/paths/~1orders/post"
    assert message == "what describes the operation takes more than 1,048,576 bytes; describe it with less"
