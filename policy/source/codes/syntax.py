"""Diagnostics: what the parser says of a text."""

from __future__ import annotations

from policy.source.codes.entry import Code, error

_ROUTE = 'route "desk" { allow order.read }'


def _whole(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples are statements beside a route."""
    return error(code, summary, f"{_ROUTE}\n{failing}", f"{_ROUTE}\n{fixed}")


def _rule(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples are the clauses of a `deny`."""
    return _whole(code, summary, f'deny "d" {{ {failing} }}', f'deny "d" {{ {fixed} }}')


def _approval(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples are the clauses of an `approval`."""
    head = 'require "r" { for order.** approval "a" }\napproval "a" { '
    return _whole(code, summary, f"{head}{failing} }}", f"{head}{fixed} }}")


_FILES: tuple[Code, ...] = (
    error("syntax.encoding", "the file is not UTF-8", "(a file saved as Latin-1)", "(the same file saved as UTF-8)"),
    error(
        "syntax.too_large", "the file is larger than 1 MiB", "(a file of 2 MiB)", "(two files, one imports the other)"
    ),
    error("syntax.empty_file", "the file holds no statement", "# nothing yet", _ROUTE),
    error(
        "syntax.too_many_statements",
        "the policy has more than 100,000 statements",
        "(100,001 statements)",
        "(two layers of 50,001 and 50,000 statements)",
    ),
    error(
        "syntax.too_many_errors",
        "the file has more errors than are told at once",
        "(101 statements with an error each)",
        "(the same statements, mended)",
    ),
    _whole(
        "syntax.character",
        "a character that has no meaning, or may not stand in a policy, stands there",
        'deny "d" { when input.a > 1 && input.b > 1 }',
        'deny "d" { when input.a > 1 and input.b > 1 }',
    ),
    _whole(
        "syntax.nesting",
        "brackets, prefixes or operations are nested deeper than 64 levels",
        'deny "d" { when ' + "(" * 65 + "readonly" + ")" * 65 + " }",
        'deny "d" { when readonly }',
    ),
)

_LITERALS: tuple[Code, ...] = (
    _rule(
        "syntax.string",
        "a text is not closed on its line, or holds an unknown escape",
        'for order.read because "no reading',
        'for order.read because "no reading"',
    ),
    _rule(
        "syntax.not_normalised",
        "a text is not in Unicode normal form C",
        'when input.name == "Zoe\u0308"',
        'when input.name == "Zo\u00eb"',
    ),
    _rule(
        "syntax.number",
        "a number is malformed, or none that JSON carries exactly",
        "when input.id == 9007199254740993",
        'when input.id == "9007199254740993"',
    ),
    _approval(
        "syntax.duration",
        "a duration is malformed or has no unit",
        'need role "x" valid for 30',
        'need role "x" valid for 30m',
    ),
    _rule(
        "syntax.time",
        "a time of day is malformed",
        'unless now within 9:00..18:00 in "Europe/Berlin"',
        'unless now within 09:00..18:00 in "Europe/Berlin"',
    ),
    _rule("syntax.pattern", "a scope pattern is malformed", "for order.**.read", "for order.*.read"),
    _approval(
        "syntax.count",
        "a count is no whole number",
        'need 1.5 approvals from { role "x" role "y" }',
        'need 2 approvals from { role "x" role "y" }',
    ),
)

_WORDS: tuple[Code, ...] = (
    _whole(
        "syntax.unknown_statement",
        "a word begins no statement",
        'dney "d" { for order.read }',
        'deny "d" { for order.read }',
    ),
    _rule(
        "syntax.unknown_word",
        "a word is unknown where it stands",
        "for order.read whn readonly",
        "for order.read when readonly",
    ),
    _whole(
        "syntax.unquoted",
        "a word that the author invents is bare",
        "deny d { for order.read }",
        'deny "d" { for order.read }',
    ),
    _rule(
        "syntax.quoted",
        "a word, name, path or pattern is quoted where it must be bare",
        'for "order.read"',
        "for order.read",
    ),
    _whole("syntax.missing_id", "a statement has no id", "deny { for order.read }", 'deny "d" { for order.read }'),
)

_MARKS: tuple[Code, ...] = (
    _whole("syntax.unclosed", "a bracket is not closed", 'deny "d" { for order.read', 'deny "d" { for order.read }'),
    _whole(
        "syntax.unmatched", "a bracket closes nothing", 'deny "d" { for order.read } }', 'deny "d" { for order.read }'
    ),
    _whole(
        "syntax.missing_brace",
        "a brace is missing where a block begins",
        'deny "d" for order.read }',
        'deny "d" { for order.read }',
    ),
    _rule(
        "syntax.comma",
        "a comma stands where none belongs",
        "for order.read, when readonly",
        "for order.read when readonly",
    ),
    _rule("syntax.missing_comma", "a comma is missing", "for order.read order.list", "for order.read, order.list"),
    _rule(
        "syntax.unexpected", "something else is expected", "for order.read on deny", 'for order.read on route "desk"'
    ),
)

_EXPRESSIONS: tuple[Code, ...] = (
    _rule(
        "syntax.mixed_operators",
        "`and` and `or` stand beside each other without parentheses",
        "when readonly and input.a or input.b",
        "when readonly and (input.a or input.b)",
    ),
    _rule(
        "syntax.chained_comparison",
        "a comparison follows a comparison",
        "when 1 < input.a < 5",
        "when 1 < input.a and input.a < 5",
    ),
    _rule(
        "syntax.parentheses",
        "the condition behind `satisfies` needs parentheses",
        "when any l in input.lines satisfies l.amount > 5 and readonly",
        "when any l in input.lines satisfies (l.amount > 5 and readonly)",
    ),
    _rule("syntax.missing_value", "a value or condition is missing", "when readonly and", "when readonly"),
    _rule("syntax.operator", "an operator is missing or is none", "when input.a = 1", "when input.a == 1"),
    _rule("syntax.member", "a member stands behind something that has none", "when (input).a", "when input.a"),
    _rule(
        "syntax.repeated_key",
        "a key stands twice in a map",
        'when input.amount > { "EUR": 1, "EUR": 2 }[input.currency]',
        'when input.amount > { "EUR": 1, "USD": 2 }[input.currency]',
    ),
)

_CLAUSES: tuple[Code, ...] = (
    _rule("syntax.empty_body", "a block is empty", "", "for order.read"),
    _rule(
        "syntax.repeated_clause", "a clause stands twice", "for order.read for order.list", "for order.read, order.list"
    ),
    _whole(
        "syntax.missing_clause",
        "a statement lacks a clause that it needs",
        'require "r" { for order.read }\napproval "a" { need role "x" }',
        'require "r" { for order.read approval "a" }\napproval "a" { need role "x" }',
    ),
    _rule(
        "syntax.misplaced_clause",
        "a clause stands in a statement that has no such clause",
        "for order.read to high",
        "for order.read",
    ),
    _rule(
        "syntax.clause_order",
        "the selector stands behind another clause",
        'because "no" for order.read',
        'for order.read because "no"',
    ),
    _approval(
        "syntax.pool",
        "a pool holds something else than single approvers",
        'need 2 approvals from { all of { role "x" role "y" } role "z" }',
        'need any 2 of { all of { role "x" role "y" } role "z" role "w" }',
    ),
)

CODES: tuple[Code, ...] = (*_FILES, *_LITERALS, *_WORDS, *_MARKS, *_EXPRESSIONS, *_CLAUSES)
