"""OpenID AuthZEN Authorization API 1.0 over HTTP: the todo scenario, evaluations, error rules, a client of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import decern  # type: ignore[import-untyped]
import pytest
from jsonschema import Draft202012Validator

from policy.contracts.catalog import load_catalog
from policy.model.reader import read_file
from policy.plugins import Authorizer, MemoryApprovalStore
from policy.server.authzen.settings import AuthzenSettings
from policy.server.directory import read_directory
from policy.server.settings import Settings
from tests.server.world import Live, bearer, conformance, live, tokens

_TODO = Path(__file__).parent / "todo"
_DECISIONS: list[dict[str, Any]] = conformance("authzen-todo-decisions.json")["evaluation"]
_REQUEST = Draft202012Validator(conformance("evaluation-request.schema.json"))
_RESPONSE = Draft202012Validator(conformance("evaluation-response.schema.json"))
EVALUATION, EVALUATIONS = "/access/v1/evaluation", "/access/v1/evaluations"
RICK, BETH = (
    next(each["request"]["subject"]["id"] for each in _DECISIONS if each["request"]["subject"]["id"][6] == letter)
    for letter in "AM"
)


@pytest.fixture(scope="module")
def todo() -> Iterator[Live]:
    people = read_directory(read_file(_TODO / "subjects.json").value, "subjects.json")
    deciding = Authorizer(
        policies=[_TODO / "todo.policy"],
        catalog=load_catalog(_TODO / "capabilities.json"),
        resolver=people,
        approvals=MemoryApprovalStore(),
    )
    with live(Settings(page=False, directory=people), deciding=deciding) as running:
        yield running


def _todo(subject: str, name: str, **resource: Any) -> dict[str, Any]:
    return {
        "subject": {"type": "user", "id": subject},
        "action": {"name": name},
        "resource": {"type": "todo", "id": "todo-1", **resource},
    }


def test_there_are_forty_decisions() -> None:
    assert len(_DECISIONS) == 40
    assert {each["expected"] for each in _DECISIONS} == {True, False}


@pytest.mark.parametrize("number", range(40))
def test_each_decision_of_the_todo_scenario_comes_out_right(todo: Live, number: int) -> None:
    case = _DECISIONS[number]
    assert _REQUEST.is_valid(case["request"])
    answer = todo.post(EVALUATION, case["request"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json()["decision"] is case["expected"]
    _RESPONSE.validate(answer.json())


def test_the_todo_scenario_comes_out_right_in_one_request(todo: Live) -> None:
    answer = todo.post(EVALUATIONS, {"evaluations": [each["request"] for each in _DECISIONS]}).json()
    assert [each["decision"] for each in answer["evaluations"]] == [each["expected"] for each in _DECISIONS]
    for each in answer["evaluations"]:
        _RESPONSE.validate(each)


def test_a_permit_is_plain_and_a_denial_says_why(todo: Live) -> None:
    assert todo.post(EVALUATION, _todo(RICK, "can_create_todo")).json() == {"decision": True}
    denied = todo.post(EVALUATION, _todo(BETH, "can_create_todo")).json()
    assert denied["decision"] is False
    context = denied["context"]
    assert (context["reason"], context["reasons"]) == ("scope.condition_false", ["scope.condition_false"])
    assert context["reason_user"]["en"].startswith("denied: ")
    assert "todo.policy:" not in context["reason_user"]["en"]
    assert "todo.policy:" in context["reason_admin"]["en"]


def test_a_client_of_others_talks_to_it(todo: Live) -> None:
    client = decern.Client(todo.address)
    assert client.healthy() is True
    allowed = client.evaluate({"type": "user", "id": RICK}, "can_read_todos", {"type": "todo", "id": "todo-1"})
    assert (allowed.allowed, allowed.reasons, allowed.errors) == (True, [], [])
    denied = client.evaluate(
        {"type": "user", "id": BETH}, {"name": "can_create_todo"}, {"type": "todo", "id": "todo-1"}, {"ip": "192.0.2.1"}
    )
    assert (denied.allowed, denied.reasons) == (False, ["scope.condition_false"])
    with pytest.raises(decern.DecernError) as caught:
        client.evaluate({"type": "user"}, "can_read_todos", {"type": "todo", "id": "todo-1"})
    assert caught.value.status_code == 400


def test_a_client_of_others_shows_its_token() -> None:
    with live(Settings(page=False, tokens=tokens(gateway=["decide"]))) as service:
        known = decern.Client(service.address, token="secret-gateway")
        assert known.evaluate({"type": "user", "id": "rosa"}, "order.read", {"type": "o", "id": "1"}).allowed is True
        with pytest.raises(decern.DecernError) as caught:
            decern.Client(service.address).evaluate(
                {"type": "user", "id": "rosa"}, "order.read", {"type": "o", "id": "1"}
            )
        assert caught.value.status_code == 401


def test_the_metadata_name_every_endpoint(todo: Live) -> None:
    answer = todo.client.get("/.well-known/authzen-configuration")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == {
        "policy_decision_point": todo.address,
        "access_evaluation_endpoint": f"{todo.address}/access/v1/evaluation",
        "access_evaluations_endpoint": f"{todo.address}/access/v1/evaluations",
        "access_request_endpoint": f"{todo.address}/access/v1/requests",
        "capabilities": ["urn:openid:authzen:capability:access-request", "urn:openid:authzen:capability:obligations"],
        "supported_obligations": ["custom"],
    }


def test_a_public_address_is_told_in_place_of_the_one_listened_on() -> None:
    with live(Settings(page=False, public_url="https://pdp.example")) as service:
        found = service.client.get("/.well-known/authzen-configuration", headers={"Host": "pdp.example"}).json()
        assert found["access_evaluation_endpoint"] == "https://pdp.example/access/v1/evaluation"


@pytest.mark.parametrize(
    "path", [EVALUATION, EVALUATIONS, "/.well-known/authzen-configuration", "/nowhere", "/v1/decide"]
)
def test_the_request_id_comes_back(todo: Live, path: str) -> None:
    for given in ("bfe9eb29-ab87-4ca3-be83-a1d5d8305716", "any text / at all; ö".encode().decode("latin-1")):
        headers = [(b"X-Request-ID", given.encode("latin-1"))]
        answer = todo.client.request("GET" if "." in path else "POST", path, headers=headers)
        assert dict(answer.headers.raw)[b"x-request-id"] == given.encode("latin-1")
    assert "x-request-id" not in todo.post(EVALUATION, _todo(RICK, "can_read_todos")).headers


@pytest.mark.parametrize(
    "change",
    [
        {"subject": None},
        {"action": None},
        {"resource": None},
        {"subject": "alice"},
        {"subject": {"id": "alice"}},
        {"subject": {"type": "user"}},
        {"subject": {"type": "user", "id": 5}},
        {"subject": {"type": "user", "id": "alice", "properties": []}},
        {"action": {}},
        {"action": {"name": 123}},
        {"action": "can_read_todos"},
        {"resource": {"id": "todo-1"}},
        {"resource": {"type": "todo"}},
        {"resource": [], "context": {}},
        {"context": "home"},
        {"subject": {"type": "user", "id": "alice", "properties": None}, "context": {}},
    ],
)
def test_a_request_without_what_it_must_have_is_an_error(todo: Live, change: dict[str, Any]) -> None:
    body = {**_todo(RICK, "can_read_todos"), **change}
    without = {name: part for name, part in body.items() if part is not None}
    for given in (body, without, {**without, "action": change.get("action", body["action"]), "context": None}):
        for path in (EVALUATION, EVALUATIONS):
            answer = todo.post(path, given)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request.malformed")


def test_what_is_no_json_is_an_error(todo: Live) -> None:
    media = {"Content-Type": "application/json"}
    for content in (b"", b"   ", b"{", b"[]", b"null", b'{"subject": {}, "subject": {}}', b"\xff", b'{"a": NaN}'):
        assert todo.client.post(EVALUATION, content=content, headers=media).status_code == 400
    for other in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/json; charset=latin-1"}):
        answer = todo.client.post(EVALUATION, content=b"{}", headers=other)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "body.media_type")
    assert todo.client.get(EVALUATION).status_code == 405


def test_members_that_are_not_known_are_ignored(todo: Live) -> None:
    body = {**_todo(RICK, "can_read_todos"), "foo": "bar", "futureField": {"nested": True}, "capability": {"id": "x"}}
    answer = todo.post(EVALUATION, body)
    assert answer.json() == {"decision": True}


def test_the_same_question_gets_the_same_answer(todo: Live) -> None:
    answers = [todo.post(EVALUATION, _todo(BETH, "can_create_todo")).json() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(
    ("semantic", "expected"),
    [
        (None, [True, False, True]),
        ("execute_all", [True, False, True]),
        ("deny_on_first_deny", [True, False]),
        ("permit_on_first_permit", [True]),
    ],
)
def test_the_three_semantics(todo: Live, semantic: str | None, expected: list[bool]) -> None:
    body: dict[str, Any] = {
        "subject": {"type": "user", "id": BETH},
        "resource": {"type": "todo", "id": "todo-1"},
        "evaluations": [{"action": {"name": name}} for name in ("can_read_todos", "can_create_todo", "can_read_user")],
    }
    if semantic is not None:
        body["options"] = {"evaluations_semantic": semantic, "another_option": "value"}
    answer = todo.post(EVALUATIONS, body)
    assert [each["decision"] for each in answer.json()["evaluations"]] == expected
    assert "decision" not in answer.json()


def test_permit_on_first_permit_goes_on_after_a_denial(todo: Live) -> None:
    names = ("can_create_todo", "can_delete_todo", "can_read_todos", "can_read_user")
    body = {**_todo(BETH, ""), "evaluations": [{"action": {"name": name}} for name in names]}
    body["options"] = {"evaluations_semantic": "permit_on_first_permit"}
    answers = todo.post(EVALUATIONS, body).json()["evaluations"]
    assert [each["decision"] for each in answers] == [False, False, True]


@pytest.mark.parametrize("options", [{"evaluations_semantic": "all"}, {"evaluations_semantic": None}, []])
def test_another_semantic_is_an_error(todo: Live, options: Any) -> None:
    body = {**_todo(BETH, "can_read_todos"), "evaluations": [{}], "options": options}
    assert todo.post(EVALUATIONS, body).status_code == 400


def test_without_evaluations_a_single_one_is_done(todo: Live) -> None:
    whole = _todo(RICK, "can_read_todos")
    assert todo.post(EVALUATIONS, whole).json() == {"decision": True}
    assert todo.post(EVALUATIONS, {**whole, "evaluations": []}).json() == {"decision": True}
    assert todo.post(EVALUATIONS, {"evaluations": []}).status_code == 400


def test_what_is_written_replaces_the_default(todo: Live) -> None:
    body = {
        "subject": {"type": "user", "id": BETH},
        "action": {"name": "can_update_todo"},
        "resource": {"type": "todo", "id": "1", "properties": {"ownerID": "morty@the-citadel.com"}},
        "evaluations": [
            {},
            {"subject": {"type": "user", "id": RICK}},
            {"subject": {"id": RICK}},
            {"action": {"name": "can_read_todos"}, "resource": {"id": "2"}},
        ],
    }
    answers = todo.post(EVALUATIONS, body).json()["evaluations"]
    assert [each["decision"] for each in answers] == [False, True, True, True]


@pytest.mark.parametrize("written", [{"resource": {"type": "todo"}}, {"resource": "todo"}, "todo", None, 5, []])
def test_an_evaluation_that_cannot_be_done_is_denied_among_the_others(todo: Live, written: Any) -> None:
    body = {
        "subject": {"type": "user", "id": RICK},
        "action": {"name": "can_read_todos"},
        "evaluations": [{"resource": {"type": "todo", "id": "1"}}, written, {"resource": {"type": "todo", "id": "2"}}],
    }
    answer = todo.post(EVALUATIONS, body)
    assert answer.status_code == 200
    assert [each["decision"] for each in answer.json()["evaluations"]] == [True, False, True]
    assert answer.json()["evaluations"][1]["context"]["error"]["status"] == 400


CERTIFICATION = AuthzenSettings.model_validate(
    {
        "subject_properties": ["team"],
        "context_properties": ["medium_used"],
        "capabilities": [
            {"action": "read", "resource": "team", "capability": "team.read"},
            {"action": "read", "resource": "channel", "capability": "channel.read"},
            {"action": "read", "capability": "order.read", "route": "chat"},
            {"action": "refund.create", "capability": "refund.create", "input": "arguments"},
        ],
    }
)


@pytest.fixture(scope="module")
def mapped() -> Iterator[Live]:
    settings = Settings(page=False, authzen=CERTIFICATION, tokens=tokens(gateway=["decide", "release"]))
    with live(settings) as running:
        running.client.headers.update(bearer("gateway"))
        yield running


def _read(subject: dict[str, Any], resource: str = "team", **context: Any) -> dict[str, Any]:
    return {
        "subject": {"type": "user", **subject},
        "action": {"name": "read"},
        "resource": {"type": resource, "id": "1"},
        "context": context,
    }


def test_a_trusted_property_adds_what_nobody_stored(mapped: Live) -> None:
    payments = {"properties": {"team": "payments"}}
    assert mapped.post(EVALUATION, _read({"id": "omar", **payments})).json() == {"decision": True}
    assert mapped.post(EVALUATION, _read({"id": "somebody", **payments})).json() == {"decision": True}
    assert mapped.post(EVALUATION, _read({"id": "omar"})).json()["decision"] is False


def test_a_trusted_property_never_replaces_what_is_stored(mapped: Live) -> None:
    answer = mapped.post(EVALUATION, _read({"id": "rosa", "properties": {"team": "payments"}})).json()
    assert (answer["decision"], answer["context"]["reason"]) == (False, "subject.property_conflict")
    assert answer["context"]["error"]["status"] == 409
    same = mapped.post(EVALUATION, _read({"id": "rosa", "properties": {"team": "support"}})).json()
    assert same["context"]["reason"] == "scope.condition_false"


def test_a_property_that_is_not_trusted_is_a_claim_that_can_only_restrain(todo: Live, service: Live) -> None:
    body = _todo(BETH, "can_create_todo")
    body["subject"]["properties"] = {"roles": ["admin"], "email": "rick@the-citadel.com", "groups": ["all"]}
    assert todo.post(EVALUATION, body).json()["decision"] is False
    read: dict[str, Any] = {"action": {"name": "order.read"}, "resource": {"type": "order", "id": "1"}}
    plain = {**read, "subject": {"type": "user", "id": "rosa"}}
    assert service.post(EVALUATION, plain).json() == {"decision": True}
    suspended = {**read, "subject": {"type": "user", "id": "rosa", "properties": {"suspended": True}}}
    assert service.post(EVALUATION, suspended).json()["context"]["reason"] == "rule.denied"


def test_a_trusted_member_of_the_context_is_an_attribute(mapped: Live, service: Live) -> None:
    assert mapped.post(EVALUATION, _read({"id": "omar"}, "channel", medium_used="mail")).json() == {"decision": True}
    assert mapped.post(EVALUATION, _read({"id": "omar"}, "channel", medium_used="chat")).json()["decision"] is False
    body = {**_read({"id": "omar"}, "channel", medium_used="mail"), "action": {"name": "channel.read"}}
    assert service.post(EVALUATION, body).json()["decision"] is False


def test_the_first_rule_that_matches_names_the_capability(mapped: Live) -> None:
    assert mapped.post(EVALUATION, _read({"id": "omar"}, "order")).json() == {"decision": True}
    unknown = {**_read({"id": "omar"}), "action": {"name": "wipe"}}
    assert mapped.post(EVALUATION, unknown).json()["context"]["reason"] == "capability.unknown"


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ({"type": "robot", "id": "rosa"}, "subject.type_unknown"),
        ({"type": "user", "id": ""}, "subject.id_empty"),
        ({"type": "user", "id": " "}, "subject.id_empty"),
        ({"type": "user", "id": "ivan"}, "subject.not_usable"),
        ({"type": "user", "id": "agent:a7"}, "subject.id_ambiguous"),
    ],
)
def test_a_subject_that_is_none_is_denied(mapped: Live, subject: dict[str, Any], reason: str) -> None:
    answer = mapped.post(EVALUATION, _read({**subject, "properties": {"team": "payments"}})).json()
    assert (answer["decision"], answer["context"]["reason"]) == (False, reason)


def test_the_type_of_a_subject_tells_it_apart(mapped: Live) -> None:
    assert mapped.post(EVALUATION, _read({"type": "agent", "id": "a7"})).json() == {"decision": True}
    assert mapped.post(EVALUATION, _read({"type": "service", "id": "a7"})).json()["decision"] is False


def test_a_tool_call_takes_its_arguments_and_names_the_tool(mapped: Live) -> None:
    body: dict[str, Any] = {
        "subject": {"type": "user", "id": "rosa"},
        "action": {"name": "refund.create", "properties": {"amount": 50}},
        "resource": {"type": "tool", "id": "refund.create"},
    }
    assert mapped.post(EVALUATION, body).json() == {"decision": True}
    over = {**body, "action": {"name": "refund.create", "properties": {"amount": 501}}}
    assert mapped.post(EVALUATION, over).json()["context"]["reason"] == "scope.condition_false"
    for resource in (
        {"type": "order", "id": "refund.create"},
        {"type": "tool", "id": "order.read"},
        {"type": "tool", "id": "refund.create", "properties": {"order": "A-1"}},
    ):
        answer = mapped.post(EVALUATION, {**body, "resource": resource}).json()
        assert answer["context"]["reason"] == "resource.not_the_tool"


def test_messages_of_every_kind_are_of_the_schema(mapped: Live) -> None:
    for body in (_read({"id": "omar"}), _read({"id": "ivan"}), _read({"id": "omar"}, "order", ip="192.0.2.1")):
        _REQUEST.validate(body)
        _RESPONSE.validate(mapped.post(EVALUATION, body).json())
