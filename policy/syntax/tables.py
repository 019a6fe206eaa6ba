"""The parse tables of the grammar: built by Lark, kept in `tables.json`, so that no start waits for the building.

The file carries the digest of the grammar it was built from. Where the digest differs, the tables are built anew; the
command `python -m policy.syntax.tables` writes the file, and a test holds it equal to the grammar.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from policy.source.records import dataclass

_TABLES = "tables.json"

STATEMENTS = frozenset(
    {"policy", "import", "context", "directory", "scopes", "define", "route", "approval"}
    | {"deny", "require", "raise", "risk", "separation", "obligation"}
)
"""The rules of the grammar that are statements."""


class Production(NamedTuple):
    """One production: `size` symbols become `name`; `inlined` are the positions whose children take their place,
    `transparent` means that a single child stands for itself, `statement` that a file is a row of these."""

    origin: str
    name: str
    size: int
    inlined: tuple[int, ...]
    transparent: bool
    statement: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """LALR(1) tables. An action is the next state, or `-1 - p` to reduce by production `p`; state 0 is the start,
    `accept` the state in which the end of the text is accepted."""

    productions: tuple[Production, ...]
    states: tuple[dict[str, int], ...]
    accept: int
    keywords: Mapping[str, str]
    """A word to the terminal that it is where the parser accepts that."""


@cache
def tables() -> Tables:
    """The tables of the grammar that is installed."""
    text = grammar_text()
    stored = json.loads((files("policy.syntax") / _TABLES).read_text(encoding="utf-8"))
    if stored["grammar"] != _digest(text):
        stored = build(text)
    return _load(stored)


def grammar_text() -> str:
    """The grammar: from the package where it was installed, else from the folder beside it (a checkout)."""
    return _grammar_file().read_text(encoding="utf-8")


def _grammar_file() -> Traversable:
    packaged = files("policy") / "grammar" / "policy.lark"
    return packaged if packaged.is_file() else Path(__file__).parents[2] / "grammar" / "policy.lark"


def build(text: str, *, strict: bool = False) -> dict[str, Any]:
    """Build the tables of a grammar's text with Lark, in a form that does not depend on the order of its sets.

    Raises lark.exceptions.GrammarError or LexError for a grammar that is not LALR(1).
    """
    from lark import Lark
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(text, parser="lalr", lexer="contextual", strict=strict, keep_all_tokens=True, maybe_placeholders=False)
    table = lark.parse_interactive().parser_state.parse_conf.parse_table
    start = table.start_states["start"]
    numbers, order, productions = {start: 0}, [start], dict[object, int]()
    rules: list[list[object]] = []
    rows: list[dict[str, int]] = []
    for state in order:
        row: dict[str, int] = {}
        for symbol, (action, argument) in sorted(table.states[state].items()):
            if action is Shift:
                if argument not in numbers:
                    numbers[argument] = len(order)
                    order.append(argument)
                row[symbol] = numbers[argument]
                continue
            if argument not in productions:
                productions[argument] = len(rules)
                inlined = [at for at, part in enumerate(argument.expansion) if part.name.startswith("_")]
                transparent = bool(argument.options.expand1 and not argument.alias)
                name = argument.alias or argument.origin.name
                rules.append([argument.origin.name, name, len(argument.expansion), inlined, transparent])
            row[symbol] = -1 - productions[argument]
        rows.append(row)
    words = sorted(
        t.pattern.value for t in lark.terminals if t.pattern.type == "str" and t.pattern.value.isidentifier()
    )
    names = {t.pattern.value: t.name for t in lark.terminals if t.pattern.type == "str"}
    return {
        "grammar": _digest(text),
        "accept": numbers[table.end_states["start"]],
        "keywords": {word: names[word] for word in words},
        "productions": rules,
        "states": [_grouped(row) for row in rows],
    }


def _grouped(row: Mapping[str, int]) -> dict[str, str]:
    """Symbols by action: most rows reduce by one production for many symbols."""
    groups: dict[int, list[str]] = {}
    for symbol, action in row.items():
        groups.setdefault(action, []).append(symbol)
    return {str(action): " ".join(symbols) for action, symbols in groups.items()}


def _load(stored: Mapping[str, Any]) -> Tables:
    return Tables(
        productions=tuple(
            Production(origin, name, size, tuple(inlined), transparent, name in STATEMENTS)
            for origin, name, size, inlined, transparent in stored["productions"]
        ),
        states=tuple(
            {symbol: int(action) for action, symbols in row.items() for symbol in symbols.split()}
            for row in stored["states"]
        ),
        accept=int(stored["accept"]),
        keywords=dict(stored["keywords"]),
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _lines(stored: Mapping[str, object]) -> Iterator[str]:
    """JSON with one production and one state a line, so that a change of the grammar is a readable change here."""
    members = []
    for name, value in stored.items():
        if isinstance(value, list):
            body = ",\n".join(json.dumps(item, separators=(",", ":")) for item in value)
            members.append(f"{json.dumps(name)}: [\n{body}\n]")
        else:
            members.append(f"{json.dumps(name)}: {json.dumps(value)}")
    yield "{\n" + ",\n".join(members) + "\n}\n"


def render(stored: Mapping[str, object]) -> str:
    """The text of `tables.json`."""
    return "".join(_lines(stored))


if __name__ == "__main__":
    (Path(__file__).parent / _TABLES).write_text(render(build(grammar_text(), strict=True)), encoding="utf-8")
