"""What every test may use: golden files, and one option that rewrites them (`pytest --rewrite-golden`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption("--rewrite-golden", action="store_true", help="write golden files anew instead of comparing")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the golden file of a name, or writes the file where that was asked for."""
    rewrite: bool = request.config.getoption("--rewrite-golden")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        assert path.exists(), f"tests/golden/{name} is not there: run `pytest --rewrite-golden` and read what it wrote"
        assert text == path.read_bytes().decode("utf-8")

    return compare
