"""From surface tree to program: what names, words, sets and texts become."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest

from policy.check.compile import compile_layers
from policy.check.load import LayerSource, read_layer
from policy.ir import nodes as ir
from policy.ir.dump import dump
from policy.ir.reads import walk
from policy.source.text import Source
from policy.types.kinds import Basic, ListOf, Trust
from policy.types.names import BUILT_IN_NAMES, Presence
from policy.types.values import Duration, RiskLevel, TimeOfDay, Timestamp

HERE = Path(__file__).parent
Golden = Callable[[str, str], None]


def program(text: str) -> ir.Program:
    layer = LayerSource(name="policy", files=(Source("policy.policy", f'route "desk" {{ allow order.** }}\n{text}'),))
    compiled = compile_layers([layer])
    assert compiled.policy is not None, [f"{item.location} {item.message}" for item in compiled.diagnostics]
    return compiled.policy.layers[0]


def condition(text: str, declared: str = "") -> ir.Expression:
    """The condition of a rule that holds it."""
    found = program(f'{declared}\ndeny "d" {{ when {text} }}').denies[0].selector.when
    assert found is not None
    return found


def right(text: str, declared: str = "") -> object:
    """What the right side of a comparison became: the value of a constant."""
    compared = condition(text, declared)
    assert isinstance(compared, ir.Compare)
    assert isinstance(compared.right, ir.Constant)
    return compared.right.value


def test_the_whole_language(golden: Golden) -> None:
    compiled = compile_layers([read_layer(HERE / "whole.policy")])
    assert [item for item in compiled.diagnostics if item.is_error] == []
    assert compiled.policy is not None
    golden("ir/whole.txt", dump(compiled.policy.layers[0]))


@pytest.mark.parametrize("folder", sorted(path.name for path in (HERE.parents[1] / "rules").iterdir() if path.is_dir()))
def test_rule_packs_compile_without_an_error(folder: str) -> None:
    compiled = compile_layers([read_layer(HERE.parents[1] / "rules" / folder)])
    assert [item for item in compiled.diagnostics if item.is_error] == []
    assert compiled.policy is not None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("operator.kind == agent", "agent"),
        ("operator.kind == tenant", "tenant"),
        ("contract.idempotency.key_scope == capability", "capability"),
        ("contract.execution.expected_completion == any", "any"),
        ("risk >= high", RiskLevel.HIGH),
        ('now > timestamp("2026-12-18T18:00:00+01:00")', Timestamp(1_797_613_200 * 10**9)),
        ('time(now, "UTC") < 09:30', TimeOfDay(34_200 * 10**9)),
        ("now - timestamp(input.at) > 1h30m", Duration(5_400 * 10**9)),
        ('ip(input.a) == ip("10.0.0.1")', IPv4Address("10.0.0.1")),
        ("input.a == -1.5", -1.5),
        ("input.a == 10_000", 10_000),
        ("input.a == 1e3", 1_000),
        ("input.a == true", True),
    ],
)
def test_words_and_literals_become_constants(text: str, value: object) -> None:
    found = right(text)
    assert (type(found), found) == (type(value), value)


def test_a_word_that_names_something_else_is_a_word_opposite_its_enum() -> None:
    compared = condition("tenant == operator.kind")
    assert isinstance(compared, ir.Compare)
    assert isinstance(compared.left, ir.Constant)
    assert compared.left.value == "tenant"


def test_a_name_opposite_an_enum_that_lacks_the_word_is_a_name() -> None:
    compared = condition("risk == declared_risk")
    assert isinstance(compared, ir.Compare)
    assert isinstance(compared.right, ir.Read)
    assert (compared.right.root, compared.right.type) == ("declared_risk", Basic.RISK)


def test_paths_keep_their_text_and_their_constant_steps() -> None:
    compared = condition('input["odd key"].lines[0][input.place].x == 1')
    assert isinstance(compared, ir.Compare)
    read = compared.left
    assert isinstance(read, ir.Read)
    assert read.text == 'input["odd key"].lines[0][input.place].x'
    assert [step for step in read.steps if not isinstance(step, ir.Read)] == ["odd key", "lines", 0, "x"]


def test_every_use_of_a_define_holds_the_same_value() -> None:
    found = program('define large = input.a > 5\ndeny "a" { when large }\ndeny "b" { unless large or readonly }')
    uses = [
        node
        for rule in found.denies
        for root in (rule.selector.when, rule.selector.unless)
        if root is not None
        for node in walk(root)
        if isinstance(node, ir.Shared)
    ]
    assert [use.name for use in uses] == ["large", "large"]
    assert uses[0].value is uses[1].value


def test_definitions_may_stand_behind_their_uses_and_use_each_other() -> None:
    found = condition("first", "define first = second or third\ndefine third = second\ndefine second = input.a > 5")
    assert isinstance(found, ir.Shared)
    assert isinstance(found.value, ir.Or)
    one, other = found.value.operands
    assert isinstance(one, ir.Shared)
    assert isinstance(other, ir.Shared)
    assert isinstance(other.value, ir.Shared)
    assert one.value is other.value.value


def test_steps_behind_a_define_of_a_path_are_one_path() -> None:
    declared = "context { change: { author: string } optional }\ndefine change_made = context.change"
    compared = condition('change_made.author == "ines"', declared)
    assert isinstance(compared, ir.Compare)
    assert isinstance(compared.left, ir.Read)
    assert (compared.left.root, compared.left.steps, compared.left.text) == (
        "context",
        ("change", "author"),
        "change_made.author",
    )


def test_steps_behind_a_define_of_a_value_are_lookups() -> None:
    compared = condition('prices["EUR"] == 5', 'define prices = { "EUR": 5 }')
    assert isinstance(compared, ir.Compare)
    assert isinstance(compared.left, ir.Lookup)
    assert (compared.left.type, isinstance(compared.left.value, ir.Shared)) == (Basic.NUMBER, True)


def test_sets_become_their_patterns_each_once() -> None:
    found = program(
        'scopes "b" { scopes "a", order.*, capability "cap:*" }\nscopes "a" { order.read, order.* }\n'
        'deny "d" { for scopes "b", order.read when scope matches scopes "a" }'
    ).denies[0]
    assert found.selector.patterns is not None
    assert [pattern.text for pattern in found.selector.patterns] == ["order.read", "order.*", 'capability "cap:*"']
    assert isinstance(found.selector.when, ir.Matches)
    assert [pattern.text for pattern in found.selector.when.patterns] == ["order.read", "order.*"]


def test_windows_networks_and_lists_are_resolved() -> None:
    window = condition('now within fri..mon 22:00..06:00 in "UTC"')
    assert isinstance(window, ir.Within)
    assert (window.days, window.start, window.end, window.zone) == (frozenset({4, 5, 6, 0}), 1_320, 360, "UTC")
    every_day = condition('now within 08:00..18:00 in "UTC"')
    assert isinstance(every_day, ir.Within)
    assert every_day.days == frozenset(range(7))
    network = condition('ip(input.a) in network "10.0.0.0/8"')
    assert isinstance(network, ir.InNetwork)
    assert network.network == IPv4Network("10.0.0.0/8")
    chosen = condition("effects has any of [delete, financial]")
    assert isinstance(chosen, ir.Has)
    assert chosen.item.type != ListOf(Basic.STRING)


def test_what_an_approval_needs_is_told_as_it_is_written() -> None:
    (found,) = program(
        'require "r" { for order.pay approval "a" }\n'
        'approval "a" { need 2 approvals from { role "b"   group "c" # people\n where approver.kind == human } }'
    ).approvals
    assert found.needs == '2 approvals from { role "b" group "c" where approver.kind == human }'
    assert isinstance(found.need, ir.Pool)
    assert [leaf.text for leaf in found.need.leaves] == ['role "b"', 'group "c" where approver.kind == human']


def test_an_approval_has_the_defaults_of_the_language() -> None:
    (found,) = program('require "r" { for order.pay approval "a" }\napproval "a" { need role "b" }').approvals
    assert (found.at_least, found.valid_for, found.evidence, found.denied_by, found.kinds, found.self_approval) == (
        1,
        86_400 * 10**9,
        (),
        1,
        ("human",),
        False,
    )


def test_slots_count_their_children() -> None:
    found = program(
        'require "r" { for order.pay approval "a" }\n'
        'approval "a" { need all of { role "a" any 2 of { role "b" role "c" role "d" } any of { role "e" role "f" } } }'
    ).approvals[0]
    assert isinstance(found.need, ir.Slots)
    inner = [child.count for child in found.need.children if isinstance(child, ir.Slots)]
    assert (found.need.count, inner, found.need.same_person) == (3, [2, 1], False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for order.pay to high", False),
        ("when claims.identity exists to high", True),
        ("for order.pay to high when suspicious", True),
        ("when input.a > 5 to high when input.b > 5", False),
    ],
)
def test_a_raise_knows_whether_it_reads_claims(text: str, expected: bool) -> None:
    declared = "define suspicious = claims.identity exists"
    assert program(f'{declared}\nraise "r" {{ {text} }}').raises[0].reads_claims is expected


def test_steps_carry_the_key_that_histories_use() -> None:
    form = (
        program(
            'separation "s" { different people perform order.create, order.buy per input.id, '
            'order.pay per input["odd key"].x within 90d }'
        )
        .separations[0]
        .form
    )
    assert isinstance(form, ir.DifferentPeople)
    assert [step.key for step in form.steps] == [None, "input.id", 'input["odd key"].x']
    assert form.within == 90 * 86_400 * 10**9


def test_a_directory_and_its_absence_differ() -> None:
    assert (program("").roles, program("").attributes) == (None, None)
    listed = program('directory { groups "a" }\ndeny "d" { when subject.groups has "a" }')
    assert (listed.roles, listed.groups, listed.attributes) == ((), ("a",), ())


def test_the_order_of_statements_does_not_change_the_hash() -> None:
    statements = [
        'deny "a" { when readonly }',
        "define x1 = input.a > 5",
        'deny "b" { when x1 }',
        'route "desk" { deny order.x }',
    ]
    texts = ["\n".join(statements), "\n".join(reversed(statements))]
    layers = [
        LayerSource(name="p", files=(Source("p.policy", f'route "desk" {{ allow order.** }}\n{text}'),))
        for text in texts
    ]
    first, second = (compile_layers([layer]).policy for layer in layers)
    assert first is not None
    assert second is not None
    assert first.hash == second.hash


def test_the_table_of_built_in_names_says_who_vouches_for_what() -> None:
    vouched = {trust: {name for name, entry in BUILT_IN_NAMES.items() if entry.trust is trust} for trust in Trust}
    assert vouched[Trust.UNVERIFIED] == {"claims"}
    assert vouched[Trust.OPERAND] == {"input", "mode", "idempotency_key", "transaction"}
    absent = {name for name, entry in BUILT_IN_NAMES.items() if entry.presence is Presence.RUNTIME}
    assert absent == {
        "requester",
        "operator",
        "subject",
        "delegators",
        "tenant",
        "route",
        "session",
        "region",
        "credential",
        "approver",
    }
