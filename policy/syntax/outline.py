"""The outline of a text that does not parse: where its statements and clauses begin, which brackets are open.

Only texts with an error come here. Valid ones are read in one go and never depend on what this module guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from policy.source.records import dataclass
from policy.source.suggest import closest
from policy.syntax.tokens import UNCLOSED, Token
from policy.syntax.words import CLAUSES, OPERATORS, STATEMENTS

_CONTINUE = frozenset(
    {"DOT", "COMPARISON", "PLUS", "MINUS", "STAR", "COMMA", "LSQB", "RPAR", "RSQB", "RBRACE", "RANGE", "COLON"}
)
"""What may stand behind `risk` or `route` where it is read in a condition."""
_COMPLETE = frozenset({"NAME", "STRING", "NUMBER", "QUANTITY", "TIME", "RBRACE", "RPAR", "RSQB", "STAR", "LBRACE"})
"""Tokens behind which a clause can begin."""
_PAIRS = {")": "(", "]": "[", "}": "{"}
_NAMED = STATEMENTS - {"context", "directory", "define", "every"}
"""The statements that begin with a keyword and a quoted text."""


def starts_line(items: Sequence[Token], at: int, text: str) -> bool:
    """Whether only white space and comments stand between the line's beginning and this token."""
    return at == 0 or "\n" in text[items[at - 1].end : items[at].start]


def segments(items: Sequence[Token], text: str) -> list[Sequence[Token]]:
    """The text cut before each statement keyword that starts a line outside braces.

    Where the braces of the file do not match, a statement that starts in the first column counts as outside, so that
    a forgotten brace does not swallow the rest.
    """
    starts, balanced = _starts(items, text, trusting=True)
    if not balanced:
        starts, _ = _starts(items, text, trusting=False)
    return [items[start:end] for start, end in pairwise([*starts, len(items)]) if start < end]


def _starts(items: Sequence[Token], text: str, *, trusting: bool) -> tuple[list[int], bool]:
    starts, depth = [0], 0
    for at, token in enumerate(items):
        if token.kind == "LBRACE":
            depth += 1
        elif token.kind == "RBRACE":
            depth = max(0, depth - 1)
        elif token.kind == "NAME" and starts_line(items, at, text):
            first_column = token.start == 0 or text[token.start - 1] == "\n"
            if depth == 0 and _begins_statement(items, at):
                starts.append(at)
            elif depth and not trusting and first_column and _surely_begins_statement(items, at):
                starts.append(at)
                depth = 0
    return starts, depth == 0


def _begins_statement(items: Sequence[Token], at: int) -> bool:
    """Whether a statement may begin here, perhaps with a mistake; `risk` and `route` may also stand in a condition."""
    word = items[at].text
    following = items[at + 1] if at + 1 < len(items) else None
    previous = items[at - 1] if at else None
    if previous is not None and previous.kind == "NAME" and previous.text in ("matches", "every"):
        return False
    if following is None:
        return word in STATEMENTS
    headed = following.kind in ("STRING", UNCLOSED, "LBRACE")
    if word in STATEMENTS:
        if following.kind == "NAME":
            return word == "define" or following.text not in OPERATORS
        return following.kind not in _CONTINUE
    # A misspelt keyword, an unknown one before an id and a brace, or anything behind a complete statement.
    if word in OPERATORS or word == "capability":
        return False
    if previous is not None and previous.kind == "RBRACE":
        return True
    if not headed:
        return False
    braced = at + 2 < len(items) and items[at + 2].kind == "LBRACE"
    return braced or following.kind == "LBRACE" or closest(word, STATEMENTS) is not None


def _surely_begins_statement(items: Sequence[Token], at: int) -> bool:
    word = items[at].text
    kinds = [token.kind for token in items[at + 1 : at + 3]]
    if word == "define":
        return kinds == ["NAME", "EQUAL"]
    if word == "every":
        return at + 1 < len(items) and items[at + 1].text == "route"
    if word in ("context", "directory"):
        return kinds[:1] == ["LBRACE"]
    if word == "import":
        return kinds[:1] == ["STRING"]
    return word in _NAMED and (
        kinds in (["STRING", "LBRACE"], ["STRING", "COMMA"]) or (word == "risk" and kinds == ["STRING", "NAME"])
    )


@dataclass(frozen=True, slots=True)
class Brackets:
    """The brackets of some tokens: `open_at` those still open at the end, outermost first, `stray` the first that
    closes nothing, `mismatched` the first pair that does not match."""

    open_at: tuple[int, ...]
    stray: int | None
    mismatched: tuple[int, int] | None


def brackets(items: Sequence[Token]) -> Brackets:
    """Match the brackets of some tokens."""
    stack: list[int] = []
    for at, token in enumerate(items):
        if token.kind in ("LBRACE", "LPAR", "LSQB"):
            stack.append(at)
        elif token.kind in ("RBRACE", "RPAR", "RSQB"):
            if not stack:
                return Brackets((), at, None)
            opened = items[stack[-1]].text
            if opened == "{" and token.text != "}":
                return Brackets((), at, None)
            if opened != _PAIRS[token.text]:
                return Brackets(tuple(stack), None, (stack[-1], at))
            stack.pop()
    return Brackets(tuple(stack), None, None)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a token stands: the index of its statement's keyword and of its clause's keyword, if any."""

    statement: int
    clause: int | None


def place_of(items: Sequence[Token], at: int, text: str) -> Place:
    """The statement and the clause that the token with this index stands in (or would, behind the last one)."""
    statement, clause, depth = 0, None, 0
    for index, token in enumerate(items[:at]):
        if token.kind in ("LBRACE", "LPAR", "LSQB"):
            depth += 1
        elif token.kind in ("RBRACE", "RPAR", "RSQB"):
            depth = max(0, depth - 1)
            if depth == 0:
                clause = None
        elif token.kind == "NAME" and not (index and items[index - 1].kind == "DOT"):
            if depth == 0 and token.text in STATEMENTS and _heads(items, index, text):
                statement, clause = index, None
            elif depth == 1 and token.text in CLAUSES:
                clause = index
    return Place(statement, clause)


def _heads(items: Sequence[Token], at: int, text: str) -> bool:
    return at == 0 or items[at - 1].kind == "RBRACE" or starts_line(items, at, text)


def _begins_clause(items: Sequence[Token], at: int) -> bool:
    """Whether an unknown word that starts a line begins a clause or field, and does not go on with a condition."""
    previous, following = items[at - 1], items[at + 1] if at + 1 < len(items) else None
    complete = previous.kind in _COMPLETE and previous.text not in OPERATORS | CLAUSES
    goes_on = items[at].text in OPERATORS or (following is not None and following.kind in _CONTINUE - {"COLON"})
    return complete and not goes_on


def clause_range(items: Sequence[Token], at: int, text: str) -> tuple[int, int] | None:
    """First and last index (exclusive) of the clause that a mistake at this index spoils, where clauses start lines.

    A mistake at the keyword of a clause belongs to the clause before it, which lacks something.
    """
    begins: list[int] = []
    depth, end = 0, None
    for index, token in enumerate(items):
        if token.kind == "LBRACE" or token.kind in ("LPAR", "LSQB"):
            depth += 1
        elif token.kind in ("RBRACE", "RPAR", "RSQB"):
            depth -= 1
            if depth == 0:
                if index >= at:
                    end = index
                    break
                begins = []
        elif depth == 1 and token.kind == "NAME" and starts_line(items, index, text):
            known = token.text in CLAUSES or index == at or _begins_clause(items, index)
            if known and index > at:
                end = index
                break
            if known:
                begins.append(index)
    if begins and begins[-1] == at and items[at].text in CLAUSES:
        end = at
        begins.pop()
    if not begins or end is None:
        return None
    return begins[-1], end
