"""Approval requests over HTTP, and who may speak for whom."""

from __future__ import annotations

from hashlib import sha256
from itertools import count
from typing import Any

import pytest

from policy.server.authentication import Token, Tokens
from policy.server.settings import Settings
from tests.server.world import LENA, Live, asked, authorizer, bearer, live, tokens

_CALLS = count(1)
MAX = {"id": "max", "kind": "human"}
OMAR = {"id": "omar", "kind": "human"}


def _opened(service: Live, **more: Any) -> str:
    number = next(_CALLS)
    # A denial stands for every request of the same digest, so each has an amount of its own.
    call = asked("refund.create", f"approval-{number}", amount=200 + number)
    handle: str = service.post("/v1/decide", call, **more).json()["handle"]
    return handle


def test_a_request_is_listed_and_read(service: Live) -> None:
    handle = _opened(service)
    listed = {each["handle"]: each for each in service.client.get("/v1/approvals").json()["approvals"]}
    read = service.client.get(f"/v1/approvals/{handle}").json()
    assert (read["state"], read["capability_id"], read["votes"]) == ("pending", "refund.create", [])
    assert read["action"]["input"]["amount"] > 200
    assert listed[handle]["request_digest"] == read["request_digest"]
    assert read["decision"]["approvals"][0]["missing"] == 1


def test_an_unknown_handle_is_not_found(service: Live) -> None:
    for answer in (
        service.client.get("/v1/approvals/nothing"),
        service.post("/v1/approvals/nothing/votes", {"by": LENA, "decision": "approved"}),
        service.post("/v1/approvals/nothing/withdraw", {"by": LENA, "decision_id": "d"}),
        service.post("/v1/approvals/nothing/cancel", {}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "approval.unknown")


def test_votes_count_as_the_engine_says(service: Live) -> None:
    handle = _opened(service)
    path = f"/v1/approvals/{handle}/votes"
    assert service.post(path, {"by": OMAR, "decision": "approved"}).json()["state"] == "pending"
    approved = service.post(path, {"by": LENA, "decision": "approved", "decision_id": "v-1", "reason": "seen"}).json()
    assert (approved["state"], len(approved["votes"])) == ("approved", 2)
    again = service.post(path, {"by": LENA, "decision": "approved", "decision_id": "v-1", "reason": "seen"}).json()
    assert len(again["votes"]) == 2
    other = service.post(path, {"by": LENA, "decision": "denied", "decision_id": "v-1"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "approval.refused")
    assert other.json()["error"]["reason"].startswith("approval.")
    assert service.post(path, {"by": MAX, "decision": "denied"}).json()["state"] == "denied"


def test_a_vote_is_withdrawn(service: Live) -> None:
    handle = _opened(service)
    vote = {"by": LENA, "decision": "approved", "decision_id": f"w-{handle}"}
    assert service.post(f"/v1/approvals/{handle}/votes", vote).json()["state"] == "approved"
    gone = service.post(f"/v1/approvals/{handle}/withdraw", {"by": LENA, "decision_id": f"w-{handle}"}).json()
    assert gone["state"] == "pending"


def test_a_request_is_cancelled_and_takes_no_vote(service: Live) -> None:
    handle = _opened(service)
    ended = service.client.post(f"/v1/approvals/{handle}/cancel")
    assert (ended.status_code, ended.json()["state"]) == (200, "withdrawn")
    late = service.post(f"/v1/approvals/{handle}/votes", {"by": LENA, "decision": "approved"})
    assert (late.status_code, late.json()["error"]["reason"]) == (409, "approval.request_withdrawn")


def test_a_vote_needs_somebody_and_an_answer(service: Live) -> None:
    handle = _opened(service)
    path = f"/v1/approvals/{handle}/votes"
    for body in ({"decision": "approved"}, {"by": LENA}, {"by": "lena", "decision": "approved"}):
        answer = service.post(path, body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request.malformed")


def test_without_a_store_there_are_no_approvals() -> None:
    with live(deciding=authorizer(approvals=None)) as service:
        body = service.post("/v1/decide", asked("refund.create", amount=200)).json()
        assert (body["outcome"], body["handle"]) == ("require-approval", None)
        answer = service.client.get("/v1/approvals")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "approval.store_unavailable")


PERMISSIONS = {
    "runtime": ["decide", "release"],
    "desk": ["read", "approve", "cancel"],
    "viewer": ["read"],
    "tester": ["decide", "vouch", "explain"],
}


@pytest.fixture(scope="module")
def guarded() -> Any:
    with live(Settings(page=False, tokens=tokens(**PERMISSIONS))) as running:
        yield running


@pytest.mark.parametrize(
    ("method", "path", "permission"),
    [
        ("POST", "/v1/decide", "decide"),
        ("POST", "/v1/decide-many", "decide"),
        ("POST", "/v1/visible", "decide"),
        ("POST", "/v1/explain", "explain"),
        ("POST", "/v1/release", "release"),
        ("GET", "/v1/approvals", "read"),
        ("GET", "/v1/approvals/x", "read"),
        ("POST", "/v1/approvals/x/votes", "approve"),
        ("POST", "/v1/approvals/x/withdraw", "approve"),
        ("POST", "/v1/approvals/x/cancel", "cancel"),
        ("GET", "/v1/status", "read"),
        ("POST", "/access/v1/evaluation", "decide"),
        ("POST", "/access/v1/evaluations", "decide"),
        ("POST", "/access/v1/requests", "decide"),
        ("GET", "/access/v1/requests/x", "decide"),
        ("POST", "/access/v1/requests/x/cancel", "decide"),
    ],
)
def test_each_operation_takes_its_permission(guarded: Live, method: str, path: str, permission: str) -> None:
    for name, allowed in PERMISSIONS.items():
        answer = guarded.client.request(method, path, headers=bearer(name), json={} if method == "POST" else None)
        refused = (answer.status_code, answer.json().get("error", {}).get("code")) == (403, "caller.not_permitted")
        assert refused is (permission not in allowed)


def test_a_caller_that_may_only_decide_votes_for_nobody(guarded: Live) -> None:
    handle = _opened(guarded, headers=bearer("runtime"))
    vote = {"by": LENA, "decision": "approved"}
    refused = guarded.post(f"/v1/approvals/{handle}/votes", vote, headers=bearer("runtime"))
    assert refused.status_code == 403
    assert guarded.client.get(f"/v1/approvals/{handle}", headers=bearer("viewer")).json()["votes"] == []
    taken = guarded.post(f"/v1/approvals/{handle}/votes", vote, headers=bearer("desk"))
    assert (taken.status_code, taken.json()["state"]) == (200, "approved")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("approvals", []),
        ("used_votes", []),
        ("authorities", []),
        ("history", {"entries": []}),
        ("now", "2026-11-30T10:00:00Z"),
    ],
)
def test_what_the_service_keeps_is_stated_by_those_who_may_vouch(guarded: Live, member: str, value: Any) -> None:
    call = asked("order.read")
    call["context"] = {**call["context"], member: value}
    for path, body in (
        ("/v1/decide", call),
        ("/v1/decide-many", {"requests": [asked("order.read"), call]}),
        ("/v1/visible", {"context": call["context"]}),
        ("/v1/release", {**call, "handle": "x"}),
    ):
        answer = guarded.post(path, body, headers=bearer("runtime"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "caller.not_permitted")
        assert f"`{member}`" in answer.json()["error"]["message"]
    assert guarded.post("/v1/decide", call, headers=bearer("tester")).json()["allowed"] is True
    nothing = asked("order.read")
    nothing["context"] = {**nothing["context"], member: None}
    assert guarded.post("/v1/decide", nothing, headers=bearer("runtime")).status_code == 200


def test_a_token_of_one_person_speaks_for_that_person_alone() -> None:
    known = Tokens.of(
        Token.model_validate(
            {
                "name": name,
                "sha256": sha256(f"secret-{name}".encode()).hexdigest(),
                "permissions": ["decide", "approve", "cancel", "read"],
                **more,
            }
        )
        for name, more in (("lena", {"principal": LENA}), ("runtime", {}))
    )
    with live(Settings(page=False, tokens=known)) as service:
        handle = _opened(service, headers=bearer("runtime"))
        path = f"/v1/approvals/{handle}"
        foreign = service.post(f"{path}/votes", {"by": MAX, "decision": "approved"}, headers=bearer("lena"))
        assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "caller.not_permitted")
        own = service.post(f"{path}/votes", {"decision": "approved"}, headers=bearer("lena"))
        assert own.json()["votes"][0]["approver"]["id"] == "lena"
        assert service.post(f"{path}/cancel", {"by": MAX}, headers=bearer("lena")).status_code == 403
        assert service.post(f"{path}/cancel", {"by": LENA}, headers=bearer("lena")).json()["state"] == "withdrawn"
