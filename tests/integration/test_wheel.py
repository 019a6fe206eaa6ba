"""The wheel, installed in a fresh environment outside the checkout, runs the quick start.

Needs pip and its index. It is never left out: what is not tried here is not known to work for anybody else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_MINUTES = 10


def _run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "NO_COLOR"}}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60 * _MINUTES
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that holds the wheel and what it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    built = _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, _ROOT, cwd=folder)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("agent_policy-*.whl")
    made = _run(sys.executable, "-m", "venv", folder / "environment", cwd=folder)
    assert made.returncode == 0, made.stderr
    programs = folder / "environment" / "bin"
    done = _run(programs / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    assert done.returncode == 0, done.stderr
    return programs


@pytest.fixture(scope="module")
def package(installed: Path) -> Path:
    """The folder of the installed package."""
    found = _run(installed / "python", "-c", "import policy; print(policy.__file__)", cwd=installed)
    folder = Path(found.stdout.strip()).parent
    assert installed.parent in folder.parents
    return folder


def test_the_quick_start_runs_from_the_wheel(installed: Path, package: Path, tmp_path: Path) -> None:
    pack = package / "rules" / "quickstart"
    request = pack / "request.json"
    found = _run(
        installed / "policy", "decide", "--policy", pack, "--request", request, "--format", "json", cwd=tmp_path
    )
    decision = json.loads(found.stdout)
    codes = {"allow": 0, "require-approval": 3, "deny": 4}
    assert (found.returncode, found.stderr) == (codes[decision["outcome"]], "")
    assert [reason["code"] for reason in decision["reasons"]] != []


def test_the_grammar_and_the_rules_are_in_the_wheel(package: Path) -> None:
    for name in ("grammar", "rules"):
        there = {path.relative_to(_ROOT / name) for path in (_ROOT / name).rglob("*") if path.is_file()}
        assert {path.relative_to(package / name) for path in (package / name).rglob("*") if path.is_file()} == there


def test_what_is_installed_is_what_is_declared(installed: Path, tmp_path: Path) -> None:
    assert _run(installed / "python", "-m", "pip", "check", cwd=tmp_path).returncode == 0
    version = _run(installed / "policy", "--version", cwd=tmp_path)
    assert version.stdout == "agent-policy 0.1.0, language 1\n"
