"""Scopes that are one slip of the hand away from what exists, in rules that restrain."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from policy.check.compile import compile_layers
from policy.check.lint.misspelt import is_slip
from policy.check.load import LayerSource
from policy.contracts.catalog import load_catalog
from policy.source.text import Source
from tests.check.lint.test_lint import compiled

_RULES = Path(__file__).parents[3] / "rules"
_PACKS = sorted(path.name for path in _RULES.iterdir() if path.is_dir())
_CODES = ("lint.misspelt_scope", "lint.near_allowed_scope")


def catalog(*scopes: str) -> str:
    return json.dumps(
        [
            {"acc": {"version": 1, "enabled": True, "scope": scope}, "input_schema": {"type": "object"}}
            for scope in scopes
        ]
    )


def found(text: str, *scopes: str) -> list[tuple[str, str | None]]:
    diagnostics = compiled(text, catalog(*scopes) if scopes else "").diagnostics
    return [(item.code, item.help) for item in diagnostics if item.code in _CODES]


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("payment", "paymnt"),
        ("payment", "paymnet"),
        ("payment", "paymentt"),
        ("payment", "paynent"),
        ("order", "orders"),
        ("read", "raed"),
        ("read", "reads"),
    ],
)
def test_one_slip(word: str, other: str) -> None:
    assert is_slip(word, other)
    assert is_slip(other, word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("payment", "payment"),
        ("import", "export"),
        ("lock", "unlock"),
        ("create", "update"),
        ("get", "set"),
        ("read", "lead"),
        ("v1", "v2"),
        ("batch1", "batch2"),
        ("batch", "batch2"),
        ("to", "two"),
        ("a" * 70, "a" * 71),
    ],
)
def test_another_word(word: str, other: str) -> None:
    assert not is_slip(word, other)
    assert not is_slip(other, word)


@pytest.mark.parametrize(
    ("rule", "meant"),
    [
        ('deny "d" { for paymnet.create when operator.kind == agent }', "payment.create"),
        ('deny "d" { for paymnet.** when operator.kind == agent }', "payment.**"),
        ('deny "d" { for **.creat when operator.kind == agent }', "**.create"),
        ('deny "d" { for payment.create, payment.craete when operator.kind == agent }', "payment.create"),
        ('deny "d" { for paymentcreate when operator.kind == agent }', "payment.create"),
        ('deny "d" { for pay.ment.create when operator.kind == agent }', "payment.create"),
        ('deny "d" { when scope matches paymnt.** }', "payment.**"),
        ('require "r" { for paymentt.** approval "a" } approval "a" { need role "lead" }', "payment.**"),
        ('raise "r" { for payments.create to high }', "payment.create"),
        ('obligation "o" { for paymen.create redact input.card }', "payment.create"),
        ('separation "s" { different people perform payment.create, payment.relese }', "payment.release"),
        ('scopes "money" { paymnet.** } deny "d" { for scopes "money" when operator.kind == agent }', "payment.**"),
    ],
)
def test_with_a_catalog_a_rule_that_restrains_is_refused(rule: str, meant: str) -> None:
    route = 'route "desk" { allow payment.** }\n'
    scopes = ("payment.create", "payment.release")
    assert found(route + rule, *scopes) == [("lint.misspelt_scope", f"did you mean `{meant}`?")]


def test_an_id_is_a_name_too() -> None:
    one = {"acc": {"version": 1, "enabled": True, "scope": "payment.create"}, "id": "cap:pay:create"}
    text = 'route "desk" { allow payment.** }\ndeny "d" { for capability "cap:pay:crate" when operator.kind == agent }'
    diagnostics = compiled(text, json.dumps([{**one, "input_schema": {"type": "object"}}])).diagnostics
    assert [(item.code, item.help) for item in diagnostics] == [
        ("lint.misspelt_scope", 'did you mean `capability "cap:pay:create"`?')
    ]


@pytest.mark.parametrize(
    "rule",
    [
        # Both are there.
        'deny "d" { for orders.read, order.read when operator.kind == agent }',
        # A grant that matches nothing grants nothing.
        'route "other" { allow ordr.read }',
        'deny "d" { for order.read unless scope matches ordr.** }',
        # Other words.
        'deny "d" { for data.import when operator.kind == agent }',
        'deny "d" { for file.set when operator.kind == agent }',
        'deny "d" { for api.v2.read when operator.kind == agent }',
        # Written at two places, so on purpose.
        'route "other" { allow ordr.read } deny "d" { for ordr.read when operator.kind == agent }',
    ],
)
def test_with_a_catalog_what_is_no_slip_is_not_refused(rule: str) -> None:
    route = 'route "desk" { allow order.read, orders.read, data.export, file.get, api.v1.read }\n'
    assert found(route + rule, "order.read", "orders.read", "data.export", "file.get", "api.v1.read") == []


def test_with_a_catalog_an_allowed_scope_is_meant_where_the_catalog_lacks_both() -> None:
    text = 'route "desk" { allow order.read, mail.send }\ndeny "d" { for mail.sedn when operator.kind == agent }'
    assert found(text, "order.read") == [("lint.misspelt_scope", "did you mean `mail.send`?")]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('route "desk" { allow order.** } deny "d" { for oder.delete when operator.kind == agent }', "order.delete"),
        ('route "desk" { allow order.read } deny "d" { for order.raed when operator.kind == agent }', "order.read"),
        ('route "desk" { allow order.read deny order.reed, ordr.read }', "order.read"),
        (
            'route "desk" { allow order.** } require "r" { for ordr.** approval "a" } approval "a" { need role "b" }',
            "order.**",
        ),
    ],
)
def test_without_a_catalog_what_a_route_allows_is_meant(text: str, meant: str) -> None:
    assert found(text) == [("lint.near_allowed_scope", f"did you mean `{meant}`?")]
    assert [item.code for item in compiled(text).diagnostics if item.code == "lint.never_applies"] == []


@pytest.mark.parametrize(
    "text",
    [
        'route "desk" { allow order.read, orders.read } deny "d" { for orders.read when operator.kind == agent }',
        'route "desk" { allow ** } deny "d" { for ordr.read when operator.kind == agent }',
        'route "desk" { allow order.update } deny "d" { for order.create when operator.kind == agent }',
        'route "a" { allow ordr.read } route "b" { allow order.read }',
        # Allowed on another route only.
        'route "a" { allow order.read } route "b" { allow mail.send deny ordr.read }',
    ],
)
def test_without_a_catalog_what_is_no_slip_is_not_reported(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("pack", _PACKS)
def test_every_letter_left_out_of_a_rule_that_restrains_is_noticed(pack: str) -> None:
    """The law of slips leaves patterns out, as no text alone can tell; with the catalog every word is known."""
    folder = _RULES / pack
    text = (folder / f"{pack}.policy").read_text(encoding="utf-8")
    view = load_catalog(folder / "capabilities.json").view
    seen = 0
    for clause in re.finditer(r"^  for ((?:[a-z_.*]+(?:, )?)+)$", text, re.MULTILINE):
        for word in re.finditer(r"[a-z]{5,}", clause[1]):
            at = clause.start(1) + word.start() + 2
            layer = LayerSource(name=pack, files=(Source("p.policy", text[:at] + text[at + 1 :]),), root=None)
            policy = compile_layers([layer], catalog=view).policy
            assert policy is None, text[:at].splitlines()[-1]
            seen += 1
    assert seen > 0 or pack == "quickstart"
