"""The command line on hostile input ends with a clear error, soon and without filling the memory."""

from __future__ import annotations

import io
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from policy.cli import main

_MEMORY = 600 << 10
"""KiB that the process may have grown to while one command ran."""
_ROUTE = 'route "desk" { allow a.b }\n'

_TEXTS: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n" * 1000,
    "one-line-of-letters": b"a" * (1 << 20),
    "one-line-of-words": b"when " * 209_715,
    "one-line-of-strings": b'"a" ' * 262_144,
    "one-line-of-quotes": b'"' * (1 << 20),
    "one-line-of-dots": b"." * (1 << 20),
    "one-line-of-digits": b"route x " + b"9" * ((1 << 20) - 8),
    "one-line-of-comment": b"#" * (1 << 20),
    "over-the-bound": b"# " * (1 << 20),
    "brackets": b'route "a" { allow a.b when ' + b"(" * 10_000,
    "square-brackets": b'route "a" { allow a.b when x == ' + b"[" * 10_000,
    "braces": b"{" * 10_000,
    "nested-records": b"context { a: " + b"{ a: " * 10_000,
    "nested-needs": b'approval "a" { need ' + b"all of { " * 10_000,
    "nots": b'deny "a" { when ' + b"not " * 200_000 + b"true }",
    "invalid-utf-8": b'route "a\xff" { allow a.b }',
    "utf-16": 'route "a" { allow a.b }'.encode("utf-16"),
    "nul": b'route "a" { allow a.b }\x00',
    "bidi": 'route "a\u202e" { allow a.b }'.encode(),
    "escapes": b"\x1b[2J" * 1000,
}
"""Texts of which none is a policy that loads."""


def _main(*arguments: str, stdin: bytes = b"") -> int:
    kept = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        return main(list(arguments))
    finally:
        sys.stdin = kept


@pytest.fixture(autouse=True)
def _bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Work in a folder of its own, and hold each test to its memory."""
    monkeypatch.chdir(tmp_path)
    # Modules that a command imports when it first runs are no part of what is measured.
    (tmp_path / "warm.policy").write_text(_ROUTE, encoding="utf-8")
    _main("check", "warm.policy")
    _main("fmt", "--check", "warm.policy")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown < _MEMORY


@pytest.mark.parametrize("name", _TEXTS)
def test_check_and_decide_refuse_the_policy(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.policy").write_bytes(_TEXTS[name])
    (tmp_path / "r.json").write_text('{"action": {}, "capability": {}, "context": {}}', encoding="utf-8")
    command = ("check", "p.policy") if len(name) % 2 else ("decide", "--policy", "p.policy", "--request", "r.json")
    assert _main(*command) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error[" in captured.err
    assert all(line.isprintable() for line in captured.err.split("\n"))
    assert len(captured.err) < 300_000


@pytest.mark.parametrize("name", sorted(set(_TEXTS) - {"empty", "blank", "one-line-of-comment"}))
def test_fmt_refuses_the_policy(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.policy").write_bytes(_TEXTS[name])
    assert _main("fmt", "p.policy") == 1
    assert "error[" in capsys.readouterr().err
    assert (tmp_path / "p.policy").read_bytes() == _TEXTS[name]


def _loop(folder: Path) -> None:
    (folder / "policies").mkdir()
    (folder / "policies" / "a.policy").write_text(f'import "b.policy"\n{_ROUTE}', encoding="utf-8")
    (folder / "policies" / "b.policy").write_text('import "a.policy"\n', encoding="utf-8")
    (folder / "policies" / "inner").symlink_to(folder / "policies")


def _outside(folder: Path) -> None:
    (folder / "policies").mkdir()
    (folder / "outside.policy").write_text('deny "x" { for a.b }\n', encoding="utf-8")
    (folder / "policies" / "a.policy").write_text(f'import "link.policy"\n{_ROUTE}', encoding="utf-8")
    (folder / "policies" / "link.policy").symlink_to(folder / "outside.policy")


def _pipe(folder: Path) -> None:
    (folder / "policies").mkdir()
    os.mkfifo(folder / "policies" / "a.policy")


def _nothing(folder: Path) -> None:
    (folder / "policies").mkdir()
    (folder / "policies" / "a.txt").write_text(_ROUTE, encoding="utf-8")


@pytest.mark.parametrize("make", [_loop, _outside, _pipe])
def test_a_folder_that_is_a_trap_is_refused(
    make: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path)
    assert _main("check", "policies") == 1
    assert "error[" in capsys.readouterr().err


def test_a_folder_with_nothing_to_check_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _nothing(tmp_path)
    assert _main("check", "policies") == 2
    assert "policies" in capsys.readouterr().err


def test_a_catalog_over_its_bound_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / "big.json").open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert _main("check", "warm.policy", "--capabilities", "big.json") == 2
    assert capsys.readouterr().err == "error: big.json: more than 64 MiB (capabilities)\n"


@pytest.mark.parametrize(
    "content",
    [b"", b"[" * 10_000, b'{"a":' * 10_000, b'"' + b"x" * (1 << 20), b"\xff\xfe{}", b"{} {}", b"[1e999]", b"nul"],
    ids=lambda content: repr(content[:8]),
)
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_data_that_is_none_is_wrong_usage(
    content: bytes, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"request.{suffix}"
    (tmp_path / name).write_bytes(content)
    assert _main("decide", "--policy", "warm.policy", "--request", name) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")


@pytest.mark.parametrize("name", ["nan", "deep", "wide", "names", "votes"])
def test_data_beyond_the_bounds_is_denied_or_wrong_usage(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {
        "nan": "NaN",
        "deep": "[" * 70 + "]" * 70,
        "wide": json.dumps([0] * 100_001),
        "names": '{"a": 1, "a": 2}',
        "votes": json.dumps([{}] * 2_001),
    }
    request = (
        f'{{"action": {{"input": {values[name]}}}, "capability": {{}}, "context": {{"approvals": {values[name]}}}}}'
    )
    (tmp_path / "request.json").write_text(request, encoding="utf-8")
    code = _main("decide", "--policy", "warm.policy", "--request", "request.json", "--format", "json")
    captured = capsys.readouterr()
    if code == 2:
        assert captured.err.startswith("error: request.json:")
    else:
        assert (code, json.loads(captured.out)["outcome"]) == (4, "deny")
