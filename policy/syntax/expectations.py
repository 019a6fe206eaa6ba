"""What the parser would have accepted, in words for people."""

from __future__ import annotations

from collections.abc import Iterable

from policy.syntax.branch import END
from policy.syntax.tables import Tables
from policy.syntax.words import CLAUSES, OPERATORS, STATEMENTS

_NAMES = {
    "STRING": "a quoted text",
    "NAME": "a name",
    "NUMBER": "a number",
    "QUANTITY": "a duration such as `4h`",
    "TIME": "a time of day such as `09:30`",
    "PATTERN": "a scope pattern such as `refund.**`",
    "COMPARISON": "a comparison",
    "RANGE": "`..`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "DOT": "`.`",
    "EQUAL": "`=`",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "STAR": "`*`",
    END: "the end of the file",
}
_VALUE = frozenset(
    ("STRING", "NAME", "NUMBER", "QUANTITY", "TIME", "TRUE", "FALSE", "LBRACE", "LPAR", "LSQB", "MINUS")
) | {
    "TOTAL",
    "ANY",
    "EVERY",
    "NO",
    "NOT",
}
_OPERATOR = frozenset(("COMPARISON", "PLUS", "MINUS", "STAR", "DOT", "LSQB")) | frozenset(
    word.upper() for word in OPERATORS
)
_MANY = 6


def wants_value(expected: Iterable[str]) -> bool:
    """Whether an expression may begin here."""
    return {"LPAR", "NUMBER"} <= set(expected)


def wants_condition(expected: Iterable[str]) -> bool:
    """Whether a condition may begin here."""
    return {"LPAR", "NOT"} <= set(expected)


def wants_operator(expected: Iterable[str]) -> bool:
    """Whether a value is complete here."""
    return {"COMPARISON", "HAS"} <= set(expected)


def words_of(expected: Iterable[str], tables: Tables) -> dict[str, str]:
    """The keywords among the expected terminals, by word."""
    wanted = set(expected)
    return {word: terminal for word, terminal in tables.keywords.items() if terminal in wanted}


def listing(expected: Iterable[str], tables: Tables) -> str:
    """The expected terminals as "a, b or c"; of many alternatives only the sort is named."""
    rest = set(expected)
    parts: list[str] = []
    if wants_value(rest):
        parts.append("a condition" if wants_condition(rest) else "a value")
        rest -= _VALUE
    elif wants_operator(rest):
        parts.append("an operator")
        rest -= _OPERATOR
    words = words_of(rest, tables)
    starts = {word for word in words if word in STATEMENTS and END in rest}
    if len(starts) > _MANY:
        parts.append("a statement")
        words = {word: terminal for word, terminal in words.items() if word not in starts}
    clauses = [word for word in words if word in CLAUSES]
    if len(clauses) > _MANY:
        parts.append("a clause")
        words = {word: terminal for word, terminal in words.items() if word not in CLAUSES}
    if {"NAME", "ANY", "EVERY", "NO"} <= rest:
        parts.append("a path")
        rest -= {"NAME", "ANY", "EVERY", "NO"}
        words = words_of(rest, tables)
    parts += [_NAMES[name] for name in _NAMES if name in rest and not (name == END and len(starts) > _MANY)]
    parts += [f"`{word}`" for word in sorted(words)]
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} or {parts[-1]}"
