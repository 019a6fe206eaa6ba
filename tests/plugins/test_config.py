"""The TOML file: everything it can say, and every mistake told with what was meant."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from policy import PolicyError
from policy.plugins import Authorizer, ConfigurationError
from policy.plugins.config import read_configuration
from tests.plugins.world import (
    INES,
    OMAR,
    POLICY,
    SCOPES,
    SEPARATED,
    action,
    context,
    denials,
    document,
)

WHOLE = """
policies = ["rules/payments.policy"]
catalog = "capabilities.json"
fixtures = ["payments.fixtures.yaml"]
resolver = "authorizer_parts:Directory"
history = "authorizer_parts:audit"

[approvals]
store = "sqlite"
path = "approvals.sqlite"
requests_valid_for = "2h"
complete_history = true

[log]
path = "decisions.jsonl"
on_failure = "deny"
max_bytes = 1000000
keep = 3
inputs = ["input.payment_id"]
messages = true
source = "urn:acme:desk"

[reload]
interval = "250ms"
background = false

[telemetry]
opentelemetry = true

[server]
public_url = "https://policy.example.org"
"""
PARTS = """
from policy import AuthorityRecord

class Directory:
    def resolve(self, principal_id, tenant_id):
        return AuthorityRecord(principal_id=principal_id, kind="human", person_id=principal_id, roles=["teller"])

class Audit:
    def history(self, tenant_id):
        return {"entries": []}

audit = Audit()
nothing = 7

def broken():
    raise RuntimeError("not today")
"""
FIXTURES = """
policy: rules/payments.policy
capabilities: capabilities.json
now: 2026-06-10T12:00:00Z
context: {route: desk, principal: {id: rosa, kind: human, roles: []}, environment: production}
cases:
  - {name: reading, capability: order.read, input: {}, expect: allow}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "payments.policy").write_text(SEPARATED)
    (tmp_path / "capabilities.json").write_text(json.dumps([document(scope) for scope in SCOPES]))
    (tmp_path / "payments.fixtures.yaml").write_text(FIXTURES)
    (tmp_path / "authorizer_parts.py").write_text(PARTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("authorizer_parts", None)


def written(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_that_a_file_can_say(folder: Path) -> None:
    made = Authorizer.from_file(written(folder, WHOLE))
    try:
        handle = made.authorize(action(), "payment.pay", context()).handle
        assert handle is not None
        for voter in (INES, OMAR):
            made.vote(handle, by=voter)
        assert made.release(action(), "payment.pay", context(), handle=handle).allowed
        assert made.authorize(action("payment.create", amount=1), "payment.create", context()).allowed
        assert made.status()["reload"]["watching"] is False
        request = made.request(handle)
        assert request is not None
        assert request.opened_at[:11] == request.expires_at[:11] or request.expires_at > request.opened_at
    finally:
        made.close()
    entries = [json.loads(text) for text in (folder / "decisions.jsonl").read_text().splitlines()]
    assert [each["data"]["operation"] for each in entries] == ["authorize", "vote", "vote", "release", "authorize"]
    assert entries[0]["source"] == "urn:acme:desk"
    assert entries[0]["data"]["input"] == {"input.payment_id": "p-1"}
    assert "message" in entries[0]["data"]["reasons"][0]
    assert (folder / "approvals.sqlite").exists()


def test_what_the_service_says_is_read_by_the_service(folder: Path) -> None:
    configuration = read_configuration(written(folder, WHOLE))
    assert configuration.server == {"public_url": "https://policy.example.org"}
    assert read_configuration(written(folder, 'policies = ["p"]')).server == {}


def test_the_least_that_a_file_must_say(folder: Path) -> None:
    made = Authorizer.from_file(written(folder, 'policies = ["rules"]'))
    assert denials(made.authorize(action(), "payment.pay", context()).decision) == ["capability.unknown"]
    assert made.authorize(action("order.read"), document("order.read"), context()).allowed


def test_approvals_in_memory(folder: Path) -> None:
    text = 'policies = ["rules"]\ncatalog = "capabilities.json"\n[approvals]\nstore = "memory"\ncomplete_history = true'
    made = Authorizer.from_file(written(folder, text))
    assert made.authorize(action(), "payment.pay", context()).handle is not None
    assert made.authorize(action("payment.create", amount=1), "payment.create", context()).allowed
    assert [each.name for each in folder.glob("*.sqlite")] == []


def test_a_catalog_of_an_mcp_server(folder: Path) -> None:
    (folder / "tools.json").write_text('{"tools": [{"name": "read", "inputSchema": {"type": "object"}}]}')
    (folder / "p.policy").write_text('route "desk" { allow capability "mcp.**" }')
    text = 'policies = ["p.policy"]\ncatalog = "tools.json"\n[mcp]\nserver = "orders"\ntrust_annotations = true'
    assert list(Authorizer.from_file(written(folder, text)).capabilities) == ["mcp.orders.read"]


MINIMAL = 'policies = ["rules"]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "`policies` is missing"),
        ("policies = []", "`policies` is missing"),
        ('policies = "rules"', "`policies` is a list of texts"),
        ("policies = [1]", "`policies` is a list of texts"),
        ('policies = [""]', "`policies` is a list of texts"),
        ('policys = ["rules"]', "`policys` is not known; did you mean `policies`?"),
        (MINIMAL + "elsewhere = 1", "`elsewhere` is not known; there are `policies`, `catalog`"),
        (MINIMAL + '[log]\non_failur = "deny"', "`log.on_failur` is not known; did you mean `on_failure`?"),
        (MINIMAL + '[log]\npath = "d"', "`log.on_failure` is missing; state `deny` or `continue`"),
        (MINIMAL + '[log]\non_failure = "deny"', "`log.path` is missing; state the file to write"),
        (MINIMAL + '[log]\npath = "d"\non_failure = "ignore"', "`on_failure` is `deny` or `continue`"),
        (MINIMAL + '[log]\npath = "d"\non_failure = "deny"\nkeep = true', "`log.keep` is a whole number"),
        (MINIMAL + '[log]\npath = "d"\non_failure = "deny"\nkeep = 0', "keeps at least one file"),
        (MINIMAL + "log = 1", "`log` is a table"),
        (MINIMAL + "[approvals]", "`approvals.path` is missing"),
        (MINIMAL + '[approvals]\nstore = "redis"', "`approvals.store` is `sqlite` or `memory`, not `redis`"),
        (MINIMAL + '[approvals]\nstore = "memory"\npath = "x"', "`approvals.path` is for the store `sqlite`"),
        (
            MINIMAL + '[approvals]\nstore = "memory"\nrequests_valid_for = "soon"',
            "`requests_valid_for` is a duration above zero such as `24h`, not `soon`",
        ),
        (MINIMAL + '[reload]\ninterval = "often"', "`reload.interval` is a duration such as `5s`, not `often`"),
        (MINIMAL + '[reload]\ninterval = "0s"', "above zero"),
        (MINIMAL + '[reload]\nbackground = "no"', "`reload.background` is true or false"),
        (MINIMAL + '[mcp]\nserver = "x"', "there is no `catalog`"),
        (MINIMAL + 'resolver = "authorizer_parts"', "`resolver` names an object as `module:name`"),
        (MINIMAL + 'resolver = "authorizer_parts:absent"', "`authorizer_parts:absent` gives no object (AttributeError"),
        (MINIMAL + 'resolver = "no_such_module:x"', "`no_such_module:x` gives no object (ModuleNotFoundError"),
        (MINIMAL + 'resolver = "authorizer_parts:broken"', "gives no object (RuntimeError: not today)"),
        (MINIMAL + 'resolver = "authorizer_parts:nothing"', "gives no object (TypeError"),
        (MINIMAL + 'history = "authorizer_parts:Directory"', "`authorizer_parts:Directory` has no method `history`"),
        ("policies = [", "is no TOML: "),
    ],
)
def test_every_mistake_is_told(folder: Path, text: str, message: str) -> None:
    path = written(folder, text)
    with pytest.raises(ConfigurationError) as raised:
        Authorizer.from_file(path)
    assert message in str(raised.value)


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: no such file or directory"):
        Authorizer.from_file(folder / "nowhere.toml")
    (folder / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="is no TOML"):
        Authorizer.from_file(folder / "bytes.toml")
    (folder / "large.toml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(ConfigurationError, match="takes more than 1,048,576 bytes"):
        Authorizer.from_file(folder / "large.toml")


def test_what_was_opened_is_closed_where_the_rest_fails(folder: Path) -> None:
    (folder / "rules" / "payments.policy").write_text("nonsense")
    text = 'policies = ["rules"]\n[approvals]\npath = "approvals.sqlite"\n'
    with pytest.raises(PolicyError):
        Authorizer.from_file(written(folder, text))
    assert not (folder / "approvals.sqlite-wal").exists(), "the last connection folds its log into the file"
    (folder / "rules" / "payments.policy").write_text(POLICY)
    Authorizer.from_file(written(folder, text)).close()
