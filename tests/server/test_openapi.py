"""The OpenAPI document: valid, whole, and true of what the service answers."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.routing import Route

from policy.server.app import OPERATIONS, create_app
from policy.server.errors import STATUSES
from policy.server.openapi import document
from policy.server.settings import Settings
from tests.server.world import CONTEXT, LENA, Live, asked, authorizer

_DOCUMENT = document(OPERATIONS, "https://pdp.example")


def test_the_document_is_valid() -> None:
    assert list(OpenAPIV31SpecValidator(_DOCUMENT).iter_errors()) == []


def test_the_service_hands_it_out(service: Live) -> None:
    answer = service.client.get("/openapi.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == {**_DOCUMENT, "servers": [{"url": service.address}]}


def test_every_route_is_in_it_and_nothing_else() -> None:
    application = create_app(authorizer(), Settings(page=False))
    routes = {
        (route.path, method)
        for route in application.routes
        if isinstance(route, Route) and route.path != "/openapi.json"
        for method in (route.methods or set()) - {"HEAD"}
    }
    described = {(path, method.upper()) for path, methods in _DOCUMENT["paths"].items() for method in methods}
    assert routes == described


def test_every_error_is_told_somewhere() -> None:
    told = {
        code
        for methods in _DOCUMENT["paths"].values()
        for operation in methods.values()
        for response in operation["responses"].values()
        for code in STATUSES
        if f"`{code}`" in response["description"]
    }
    assert STATUSES.keys() - told == {"path.unknown", "path.method"}


def test_what_is_open_says_so_and_what_is_not_names_its_permission() -> None:
    for methods in _DOCUMENT["paths"].values():
        for operation in methods.values():
            assert (operation["security"] == []) is ("description" not in operation)
            assert ("401" in operation["responses"]) is (operation["security"] != [])


def _validate(answer: Any, path: str, method: str = "post") -> None:
    """An answer against the schema that the document has for it."""
    responses = _DOCUMENT["paths"][path][method]["responses"]
    content = responses[str(answer.status_code)]["content"]
    schema = content[answer.headers["content-type"].partition(";")[0]]["schema"]
    whole = {**schema, "components": _DOCUMENT["components"]}
    Draft202012Validator(whole).validate(answer.json())


def test_answers_are_as_it_says(service: Live) -> None:
    call = asked("refund.create", "o-1", amount=333)
    decided = service.post("/v1/decide", call)
    handle = decided.json()["handle"]
    _validate(decided, "/v1/decide")
    _validate(service.post("/v1/decide", {}), "/v1/decide")
    _validate(service.post("/v1/decide-many", {"requests": [call]}), "/v1/decide-many")
    _validate(service.post("/v1/visible", {"context": CONTEXT}), "/v1/visible")
    _validate(service.post("/v1/explain", call), "/v1/explain")
    _validate(service.client.get("/v1/approvals"), "/v1/approvals", "get")
    _validate(service.client.get(f"/v1/approvals/{handle}"), "/v1/approvals/{handle}", "get")
    _validate(service.client.get("/v1/approvals/nothing"), "/v1/approvals/{handle}", "get")
    vote = {"by": LENA, "decision": "approved", "decision_id": "o-1"}
    _validate(service.post(f"/v1/approvals/{handle}/votes", vote), "/v1/approvals/{handle}/votes")
    _validate(service.post("/v1/release", {**call, "handle": handle}), "/v1/release")
    _validate(service.post(f"/v1/approvals/{handle}/cancel", {}), "/v1/approvals/{handle}/cancel")
    for path in ("/readyz", "/v1/status", "/.well-known/authzen-configuration"):
        _validate(service.client.get(path), path, "get")


def test_authzen_answers_are_as_it_says(service: Live) -> None:
    subject = {"type": "user", "id": "rosa"}
    for secret in (False, True):
        resource = {"type": "document", "id": "o-2", "properties": {"secret": secret}}
        body = {"subject": subject, "action": {"name": "document.read"}, "resource": resource}
        _validate(service.post("/access/v1/evaluation", body), "/access/v1/evaluation")
        _validate(service.post("/access/v1/evaluations", body), "/access/v1/evaluations")
        several = {**body, "evaluations": [{}, {"resource": 5}]}
        _validate(service.post("/access/v1/evaluations", several), "/access/v1/evaluations")
    denial = service.post("/access/v1/evaluation", body).json()["context"]
    handle, expires_at = denial["evaluation_id"], denial["access_request"]["expires_at"]
    task = "/access/v1/requests/{handle}"
    for name in (handle, "nothing"):
        submission = {**body, "denial": {"evaluation_id": name, "expires_at": expires_at}}
        _validate(service.post("/access/v1/requests", submission), "/access/v1/requests")
        _validate(service.client.get(f"/access/v1/requests/{name}"), task, "get")
        for _ in range(2):
            _validate(service.client.post(f"/access/v1/requests/{name}/cancel"), f"{task}/cancel")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_requests_that_are_described_are_described_by_a_schema(operation: Any) -> None:
    described = _DOCUMENT["paths"][operation.path][operation.method.lower()]
    assert ("requestBody" in described) is (operation.request is not None)
    for name in described.get("requestBody", {}).get("content", {}).values():
        part = name["schema"]["$ref"].rpartition("/")[2]
        schema = _DOCUMENT["components"]["schemas"][part]
        assert all("description" in member for member in schema["properties"].values())
