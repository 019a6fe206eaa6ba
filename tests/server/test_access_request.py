"""Access Request and Approval profile (draft 1), and the Obligations extension (draft 1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from policy.server.authzen.settings import AuthzenSettings
from policy.server.settings import Settings
from tests.server.world import LENA, Live, bearer, conformance, live, tokens

_RESPONSE = Draft202012Validator(conformance("evaluation-response.schema.json"))
_NUMBERS = count(1)
_PROBLEM = "urn:openid:authzen:access-request:error:"
REQUESTS, EVALUATION = "/access/v1/requests", "/access/v1/evaluation"
TOKENS = {
    "gateway": ["decide", "release"],
    "other": ["decide", "release"],
    "asker": ["decide"],
    "desk": ["read", "approve", "cancel"],
}
SETTINGS = AuthzenSettings.model_validate(
    {
        "context_properties": ["medium_used"],
        "capabilities": [{"action": "memo.send", "capability": "memo.send", "input": "arguments"}],
    }
)


@pytest.fixture(scope="module")
def guarded() -> Iterator[Live]:
    with live(Settings(page=False, authzen=SETTINGS, tokens=tokens(**TOKENS))) as running:
        yield running


def _document(**more: Any) -> dict[str, Any]:
    """An evaluation that people must approve; each its own resource, so that each has its own approval."""
    return {
        "subject": {"type": "user", "id": "rosa"},
        "action": {"name": "document.read"},
        "resource": {"type": "document", "id": f"d-{next(_NUMBERS)}", "properties": {"secret": True}},
        **more,
    }


def _evaluated(service: Live, body: dict[str, Any], caller: str = "gateway") -> dict[str, Any]:
    answer = service.post(EVALUATION, body, headers=bearer(caller))
    assert answer.status_code == 200
    _RESPONSE.validate(answer.json())
    found: dict[str, Any] = answer.json()
    return found


def _submission(body: dict[str, Any], denial: dict[str, Any]) -> dict[str, Any]:
    context = denial["context"]
    echoed = {
        "evaluation_id": context["evaluation_id"],
        "evaluated_at": context["evaluated_at"],
        "expires_at": context["access_request"]["expires_at"],
        "reason": context["reason"],
        "template": context["access_request"]["template"],
    }
    return {**body, "denial": echoed}


def _approve(service: Live, handle: str, decision: str = "approved") -> None:
    vote = {"by": LENA, "decision": decision}
    assert service.post(f"/v1/approvals/{handle}/votes", vote, headers=bearer("desk")).status_code == 200


def _status(service: Live, handle: str, caller: str = "gateway") -> Any:
    return service.client.get(f"{REQUESTS}/{handle}", headers=bearer(caller))


def test_a_denial_that_people_can_lift_says_so(guarded: Live) -> None:
    body = _document()
    denial = _evaluated(guarded, body)
    context = denial["context"]
    assert (denial["decision"], context["reason"]) == (False, "approval_required")
    assert context["access_request"]["endpoint"] == f"{guarded.address}{REQUESTS}"
    assert context["access_request"]["template"] == "lead"
    assert context["reason_user"]["en"].startswith("waiting for approval: ")
    again = _evaluated(guarded, body)
    assert again["context"]["evaluation_id"] == context["evaluation_id"]
    assert again["context"]["access_request"]["expires_at"] == context["access_request"]["expires_at"]
    assert "access_request" not in _evaluated(guarded, {**body, "action": {"name": "order.wipe"}})["context"]


def test_the_whole_way_from_denial_to_permit(guarded: Live) -> None:
    body = _document(context={"time": "2026-04-30T20:15:00Z"})
    denial = _evaluated(guarded, body)
    submission = {**_submission(body, denial), "context": {"business_justification": "renewal"}}
    submitted = guarded.post(REQUESTS, submission, headers={**bearer("gateway"), "Idempotency-Key": "k-1"})
    task = submitted.json()["task"]
    assert (submitted.status_code, task["status"]) == (202, "pending")
    assert submitted.headers["location"] == task["status_endpoint"] == f"{guarded.address}{REQUESTS}/{task['id']}"
    assert "result" not in submitted.json()
    polled = _status(guarded, task["id"])
    assert (polled.json(), polled.headers["retry-after"]) == ({"task": task}, "5")
    _approve(guarded, denial["context"]["evaluation_id"])
    result = _status(guarded, task["id"]).json()["result"]
    assert (result["mode"], result["approval"]["id"]) == ("reevaluate", task["id"])
    assert _evaluated(guarded, body)["decision"] is False
    permit = _evaluated(guarded, {**body, "context": {"approval": result["approval"], "time": "2026-04-30T20:43:00Z"}})
    assert permit == {"decision": True, "context": {"approval": result["approval"]}}
    spent = _evaluated(guarded, {**body, "context": {"approval": result["approval"]}})
    assert (spent["decision"], "access_request" in spent["context"]) == (False, False)
    assert "approval.consumed" in spent["context"]["reasons"]
    assert _status(guarded, task["id"]).json()["task"]["status"] == "consumed"
    assert _evaluated(guarded, body)["context"]["evaluation_id"] != task["id"]


def test_a_request_that_was_approved_meanwhile_is_answered_at_once(guarded: Live) -> None:
    body = _document()
    denial = _evaluated(guarded, body)
    _approve(guarded, denial["context"]["evaluation_id"])
    answer = guarded.post(REQUESTS, _submission(body, denial), headers=bearer("gateway"))
    assert (answer.status_code, answer.json()["task"]["status"]) == (201, "approved")
    assert answer.json()["result"]["approval"]["id"] == denial["context"]["evaluation_id"]


def test_a_denied_request_stays_denied(guarded: Live) -> None:
    body = _document()
    denial = _evaluated(guarded, body)
    handle = denial["context"]["evaluation_id"]
    _approve(guarded, handle, "denied")
    assert "result" not in _status(guarded, handle).json()
    assert _status(guarded, handle).json()["task"]["status"] == "denied"
    answer = _evaluated(
        guarded, {**body, "context": {"approval": {"id": handle, "approved_until": "2030-01-01T00:00:00Z"}}}
    )
    assert (answer["decision"], "approval.denied" in answer["context"]["reasons"]) == (False, True)


@pytest.mark.parametrize(
    "change",
    [
        {"resource": {"type": "document", "id": "another", "properties": {"secret": True}}},
        {"resource": {"type": "file", "id": "d-0", "properties": {"secret": True}}},
        {"subject": {"type": "user", "id": "omar"}},
        {"subject": {"type": "user", "id": "rosa", "properties": {"device": "d-9"}}},
        {"action": {"name": "document.read", "properties": {"mode": "write"}}},
        {"context": {"medium_used": "mail"}},
    ],
)
def test_an_approval_is_of_no_other_evaluation(guarded: Live, change: dict[str, Any]) -> None:
    body = {**_document(), "resource": {"type": "document", "id": "d-0", "properties": {"secret": True}}}
    denial = _evaluated(guarded, body)
    handle = denial["context"]["evaluation_id"]
    _approve(guarded, handle)
    other = {**body, **change}
    wrong = guarded.post(REQUESTS, {**_submission(body, denial), **change}, headers=bearer("gateway"))
    assert (wrong.status_code, wrong.json()["type"]) == (400, f"{_PROBLEM}invalid_denial_binding")
    assert wrong.headers["content-type"] == "application/problem+json"
    other["context"] = {**other.get("context", {}), "approval": {"id": handle}}
    answer = _evaluated(guarded, other)
    assert (answer["decision"], answer["context"]["reason"]) == (False, "approval_not_applicable")
    assert _status(guarded, handle).json()["task"]["status"] == "approved"


def test_an_approval_is_of_no_other_caller(guarded: Live) -> None:
    body = _document()
    denial = _evaluated(guarded, body)
    handle = denial["context"]["evaluation_id"]
    _approve(guarded, handle)
    foreign = guarded.post(REQUESTS, _submission(body, denial), headers=bearer("other"))
    assert foreign.json()["type"] == f"{_PROBLEM}invalid_denial_binding"
    assert (_status(guarded, handle, "other").status_code, _status(guarded, handle, "asker").status_code) == (404, 404)
    cancelled = guarded.post(f"{REQUESTS}/{handle}/cancel", {}, headers=bearer("other"))
    assert (cancelled.status_code, cancelled.json()["type"]) == (404, f"{_PROBLEM}unknown_task")
    stolen = _evaluated(guarded, {**body, "context": {"approval": {"id": handle}}}, "other")
    assert (stolen["decision"], stolen["context"]["reason"]) == (False, "approval_not_applicable")
    assert _status(guarded, handle).json()["task"]["status"] == "approved"


def test_to_spend_an_approval_takes_the_permission_to_release(guarded: Live) -> None:
    body = _document()
    handle = _evaluated(guarded, body, "asker")["context"]["evaluation_id"]
    _approve(guarded, handle)
    again = {**body, "context": {"approval": {"id": handle}}}
    answer = guarded.post(EVALUATION, again, headers=bearer("asker"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "caller.not_permitted")
    several = guarded.post("/access/v1/evaluations", {"evaluations": [again]}, headers=bearer("asker")).json()
    assert several["evaluations"][0]["decision"] is False


@pytest.mark.parametrize("approval", [{}, {"id": 5}, "handle", ["handle"], {"id": "nothing"}, True])
def test_an_approval_that_is_none_lets_nothing_pass(guarded: Live, approval: Any) -> None:
    answer = _evaluated(guarded, _document(context={"approval": approval}))
    assert answer["decision"] is False
    assert answer["context"]["reason"] in {"approval_malformed", "approval_not_applicable"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"evaluation_id": None, "binding_token": "token"}, "invalid_denial_binding"),
        ({"evaluation_id": "nothing"}, "invalid_denial_binding"),
        ({"expires_at": "2099-01-01T00:00:00Z"}, "invalid_denial_binding"),
    ],
)
def test_a_denial_that_was_not_given_is_refused(guarded: Live, change: dict[str, Any], problem: str) -> None:
    body = _document()
    submission = _submission(body, _evaluated(guarded, body))
    submission["denial"] |= change
    answer = guarded.post(REQUESTS, submission, headers=bearer("gateway"))
    assert (answer.status_code, answer.json()["type"]) == (400, f"{_PROBLEM}{problem}")


def test_a_bundle_is_refused_and_a_malformed_request_an_error(guarded: Live) -> None:
    body = _document()
    submission = _submission(body, _evaluated(guarded, body))
    bundle = guarded.post(REQUESTS, {**submission, "items": []}, headers=bearer("gateway"))
    assert bundle.json()["type"] == f"{_PROBLEM}invalid_denial_binding"
    del submission["denial"]
    assert guarded.post(REQUESTS, submission, headers=bearer("gateway")).status_code == 400


def test_a_key_is_of_one_submission(guarded: Live) -> None:
    first, second = _document(), _document()
    headers = {**bearer("gateway"), "Idempotency-Key": "k-2"}
    submission = _submission(first, _evaluated(guarded, first))
    tasks = [guarded.post(REQUESTS, submission, headers=headers).json()["task"]["id"] for _ in range(2)]
    assert tasks[0] == tasks[1]
    other = guarded.post(REQUESTS, _submission(second, _evaluated(guarded, second)), headers=headers)
    assert (other.status_code, other.json()["type"]) == (409, f"{_PROBLEM}duplicate_request")


def test_a_task_is_cancelled_once(guarded: Live) -> None:
    body = _document()
    denial = _evaluated(guarded, body)
    handle = denial["context"]["evaluation_id"]
    link = f"{REQUESTS}/{handle}/cancel"
    ended = guarded.client.post(link, headers=bearer("gateway"))
    assert (ended.status_code, ended.json()["task"]["status"]) == (200, "cancelled")
    assert "links" not in ended.json()["task"]
    late = guarded.post(link, {"comment": "again"}, headers=bearer("gateway"))
    assert (late.status_code, late.json()["type"]) == (409, f"{_PROBLEM}invalid_task_state")
    resubmitted = guarded.post(REQUESTS, _submission(body, denial), headers=bearer("gateway"))
    assert resubmitted.json()["type"] == f"{_PROBLEM}not_requestable"
    assert _evaluated(guarded, body)["context"]["evaluation_id"] != handle


def test_readers_see_every_task_and_end_none(guarded: Live) -> None:
    with live(Settings(page=False, tokens=tokens(gateway=["decide"], auditor=["decide", "read"]))) as service:
        handle = _evaluated(service, _document())["context"]["evaluation_id"]
        assert _status(service, handle, "auditor").json()["task"]["status"] == "pending"
        assert service.post(f"{REQUESTS}/{handle}/cancel", {}, headers=bearer("auditor")).status_code == 404


def test_a_subject_that_acts_for_another_has_no_vote_counted(guarded: Live) -> None:
    body = _document()
    body["subject"] = {**body["subject"], "properties": {"act": {"sub": "agent-7"}}}
    handle = _evaluated(guarded, body)["context"]["evaluation_id"]
    _approve(guarded, handle)
    assert _status(guarded, handle).json()["task"]["status"] == "pending"


ADOPTED = {"supported_mandatory_extensions": ["obligations"], "supported_obligations": ["custom", "step-up"]}


def _memo(text: str, **context: Any) -> dict[str, Any]:
    return {
        "subject": {"type": "user", "id": "rosa"},
        "action": {"name": "memo.send", "properties": {"text": text}},
        "resource": {"type": "tool", "id": "memo.send"},
        "context": context,
    }


def test_who_enforces_obligations_gets_them(guarded: Live) -> None:
    assert _evaluated(guarded, _memo("hello", **ADOPTED)) == {
        "decision": True,
        "context": {
            "obligations": [
                {
                    "id": "obligation-1",
                    "type": "custom",
                    "properties": {
                        "rule": "mask",
                        "layer": "policy",
                        "redact": ["input.text"],
                        "set": {"notify": "secops"},
                    },
                }
            ]
        },
    }


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"supported_obligations": ["custom"]},
        {"supported_mandatory_extensions": ["obligations"]},
        {"supported_mandatory_extensions": ["obligations"], "supported_obligations": ["step-up"]},
        {"supported_mandatory_extensions": "obligations", "supported_obligations": "custom"},
        {"supported_mandatory_extensions": ["other"], "supported_obligations": ["custom"]},
    ],
)
def test_who_enforces_none_is_denied_plainly(guarded: Live, context: dict[str, Any]) -> None:
    answer = _evaluated(guarded, _memo("hello", **context))
    assert (answer["decision"], answer["context"]["reason"]) == (False, "obligations_unsupported")
    assert "obligations" not in answer["context"]


def test_declarations_are_of_each_evaluation(guarded: Live) -> None:
    own = {**_memo("hello"), "context": {"ip": "192.0.2.1"}}
    body = {**_memo("hello"), "context": ADOPTED, "evaluations": [{}, {"context": own["context"]}]}
    answers = guarded.post("/access/v1/evaluations", body, headers=bearer("gateway")).json()["evaluations"]
    assert [each["decision"] for each in answers] == [True, False]


def test_an_approval_is_not_spent_for_who_enforces_no_obligations(guarded: Live) -> None:
    text = "a memo that people must read first"
    handle = _evaluated(guarded, _memo(text, **ADOPTED))["context"]["evaluation_id"]
    _approve(guarded, handle)
    refused = _evaluated(guarded, _memo(text, approval={"id": handle}))
    assert (refused["decision"], refused["context"]["reason"]) == (False, "obligations_unsupported")
    assert _status(guarded, handle).json()["task"]["status"] == "approved"
    permit = _evaluated(guarded, _memo(text, approval={"id": handle}, **ADOPTED))
    assert permit["decision"] is True
    assert set(permit["context"]) == {"obligations", "approval"}
