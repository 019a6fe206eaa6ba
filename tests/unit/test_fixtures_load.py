"""Fixture files: every mistake with its place and what to do; what is data reaches the engine as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.fixtures.load import load_fixtures
from policy.fixtures.runner import prepare, run

_POLICY = """\
route "desk" { allow booking.** }
approval "two" { need 2 approvals from { role "approver" } }
require "large" { when input.amount > 100 approval "two" }
"""
_HEAD = """\
policy: p.policy
capabilities:
  cap:booking:
    name: Book
    kind: tool
    input_schema: {type: object, properties: {amount: {type: number}, note: {}}, required: [amount]}
    acc: {version: 1, enabled: true, scope: booking.create}
now: 2026-11-30T10:00:00Z
capability: cap:booking
context: {route: desk, principal: {id: rosa, roles: []}}
"""


def _found(folder: Path, cases: str, head: str = _HEAD) -> list[tuple[str, int | None, str, str | None]]:
    (folder / "p.policy").write_text(_POLICY, encoding="utf-8")
    file = folder / "a.fixtures.yaml"
    file.write_text(head + cases, encoding="utf-8")
    loaded, problems = load_fixtures(file)
    if loaded is not None:
        problems = prepare(loaded).diagnostics
    return [(each.code, each.line, each.message, each.help) for each in problems if each.is_error]


_OUTCOMES = "write allow, require-approval or deny"
_MISTAKES = {
    "unknown member of a case": (
        "cases:\n  - name: a\n    expects: deny\n    input: {amount: 1}\n    expect: allow\n",
        ("fixture.unknown_member", 13, "`expects` is no member here", "did you mean `expect`?"),
    ),
    "unknown member of the file": (
        "case:\n  - {name: a, expect: deny}\n",
        ("fixture.unknown_member", 11, "`case` is no member here", "did you mean `cases`?"),
    ),
    "unknown capability": (
        "cases:\n  - name: a\n    capability: cap:boking\n    expect: deny\n",
        (
            "fixture.unknown_capability",
            13,
            "the catalog has no capability `cap:boking`",
            "did you mean `cap:booking`?",
        ),
    ),
    "vote without a person": (
        "cases:\n  - name: a\n    votes:\n      - {at: -10m}\n    expect: deny\n",
        ("fixture.missing_member", 14, "`by` is missing here", None),
    ),
    "vote by nobody": (
        'cases:\n  - name: a\n    votes:\n      - {by: ""}\n    expect: deny\n',
        ("fixture.invalid", 14, "`by` names nobody: write the voter's id", None),
    ),
    "vote for an unknown approval": (
        "cases:\n  - name: a\n    votes:\n      - {by: ines, for: tow}\n    expect: deny\n",
        ("fixture.unknown_approval", 14, "the policy has no approval `tow`", "did you mean `two`?"),
    ),
    "expectation of an unknown approval": (
        "cases:\n  - name: a\n    expect: {approvals: {tow: {missing: 2}}}\n",
        ("fixture.unknown_approval", 13, "the policy has no approval `tow`", "did you mean `two`?"),
    ),
    "impossible date": (
        "cases:\n  - name: a\n    now: 2026-02-30T10:00:00Z\n    expect: deny\n",
        (
            "fixture.invalid",
            13,
            "`2026-02-30T10:00:00Z` is no time: write RFC 3339 with an offset, such as 2026-11-30T10:00:00Z",
            None,
        ),
    ),
    "impossible date of a vote": (
        "cases:\n  - name: a\n    votes: [{by: ines, at: -10x}]\n    expect: deny\n",
        (
            "fixture.invalid",
            13,
            "`-10x` is no time: write RFC 3339 with an offset, such as 2026-11-30T10:00:00Z, or an offset from now, "
            "such as -10m",
            None,
        ),
    ),
    "outcome": (
        "cases:\n  - name: a\n    expect: alow\n",
        ("fixture.invalid", 13, f"`alow` does not stand here: {_OUTCOMES}", "did you mean `allow`?"),
    ),
    "outcome in full": (
        "cases:\n  - name: a\n    expect: {outcome: alow}\n",
        ("fixture.invalid", 13, f"`alow` does not stand here: {_OUTCOMES}", "did you mean `allow`?"),
    ),
    "no expectation": (
        "cases:\n  - name: a\n    input: {amount: 1}\n",
        ("fixture.no_expectation", 12, "case `a` has no `expect`, so it cannot fail", None),
    ),
    "no case": ("cases: []\n", ("fixture.no_cases", 11, "there is no case here", None)),
    "neither cases nor load": ("", ("fixture.no_cases", 1, "write either `cases` or `load`", None)),
    "a name twice": (
        "cases:\n  - {name: a, expect: deny}\n  - {name: a, expect: allow}\n",
        ("fixture.duplicate_case", 13, "a case `a` stands above", None),
    ),
    "text for a list": (
        "cases:\n  - name: a\n    expect: {reasons: large}\n",
        ("fixture.invalid", 13, "`large` does not stand here: write a list", None),
    ),
}


@pytest.mark.parametrize(("cases", "expected"), list(_MISTAKES.values()), ids=list(_MISTAKES))
def test_a_mistake_has_its_place_and_what_to_do(
    tmp_path: Path, cases: str, expected: tuple[str, int, str, str | None]
) -> None:
    assert _found(tmp_path, cases) == [expected]


def test_a_member_written_twice_is_an_error_with_its_line(tmp_path: Path) -> None:
    found = _found(tmp_path, "cases:\n  - name: a\n    expect: deny\n    expect: allow\n")
    assert [(code, line) for code, line, _, _ in found] == [("fixture.unreadable", 14)]


def test_an_error_of_a_capability_has_the_line_of_the_fixture_file(tmp_path: Path) -> None:
    head = _HEAD.replace("enabled: true", "enabled: perhaps")
    found = _found(tmp_path, "cases:\n  - {name: a, expect: deny}\n", head)
    assert [line for _, line, _, _ in found] == [7]


def test_a_policy_that_does_not_load_is_told_once(tmp_path: Path) -> None:
    head = _HEAD.replace("p.policy", "q.policy")
    found = _found(tmp_path, "cases:\n  - {name: a, expect: deny}\n  - {name: b, expect: deny}\n", head)
    assert [code for code, _, _, _ in found] == ["load.not_found"]


@pytest.mark.parametrize("word", ["no", "on", "yes", "off", "12:30", "2026-11-30"])
def test_what_other_versions_of_yaml_convert_stays_text(tmp_path: Path, word: str) -> None:
    (tmp_path / "p.policy").write_text(_POLICY, encoding="utf-8")
    file = tmp_path / "a.fixtures.yaml"
    file.write_text(f"{_HEAD}cases:\n  - name: a\n    input: {{amount: 1, note: {word}}}\n    expect: allow\n", "utf-8")
    loaded, _ = load_fixtures(file)
    assert loaded is not None
    (case,) = prepare(loaded).cases
    assert case.request.action["input"] == {"amount": 1, "note": word}
    assert run(case).differences == ()


def test_malformed_data_of_a_request_reaches_the_engine(tmp_path: Path) -> None:
    cases = """\
cases:
  - name: an input that breaks its schema
    input: {amount: many}
    expect: {outcome: deny, reasons: [input.schema_violation]}
  - name: an action with a member that does not exist
    action: {surprise: 1}
    expect: {outcome: deny, reasons: [input.malformed]}
"""
    (tmp_path / "p.policy").write_text(_POLICY, encoding="utf-8")
    file = tmp_path / "a.fixtures.yaml"
    file.write_text(_HEAD + cases, encoding="utf-8")
    loaded, problems = load_fixtures(file)
    assert (loaded is not None, problems) == (True, ())
    assert loaded is not None
    assert [(run(case).name, run(case).differences) for case in prepare(loaded).cases] == [
        ("an input that breaks its schema", ()),
        ("an action with a member that does not exist", ()),
    ]
