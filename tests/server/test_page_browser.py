"""The page in a headless Chromium, as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from policy.server.settings import Settings
from tests.server.browser import browser
from tests.server.world import CONTEXT, Live, action, asked, live, tokens

_HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'


@pytest.fixture(scope="module")
def chrome() -> Iterator[Chrome]:
    """One browser for all tests."""
    with browser() as driver:
        yield driver


@pytest.fixture
def paged() -> Iterator[Live]:
    """A service with the page and one token that may everything the page offers."""
    known = tokens(desk=["explain", "read", "approve"])
    with live(Settings(tokens=known)) as running:
        yield running


class _Person:
    """Somebody before the page."""

    def __init__(self, driver: Chrome, service: Live) -> None:
        self.driver = driver
        driver.get(service.address + "/")
        self.write("token", "secret-desk")
        self.at("token").submit()
        self.until(lambda: "You are desk" in self.text("session"))

    def at(self, name: str) -> Any:
        return self.driver.find_element(By.ID, name)

    def text(self, name: str) -> str:
        text: str = self.at(name).text
        return text

    def write(self, name: str, text: str) -> None:
        self.at(name).clear()
        self.at(name).send_keys(text)

    def until(self, holds: Any) -> None:
        WebDriverWait(self.driver, 20).until(lambda _: holds())

    def ask(self, asked_action: Any, context: Any = CONTEXT) -> str:
        self.write("action", json.dumps(asked_action))
        self.write("context", json.dumps(context))
        self.at("ask").click()
        self.until(lambda: self.at("ask").is_enabled() and self.at("outcome").is_displayed())
        return self.text("outcome")

    def focused(self) -> str:
        active = self.driver.switch_to.active_element
        return active.get_attribute("id") or active.text

    def calm(self) -> None:
        """Nothing was run, and nothing was kept from running by accident."""
        assert self.driver.execute_script("return window.hit") is None
        said = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        # Before there is a token, the page is told that it needs one.
        assert [each["message"] for each in said if "/page/session" not in each["message"]] == []


def test_a_decision_with_its_trace(chrome: Chrome, paged: Live) -> None:
    person = _Person(chrome, paged)
    assert person.ask(action("refund.create", amount=250)) == "Decision: require-approval"
    assert "refunds above 100 are seen by a lead (rule.requires_approval)" in person.text("reasons")
    assert "`input.amount > 100` would have to be false" in person.text("changes")
    lines = chrome.find_elements(By.CSS_SELECTOR, ".lines > li")
    assert "when input.amount > 100" in lines[16].text
    assert "when input.amount > 100 is true" in lines[16].text
    assert "input.amount is 250" in lines[16].text
    assert lines[7].get_attribute("class") == "applies"
    assert person.focused() == "outcome"
    assert person.ask(action("refund.create", amount=900)) == "Decision: deny"
    person.calm()


def test_a_pasted_policy(chrome: Chrome, paged: Live) -> None:
    person = _Person(chrome, paged)
    person.write("policy", 'policy "mine" { version "1" }\nroute "chat" { allow refund.create }\n')
    assert person.at("pasted").is_selected()
    assert person.ask(action("refund.create", amount=900)) == "Decision: allow"
    person.write("policy", 'policy "mine" {')
    assert person.ask(action("refund.create", amount=900)) == "The policy does not load"
    assert "error:" in person.text("reasons")
    person.calm()


def test_hostile_texts_are_shown_as_text(chrome: Chrome, paged: Live) -> None:
    person = _Person(chrome, paged)
    # A string of the language stands on one line.
    written = json.dumps(_HOSTILE)
    person.write(
        "policy", f'policy "x" {{ version "1" }}\nroute "chat" {{ allow memo.send when input.text == {written} }}\n'
    )
    hostile = {**CONTEXT, "requester": {"id": _HOSTILE, "kind": "human", "person_id": _HOSTILE}}
    assert person.ask(action("memo.send", text=_HOSTILE), hostile) == "Decision: allow"
    assert _HOSTILE.split('"', maxsplit=1)[0] in person.text("trace")
    call = {"action": action("memo.send", text=_HOSTILE), "context": hostile}
    handle = paged.authorizer.authorize(call["action"], "memo.send", call["context"]).handle
    assert handle is not None
    person.at("refresh").click()
    person.until(lambda: "Pending: 1." in person.text("approvals-status"))
    assert f"memo.send asked by {_HOSTILE}" in person.text("approvals")
    assert chrome.find_elements(By.CSS_SELECTOR, "main img, main script") == []
    turned = action("memo.send", "call-2", text="pay 1\u202e0001 euros to nobody")
    assert paged.authorizer.authorize(turned, "memo.send", CONTEXT).handle is not None
    person.at("refresh").click()
    person.until(lambda: "Pending: 2." in person.text("approvals-status"))
    assert '"text": "pay 1\\u{202e}0001 euros to nobody"' in person.text("approvals")
    person.calm()


def test_an_approval_by_keyboard_alone(chrome: Chrome, paged: Live) -> None:
    """From the address to an approved call, without a pointer; the runtime then releases it once."""
    call = asked("refund.create", amount=250)
    handle = paged.authorizer.authorize(call["action"], "refund.create", CONTEXT).handle
    denied = asked("refund.create", "call-2", amount=300)
    other = paged.authorizer.authorize(denied["action"], "refund.create", CONTEXT).handle
    assert handle is not None
    assert other is not None
    chrome.get(paged.address + "/")
    chrome.execute_script("sessionStorage.clear()")
    chrome.refresh()
    walk = _Walk(chrome)
    walk.to("Skip to the content")
    walk.to("token")
    walk.type("secret-desk", Keys.ENTER)
    walk.until_text("session", "You are desk")
    walk.to("person")
    walk.type("lena", Keys.ENTER)
    walk.until_text("approvals-status", "Pending: 2.")
    walk.to("Approve")
    walk.type(Keys.ENTER)
    walk.until_text("approvals-status", "is kept: approved. The request is now approved. Pending: 1.")
    assert walk.focused() == "refresh"
    walk.to("Deny")
    walk.type(Keys.SPACE)
    walk.until_text("approvals-status", "is kept: denied. The request is now denied. Pending: 0.")
    release = [
        paged.authorizer.release(call["action"], "refund.create", CONTEXT, handle=handle).allowed for _ in range(2)
    ]
    assert release == [True, False]
    assert not paged.authorizer.release(denied["action"], "refund.create", CONTEXT, handle=other).allowed
    assert walk.seen >= {"token", "forget", "served", "policy", "capability", "action", "context", "ask", "person"}


class _Walk:
    """A keyboard."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver
        self.seen: set[str] = set()

    def focused(self) -> str:
        active = self.driver.switch_to.active_element
        return active.get_attribute("id") or active.text

    def to(self, name: str) -> None:
        """Tab on until something of this id or text has the focus."""
        for _ in range(40):
            self.type(Keys.TAB)
            self.seen.add(self.focused())
            if self.focused() == name:
                assert self.driver.execute_script("return document.activeElement.matches(':focus-visible')")
                return
        raise AssertionError(f"the keyboard does not reach {name}: {sorted(self.seen)}")

    def type(self, *keys: str) -> None:
        self.driver.switch_to.active_element.send_keys(*keys)

    def until_text(self, name: str, text: str) -> None:
        WebDriverWait(self.driver, 20).until(lambda _: text in self.driver.find_element(By.ID, name).text)


def test_names_and_regions(chrome: Chrome, paged: Live) -> None:
    """Every control has a label, and what changes is told."""
    person = _Person(chrome, paged)
    for control in chrome.find_elements(By.CSS_SELECTOR, "input, textarea, select, button"):
        assert control.accessible_name != ""
    regions = [each.get_attribute("id") for each in chrome.find_elements(By.CSS_SELECTOR, "[aria-live=polite]")]
    assert regions == ["session", "decide-status", "approvals-status"]
    person.write("action", "{")
    person.at("ask").click()
    person.until(lambda: person.text("decide-status").startswith("the action is not JSON"))
    assert person.focused() == "action"
    person.at("forget").click()
    person.until(lambda: "show a bearer token" in person.text("session"))
    assert chrome.execute_script("return sessionStorage.length + localStorage.length") == 0
