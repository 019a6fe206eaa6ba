"""The page for people is served where there is one, and where it is wanted."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policy.server.settings import Settings
from tests.server.world import live

_PAGE = "policy.server.page"


async def _front(request: Request) -> Response:
    return Response("<!doctype html>", media_type="text/html")


def test_the_page_stands_at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def page_routes(authorizer: Any, settings: Settings) -> list[Route]:
        given.append((authorizer, settings.page))
        return [Route("/", _front)]

    page = ModuleType(_PAGE)
    page.__spec__ = ModuleSpec(_PAGE, None)
    page.page_routes = page_routes  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, _PAGE, page)
    with live(Settings(page=True)) as service:
        answer = service.client.get("/")
        assert (answer.status_code, answer.text, answer.headers["cache-control"]) == (
            200,
            "<!doctype html>",
            "no-store",
        )
        assert given == [(service.authorizer, True)]
        foreign = service.client.get("/", headers={"Host": "evil.example"})
        assert foreign.status_code == 421
    with live(Settings(page=False)) as service:
        assert service.client.get("/").status_code == 404
    assert len(given) == 1
