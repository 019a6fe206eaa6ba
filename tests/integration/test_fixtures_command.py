"""`policy test` and the pytest plug-in, end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from policy.cli import main
from policy.engine import Engine
from policy.fixtures import parallel, session

_POLICY = """\
route "desk" { allow booking.** }
approval "two" { need 2 approvals from { role "approver" } }
require "large" { when input.amount > 100 approval "two" because "large bookings need two people" }
"""
_FIXTURES = """\
policy: p.policy
capabilities:
  cap:booking:
    name: Book
    kind: tool
    input_schema: {type: object, properties: {amount: {type: number}}, required: [amount]}
    acc: {version: 1, enabled: true, scope: booking.create}
now: 2026-11-30T10:00:00Z
capability: cap:booking
context: {route: desk, principal: {id: rosa, roles: []}}
cases:
  - name: a small one
    input: {amount: 100}
    expect: allow
  - name: a large one
    input: {amount: 101}
    expect: {outcome: require-approval, reasons: [large], approvals: {two: {missing: 2}}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a policy and two cases."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.policy").write_text(_POLICY, encoding="utf-8")
    (tmp_path / "p.fixtures.yaml").write_text(_FIXTURES, encoding="utf-8")
    return tmp_path


def _change(project: Path, name: str, old: str, new: str) -> None:
    text = (project / name).read_text(encoding="utf-8")
    assert old in text
    (project / name).write_text(text.replace(old, new), encoding="utf-8")


def test_all_cases_below_the_current_folder_pass(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test"]) == 0
    assert capsys.readouterr() == ("2 cases in 1 file: 2 passed\n", "")


def test_a_threshold_moved_by_one_shows_the_difference_and_the_reason(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _change(project, "p.policy", "> 100", "> 101")
    assert main(["test"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "FAILED a large one  p.fixtures.yaml:15:5",
        "  ≠ outcome: expected require-approval, got allow",
        "  ≠ reasons: expected `large`, got desk, scope.allowed",
        "  ≠ approvals.two: not asked for (asked for: none)",
        "",
    ]
    assert '      does not apply: require "large" (large bookings need two people)  p.policy:3:1' in lines
    assert "        when: false  input.amount > 101" in lines
    assert lines[-1] == "2 cases in 1 file: 1 passed, 1 failed"


def test_errors_are_told_with_their_place_and_the_other_cases_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _change(
        project, "p.fixtures.yaml", "  - name: a large one\n", "  - name: a large one\n    capability: cap:boking\n"
    )
    assert main(["test"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "1 case in 1 file: 1 passed, 1 error\n"
    head = "p.fixtures.yaml:16:5: error[fixture.unknown_capability]: the catalog has no capability `cap:boking`"
    assert captured.err.splitlines()[0] == head
    assert captured.err.splitlines()[-1].strip() == "help: did you mean `cap:booking`?"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "error: `nowhere` is not there\n"),
        (["-k", "giant"], "error: no case has `giant` in its name\n"),
        (["--jobs", "0"], "error: `--jobs` is 1 or more\n"),
        (
            ["--junit", "no/such/folder.xml"],
            "error: `no/such/folder.xml` cannot be written: no such file or directory\n",
        ),
    ],
)
def test_wrong_usage(project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["test", *arguments]) == 2
    assert capsys.readouterr().err == message


def test_a_folder_without_fixtures_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["test"]) == 2
    assert capsys.readouterr().err.splitlines()[0] == "error: there is no `*.fixtures.yaml` file"


def test_cases_are_selected_by_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "-k", "LARGE"]) == 0
    assert capsys.readouterr().out == "1 case in 1 file: 1 passed, 1 not selected\n"


def test_results_as_json_and_junit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _change(project, "p.policy", "> 100", "> 101")
    assert main(["test", "--format", "json", "--junit", "out.xml"]) == 1
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert {name: document[name] for name in ("passed", "failed", "not_selected", "errors")} == {
        "passed": 1,
        "failed": 1,
        "not_selected": 0,
        "errors": [],
    }
    case = document["cases"][1]
    assert (case["name"], case["line"], case["passed"], case["decision"]["outcome"]) == (
        "a large one",
        15,
        False,
        "allow",
    )
    (suite,) = ElementTree.parse(project / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    (failure,) = suite.iter("failure")
    assert (failure.get("message") or "").startswith("outcome: expected require-approval, got allow; ")


def test_processes_give_the_same_results_in_the_same_order(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _change(project, "p.policy", "> 100", "> 101")
    assert main(["test", "--jobs", "1"]) == 1
    alone = capsys.readouterr()
    monkeypatch.setattr(session, "FEW_CASES", 0)
    assert main(["test", "--jobs", "3"]) == 1
    assert capsys.readouterr() == alone


def test_a_failure_in_a_process_is_not_lost() -> None:
    def work(number: int) -> int:
        return 10 // number

    with pytest.raises(parallel.WorkerError, match="ZeroDivisionError"):
        list(parallel.in_order(work, [5, 2, 0, 1], 2))
    assert list(parallel.in_order(work, [5, 2, 1], 2)) == [2, 5, 10]


def test_a_broken_engine_breaks_fixtures(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fixtures are judged by what `Engine.decide` says, and by nothing else."""
    decide = Engine.decide

    def broken(self: Engine, action: Any, capability: Any, context: Any) -> Any:
        return decide(self, {**action, "input": {"amount": 1}}, capability, context)

    monkeypatch.setattr(Engine, "decide", broken)
    assert main(["test"]) == 1
    assert "≠ outcome: expected require-approval, got allow" in capsys.readouterr().out


def test_the_schema_of_fixtures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "fixtures"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert sorted(schema["properties"]) == [
        "action",
        "authorities",
        "capabilities",
        "capability",
        "cases",
        "context",
        "history",
        "load",
        "now",
        "policy",
        "principal",
    ]
    assert "for" in schema["$defs"]["VoteFixture"]["properties"]


def _pytest(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def test_pytest_collects_one_item_a_case(project: Path) -> None:
    ran = _pytest(project, "-v")
    assert ran.returncode == 0, ran.stdout
    assert "p.fixtures.yaml::a small one PASSED" in ran.stdout
    assert "p.fixtures.yaml::a large one PASSED" in ran.stdout
    chosen = _pytest(project, "-k", "large")
    assert "1 passed, 1 deselected" in chosen.stdout


def test_pytest_shows_the_difference_and_the_explanation(project: Path) -> None:
    _change(project, "p.policy", "> 100", "> 101")
    ran = _pytest(project)
    assert ran.returncode == 1
    assert "≠ outcome: expected require-approval, got allow" in ran.stdout
    assert "when: false  input.amount > 101" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_pytest_fails_for_a_file_with_an_error(project: Path) -> None:
    _change(project, "p.fixtures.yaml", "expect: allow", "expect: alow")
    ran = _pytest(project)
    assert ran.returncode == 2
    assert "error[fixture.invalid]: `alow` does not stand here" in ran.stdout


def test_the_plug_in_costs_nothing_where_there_is_no_fixture_file() -> None:
    code = (
        "import sys, pytest, policy.fixtures.pytest_plugin\n"
        "print(sorted(name for name in sys.modules if name in ('pydantic', 'lark', 'policy.engine', 'jsonschema')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
