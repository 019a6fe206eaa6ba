"""The benchmarks run, and every contestant of this engine answers as the policy says. No time is judged here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks import report
from tests.benchmarks.__main__ import main
from tests.benchmarks.contestant import Absent, Contestant, made
from tests.benchmarks.measure import DisagreementError, agree
from tests.benchmarks.ours import floor
from tests.benchmarks.workload import Answer, Workload, policy_texts, workload

_OURS = [
    "hand-written function (floor)",
    "agent-policy, models",
    "agent-policy, specialised",
    "agent-policy, plain data",
    "agent-policy, plain data and capability",
    "agent-policy, interpreter",
]


def test_a_run_checks_the_answers_and_writes_what_it_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", encoding="utf-8")
    options = ["--sizes", "10", "--requests", "20", "--rounds", "2", "--peers", "none", "--sections", "none"]

    code = main([*options, "--json", str(tmp_path / "found.json"), "--markdown", str(page)])

    assert code == 0
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert sorted(found) == ["machine", "rounds", "seconds", "sections", "sizes"]
    (size,) = found["sizes"]
    assert (size["rules"], size["absent"]) == (10, [])
    assert [row["name"] for row in size["rows"]] == _OURS
    for row in size["rows"]:
        assert row["requests"] == 20
        assert row["answers"] == {"allow": 10, "require-approval": 5, "deny": 5}
        assert len(row["rounds_us"]) == 2
        assert row["p50_quartiles_us"][0] <= row["p50_us"] <= row["p50_quartiles_us"][1]
    assert size["rows"][0]["ratio"] == 1
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{report.BEGIN}\nMeasured on ")
    assert text.endswith(f"{report.END}\nafter\n")
    assert "old" not in text
    assert text.removeprefix("before\n").removesuffix("\nafter\n") == capsys.readouterr().out.strip()


@pytest.mark.parametrize(("rules", "permissions"), [(10, 1), (100, 10), (1_000, 20), (10_000, 200)])
def test_a_workload_has_as_many_rules_as_asked_for(rules: int, permissions: int) -> None:
    made_up = workload(rules, 8)
    text = "".join(policy_texts(made_up))
    assert (made_up.rules, len(made_up.permissions)) == (rules, permissions)
    written = text.count("  allow ") + text.count("\ndeny ") + text.count("\nrequire ")
    assert written == rules
    assert [made_up.expected(ask).value for ask in made_up.asks[:4]] == ["allow", "allow", "require-approval", "deny"]


def test_rules_that_cannot_be_made_up_are_refused() -> None:
    with pytest.raises(ValueError, match="15 rules cannot be made up: take a multiple of 10"):
        workload(15, 1)


def test_another_answer_is_told() -> None:
    made_up = workload(10, 4)
    (right,) = floor(made_up)
    wrong = Contestant("wrong", lambda *request: "allow", right.requests, Answer)
    assert agree(made_up, right, 4) == {"allow": 2, "require-approval": 1, "deny": 1}
    with pytest.raises(DisagreementError, match="wrong answers allow for require-approval"):
        agree(made_up, wrong, 4)


def test_a_peer_that_is_not_installed_is_named() -> None:
    def missing(work: Workload) -> list[Contestant | Absent]:
        raise ModuleNotFoundError(name="peer")

    assert made({"a-peer": missing}, workload(10, 1)) == ([], [Absent("a-peer", "not installed (no module peer)")])
    size = {"rules": 10, "rows": [], "absent": [{"name": "a-peer", "why": "not installed (no module peer)"}]}
    machine = {"date": "2026-12-01", "processor": "p", "cores": 2, "python": "3", "system": "s", "versions": {}}
    row = {"name": "floor", "library": "", "note": "n", "requests": 1, "p50_us": 1.0, "ratio": 1.0}
    size["rows"] = [{**row, "ratio_quartiles": [1.0, 1.0]}]
    text = report.block({"machine": machine, "sizes": [size], "rounds": 1, "sections": {}})
    assert "| a-peer | – | not installed (no module peer) |" in text.splitlines()


def test_a_page_without_the_marks_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no marks\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has no `<!-- benchmarks -->`"):
        report.place(page, "text")
    assert page.read_text(encoding="utf-8") == "no marks\n"
