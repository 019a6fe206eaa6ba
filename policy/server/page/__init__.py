"""The page for people at `/`: static files and the endpoints that only the page uses."""

from __future__ import annotations

from policy.server.page.routes import page_routes

__all__ = ["page_routes"]
