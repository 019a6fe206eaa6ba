"""Mistakes with words. Each function knows one and returns None for the others."""

from __future__ import annotations

import re

from policy.source.diagnostic import Diagnostic
from policy.source.suggest import closest
from policy.source.text import Span
from policy.syntax.expectations import wants_operator, wants_value, words_of
from policy.syntax.homes import home_of
from policy.syntax.stop import Stop, kind_of
from policy.syntax.tokens import pattern_at
from policy.syntax.words import CLAUSES, DIFFERING, STATEMENTS

_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")


def glued(stop: Stop) -> Diagnostic | None:
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


def misspelt(stop: Stop) -> Diagnostic | None:
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


def unquoted(stop: Stop) -> Diagnostic | None:
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
        if token.text in CLAUSES | STATEMENTS and kind_of(stop.following()) not in ("LBRACE", "COMMA", "RBRACE", None):
            return None
    span = Span(stop.source, token.start, token.start + len(shown))
    return stop.error(
        "syntax.unquoted", f"`{shown}` is a word you invent, and those are quoted", span, help=f'write `"{shown}"`'
    )


def quoted(stop: Stop) -> Diagnostic | None:
    """A text where a bare word belongs."""
    token = stop.token
    if token is None or token.kind != "STRING" or "STRING" in stop.expected:
        return None
    inner = token.text[1:-1]
    wanted = words_of(stop.expected, stop.tables)
    if "PATTERN" in stop.expected:
        return stop.error(
            "syntax.quoted",
            f"`{token.text}` is quoted, and a scope pattern is bare",
            stop.span(token),
            help=f"write `{inner}`, or `capability {token.text}` for the id of a capability",
        )
    path = "NAME" in stop.expected and _PATH.fullmatch(inner) is not None
    if inner in wanted or path:
        return stop.error(
            "syntax.quoted",
            f"`{token.text}` is quoted, and a {'path' if '.' in inner else 'name or word'} is bare here",
            stop.span(token),
            help=f"write `{inner}`",
        )
    return None


def misplaced(stop: Stop) -> Diagnostic | None:
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
    few = f"; it belongs to {owners}" if len(home.statements) <= 3 else ""
    on_approver = stop.statement == "approval" and token.text == "when"
    return stop.error(
        "syntax.misplaced_clause",
        f"`{home.title}` has no place in a `{stop.statement}`{few}",
        stop.span(token),
        help="a condition on the approver is `where …`" if on_approver else None,
    )


def differing(stop: Stop) -> Diagnostic | None:
    """`delegators differs from …`: only four can differ."""
    token, following = stop.token, stop.following()
    if token is None or following is None or following.text != "differs" or "DIFFERENT" not in stop.expected:
        return None
    known = ", ".join(f"`{word}`" for word in DIFFERING)
    return stop.error(
        "syntax.unknown_word", f"`{token.text}` cannot differ from a party; {known} can", stop.span(token)
    )
