"""Coverage, mutation, suggestions and the starter project, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policy.cli import main

_POLICY = """\
context { environment: one of "production", "staging" planet: string optional }
define large = input.amount > 100 or input.rush
route "desk" { allow booking.** }
require "two-eyes" { for booking.create when large and context.environment == "production" approval "one" }
deny "abroad" { for booking.create when context.planet == "mars" }
approval "one" { need 1 approvals from { role "approver" group "board" } }
risk "limits" { unattended up to medium approve up to high by "one" }
"""
_HEAD = """\
policy: p.policy
capabilities:
  create:
    name: Create
    kind: tool
    input_schema: {type: object, properties: {amount: {type: integer}, rush: {type: boolean}}, required: [amount, rush]}
    acc: {version: 1, enabled: true, scope: booking.create}
  read:
    name: Read
    input_schema: {type: object}
    kind: tool
    acc: {version: 1, enabled: true, scope: booking.read}
now: 2026-11-30T10:00:00Z
capability: create
context: {route: desk, principal: {id: rosa, roles: []}, environment: production, planet: earth}
authorities: {ines: {roles: [approver]}, omar: {groups: [board]}}
cases:
"""
_SMALL = "  - {name: small, input: {amount: 100, rush: false}, expect: {outcome: allow, risk: medium}}\n"
_LARGE = "  - {name: large, input: {amount: 101, rush: false}, expect: {outcome: require-approval}}\n"
_RUSH = "  - {name: rush, input: {amount: 1, rush: true}, expect: {outcome: require-approval}}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a policy."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.policy").write_text(_POLICY, encoding="utf-8")
    return tmp_path


def _run(project: Path, capsys: pytest.CaptureFixture[str], cases: str, *arguments: str) -> tuple[int, Any]:
    (project / "p.fixtures.yaml").write_text(_HEAD + cases, encoding="utf-8")
    code = main(["test", "--format", "json", *arguments])
    return code, json.loads(capsys.readouterr().out)


def _open(document: Any) -> set[tuple[str, str, str]]:
    return {(item["statement"], item["text"], item["never"]) for item in document["coverage"]["uncovered"]}


def test_one_case_leaves_open_what_it_does_not_show(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, document = _run(project, capsys, _SMALL, "--coverage")
    rule, definition, place = 'require "two-eyes"', "large", 'context.environment == "production"'
    conditions = {each for each in _open(document) if each[0] == rule and not each[1].startswith("require")}
    assert conditions == {
        (rule, definition, "true"),
        (rule, definition, "deciding alone"),
        (rule, place, "false"),
        (rule, place, "deciding alone"),
        (rule, "input.amount > 100", "true"),
        (rule, "input.amount > 100", "deciding alone"),
        (rule, "input.rush", "true"),
        (rule, "input.rush", "deciding alone"),
    }
    rest = {each for each in _open(document) if each[0] != rule}
    abroad = 'context.planet == "mars"'
    assert {each for each in rest if each[1] == abroad} == {
        ('deny "abroad"', abroad, "true"),
        ('deny "abroad"', abroad, "without an answer"),
    }
    assert {each for each in rest if each[2] == "counted"} == {
        ('approval "one"', 'role "approver"', "counted"),
        ('approval "one"', 'group "board"', "counted"),
    }
    assert {each[1] for each in rest if each[2] == "reached"} == {"approve up to high", "refused from critical on"}


def test_an_atom_decides_alone_only_where_its_other_answer_changes_the_condition(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = "  - {name: both, input: {amount: 101, rush: true}, expect: require-approval}\n"
    _, document = _run(project, capsys, _SMALL + both, "--coverage")
    never = {text for _, text, want in _open(document) if want == "deciding alone"}
    # True with `rush`, neither decides; they are shown to decide by one large and one rushed booking alone.
    assert {"input.amount > 100", "input.rush"} <= never
    assert ('require "two-eyes"', "input.rush", "true") not in _open(document)
    _, document = _run(project, capsys, _SMALL + _LARGE + _RUSH, "--coverage")
    assert {"input.amount > 100", "input.rush"}.isdisjoint(text for _, text, _ in _open(document))


_FULL = (
    _SMALL
    + _LARGE
    + _RUSH
    + """\
  - {name: staging, input: {amount: 101, rush: false}, context: {environment: staging}, expect: allow}
  - {name: mars, input: {amount: 1, rush: false}, context: {planet: mars}, expect: {outcome: deny, reasons: [abroad]}}
  - {name: nowhere, input: {amount: 1, rush: false}, context: {planet: null}, expect: deny}
  - {name: read, capability: read, context: {planet: mars}, input: {}, expect: allow}
  - name: approved
    input: {amount: 101, rush: false}
    matrix:
      - {votes: [{by: ines}], expect: allow}
      - {votes: [{by: omar}], expect: allow}
"""
)
_TIERS = """\
raise "up" { for booking.create to high when input.amount == 7 to critical when input.amount == 8 }
"""


def test_everything_can_be_covered(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "p.policy").write_text(_POLICY + _TIERS, encoding="utf-8")
    tiers = """\
  - {name: high, input: {amount: 7, rush: false}, expect: {outcome: require-approval, risk: high}}
  - {name: critical, input: {amount: 8, rush: false}, expect: {outcome: deny, risk: critical}}
"""
    code, document = _run(project, capsys, _FULL + tiers, "--coverage", "--fail-under", "100")
    assert (_open(document), code) == (set(), 0)
    assert document["coverage"]["percent"] == 100
    assert document["coverage"]["items"] == document["coverage"]["covered"] == 32


def test_a_missed_threshold_fails_and_quotes_what_is_lacking(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "p.fixtures.yaml").write_text(_HEAD + _FULL, encoding="utf-8")
    assert main(["test", "--coverage", "--fail-under", "100"]) == 1
    out = capsys.readouterr().out
    assert 'p.policy:7:1: risk "limits": approve up to high: never reached\n' in out
    assert '  7 | risk "limits" { unattended up to medium approve up to high by "one" }\n    | ^^^^' in out
    assert out.endswith("9 cases in 1 file: 9 passed\nbelow the threshold of 100 %\n")
    assert main(["test", "--coverage", "--fail-under", "90"]) == 0


def test_the_page_marks_the_text_of_the_policy(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "p.policy").write_text(_POLICY.replace('"mars"', '"<mars>"'), encoding="utf-8")
    _run(project, capsys, _SMALL, "--coverage", "--html", "page.html")
    page = (project / "page.html").read_text(encoding="utf-8")
    assert '<span class="part">context.planet == &quot;&lt;mars&gt;&quot;</span>' in page
    assert '<span class="none">role &quot;approver&quot;</span>' in page
    assert '<span class="full">allow booking.**</span>' in page
    assert "<mars>" not in page


def test_survivors_are_shown_in_the_text_of_the_policy_with_a_case_that_would_notice(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, document = _run(project, capsys, _SMALL.replace("100", "50") + _LARGE.replace("101", "500"), "--mutate")
    survivors = {each["difference"]: each for each in document["mutation"]["survivors"]}
    moved = survivors[
        "-define large = input.amount > 100 or input.rush\n+define large = input.amount > 101 or input.rush"
    ]
    assert (moved["change"], moved["location"]) == ("move a threshold", "p.policy:2:1")
    assert "input: {amount: 101, rush: false}" in moved["killer"]
    assert "expect: {outcome: require-approval" in moved["killer"]
    lower = survivors[
        "-define large = input.amount > 100 or input.rush\n+define large = input.amount > 99 or input.rush"
    ]
    assert "input: {amount: 100, rush: false}" in lower["killer"]
    assert "expect: {outcome: allow" in lower["killer"]


def test_both_sides_of_a_threshold_notice_that_it_moves(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, document = _run(project, capsys, _FULL, "--mutate")
    assert "move a threshold" not in {each["change"] for each in document["mutation"]["survivors"]}


def test_votes_do_not_notice_a_mutant_for_its_hash(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A case with a vote reaches the deny, but nothing of it changes when the deny is dropped."""
    voted = "  - {name: voted, input: {amount: 101, rush: false}, votes: [{by: ines}], expect: allow}\n"
    _, document = _run(project, capsys, voted, "--mutate")
    dropped = [each["location"] for each in document["mutation"]["survivors"] if each["change"] == "drop a rule"]
    assert "p.policy:5:1" in dropped


def test_a_pattern_is_widened_only_where_the_catalog_tells_the_difference(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, document = _run(project, capsys, _FULL.replace("{name: read, ", "{name: reading, "), "--mutate")
    widened = [each for each in document["mutation"]["survivors"] if each["change"] == "widen a pattern"]
    assert widened == []
    _, document = _run(
        project, capsys, "".join(line for line in _FULL.splitlines(True) if "read," not in line), "--mutate"
    )
    widened = [each for each in document["mutation"]["survivors"] if each["change"] == "widen a pattern"]
    assert {each["location"] for each in widened} == {"p.policy:4:1", "p.policy:5:1"}


def test_the_score_has_a_threshold(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, document = _run(project, capsys, _FULL, "--mutate", "--fail-under", "100")
    mutation = document["mutation"]
    assert code == 1
    assert mutation["percent"] == 100 * mutation["noticed"] / mutation["mutants"] < 100
    assert len(mutation["survivors"]) == mutation["mutants"] - mutation["noticed"]


def test_nothing_is_measured_while_a_case_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "p.fixtures.yaml").write_text(_HEAD + _SMALL.replace("allow", "deny"), encoding="utf-8")
    assert main(["test", "--coverage", "--mutate"]) == 1
    captured = capsys.readouterr()
    assert captured.err == "nothing is measured before every case passes\n"
    assert "coverage" not in captured.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-under", "90"], "error: `--fail-under` needs `--coverage` or `--mutate`\n"),
        (["--coverage", "--fail-under", "101"], "error: `--fail-under` is a percentage, 0 to 100\n"),
        (["--html", "x.html"], "error: `--html` needs `--coverage`\n"),
    ],
)
def test_options_that_do_not_go_together(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["test", *arguments]) == 2
    assert capsys.readouterr().err == message


def test_suggestions_are_cases_that_pass(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = _SMALL + "  - {name: voted, input: {amount: 500, rush: false}, votes: [{by: ines}], expect: allow}\n"
    _, document = _run(project, capsys, one, "--suggest")
    (cases,) = document["suggestions"].values()
    names = {case.splitlines()[0] for case in cases}
    assert {
        '- name: "small: input.amount is 101"',
        '- name: "small: context.environment is staging"',
        '- name: "small: context.planet is mars"',
        '- name: "small: context.planet is missing"',
        '- name: "voted: without the vote of ines"',
    } <= names
    assert all("# review: expects what the policy gives now" in case for case in cases)
    added = "".join(f"  {line}\n" for case in cases for line in case.splitlines())
    code, document = _run(project, capsys, one + added, "--suggest")
    assert (code, document["failed"], document["passed"]) == (0, 0, 2 + len(cases))


def test_a_new_project_passes_with_full_coverage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "mine"]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    assert main(["check", "--strict", "--capabilities", "capabilities.json", "starter.policy"]) == 0
    assert main(["fmt", "--check", "."]) == 0
    assert main(["test", "--coverage", "--mutate", "--fail-under", "100"]) == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert main(["init", "mine"]) == 2
    assert capsys.readouterr().err.splitlines()[0] == "error: `mine/starter.policy` is there already"
