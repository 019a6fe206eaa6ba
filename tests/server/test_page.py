"""The page's files and endpoints over HTTP."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from policy.server.authentication import Token, Tokens
from policy.server.settings import Settings
from tests.server.world import CONTEXT, POLICY, Live, action, asked, bearer, live, tokens


@pytest.fixture(scope="module")
def paged() -> Any:
    """A service with the page, and callers with few permissions each."""
    known = tokens(reader=["explain"], decider=["decide"])
    person = Token.model_validate(
        {
            "name": "desk",
            "sha256": sha256(b"secret-lena").hexdigest(),
            "permissions": ["read", "approve"],
            "principal": {"id": "lena", "kind": "human"},
        }
    )
    lena = Tokens.of([person]).entries
    with live(Settings(tokens=Tokens(entries=(*known.entries, *lena)))) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "media_type"), [("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript")]
)
def test_files(paged: Live, path: str, media_type: str) -> None:
    answer = paged.client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, f"{media_type}; charset=utf-8")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "http://" not in answer.text
    assert "https://" not in answer.text
    assert "innerHTML" not in answer.text
    assert answer.text.count("<script") == (path == "/")


def test_the_session_tells_what_the_caller_may(paged: Live) -> None:
    assert paged.client.get("/page/session").status_code == 401
    reader = paged.client.get("/page/session", headers=bearer("reader")).json()
    assert (reader["name"], reader["permissions"], reader["principal"]) == ("reader", ["explain"], None)
    assert "refund.create" in reader["capabilities"]
    assert reader["policies"] == [{"name": "policy", "text": POLICY}]
    lena = paged.client.get("/page/session", headers=bearer("lena")).json()
    assert (lena["principal"]["id"], lena["capabilities"], lena["policies"]) == ("lena", [], [])


def test_the_served_policy_explains(paged: Live) -> None:
    body = {"policy": None, **asked("refund.create", amount=250)}
    told = paged.post("/page/explain", body, headers=bearer("reader")).json()
    assert told["decision"]["outcome"] == "require-approval"
    assert [each["text"] for each in told["sources"]] == [POLICY]
    assert told["changes"] == [
        {
            "text": "`input.amount > 100` would have to be false: then `require large-refund` asks for no approval",
            "location": "policy:17:8",
        },
        {"text": 'an approval for `lead`: role "support.lead"; who could approve: role support.lead', "location": ""},
    ]
    assert paged.authorizer.pending() == []


def test_a_denial_and_an_allow_tell_what_would_change_them(paged: Live) -> None:
    def told(amount: int) -> list[dict[str, str]]:
        body = {"policy": None, **asked("refund.create", amount=amount)}
        changes: list[dict[str, str]] = paged.post("/page/explain", body, headers=bearer("reader")).json()["changes"]
        return changes

    assert told(900)[0] == {
        "text": "`input.amount <= 500` would have to be true: then `allow refund.create` grants it",
        "location": "policy:8:28",
    }
    assert told(50) == [
        {
            "text": "`input.amount <= 500` would have to be false: then `allow refund.create` no longer grants it",
            "location": "policy:8:28",
        },
        {
            "text": "`input.amount > 100` would have to be true: then `require large-refund` asks for approval",
            "location": "policy:17:8",
        },
    ]


def test_a_pasted_policy_is_compiled_for_one_answer(paged: Live) -> None:
    before = paged.authorizer.engine.policy_hash
    text = 'policy "mine" { version "1" }\nroute "chat" { allow refund.create }\n'
    body = {"policy": text, **asked("refund.create", amount=900)}
    told = paged.post("/page/explain", body, headers=bearer("reader")).json()
    assert told["decision"]["outcome"] == "allow"
    assert told["sources"] == [{"name": "policy", "text": text}]
    assert paged.authorizer.engine.policy_hash == before


def test_a_pasted_policy_that_does_not_load(paged: Live) -> None:
    body = {"policy": 'policy "mine" {\n', **asked("refund.create", amount=900)}
    told = paged.post("/page/explain", body, headers=bearer("reader")).json()
    assert (told["decision"], told["rules"]) == (None, [])
    assert told["diagnostics"][0]["severity"] == "error"
    assert told["diagnostics"][0]["location"].startswith("policy:")


@pytest.mark.parametrize(
    ("caller", "body", "status"),
    [
        (None, {}, 401),
        ("decider", {}, 403),
        ("lena", {}, 403),
        ("reader", {"policy": "#" * ((1 << 16) + 1)}, 400),
        ("reader", {"context": {**CONTEXT, "used_votes": []}}, 403),
        ("reader", {"action": action("no.such")}, 404),
    ],
)
def test_what_is_not_answered(paged: Live, caller: str | None, body: dict[str, Any], status: int) -> None:
    headers = {} if caller is None else bearer(caller)
    sent = {"policy": None, **asked("refund.create", amount=1), **body}
    assert paged.post("/page/explain", sent, headers=headers).status_code == status


def test_a_form_of_a_foreign_page_is_not_taken(paged: Live) -> None:
    """Only the header authenticates, and a form cannot send JSON."""
    answer = paged.client.post(
        "/page/explain", content=b"{}", headers={**bearer("reader"), "content-type": "text/plain"}
    )
    assert answer.status_code == 415
    assert "set-cookie" not in answer.headers
