"""The neutral decision cases, each under its id: a policy and its fixtures, run by the product's own runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.fixtures.load import load_fixtures
from policy.fixtures.runner import prepare, run

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.fixtures.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".fixtures.yaml"))
def test_case(path: Path) -> None:
    loaded, problems = load_fixtures(path)
    assert loaded is not None, problems
    prepared = prepare(loaded)
    assert prepared.diagnostics == () or not any(one.is_error for one in prepared.diagnostics), prepared.diagnostics
    results = [run(case) for case in prepared.cases]
    if prepared.load_result is not None:
        results.append(prepared.load_result)
    assert results
    failed = {
        result.name: (result.differences, result.decision and result.decision.reasons)
        for result in results
        if not result.passed
    }
    assert not failed
