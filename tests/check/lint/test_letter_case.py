"""Tests of a lower-case text against literals that have capital letters."""

from __future__ import annotations

import pytest

from tests.check.lint.test_lint import compiled


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ('lower(input.word) in ["Yes", "OK"]', "lint.always_false"),
        ('host(input.url) in ["Docs.example.org"]', "lint.always_false"),
        ('mail_domain(input.to) not in ["Example.org"]', "lint.always_true"),
        ('lower(input.word) starts with "Draft"', "lint.always_false"),
        ('host(input.url) ends with ".Example.org"', "lint.always_false"),
        ('lower(input.word) contains "DROP"', "lint.always_false"),
        ('lower(input.word) contains any of ["DROP", "Delete"]', "lint.always_false"),
        ('lower(input.word) in ["yes", "OK"]', None),
        ('lower(input.word) contains any of ["DROP", "delete"]', None),
        ('host(input.url) ends with ".example.org"', None),
        ('input.word in ["Yes"]', None),
        ('input.word contains "Yes"', None),
    ],
)
def test_capital_letters_are_never_found(condition: str, code: str | None) -> None:
    found = compiled(f'route "desk" {{ allow order.read when {condition} }}').diagnostics
    assert [item.code for item in found] == ([] if code is None else [code])
