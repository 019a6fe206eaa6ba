"""Diagnostics: what a capability document can get wrong, AIP members and the document as a whole."""

from __future__ import annotations

import json
from typing import Any

from policy.source.codes.entry import Code, error, warning

_TOOL: dict[str, Any] = {
    "id": "order.cancel",
    "name": "cancel an order",
    "kind": "tool",
    "input_schema": {"type": "object"},
}
_EXECUTION: dict[str, Any] = {
    "supports_sync": True,
    "supports_async": False,
    "supports_streaming": False,
    "supports_cancel": False,
    "supports_retry": False,
    "expected_completion": "sync",
    "retry_safety": "unknown",
}
_IDEMPOTENCY: dict[str, Any] = {
    "requirement": "required",
    "collision_behavior": "reject_conflict",
    "key_scope": "tenant",
}
_DATA: dict[str, Any] = {"sensitivity": "internal", "contains_pii": False, "redaction_required": False}
_CONTRACT: dict[str, Any] = {
    "side_effects": ["write"],
    "idempotency": _IDEMPOTENCY,
    "execution": _EXECUTION,
    "data": _DATA,
}
_APPROVAL: dict[str, Any] = {"required": True, "approver_selector": {"type": "role", "name": "duty.officer"}}
_TWO: list[dict[str, Any]] = [{"operator": "role", "name": "teller"}, {"operator": "group", "name": "treasury"}]
_PEOPLE: list[dict[str, Any]] = [{"operator": "principal", "id": "ines"}, {"operator": "principal", "id": "omar"}]


def _tool(**members: object) -> str:
    return json.dumps({**_TOOL, **members})


def _contract(**members: object) -> str:
    return _tool(contract={**_CONTRACT, **members})


def _approval(**members: object) -> str:
    return _contract(approval={**_APPROVAL, **members})


def _declared(execution: dict[str, object], **members: object) -> str:
    declaration = {"version": 1, "enabled": True, "scope": "order.cancel", "execution": execution}
    return json.dumps({"acc": declaration, "input_schema": {"type": "object"}, **members})


_TRANSACTION: dict[str, Any] = {
    "supported_modes": ["execute", "commit"],
    "requires_plan_before_commit": True,
    "dry_run_fidelity": "schema_only",
}
_COMPENSATION: dict[str, Any] = {
    "mode": "supported",
    "compensation_capability_id": "order.restore",
    "compensation_window_ms": 60000,
    "requires_approval": False,
}
_CHOICES: list[dict[str, Any]] = [
    {"operator": "quorum", "required": 2, "rules": [{"operator": "role", "name": f"role-{number}"}]}
    for number in range(12)
]

_DOCUMENT: tuple[Code, ...] = (
    error(
        "document.malformed",
        "the capability is no JSON object, or leaves the bounds of model.md section 6",
        json.dumps([5]),
        json.dumps([_TOOL]),
        format="json",
    ),
    error(
        "document.scope_conflict",
        "`scope` beside `acc` is another than the declaration's",
        _declared({}, scope="order.read"),
        _declared({}),
        format="json",
    ),
    warning(
        "document.scope_malformed",
        "no pattern matches the scope: a segment is empty, or it holds other characters than a scope may",
        _tool(scope="order..cancel"),
        _tool(scope="order.cancel"),
        format="json",
    ),
    warning(
        "document.id_malformed",
        "no pattern matches the id: a segment is empty, or it holds white space or characters that are not ASCII",
        _tool(id="order cancel"),
        _tool(id="order.cancel"),
        format="json",
    ),
    warning(
        "document.readonly_conflict",
        "`readonly` and the contract's effects contradict each other",
        _declared({"readonly": True}, contract=_CONTRACT),
        _declared({"readonly": False}, contract=_CONTRACT),
        format="json",
    ),
)

_SHAPE: tuple[Code, ...] = (
    error(
        "aip.member_missing",
        "a required member is missing",
        json.dumps({name: value for name, value in _TOOL.items() if name != "kind"}),
        _tool(),
        format="json",
    ),
    error("aip.member_unknown", "a member is not known here", _tool(rsik="high"), _tool(risk="low"), format="json"),
    error(
        "aip.member_malformed",
        "a member has another type than it must have",
        _tool(requires_human_approval="yes"),
        _tool(requires_human_approval=True),
        format="json",
    ),
    error("aip.word_unknown", "a word is none of those listed", _tool(kind="tol"), _tool(kind="tool"), format="json"),
    error("aip.name_blank", "`id` or `name` holds nothing visible", _tool(name=" "), _tool(), format="json"),
    error(
        "aip.schema_invalid",
        "a schema does not compile, leaves the document, or could be matched without end",
        _tool(input_schema={"type": "objekt"}),
        _tool(input_schema={"type": "object"}),
        format="json",
    ),
    warning(
        "aip.schema_keyword",
        "a schema has a word that is no keyword and is within two edits of one, so that it asks for nothing",
        _tool(input_schema={"type": "object", "requird": ["amount"]}),
        _tool(input_schema={"type": "object", "required": ["amount"]}),
        format="json",
    ),
)

_CONTRACTS: tuple[Code, ...] = (
    error(
        "aip.completion_mode_missing",
        "none of sync, async and streaming is supported",
        _contract(execution={**_EXECUTION, "supports_sync": False}),
        _contract(),
        format="json",
    ),
    error(
        "aip.effect_repeated",
        "an effect is listed twice",
        _contract(side_effects=["write", "write"]),
        _contract(),
        format="json",
    ),
    error(
        "aip.mode_repeated",
        "a transaction mode is listed twice",
        _contract(transaction={**_TRANSACTION, "supported_modes": ["execute", "execute"]}),
        _contract(transaction=_TRANSACTION),
        format="json",
    ),
    error(
        "aip.modes_empty",
        "no transaction mode is listed",
        _contract(transaction={**_TRANSACTION, "supported_modes": []}),
        _contract(transaction=_TRANSACTION),
        format="json",
    ),
    error(
        "aip.ttl_not_positive",
        "a time to live is not above 0",
        _contract(idempotency={**_IDEMPOTENCY, "ttl_ms": 0}),
        _contract(idempotency={**_IDEMPOTENCY, "ttl_ms": 60000}),
        format="json",
    ),
    error(
        "aip.window_not_positive",
        "the compensation window is not above 0",
        _contract(compensation={**_COMPENSATION, "compensation_window_ms": 0}),
        _contract(compensation=_COMPENSATION),
        format="json",
    ),
    error(
        "aip.compensation_unnamed",
        "compensation is supported and no capability is named for it",
        _contract(compensation={**_COMPENSATION, "compensation_capability_id": None}),
        _contract(compensation=_COMPENSATION),
        format="json",
    ),
    warning(
        "aip.idempotency_not_required",
        "something else than a read needs no idempotency key",
        _contract(idempotency={**_IDEMPOTENCY, "requirement": "optional"}),
        _contract(),
        format="json",
    ),
    warning(
        "aip.effect_without_approval",
        "a financial, legal, medical, identity, delete or send_message effect needs no approval",
        _contract(side_effects=["delete"]),
        _contract(side_effects=["delete"], approval=_APPROVAL),
        format="json",
    ),
    warning(
        "aip.risk_without_contract",
        "a high or critical risk comes without a contract",
        _tool(risk="high"),
        _tool(risk="high", contract=_CONTRACT),
        format="json",
    ),
    warning(
        "aip.data_without_redaction",
        "regulated or personal data is not redacted",
        _contract(data={**_DATA, "contains_pii": True}),
        _contract(data={**_DATA, "contains_pii": True, "redaction_required": True}),
        format="json",
    ),
    warning(
        "aip.credential_without_scopes",
        "a credential is required and no scope is",
        _contract(credentials={"required": True, "allow_oauth_refresh": False}),
        _contract(credentials={"required": True, "required_scopes": ["order.write"], "allow_oauth_refresh": False}),
        format="json",
    ),
    warning(
        "aip.commit_without_plan",
        "a commit needs no plan",
        _contract(transaction={**_TRANSACTION, "requires_plan_before_commit": False}),
        _contract(transaction=_TRANSACTION),
        format="json",
    ),
)

_APPROVALS: tuple[Code, ...] = (
    error(
        "aip.leaf_blank",
        "a rule or selector names nobody",
        _approval(rule={"operator": "role", "name": " "}),
        _approval(rule={"operator": "role", "name": "teller"}),
        format="json",
    ),
    error(
        "aip.group_pattern",
        "a group's name ends in `*` and would be read as a pattern",
        _approval(rule={"operator": "group", "name": "treasury-*"}),
        _approval(rule={"operator": "group", "name": "treasury-eu"}),
        format="json",
    ),
    error(
        "aip.rule_empty",
        "`all`, `any` or `quorum` has no rules",
        _approval(rule={"operator": "any", "rules": []}),
        _approval(rule={"operator": "any", "rules": _TWO}),
        format="json",
    ),
    error(
        "aip.quorum_zero",
        "a quorum asks for nobody",
        _approval(rule={"operator": "quorum", "required": 0, "rules": _TWO}),
        _approval(rule={"operator": "quorum", "required": 1, "rules": _TWO}),
        format="json",
    ),
    error(
        "aip.quorum_unreachable",
        "a quorum asks for more approvals than the people and rules it names can give",
        _approval(rule={"operator": "quorum", "required": 3, "rules": _PEOPLE}),
        _approval(rule={"operator": "quorum", "required": 2, "rules": _PEOPLE}),
        format="json",
    ),
    error(
        "aip.people_zero",
        "the minimum of people is not above 0",
        _approval(minimum_distinct_principals=0),
        _approval(minimum_distinct_principals=1),
        format="json",
    ),
    error(
        "aip.people_unreachable",
        "more people must approve than the rule names",
        _approval(minimum_distinct_principals=3, rule={"operator": "all", "rules": _PEOPLE}),
        _approval(minimum_distinct_principals=2, rule={"operator": "all", "rules": _PEOPLE}),
        format="json",
    ),
    error(
        "aip.too_many_alternatives",
        "a rule can be met in more ways than are looked through",
        _approval(rule={"operator": "quorum", "required": 6, "rules": _CHOICES}),
        _approval(rule={"operator": "quorum", "required": 2, "rules": _CHOICES}),
        format="json",
    ),
    warning(
        "aip.self_approval_ignored",
        "a contract lets people approve what they asked for, which is not heard",
        _approval(separation_of_duties={"allow_self_approval": True}),
        _approval(),
        format="json",
    ),
    warning(
        "aip.distinct_principals_ignored",
        "a quorum would let one person vote twice, which is not heard",
        _approval(rule={"operator": "quorum", "required": 2, "rules": _TWO, "distinct_principals": False}),
        _approval(rule={"operator": "quorum", "required": 2, "rules": _TWO}),
        format="json",
    ),
    warning(
        "aip.decision_reuse_ignored",
        "one approval would serve several rules below the root, which is not heard",
        _approval(
            rule={"operator": "any", "rules": [{"operator": "all", "rules": _TWO, "allow_decision_reuse": True}]}
        ),
        _approval(rule={"operator": "all", "rules": _TWO, "allow_decision_reuse": True}),
        format="json",
    ),
    warning(
        "aip.delegated_authority_ignored",
        "a contract delegates authority, which only the directory does",
        _approval(delegated_authority={"principal": "ines"}),
        _approval(rule={"operator": "delegated_authority", "scope": "order.cancel"}),
        format="json",
    ),
    warning(
        "aip.value_unknown",
        "a limit on a value that no contract names is satisfied by nobody",
        _approval(rule={"operator": "delegated_authority", "scope": "order.cancel", "max_value": 500}),
        _approval(rule={"operator": "delegated_authority", "scope": "order.cancel"}),
        format="json",
    ),
)

CODES: tuple[Code, ...] = (*_DOCUMENT, *_SHAPE, *_CONTRACTS, *_APPROVALS)
