"""The packs of `rules/`: no finding, everything covered, and nearly every change of them noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.cli import main

_RULES = Path(__file__).parents[2] / "rules"
_PACKS = sorted(path.name for path in _RULES.iterdir() if path.is_dir())


def test_there_are_packs() -> None:
    assert "quickstart" in _PACKS
    assert len(_PACKS) >= 6


@pytest.mark.parametrize("pack", _PACKS)
def test_a_pack_has_no_finding_and_its_fixtures_show_all_of_it(pack: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _RULES / pack
    policy, catalog = str(folder / f"{pack}.policy"), str(folder / "capabilities.json")
    assert main(["check", "--strict", "--capabilities", catalog, policy]) == 0, capsys.readouterr().err
    assert main(["fmt", "--check", policy]) == 0
    assert main(["test", str(folder), "--coverage", "--fail-under", "100"]) == 0, capsys.readouterr().out
    assert main(["test", str(folder), "--mutate", "--fail-under", "95"]) == 0, capsys.readouterr().out
