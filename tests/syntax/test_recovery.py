"""After a mistake the reading goes on: one bad statement hides nothing in the next, and nothing is told twice."""

from __future__ import annotations

import pytest

from policy.source.text import Source
from policy.syntax.parser import parse


def codes(text: str) -> list[str]:
    """`LINE:COLUMN CODE` of each diagnostic."""
    _, found = parse(Source("x", text))
    return [f"{item.location.removeprefix('x:')} {item.code}" for item in found]


def test_five_mistakes_in_a_file_are_five_diagnostics() -> None:
    text = """deny "one" { whn input.a exists }
route "two" { allow a.b, }
define three = input.a and input.b or input.c
require "four" {
  for a.b
}
approval five { need role "x" }
deny "good" { for a.b }
"""
    file, found = parse(Source("x", text))
    assert [f"{item.location} {item.code}" for item in found] == [
        "x:1:14 syntax.unknown_word",
        "x:2:24 syntax.comma",
        "x:3:36 syntax.mixed_operators",
        "x:4:1 syntax.missing_clause",
        "x:7:10 syntax.unquoted",
    ]
    assert [type(statement).__name__ for statement in file.statements] == ["Define", "Deny"]


def test_several_mistakes_in_one_statement_are_told_where_clauses_start_lines() -> None:
    text = """require "x" {
  for a.b c.d
  when input.a = 1
  approval two
  becuase "y"
}
context {
  a string
  b: one of c
  d: string,
  e: number
}
route "r" {
  allow a.b whn c
  deny "x.y"
  allow c.d when e and
}
"""
    assert codes(text) == [
        "2:11 syntax.missing_comma",
        "3:16 syntax.operator",
        "4:12 syntax.unquoted",
        "5:3 syntax.unknown_word",
        "8:5 syntax.unexpected",
        "9:13 syntax.unquoted",
        "10:12 syntax.comma",
        "14:13 syntax.unknown_word",
        "15:8 syntax.quoted",
        "16:20 syntax.missing_value",
    ]


def test_a_clause_that_was_left_out_is_not_said_to_be_missing() -> None:
    assert codes('require "x" {\n  for a.b\n  approval two\n}\n') == ["3:12 syntax.unquoted"]
    assert codes('deny "x" {\n  when a = b\n}\n') == ["2:10 syntax.operator"]


def test_a_condition_over_several_lines_is_left_out_whole() -> None:
    text = """deny "x" {
  when input.a == 1 and
    input.b = 2 and
    input.c == 3 or
    input.d == 4
  because 5
}
"""
    assert codes(text) == ["3:13 syntax.operator", "6:11 syntax.unquoted"]


def test_mistakes_in_words_and_in_structure_are_told_together() -> None:
    assert codes('deny "x" {\n  when a and b or c\n  becuase "y"\n  for d.e for f.g\n}\n') == [
        "2:16 syntax.mixed_operators",
        "3:3 syntax.unknown_word",
        "4:11 syntax.repeated_clause",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        'deny "next" { whn a }',
        'require "next" { whn a }',
        'raise "next" { whn a }',
        'risk "next" { whn a }',
        'separation "next" { whn a }',
        'obligation "next" { whn a }',
        'approval "next" { ned a }',
        'route "next" { alow a }',
        'policy "next" { vesion "1" }',
        "context { a = string }",
        "directory { rols }",
        'scopes "next" { a.b c.d }',
    ],
)
@pytest.mark.parametrize(
    "bad",
    [
        'deny "x" { when (a }',
        'deny "x" {',
        "define x = a and",
        'deny "x" { when "a }',
        "deny",
        "} deny {",
        "dney x {}",
        "é",
    ],
)
def test_no_statement_hides_a_mistake_in_the_next(bad: str, statement: str) -> None:
    before = codes(f"{bad}\n")
    after = codes(f"{bad}\n{statement}\n")
    own = codes(f"\n{statement}\n")
    assert len(before) >= 1
    assert after == before + own
    assert len(own) == 1


def test_a_forgotten_brace_swallows_nothing() -> None:
    text = """context {
  change: { author: string
}
deny "a" {
  when input.a exists
approval "b" {
  ned role "x"
}
every route { alow a.b }
define c = input.a b
"""
    assert codes(text) == [
        "1:9 syntax.unclosed",
        "4:10 syntax.unclosed",
        "7:3 syntax.unknown_word",
        "9:15 syntax.unknown_word",
        "10:20 syntax.operator",
    ]


def test_a_condition_may_go_on_with_the_word_of_a_statement() -> None:
    text = """define a = mode == "x" and
risk >= high and
route in ["x"] and
context.a == 1 and scope matches
scopes "money"
define b = (
  risk
)
every
route { allow a.b }
deny "bad" { whn a }
"""
    assert codes(text) == ["11:14 syntax.unknown_word"]


def test_a_hundred_errors_are_enough() -> None:
    text = 'deny "x" { whn a }\n' * 150
    found = codes(text)
    assert len(found) == 101
    assert found[-1] == "x syntax.too_many_errors"
    repeated = codes('deny "x" { ' + "for a.b " * 300 + "}")
    assert len(repeated) == 101
    assert repeated[-1] == "x syntax.too_many_errors"


def test_diagnostics_come_in_the_order_of_the_text() -> None:
    text = 'deny "x" { when a and b or c for d for e }\ndney "y" { }\ndeny "z" { }\n'
    found = codes(text)
    assert found == sorted(found)
    assert len(found) == 4
