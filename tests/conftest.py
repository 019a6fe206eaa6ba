"""What every test may use: golden files, one option that rewrites them, and which adapters are not tested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plugins.adapters.libraries import missing
from tests.server import browser

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption("--rewrite-golden", action="store_true", help="write golden files anew instead of comparing")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the adapters that could not be tested here, so that nobody takes their silence for a pass."""
    absent = missing()
    if absent:
        terminalreporter.write_line(f"adapters not tested, as their library is not installed: {', '.join(absent)}")
    if browser.missing():
        terminalreporter.write_line("the page is not tested in a browser: install chromium, chromedriver and selenium")


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
