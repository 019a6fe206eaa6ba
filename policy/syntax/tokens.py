"""Characters to tokens: which word is a keyword is decided later, by the place where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from policy.source.limits import Limits
from policy.source.text import Source, Span

STRING = r'"(?:[^"\\\n\r]|\\[^\n\r])*"'
TIME = r"[0-9]+:[0-9]+(?![A-Za-z0-9_:])"
NUMBER = r"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_:])"
QUANTITY = r"[0-9][0-9A-Za-z_]*"
PATTERN = r"(?!(?:scopes|capability)(?![A-Za-z0-9_*.:-]))[A-Za-z0-9_*.:-]+"
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
COMMENT = r"#[^\n]*"

PUNCTUATION = {
    "{": "LBRACE",
    "}": "RBRACE",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    ",": "COMMA",
    ":": "COLON",
    ".": "DOT",
    "=": "EQUAL",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
}
"""Character to the name that Lark gives it."""

UNCLOSED = "UNCLOSED"
"""A quote without a second one on its line."""
UNKNOWN = "UNKNOWN"
"""A character that begins nothing."""

_KINDS = ("NAME", "STRING", "TIME", "NUMBER", "QUANTITY", "RANGE", "COMPARISON", "COMMENT", "MARK", UNCLOSED, UNKNOWN)
_PARTS = (
    NAME,
    STRING,
    TIME,
    NUMBER,
    QUANTITY,
    r"\.\.",
    r"[=!]=|<=?|>=?",
    COMMENT,
    r"[{}()\[\],:.=+*-]",
    r'"[^\n\r]*',
    r"[^ \t\r\n]",
)
_TOKEN = re.compile(r"[ \t\r\n]*(?:" + "|".join(f"({part})" for part in _PARTS) + ")")
_PATTERN = re.compile(PATTERN)


class Token:
    """One token: `kind` is lexical, `type` the terminal it counts as at its place (set by the parser)."""

    __slots__ = ("end", "kind", "start", "text", "type")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind = kind
        self.type = kind
        self.text = text
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.start})"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one source: `comments` apart, `too_deep` those that open a bracket too many."""

    items: list[Token]
    comments: list[Token]
    too_deep: list[Token]


def tokenize(source: Source, limits: Limits) -> Tokens:
    """Split a text into tokens, and find brackets beyond the nesting limit without recursion.

    The braces of a statement's own body are no level of nesting.
    """
    items: list[Token] = []
    comments: list[Token] = []
    too_deep: list[Token] = []
    depth, bound, reported = 0, limits.nesting, False
    add = items.append
    for match in _TOKEN.finditer(source.text):
        index = match.lastindex
        if index is None:  # pragma: no cover - every alternative is a group
            raise AssertionError("a token without a kind")
        kind = _KINDS[index - 1]
        text = match.group(index)
        if kind == "MARK":
            kind = PUNCTUATION[text]
            if text in "{([":
                if depth == 0:
                    bound = limits.nesting + (text == "{")
                depth += 1
                if depth > bound and not reported:
                    too_deep.append(Token(kind, text, match.end() - 1, match.end()))
                    reported = True
            elif text in "})]":
                depth = max(0, depth - 1)
                reported = reported and depth > bound
        elif kind == "COMMENT":
            comments.append(
                Token(kind, text.rstrip("\r"), match.start(index), match.start(index) + len(text.rstrip("\r")))
            )
            continue
        add(Token(kind, text, match.end() - len(text), match.end()))
    return Tokens(items, comments, too_deep)


def pattern_at(text: str, start: int) -> str | None:
    """The scope pattern that begins at an offset, or None where none does."""
    match = _PATTERN.match(text, start)
    return None if match is None else match.group()


def span_of(source: Source, token: Token) -> Span:
    """The place of a token."""
    return Span(source, token.start, token.end)
