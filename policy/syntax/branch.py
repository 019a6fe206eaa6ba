"""Tokens to a parse tree, by the grammar's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from policy.source.records import dataclass
from policy.syntax.tables import Tables
from policy.syntax.tokens import Token, pattern_at

END = "$END"


class Branch:
    """A rule of the grammar and what it was made of, every token included."""

    __slots__ = ("children", "end", "rule", "start")

    def __init__(self, rule: str, children: list[Branch | Token]) -> None:
        self.rule = rule
        self.children = children
        self.start: int = children[0].start if children else 0
        self.end: int = children[-1].end if children else 0

    def __repr__(self) -> str:
        return f"Branch({self.rule}, {self.children!r})"

    def branches(self) -> list[Branch]:
        """The children that are branches."""
        return [child for child in self.children if type(child) is Branch]

    def tokens(self, *types: str) -> list[Token]:
        """The child tokens of these terminals."""
        return [child for child in self.children if type(child) is Token and child.type in types]

    def has(self, type_: str) -> bool:
        """Whether a child token is this terminal."""
        return any(type(child) is Token and child.type == type_ for child in self.children)


Tree = Branch | Token


@dataclass(frozen=True, slots=True)
class Failure:
    """The parse stopped at the token with this index (or behind the last one); `expected` are the terminals that
    would have been accepted."""

    index: int
    expected: frozenset[str]


def grow(tokens: Iterable[Token], text: str, tables: Tables, finished: Callable[[Branch], None]) -> Failure | None:
    """Parse tokens by the tables, and hand over each statement when it is complete.

    A keyword counts only where the parser accepts it, else the word is a name. Statements are not kept here: of a long
    file only one parse tree is alive at a time.
    """
    states, keywords = tables.states, tables.keywords
    stack, values = [0], list[Tree]()
    skip_to = index = -1
    for index, token in enumerate(tokens):
        if token.start < skip_to:
            continue
        row = states[stack[-1]]
        kind = token.kind
        taken = token
        if kind == "NAME" and (keyword := keywords.get(token.text)) in row:
            kind = keyword or kind
        elif "PATTERN" in row and (pattern := pattern_at(text, token.start)) is not None:
            kind = "PATTERN"
            skip_to = token.start + len(pattern)
            if skip_to != token.end:
                taken = Token(kind, pattern, token.start, skip_to)
        taken.type = kind
        action = row.get(kind)
        if action is None or (action < 0 and (action := _reduce(stack, values, kind, tables, finished)) is None):
            return Failure(index, expected(stack, tables))
        stack.append(action)
        values.append(taken)
    if _reduce(stack, values, END, tables, finished) is None:
        return Failure(index + 1, expected(stack, tables))
    return None


def _reduce(
    stack: list[int], values: list[Tree], kind: str, tables: Tables, finished: Callable[[Branch], None]
) -> int | None:
    """Reduce until the terminal can be shifted: the state behind it, or None where it does not fit."""
    states, productions, accept = tables.states, tables.productions, tables.accept
    while True:
        action = states[stack[-1]].get(kind)
        if action is None or action >= 0:
            return action
        origin, name, size, inlined, transparent, statement = productions[-1 - action]
        if size == 1 and transparent:
            stack.pop()
        else:
            children = values[-size:] if size else []
            if size:
                del stack[-size:]
                del values[-size:]
            if inlined:
                children = _spliced(children, inlined)
            if transparent and len(children) == 1:
                values.append(children[0])
            elif statement:
                finished(Branch(name, children))
                values.append(Branch(name, []))
            else:
                values.append(Branch(name, children))
        state = states[stack[-1]][origin]
        if state == accept and kind == END:
            return state
        stack.append(state)


def _spliced(children: list[Tree], inlined: tuple[int, ...]) -> list[Tree]:
    """The children, with those at these positions replaced by their own children."""
    first = children[0]
    if inlined == (0,) and type(first) is Branch:
        first.children.extend(children[1:])
        return first.children
    if inlined[0] == 0 and type(first) is Branch:
        # A helper of a repetition stands first and is used once: its list grows in place, or long lists cost a square.
        result = first.children
        rest = 1
    else:
        result, rest = [], 0
    for at in range(rest, len(children)):
        child = children[at]
        if at in inlined and type(child) is Branch:
            result.extend(child.children)
        else:
            result.append(child)
    return result


def expected(stack: Sequence[int], tables: Tables) -> frozenset[str]:
    """The terminals that a parser in this state can shift."""
    return frozenset(
        terminal
        for terminal in tables.states[stack[-1]]
        if (terminal.isupper() or terminal == END) and _would_shift(list(stack), terminal, tables)
    )


def _would_shift(stack: list[int], kind: str, tables: Tables) -> bool:
    while True:
        action = tables.states[stack[-1]].get(kind)
        if action is None:
            return False
        if action >= 0:
            return True
        production = tables.productions[-1 - action]
        if production.size:
            del stack[-production.size :]
        stack.append(tables.states[stack[-1]][production.origin])
        if kind == END and stack[-1] == tables.accept:
            return True
