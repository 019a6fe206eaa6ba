"""What holds between the layers of a policy."""

from __future__ import annotations

from policy.check.compile import Compiled, compile_layers
from policy.check.load import LayerSource
from policy.source.text import Source

ORGANISATION = """
policy "organisation" { default approval "officer" }
context { environment: one of "production", "staging"  limit: number }
directory { roles "officer", "manager" attributes { department: string } }
scopes "money" { payment.** }
define large = input.amount > context.limit
route "desk", "office" { allow order.**, scopes "money" }
approval "officer" { need role "officer" }
risk "company" { unattended up to low }
"""


def compiled(*texts: str, names: tuple[str, ...] = ()) -> Compiled:
    titles = names or tuple(f"layer-{number}" for number in range(1, len(texts) + 1))
    pairs = zip(titles, texts, strict=True)
    return compile_layers([LayerSource(name=name, files=(Source(f"{name}.policy", text),)) for name, text in pairs])


def found(*texts: str) -> list[str]:
    """What is wrong with layers below the organisation's, as `LOCATION CODE: MESSAGE :: HELP`."""
    result = compiled(ORGANISATION, *texts)
    shown = [
        f"{item.location} {item.code}: {item.message}{'' if item.help is None else f' :: {item.help}'}"
        for item in result.diagnostics
        if item.is_error
    ]
    assert (result.policy is None) == bool(shown)
    return shown


def test_layers_are_compiled_outermost_first_and_keep_their_names() -> None:
    result = compiled(ORGANISATION, 'route "desk" { allow order.read }', names=("acme", "tenant"))
    assert result.policy is not None
    assert [(layer.layer, layer.routes) for layer in result.policy.layers] == [
        ("acme", ("desk", "office")),
        ("tenant", ("desk",)),
    ]
    assert result.policy.version is None


def test_layers_of_one_name_are_told_apart() -> None:
    result = compiled(
        ORGANISATION, *['route "desk" { allow order.read }'] * 3, names=("policy", "policy", "policy-2", "policy")
    )
    assert result.policy is not None
    assert [layer.layer for layer in result.policy.layers] == ["policy", "policy-3", "policy-2", "policy-4"]


def test_a_route_that_the_outermost_layer_lacks() -> None:
    assert found('route "dekst" { allow order.read }') == [
        "layer-2.policy:1:7 layer.route: the outermost layer declares no route `dekst`, so nothing would be allowed on"
        " it :: did you mean `desk`?"
    ]


def test_routes_of_the_outermost_layer_may_be_named_by_an_inner_one() -> None:
    assert found('deny "d" { on route "office" when route != "desk" } route "office" { deny order.pay }') == []
    assert found('deny "d" { on route "ofice" when readonly }', 'deny "d" { on route "desk" when readonly }') == [
        "layer-2.policy:1:21 name.unknown_route: no `allow` declares the route `ofice` :: did you mean `office`?"
    ]


def test_an_attribute_has_one_type() -> None:
    assert found('context { limit: string } deny "d" { when context.limit == "a" }') == [
        "layer-2.policy:1:11 layer.attribute_type: the context attribute `limit` has another type in an outer layer;"
        " an attribute has one type"
    ]
    assert found('context { limit: number or null } deny "d" { when context.limit > 5 }') != []
    assert found('context { limit: number } deny "d" { when context.limit > 5 }') == []
    (finding,) = [
        item
        for item in compiled(
            ORGANISATION, 'context { limit: number optional } deny "d" { when context.limit > 5 }'
        ).diagnostics
        if item.is_error
    ]
    assert [(place.message, place.span.location) for place in finding.related] == [
        ("declared as a number here", "layer-1.policy:3:56")
    ]
    assert found(
        'directory { roles "officer" attributes { department: number } } deny "d" { when subject.roles has "officer" }'
    ) == [
        "layer-2.policy:1:42 layer.attribute_type: the directory attribute `department` has another type in an outer"
        " layer; an attribute has one type"
    ]


def test_a_layer_declares_what_its_conditions_read() -> None:
    assert found('deny "d" { when context.limit > 5 }') == [
        "layer-2.policy:1:25 name.unknown_attribute: `context.limit` is not declared: add `limit` to a `context` block"
        " :: an outer layer declares it: declare `limit` in this layer too"
    ]
    assert found('deny "d" { when large }') == [
        "layer-2.policy:1:17 name.unknown: `large` names nothing in this policy"
    ]
    assert found('deny "d" { for scopes "money" }') == [
        "layer-2.policy:1:23 name.unknown_scopes: there is no `scopes` set `money`"
    ]


def test_approvals_and_overrides_live_in_their_layer() -> None:
    assert found('require "r" { for order.** approval "officer" }') == [
        "layer-2.policy:1:37 name.unknown_approval: there is no approval `officer` in this layer"
    ]
    assert found('risk "r" overrides "company" { for order.** unattended up to high }') == [
        "layer-2.policy:1:20 name.unknown_rule: there is no `risk` `company` in this layer"
    ]
    assert found('risk "company" { unattended up to medium } approval "officer" { need role "manager" }') == []


def test_the_default_approval_of_any_layer_serves() -> None:
    assert found('require "r" { for order.** approval default }') == []
    outer = 'route "desk" { allow order.** } require "r" { for order.** approval default }'
    inner = 'policy "p" { default approval "a" } approval "a" { need role "b" }'
    assert compiled(outer, inner).policy is not None
    assert compiled(outer).policy is None


def test_a_default_approval_for_some_patterns_serves_those() -> None:
    head = (
        'policy "p" { default approval "a" for order.** } approval "a" { need role "b" } route "desk" { allow **.pay }'
    )
    assert compiled(f'{head} require "r" {{ for order.pay, order.*.buy approval default }}').policy is not None
    for selector in ("for order.pay, loan.pay", "when readonly", "for **.pay"):
        (finding,) = [
            item
            for item in compiled(f'{head} require "r" {{ {selector} approval default }}').diagnostics
            if item.is_error
        ]
        assert (finding.code, finding.message) == (
            "approval.no_default",
            "there is no default approval for this: those that there are hold for other patterns only",
        )


def test_a_layer_without_a_directory_keeps_to_the_outer_one() -> None:
    assert found('deny "d" { unless subject.roles has "oficer" }') == [
        "layer-2.policy:1:37 name.unknown_role: `oficer` is no role of the directory :: did you mean `officer`?"
    ]
    assert found('directory { roles "clerk" } deny "d" { unless subject.roles has "officer" }') == [
        "layer-2.policy:1:65 name.unknown_role: `officer` is no role of the directory"
    ]


def test_a_layer_without_a_statement_is_an_error() -> None:
    assert found("# nothing\n") == ["layer-2.policy:1:1 syntax.empty_file: the file holds no statement"]


def test_a_policy_without_a_route_is_an_error() -> None:
    result = compiled('deny "d" { when readonly }', 'route "desk" { deny order.read }')
    assert [item.code for item in result.diagnostics if item.is_error] == ["layer.no_route", "name.unknown_route"]


def test_ids_are_unique_within_a_layer_only() -> None:
    assert found('deny "d" { when readonly }', 'deny "d" { when readonly }') == []


def test_mistakes_of_every_layer_are_told_in_one_run() -> None:
    assert [
        line.split(" ")[0] for line in found('deny "d" { when inptu.a == 1 }', 'deny "d" { when inptu.a == 1 }')
    ] == [
        "layer-2.policy:1:17",
        "layer-3.policy:1:17",
    ]


def test_two_texts_of_one_name_keep_their_findings() -> None:
    result = compiled(ORGANISATION, *['deny "d" { when inptu.a == 1 }'] * 2, names=("policy", "policy", "policy"))
    assert [item.code for item in result.diagnostics if item.is_error] == ["name.unknown", "name.unknown"]
