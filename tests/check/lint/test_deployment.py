"""Findings about a catalog, a directory of approvers and several layers."""

from __future__ import annotations

import json
from cProfile import Profile

import pytest

from policy.check.catalog import AuthorityFacts
from policy.check.compile import compile_layers
from policy.check.lint import lint
from policy.check.load import LayerSource
from policy.ir import nodes as ir
from policy.source.text import Source
from policy.syntax import tree
from policy.syntax.parser import parse
from tests.check.lint.test_lint import codes, compiled, facts

DESK = 'route "desk" { allow order.** }\n'
WAITS = 'require "pay" { for order.pay approval "quorum" }\n'


def _declared(*scopes: str) -> list[object]:
    return [
        {"acc": {"version": 1, "enabled": True, "scope": scope}, "input_schema": {"type": "object"}} for scope in scopes
    ]


def _person(name: str, *roles: str, **members: object) -> AuthorityFacts:
    return AuthorityFacts(
        **{  # type: ignore[arg-type]
            "principal_id": name,
            "kind": "human",
            "person_id": name,
            "roles": frozenset(roles),
            **members,
        }
    )


def _team(name: str, team: str) -> AuthorityFacts:
    return _person(name, "x", attributes={"team": team})


def test_two_scopes_of_a_catalog_that_differ_only_in_case_are_an_error() -> None:
    found = compiled(DESK, json.dumps(_declared("order.read", "Order.read", "order.list")))
    assert [f"{item.location}: {item.code}: {item.message}" for item in found.diagnostics] == [
        "catalog.json#/1: lint.case_differs: "
        "the scopes `Order.read` and `order.read` of the catalog differ only in case",
        "policy.policy:1:22: lint.case_differs: "
        "`order.**` and `Order.read` of the catalog differ only in case, so they do not match",
    ]
    assert found.policy is None


def test_a_capability_without_a_scope_is_listed() -> None:
    booking = {"id": "cap:b", "name": "book", "kind": "tool", "input_schema": {"type": "object"}, "risk": "low"}
    found = compiled('route "desk" { allow capability "cap:*" }', json.dumps([booking])).diagnostics
    assert [(item.code, item.message) for item in found] == [
        ("lint.no_scope", "capability `cap:b` has no scope, so only `capability` patterns match it")
    ]


def test_a_coverage_message_counts_what_is_covered_and_names_what_is_missed() -> None:
    catalog = json.dumps(_declared("crew.read", "crew.roster.read"))
    found = compiled('route "desk" { allow crew.* }', catalog).diagnostics
    assert [item.message for item in found] == [
        "`crew.*` covers 1 of 2 scopes of the catalog below `crew`: it misses `crew.roster.read`"
    ]
    assert codes(compiled('route "desk" { allow crew.* }', json.dumps(_declared("crew.read"))).diagnostics) == []


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", ["lint.no_default_approval"]),
        ('policy "x" { default approval "lead" for refund.** }\n', ["lint.no_capability", "lint.no_default_approval"]),
        ('policy "x" { default approval "lead" for order.pay }\n', []),
        ('policy "x" { default approval "lead" }\n', []),
    ],
)
def test_a_default_approval_that_a_capability_needs(header: str, expected: list[str]) -> None:
    asks = {"version": 1, "enabled": True, "scope": "order.pay", "approval": {"required": True}}
    catalog = json.dumps([{"acc": asks, "input_schema": {"type": "object"}}])
    approval = 'approval "lead" { need role "lead" }\n' if header else ""
    assert codes(compiled(header + approval + DESK, catalog).diagnostics) == expected


def test_a_risky_capability_needs_a_default_approval_where_no_threshold_says_who_approves() -> None:
    risky = {"version": 1, "enabled": True, "scope": "order.pay", "risk": {"level": "high"}}
    catalog = json.dumps([{"acc": risky, "input_schema": {"type": "object"}}])
    assert codes(compiled(DESK, catalog).diagnostics) == ["lint.no_default_approval"]
    assert codes(compiled(f'{DESK}risk "all" {{ unattended up to critical }}', catalog).diagnostics) == []
    assert codes(compiled('route "desk" { allow crew.** }', catalog).diagnostics) == ["lint.no_capability"]


def test_an_allow_is_shadowed_where_denies_cover_each_capability_that_it_matches() -> None:
    text = 'route "desk" { allow order.** deny order.read deny order.list }'
    assert codes(compiled(text, json.dumps(_declared("order.read", "order.list"))).diagnostics) == [
        "lint.allow_shadowed"
    ]
    assert codes(compiled(text, json.dumps(_declared("order.read", "order.list", "order.pay"))).diagnostics) == []


@pytest.mark.parametrize(
    ("need", "people", "satisfiable"),
    [
        ('2 approvals from role "lead"', [_person("a", "lead"), _person("b", "lead")], True),
        ('2 approvals from role "lead"', [_person("a", "lead"), _person("b", "audit")], False),
        ('2 approvals from role "lead"', [_person("a", "lead"), _person("a2", "lead", person_id="a")], False),
        ('2 approvals from role "lead"', [_person("a", "lead"), _person("b", "lead", kind="agent")], False),
        ('2 approvals from role "lead"', [_person("a", "lead"), _person("b", "lead", revoked=True)], False),
        ('2 approvals from role "lead"', [_person("a", "lead"), _person("b", "lead", tenant_id="other")], False),
        ('all of { role "x" role "y" }', [_person("a", "x", "y")], False),
        ('all of { role "x" role "y" }', [_person("a", "x", "y"), _person("b", "x")], True),
        ('all of { role "x" role "y" }', [_person("a", "x", "y"), _person("b")], False),
        ('all of { role "x" role "y" } allowing same person', [_person("a", "x", "y")], True),
        ('any 2 of { role "x" role "y" role "z" }', [_person("a", "x"), _person("b", "z")], True),
        ('any of { 2 approvals from role "x" role "y" }', [_person("a", "y")], True),
        ('any of { 2 approvals from role "x" role "y" }', [_person("a", "x")], False),
        ('group "pay-*"', [_person("a", groups=frozenset({"pay-eu"}))], True),
        ('group "pay-*"', [_person("a", groups=frozenset({"paying"}))], False),
        ("principal context.keeper", [], True),
        ('role "x" where approver.id == subject.id', [_person("a", "x")], True),
        ('2 approvals from role "x" distinct by team', [_team("a", "s"), _team("b", "s")], False),
        ('2 approvals from role "x" distinct by team', [_team("a", "s"), _team("b", "t")], True),
        ('role "x" at least 2 people', [_person("a", "x")], False),
    ],
)
def test_a_quorum_is_held_against_a_directory(need: str, people: list[AuthorityFacts], satisfiable: bool) -> None:
    text = (
        f'context {{ keeper: string }}\ndirectory {{ {_listed()} }}\n{DESK}{WAITS}approval "quorum" {{ need {need} }}'
    )
    found = compiled(text, authorities=tuple(people))
    assert found.policy is not None
    assert ("lint.unreachable_quorum" in codes(found.diagnostics)) is not satisfiable


def _listed() -> str:
    return 'roles "lead", "audit", "x", "y", "z" groups "pay-eu", "paying" attributes { team: string }'


def _layers(*texts: str) -> list[str]:
    layers = [
        LayerSource(name=f"layer{number}", files=(Source(f"layer{number}.policy", text),), root=None)
        for number, text in enumerate(texts)
    ]
    return [f"{item.location}: {item.code}" for item in compile_layers(layers).diagnostics]


def test_a_rule_of_an_inner_layer_matters_where_the_outermost_allows() -> None:
    inner = 'deny "a" { for order.pay when operator.kind == agent }\nobligation "o" { for order.pay set notify = "x" }'
    assert _layers(DESK, inner) == []
    assert _layers(DESK, inner.replace("order.pay set", "refund.pay set")) == ["layer1.policy:2:1: lint.never_applies"]


def test_an_allow_is_shadowed_by_a_deny_of_another_layer() -> None:
    assert _layers(DESK, 'deny "all" { for order.** }') == ["layer0.policy:1:22: lint.allow_shadowed"]


def test_a_context_attribute_that_another_layer_reads_is_used() -> None:
    declares = "context { environment: string }\n"
    reads = f'{declares}deny "a" {{ for order.pay when context.environment == "production" }}'
    assert _layers(declares + DESK, reads) == []
    assert _layers(declares + DESK) == ["layer0.policy:1:11: lint.unused_attribute"]


def test_a_role_is_reported_once_over_all_layers() -> None:
    names = 'deny "a" { for order.pay when subject.roles has "clerk" }'
    assert _layers(DESK + names, names) == ["layer0.policy:2:49: lint.roles_undeclared"]
    assert _layers(f'directory {{ roles "clerk" }}\n{DESK}', names) == []


def _many(count: int, pattern: str) -> tuple[Source, ...]:
    lines = ['route "desk" { allow app.** when input.amount < 10 }', 'approval "lead" { need role "lead" }']
    for number in range(count):
        scope = pattern.format(number)
        lines.append(f'deny "d{number}" {{ {scope} when input.amount > {number} and operator.kind == agent }}')
        lines.append(f'require "r{number}" {{ {scope} when input.amount > {number} approval "lead" }}')
    return (Source("many.policy", "\n".join(lines)),)


def lowered(layer: LayerSource) -> tuple[ir.Program, tuple[tree.File, ...]]:
    result = compile_layers([layer])
    assert result.policy is not None
    return result.policy.layers[0], tuple(parse(source)[0] for source in layer.files)


@pytest.mark.parametrize("pattern", ["", "for app.**", "for app.s{0}.**", "for **.s{0}"])
def test_time_grows_with_the_rules_not_with_their_pairs(pattern: str) -> None:
    catalog = facts(json.dumps(_declared(*(f"app.s{number}.go" for number in range(100)))))
    calls = []
    for count in (50, 400):
        layer = LayerSource(name="many", files=_many(count, pattern), root=None)
        program, trees = lowered(layer)
        profile = Profile()
        profile.runcall(lint, program, trees, catalog)
        calls.append(sum(entry.callcount for entry in profile.getstats()))
    assert calls[1] < 8 * calls[0] * 1.5, "eight times the rules take eight times the steps"


def test_a_chain_of_defines_that_doubles_at_each_step_ends_soon() -> None:
    chain = "\n".join(
        f"define d{number} = (d{number - 1} or input.a == {number}) and (d{number - 1} or input.b == {number})"
        for number in range(1, 30)
    )
    text = f'define d0 = input.z == 1\n{chain}\nroute "desk" {{ allow order.** when d29 }}'
    assert codes(compiled(text).diagnostics) == []
