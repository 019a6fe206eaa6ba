"""The canonical dump, the readable dump and the policy hash."""

from __future__ import annotations

import pytest

from policy.check.compile import compile_layers
from policy.check.load import LayerSource
from policy.ir import nodes as ir
from policy.ir.dump import canonical, dump, policy_hash
from policy.source.text import Source

POLICY = """policy "shop" { version "1" default approval "lead" }
context { environment: one of "production", "staging" }
define large = input.amount > 10_000
route "desk" { allow order.read allow order.** when not large }
deny "agents" { for order.delete when operator.kind == agent and context.environment == "production" }
deny "late" { for order.pay unless now within mon..fri 08:00..18:00 in "Europe/Berlin" }
require "big" { for order.pay when large approval "lead" }
approval "lead" { need role "lead" valid for 4h }
"""


def layer(text: str, name: str = "shop") -> ir.Program:
    result = compile_layers([LayerSource(name=name, files=(Source(f"{name}.policy", text),), root=None)])
    assert result.policy is not None, [item.message for item in result.diagnostics]
    return result.policy.layers[0]


@pytest.mark.parametrize(
    "text",
    [
        "# a comment\n" + POLICY,
        POLICY.replace(" ", "  "),
        "\n".join(reversed(POLICY.strip().splitlines())),
        POLICY.replace("10_000", "10000.0"),
        POLICY.replace("large", "substantial"),
        POLICY.replace(
            "allow order.read allow order.** when not large", "allow order.** when not large allow order.read"
        ),
    ],
    ids=["comments", "layout", "order of statements", "notation of numbers", "names of defines", "order of clauses"],
)
def test_what_means_the_same_has_one_hash(text: str) -> None:
    assert policy_hash([layer(text)]) == policy_hash([layer(POLICY)])


def test_the_name_of_a_file_and_of_a_layer_is_not_in_the_hash() -> None:
    assert policy_hash([layer(POLICY, "other")]) == policy_hash([layer(POLICY)])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("10_000", "10_001"),
        ("amount", "amuont"),
        ("order.delete", "order.delete.all"),
        ("kind == agent", "kind == service"),
        ("and context", "or context"),
        ("18:00", "18:01"),
        ("mon..fri", "mon..sat"),
        ("Europe/Berlin", "Europe/Paris"),
        ("when large approval", "unless large approval"),
        ("4h", "5h"),
        ('version "1"', 'version "2"'),
        ('"late"', '"later"'),
        ('need role "lead"', 'need group "lead"'),
        ('"staging"', '"test"'),
    ],
)
def test_what_means_something_else_has_another_hash(old: str, new: str) -> None:
    assert old in POLICY
    assert policy_hash([layer(POLICY.replace(old, new))]) != policy_hash([layer(POLICY)])


def test_the_order_of_layers_and_the_versions_are_in_the_hash() -> None:
    one, other = layer(POLICY), layer('route "desk" { allow order.read }', "other")
    hashes = {
        policy_hash([one, other]),
        policy_hash([other, one]),
        policy_hash([one]),
        policy_hash([one], tzdata_version="1900.1"),
    }
    assert len(hashes) == 4
    assert all(text.startswith("sha256:") and len(text) == 71 for text in hashes)


def test_values_of_different_types_have_different_texts() -> None:
    conditions = ["input.a == 1", "input.a == true", 'input.a == "1"', 'input.a in ["1"]', "input.a[0] == 1"]
    texts = {canonical(layer(f'route "desk" {{ allow order.read when {text} }}')) for text in conditions}
    assert len(texts) == len(conditions)


def test_the_readable_dump_shows_meaning_and_each_define_once() -> None:
    program = layer(
        'define large = input.amount > 10\nroute "desk" { allow order.read when large deny order.pay when large }'
    )
    assert dump(program) == (
        "(Program\n"
        "  (defaults ())\n"
        "  (context ())\n"
        '  (routes ("desk"))\n'
        "  (clauses\n"
        "    (\n"
        '      (Clause (effect "allow") (routes ("desk")) (patterns ((pattern "order.read"))) (when (use "large")))\n'
        '      (Clause (effect "deny") (routes ("desk")) (patterns ((pattern "order.pay"))) (when (use "large")))))\n'
        "  (denies ())\n"
        "  (requires ())\n"
        "  (raises ())\n"
        "  (risks ())\n"
        "  (approvals ())\n"
        "  (separations ())\n"
        "  (obligations ()))\n"
        '(define "large"\n'
        "  (Compare\n"
        '    (operator ">")\n'
        '    (left (Read (root "input") (variable false) (steps ("amount"))))\n'
        "    (right (Constant (value 10)))))\n"
    )


def test_a_long_chain_of_defines_is_dumped_in_linear_size() -> None:
    chain = "\n".join(f"define d{number} = d{number - 1} and d{number - 1}" for number in range(1, 90))
    program = layer(f'define d0 = input.a == 1\n{chain}\nroute "desk" {{ allow order.read when d89 }}')
    assert len(canonical(program)) < 2_000
    assert dump(program).count("(define ") == 90
