"""Tokens, and services without them."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import httpx
import pytest

from policy.server.authentication import LOCAL, PERMISSIONS, Tokens, read_tokens
from policy.server.settings import Settings
from tests.server.world import Live, asked, bearer, live, tokens

_HASH = sha256(b"secret").hexdigest()


@pytest.fixture(scope="module")
def guarded() -> Iterator[Live]:
    with live(Settings(page=False, tokens=tokens(runtime=["decide"]))) as running:
        yield running


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Authorization", "")],
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer secret-other")],
        [("Authorization", "Basic secret-runtime")],
        [("Authorization", "secret-runtime")],
        [("Authorization", f"Bearer {_HASH}")],
        [("Authorization", b"Bearer \xff\xfe")],
        [("Authorization", "Bearer secret-runtime"), ("Authorization", "Bearer secret-runtime")],
        [("Authorization", "Bearer " + "s" * 5000)],
    ],
)
def test_who_shows_no_known_token_is_nobody(guarded: Live, headers: list[tuple[str, Any]]) -> None:
    given = [(name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in headers]
    answer = guarded.post("/v1/decide", asked("order.read"), headers=given)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "caller.unauthenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_known_token_is_taken_whatever_the_case_of_the_scheme(guarded: Live) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        answer = guarded.post("/v1/decide", asked("order.read"), headers={"Authorization": f"{scheme} secret-runtime"})
        assert answer.json()["allowed"] is True


def test_nothing_of_a_body_is_read_for_nobody(guarded: Live) -> None:
    answer = guarded.client.post("/v1/decide", content=b"{", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/.well-known/authzen-configuration"])
def test_machines_ask_without_a_token_whether_it_lives(guarded: Live, path: str) -> None:
    assert guarded.client.get(path).status_code == 200


def test_without_tokens_everybody_who_reaches_it_is_the_loopback_caller() -> None:
    assert Tokens().caller(["Bearer anything"]) is LOCAL
    assert LOCAL.permissions == PERMISSIONS


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.0.2.1:80", "localhost.evil.example:1"])
def test_without_tokens_a_page_that_names_this_machine_gets_nothing(service: Live, host: str) -> None:
    answer = service.post("/v1/decide", asked("order.read"), headers={"Host": host})
    assert (answer.status_code, answer.json()["error"]["code"]) == (421, "request.host_unknown")


def test_without_tokens_a_foreign_page_gets_nothing(service: Live) -> None:
    for origin in ("https://evil.example", "null", "http://localhost:1"):
        answer = service.post("/v1/decide", asked("order.read"), headers={"Origin": origin})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "request.origin_foreign")
    own = service.post("/v1/decide", asked("order.read"), headers={"Origin": service.address})
    assert own.json()["allowed"] is True


def test_with_tokens_the_name_of_the_host_is_free(guarded: Live) -> None:
    headers = {**bearer("runtime"), "Host": "policy.example", "Origin": "https://console.example"}
    assert guarded.post("/v1/decide", asked("order.read"), headers=headers).json()["allowed"] is True


def test_names_of_loopback_are_known(service: Live) -> None:
    port = httpx.URL(service.address).port
    for host in ("localhost", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}", "[::1]", "127.1.2.3"):
        assert service.client.get("/healthz", headers={"Host": host}).text == "ok\n"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "input should be"),
        ({"tokens": []}, "`/tokens`"),
        ({"tokens": [{"name": "a", "sha256": "abc", "permissions": ["decide"]}]}, "`/tokens/0/sha256`"),
        ({"tokens": [{"name": "a", "sha256": _HASH.upper(), "permissions": ["decide"]}]}, "`/tokens/0/sha256`"),
        ({"tokens": [{"name": "a", "sha256": _HASH + "\n", "permissions": ["decide"]}]}, "`/tokens/0/sha256`"),
        ({"tokens": [{"name": "a", "sha256": _HASH, "permissions": []}]}, "`/tokens/0/permissions`"),
        ({"tokens": [{"name": "a", "sha256": _HASH, "permissions": ["everything"]}]}, "`/tokens/0/permissions/0`"),
        ({"tokens": [{"name": "", "sha256": _HASH, "permissions": ["decide"]}]}, "`/tokens/0/name`"),
        ({"tokens": [{"name": "a", "token": "secret", "sha256": _HASH, "permissions": ["read"]}]}, "`/tokens/0/token`"),
        ({"tokens": [{"name": n, "sha256": _HASH, "permissions": ["read"]} for n in "ab"]}, "two tokens"),
    ],
)
def test_a_wrong_token_file_is_refused_with_its_place(value: Any, told: str) -> None:
    with pytest.raises(ValueError, match=r"^`tokens\.json`") as caught:
        read_tokens(value, "tokens.json")
    assert told in str(caught.value)
    assert "secret" not in str(caught.value)


def test_tokens_are_not_shown(guarded: Live) -> None:
    assert "secret" not in repr(tokens(runtime=["decide"]))
    assert _HASH not in repr(read_tokens({"tokens": [{"name": "a", "sha256": _HASH, "permissions": ["read"]}]}, "t"))
