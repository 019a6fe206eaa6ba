"""The command line, through its entry point: output, exit codes, what goes where."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from policy.cli import main

_POLICY = """\
context {
  environment: one of "production", "staging"
}
route "desk" {
  allow booking.**
}
deny "prod" {
  when context.environment == "production"
  because "not in production"
}
approval "two" {
  need 2 approvals from { role "approver" group "treasury" }
}
require "large" {
  for booking.**
  when input.amount > 100
  approval "two"
  because "large bookings need two people"
}
"""
_CAPABILITY: dict[str, Any] = {
    "id": "cap:booking:create",
    "name": "Create a booking",
    "kind": "tool",
    "input_schema": {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]},
    "acc": {"version": 1, "enabled": True, "scope": "booking.create"},
}
_ROSA = {"id": "rosa", "kind": "human", "person_id": "rosa", "roles": []}
_CONTEXT: dict[str, Any] = {
    "route": "desk",
    "now": "2026-11-30T10:00:00Z",
    "requester": _ROSA,
    "operator": {"id": "bot", "kind": "agent", "roles": []},
    "subject": _ROSA,
    "delegation": [],
    "used_votes": [],
    "authorities": [],
    "attributes": {"environment": "staging"},
}


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Shell:
    """A folder with files, and the command line in it."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch

    def write(self, name: str, content: object) -> str:
        """Write a file: text as it is, anything else as JSON."""
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def run(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run one command."""
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(list(arguments))
        captured = self.capture.readouterr()
        return Ran(code, captured.out, captured.err)

    def decide(self, *more: str, amount: Any = 5, environment: str = "staging") -> Ran:
        """Decide on a booking."""
        action = {"id": "a-1", "capability_id": "cap:booking:create", "input": {"amount": amount}}
        context = {**_CONTEXT, "attributes": {"environment": environment}}
        self.write("request.json", {"action": action, "capability": _CAPABILITY, "context": context})
        return self.run("decide", "--policy", "p.policy", "--request", "request.json", *more)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A folder with a policy, a capability, an action and a context."""
    monkeypatch.chdir(tmp_path)
    made = Shell(tmp_path, capsys, monkeypatch)
    made.write("p.policy", _POLICY)
    made.write("c.json", _CAPABILITY)
    made.write("a.json", {"id": "a-1", "capability_id": "cap:booking:create", "input": {"amount": 5}})
    made.write("x.json", _CONTEXT)
    return made


_DECIDE = ("decide", "--policy", "p.policy", "--capability", "c.json", "--action", "a.json", "--context", "x.json")


@pytest.mark.parametrize(
    ("amount", "environment", "code", "head"),
    [
        (5, "staging", 0, "ALLOW  cap:booking:create"),
        (500, "staging", 3, "REQUIRE APPROVAL  cap:booking:create"),
        (5, "production", 4, "DENY  cap:booking:create"),
        ("x", "staging", 4, "DENY  cap:booking:create"),
    ],
)
def test_the_exit_code_is_the_outcome(shell: Shell, amount: Any, environment: str, code: int, head: str) -> None:
    ran = shell.decide(amount=amount, environment=environment)
    assert (ran.code, ran.out[: len(head)], ran.err) == (code, head, "")


def test_a_decision_as_text(shell: Shell, golden: Callable[[str, str], None]) -> None:
    ran = shell.decide("--explain", amount=500)
    lines = [line for line in ran.out.splitlines() if not line.startswith(("request ", "policy "))]
    golden("decisions/cli-explained.txt", "\n".join(lines) + "\n")


def test_a_decision_as_json(shell: Shell) -> None:
    ran = shell.decide("--format", "json", amount=500)
    decision = json.loads(ran.out)
    assert (ran.code, decision["outcome"], decision["approvals"][0]["missing"]) == (3, "require-approval", 2)
    explained = json.loads(shell.decide("--format", "json", "--explain", amount=500).out)
    assert explained["decision"] == decision
    assert [rule["id"] for rule in explained["rules"] if rule["matched"]] == ["desk", "large", "two"]


def test_three_files_and_one_file_mean_the_same(shell: Shell) -> None:
    assert shell.run(*_DECIDE, "--format", "json").out == shell.decide("--format", "json").out


def test_standard_input_stands_for_one_file(shell: Shell) -> None:
    data = (shell.folder / "a.json").read_bytes()
    ran = shell.run(
        "decide", "--policy", "p.policy", "--capability", "c.json", "--action", "-", "--context", "x.json", stdin=data
    )
    assert (ran.code, ran.err) == (0, "")
    twice = shell.run(
        "decide", "--policy", "p.policy", "--capability", "c.json", "--action", "-", "--context", "-", stdin=data
    )
    assert (twice.code, twice.out) == (2, "")
    assert twice.err.splitlines()[0] == "error: standard input cannot be both action and context"


def test_a_capability_is_named_in_its_catalog(shell: Shell) -> None:
    other = {**_CAPABILITY, "id": "cap:other", "acc": {**_CAPABILITY["acc"], "scope": "other.create"}}
    shell.write("c.json", [_CAPABILITY, other])
    assert shell.run(*_DECIDE).code == 0
    files = ("--action", "a.json", "--context", "x.json")
    wrong = shell.run("decide", "--policy", "p.policy", "--capability", "c.json#cap:other", *files, "--format", "json")
    assert (wrong.code, json.loads(wrong.out)["reasons"][0]["code"]) == (4, "capability.mismatch")
    missing = shell.run("decide", "--policy", "p.policy", "--capability", "c.json#cap:othr", *files)
    assert (missing.code, missing.err) == (
        2,
        "error: `c.json` has no capability `cap:othr`\n  help: did you mean `cap:other`?\n",
    )


def test_a_capability_that_is_not_admitted_is_denied(shell: Shell) -> None:
    shell.write("c.json", {**_CAPABILITY, "kind": "robot"})
    ran = shell.run(*_DECIDE, "--format", "json")
    assert (ran.code, {reason["code"] for reason in json.loads(ran.out)["reasons"]}) == (4, {"capability.invalid"})
    assert "c.json:" in ran.err


def test_a_policy_that_does_not_load_is_1(shell: Shell) -> None:
    shell.write("p.policy", _POLICY.replace("input.amount > 100", "inptu.amount > 100"))
    ran = shell.run(*_DECIDE)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines()[0].startswith("p.policy:16:8: error[name.unknown]: ")
    assert "did you mean `input`?" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "policy: decide whether"),
        (("dcide",), "error: there is no command `dcide`\n  help: did you mean `decide`?"),
        (("decide", "--policy", "p.policy"), "error: `--action` is missing"),
        (
            ("decide", "--polcy", "p.policy"),
            "error: `policy decide` has no option `--polcy`\n  help: did you mean `--policy`?",
        ),
        (("test", "--zzz=3"), "error: `policy test` has no option `--zzz`\n  help: see `policy test --help`"),
        (
            ("decide", "--policy", "p.policy", "--capability", "c.json", "--action", "x.json", "--context", "a.json"),
            "error: `x.json` holds a context and `a.json` an action\n  help: swap the files",
        ),
        (("check", "empty"), "error: `empty` holds no `.policy` file\n  help: name the folder"),
        (("test", "empty"), "error: there is no `*.fixtures.yaml` file"),
        (
            ("test", "p.policy"),
            "error: `p.policy` is a policy; `policy test` wants the `*.fixtures.yaml` files that test it\n"
            "  help: `policy init DIR` writes some",
        ),
        (("decide", "--policy", "none.policy", "--request", "a.json"), "error: `none.policy` is not there"),
        (
            ("decide", "--policy", "p.policy", "--request", "none.json"),
            "error: none.json: cannot be read: no such file or directory (request)",
        ),
        (("decide", "--policy", "p.policy", "--request", "p.policy"), "error: p.policy:"),
        (("decide", "--policy", "p.policy", "--request", "a.json"), "error: `a.json` has an unknown member `id`"),
        (
            ("decide", "--policy", "p.policy", "--request", "a.json", "--action", "a.json"),
            "error: `--request` holds action",
        ),
        (("check", "none.policy"), "error: `none.policy` is not there"),
        (("check", "p.policy", "--capabilities", "none.json"), "error: none.json: cannot be read"),
        (("check", "p.policy", "--capabilities", "p.policy"), "error: p.policy:"),
        (("check", "p.policy", "--format", "xml"), "usage: policy check"),
        (("fmt", "none.policy"), "error: `none.policy` is not there"),
        (("fmt", "-", "p.policy"), "error: `-` stands alone"),
        (("fmt", "empty"), "error: there is no `.policy` file"),
        (("digest", "--capability", "c.json"), "error: `--action` is missing"),
        (("visible", "--policy", "p.policy"), "usage: policy visible"),
        (("schema", "robot"), "error: there is no schema `robot`\n  help: there are `action`, `capability`"),
        (("schema", "contxt"), "error: there is no schema `contxt`\n  help: did you mean `context`?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_2_and_says_what_to_do(shell: Shell, arguments: tuple[str, ...], message: str) -> None:
    (shell.folder / "empty").mkdir()
    ran = shell.run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(message), ran.err


def test_the_fixtures_beside_a_policy_are_named(shell: Shell) -> None:
    for number in range(7):
        (shell.folder / f"p{number}.fixtures.yaml").write_text("", encoding="utf-8")
    shown = ", ".join(f"`p{number}.fixtures.yaml`" for number in range(5))
    assert shell.run("test", "p.policy").err.endswith(f"  help: beside it: {shown} and 2 more\n")


def test_check(shell: Shell) -> None:
    ran = shell.run("check", "p.policy")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines()[-1] == "no findings"


def test_check_reports_every_finding_and_fails(shell: Shell) -> None:
    shell.write(
        "p.policy",
        _POLICY.replace('"two"\n  because', '"tow"\n  because').replace(
            "input.amount >", "input.amount >= 1 and inpt.b >"
        ),
    )
    text = shell.run("check", "p.policy")
    assert text.code == 1
    found = json.loads(shell.run("check", "p.policy", "--format", "json").out)
    assert found["errors"] == len([line for line in text.err.splitlines() if ": error[" in line]) == 2
    sarif = json.loads(shell.run("check", "p.policy", "--format", "sarif").out)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == [
        each["code"] for each in found["diagnostics"]
    ]


def test_strict_fails_on_warnings(shell: Shell) -> None:
    shell.write("p.policy", _POLICY + "define unused = input.amount > 5\n")
    assert shell.run("check", "p.policy").code == 0
    ran = shell.run("check", "p.policy", "--strict")
    assert (ran.code, ran.err.splitlines()[-1]) == (1, "1 warning")


def test_check_with_a_catalog_says_what_it_took_the_file_for(shell: Shell) -> None:
    ran = shell.run("check", "p.policy", "--capabilities", "c.json")
    assert ran.code == 0
    assert "c.json: taken for a capability, 1 capability" in ran.err.splitlines()


def test_check_with_authorities(shell: Shell) -> None:
    shell.write("people.yaml", "ines: {roles: [approver]}\n")
    few = shell.run("check", "p.policy", "--authorities", "people.yaml")
    assert "no people of the given directory can complete approval `two`" in few.err
    shell.write("people.yaml", "ines: {roles: [approver], groups: []}\nomar: {groups: [treasury]}\n")
    assert shell.run("check", "p.policy", "--authorities", "people.yaml").err == "no findings\n"
    shell.write("people.yaml", "ines:\n  roles: approver\n")
    wrong = shell.run("check", "p.policy", "--authorities", "people.yaml")
    assert (wrong.code, wrong.err) == (
        2,
        "error: people.yaml:2:3: authority record at `/ines/roles`: input should be a valid list\n",
    )


def test_fmt_writes_in_place_and_keeps_the_mode(shell: Shell) -> None:
    path = shell.folder / "messy.policy"
    shell.write("messy.policy", '# why\nroute "a"{allow b.c}\n')
    path.chmod(0o640)
    assert shell.run("fmt", "--check", "messy.policy").code == 1
    assert path.read_text(encoding="utf-8") == '# why\nroute "a"{allow b.c}\n'
    assert shell.run("fmt", "messy.policy").code == 0
    assert path.read_text(encoding="utf-8").startswith('# why\nroute "a" {\n')
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [entry.name for entry in shell.folder.glob(".messy*")] == []
    again = shell.run("fmt", "--check", "messy.policy")
    assert (again.code, again.out, again.err) == (0, "", "")


def test_fmt_keeps_comments_where_they_stand(shell: Shell) -> None:
    text = """\
# why
route "a" {  # of the head
  # of the clause
  allow b.c  # behind it
  # at the end
}

# of the rule
deny "x" {
  for b.c
}
# last
"""
    assert shell.run("fmt", "-", stdin=text.encode()).out == text


def test_fmt_formats_standard_input(shell: Shell) -> None:
    ran = shell.run("fmt", "-", stdin=b'route "a"{allow b.c}')
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith('route "a" {\n')
    assert shell.run("fmt", "-", stdin=ran.out.encode()).out == ran.out


def test_fmt_leaves_a_broken_file_as_it_is(shell: Shell) -> None:
    shell.write("folder/broken.policy", 'route "a" { allow }')
    shell.write("folder/good.policy", 'route "a"{allow b.c}')
    ran = shell.run("fmt", "folder")
    assert (ran.code, ran.out) == (1, "")
    assert (shell.folder / "folder/broken.policy").read_text(encoding="utf-8") == 'route "a" { allow }'
    assert ran.err.splitlines()[-1] == "folder/good.policy formatted"


def test_digest(shell: Shell) -> None:
    ran = shell.run("digest", "--capability", "c.json", "--action", "a.json", "--context", "x.json")
    decided = json.loads(shell.run(*_DECIDE, "--format", "json").out)
    assert (ran.code, ran.out, ran.err) == (0, decided["request_digest"] + "\n", "")


def test_a_request_that_cannot_be_read_has_no_digest(shell: Shell) -> None:
    shell.write("a.json", {"id": "a-1", "capability_id": "", "input": {}})
    ran = shell.run("digest", "--capability", "c.json", "--action", "a.json", "--context", "x.json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "action at `/capability_id`: string should have at least 1 character\n"


def test_visible(shell: Shell) -> None:
    hidden = {**_CAPABILITY, "id": "cap:other", "acc": {**_CAPABILITY["acc"], "scope": "other.create"}}
    shell.write("all.json", [_CAPABILITY, hidden])
    command = ("visible", "--policy", "p.policy", "--capabilities", "all.json", "--context", "x.json")
    text = shell.run(*command)
    assert (text.code, text.err) == (0, "")
    assert [line.split()[:2] for line in text.out.splitlines() if not line.startswith(" ")] == [
        ["shown", "cap:booking:create"],
        ["hidden", "cap:other"],
    ]
    data = json.loads(shell.run(*command, "--format", "json").out)
    assert data["visible"] == ["cap:booking:create"]
    assert [reason["code"] for reason in data["hidden"]["cap:other"]] == ["scope.not_allowed"]


@pytest.mark.parametrize("model", ["action", "capability", "context", "decision", "fixtures"])
def test_schema(shell: Shell, model: str) -> None:
    ran = shell.run("schema", model)
    assert (ran.code, ran.err) == (0, "")
    Draft202012Validator.check_schema(json.loads(ran.out))


def test_version_and_help(shell: Shell) -> None:
    assert shell.run("--version").out.endswith(", language 1\n")
    assert "decide on one action" in shell.run("--help").out
    helped = shell.run("decide", "--help")
    assert (helped.code, "0 allow, 3 require-approval, 4 deny" in helped.out) == (0, True)


def test_nothing_that_a_terminal_obeys_reaches_it(shell: Shell) -> None:
    evil = "\x1b[2J\u202e"
    action = {"id": evil, "capability_id": "cap:booking:create", "input": {"amount": 5}}
    context = {**_CONTEXT, "route": evil}
    shell.write("request.json", {"action": action, "capability": _CAPABILITY, "context": context})
    for form in ((), ("--explain",)):
        ran = shell.run("decide", "--policy", "p.policy", "--request", "request.json", *form)
        assert ran.code == 4
        assert all(line.isprintable() for line in (ran.out + ran.err).split("\n"))


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-m", "policy", "--version"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("agent-policy ")
