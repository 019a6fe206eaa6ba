"""Texts made to do harm end with a clear error, soon, and never with an exception."""

from __future__ import annotations

import pytest

from policy.source.diagnostic import Diagnostic
from policy.source.limits import Limits
from policy.source.text import Source
from policy.syntax.decode import decode
from policy.syntax.parser import MAX_TOKENS, parse

MIB = 1 << 20


def first(text: str) -> str | None:
    """The code of the first diagnostic."""
    _, found = parse(Source("x", text))
    return found[0].code if found else None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "syntax.empty_file"),
        (" " * MIB, "syntax.empty_file"),
        ("\n" * MIB, "syntax.empty_file"),
        ("#" * MIB, "syntax.empty_file"),
        ("a" * MIB, "syntax.unknown_statement"),
        ("a " * (MIB // 2), "syntax.unknown_statement"),
        ("(" * MIB, "syntax.nesting"),
        ("}" * MIB, "syntax.unmatched"),
        ('"' * MIB, "syntax.unexpected"),
        ("\0" * MIB, "syntax.character"),
        ("\u202e" * (MIB // 3), "syntax.character"),
        ("é" * (MIB // 2), "syntax.character"),
        ("deny\n" * (MIB // 5), "syntax.missing_id"),
        ('deny "a" { when x\n' * (MIB // 18), "syntax.unclosed"),
        ("define x = " + "(" * 10_000 + "a" + ")" * 10_000, "syntax.nesting"),
        ("define x = " + "[" * 10_000 + "]" * 10_000, "syntax.nesting"),
        ("define x = " + '{"a":' * 10_000 + "1" + "}" * 10_000, "syntax.nesting"),
        ("define x = a" + "[a" * 10_000 + "]" * 10_000, "syntax.nesting"),
        ("define x = " + "f(" * 10_000 + ")" * 10_000, "syntax.nesting"),
        ("context { a: " + "{ b: " * 10_000 + "string" + " }" * 10_001, "syntax.nesting"),
        ('approval "x" { need ' + "all of { " * 10_000 + 'role "x"' + " }" * 10_001, "syntax.nesting"),
        ("define x = " + "not " * 10_000 + "a", "syntax.nesting"),
        ("define x = " + "-" * 10_000 + "a", "syntax.nesting"),
        ("define x = " + "a + " * 10_000 + "a", "syntax.nesting"),
        ("define x = " + "a * " * 10_000 + "a", "syntax.nesting"),
        ("define x = " + "any a in b satisfies " * 10_000 + "a", "syntax.nesting"),
        ("define x = " + "total " * 3_000 + "a" + " over a in b" * 3_000, "syntax.nesting"),
        ("define x = {}" + '["a"]' * 10_000, "syntax.nesting"),
        ("define x = a" + ".a" * 10_000, "syntax.nesting"),
        ("context { a: " + "list of " * 10_000 + "string }", "syntax.nesting"),
        ("define x = a" + " < a" * 10_000, "syntax.chained_comparison"),
        ("define x = " + "a and b or " * 10_000 + "a", "syntax.mixed_operators"),
        ("define x = " + "1" * (MIB - 20), "syntax.number"),
        ("define x = 1e" + "9" * (MIB - 20), "syntax.number"),
        ("define x = 1" + "h1" * (MIB // 2 - 20), "syntax.duration"),
        ('define x = "' + "\t" * (MIB - 20) + '"', "syntax.string"),
        ("define x = [" + "," * (MIB - 20), "syntax.comma"),
        ('deny "x" { ' + "for a.b " * 100_000 + "}", "syntax.too_large"),
        ("define x = a" + ".a" * (MIB // 2 - 20), "syntax.too_large"),
        ("x" * (MIB + 1), "syntax.too_large"),
        ("é" * (MIB // 2 + 1), "syntax.too_large"),
        ('define x = "' + "a" * (MIB - 20) + '"', None),
    ],
    ids=lambda value: None if value is None else value[:24],
)
def test_a_text_ends_with_a_clear_error(text: str, code: str | None) -> None:
    assert first(text) == code


def test_messages_stay_short_whatever_the_text() -> None:
    for text in ("a" * MIB, "define x = " + "9" * 1_000, "define x = 1" + "h1" * 1_000, "deny " + "b" * 1_000 + " {}"):
        _, found = parse(Source("x", text))
        assert all(len(item.message) < 300 and len(item.help or "") < 300 for item in found)


@pytest.mark.parametrize(
    ("left", "middle", "right"),
    [("(", "a", ")"), ("[", "", "]"), ("not (", "a", ")"), ("f(", "a", ")"), ("not ", "a", ""), ('{ "k": ', "1", " }")],
)
@pytest.mark.parametrize("place", ["define x = {}", 'deny "x" {{ when {} }}', 'route "x" {{ allow a.b when {} }}'])
def test_sixty_four_levels_are_allowed_and_one_more_is_not(place: str, left: str, middle: str, right: str) -> None:
    allowed = 64 - (middle == "")
    assert first(place.format(left * allowed + middle + right * allowed)) is None
    more = 66 if left.startswith("{") and place.startswith("define") else 65
    assert first(place.format(left * more + middle + right * more)) == "syntax.nesting"


def test_sixty_four_terms_of_a_sum_are_allowed() -> None:
    assert first("define x = " + " + ".join(["a"] * 65)) is None
    assert first("define x = " + " + ".join(["a"] * 66)) == "syntax.nesting"


def test_flat_chains_of_twenty_thousand_operands_work() -> None:
    for word in ("and", "or"):
        assert first("define x = " + f" {word} ".join(f"input.a == {n}" for n in range(20_000))) is None


def test_ten_thousand_rules_parse() -> None:
    rule = 'deny "r{0}" {{ for payment.create when input.amount > {0} and operator.kind == agent because "no" }}\n'
    text = "".join(rule.format(number) for number in range(10_000))
    file, found = parse(Source("x", text))
    assert found == ()
    assert len(file.statements) == 10_000


def test_statements_are_counted() -> None:
    limits = Limits(statements=3)
    text = "define a = b\n" * 3
    assert parse(Source("x", text), limits)[1] == ()
    _, found = parse(Source("x", text + "define c = d\n"), limits)
    assert [(item.code, item.location) for item in found] == [("syntax.too_many_statements", "x:4:1")]


def test_tokens_are_counted() -> None:
    just = "define a=1\n" * (MAX_TOKENS // 40)
    assert first(just) is None


def test_bytes_that_are_no_text_are_told_with_their_place() -> None:
    found = decode(b'deny "x" {\n  when \xff }', "x")
    assert isinstance(found, Diagnostic)
    assert (found.code, found.location) == ("syntax.encoding", "x:2:8")
    assert found.message == "the byte 0xFF is not UTF-8; save the file as UTF-8"
    for data in (b"\xff\xfe\x00", b"\xc0\x80", b"\xed\xa0\x80", b"a\x80", b"\xf8\x88\x80\x80\x80"):
        refused = decode(data, "x")
        assert isinstance(refused, Diagnostic)
        assert refused.code == "syntax.encoding"


def test_a_file_that_is_too_large_is_not_decoded() -> None:
    found = decode(b"\xff" * (MIB + 1), "x")
    assert isinstance(found, Diagnostic)
    assert (found.code, found.location) == ("syntax.too_large", "x")
    source = decode(b"a" * MIB, "x")
    assert isinstance(source, Source)
    assert decode(b"abc", "x", Limits(file_bytes=2)) != source
