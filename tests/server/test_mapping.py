"""What a caller writes can only tighten; and whatever it writes, the service answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.model.decision import Outcome
from policy.server.authentication import LOCAL
from policy.server.authzen.mapping import MappingError, map_request
from policy.server.authzen.messages import EvaluationRequest
from policy.server.authzen.settings import AuthzenSettings
from tests.properties.budget import budget
from tests.server.world import PEOPLE, Live, authorizer, directory

_ORDER = {Outcome.ALLOW: 0, Outcome.REQUIRE_APPROVAL: 1, Outcome.DENY: 2}
_NAMES = st.sampled_from(["suspended", "team", "email", "roles", "groups", "person_id", "kind", "act", "id", "x"])
_SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["payments", "support.lead", "mail", ""])
_VALUES = st.recursive(_SCALARS, lambda part: st.lists(part, max_size=3) | st.dictionaries(_NAMES, part, max_size=3))
_PROPERTIES = st.dictionaries(_NAMES, _VALUES, max_size=5)
_CONTEXT = st.dictionaries(
    st.sampled_from(["medium_used", "now", "approvals", "used_votes", "authorities", "route", "tenant", "time"]),
    _VALUES | st.just("2026-11-30T10:00:00Z"),
    max_size=4,
)
_DECIDING = authorizer(approvals=None)


def _outcome(settings: AuthzenSettings, subject: str, action: str, **written: Any) -> Outcome | None:
    """The outcome of an evaluation; None where it is refused before the engine."""
    request = EvaluationRequest.model_validate(
        {
            "subject": {"type": "user", "id": subject, "properties": written.get("properties", {})},
            "action": {"name": action},
            "resource": {"type": "thing", "id": "1"},
            "context": written.get("context", {}),
        }
    )
    try:
        mapped = map_request(request, LOCAL, directory(), settings)
    except MappingError:
        return None
    action_with_id = {**mapped.action, "id": "call"}
    return _DECIDING.authorize(action_with_id, mapped.capability_id, mapped.context).decision.outcome


@given(
    subject=st.sampled_from([*PEOPLE, "somebody"]),
    action=st.sampled_from(["order.read", "team.read", "channel.read", "document.read", "order.wipe"]),
    properties=_PROPERTIES,
    context=_CONTEXT,
)
@budget(150)
def test_what_nobody_trusts_never_loosens(
    subject: str, action: str, properties: dict[str, Any], context: dict[str, Any]
) -> None:
    settings = AuthzenSettings()
    without = _outcome(settings, subject, action)
    written = _outcome(settings, subject, action, properties=properties, context=context)
    if without is None:
        assert written is None
    else:
        assert written is not None
        assert _ORDER[written] >= _ORDER[without]


@given(subject=st.sampled_from(["rosa", "agent:a7", "omar"]), team=_VALUES)
@budget(60)
def test_what_is_stored_is_never_replaced(subject: str, team: Any) -> None:
    settings = AuthzenSettings(subject_properties=["team"])
    stored = PEOPLE[subject].get("attributes", {}).get("team")
    kind, _, name = subject.rpartition(":")
    request = EvaluationRequest.model_validate(
        {
            "subject": {"type": kind or "user", "id": name, "properties": {"team": team}},
            "action": {"name": "team.read"},
            "resource": {"type": "thing", "id": "1"},
        }
    )
    if stored is not None and (stored != team or type(stored) is not type(team)):
        with pytest.raises(MappingError, match="differs"):
            map_request(request, LOCAL, directory(), settings)
        return
    attributes = map_request(request, LOCAL, directory(), settings).context["subject"].get("attributes", {})
    assert attributes.get("team") == (team if stored is None else stored)


@given(properties=_PROPERTIES)
@budget(60)
def test_roles_and_persons_are_never_taken_from_a_request(properties: dict[str, Any]) -> None:
    settings = AuthzenSettings(subject_properties=["roles", "groups", "person_id", "kind", "id"])
    request = EvaluationRequest.model_validate(
        {
            "subject": {"type": "user", "id": "somebody", "properties": properties},
            "action": {"name": "team.read"},
            "resource": {"type": "thing", "id": "1"},
        }
    )
    for party in ("subject", "requester"):
        stated = map_request(request, LOCAL, directory(), settings).context[party]
        assert stated.keys() <= {"id", "kind", "attributes"}
        assert (stated["id"], stated["kind"]) == ("somebody", "human")


_PATHS = (
    "/v1/decide",
    "/v1/decide-many",
    "/v1/visible",
    "/v1/explain",
    "/v1/release",
    "/v1/approvals/x/votes",
    "/v1/approvals/x/withdraw",
    "/v1/approvals/x/cancel",
    "/access/v1/evaluation",
    "/access/v1/evaluations",
    "/access/v1/requests",
    "/access/v1/requests/x/cancel",
)
_MEMBERS = st.sampled_from(
    ["action", "context", "requests", "handle", "by", "decision", "decision_id", "subject", "resource", "evaluations",
     "options", "denial", "id", "type", "name", "properties", "capability_id", "input", "approval"]
)  # fmt: skip
_BODIES = st.recursive(
    _SCALARS | st.sampled_from(["order.read", "approved", "user", "rosa", "chat"]),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(_MEMBERS, part, max_size=6),
    max_leaves=20,
)


@pytest.fixture(scope="module")
def caller(service: Live) -> Live:
    return service


@given(path=st.sampled_from(_PATHS), body=_BODIES | st.dictionaries(_MEMBERS, _BODIES, max_size=6))
@budget(150)
def test_whatever_is_sent_gets_an_answer_that_allows_nothing(caller: Live, path: str, body: Any) -> None:
    answer = caller.client.post(path, content=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    assert answer.status_code in {200, 400, 404, 409}
    assert answer.headers["content-type"] in {"application/json", "application/problem+json"}
    found = answer.json()
    assert found.get("allowed", False) is False
    assert found.get("decision", False) is not True
    assert all(each["allowed"] is False for each in found.get("decisions", []))
    assert all(each["decision"] is False for each in found.get("evaluations", []))


@given(content=st.binary(max_size=60), path=st.sampled_from(_PATHS))
@budget(60)
def test_bytes_that_are_nothing_get_an_error(caller: Live, content: bytes, path: str) -> None:
    answer = caller.client.post(path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in {400, 404}
    assert "error" in answer.json() or answer.headers["content-type"] == "application/problem+json"
