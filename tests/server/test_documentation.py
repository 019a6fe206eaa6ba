"""The service's own page, held to what the service does."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from policy.server.app import OPERATIONS
from policy.server.authentication import read_tokens
from policy.server.directory import read_directory
from policy.server.errors import STATUSES
from policy.server.settings import ServiceLimits, read_settings

_PAGE = (Path(__file__).parents[2] / "policy" / "server" / "README.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (GET|POST) \| `([^`]+)` \| (?:`(\w+)` )?\| .+ \|$", re.MULTILINE)


def _block(name: str) -> str:
    (found,) = re.findall(rf"```\w+ {name}\n(.*?)```", _PAGE, re.DOTALL)
    return str(found)


def test_the_table_has_every_operation_with_its_permission() -> None:
    told = {(method, path, permission or None) for method, path, permission in _ROW.findall(_PAGE)}
    assert told == {(each.method, each.path, each.permission) for each in OPERATIONS}


def test_the_examples_are_read() -> None:
    tokens = read_tokens(json.loads(_block("tokens")), "tokens")
    assert [caller.name for _, caller in tokens.entries] == ["checkout", "console"]
    people = read_directory(json.loads(_block("subjects")), "subjects")
    assert people.principal("agent:helper", "agent").roles is None
    table = tomllib.loads(_block("settings"))["server"]
    settings = read_settings(table)
    assert settings.public_url == "https://policy.example.org"
    assert settings.authzen.capabilities[0].input == "arguments"
    assert settings.limits == ServiceLimits()


def test_the_errors_of_limits_are_those_of_the_service() -> None:
    rows = re.findall(r"\| (\d{3}) `([a-z._]+)`", _PAGE)
    assert len(rows) == 7
    assert all(STATUSES[code] == int(status) for status, code in rows)
