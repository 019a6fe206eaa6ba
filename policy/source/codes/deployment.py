"""Diagnostics: where a policy and the catalog or directory it is used with do not fit together."""

from __future__ import annotations

from policy.source.codes.entry import Code, error, warning
from policy.source.diagnostic import Severity


def _capability(scope: str, schema: str = '{"type": "object"}', more: str = "") -> str:
    """A capability document with a declaration of one scope."""
    acc = f'{{"version": 1, "enabled": true, "scope": "{scope}"{more}}}'
    return f'{{"acc": {acc}, "input_schema": {schema}}}'


def _object(properties: str, required: str = "") -> str:
    return (
        f'{{"type": "object", "properties": {{{properties}}}, "required": [{required}], "additionalProperties": false}}'
    )


_PAY = _capability(
    "wallet.pay",
    _object('"amount": {"type": "integer", "minimum": 0}, "currency": {"type": "string"}', '"amount", "currency"'),
)
_REFUND = _capability("refund.create", _object('"amount": {"type": "number"}, "note": {"type": "string"}', '"amount"'))
_MEMO = _capability("memo.send", _object('"channel": {"type": "string", "enum": ["mail", "chat"]}', '"channel"'))
_WIPE = _capability("order.wipe", more=', "approval": {"required": true}')

CODES: tuple[Code, ...] = (
    error(
        "lint.case_differs",
        "two scopes of the catalog, or a scope and a pattern, differ only in case",
        'route "desk" { allow Wallet.pay }',
        'route "desk" { allow wallet.pay }',
        catalog=f"[{_PAY}]",
    ),
    warning(
        "lint.no_capability",
        "a pattern matches no capability of the catalog",
        'route "desk" { allow wallet.pay, walet.top_up }',
        'route "desk" { allow wallet.pay }',
        catalog=f"[{_PAY}]",
    ),
    error(
        "lint.misspelt_scope",
        "a pattern of a rule that restrains matches no capability of the catalog, but would with one slip corrected",
        'route "desk" { allow wallet.pay }\ndeny "agents" { for walet.pay when operator.kind == agent }',
        'route "desk" { allow wallet.pay }\ndeny "agents" { for wallet.pay when operator.kind == agent }',
        catalog=f"[{_PAY}]",
    ),
    error(
        "lint.unknown_input",
        "a path into the input is one that no valid input of the capabilities concerned has",
        'route "desk" { allow memo.send when input.chanel == "chat" }',
        'route "desk" { allow memo.send when input.channel == "chat" }',
        catalog=f"[{_MEMO}]",
    ),
    warning(
        "lint.undeclared_input",
        "a path into the input is named by no schema of the capabilities concerned, although one leaves room for it",
        'route "desk" { allow free.form when input.colour == "red" }',
        'route "desk" { allow free.form }',
        catalog=f"[{_capability('free.form')}]",
    ),
    warning(
        "lint.optional_operand",
        "a member that the schema leaves optional is read without saying what its absence means",
        'route "desk" { allow refund.create when input.note == "gift" }',
        'route "desk" { allow refund.create when input.note exists and input.note == "gift" }',
        catalog=f"[{_REFUND}]",
    ),
    warning(
        "lint.outside_schema",
        "a literal or an operation is of a type, or a literal outside the enumeration, that the schema allows",
        'route "desk" { allow memo.send when input.channel in ["chat", "telex"] }',
        'route "desk" { allow memo.send when input.channel in ["chat", "mail"] }',
        catalog=f"[{_MEMO}]",
    ),
    warning(
        "lint.upper_limit_only",
        "a number is limited from above only, and the schema admits numbers below zero",
        'route "desk" { allow refund.create when input.amount <= 1000 }',
        'route "desk" { allow refund.create when input.amount >= 0 and input.amount <= 1000 }',
        catalog=f"[{_REFUND}]",
    ),
    warning(
        "lint.limit_without_unit",
        "an amount is compared with no condition on the unit beside it",
        'route "desk" { allow wallet.pay when input.amount <= 1000 }',
        'route "desk" { allow wallet.pay when input.currency == "EUR" and input.amount <= 1000 }',
        catalog=f"[{_PAY}]",
    ),
    warning(
        "lint.no_scope",
        "a capability has no scope, so that only `capability` patterns match it",
        '{"id": "cap:booking", "name": "book", "kind": "tool", "input_schema": {"type": "object"}, "risk": "low"}',
        '{"id": "cap:booking", "name": "book", "kind": "tool", "input_schema": {"type": "object"}, "risk": "low",\n'
        ' "scope": "booking.create"}',
        format="json",
    ),
    warning(
        "lint.no_default_approval",
        "a capability asks for an approval and names nobody, and no default approval answers",
        'route "desk" { allow order.wipe }',
        'policy "shop" { default approval "lead" }\nroute "desk" { allow order.wipe }\n'
        'approval "lead" { need role "lead" }',
        catalog=f"[{_WIPE}]",
    ),
    Code(
        code="lint.unreachable_quorum",
        kind="diagnostic",
        severity=Severity.WARNING,
        summary="no people of a given directory can complete an approval",
        failing='route "desk" { allow order.pay }\nrequire "pay" { for order.pay approval "pair" }\n'
        'approval "pair" { need 2 approvals from role "lead" }',
        fixed='route "desk" { allow order.pay }\nrequire "pay" { for order.pay approval "pair" }\n'
        'approval "pair" { need 2 approvals from { role "lead" role "audit" } }',
        needs="authorities",
        authorities='[{"principal_id": "ines", "kind": "human", "person_id": "ines", "roles": ["lead"]},\n'
        ' {"principal_id": "omar", "kind": "human", "person_id": "omar", "roles": ["audit"]}]',
    ),
)
