"""Characters to tokens: which word is a keyword is decided later, by the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from policy.source.limits import Limits
from policy.source.records import dataclass

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
"""A character that begins nothing, or a run of them outside ASCII."""

_KINDS = (
    "",
    "NAME",
    "STRING",
    "TIME",
    "NUMBER",
    "QUANTITY",
    "RANGE",
    "COMPARISON",
    "COMMENT",
    "MARK",
    UNCLOSED,
    UNKNOWN,
)
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
    r"[^\x00-\x7f]+|[^ \t\r\n]",
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
class Trivia:
    """What `tokenize` sets apart: the comments, and brackets that nest too deeply (the outermost of each place)."""

    comments: list[Token] = field(default_factory=list)
    too_deep: list[Token] = field(default_factory=list)


def tokenize(text: str, limits: Limits, trivia: Trivia, *, careless: bool = False) -> Iterator[Token]:
    """The tokens of a text, one by one; comments and brackets beyond the nesting limit go to `trivia`.

    The braces of a statement's own body are no level of nesting. Behind the first bracket that nests too deeply there
    are no more tokens, unless `careless`.
    """
    depth, bound, reported = 0, limits.nesting, False
    # Without white space at the end every match has a token, so a text of blanks alone costs no search.
    for match in _TOKEN.finditer(text, 0, len(text.rstrip(" \t\r\n"))):
        index = match.lastindex or 0
        kind = _KINDS[index]
        written = match.group(index)
        end = match.end()
        if kind == "MARK":
            kind = PUNCTUATION[written]
            if written in "{([":
                if depth == 0:
                    bound = limits.nesting + (written == "{")
                depth += 1
                if depth > bound and not reported:
                    trivia.too_deep.append(Token(kind, written, end - 1, end))
                    if not careless:
                        return
                    reported = True
            elif written in "})]":
                depth = max(0, depth - 1)
                reported = reported and depth > bound
        elif kind == "COMMENT":
            trivia.comments.append(
                Token(kind, written.rstrip(), end - len(written), end - len(written) + len(written.rstrip()))
            )
            continue
        yield Token(kind, written, end - len(written), end)


def pattern_at(text: str, start: int) -> str | None:
    """The scope pattern that begins at an offset, or None where none does."""
    match = _PATTERN.match(text, start)
    return None if match is None else match.group()
