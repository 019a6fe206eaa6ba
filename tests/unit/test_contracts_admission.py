"""What the engine knows of an admitted capability (language.md sections 4 and 7, model.md sections 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from policy.check.catalog import CapabilityFacts, CatalogPlace
from policy.contracts.admission import admit
from policy.contracts.facts import capability_facts
from policy.model.capability import Capability
from policy.types.contract import CONTRACT
from policy.types.kinds import Record
from policy.types.values import RiskLevel, Sensitivity
from tests.unit.contract_documents import Document, admitted, approval, contract, declared, findings, only, tool

_LOW, _MEDIUM, _HIGH, _CRITICAL = RiskLevel


def _acc(**members: object) -> Document:
    return declared({"type": "object"}, **members)


def _both(effects: list[str], **members: object) -> Document:
    return {**_acc(**members), "contract": contract(side_effects=effects)}


@pytest.mark.parametrize(
    ("document", "effects", "readonly"),
    [
        (tool(), None, False),
        (tool(contract=contract(side_effects=[])), None, False),
        (tool(contract=contract(side_effects=["read"])), ("read",), True),
        (tool(contract=contract(side_effects=["read", "write"])), ("read", "write"), False),
        (_acc(), None, False),
        (_acc(execution={"readonly": False}), None, False),
        (_acc(execution={"readonly": True}), ("read",), True),
        (_both([], execution={"readonly": True}), ("read",), True),
        (_both(["read"]), ("read",), True),
        (_both(["read"], execution={"readonly": False}), ("read",), False),
        (_both(["write"], execution={"readonly": True}), ("write",), False),
        (_both(["read", "external_network"], execution={"readonly": True}), ("read", "external_network"), False),
        ({**_acc(), "method": "GET"}, None, False),
    ],
)
def test_effects_are_what_is_declared_and_unknown_is_not_harmless(
    document: Document, effects: tuple[str, ...] | None, readonly: bool
) -> None:
    capability = admitted(document)
    assert (capability.effects, capability.readonly) == (effects, readonly)
    assert capability.facts.get("effects") == (None if effects is None else list(effects))
    assert capability.facts["readonly"] is readonly


@pytest.mark.parametrize(
    "document",
    [_both(["write"], execution={"readonly": True}), _both(["read"], execution={"readonly": False})],
)
def test_a_contradiction_about_readonly_is_a_finding(document: Document) -> None:
    assert ("document.readonly_conflict", "/acc/execution/readonly") in findings(admit(document))


@pytest.mark.parametrize(
    ("document", "risk"),
    [
        # ACC alone
        (_acc(), _MEDIUM),
        (_acc(risk={"level": "low"}), _LOW),
        (_acc(risk={"level": "high"}, execution={"readonly": True}), _HIGH),
        (_acc(execution={"readonly": True}), _LOW),
        (_acc(execution={"readonly": False}), _MEDIUM),
        ({**_acc(), "method": "GET"}, _LOW),
        ({**_acc(), "method": "POST"}, _MEDIUM),
        ({**_acc(), "method": "HEAD"}, _MEDIUM),
        ({**_acc(execution={"readonly": False}), "method": "GET"}, _MEDIUM),
        ({**_acc(risk={"level": "medium"}), "method": "GET"}, _MEDIUM),
        ({**_acc(), "requires_human_approval": False}, _MEDIUM),
        # AIP alone
        (tool(), _HIGH),
        (tool(risk="low"), _LOW),
        (tool(risk="critical"), _CRITICAL),
        (tool(requires_human_approval=True), _HIGH),
        (tool(contract=contract(side_effects=["read"])), _LOW),
        (tool(contract=contract(side_effects=["write"])), _MEDIUM),
        (tool(contract=contract(side_effects=["write", "external_network"])), _MEDIUM),
        (tool(contract=contract(side_effects=[])), _HIGH),
        *(
            (tool(contract=contract(side_effects=["read", effect])), _HIGH)
            for effect in ("financial", "delete", "identity", "medical", "legal", "send_message", "code_execution")
        ),
        (tool(risk="low", contract=contract(side_effects=["delete"])), _LOW),
        # both: the most severe
        ({**_acc(risk={"level": "low"}), "risk": "high"}, _HIGH),
        ({**_acc(risk={"level": "high"}), "risk": "low"}, _HIGH),
        (_both(["read"]), _MEDIUM),
        (_both(["read"], execution={"readonly": True}), _LOW),
        (_both(["write"], risk={"level": "low"}), _MEDIUM),
        (_both([], execution={"readonly": True}), _HIGH),
        ({**_acc(execution={"readonly": True}), "requires_human_approval": True}, _HIGH),
    ],
)
def test_the_most_severe_level_of_the_formats_present_counts(document: Document, risk: RiskLevel) -> None:
    capability = admitted(document)
    assert capability.declared_risk is risk
    assert capability.facts["declared_risk"] is risk


def test_a_declaration_fills_in_id_name_and_kind() -> None:
    capability = admitted(_acc(scope="order.read"))
    assert (capability.id, capability.document.name, capability.document.kind) == ("order.read", "order.read", "tool")
    named = admitted({**_acc(), "id": "refund"})
    assert (named.id, named.document.name, named.scope) == ("refund", "refund", "refund.create")


@pytest.mark.parametrize("member", ["id", "name", "kind"])
def test_without_a_declaration_nothing_is_filled_in(member: str) -> None:
    document = tool(scope="order.cancel")
    del document[member]
    assert findings(admit(document)) == [("aip.member_missing", f"/{member}")]


def test_the_declarations_scope_counts_and_the_deployments_stands_in() -> None:
    assert admitted(tool()).scope is None
    assert admitted(tool(scope="order.cancel")).scope == "order.cancel"
    assert admitted({**_acc(), "scope": "refund.create"}).scope == "refund.create"
    assert "scope" not in admitted(tool()).facts


def test_two_different_scopes_are_an_error() -> None:
    found = only(admit({**_acc(), "scope": "refund.read"}))
    assert (found.code, found.pointer) == ("document.scope_conflict", "/scope")
    assert found.message == "`refund.read` is not the scope `refund.create` that `acc` declares; leave one out"


@pytest.mark.parametrize(
    ("document", "wellformed", "pointers"),
    [
        (tool(scope="order.cancel"), True, []),
        (tool(scope="order..cancel"), False, ["/scope"]),
        (tool(scope="order.cancel\n"), False, ["/scope"]),
        (tool(scope="l\u0435dger.purge"), False, ["/scope"]),
        (tool(scope=" "), False, ["/scope"]),
        (_acc(scope="refund."), False, ["/acc/scope"]),
        (tool(id="cap:calendar:booking:create"), True, []),
        (tool(id="GET /orders/{id}"), True, []),
        (tool(id="GET  /orders"), False, ["/id"]),
        (tool(id="get /orders"), False, ["/id"]),
        (tool(id="order cancel"), False, ["/id"]),
        (tool(id="order.cancel\n"), False, ["/id"]),
        (tool(id="b\u00f6rse"), False, ["/id"]),
        (tool(id="a..b", scope="a.b"), False, ["/id"]),
    ],
)
def test_a_scope_or_id_that_nothing_matches_is_marked_and_reported(
    document: Document, wellformed: bool, pointers: list[str]
) -> None:
    assert admitted(document).scope_wellformed is wellformed
    assert [found.pointer for found in admit(document).diagnostics] == pointers
    assert not any(found.is_error for found in admit(document).diagnostics)


def test_odd_characters_are_escaped_in_messages() -> None:
    found = only(admit(tool(scope="l\u0435dger.purge\n")))
    assert found.message.startswith("no pattern matches the scope `l\\u0435dger.purge\\n`;")


def test_a_disabled_declaration_is_admitted_and_marked() -> None:
    capability = admitted(_acc(enabled=False))
    assert (capability.enabled, capability.subject_required) == (False, False)
    assert admitted(_acc(subject={"required": True})).subject_required
    assert admitted(tool()).enabled


def test_facts_are_runtime_values() -> None:
    capability = admitted(
        tool(stability="experimental", scope="order.cancel", contract=contract(side_effects=["read"]), risk="low")
    )
    assert capability.facts == {
        "capability": {"id": "order.cancel", "name": "cancel", "kind": "tool", "stability": "experimental"},
        "scope": "order.cancel",
        "effects": ["read"],
        "readonly": True,
        "declared_risk": RiskLevel.LOW,
        "contract": {
            **contract(side_effects=["read"]),
            "data": {"sensitivity": Sensitivity.INTERNAL, "contains_pii": False, "redaction_required": False},
        },
    }


def test_what_has_no_value_is_no_fact() -> None:
    assert admitted(tool()).facts == {
        "capability": {"id": "order.cancel", "name": "cancel", "kind": "tool"},
        "readonly": False,
        "declared_risk": RiskLevel.HIGH,
    }


_FULL = contract(
    idempotency={**contract()["idempotency"], "ttl_ms": 1},
    data={
        **contract()["data"],
        "residency": {"allowed_regions": ["eu"]},
        "retention": {"retain_for_ms": 1, "delete_after_ms": 2, "legal_hold_allowed": True},
    },
    credentials={"required": True, "required_scopes": ["a"], "allow_oauth_refresh": False},
    approval=approval(
        ttl_ms=5,
        reason="r",
        policy_version="1",
        rule={"operator": "role", "name": "teller"},
        delegated_authority={"principal": "p", "scope": ["s"], "expires_at": "2026-01-01T00:00:00Z"},
    ),
    sla={
        "async_expected": False,
        "timeout_ms": 5,
        "availability_target": "99%",
        "expected_latency_ms": 1,
        "max_queue_delay_ms": 1,
    },
    transaction={
        "supported_modes": ["execute"],
        "requires_plan_before_commit": True,
        "dry_run_fidelity": "schema_only",
    },
    compensation={
        "mode": "supported",
        "compensation_capability_id": "x",
        "compensation_window_ms": 5,
        "requires_approval": True,
    },
)


_OBJECT = {"type": "object", "properties": {"a": {}}}


def _members(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield f"{path}.{name}"
            yield from () if f"{path}.{name}" == ".approval.rule" else _members(member, f"{path}.{name}")


def _declared_members(record: Record, path: str = "") -> Iterator[str]:
    for name, field in record.fields:
        yield f"{path}.{name}"
        if isinstance(field.type, Record):
            yield from _declared_members(field.type, f"{path}.{name}")


def test_the_facts_of_a_contract_are_those_that_conditions_may_read() -> None:
    facts = admitted(tool(contract=_FULL)).facts["contract"]
    unset = {".approval.approver_selector.id", ".approval.approver_selector.system"}
    assert set(_members(facts)) == set(_declared_members(CONTRACT)) - unset


def test_the_digest_is_over_what_a_decision_may_rest_on() -> None:
    plain = admitted(tool(contract=contract())).digest
    assert len(plain) == 64
    for hint in ({"name": "other"}, {"description": "d"}, {"cost": {"per_call": 1}}, {"bindings": [1]}):
        assert admitted({**tool(contract=contract()), **hint}).digest == plain
    for change in (
        {"id": "x"},
        {"kind": "agent"},
        {"scope": "a.b"},
        {"risk": "low"},
        {"stability": "stable"},
        {"auth": {"x": 1}},
        {"requires_human_approval": True},
        {"input_schema": {"type": "object", "description": "d"}},
        {"output_schema": True},
        {"contract": contract(side_effects=["read"])},
    ):
        assert admitted({**tool(contract=contract()), **change}).digest != plain


def test_the_digest_leaves_out_guidance_and_what_acc_does_not_know() -> None:
    plain = admitted(_acc()).digest
    assert admitted(_acc(guidance={"when_to_use": "x"})).digest == plain
    assert admitted(_acc(x_future={"a": 1}, execution={"x": 1})).digest == plain
    assert admitted(_acc(audit={"sensitive": True})).digest != plain
    assert admitted(_acc(approval={"prompt": "sure?"})).digest != plain
    assert admitted(_acc(execution={"readonly": False})).digest != plain
    assert admitted({**_acc(), "method": "GET"}).digest != plain


def test_the_digest_does_not_depend_on_how_the_document_is_written() -> None:
    document = tool(contract=_FULL, acc=declared()["acc"])

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [turned(item) for item in value] if isinstance(value, list) else value

    plain = admitted(document).digest
    assert admitted(turned(document)).digest == plain
    written_out = {"risk": {}, "approval": {"required": False, "when": []}, "subject": {"required": False}}
    assert admitted({**document, "acc": {**document["acc"], **written_out}}).digest == plain
    assert admitted({**document, "requires_human_approval": False, "stability": None}).digest == plain
    as_number = {**document, "contract": {**_FULL, "idempotency": {**_FULL["idempotency"], "ttl_ms": 1.0}}}
    assert admitted(as_number).digest == plain


@pytest.mark.parametrize(
    "document",
    [tool(contract=_FULL), declared(_OBJECT, approval={"when": [{"param": "a", "op": "==", "value": None}]})],
)
def test_a_model_is_admitted_like_the_document_it_was_read_from(document: Document) -> None:
    model = Capability.model_validate(document)
    again = Capability.model_validate(model.model_dump())
    for admission in (admit(model), admit(again)):
        assert admission.diagnostics == admit(document).diagnostics
        assert admission.capability is not None
        assert admission.capability.digest == admitted(document).digest
        assert admission.capability.document == admitted(document).document
        assert admission.capability.acc_conditions == admitted(document).acc_conditions


def test_a_later_change_of_the_argument_changes_nothing() -> None:
    document = tool(input_schema={"type": "object", "required": ["a"]}, contract=contract(), auth=[1])
    capability = admitted(document)
    before = (capability.digest, repr(capability.facts), capability.document.model_dump_json())
    document["input_schema"]["required"].clear()
    document["contract"]["side_effects"].append("delete")
    document["auth"].append(2)
    assert (capability.digest, repr(capability.facts), capability.document.model_dump_json()) == before
    assert [found.pointer for found in capability.input_schema.violations({})] == [""]


def test_a_model_that_refers_to_itself_is_refused() -> None:
    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic
    model = Capability.model_validate(tool()).model_copy(update={"cost": cyclic})
    assert only(admit(model)).code == "document.malformed"


def test_a_document_without_method_and_declaration_is_admitted_whole() -> None:
    assert only(admit(tool(method="GET"))).code == "aip.member_malformed"
    assert admitted({**_acc(), "method": "DELETE"}).document.method == "DELETE"
    assert only(admit({**_acc(), "method": "get"})).help == "did you mean `GET`?"


@pytest.mark.parametrize(
    ("document", "asks"),
    [
        (tool(), False),
        (tool(requires_human_approval=True), True),
        (_acc(approval={"required": True}), True),
        (_acc(), False),
    ],
)
def test_lint_learns_which_capabilities_need_default_approvals(document: Document, asks: bool) -> None:
    assert capability_facts(admitted(document)).needs_default_approval is asks


def test_lint_learns_what_it_needs() -> None:
    document = tool(scope="order.cancel", contract=contract(approval=approval()), risk="low")
    capability = admit(document, file="catalog.json", pointer="/2").capability
    assert capability is not None
    assert capability_facts(capability) == CapabilityFacts(
        id="order.cancel",
        scope="order.cancel",
        kind="tool",
        input_schema={"type": "object"},
        effects=("write",),
        declared_risk=RiskLevel.LOW,
        needs_default_approval=False,
        has_contract_approval=True,
        place=CatalogPlace(file="catalog.json", pointer="/2"),
    )
