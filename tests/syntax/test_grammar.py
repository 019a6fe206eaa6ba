"""The grammar itself, the tables built from it, and the words listed beside it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from lark import Lark, Token, Tree
from lark.lexer import PatternRE

from policy.source.limits import DEFAULT_LIMITS
from policy.syntax import tokens, words
from policy.syntax.branch import Branch, grow
from policy.syntax.tables import STATEMENTS, build, grammar_text, render, tables
from policy.syntax.tokens import Trivia, tokenize

HERE = Path(__file__).parent
GRAMMAR = Path(__file__).parents[2] / "grammar" / "policy.lark"
FILES = sorted((HERE / "valid").glob("*.policy"))


class WholeWords:
    """Lark's contextual lexer, told to read whole words everywhere."""

    always_accept = ("NAME",)

    def process(self, stream: object) -> object:
        """The tokens as they are."""
        return stream


@pytest.fixture(scope="module")
def lark() -> Lark:
    """The grammar, loaded by Lark in strict mode."""
    text = GRAMMAR.read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", strict=True, keep_all_tokens=True, postlex=WholeWords())


def test_the_grammar_that_is_used_is_the_one_that_is_shipped() -> None:
    assert grammar_text() == GRAMMAR.read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_grammar() -> None:
    stored = (files("policy.syntax") / "tables.json").read_text(encoding="utf-8")
    assert stored == render(build(grammar_text(), strict=True)), "run `python -m policy.syntax.tables`"
    assert json.loads(stored)["accept"] == tables().accept


def test_every_keyword_is_listed_among_the_words() -> None:
    assert set(tables().keywords) == words.KEYWORDS


def test_clauses_and_statements_begin_with_keywords() -> None:
    assert words.CLAUSES | words.OPERATORS | words.LEAVES | words.QUANTIFIERS <= words.KEYWORDS
    assert STATEMENTS - {"route"} == words.STATEMENTS - {"route", "every"}


def test_tokens_are_those_of_the_grammar(lark: Lark) -> None:
    patterns = {
        terminal.name: terminal.pattern.value for terminal in lark.terminals if isinstance(terminal.pattern, PatternRE)
    }
    for name in ("STRING", "TIME", "NUMBER", "QUANTITY", "PATTERN", "NAME", "COMMENT"):
        assert patterns[name] == getattr(tokens, name).replace("\\n", "\n").replace("\\r", "\r")
    marks = {terminal.pattern.value: terminal.name for terminal in lark.terminals if len(terminal.pattern.value) == 1}
    assert {mark: name for mark, name in marks.items() if not mark.isalnum()} == tokens.PUNCTUATION


def shape(part: Tree[Token] | Token | Branch | tokens.Token) -> object:
    """A parse tree as nested tuples."""
    if isinstance(part, Tree):
        return (str(part.data), [shape(child) for child in part.children])
    if isinstance(part, Branch):
        return (part.rule, [shape(child) for child in part.children])
    return (part.type, part.value if isinstance(part, Token) else part.text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_parser_and_lark_read_the_same(path: Path, lark: Lark) -> None:
    text = path.read_text(encoding="utf-8")
    read: list[object] = []
    assert (
        grow(tokenize(text, DEFAULT_LIMITS, Trivia()), text, tables(), lambda branch: read.append(shape(branch)))
        is None
    )
    expected = lark.parse(text)
    assert read == [shape(child) for child in expected.children]


def test_every_rule_of_the_grammar_is_used_by_the_valid_texts() -> None:
    used: set[str] = set()

    def note(branch: Branch) -> None:
        rest = [branch]
        while rest:
            part = rest.pop()
            used.add(part.rule)
            rest += part.branches()

    for path in FILES:
        text = path.read_text(encoding="utf-8")
        grow(tokenize(text, DEFAULT_LIMITS, Trivia()), text, tables(), note)
    names = {production.name for production in tables().productions if not production.name.startswith("_")}
    transparent = {production.name for production in tables().productions if production.transparent}
    assert names - used - transparent == {"start"}


def test_the_grammar_is_free_of_python() -> None:
    assert re.search(r"\b(?:import|def|lambda)\b \w+\(", GRAMMAR.read_text(encoding="utf-8")) is None
