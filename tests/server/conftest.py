"""One live service for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server import browser
from tests.server.world import Live, live

collect_ignore = ["test_page_browser.py"] if browser.missing() else []


@pytest.fixture(scope="module")
def service() -> Iterator[Live]:
    """A service without tokens, with a store in memory."""
    with live() as running:
        yield running
