"""Files of callers and people that change while the service runs."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from policy.model.context import Principal
from policy.model.data_error import DataError
from policy.server.authentication import read_tokens
from policy.server.directory import Directory, read_directory
from policy.server.errors import ServiceError
from policy.server.watched import Watched, WatchedDirectory, WatchedTokens, watched_directory, watched_tokens


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _people(path: Path, clock: Clock) -> Watched[Directory]:
    return Watched(str(path), read_directory, seconds=1.0, clock=clock)


def _write(path: Path, value: Any) -> None:
    """Replace a file, as an editor does: another file under the same name."""
    beside = path.with_suffix(".new")
    beside.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    beside.replace(path)


def test_a_role_that_was_taken_back_stops_counting(tmp_path: Path) -> None:
    file, clock = tmp_path / "people.json", Clock()
    _write(file, {"lena": {"roles": ["lead"]}})
    people = WatchedDirectory(_people(file, clock))
    assert people.principal("lena", "human").roles == ["lead"]
    _write(file, {"lena": {"roles": []}})
    assert people.principal("lena", "human").roles == ["lead"]
    clock.now = 1.0
    assert people.principal("lena", "human").roles == []
    record = people.resolve("lena", None)
    assert record is not None
    assert record.roles == []


@pytest.mark.parametrize("content", ["{", "[]", '{"lena": {"rolls": []}}', None])
def test_a_file_that_is_wrong_changes_nothing_and_is_told(
    tmp_path: Path, content: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    file, clock = tmp_path / "people.json", Clock()
    _write(file, {"lena": {"roles": ["lead"]}})
    people = WatchedDirectory(_people(file, clock))
    if content is None:
        file.unlink()
    else:
        _write(file, content)
    clock.now = 1.0
    assert people.principal("lena", "human").roles == ["lead"]
    assert people.error is not None
    assert "the last good one holds" in caplog.text
    _write(file, {})
    clock.now = 2.0
    assert people.principal("lena", "human") == Principal(id="lena", kind="human")
    assert people.error is None


def test_a_token_that_was_taken_back_is_nobody(tmp_path: Path) -> None:
    file, clock = tmp_path / "tokens.json", Clock()

    def entry(name: str) -> dict[str, Any]:
        return {"name": name, "sha256": sha256(name.encode()).hexdigest(), "permissions": ["decide"]}

    _write(file, {"tokens": [entry("old"), entry("new")]})
    callers = WatchedTokens(Watched(str(file), read_tokens, seconds=1.0, clock=clock))
    assert callers.caller(["Bearer old"]).name == "old"
    _write(file, {"tokens": [entry("new")]})
    clock.now = 1.0
    with pytest.raises(ServiceError, match="not known"):
        callers.caller(["Bearer old"])
    assert (callers.caller(["Bearer new"]).name, callers.configured, callers.error) == ("new", True, None)


def test_a_file_must_be_right_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        watched_directory(str(tmp_path / "none.json"))
    _write(tmp_path / "people.json", {"lena": 5})
    with pytest.raises(ValueError, match=r"people\.json"):
        watched_directory(str(tmp_path / "people.json"))
    with pytest.raises(ValueError, match=r"`/tokens`"):
        watched_tokens(str(tmp_path / "people.json"))


def test_what_is_revoked_or_of_another_kind_is_not_used() -> None:
    people = read_directory({"ivan": {"revoked": True}, "bot": {"kind": "agent"}}, "people")
    for name, kind in (("ivan", "human"), ("bot", "human")):
        with pytest.raises(LookupError):
            people.principal(name, kind)  # type: ignore[arg-type]
    record = people.resolve("ivan", None)
    assert record is not None
    assert (record.revoked, record.person_id, people.resolve("nobody", None)) == (True, "ivan", None)
