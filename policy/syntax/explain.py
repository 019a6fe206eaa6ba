"""A parse that stopped, explained: one diagnostic that says what is wrong there and what to write.

Each explanation is a function that knows one kind of mistake and returns None for the others; the first that knows
the mistake speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from policy.source.diagnostic import Diagnostic
from policy.source.text import Source
from policy.syntax import mistakes_marks as marks
from policy.syntax import mistakes_values as values
from policy.syntax import mistakes_words as words
from policy.syntax.expectations import listing
from policy.syntax.outline import brackets, place_of
from policy.syntax.stop import Stop
from policy.syntax.tables import Tables
from policy.syntax.tokens import Token

_KNOWN: tuple[Callable[[Stop], Diagnostic | None], ...] = (
    marks.pattern_missing,
    marks.comma,
    marks.bracket,
    values.head,
    words.unquoted,
    words.quoted,
    marks.comma_missing,
    marks.needs_braces,
    words.differing,
    words.misplaced,
    words.foreign,
    words.read_as_name,
    words.misspelt,
    words.glued,
    marks.brace_missing,
    values.value_missing,
    values.quantity,
    values.operator,
)


def explain(source: Source, items: Sequence[Token], at: int, expected: frozenset[str], tables: Tables) -> Diagnostic:
    """The diagnostic of a parse that stopped at the token with this index."""
    stop = Stop(source, items, at, expected, tables, place_of(items, at, source.text), brackets(items))
    for known in _KNOWN:
        found = known(stop)
        if found is not None:
            return found
    wanted = listing(expected, tables)
    if stop.token is None:
        return stop.error("syntax.unexpected", f"the text ends where {wanted} is expected", stop.behind())
    return stop.error(
        "syntax.unexpected", f"`{stop.token.text}` cannot stand here; {wanted} is expected", stop.span(stop.token)
    )
