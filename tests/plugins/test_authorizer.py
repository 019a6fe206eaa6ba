"""Answers to calls: decided by id of the catalog, never raised, told once, safe to hand to a model."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from policy import Capability, Context, Engine, Outcome, PolicyError
from policy.plugins import ApprovalError, Authorizer, CatalogFile, ConfigurationError, MemoryApprovalStore
from policy.plugins.authorization import Authorization
from tests.plugins.world import (
    POLICY,
    Clock,
    Directory,
    Json,
    action,
    authorizer,
    catalog,
    context,
    denials,
    document,
)


@pytest.fixture
def made(tmp_path: Path) -> Any:
    with authorizer(tmp_path, approvals=MemoryApprovalStore()) as one:
        yield one


def test_an_allowed_call(made: Authorizer) -> None:
    answer = made.authorize(action("order.read"), "order.read", context())
    assert (answer.allowed, answer.pending, answer.handle, answer.call) == (True, False, None, "a-1")
    assert answer.to_payload() == {"outcome": "allow", "message": "allowed", "handle": None}


def test_the_decision_is_the_engine_s_unchanged(made: Authorizer) -> None:
    stated = context(now="2026-06-10T12:00:00Z")
    for asked in (action("order.read"), action("payment.bulk"), action("payment.pay", amount=1)):
        document = made.capabilities[asked["capability_id"]]
        expected = made.engine.decide(asked, document, stated)
        assert made.authorize(asked, asked["capability_id"], stated).decision == expected


def test_a_denied_call(made: Authorizer) -> None:
    answer = made.authorize(action("payment.bulk"), "payment.bulk", context())
    assert (answer.allowed, answer.pending, answer.handle) == (False, False, None)
    assert answer.to_payload() == {
        "outcome": "deny",
        "message": "denied: a `deny` of the route covers the capability (scope.denied)",
        "handle": None,
    }


def test_a_call_that_waits(made: Authorizer) -> None:
    answer = made.authorize(action(), "payment.pay", context())
    assert (answer.allowed, answer.pending) == (False, True)
    assert answer.handle is not None and len(answer.handle) >= 32
    assert answer.message == (
        "waiting for approval: a `require` asks for an approval that is not complete (rule.requires_approval)"
    )


def test_a_capability_that_the_catalog_lacks_is_denied_with_what_is_known_of_the_call(made: Authorizer) -> None:
    answer = made.authorize(action("order.raed"), "order.raed", context(session="s-1"))
    decision = answer.decision
    assert denials(decision) == ["capability.unknown"]
    assert (decision.action_id, decision.capability_id, decision.route) == ("a-1", "order.raed", "desk")
    assert (decision.session, decision.evaluated_at) == ("s-1", "2026-06-10T12:00:00Z")


def test_a_document_that_the_host_vouches_for(made: Authorizer) -> None:
    given = document("order.list")
    for capability in (given, Capability.model_validate(given)):
        assert made.authorize(action("order.list"), capability, context()).allowed
    other = made.authorize(action("order.read"), given, context())
    assert denials(other.decision) == ["capability.mismatch"]


def test_models_are_taken_as_data_is(made: Authorizer) -> None:
    stated = Context.model_validate(context())
    assert made.authorize(action("order.read"), "order.read", stated).allowed


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ((None, "order.read", context()), "input.malformed"),
        (([], "order.read", context()), "input.malformed"),
        ((action("order.read", amount=float("nan")), "order.read", context()), "input.malformed"),
        ((action("order.read"), "order.read", None), "context.invalid"),
        ((action("order.read"), "order.read", context(rote="desk")), "context.invalid"),
        ((action("order.read"), "order.read", context(approvals="many")), "context.invalid"),
        ((action("order.read"), "order.read", context(approvals=[None])), "context.invalid"),
        ((action("order.read"), "order.read", context(used_votes=7)), "context.invalid"),
        ((action("order.read"), "order.read", context(now="yesterday")), "context.invalid"),
        ((action("order.read"), {"id": "order.read"}, context()), "capability.invalid"),
        ((action("order.read"), None, context()), "capability.invalid"),
        ((action("order.read"), 7, context()), "capability.invalid"),
    ],
)
def test_whatever_is_given_is_answered(made: Authorizer, given: tuple[Any, Any, Any], code: str) -> None:
    for answer in (made.authorize(*given), made.release(*given, handle="none")):
        assert not answer.allowed and not answer.pending
        assert code in denials(answer.decision)


def test_data_that_refers_to_itself_is_answered(made: Authorizer) -> None:
    endless: Json = {}
    endless["again"] = endless
    assert denials(made.authorize(endless, "order.read", context()).decision) == ["input.malformed"]
    assert denials(made.authorize(action("order.read"), "order.read", endless).decision) == ["context.invalid"]
    stated = Context.model_construct(attributes=endless)
    assert "context.invalid" in denials(made.authorize(action("order.read"), "order.read", stated).decision)


def test_what_the_caller_changes_afterwards_changes_nothing(made: Authorizer) -> None:
    asked, stated = action(), context()
    handle = made.authorize(asked, "payment.pay", stated).handle
    asked["input"]["amount"] = 1
    stated["attributes"]["environment"] = "elsewhere"
    assert handle is not None
    request = made.request(handle)
    assert request is not None
    assert request.action["input"] == {"amount": 900, "payment_id": "p-1"}
    assert request.context["attributes"] == {"environment": "production"}


def test_the_call_is_named_by_the_action_or_by_its_digest(made: Authorizer) -> None:
    assert made.authorize(action(name="c-9"), "payment.pay", context()).call == "c-9"
    blank = made.authorize(action("order.read", name="  "), "order.read", context())
    assert blank.call == blank.decision.request_digest
    assert made.authorize({}, "order.read", context()).call == "unreadable"


def test_the_message_tells_a_model_nothing_of_people_rules_or_values(made: Authorizer) -> None:
    stated = context(attributes={"environment": "frozen"}, requester=None)
    asked = action("payment.pay", amount=4_242)
    message = made.authorize(asked, "payment.pay", stated).message
    assert message == "denied: a `deny` applies (rule.denied)"
    for secret in ("4242", "rosa", "agent-7", "frozen", "tellers", "two", "large"):
        assert secret not in message


def test_a_message_is_one_line_and_bounded(made: Authorizer) -> None:
    answer = made.authorize(action("payment.bulk"), "payment.bulk", context())
    reasons = [
        reason.model_copy(update={"code": f"odd.\n{number}\x1b[31m\u202e", "effect": "deny"})
        for number, reason in enumerate(list(answer.decision.reasons) * 9)
    ]
    many = Authorization(decision=answer.decision.model_copy(update={"reasons": reasons}), handle=None, call="c")
    assert many.message.isprintable()
    assert many.message.startswith("denied: odd.\\n0\\x1b[31m\\u202e; odd.\\n1")
    assert many.message.endswith(f"; and {len(reasons) - 5} more")


def test_asking_again_opens_one_request(made: Authorizer) -> None:
    handles = {made.authorize(action(), "payment.pay", context()).handle for _ in range(3)}
    assert len(handles) == 1
    assert len(made.pending()) == 1
    other_call = made.authorize(action(name="a-2"), "payment.pay", context()).handle
    other_input = made.authorize(action(amount=901), "payment.pay", context()).handle
    assert len({*handles, other_call, other_input}) == 3


def test_without_a_store_an_approval_is_the_host_s(tmp_path: Path) -> None:
    with authorizer(tmp_path) as made:
        waiting = made.authorize(action(), "payment.pay", context())
        assert (waiting.pending, waiting.handle) == (True, None)
        vote = {
            "decision": "approved",
            "decided_at": "2026-06-10T11:59:00Z",
            "request_digest": waiting.decision.request_digest,
            "policy_hash": made.engine.policy_hash,
        }
        votes = [{**vote, "decision_id": name, "approver": {"id": name, "kind": "human"}} for name in ("ines", "omar")]
        stated = context(approvals=votes, used_votes=[])
        assert made.authorize(action(), "payment.pay", stated).allowed
        released = made.release(action(), "payment.pay", stated, handle="any")
        assert denials(released.decision) == ["approval.store_unavailable"]
        for asked in (lambda: made.vote("any", by=vote), made.pending, lambda: made.request("any")):
            with pytest.raises(ApprovalError) as raised:
                asked()
            assert raised.value.code == "approval.store_unavailable"


def test_what_may_be_shown(made: Authorizer) -> None:
    offered = ["order.read", "payment.bulk", "payment.pay", "nothing.known"]
    assert made.visible(offered, context()) == ["order.read", "payment.pay"]
    documents = [document("order.list"), document("vault.open")]
    assert made.visible(documents, context()) == documents[:1]
    assert made.visible(offered, None) == []  # type: ignore[arg-type]
    assert made.visible([object()], context()) == []


def test_an_engine_of_the_host_s(tmp_path: Path) -> None:
    engine = Engine.from_source(POLICY, resolver=Directory())
    made = Authorizer(policies=engine, catalog=catalog(), clock=Clock())
    assert made.engine is engine
    assert made.authorize(action("order.read"), "order.read", context()).decision.outcome is Outcome.ALLOW
    with pytest.raises(ConfigurationError, match="no files to reload from"):
        made.reload_now()


def test_a_catalog_file_of_an_mcp_server(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('{"tools": [{"name": "read", "inputSchema": {"type": "object"}}]}')
    policy = tmp_path / "p.policy"
    policy.write_text('route "desk" { allow capability "mcp.orders.*" }')
    made = Authorizer(policies=[policy], catalog=CatalogFile(path=tools, server="orders"), clock=Clock())
    assert list(made.capabilities) == ["mcp.orders.read"]


def test_what_is_amiss_is_told_at_construction(tmp_path: Path) -> None:
    broken = tmp_path / "broken.policy"
    broken.write_text('route "desk" { alow order.read }')
    with pytest.raises(PolicyError):
        Authorizer(policies=[broken])
    with pytest.raises(PolicyError):
        Authorizer(policies=[tmp_path / "nowhere.policy"])
    good = tmp_path / "good.policy"
    good.write_text(POLICY)
    with pytest.raises(PolicyError):
        Authorizer(policies=[good], catalog=tmp_path / "nowhere.json")
    with pytest.raises(ConfigurationError, match="name at least one policy"):
        Authorizer(policies=[])
    with pytest.raises(ConfigurationError, match="`requests_valid_for` is a duration"):
        Authorizer(policies=[good], requests_valid_for="soon")


def test_a_runtime_finds_it_by_name() -> None:
    import tomllib

    configured = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    ((name, value),) = configured["entry-points"]["policy.authorizers"].items()
    assert EntryPoint(name=name, value=value, group="policy.authorizers").load() is Authorizer
    assert name == "agent-policy"


def test_importing_the_library_imports_nothing_of_it() -> None:
    import subprocess

    code = "import sys, policy; policy.Engine; print([m for m in sys.modules if m.startswith('policy.plugins')])"
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
