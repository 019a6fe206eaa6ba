"""Characters that may not stand in a policy, written out or as escapes."""

from __future__ import annotations

import unicodedata

import pytest

from policy.source.text import Source
from policy.syntax import tree
from policy.syntax.decode import decode
from policy.syntax.parser import parse

REFUSED = [
    "\0",
    "\u061c",
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202e",
    "\u2066",
    "\u2069",
    "\u00ad",
    "\u200b",
    "\u200d",
    "\u2060",
    "\u2061",
    "\ufeff",
    "\ufff9",
    "\u034f",
    "\u3164",
    "\ufe0f",
    "\U000e0041",
    "\U000e0100",
    "\U0001d173",
]
REFUSED_IN_TEXT = ["\x01", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u2029", "\r"]


def codes(text: str) -> list[str]:
    """`LINE:COLUMN CODE` of each diagnostic."""
    _, found = parse(Source("x", text))
    return [f"{item.location.removeprefix('x:')} {item.code}" for item in found]


def escaped(character: str) -> str:
    """The character as JSON escapes."""
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


@pytest.mark.parametrize("character", REFUSED + REFUSED_IN_TEXT, ids=escaped)
def test_a_character_that_hides_or_misleads_is_refused_wherever_it_stands(character: str) -> None:
    assert codes(f"# a{character}b\ndefine x = y\n") == ["1:4 syntax.character"]
    told = codes(f'define x = "a{character}b"\n')
    assert told == ["1:14 syntax.character"] or (character == "\r" and "1:14 syntax.character" in told)
    assert codes(f"define x = {character} y\n") == ["1:12 syntax.character"]


@pytest.mark.parametrize("character", REFUSED, ids=escaped)
def test_nor_does_an_escape_bring_it_in(character: str) -> None:
    _, found = parse(Source("x", f'define x = "a{escaped(character)}b"\n'))
    assert [(item.code, item.span.text) for item in found if item.span] == [("syntax.character", escaped(character))]


def test_each_format_character_of_unicode_is_refused() -> None:
    formats = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]
    assert len(formats) > 150
    for start in range(0, len(formats), 50):
        some = formats[start : start + 50]
        assert codes("# " + "".join(some) + "\ndefine x = y") == [
            f"1:{3 + at} syntax.character" for at in range(len(some))
        ]


def test_a_byte_order_mark_is_told_as_such() -> None:
    source = decode(b"\xef\xbb\xbfdefine x = y\n", "x")
    assert isinstance(source, Source)
    _, found = parse(source)
    assert [(item.location, item.code) for item in found] == [("x:1:1", "syntax.character")]
    assert found[0].help == "it is the byte order mark; save the file as UTF-8 without one"


def test_half_a_surrogate_pair_is_refused() -> None:
    assert codes('define x = "\ud800"') == ["1:13 syntax.character"]
    assert codes('define x = "\\ud800"') == ["1:13 syntax.character"]
    assert codes('define x = "\\udc00\\ud800"') == ["1:13 syntax.character", "1:19 syntax.character"]


def test_a_pair_of_escapes_is_one_character() -> None:
    file, found = parse(Source("x", 'define x = "\\ud83d\\ude00"'))
    assert found == ()
    (statement,) = file.statements
    assert isinstance(statement, tree.Define)
    assert isinstance(statement.value, tree.Text)
    assert statement.value.value == "😀"


@pytest.mark.parametrize("text", ['"e\u0308"', '"\\u0065\\u0308"', '"\u212b"', '"\u1112\u1161"'])
def test_a_text_that_is_not_normalised_is_refused(text: str) -> None:
    _, found = parse(Source("x", f"define x = {text}"))
    assert [(item.code, item.span.text) for item in found if item.span] == [("syntax.not_normalised", text)]


@pytest.mark.parametrize("text", ['"\u00eb"', '"日本"', '"😀"', '"ﬁ"', '"Ω"', '"\\u0007"', '"\\n"'])
def test_other_texts_are_allowed(text: str) -> None:
    assert codes(f"define x = {text}") == []


def test_comments_may_be_written_in_any_language() -> None:
    assert codes("# größer als 10 €, 日本語, e\u0308\r\ndefine x = y\r\n") == []


def test_characters_and_mistakes_are_told_together_each_once() -> None:
    assert codes('define x = "\u202e"\ndeny "y" { whn z }\n# \u200b\n') == [
        "1:13 syntax.character",
        "2:12 syntax.unknown_word",
        "3:3 syntax.character",
    ]
