"""A headless Chromium for the tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from shutil import which
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def missing() -> bool:
    """Whether there is no browser that the page can be tested in."""
    return _found() is None or which("chromedriver") is None or find_spec("selenium") is None


def _found() -> str | None:
    return next((path for name in _BROWSERS if (path := which(name)) is not None), None)


@contextmanager
def browser() -> Iterator[Chrome]:
    """A browser that keeps what its console says."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    path = _found()
    assert path is not None
    options.binary_location = path
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,1600"):
        options.add_argument(argument)
    options.add_argument("--no-proxy-server")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()
