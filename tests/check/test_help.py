"""What a finding advises, where the advice is what helps."""

from __future__ import annotations

import pytest

from tests.check.lint.test_lint import compiled

_ROUTE = 'route "desk" { allow order.** }\n'


@pytest.mark.parametrize(
    ("text", "code", "help"),
    [
        (
            'require "r" { for order.** approval "a" }\napproval "a" { need role support.manager }',
            "name.unknown",
            'where a word that you invent is meant, write it quoted: `"support.manager"`',
        ),
        (
            'require "r" { for order.** approval "a" }\napproval "a" { need role subjct.id }',
            "name.unknown",
            "did you mean `subject`?",
        ),
        (
            'require "r" { for order.** approval "a" }\napproval "a" { need role manager }',
            "type.bare_word",
            None,
        ),
        ('deny "d" { for order.** when input.amount below 5 }', "syntax.operator", "write `<`"),
        ('deny "d" { for order.** when input.amount above 5 }', "syntax.operator", "write `>`"),
        ('deny "d" { for order.** when input.amount over 5 }', "syntax.operator", "write `>`"),
        (
            "context { address: ip optional }",
            "lint.unused_attribute",
            "use it or drop it: a rule that should read it does not",
        ),
        (
            "context { address: ip }",
            "lint.unused_attribute",
            "use it or drop it: a request that lacks it is denied although nothing needs it",
        ),
    ],
)
def test_help(text: str, code: str, help: str | None) -> None:
    assert [(item.code, item.help) for item in compiled(_ROUTE + text).diagnostics] == [(code, help)]
