"""Decide, decide-many, visible, explain and release over HTTP."""

from __future__ import annotations

from policy.server.settings import ServiceLimits, Settings
from tests.server.world import CONTEXT, LENA, Live, asked, live


def test_an_allowed_call_is_allowed(service: Live) -> None:
    answer = service.post("/v1/decide", asked("refund.create", "n-1", amount=100))
    assert answer.status_code == 200
    body = answer.json()
    assert (body["allowed"], body["outcome"], body["handle"], body["call"]) == (True, "allow", None, "n-1")
    assert body["message"] == "allowed"
    assert body["decision"]["policy_hash"] == service.authorizer.engine.policy_hash


def test_a_denied_call_says_why_without_an_error(service: Live) -> None:
    body = service.post("/v1/decide", asked("order.wipe")).json()
    assert (body["allowed"], body["outcome"]) == (False, "deny")
    assert [each["code"] for each in body["decision"]["reasons"]] == ["scope.not_allowed"]


def test_a_call_that_waits_opens_one_request(service: Live) -> None:
    first, second = (service.post("/v1/decide", asked("refund.create", "n-2", amount=200)).json() for _ in range(2))
    assert (first["outcome"], first["allowed"]) == ("require-approval", False)
    assert first["handle"] == second["handle"] is not None


def test_a_capability_is_named_by_id_alone(service: Live) -> None:
    document = {"acc": {"version": 1, "enabled": True, "scope": "order.read"}, "input_schema": {"type": "object"}}
    answer = service.post("/v1/decide", {**asked("order.read"), "capability": document})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request.capability_document")
    assert service.post("/v1/explain", {**asked("order.read"), "capability": "order.read"}).status_code == 400
    inside = asked("order.read")
    inside["action"]["capability"] = document
    assert service.post("/v1/decide", inside).json()["outcome"] == "deny"
    named = asked("order.read")
    named["action"]["capability_id"] = document
    assert service.post("/v1/decide", named).json()["outcome"] == "deny"


def test_an_unknown_capability_is_denied(service: Live) -> None:
    body = service.post("/v1/decide", asked("order.destroy")).json()
    assert [each["code"] for each in body["decision"]["reasons"]] == ["capability.unknown"]
    answer = service.post("/v1/explain", asked("order.destroy"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "capability.unknown")


def test_malformed_data_is_a_denial_and_a_malformed_request_an_error(service: Live) -> None:
    wrong = asked("order.read")
    wrong["context"] = {**CONTEXT, "requester": "rosa"}
    body = service.post("/v1/decide", wrong).json()
    assert [each["code"] for each in body["decision"]["reasons"]] == ["context.invalid"]
    answer = service.post("/v1/decide", {"action": "order.read", "context": CONTEXT})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request.malformed")
    assert answer.json()["error"]["message"].startswith("at `/action`: ")
    assert service.post("/v1/decide", {**asked("order.read"), "contxt": {}}).status_code == 400


def test_many_calls_are_decided_each_for_itself_in_order(service: Live) -> None:
    calls = [asked("order.read", "m-1"), asked("order.wipe", "m-2"), asked("refund.create", "m-3", amount=300)]
    body = service.post("/v1/decide-many", {"requests": calls}).json()
    assert [(each["call"], each["outcome"]) for each in body["decisions"]] == [
        ("m-1", "allow"),
        ("m-2", "deny"),
        ("m-3", "require-approval"),
    ]
    assert service.post("/v1/decide-many", {"requests": []}).status_code == 400


def test_more_calls_than_the_limit_are_refused_whole() -> None:
    with live(Settings(page=False, limits=ServiceLimits(batch=2))) as service:
        calls = [asked("order.read", f"b-{number}") for number in range(3)]
        assert service.post("/v1/decide-many", {"requests": calls[:2]}).status_code == 200
        answer = service.post("/v1/decide-many", {"requests": calls})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request.malformed")
        evaluations = [{"resource": {"type": "a", "id": "b"}}] * 3
        assert service.post("/access/v1/evaluations", {"evaluations": evaluations}).status_code == 400


def test_what_may_be_shown(service: Live) -> None:
    visible = ["order.read", "refund.create", "memo.send", "document.read"]
    assert service.post("/v1/visible", {"context": CONTEXT}).json() == {"visible": visible}
    chosen = {"context": CONTEXT, "capabilities": ["order.wipe", "memo.send", "no.such"]}
    assert service.post("/v1/visible", chosen).json() == {"visible": ["memo.send"]}
    assert service.post("/v1/visible", {"context": {**CONTEXT, "route": "kiosk"}}).json() == {"visible": []}


def test_an_explanation_shows_rules_and_opens_nothing(service: Live) -> None:
    before = len(service.client.get("/v1/approvals").json()["approvals"])
    body = service.post("/v1/explain", asked("refund.create", "e-1", amount=250)).json()
    assert body["decision"]["outcome"] == "require-approval"
    assert {"large-refund", "chat, authzen"} <= {rule["id"] for rule in body["rules"] if rule["matched"]}
    assert len(service.client.get("/v1/approvals").json()["approvals"]) == before


def test_an_approved_call_is_released_once_and_unchanged(service: Live) -> None:
    call = asked("refund.create", "r-1", amount=400)
    handle = service.post("/v1/decide", call).json()["handle"]
    waiting = service.post("/v1/release", {**call, "handle": handle}).json()
    assert (waiting["allowed"], waiting["outcome"]) == (False, "require-approval")
    vote = service.post(f"/v1/approvals/{handle}/votes", {"by": LENA, "decision": "approved"})
    assert (vote.status_code, vote.json()["state"]) == (200, "approved")
    assert service.post("/v1/decide", call).json()["allowed"] is False
    changed = {**asked("refund.create", "r-1", amount=401), "handle": handle}
    refused = service.post("/v1/release", changed).json()
    assert "approval.action_changed" in [each["code"] for each in refused["decision"]["reasons"]]
    assert service.post("/v1/release", {**call, "handle": handle}).json()["allowed"] is True
    again = service.post("/v1/release", {**call, "handle": handle}).json()
    assert (again["allowed"], again["outcome"]) == (False, "deny")
    assert "approval.consumed" in [each["code"] for each in again["decision"]["reasons"]]
    unknown = service.post("/v1/release", {**call, "handle": "nothing"}).json()
    assert unknown["allowed"] is False
