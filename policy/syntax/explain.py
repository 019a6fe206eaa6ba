"""A parse that stopped, explained: one diagnostic that says what is wrong there and what to write.

Each explanation is a function that knows one kind of mistake and returns None for the others; the first that knows
the mistake speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.suggest import closest
from policy.source.text import Source, Span
from policy.syntax.expectations import listing, wants_condition, wants_operator, wants_value, words_of
from policy.syntax.homes import home_of
from policy.syntax.outline import Brackets, Place, brackets, place_of
from policy.syntax.tables import Tables
from policy.syntax.tokens import Token, pattern_at
from policy.syntax.words import CLAUSES, STATEMENTS

_CONDITIONS = ("when", "unless", "where")


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a parse stopped: at `items[at]`, or behind the last token, where `expected` could have stood."""

    source: Source
    items: Sequence[Token]
    at: int
    expected: frozenset[str]
    tables: Tables
    place: Place
    brackets: Brackets

    @property
    def token(self) -> Token | None:
        """The token that does not fit; None behind the last one."""
        return self.items[self.at] if self.at < len(self.items) else None

    @property
    def previous(self) -> Token | None:
        """The token before it."""
        return self.items[self.at - 1] if self.at else None

    @property
    def statement(self) -> str:
        """The keyword of the statement."""
        token = self.items[self.place.statement]
        return "every route" if token.text == "every" else token.text

    @property
    def clause(self) -> str | None:
        """The keyword of the clause."""
        return None if self.place.clause is None else self.items[self.place.clause].text

    def following(self, count: int = 1) -> Token | None:
        """A token behind the one that does not fit."""
        at = self.at + count
        return self.items[at] if at < len(self.items) else None

    def span(self, token: Token) -> Span:
        """The place of a token."""
        return Span(self.source, token.start, token.end)

    def behind(self) -> Span:
        """The end of what was read: one character wide, so that a caret shows it."""
        if self.previous is None:
            return Span(self.source, 0, 0)
        return self.span(self.previous)

    def error(
        self, code: str, message: str, span: Span, *, help: str | None = None, related: tuple[Related, ...] = ()
    ) -> Diagnostic:
        """The diagnostic of this mistake."""
        return Diagnostic(code=code, severity=Severity.ERROR, message=message, span=span, help=help, related=related)


def explain(source: Source, items: Sequence[Token], at: int, expected: frozenset[str], tables: Tables) -> Diagnostic:
    """The diagnostic of a parse that stopped at this token."""
    place = place_of(items, at, source.text)
    stop = Stop(source, items, at, expected, tables, place, brackets(items))
    for known in _KNOWN:
        found = known(stop)
        if found is not None:
            return found
    return _anything(stop)


# --- brackets ---------------------------------------------------------------------------------


def _bracket(stop: Stop) -> Diagnostic | None:
    token = stop.token
    found = stop.brackets
    if found.mismatched is not None and stop.at >= found.mismatched[1]:
        opened, closed = (stop.items[index] for index in found.mismatched)
        return stop.error(
            "syntax.unclosed",
            f"`{opened.text}` is not closed before this `{closed.text}`",
            stop.span(opened),
            related=(Related(message=f"the `{closed.text}`", span=stop.span(closed)),),
        )
    if found.stray is not None and stop.at == found.stray and token is not None:
        return stop.error("syntax.unmatched", f"`{token.text}` closes nothing; take it out", stop.span(token))
    if token is None and found.open_at:
        opened = stop.items[found.open_at[0]]
        return stop.error(
            "syntax.unclosed", f"`{opened.text}` of this `{stop.statement}` is never closed", stop.span(opened)
        )
    return None


def _brace_missing(stop: Stop) -> Diagnostic | None:
    if "LBRACE" not in stop.expected or wants_value(stop.expected) or "STRING" in stop.expected:
        return None
    previous = stop.previous
    if previous is None:
        return None
    return stop.error("syntax.missing_brace", f"`{{` is missing behind `{previous.text}`", stop.span(previous))


# --- commas -----------------------------------------------------------------------------------


def _comma(stop: Stop) -> Diagnostic | None:
    token, previous = stop.token, stop.previous
    if token is not None and token.kind == "COMMA":
        if previous is not None and previous.kind == "COMMA":
            return stop.error("syntax.comma", "a second comma follows the first; take it out", stop.span(token))
        if stop.clause in _CONDITIONS or stop.statement == "define":
            if _single_pattern(stop):
                return stop.error(
                    "syntax.comma",
                    "`matches` takes one pattern",
                    stop.span(token),
                    help='name several with `scopes "…" { … }` and write `matches scopes "…"`',
                )
            help = "join conditions with `and` or `or`"
        else:
            help = "clauses, fields and approvers stand beside each other without a comma"
        return stop.error("syntax.comma", "no comma belongs here; take it out", stop.span(token), help=help)
    if previous is not None and previous.kind == "COMMA":
        closing = token is None or token.kind in ("RBRACE", "RPAR", "RSQB")
        field = token is not None and token.kind == "NAME" and _kind_of(stop.following()) == "COLON"
        clause = token is not None and token.text in CLAUSES | STATEMENTS and not wants_value(stop.expected)
        if closing or field or clause:
            what = "a field" if field else "a list"
            message = "no comma stands between fields; take it out" if field else f"a comma ends {what}; take it out"
            return stop.error("syntax.comma", message, stop.span(previous))
    return None


def _single_pattern(stop: Stop) -> bool:
    at = stop.at - 1
    while at > 0 and stop.items[at].kind in ("NAME", "DOT", "STAR", "STRING", "NUMBER", "MINUS"):
        if stop.items[at].text == "matches":
            return True
        at -= 1
    return False


def _comma_missing(stop: Stop) -> Diagnostic | None:
    token, previous = stop.token, stop.previous
    if token is None or previous is None or "COMMA" not in stop.expected:
        return None
    both_texts = previous.kind == token.kind == "STRING"
    pattern = (
        token.kind in ("NAME", "STAR") and _kind_of(stop.following()) == "DOT" and not wants_operator(stop.expected)
    )
    item = stop.expected <= {"COMMA", "RSQB", "RPAR"} and token.kind in ("STRING", "NUMBER", "QUANTITY", "TIME")
    if both_texts or pattern or item:
        shown = pattern_at(stop.source.text, token.start) if pattern else token.text
        return stop.error("syntax.missing_comma", f"a comma is missing before `{shown}`", stop.span(token))
    return None


def _kind_of(token: Token | None) -> str | None:
    return None if token is None else token.kind


# --- words ------------------------------------------------------------------------------------


def _glued(stop: Stop) -> Diagnostic | None:
    """`whenx`, `andb`: a keyword and the next word in one."""
    token = stop.token
    if token is None or token.kind != "NAME":
        return None
    wanted = words_of(stop.expected, stop.tables)
    begun = [word for word in wanted if len(word) > 1 and token.text.startswith(word) and len(token.text) > len(word)]
    if not begun or closest(token.text, wanted) is not None:
        return None
    word = max(begun, key=len)
    return stop.error(
        "syntax.unknown_word",
        f"`{token.text}` is one word",
        stop.span(token),
        help=f"write `{word} {token.text[len(word) :]}`",
    )


def _misspelt(stop: Stop) -> Diagnostic | None:
    token = stop.token
    if token is None or token.kind != "NAME" or token.text in stop.tables.keywords:
        return None
    wanted = words_of(stop.expected, stop.tables)
    near = closest(token.text, wanted)
    if near is None or ("NAME" in stop.expected and not wants_operator(stop.expected)):
        return None
    return stop.error(
        "syntax.unknown_word", f"`{token.text}` is unknown here", stop.span(token), help=f"did you mean `{near}`?"
    )


def _unquoted(stop: Stop) -> Diagnostic | None:
    """A bare word where a text belongs."""
    token = stop.token
    if token is None or "STRING" not in stop.expected or "NAME" in stop.expected:
        return None
    if token.kind not in ("NAME", "NUMBER", "QUANTITY", "STAR"):
        return None
    shown = pattern_at(stop.source.text, token.start) or token.text
    if token.kind == "NAME" and shown == token.text:
        near = closest(token.text, words_of(stop.expected, stop.tables))
        if near is not None:
            return stop.error(
                "syntax.unknown_word",
                f"`{token.text}` is unknown here",
                stop.span(token),
                help=f"did you mean `{near}`?",
            )
        if token.text in CLAUSES | STATEMENTS and not (
            _kind_of(stop.following()) in ("LBRACE", "COMMA", "RBRACE", None)
        ):
            return None
    span = Span(stop.source, token.start, token.start + len(shown))
    return stop.error(
        "syntax.unquoted", f"`{shown}` is a word you invent, and those are quoted", span, help=f'write `"{shown}"`'
    )


def _quoted(stop: Stop) -> Diagnostic | None:
    """A text where a bare word belongs."""
    token = stop.token
    if token is None or token.kind != "STRING" or "STRING" in stop.expected:
        return None
    inner = token.text[1:-1]
    wanted = words_of(stop.expected, stop.tables)
    if "PATTERN" in stop.expected:
        return stop.error(
            "syntax.quoted",
            f"{token.text} is quoted, and a scope pattern is bare",
            stop.span(token),
            help=f"write `{inner}`, or `capability {token.text}` for the id of a capability",
        )
    if inner in wanted or ("NAME" in stop.expected and inner.isidentifier()):
        return stop.error(
            "syntax.quoted",
            f"{token.text} is quoted, and a word that the language knows is bare",
            stop.span(token),
            help=f"write `{inner}`",
        )
    return None


def _misplaced(stop: Stop) -> Diagnostic | None:
    """A clause of another statement."""
    token = stop.token
    if token is None or token.kind != "NAME" or wants_value(stop.expected):
        return None
    if "RBRACE" not in stop.expected and stop.place.clause is None:
        return None
    following = stop.following()
    home = home_of(token.text, None if following is None else following.text)
    if home is None or stop.statement in home.statements or not stop.expected & {"RBRACE"}:
        return None
    owners = " or ".join(f"`{name}`" for name in home.statements)
    return stop.error(
        "syntax.misplaced_clause",
        f"`{home.title}` belongs to {owners}, not to `{stop.statement}`",
        stop.span(token),
    )


# --- values -----------------------------------------------------------------------------------


def _value_missing(stop: Stop) -> Diagnostic | None:
    """A keyword, a bracket or the end where a value belongs."""
    token, previous = stop.token, stop.previous
    if not wants_value(stop.expected) or previous is None:
        return None
    what = "a condition" if wants_condition(stop.expected) else "a value"
    if token is None or token.kind in ("RBRACE", "RPAR", "RSQB", "NAME"):
        found = "" if token is None else f", before `{token.text}`"
        return stop.error(
            "syntax.missing_value", f"{what} is missing behind `{previous.text}`{found}", stop.span(previous)
        )
    if token.kind == "COMPARISON" or (token.kind == "NAME" and token.text in ("and", "or")):
        return stop.error("syntax.missing_value", f"{what} is missing before `{token.text}`", stop.span(token))
    return None


def _operator(stop: Stop) -> Diagnostic | None:
    """`=` for `==`, or two values side by side."""
    token, previous = stop.token, stop.previous
    if token is None or previous is None or not wants_operator(stop.expected):
        return None
    if token.kind == "EQUAL":
        return stop.error(
            "syntax.operator", "`=` gives a name to something; `==` compares", stop.span(token), help="write `==`"
        )
    if token.kind == "NAME" and token.text == "is":
        return stop.error(
            "syntax.operator", "`is` is no operator", stop.span(token), help="write `==`, `exists` or `missing`"
        )
    if token.kind in ("NAME", "STRING", "NUMBER", "QUANTITY", "TIME", "LPAR"):
        return stop.error(
            "syntax.operator",
            f"an operator is missing between `{previous.text}` and `{token.text}`",
            stop.span(token),
            help="join conditions with `and` or `or`",
        )
    return None


def _quantity(stop: Stop) -> Diagnostic | None:
    token = stop.token
    if token is None:
        return None
    if "QUANTITY" in stop.expected and "NUMBER" not in stop.expected and token.kind == "NUMBER":
        return stop.error(
            "syntax.duration",
            f"`{token.text}` has no unit",
            stop.span(token),
            help=f"write `{token.text}m`, `{token.text}h` or `{token.text}d`",
        )
    if "NUMBER" in stop.expected and not wants_value(stop.expected) and token.kind in ("NAME", "STRING", "QUANTITY"):
        if token.kind == "NAME" and (token.text in words_of(stop.expected, stop.tables) or "NAME" in stop.expected):
            return None
        if stop.expected <= {"NUMBER"}:
            return stop.error(
                "syntax.number", f"a number belongs here, not `{token.text}`; write it in digits", stop.span(token)
            )
    return None


def _head(stop: Stop) -> Diagnostic | None:
    """A statement without its id, or a word that begins no statement."""
    token, previous = stop.token, stop.previous
    if token is not None and stop.expected >= {"POLICY", "DEFINE", "ROUTE"} and token.kind == "NAME":
        wanted = words_of(stop.expected, stop.tables)
        near = closest(token.text, wanted)
        return stop.error(
            "syntax.unknown_statement",
            f"`{token.text}` begins no statement",
            stop.span(token),
            help=None if near is None else f"did you mean `{near}`?",
        )
    if previous is not None and previous.text in STATEMENTS and stop.expected == {"STRING"}:
        if stop.place.statement == stop.at - 1 and (token is None or token.kind == "LBRACE"):
            return stop.error(
                "syntax.missing_id",
                f"this `{previous.text}` has no id",
                stop.span(previous),
                help=f'write `{previous.text} "…"`',
            )
    return None


def _anything(stop: Stop) -> Diagnostic:
    wanted = listing(stop.expected, stop.tables)
    token = stop.token
    if token is None:
        return stop.error("syntax.unexpected", f"the text ends where {wanted} is expected", stop.behind())
    return stop.error("syntax.unexpected", f"`{token.text}` cannot stand here; {wanted} is expected", stop.span(token))


_KNOWN: tuple[Callable[[Stop], Diagnostic | None], ...] = (
    _comma,
    _bracket,
    _head,
    _unquoted,
    _quoted,
    _comma_missing,
    _brace_missing,
    _needs_braces,
    _misplaced,
    _misspelt,
    _glued,
    _value_missing,
    _quantity,
    _operator,
)
