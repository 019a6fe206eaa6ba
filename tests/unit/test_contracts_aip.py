"""Manifest admission of AIP capabilities: every violation with its code and place, and what passes."""

from __future__ import annotations

from typing import Any

import pytest

from policy.contracts.admission import admit
from tests.unit.contract_documents import Document, admitted, contract, findings, only, tool, with_approval

_EXECUTION = contract()["execution"]
_IDEMPOTENCY = contract()["idempotency"]
_DATA = contract()["data"]
_TRANSACTION = {
    "supported_modes": ["execute", "commit"],
    "requires_plan_before_commit": True,
    "dry_run_fidelity": "schema_only",
}
_COMPENSATION = {"mode": "supported", "compensation_capability_id": "order.restore", "requires_approval": False}
_CREDENTIALS = {"required": True, "required_scopes": ["order.write"], "allow_oauth_refresh": False}
_ROLE = {"operator": "role", "name": "teller"}
_INES = {"operator": "principal", "id": "ines"}
_OMAR = {"operator": "principal", "id": "omar"}
_RULE = "/contract/approval/rule"


def _rule(operator: str, *rules: Document, **members: object) -> Document:
    return with_approval(rule={"operator": operator, "rules": list(rules), **members})


_ERRORS: list[tuple[Document, str, str]] = [
    (tool(name=" \t"), "aip.name_blank", "/name"),
    (tool(name=""), "aip.name_blank", "/name"),
    (tool(id=" "), "aip.name_blank", "/id"),
    (tool(input_schema={"type": "objekt"}), "aip.schema_invalid", "/input_schema/type"),
    (tool(output_schema={"type": "objekt"}), "aip.schema_invalid", "/output_schema/type"),
    (tool(input_schema={"$ref": "https://schemas.example/order"}), "aip.schema_invalid", "/input_schema"),
    (
        tool(contract=contract(execution={**_EXECUTION, "supports_sync": False})),
        "aip.completion_mode_missing",
        "/contract/execution",
    ),
    (
        tool(contract=contract(idempotency={**_IDEMPOTENCY, "ttl_ms": 0})),
        "aip.ttl_not_positive",
        "/contract/idempotency/ttl_ms",
    ),
    (with_approval(ttl_ms=-1), "aip.ttl_not_positive", "/contract/approval/ttl_ms"),
    (
        tool(contract=contract(compensation={**_COMPENSATION, "compensation_window_ms": 0})),
        "aip.window_not_positive",
        "/contract/compensation/compensation_window_ms",
    ),
    (
        tool(contract=contract(side_effects=["write", "read", "write"])),
        "aip.effect_repeated",
        "/contract/side_effects/2",
    ),
    (
        tool(contract=contract(transaction={**_TRANSACTION, "supported_modes": ["plan", "plan"]})),
        "aip.mode_repeated",
        "/contract/transaction/supported_modes/1",
    ),
    (
        tool(contract=contract(transaction={**_TRANSACTION, "supported_modes": []})),
        "aip.modes_empty",
        "/contract/transaction/supported_modes",
    ),
    (
        tool(contract=contract(compensation={"mode": "supported", "requires_approval": False})),
        "aip.compensation_unnamed",
        "/contract/compensation",
    ),
    (with_approval(rule={"operator": "principal", "id": " "}), "aip.leaf_blank", f"{_RULE}/id"),
    (with_approval(rule={"operator": "role", "name": ""}), "aip.leaf_blank", f"{_RULE}/name"),
    (with_approval(rule={"operator": "tenant_policy", "policy_id": ""}), "aip.leaf_blank", f"{_RULE}/policy_id"),
    (with_approval(rule={"operator": "external_system", "system": ""}), "aip.leaf_blank", f"{_RULE}/system"),
    (with_approval(rule={"operator": "delegated_authority", "scope": ""}), "aip.leaf_blank", f"{_RULE}/scope"),
    (
        with_approval(approver_selector={"type": "group", "name": " "}),
        "aip.leaf_blank",
        "/contract/approval/approver_selector/name",
    ),
    (with_approval(rule={"operator": "group", "name": "eng-*"}), "aip.group_pattern", f"{_RULE}/name"),
    (_rule("all"), "aip.rule_empty", f"{_RULE}/rules"),
    (_rule("any"), "aip.rule_empty", f"{_RULE}/rules"),
    (_rule("any", _ROLE, {"operator": "all", "rules": []}), "aip.rule_empty", f"{_RULE}/rules/1/rules"),
    (_rule("quorum", _ROLE, required=0), "aip.quorum_zero", f"{_RULE}/required"),
    (_rule("quorum", _INES, _OMAR, required=3), "aip.quorum_unreachable", f"{_RULE}/required"),
    (_rule("quorum", _INES, _INES, required=2), "aip.quorum_unreachable", f"{_RULE}/required"),
    (
        _rule("quorum", _ROLE, {"operator": "any", "rules": [_INES]}, required=3),
        "aip.quorum_unreachable",
        f"{_RULE}/required",
    ),
    (_rule("all", _INES, _INES), "aip.quorum_unreachable", f"{_RULE}/rules"),
    (
        with_approval(minimum_distinct_principals=0),
        "aip.people_zero",
        "/contract/approval/minimum_distinct_principals",
    ),
    (
        with_approval(minimum_distinct_principals=3, rule={"operator": "all", "rules": [_INES, _OMAR]}),
        "aip.people_unreachable",
        "/contract/approval/minimum_distinct_principals",
    ),
    (
        with_approval(minimum_distinct_principals=2, approver_selector={"type": "principal", "id": "ines"}),
        "aip.people_unreachable",
        "/contract/approval/minimum_distinct_principals",
    ),
]


@pytest.mark.parametrize(("document", "code", "pointer"), _ERRORS)
def test_a_violation_is_reported_where_it_stands_and_gives_no_capability(
    document: Document, code: str, pointer: str
) -> None:
    admission = admit(document)
    assert (code, pointer) in findings(admission)
    assert all(finding.is_error for finding in admission.diagnostics if finding.code == code)
    assert admission.capability is None


_WARNINGS: list[tuple[Document, str, str]] = [
    (
        tool(contract=contract(idempotency={**_IDEMPOTENCY, "requirement": "optional"})),
        "aip.idempotency_not_required",
        "/contract/idempotency/requirement",
    ),
    *(
        (tool(contract=contract(side_effects=[effect])), "aip.effect_without_approval", "/contract/side_effects")
        for effect in ("financial", "legal", "medical", "identity", "delete", "send_message")
    ),
    (tool(risk="high"), "aip.risk_without_contract", "/risk"),
    (tool(risk="critical"), "aip.risk_without_contract", "/risk"),
    (
        tool(contract=contract(data={**_DATA, "sensitivity": "regulated"})),
        "aip.data_without_redaction",
        "/contract/data/redaction_required",
    ),
    (
        tool(contract=contract(data={**_DATA, "contains_pii": True})),
        "aip.data_without_redaction",
        "/contract/data/redaction_required",
    ),
    (
        tool(contract=contract(credentials={**_CREDENTIALS, "required_scopes": []})),
        "aip.credential_without_scopes",
        "/contract/credentials/required_scopes",
    ),
    (
        tool(contract=contract(transaction={**_TRANSACTION, "requires_plan_before_commit": False})),
        "aip.commit_without_plan",
        "/contract/transaction/requires_plan_before_commit",
    ),
    (
        with_approval(separation_of_duties={"allow_self_approval": True}),
        "aip.self_approval_ignored",
        "/contract/approval/separation_of_duties/allow_self_approval",
    ),
    (
        _rule("quorum", _INES, _OMAR, required=2, distinct_principals=False),
        "aip.distinct_principals_ignored",
        f"{_RULE}/distinct_principals",
    ),
    (
        _rule("any", {"operator": "all", "rules": [_INES, _OMAR], "allow_decision_reuse": True}),
        "aip.decision_reuse_ignored",
        f"{_RULE}/rules/0/allow_decision_reuse",
    ),
    (
        with_approval(delegated_authority={"principal": "ines"}),
        "aip.delegated_authority_ignored",
        "/contract/approval/delegated_authority",
    ),
    (
        with_approval(rule={"operator": "delegated_authority", "scope": "order.cancel", "max_value": 500}),
        "aip.value_unknown",
        f"{_RULE}/max_value",
    ),
]


@pytest.mark.parametrize(("document", "code", "pointer"), _WARNINGS)
def test_a_doubtful_contract_is_admitted_with_a_warning(document: Document, code: str, pointer: str) -> None:
    admission = admit(document)
    assert findings(admission) == [(code, pointer)]
    assert not only(admission).is_error
    assert admission.capability is not None


@pytest.mark.parametrize(
    "document",
    [
        tool(),
        tool(risk="medium"),
        tool(risk="critical", contract=contract()),
        tool(input_schema=True, output_schema=False),
        tool(description={"any": ["thing"]}, cost=3, auth="hint", bindings=[1]),
        tool(contract=contract(side_effects=["read"], idempotency={**_IDEMPOTENCY, "requirement": "unsupported"})),
        tool(contract=contract(transaction=_TRANSACTION)),
        tool(contract=contract(compensation={**_COMPENSATION, "compensation_window_ms": 1})),
        tool(contract=contract(compensation={"mode": "best_effort", "requires_approval": True})),
        tool(contract=contract(credentials=_CREDENTIALS)),
        tool(contract=contract(side_effects=["delete"]), requires_human_approval=True),
        tool(contract=contract(data={**_DATA, "sensitivity": "regulated", "redaction_required": True})),
        with_approval(minimum_distinct_principals=5),
        with_approval(rule={"operator": "group", "name": "treasury"}),
        _rule("quorum", _ROLE, required=4),
        _rule("quorum", _INES, _OMAR, required=2),
        _rule("all", _INES, _INES, allow_decision_reuse=True),
        _rule("any", _INES, {"operator": "quorum", "required": 2, "rules": [_ROLE]}),
    ],
)
def test_what_breaks_no_rule_is_admitted_without_a_finding(document: Document) -> None:
    admission = admit(document)
    assert admission.diagnostics == ()
    assert admission.capability is not None


_SHAPES: list[tuple[Document, str, str, str, str | None]] = [
    (
        tool(rsik="high"),
        "aip.member_unknown",
        "/rsik",
        "`rsik` is not a member here; remove it",
        "did you mean `risk`?",
    ),
    (
        tool(contract=contract(side_efects=[])),
        "aip.member_unknown",
        "/contract/side_efects",
        "`side_efects` is not a member here; remove it",
        "did you mean `side_effects`?",
    ),
    (
        _rule("any", {"operator": "role", "nane": "teller", "name": "x"}),
        "aip.member_unknown",
        f"{_RULE}/rules/0/nane",
        "`nane` is not a member here; remove it",
        "did you mean `name`?",
    ),
    (
        with_approval(rule={"operator": "role", "name": "teller", "role": 1}),
        "aip.member_unknown",
        f"{_RULE}/role",
        "`role` is not a member here; remove it",
        None,
    ),
    (
        with_approval(rule={"operator": "quorom", "rules": []}),
        "aip.word_unknown",
        _RULE,
        "`rule` has operator `quorom`; use one of `all`, `any`, `quorum`, `principal`, `role`, `group`, "
        "`tenant_policy`, `external_system`, `delegated_authority`",
        "did you mean `quorum`?",
    ),
    (with_approval(rule={}), "aip.member_malformed", _RULE, "`rule` needs a member `operator`; add it", None),
    (
        tool(contract=contract(data={**_DATA, "sensitivity": "publik"})),
        "aip.word_unknown",
        "/contract/data/sensitivity",
        "`sensitivity` is `publik`; use one of `public`, `internal`, `confidential`, `restricted`, `regulated`, "
        "`unknown`",
        "did you mean `public`?",
    ),
    (
        tool(contract=contract(data={**_DATA, "contains_pii": 1})),
        "aip.member_malformed",
        "/contract/data/contains_pii",
        "`contains_pii` must be `true` or `false`",
        None,
    ),
    (
        tool(contract=contract(idempotency={**_IDEMPOTENCY, "ttl_ms": "10"})),
        "aip.member_malformed",
        "/contract/idempotency/ttl_ms",
        "`ttl_ms` must be a whole number",
        None,
    ),
    (
        tool(contract={name: value for name, value in contract().items() if name != "data"}),
        "aip.member_missing",
        "/contract/data",
        "`data` is missing; add it",
        None,
    ),
    (tool(contract=[]), "aip.member_malformed", "/contract", "`contract` must be an object", None),
    (tool(id=""), "aip.member_malformed", "/id", "`id` is empty; give it a value", None),
    (
        tool(input_schema="{}"),
        "aip.member_malformed",
        "/input_schema",
        "`input_schema`: a JSON Schema is an object, or `true` or `false`",
        None,
    ),
    (tool(method="GET"), "aip.member_malformed", "", "the document: `method` is given only beside `acc`", None),
]


@pytest.mark.parametrize(("document", "code", "pointer", "message", "help"), _SHAPES)
def test_a_mistake_of_shape_is_told_in_the_words_of_the_document(
    document: Document, code: str, pointer: str, message: str, help: str | None
) -> None:
    admission = admit(document)
    found = only(admission)
    assert (found.code, found.pointer, found.message, found.help) == (code, pointer, message, help)
    assert admission.capability is None


def test_several_mistakes_are_all_reported() -> None:
    document = tool(
        name=" ",
        kind="tol",
        input_schema={"type": 5},
        contract=contract(
            execution={**_EXECUTION, "supports_sync": False},
            idempotency={**_IDEMPOTENCY, "ttl_ms": 0, "key_scope": "tenannt"},
        ),
    )
    assert {code for code, _ in findings(admit(document))} == {
        "aip.name_blank",
        "aip.word_unknown",
        "aip.schema_invalid",
        "aip.completion_mode_missing",
        "aip.ttl_not_positive",
    }


def test_findings_name_the_file_and_start_at_the_documents_own_place() -> None:
    admission = admit(tool(name=" "), file="capabilities.json", pointer="/capabilities/3")
    assert only(admission).location == "capabilities.json#/capabilities/3/name"


@pytest.mark.parametrize("document", [None, 5, "text", [], True])
def test_what_is_no_object_is_refused(document: Any) -> None:
    found = only(admit(document))
    assert (found.code, found.message) == ("document.malformed", "the capability must be an object")


def test_a_document_that_leaves_the_bounds_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic
    for value in (deep, cyclic, float("nan"), "\ud800", 2**53, {1: 2}, (1,), "x" * 2_000_000):
        found = only(admit(tool(cost=None) | {"cost": value}))
        assert found.code == "document.malformed"


def test_a_resource_is_admitted_and_not_callable() -> None:
    assert not admitted(tool(kind="resource")).callable
    assert admitted(tool(kind="workflow")).callable
