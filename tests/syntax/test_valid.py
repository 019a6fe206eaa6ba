"""What the language allows parses, and means what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.source.text import Source
from policy.syntax import tree
from policy.syntax.parser import parse
from policy.syntax.printer import print_expression

HERE = Path(__file__).parent
FILES = sorted((HERE / "valid").glob("*.policy"))


def read(text: str) -> tuple[tree.Statement, ...]:
    """The statements of a text without an error."""
    file, found = parse(Source("x.policy", text))
    assert [(item.location, item.message) for item in found] == []
    return file.statements


def value(text: str) -> tree.Expression:
    """The tree of an expression."""
    (statement,) = read(f"define x = {text}")
    assert isinstance(statement, tree.Define)
    return statement.value


def only(text: str) -> tree.Statement:
    """The one statement of a text."""
    (statement,) = read(text)
    return statement


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_form_of_the_language_page_parses(path: Path) -> None:
    file, found = parse(Source(path.name, path.read_text(encoding="utf-8")))
    assert [(item.location, item.message) for item in found] == []
    assert len(file.statements) >= 9


def test_the_whole_policy_of_the_page_has_all_its_statements() -> None:
    statements = read((HERE / "valid" / "payments.policy").read_text(encoding="utf-8"))
    assert [type(statement).__name__ for statement in statements] == (
        ["PolicyHeader", "ContextBlock", "DirectoryBlock", "ScopesBlock", "Define", "Define", "Route", "Route", "Raise"]
        + ["Risk", "Risk", "Require", "Require"]
        + ["Approval"] * 7
        + ["Separation"] * 4
        + ["Deny"] * 3
        + ["Obligation"]
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("whenx", "whenx"),
        ("input.when.and.not.true", "input.when.and.not.true"),
        ("risk == route", "risk == route"),
        ("a == any", "a == any"),
        ("any == a and every == no", "any == a and every == no"),
        ("any any_x in b satisfies (c)", "any any_x in b satisfies (c)"),
        ("every x in a.b satisfies c == 1", "every x in a.b satisfies (c == 1)"),
        ("no x in a satisfies not b", "no x in a satisfies (not b)"),
        ("not a == b", "not a == b"),
        ("(not a) and b", "not a and b"),
        ("not (a and b)", "not (a and b)"),
        ("((((a))))", "a"),
        ("(a and b) and c", "(a and b) and c"),
        ("a and b and c", "a and b and c"),
        ("1 + 2 * 3", "1 + 2 * 3"),
        ("(1 + 2) * 3", "(1 + 2) * 3"),
        ("1 - (2 - 3)", "1 - (2 - 3)"),
        ("(1 - 2) - 3", "1 - 2 - 3"),
        ("1-2", "1 - 2"),
        ("-1", "-1"),
        ("-(1)", "-(1)"),
        ("--1", "-(-1)"),
        ("- a.b", "-a.b"),
        ("-(a + 1)", "-(a + 1)"),
        ("a * -b", "a * -b"),
        ("total a.b * 2 over a in b.c + 1 > 2", "total a.b * 2 over a in b.c + 1 > 2"),
        ("(total a over a in b) * 2", "total a over a in b * 2"),
        ('{ "a": 1 }["a"]', '{ "a": 1 }["a"]'),
        ("(a.b)[1]", "a.b[1]"),
        ("[1][0]", "[1][0]"),
        ("a[b[c]]", "a[b[c]]"),
        ("a not in [b]", "a not in [b]"),
        ("not a in [b]", "not a in [b]"),
        ("(a exists) == true", "(a exists) == true"),
        ("a has any of [b]", "a has any of [b]"),
        ("a has any", "a has any"),
        ("scope matches a-b:c.9.*", "scope matches a-b:c.9.*"),
        ("10_000.5e-1", "10_000.5e-1"),
        ("now - a < 1h30m", "now - a < 1h30m"),
        ('"\\u00e9\\/\\n"', '"é/\\n"'),
    ],
)
def test_an_expression_binds_as_the_page_says(text: str, shown: str) -> None:
    assert print_expression(value(text)) == shown
    assert value(shown) == value(text)


def test_and_or_are_flat() -> None:
    assert value("a and b and c") == value("(a) and (b) and (c)")
    chain = value(" or ".join(["a"] * 20_000))
    assert isinstance(chain, tree.Or)
    assert len(chain.operands) == 20_000


def test_a_word_before_a_name_and_in_is_a_quantifier_and_else_a_name() -> None:
    quantified = value("any x in y satisfies (z)")
    assert isinstance(quantified, tree.Quantified)
    named = value("any in y")
    assert isinstance(named, tree.In)


def test_numbers_are_ints_where_they_are_integral() -> None:
    values = [value(text) for text in ("1.0", "1e2", "0.5", "-0.25", "-0", "1_0.2_5", "9007199254740991")]
    assert [item.value for item in values if isinstance(item, tree.Number)] == [
        1,
        100,
        0.5,
        -0.25,
        0,
        10.25,
        9007199254740991,
    ]
    assert [type(item.value) for item in values if isinstance(item, tree.Number)] == [
        int,
        int,
        float,
        float,
        int,
        float,
        int,
    ]


def test_durations_are_nanoseconds_and_times_minutes() -> None:
    duration, time = value("1d2h3m4s5ms"), value("23:59")
    assert isinstance(duration, tree.Duration)
    assert duration.nanoseconds == ((((24 + 2) * 60 + 3) * 60 + 4) * 1000 + 5) * 1_000_000
    assert isinstance(time, tree.TimeOfDay)
    assert time.minutes == 23 * 60 + 59


def test_a_raise_takes_one_when_for_itself_and_one_for_each_step() -> None:
    statement = only('raise "x" { when a to low when b to high to critical when c }')
    assert isinstance(statement, tree.Raise)
    assert statement.selector.when == value("a")
    assert [(step.level.name, step.when) for step in statement.steps] == [
        ("low", value("b")),
        ("high", None),
        ("critical", value("c")),
    ]


def test_conditions_of_a_route_belong_to_their_clause() -> None:
    statement = only('route "r" { allow a.b unless c when d because "e" deny f.g }')
    assert isinstance(statement, tree.Route)
    first, second = statement.clauses
    assert (first.effect, first.when, first.unless) == ("allow", value("d"), value("c"))
    assert first.because is not None
    assert first.because.value == "e"
    assert (second.effect, second.when, second.unless, second.because) == ("deny", None, None, None)


def test_a_leaf_alone_and_in_braces_are_one_pool() -> None:
    assert only('approval "x" { need 2 approvals from role "a" }') == only(
        'approval "x" { need 2 approvals from { role "a" } }'
    )


def test_spans_are_tight() -> None:
    text = 'deny "x" { for a.b, c.** when input.amount  >  10_000 and (b) }'
    statement = only(text)
    assert isinstance(statement, tree.Deny)
    selector = statement.selector
    assert selector.span.text == "for a.b, c.** when input.amount  >  10_000 and (b)"
    assert selector.patterns is not None
    assert [pattern.span.text for pattern in selector.patterns] == ["a.b", "c.**"]
    assert isinstance(selector.when, tree.And)
    assert [operand.span.text for operand in selector.when.operands] == ["input.amount  >  10_000", "b"]


def test_white_space_means_nothing() -> None:
    tight = 'deny"x"{for a.b when(input.a)and[1]==[1]because"c"}scopes"s"{a.b}'
    wide = 'deny\r\n"x"\t{\n\nfor a.b\nwhen (input.a)\n and [ 1 ] == [1] because\n"c" }\nscopes "s" { a.b }\n'
    assert read(tight) == read(wide)
