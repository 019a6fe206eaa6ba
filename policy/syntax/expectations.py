"""What the parser would have accepted, in words for people."""

from __future__ import annotations

from collections.abc import Iterable

from policy.syntax.branch import END
from policy.syntax.tables import Tables
from policy.syntax.words import CLAUSES, LEAVES, OPERATORS, STATEMENTS

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
_HEADS = frozenset(("NAME", "ANY", "EVERY", "NO"))
_SORTS = (
    (frozenset(("LPAR", "NUMBER")), _VALUE, "a value"),
    (frozenset(("LIST", "MAP", "ONE")), frozenset(("NAME", "LIST", "MAP", "ONE", "LBRACE")), "a type"),
    (
        frozenset(("PRINCIPAL", "ROLE", "ALL")),
        frozenset(("NUMBER", "ALL", "ANY")) | frozenset(word.upper() for word in LEAVES),
        'an approver such as `role "…"`',
    ),
    (_HEADS, _HEADS, "a path"),
)
"""Terminals that tell a sort of thing, those that belong to it, and what people call it."""
_STEPS = frozenset(("DOT", "LSQB"))
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
    if wants_operator(rest):
        parts.append("an operator")
        rest -= _OPERATOR
    for terminals, whole, phrase in _SORTS:
        if terminals <= rest:
            parts.append("a condition" if phrase == "a value" and "NOT" in rest else phrase)
            rest -= whole
    if rest - _STEPS:
        rest -= _STEPS
    words = set(words_of(rest, tables))
    for sort, phrase in ((STATEMENTS if END in rest else frozenset(), "a statement"), (CLAUSES, "a clause")):
        if len(words & sort) > _MANY:
            parts.append(phrase)
            words -= sort
    parts += [shown for name, shown in _NAMES.items() if name in rest]
    parts += [f"`{word}`" for word in sorted(words)]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"
