"""The OpenAPI binding: operations that carry a declaration, and their one input view (model.md section 2)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from policy.contracts.catalog import LoadedCatalog, read_catalog
from policy.model.admitted import AdmittedCapability
from policy.types.values import RiskLevel

Json = dict[str, Any]

_NUMBER = {"type": "number"}
_STRING = {"type": "string"}
_ID = {"name": "id", "in": "path", "required": True, "schema": _STRING}


def _declaration(**members: object) -> Json:
    return {"version": 1, "enabled": True, "scope": "order.update", **members}


def _operation(**members: object) -> Json:
    return {"operationId": "update", "x-agent-capability": _declaration(), **members}


def _document(operation: object, *, path: str = "/orders", verb: str = "post", **members: object) -> Json:
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {path: {verb: operation}}, **members}


def _body(schema: object, **members: object) -> Json:
    return {"content": {"application/json": {"schema": schema}}, **members}


def _query(name: str, schema: object = _STRING, **members: object) -> Json:
    return {"name": name, "in": "query", "schema": schema, **members}


def _load(document: object) -> LoadedCatalog:
    return read_catalog(document, "api.json")


def _only(document: object) -> AdmittedCapability:
    catalog = _load(document)
    assert catalog.diagnostics == ()
    assert len(catalog.capabilities) == 1
    return next(iter(catalog.capabilities.values()))


def _schema(**members: object) -> Any:
    return _only(_document(_operation(**members))).document.input_schema


def _skipped(document: object) -> tuple[str | None, str]:
    catalog = _load(document)
    assert dict(catalog.capabilities) == {}
    assert [found.code for found in catalog.diagnostics] == ["openapi.operation_skipped"]
    return catalog.diagnostics[0].pointer, catalog.diagnostics[0].message


def test_a_declared_operation_is_a_capability() -> None:
    operation = _operation(
        summary="Update an order", deprecated=True, parameters=[_ID], requestBody=_body({"type": "object"})
    )
    catalog = _load(_document(operation, path="/orders/{id}", verb="put"))
    assert (catalog.kind, catalog.diagnostics) == ("OpenAPI document", ())
    capability = catalog.capabilities["update"]
    assert (capability.id, capability.scope, capability.document.name) == ("update", "order.update", "Update an order")
    assert (capability.document.kind, capability.document.method) == ("tool", "PUT")
    assert capability.document.stability == "deprecated"
    assert (capability.effects, capability.readonly, capability.declared_risk) == (None, False, RiskLevel.MEDIUM)
    assert capability.place is not None and capability.place.pointer == "/paths/~1orders~1{id}/put"


def test_an_operation_without_a_name_is_called_by_verb_and_path() -> None:
    operation = _operation()
    del operation["operationId"]
    capability = _only(_document(operation, path="/orders", verb="get"))
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
    capability = _only(_document(_operation(**{"x-agent-capability": _declaration(**members)}), verb=verb))
    assert capability.declared_risk is risk
    declared = members.get("execution", {}).get("readonly") is True
    assert (capability.effects, capability.readonly) == (("read",) if declared else None, declared)


def test_operations_without_a_declaration_are_no_capabilities() -> None:
    document = _document({"operationId": "a"})
    document["paths"]["/orders"]["get"] = {"operationId": "b"}
    catalog = _load(document)
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.message) for found in catalog.diagnostics] == [
        ("openapi.operations_undeclared", "2 operations carry no `x-agent-capability`, so none of them is a capability")
    ]


@pytest.mark.parametrize(
    ("declaration", "code", "pointer"),
    [
        (_declaration(version=2), "acc.unsupported_version", "/version"),
        (_declaration(version=1.0), "acc.invalid_declaration", "/version"),
        (_declaration(enabled="yes"), "acc.invalid_declaration", "/enabled"),
        (None, "acc.invalid_declaration", "/version"),
        ("order.update", "acc.invalid_declaration", ""),
        (
            _declaration(approval={"when": [{"param": "amount", "op": ">", "value": 1}]}),
            "acc.parameter_unknown",
            "/approval/when/0/param",
        ),
    ],
)
def test_an_operation_with_a_wrong_declaration_is_skipped(declaration: object, code: str, pointer: str) -> None:
    catalog = _load(_document(_operation(**{"x-agent-capability": declaration})))
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        (code, f"/paths/~1orders/post/x-agent-capability{pointer}")
    ]


def test_a_disabled_operation_is_loaded_and_marked() -> None:
    assert not _only(_document(_operation(**{"x-agent-capability": _declaration(enabled=False)}))).enabled


def test_the_extension_counts_on_operations_only() -> None:
    document = _document({"operationId": "a", "parameters": []}, **{"x-agent-capability": _declaration()})
    document["paths"]["/orders"]["x-agent-capability"] = _declaration()
    document["info"]["x-agent-capability"] = _declaration()
    catalog = _load(document)
    assert dict(catalog.capabilities) == {}
    assert sorted((found.code, found.pointer) for found in catalog.diagnostics) == [
        ("openapi.extension_misplaced", "/info/x-agent-capability"),
        ("openapi.extension_misplaced", "/paths/~1orders/x-agent-capability"),
        ("openapi.extension_misplaced", "/x-agent-capability"),
        ("openapi.operations_undeclared", "/paths"),
    ]


# --- the input view ---------------------------------------------------------------------------


def test_an_operation_without_input_takes_none() -> None:
    assert _schema() == {"type": "object", "additionalProperties": False, "properties": {}, "required": []}


def test_parameters_of_all_places_are_one_view() -> None:
    parameters = [
        _query("page", {"type": "integer"}),
        {"name": "X-Trace", "in": "header", "required": True, "schema": _STRING},
        {"name": "sid", "in": "cookie", "content": {"application/json": {"schema": _NUMBER}}},
        {"name": "Authorization", "in": "header", "schema": _STRING},
        {"name": "content-type", "in": "header"},
    ]
    assert _schema(parameters=parameters) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"sid": _NUMBER, "X-Trace": _STRING, "page": {"type": "integer"}},
        "required": ["X-Trace"],
    }


def test_an_operations_parameter_replaces_its_paths() -> None:
    document = _document(_operation(parameters=[_query("page", _NUMBER)]), path="/orders/{id}")
    document["paths"]["/orders/{id}"]["parameters"] = [_query("page"), _query("size"), _ID]
    schema = _only(document).document.input_schema
    assert schema["properties"] == {"id": _STRING, "page": _NUMBER, "size": _STRING}
    assert schema["required"] == ["id"]


def test_a_body_object_is_part_of_the_view() -> None:
    body = {"type": "object", "properties": {"amount": _NUMBER}, "required": ["amount"], "additionalProperties": False}
    assert _schema(parameters=[_query("dry_run")], requestBody=_body(body, required=True)) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"dry_run": _STRING, "amount": _NUMBER},
        "required": ["amount"],
    }


def test_a_body_that_may_be_left_out_is_whole_where_it_is_there() -> None:
    body = {"type": "object", "properties": {"amount": _NUMBER, "note": _STRING}, "required": ["amount"]}
    capability = _only(_document(_operation(requestBody=_body(body))))
    violations = capability.input_schema.violations
    assert violations({}) == ()
    assert violations({"amount": 1, "note": "x"}) == ()
    assert len(violations({"note": "x"})) == 1


def test_a_body_that_is_no_object_is_one_member() -> None:
    assert _schema(requestBody=_body({"type": "array", "items": _NUMBER}, required=True)) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"body": {"type": "array", "items": _NUMBER}},
        "required": ["body"],
    }


def test_a_composed_body_is_applied_whole() -> None:
    parts = [{"type": "object", "properties": {"a": _NUMBER}}, {"type": "object", "properties": {"b": _STRING}}]
    capability = _only(_document(_operation(parameters=[_query("page")], requestBody=_body({"allOf": parts}))))
    violations = capability.input_schema.violations
    assert violations({"a": 1, "b": "x", "page": "2"}) == ()
    assert [found.pointer for found in violations({"a": "1"})] == ["/a"]
    assert [found.pointer for found in violations({"page": 2})] == ["/page"]


def test_conditions_reach_into_every_part_of_the_view() -> None:
    body = {
        "type": "object",
        "properties": {"lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}}},
    }
    when = [{"param": "lines.amount", "op": ">", "value": 5}, {"param": "page", "op": ">=", "value": 2}]
    capability = _only(
        _document(
            _operation(
                parameters=[_query("page", {"type": "integer"})],
                requestBody=_body(body),
                **{"x-agent-capability": _declaration(approval={"when": when})},
            ),
            components={"schemas": {"Line": {"type": "object", "properties": {"amount": _NUMBER}}}},
        )
    )
    assert [condition.steps for condition in capability.acc_conditions] == [("lines", "amount"), ("page",)]


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        ([_query("amount", _STRING)], {"type": "object", "properties": {"amount": _NUMBER}}),
        ([_query("amount", _NUMBER), {"name": "amount", "in": "header", "schema": _STRING}], {"type": "object"}),
        ([_query("amount", _NUMBER)], {"allOf": [{"type": "object", "properties": {"amount": _NUMBER}}]}),
        ([_query("amount", {"const": 1})], {"type": "object", "properties": {"amount": {"const": True}}}),
    ],
)
def test_no_condition_rests_on_a_name_that_two_places_define_differently(parameters: list[Json], body: Json) -> None:
    declaration = _declaration(approval={"when": [{"param": "amount", "op": "exists"}]})
    operation = _operation(parameters=parameters, requestBody=_body(body))
    assert len(_load(_document(operation)).capabilities) == 1
    catalog = _load(_document({**operation, "x-agent-capability": declaration}))
    assert dict(catalog.capabilities) == {}
    assert [found.code for found in catalog.diagnostics] == ["acc.parameter_ambiguous"]


def test_a_name_that_two_places_define_alike_is_one_input() -> None:
    declaration = _declaration(approval={"when": [{"param": "amount", "op": ">", "value": 1}]})
    body = {"type": "object", "properties": {"amount": {"type": "number", "description": "other words"}}}
    operation = _operation(parameters=[_query("amount", _NUMBER)], requestBody=_body(body))
    assert _only(_document({**operation, "x-agent-capability": declaration})).document.input_schema["properties"] == {
        "amount": _NUMBER
    }


def test_both_definitions_of_a_name_must_hold() -> None:
    body = {"type": "object", "properties": {"amount": {"type": "number", "minimum": 5}}}
    operation = _operation(parameters=[_query("amount", {"type": "number", "maximum": 9})], requestBody=_body(body))
    violations = _only(_document(operation)).input_schema.violations
    assert violations({"amount": 7}) == ()
    assert len(violations({"amount": 3})) == 1
    assert len(violations({"amount": 11})) == 1


_SELF: Json = {"Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}, "v": _NUMBER}}}


def test_a_schema_may_refer_to_itself() -> None:
    document = _document(
        _operation(
            requestBody=_body({"$ref": "#/components/schemas/Node"}),
            **{
                "x-agent-capability": _declaration(approval={"when": [{"param": "next.next.v", "op": ">", "value": 1}]})
            },
        ),
        components={"schemas": _SELF},
    )
    capability = _only(document)
    assert capability.document.input_schema == {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "v": _NUMBER},
        "required": [],
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "v": _NUMBER}}},
    }
    assert [found.pointer for found in capability.input_schema.violations({"next": {"next": {"v": "x"}}})] == [
        "/next/next/v"
    ]


def test_everything_may_be_a_reference_inside_the_document() -> None:
    document = _document(
        _operation(
            parameters=[{"$ref": "#/components/parameters/Page"}],
            requestBody={"$ref": "#/components/requestBodies/Order"},
        ),
        components={
            "parameters": {"Page": _query("page", {"$ref": "#/components/schemas/a%20b"})},
            "requestBodies": {"Order": _body({"$ref": "#/components/schemas/Order"}, required=True)},
            "schemas": {
                "a b": _NUMBER,
                "Order": {
                    "type": "object",
                    "properties": {"id": {"$ref": "#/components/schemas/Order/properties/x"}, "x": _STRING},
                },
            },
        },
    )
    violations = _only(document).input_schema.violations
    assert violations({"page": 1, "id": "a", "x": "b"}) == ()
    assert sorted(found.pointer for found in violations({"page": "1", "id": 2})) == ["/id", "/page"]


def test_a_path_item_may_be_a_reference() -> None:
    document = _document(_operation())
    document["components"] = {"pathItems": {"Orders": document["paths"]["/orders"]}}
    document["paths"]["/orders"] = {"$ref": "#/components/pathItems/Orders"}
    assert _only(document).id == "update"


def test_read_only_members_are_not_required_of_a_request() -> None:
    body = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "ref": {"$ref": "#/components/schemas/Id"},
            "a": _NUMBER,
        },
        "required": ["id", "ref", "a"],
    }
    document = _document(
        _operation(requestBody=_body(body, required=True)),
        components={"schemas": {"Id": {"type": "string", "readOnly": True}}},
    )
    assert _only(document).document.input_schema["required"] == ["a"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"type": "number", "nullable": True}, {"type": ["number", "null"]}),
        ({"type": "number", "nullable": False}, _NUMBER),
        ({"nullable": True}, {}),
        ({"type": "number", "minimum": 5, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 5}),
        ({"type": "number", "minimum": 5, "exclusiveMinimum": False}, {"type": "number", "minimum": 5}),
        ({"type": "number", "maximum": 5, "exclusiveMaximum": True}, {"type": "number", "exclusiveMaximum": 5}),
        ({"$ref": "#/components/schemas/N", "maximum": 3, "nullable": True}, {"$ref": "#/$defs/N"}),
        (
            {"type": "string", "example": "x", "xml": {}, "x-order": 1, "title": "t", "format": "date"},
            {"type": "string", "format": "date"},
        ),
        (
            {"type": "object", "properties": {"example": _STRING, "title": _NUMBER}},
            {"type": "object", "properties": {"example": _STRING, "title": _NUMBER}},
        ),
        ({"enum": ["a"], "default": "a"}, {"enum": ["a"]}),
        (
            {"oneOf": [{"type": "string", "nullable": True}], "discriminator": {"propertyName": "p"}},
            {"oneOf": [{"type": ["string", "null"]}]},
        ),
    ],
)
def test_openapi_3_0_is_read_as_draft_2020_12(written: Json, read: Json) -> None:
    document = _document(
        _operation(parameters=[_query("p", written)]), openapi="3.0.3", components={"schemas": {"N": _NUMBER}}
    )
    assert _only(document).document.input_schema["properties"]["p"] == read


def test_openapi_3_1_keeps_what_stands_beside_a_reference() -> None:
    document = _document(
        _operation(parameters=[_query("p", {"$ref": "#/components/schemas/N", "maximum": 3})]),
        components={"schemas": {"N": _NUMBER}},
    )
    violations = _only(document).input_schema.violations
    assert violations({"p": 3}) == ()
    assert len(violations({"p": 4})) == 1


@pytest.mark.parametrize(
    ("content", "member"),
    [
        ({"application/json": {"schema": {"type": "object", "properties": {"a": _NUMBER}}}, "text/xml": {}}, "a"),
        ({"application/merge-patch+json": {"schema": {"type": "object", "properties": {"a": _NUMBER}}}}, "a"),
        ({"application/json; charset=utf-8": {"schema": {"type": "object", "properties": {"a": _NUMBER}}}}, "a"),
        ({"multipart/form-data": {"schema": {"type": "object", "properties": {"a": _STRING}}}}, "a"),
        (
            {
                "application/json": {"schema": {"type": "object", "properties": {"a": _NUMBER}}},
                "application/vnd.x+json": {"schema": {"type": "object", "properties": {"a": _NUMBER}}},
            },
            "a",
        ),
    ],
)
def test_the_json_representation_is_bound_else_a_form(content: Json, member: str) -> None:
    assert list(_schema(requestBody={"content": content})["properties"]) == [member]


_LOOP = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (_operation(operationId=""), "`operationId` is ``; give it a name"),
        (_operation(operationId=5), "`operationId` is `5`; give it a name"),
        (_operation(parameters={}), "`parameters` is no list; correct it"),
        (_operation(parameters=[5]), "the parameter `5` is no object; correct it"),
        (
            _operation(parameters=[{"name": "a", "in": "body", "schema": _STRING}]),
            "the parameter `a` in `body` is malformed; give a name and path, query, header or cookie",
        ),
        (
            _operation(parameters=[{"name": "a", "in": "query"}]),
            "the parameter `a` has no schema of its own; give it one",
        ),
        (
            _operation(parameters=[{"name": "a", "in": "query", "schema": _STRING, "content": {}}]),
            "the parameter `a` has no schema of its own; give it one",
        ),
        (_operation(parameters=[_query("a", "string")]), "`string` is no schema; write an object"),
        (_operation(parameters=[_ID]), "`id` is no part of the path; remove the parameter"),
        (_operation(requestBody=5), "`requestBody` is no object; correct it"),
        (_operation(requestBody={}), "the body has no content; describe it"),
        (_operation(requestBody={"content": {}}), "the body is neither JSON nor a form; describe it as one of them"),
        (
            _operation(requestBody={"content": {"text/plain": {"schema": _STRING}}}),
            "the body is neither JSON nor a form; describe it as one of them",
        ),
        (_operation(requestBody={"content": {"application/json": {}}}), "the body has no schema; give it one"),
        (
            _operation(
                requestBody={
                    "content": {"application/json": {"schema": _NUMBER}, "application/x+json": {"schema": _STRING}}
                }
            ),
            "the body is described in two different ways; describe it once",
        ),
        (
            _operation(parameters=[_query("a", {"$ref": "https://api.example/s.json"})]),
            "the reference `https://api.example/s.json` leaves the document; bring its target in",
        ),
        (
            _operation(parameters=[_query("a", {"$ref": "other.yaml#/components/schemas/A"})]),
            "the reference `other.yaml#/components/schemas/A` leaves the document; bring its target in",
        ),
        (
            _operation(parameters=[{"$ref": "other.yaml#/p"}]),
            "the reference `other.yaml#/p` leaves the document; bring its target in",
        ),
        (
            _operation(parameters=[_query("a", {"$ref": "#/components/schemas/None"})]),
            "the reference `#/components/schemas/None` names nothing; correct it",
        ),
        (
            _operation(parameters=[_query("a", {"$ref": "#/info"})]),
            "the reference `#/info` names no schema; correct it",
        ),
        (
            _operation(parameters=[_query("a", {"$ref": "#/components/schemas/C/properties"})]),
            "the reference `#/components/schemas/C/properties` names no schema; correct it",
        ),
        (
            _operation(parameters=[_query("a", {"$ref": 5})]),
            "the reference `5` leaves the document; bring its target in",
        ),
        (
            _operation(parameters=[_query("a", {"$id": "https://api.example/"})]),
            "a schema uses `$id`, which is not read here; refer by pointer",
        ),
        (
            _operation(parameters=[_query("a", {"$dynamicRef": "#x"})]),
            "a schema uses `$dynamicRef`, which is not read here; refer by pointer",
        ),
        (
            _operation(requestBody=_body({"$ref": "#/components/schemas/A"})),
            "the schema of the body only refers to itself; describe it",
        ),
        (
            _operation(parameters=[_query("a")], requestBody=_body({"$ref": "#/components/schemas/C"})),
            "the body is closed and there are parameters beside it; write the body as one object",
        ),
        (
            _operation(parameters=[{"$ref": "#/components/parameters/A"}]),
            "a reference only leads to references; correct it",
        ),
    ],
)
def test_what_is_not_described_well_enough_is_skipped(operation: Json, message: str) -> None:
    components = {
        "schemas": {
            **_LOOP,
            "C": {"allOf": [{"type": "object", "properties": {"b": _NUMBER}, "additionalProperties": False}]},
        },
        "parameters": {"A": {"$ref": "#/components/parameters/A"}},
    }
    assert _skipped(_document(operation, components=components)) == ("/paths/~1orders/post", message)


def test_a_path_template_must_be_described() -> None:
    pointer, message = _skipped(_document(_operation(), path="/orders/{id}"))
    assert pointer == "/paths/~1orders~1{id}/post"
    assert message == "`id` stands in the path undescribed; add a parameter"


@pytest.mark.parametrize("item", [5, [], {"$ref": "other.json"}, {"$ref": "#/nowhere"}])
def test_a_path_that_cannot_be_read_is_skipped(item: object) -> None:
    document = _document(_operation())
    document["paths"] = {"/orders": item}
    assert _skipped(document)[0] == "/paths/~1orders"


def test_an_operation_that_is_no_object_is_skipped() -> None:
    assert _skipped(_document([]))[0] == "/paths/~1orders/post"


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
    catalog = _load(_document(_operation(parameters=[_query("a", schema)]), components={"schemas": _LOOP}))
    assert dict(catalog.capabilities) == {}
    assert {found.code for found in catalog.diagnostics} == {"aip.schema_invalid"}
    assert {found.pointer for found in catalog.diagnostics} == {"/paths/~1orders/post"}


@pytest.mark.parametrize("version", ["2.0", "3.2.0", "3.10.0", "3", "4.0.0", 3.1, None, "3.1.0\n"])
def test_another_version_is_refused(version: object) -> None:
    catalog = _load(_document(_operation(), openapi=version))
    assert [found.code for found in catalog.diagnostics] == ["openapi.unsupported_version"]
    assert dict(catalog.capabilities) == {}


def test_swagger_and_foreign_dialects_are_refused() -> None:
    for document in (
        {"swagger": "2.0", "paths": {}},
        _document(_operation(), jsonSchemaDialect="http://json-schema.org/draft-07/schema#"),
    ):
        assert [found.code for found in _load(document).diagnostics] == ["openapi.unsupported_version"]


def test_two_operations_of_one_name_are_both_left_out() -> None:
    document = _document(_operation())
    document["paths"]["/orders"]["put"] = _operation()
    catalog = _load(document)
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        ("catalog.duplicate_id", "/paths/~1orders/put")
    ]


def test_one_wrong_operation_does_not_hide_the_others() -> None:
    document = _document(_operation())
    document["paths"]["/other"] = {"get": _operation(operationId="other", parameters=[5])}
    catalog = _load(document)
    assert list(catalog.capabilities) == ["update"]
    assert [found.code for found in catalog.diagnostics] == ["openapi.operation_skipped"]


def test_the_order_of_the_document_changes_no_digest() -> None:
    components = {
        "schemas": {"A": _NUMBER, "B": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}}
    }
    operation = _operation(
        parameters=[_query("p"), _query("q", {"$ref": "#/components/schemas/A"})],
        requestBody=_body({"$ref": "#/components/schemas/B"}),
    )
    turned = {**operation, "parameters": list(reversed(operation["parameters"]))}
    other = {"schemas": dict(reversed(components["schemas"].items()))}
    assert (
        _only(_document(operation, components=components)).digest == _only(_document(turned, components=other)).digest
    )


def test_deep_and_tangled_schemas_end_quickly() -> None:
    deep: Json = _NUMBER
    for _ in range(30):
        deep = {"allOf": [deep]}
    tangled = {
        f"S{n}": {
            "anyOf": [{"$ref": f"#/components/schemas/S{(n * k + 1) % 300}"} for k in range(1, 4)],
            "type": "object",
        }
        for n in range(300)
    }
    document = _document(
        _operation(parameters=[_query("a", deep)], requestBody=_body({"$ref": "#/components/schemas/S0"})),
        components={"schemas": tangled},
    )
    started = time.process_time()
    catalog = _load(document)
    assert time.process_time() - started < 2
    assert {found.code for found in catalog.diagnostics} == {"aip.schema_invalid"}


def test_what_describes_an_operation_is_bounded() -> None:
    wide = {f"S{n}": {"type": "object", "description": "x", "enum": [{"text": "y" * 2000}]} for n in range(600)}
    body = {"type": "object", "properties": {f"p{n}": {"$ref": f"#/components/schemas/S{n}"} for n in range(600)}}
    pointer, message = _skipped(_document(_operation(requestBody=_body(body)), components={"schemas": wide}))
    assert pointer == "/paths/~1orders/post"
    assert message == "what describes the operation takes more than 1,048,576 bytes; describe it with less"
