"""One live service for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.world import Live, live


@pytest.fixture(scope="module")
def service() -> Iterator[Live]:
    """A service without tokens, with a store in memory."""
    with live() as running:
        yield running
