"""The one input view of an OpenAPI operation (model.md section 2)."""

from __future__ import annotations

import pytest

from tests.unit.openapi_documents import (
    ID,
    NUMBER,
    STRING,
    Json,
    body_of,
    declaration,
    document_of,
    load,
    only,
    operation_of,
    query_of,
    schema_of,
    skipped,
)


def test_an_operation_without_input_takes_none() -> None:
    assert schema_of() == {"type": "object", "additionalProperties": False, "properties": {}, "required": []}


def test_parameters_of_all_places_are_one_view() -> None:
    parameters = [
        query_of("page", {"type": "integer"}),
        {"name": "X-Trace", "in": "header", "required": True, "schema": STRING},
        {"name": "sid", "in": "cookie", "content": {"application/json": {"schema": NUMBER}}},
        {"name": "Authorization", "in": "header", "schema": STRING},
        {"name": "content-type", "in": "header"},
    ]
    assert schema_of(parameters=parameters) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"sid": NUMBER, "X-Trace": STRING, "page": {"type": "integer"}},
        "required": ["X-Trace"],
    }


def test_an_operations_parameter_replaces_its_paths() -> None:
    document = document_of(operation_of(parameters=[query_of("page", NUMBER)]), path="/orders/{id}")
    document["paths"]["/orders/{id}"]["parameters"] = [query_of("page"), query_of("size"), ID]
    schema = only(document).document.input_schema
    assert schema["properties"] == {"id": STRING, "page": NUMBER, "size": STRING}
    assert schema["required"] == ["id"]


def test_a_body_object_is_part_of_the_view() -> None:
    body = {"type": "object", "properties": {"amount": NUMBER}, "required": ["amount"], "additionalProperties": False}
    assert schema_of(parameters=[query_of("dry_run")], requestBody=body_of(body, required=True)) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"dry_run": STRING, "amount": NUMBER},
        "required": ["amount"],
    }


def test_a_body_that_may_be_left_out_is_whole_where_it_is_there() -> None:
    body = {"type": "object", "properties": {"amount": NUMBER, "note": STRING}, "required": ["amount"]}
    capability = only(document_of(operation_of(requestBody=body_of(body))))
    violations = capability.input_schema.violations
    assert violations({}) == ()
    assert violations({"amount": 1, "note": "x"}) == ()
    assert len(violations({"note": "x"})) == 1


def test_a_body_that_is_no_object_is_one_member() -> None:
    assert schema_of(requestBody=body_of({"type": "array", "items": NUMBER}, required=True)) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"body": {"type": "array", "items": NUMBER}},
        "required": ["body"],
    }


def test_a_composed_body_is_applied_whole() -> None:
    parts = [{"type": "object", "properties": {"a": NUMBER}}, {"type": "object", "properties": {"b": STRING}}]
    capability = only(document_of(operation_of(parameters=[query_of("page")], requestBody=body_of({"allOf": parts}))))
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
    capability = only(
        document_of(
            operation_of(
                parameters=[query_of("page", {"type": "integer"})],
                requestBody=body_of(body),
                **{"x-agent-capability": declaration(approval={"when": when})},
            ),
            components={"schemas": {"Line": {"type": "object", "properties": {"amount": NUMBER}}}},
        )
    )
    assert [condition.steps for condition in capability.acc_conditions] == [("lines", "amount"), ("page",)]


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        ([query_of("amount", STRING)], {"type": "object", "properties": {"amount": NUMBER}}),
        ([query_of("amount", NUMBER), {"name": "amount", "in": "header", "schema": STRING}], {"type": "object"}),
        ([query_of("amount", NUMBER)], {"allOf": [{"type": "object", "properties": {"amount": NUMBER}}]}),
        ([query_of("amount", {"const": 1})], {"type": "object", "properties": {"amount": {"const": True}}}),
    ],
)
def test_no_condition_rests_on_a_name_that_two_places_define_differently(parameters: list[Json], body: Json) -> None:
    conditional = declaration(approval={"when": [{"param": "amount", "op": "exists"}]})
    operation = operation_of(parameters=parameters, requestBody=body_of(body))
    assert len(load(document_of(operation)).capabilities) == 1
    catalog = load(document_of({**operation, "x-agent-capability": conditional}))
    assert dict(catalog.capabilities) == {}
    assert [found.code for found in catalog.diagnostics] == ["acc.parameter_ambiguous"]


def test_a_name_that_two_places_define_alike_is_one_input() -> None:
    conditional = declaration(approval={"when": [{"param": "amount", "op": ">", "value": 1}]})
    body = {"type": "object", "properties": {"amount": {"type": "number", "description": "other words"}}}
    operation = operation_of(parameters=[query_of("amount", NUMBER)], requestBody=body_of(body))
    assert only(document_of({**operation, "x-agent-capability": conditional})).document.input_schema["properties"] == {
        "amount": NUMBER
    }


def test_both_definitions_of_a_name_must_hold() -> None:
    body = {"type": "object", "properties": {"amount": {"type": "number", "minimum": 5}}}
    operation = operation_of(
        parameters=[query_of("amount", {"type": "number", "maximum": 9})], requestBody=body_of(body)
    )
    violations = only(document_of(operation)).input_schema.violations
    assert violations({"amount": 7}) == ()
    assert len(violations({"amount": 3})) == 1
    assert len(violations({"amount": 11})) == 1


_SELF: Json = {"Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}, "v": NUMBER}}}


def test_a_schema_may_refer_to_itself() -> None:
    document = document_of(
        operation_of(
            requestBody=body_of({"$ref": "#/components/schemas/Node"}),
            **{"x-agent-capability": declaration(approval={"when": [{"param": "next.next.v", "op": ">", "value": 1}]})},
        ),
        components={"schemas": _SELF},
    )
    capability = only(document)
    assert capability.document.input_schema == {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "v": NUMBER},
        "required": [],
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "v": NUMBER}}},
    }
    assert [found.pointer for found in capability.input_schema.violations({"next": {"next": {"v": "x"}}})] == [
        "/next/next/v"
    ]


def test_everything_may_be_a_reference_inside_the_document() -> None:
    document = document_of(
        operation_of(
            parameters=[{"$ref": "#/components/parameters/Page"}],
            requestBody={"$ref": "#/components/requestBodies/Order"},
        ),
        components={
            "parameters": {"Page": query_of("page", {"$ref": "#/components/schemas/a%20b"})},
            "requestBodies": {"Order": body_of({"$ref": "#/components/schemas/Order"}, required=True)},
            "schemas": {
                "a b": NUMBER,
                "Order": {
                    "type": "object",
                    "properties": {"id": {"$ref": "#/components/schemas/Order/properties/x"}, "x": STRING},
                },
            },
        },
    )
    violations = only(document).input_schema.violations
    assert violations({"page": 1, "id": "a", "x": "b"}) == ()
    assert sorted(found.pointer for found in violations({"page": "1", "id": 2})) == ["/id", "/page"]


def test_a_path_item_may_be_a_reference() -> None:
    document = document_of(operation_of())
    document["components"] = {"pathItems": {"Orders": document["paths"]["/orders"]}}
    document["paths"]["/orders"] = {"$ref": "#/components/pathItems/Orders"}
    assert only(document).id == "update"


def test_read_only_members_are_not_required_of_a_request() -> None:
    body = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "ref": {"$ref": "#/components/schemas/Id"},
            "a": NUMBER,
        },
        "required": ["id", "ref", "a"],
    }
    document = document_of(
        operation_of(requestBody=body_of(body, required=True)),
        components={"schemas": {"Id": {"type": "string", "readOnly": True}}},
    )
    assert only(document).document.input_schema["required"] == ["a"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"type": "number", "nullable": True}, {"type": ["number", "null"]}),
        ({"type": "number", "nullable": False}, NUMBER),
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
            {"type": "object", "properties": {"example": STRING, "title": NUMBER}},
            {"type": "object", "properties": {"example": STRING, "title": NUMBER}},
        ),
        ({"enum": ["a"], "default": "a"}, {"enum": ["a"]}),
        (
            {"oneOf": [{"type": "string", "nullable": True}], "discriminator": {"propertyName": "p"}},
            {"oneOf": [{"type": ["string", "null"]}]},
        ),
    ],
)
def test_openapi_3_0_is_read_as_draft_2020_12(written: Json, read: Json) -> None:
    document = document_of(
        operation_of(parameters=[query_of("p", written)]), openapi="3.0.3", components={"schemas": {"N": NUMBER}}
    )
    assert only(document).document.input_schema["properties"]["p"] == read


def test_openapi_3_1_keeps_what_stands_beside_a_reference() -> None:
    document = document_of(
        operation_of(parameters=[query_of("p", {"$ref": "#/components/schemas/N", "maximum": 3})]),
        components={"schemas": {"N": NUMBER}},
    )
    violations = only(document).input_schema.violations
    assert violations({"p": 3}) == ()
    assert len(violations({"p": 4})) == 1


@pytest.mark.parametrize(
    ("content", "member"),
    [
        ({"application/json": {"schema": {"type": "object", "properties": {"a": NUMBER}}}, "text/xml": {}}, "a"),
        ({"application/merge-patch+json": {"schema": {"type": "object", "properties": {"a": NUMBER}}}}, "a"),
        ({"application/json; charset=utf-8": {"schema": {"type": "object", "properties": {"a": NUMBER}}}}, "a"),
        ({"multipart/form-data": {"schema": {"type": "object", "properties": {"a": STRING}}}}, "a"),
        (
            {
                "application/json": {"schema": {"type": "object", "properties": {"a": NUMBER}}},
                "application/vnd.x+json": {"schema": {"type": "object", "properties": {"a": NUMBER}}},
            },
            "a",
        ),
    ],
)
def test_the_json_representation_is_bound_else_a_form(content: Json, member: str) -> None:
    assert list(schema_of(requestBody={"content": content})["properties"]) == [member]


_LOOP = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (operation_of(operationId=""), "`operationId` is ``; give it a name"),
        (operation_of(operationId=5), "`operationId` is `5`; give it a name"),
        (operation_of(parameters={}), "`parameters` is no list; correct it"),
        (operation_of(parameters=[5]), "the parameter `5` is no object; correct it"),
        (
            operation_of(parameters=[{"name": "a", "in": "body", "schema": STRING}]),
            "the parameter `a` in `body` is malformed; give a name and path, query, header or cookie",
        ),
        (
            operation_of(parameters=[{"name": "a", "in": "query"}]),
            "the parameter `a` has no schema of its own; give it one",
        ),
        (
            operation_of(parameters=[{"name": "a", "in": "query", "schema": STRING, "content": {}}]),
            "the parameter `a` has no schema of its own; give it one",
        ),
        (operation_of(parameters=[query_of("a", "string")]), "`string` is no schema; write an object"),
        (operation_of(parameters=[ID]), "`id` is no part of the path; remove the parameter"),
        (operation_of(requestBody=5), "`requestBody` is no object; correct it"),
        (operation_of(requestBody={}), "the body has no content; describe it"),
        (operation_of(requestBody={"content": {}}), "the body is neither JSON nor a form; describe it as one of them"),
        (
            operation_of(requestBody={"content": {"text/plain": {"schema": STRING}}}),
            "the body is neither JSON nor a form; describe it as one of them",
        ),
        (operation_of(requestBody={"content": {"application/json": {}}}), "the body has no schema; give it one"),
        (
            operation_of(
                requestBody={
                    "content": {"application/json": {"schema": NUMBER}, "application/x+json": {"schema": STRING}}
                }
            ),
            "the body is described in two different ways; describe it once",
        ),
        (
            operation_of(parameters=[query_of("a", {"$ref": "https://api.example/s.json"})]),
            "the reference `https://api.example/s.json` leaves the document; bring its target in",
        ),
        (
            operation_of(parameters=[query_of("a", {"$ref": "other.yaml#/components/schemas/A"})]),
            "the reference `other.yaml#/components/schemas/A` leaves the document; bring its target in",
        ),
        (
            operation_of(parameters=[{"$ref": "other.yaml#/p"}]),
            "the reference `other.yaml#/p` leaves the document; bring its target in",
        ),
        (
            operation_of(parameters=[query_of("a", {"$ref": "#/components/schemas/None"})]),
            "the reference `#/components/schemas/None` names nothing; correct it",
        ),
        (
            operation_of(parameters=[query_of("a", {"$ref": "#/info"})]),
            "the reference `#/info` names no schema; correct it",
        ),
        (
            operation_of(parameters=[query_of("a", {"$ref": "#/components/schemas/C/properties"})]),
            "the reference `#/components/schemas/C/properties` names no schema; correct it",
        ),
        (
            operation_of(parameters=[query_of("a", {"$ref": 5})]),
            "the reference `5` leaves the document; bring its target in",
        ),
        (
            operation_of(parameters=[query_of("a", {"$id": "https://api.example/"})]),
            "a schema uses `$id`, which is not read here; refer by pointer",
        ),
        (
            operation_of(parameters=[query_of("a", {"$dynamicRef": "#x"})]),
            "a schema uses `$dynamicRef`, which is not read here; refer by pointer",
        ),
        (
            operation_of(requestBody=body_of({"$ref": "#/components/schemas/A"})),
            "the schema of the body only refers to itself; describe it",
        ),
        (
            operation_of(parameters=[query_of("a")], requestBody=body_of({"$ref": "#/components/schemas/C"})),
            "the body is closed and there are parameters beside it; write the body as one object",
        ),
        (
            operation_of(parameters=[{"$ref": "#/components/parameters/A"}]),
            "a reference only leads to references; correct it",
        ),
    ],
)
def test_what_is_not_described_well_enough_is_skipped(operation: Json, message: str) -> None:
    components = {
        "schemas": {
            **_LOOP,
            "C": {"allOf": [{"type": "object", "properties": {"b": NUMBER}, "additionalProperties": False}]},
        },
        "parameters": {"A": {"$ref": "#/components/parameters/A"}},
    }
    assert skipped(document_of(operation, components=components)) == ("/paths/~1orders/post", message)


def test_a_path_template_must_be_described() -> None:
    pointer, message = skipped(document_of(operation_of(), path="/orders/{id}"))
    assert pointer == "/paths/~1orders~1{id}/post"
    assert message == "`id` stands in the path undescribed; add a parameter"
