"""The passes together: examples of every code, mistakes beside syntax errors, depth, size and time."""

from __future__ import annotations

import pytest

from policy.check.compile import Compiled, compile_layers
from policy.check.load import LayerSource, source_layer
from policy.check.reserved import RESERVED
from policy.ir import nodes as ir
from policy.source.codes import names, types
from policy.source.codes.entry import Code
from policy.syntax import words
from policy.types.functions import FUNCTIONS
from policy.types.names import BUILT_IN_NAMES, VOCABULARIES

ROUTE = 'route "desk" { allow order.** }\n'
EXAMPLES = [entry for entry in (*names.CODES, *types.CODES) if not entry.code.startswith(("load.", "layer."))]


def compiled(text: str) -> Compiled:
    return compile_layers([source_layer(text)])


def errors(text: str) -> list[str]:
    return [item.code for item in compiled(text).diagnostics if item.is_error]


@pytest.mark.parametrize("entry", EXAMPLES, ids=lambda entry: entry.code)
def test_the_examples_of_a_code(entry: Code) -> None:
    assert errors(entry.failing) == [entry.code]
    assert errors(entry.fixed) == []


def test_no_layer_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="a policy has at least one layer"):
        compile_layers([])


def test_a_text_that_cannot_be_read_has_no_policy() -> None:
    result = compile_layers([source_layer(f"{ROUTE}# \u202e")])
    assert (result.policy, [item.code for item in result.diagnostics]) == (None, ["syntax.character"])
    assert errors("") == ["syntax.empty_file"]


def test_mistakes_of_text_and_of_meaning_are_told_together() -> None:
    text = (
        'deny "a" { when input.a === 1 }\n'
        'deny "b" { when operator.kind == "agent" }\n'
        'deny "c" { when subject.rolez has "x" and }\n'
        'deny "d" { when readonly > 5 }\n'
        f"{ROUTE}"
    )
    found = [(item.span.line if item.span else 0, item.code) for item in compiled(text).diagnostics if item.is_error]
    assert [line for line, _ in found] == [1, 2, 3, 4]
    assert [code for _, code in found if not code.startswith("syntax.")] == ["type.quoted_word", "type.not_ordered"]


def test_names_declared_in_what_could_not_be_read_are_not_called_unknown() -> None:
    text = f'{ROUTE}define large = input.a >\ndeny "a" {{ when large }}\ndeny "b" {{ when 5 }}\n'
    found = [item.code for item in compiled(text).diagnostics if item.is_error]
    assert [code for code in found if not code.startswith("syntax.")] == ["type.not_a_condition"]


def test_one_mistake_in_a_define_is_told_once_however_often_it_is_used() -> None:
    uses = "".join(f'deny "d{number}" {{ when wrong and not wrong }}\n' for number in range(20))
    assert errors(f"{ROUTE}define wrong = operator.kind == agnet\n{uses}") == ["name.unknown_word"]


def test_a_mistake_is_told_once_per_place() -> None:
    assert errors(f'{ROUTE}deny "d" {{ when inptu.a == 1 or inptu.b == 2 }}') == ["name.unknown", "name.unknown"]


def test_findings_stand_in_the_order_of_the_text() -> None:
    text = f'{ROUTE}deny "a" {{ when inptu.a == 1 }}\nroute "x" {{ deny order.read }}\ndeny "b" {{ when nope }}\n'
    places = [item.span.start for item in compiled(text).diagnostics if item.span is not None]
    assert places == sorted(places)


def test_accepted_warnings_stay_accepted_beside_an_error() -> None:
    text = (
        f"{ROUTE}context {{ ticket: string optional }}\n"
        "# accept law.presence: tickets are required by the console\n"
        'deny "a" { when context.ticket exists }\n'
        "# accept lint.always_true: said by lint, which an error keeps from running\n"
        'deny "b" { when nope }\n'
    )
    assert [item.code for item in compiled(text).diagnostics] == ["name.unknown"]


def test_duplicates_show_where_the_first_one_stands() -> None:
    (finding,) = [item for item in compiled(f"{ROUTE}define x1 = 5\ndefine x1 = 6\n").diagnostics if item.is_error]
    assert [(place.message, place.span.location) for place in finding.related] == [
        ("first declared here", "policy:2:8")
    ]


def test_what_a_define_reads_is_shown_beside_its_use() -> None:
    text = 'define given = claims.approval.given\nroute "desk" { allow order.read when given }'
    (finding,) = [item for item in compiled(text).diagnostics if item.is_error]
    assert (finding.location, [place.span.location for place in finding.related]) == ("policy:2:38", ["policy:1:16"])


def test_definitions_are_bounded_in_depth_together() -> None:
    def chain(length: int) -> str:
        links = "".join(f"define x{n} = not x{n - 1}\n" for n in range(1, length))
        return f'{ROUTE}define x0 = readonly\n{links}deny "d" {{ when x{length - 1} }}\n'

    assert compiled(chain(90)).policy is not None
    assert errors(chain(300)) == ["load.too_deep"]
    assert set(errors(chain(5_000))) == {"load.too_deep"}


def test_wide_conditions_are_no_deep_ones() -> None:
    wide = " or ".join(f"input.a == {number}" for number in range(4_000))
    found = compiled(f'{ROUTE}deny "d" {{ when {wide} }}').policy
    assert found is not None
    condition = found.layers[0].denies[0].selector.when
    assert isinstance(condition, ir.Or)
    assert len(condition.operands) == 4_000


def test_sets_that_mean_too_many_patterns_are_refused() -> None:
    def members(n: int) -> str:
        own = ", ".join(f"a{n}.b{m}" for m in range(100))
        return f'{own}, scopes "s{n - 1}"' if n else own

    sets = "".join(f'scopes "s{n}" {{ {members(n)} }}\n' for n in range(60))
    assert errors(f'{ROUTE}{sets}deny "d" {{ for scopes "s59" }}') == ["load.too_many_patterns"]
    assert errors(f'{ROUTE}{sets}deny "d" {{ for scopes "s30" }}') == ["load.too_many_patterns"]


def test_long_chains_of_sets_and_overrides_are_no_recursion() -> None:
    sets = "".join(f'scopes "s{n}" {{ scopes "s{n - 1}" }}\n' for n in range(1, 3_000))
    risks = "".join(
        f'risk "r{n}" overrides "r{n - 1}" {{ for order.a unattended up to low }}\n' for n in range(1, 3_000)
    )
    text = f'{ROUTE}scopes "s0" {{ order.a }}\n{sets}risk "r0" {{ unattended up to low }}\n{risks}'
    assert errors(f'{text}deny "d" {{ for scopes "s2999" }}') == []


def test_thousands_of_rules_compile() -> None:
    text = ROUTE + "".join(
        f'deny "d{n}" {{ for order.x{n} when input.a == {n} and operator.kind == agent unless readonly }}\n'
        for n in range(5_000)
    )
    program = compile_layers([LayerSource(name="p", files=source_layer(text).files)]).policy
    assert program is not None
    assert len(program.layers[0].denies) == 5_000


def test_thousands_of_unknown_names_are_told() -> None:
    attributes = " ".join(f"attribute_{n}: string" for n in range(2_000))
    rules = "".join(f'deny "d{n}" {{ when context.atribute_{n}x == "a" }}\n' for n in range(2_000))
    found = errors(f"{ROUTE}context {{ {attributes} }}\n{rules}")
    assert found == ["name.unknown_attribute"] * 2_000


def test_every_word_of_the_language_is_reserved() -> None:
    assert RESERVED >= words.KNOWN
    assert set(FUNCTIONS) <= RESERVED
    assert set(BUILT_IN_NAMES) <= RESERVED
    assert {word for vocabulary in VOCABULARIES for word in vocabulary.words} <= RESERVED
