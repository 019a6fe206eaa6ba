"""The gate that every adapter stands on."""

from __future__ import annotations

import ast
import asyncio
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from policy import Context, Engine
from policy.contracts.catalog import read_catalog
from policy.plugins import Authorizer, MemoryApprovalStore
from policy.plugins.adapters.common import FAILED, UNFULFILLED, Gate, Verdict
from tests.plugins.adapters.docstring import example_text
from tests.plugins.adapters.five import AGENT, CATALOG, NAMES, OFFERED, POLICY, ROSA, TOO_MUCH, WAITING, desk

ROOT = Path(__file__).parents[3]
STATED: dict[str, Any] = {
    "route": "chat",
    "requester": ROSA,
    "operator": AGENT,
    "subject": ROSA,
    "delegation": [],
    "now": "2026-11-30T10:00:00Z",
}


def gate(policy: str = POLICY, *, catalog: list[Any] = CATALOG, store: bool = True, **more: Any) -> Gate:
    """A gate whose host says that rosa's agent calls."""
    authorizer = Authorizer(
        policies=Engine.from_source(policy),
        catalog=read_catalog(catalog, "catalog"),
        approvals=MemoryApprovalStore() if store else None,
    )
    return Gate(authorizer, **{"context": lambda run: STATED, "capability": NAMES, **more})


def test_an_allowed_call_runs_with_what_was_judged() -> None:
    given = {"amount": 50, "note": {"lines": ["a"]}}
    verdict = gate().check("refund_create", given, None)
    given["note"]["lines"].append("b")  # type: ignore[index]
    assert (verdict.kind, verdict.message, verdict.handle) == ("run", "allowed", None)
    assert verdict.arguments == {"amount": 50, "note": {"lines": ["a"]}}


def test_a_denied_call_is_refused_and_has_nothing_to_run() -> None:
    verdict = gate().check("refund_create", {"amount": 501}, None)
    assert (verdict.kind, verdict.message, verdict.arguments) == ("refuse", TOO_MUCH, {})
    assert verdict.to_payload() == {"outcome": "deny", "message": TOO_MUCH, "handle": None}


def test_one_call_opens_one_request() -> None:
    over = gate()
    first = over.check("refund_create", {"amount": 250}, None, call="call-1")
    again = over.check("refund_create", {"amount": 250}, None, call="call-1")
    other = over.check("refund_create", {"amount": 250}, None, call="call-2")
    assert first.to_payload() == {"outcome": "require-approval", "message": WAITING, "handle": first.handle}
    assert again.handle == first.handle
    assert other.handle not in {None, first.handle}


def test_calls_without_an_id_are_each_their_own() -> None:
    over = gate()
    handles = {over.check("refund_create", {"amount": 250}, None).handle for _ in range(2)}
    assert len(handles) == 2


def test_an_approved_call_is_resumed_once() -> None:
    at = desk()
    handle = str(at.gate.check("refund_create", {"amount": 250}, None).handle)
    assert at.gate.resume("refund_create", {"amount": 250}, None, handle).kind == "wait"
    at.approve(handle)
    assert at.gate.resume("refund_create", {"amount": 251}, None, handle).kind == "refuse"
    assert at.gate.resume("refund_create", {"amount": 250}, None, handle).kind == "run"
    assert at.gate.resume("refund_create", {"amount": 250}, None, handle).kind == "refuse"


def test_settling_asks_the_request_of_the_same_call() -> None:
    at = desk()
    waits = at.gate.settle("refund_create", {"amount": 250}, None, call="call-1")
    assert waits.kind == "wait"
    at.approve(str(waits.handle))
    assert at.gate.settle("refund_create", {"amount": 250}, None, call="call-2").kind == "wait"
    assert at.gate.settle("refund_create", {"amount": 250}, None, call="call-1").kind == "run"
    assert at.gate.settle("refund_create", {"amount": 250}, None, call="call-1").kind == "refuse"


def test_without_a_store_what_waits_has_no_handle() -> None:
    verdict = gate(store=False).settle("refund_create", {"amount": 250}, None, call="call-1")
    assert (verdict.kind, verdict.handle) == ("wait", None)


def test_the_context_is_read_from_the_run() -> None:
    seen: list[object] = []

    def context(run: object) -> Context:
        seen.append(run)
        return Context.model_validate(STATED)

    over = gate(context=context)
    assert over.check("order_read", {}, "the run").kind == "run"
    assert over.offered(["order_read"], "the list") == ["order_read"]
    assert seen == ["the run", "the list"]


def test_those_that_may_be_shown_keep_their_order() -> None:
    tools = [{"name": name} for name in ("vault_open", "refund_create", "unknown", "order_read")]
    offered = gate().offered(tools, None, name=lambda tool: tool["name"])
    assert offered == [{"name": "refund_create"}, {"name": "order_read"}]


@pytest.mark.parametrize("capability", [NAMES, NAMES.get, NAMES.__getitem__])
def test_a_tool_without_a_capability_is_refused_and_hidden(capability: Any) -> None:
    over = gate(capability=capability)
    assert over.check("unknown", {}, None) == Verdict(kind="refuse", message=FAILED)
    assert set(over.offered([*NAMES, "unknown"], None)) == OFFERED


def test_without_a_naming_a_tool_is_its_own_capability() -> None:
    over = gate(capability=None)
    assert over.check("order.read", {}, None).kind == "run"
    assert over.check("order_read", {}, None).message.endswith("(capability.unknown)")


@pytest.mark.parametrize("context", [lambda run: None, lambda run: [STATED], lambda run: run["user"]])
def test_a_context_that_is_none_is_a_refusal(context: Any, caplog: pytest.LogCaptureFixture) -> None:
    over = gate(context=context)
    with caplog.at_level(logging.ERROR):
        assert over.check("order_read", {}, {}) == Verdict(kind="refuse", message=FAILED)
    assert "the gate failed, so the call is refused" in caplog.text
    assert over.offered(["order_read"], {}) == []


def test_arguments_that_are_no_data_are_refused() -> None:
    cycle: dict[str, Any] = {}
    cycle["again"] = cycle
    assert gate().check("order_read", cycle, None).kind == "refuse"
    assert gate().check("order_read", {"order": object()}, None).kind == "refuse"
    assert gate().check("order_read", None, None).kind == "refuse"  # type: ignore[arg-type]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, asyncio.CancelledError])
def test_what_ends_the_host_passes(interruption: type[BaseException]) -> None:
    def context(run: object) -> dict[str, Any]:
        raise interruption

    over = gate(context=context)
    with pytest.raises(interruption):
        over.check("order_read", {}, None)
    with pytest.raises(interruption):
        over.offered(["order_read"], None)


OBLIGED = POLICY + 'obligation "notify" { for order.read set channel = "secops" }'


def test_an_obligation_that_the_host_does_not_know_is_a_refusal() -> None:
    assert gate(OBLIGED).check("order_read", {}, None).message == UNFULFILLED
    assert gate(OBLIGED, obligations={"other"}).check("order_read", {}, None).message == UNFULFILLED


def test_an_obligation_that_the_host_fulfils_is_handed_to_it() -> None:
    verdict = gate(OBLIGED, obligations={"notify"}).check("order_read", {}, None)
    assert verdict.kind == "run"
    assert verdict.authorization is not None
    assert [each.set for each in verdict.authorization.decision.obligations] == [{"channel": "secops"}]


def test_what_waits_with_an_unknown_obligation_is_refused_at_once() -> None:
    policy = POLICY + 'obligation "notify" { for refund.create set channel = "secops" }'
    verdict = gate(policy).check("refund_create", {"amount": 250}, None)
    assert (verdict.kind, verdict.message, verdict.handle) == ("refuse", UNFULFILLED, None)


def test_redaction_and_sensitive_audit_are_for_the_log() -> None:
    policy = POLICY + 'obligation "mask" { for order.read redact input.order }'
    sensitive = [{**CATALOG[0], "acc": {**CATALOG[0]["acc"], "audit": {"sensitive": True}}}]
    verdict = gate(policy, catalog=sensitive).check("order_read", {"order": "A-1"}, None)
    assert verdict.kind == "run"
    assert verdict.authorization is not None
    assert sorted(each.rule for each in verdict.authorization.decision.obligations) == ["audit.sensitive", "mask"]


def test_a_declared_timeout_is_the_hosts_to_keep() -> None:
    timed = [{**CATALOG[0], "acc": {**CATALOG[0]["acc"], "execution": {"timeout_ms": 1000}}}]
    assert gate(catalog=timed).check("order_read", {}, None).message == UNFULFILLED
    assert gate(catalog=timed, obligations={"execution.timeout"}).check("order_read", {}, None).kind == "run"


def test_the_same_without_blocking() -> None:
    at = desk()

    async def host() -> list[str]:
        waits = await at.gate.check_async("refund_create", {"amount": 250}, None, call="call-1")
        at.approve(str(waits.handle))
        kinds = [
            waits.kind,
            (await at.gate.check_async("order_read", {}, None)).kind,
            (await at.gate.resume_async("refund_create", {"amount": 250}, None, str(waits.handle))).kind,
            (await at.gate.settle_async("refund_create", {"amount": 250}, None, call="call-1")).kind,
        ]
        return [*kinds, *await at.gate.offered_async(NAMES, None)]

    assert asyncio.run(host()) == ["wait", "run", "run", "refuse", "order_read", "refund_create"]


def _documented(path: Path) -> tuple[str, set[str]]:
    """The example of an adapter's docstring, which its own tests run, and the names that the adapter exports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    exported = [node.value for node in tree.body if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node)]
    return example_text(ast.get_docstring(tree) or ""), set(ast.literal_eval(exported[0])) if exported else set()


def test_the_readme_shows_the_examples_that_are_run() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python with_(\w+)\.py\n(.*?)\n```$", readme, re.MULTILINE | re.DOTALL)
    shown = {name: text.partition("\n\n") for name, text in blocks}
    documented = {path.stem: _documented(path) for path in (ROOT / "policy" / "plugins" / "adapters").glob("*.py")}
    assert {name: example for name, (_, _, example) in shown.items()} == {
        name: example for name, (example, _) in documented.items() if example
    }
    for name, (imports, _, _) in shown.items():
        (own,) = re.findall(rf"^from policy\.plugins\.adapters\.{name} import (.+)$", imports, re.MULTILINE)
        assert set(own.split(", ")) <= documented[name][1]
