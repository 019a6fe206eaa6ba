"""Mistakes with words. Each function knows one and returns None for the others."""

from __future__ import annotations

import re

from policy.source.diagnostic import Diagnostic
from policy.source.suggest import closest
from policy.source.text import Span
from policy.syntax.expectations import wants_operator, wants_value, words_of
from policy.syntax.homes import home_of, with_article
from policy.syntax.stop import Stop, kind_of
from policy.syntax.tokens import pattern_at
from policy.syntax.words import CLAUSES, DIFFERING, LEAVES, OPERATORS, STATEMENTS

_FOREIGN = {
    "is": "write `==`, `exists` or `missing`",
    "equals": "write `==`",
    "like": "write `contains`, `starts with` or `ends with`",
    "below": "write `<`",
    "under": "write `<`",
    "above": "write `>`",
    "over": "write `>`",
    "exceeds": "write `>`",
    "least": "write `>=`",
    "most": "write `<=`",
    "includes": "write `has` of a list, `contains` of a text",
    "between": "write two comparisons with `and`",
}
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")


def glued(stop: Stop) -> Diagnostic | None:
    """`whenx`, `andb`: a keyword and the next word in one."""
    token = stop.token
    if token is None or token.kind != "NAME":
        return None
    wanted = words_of(stop.expected, stop.tables)
    begun = [word for word in wanted if len(word) > 2 and token.text.startswith(word) and len(token.text) > len(word)]
    if not begun or closest(token.text, wanted) is not None:
        return None
    word = max(begun, key=len)
    return stop.error(
        "syntax.unknown_word",
        f"`{token.text}` is one word",
        stop.span(token),
        help=f"write `{word} {token.text[len(word) :]}`",
    )


def foreign(stop: Stop) -> Diagnostic | None:
    """A word that is an operator elsewhere."""
    token, previous = stop.token, stop.previous
    if token is None or previous is None:
        return None
    if stop.expected == {"IN"} and token.text in ("exists", "missing"):
        opposite = "missing" if token.text == "exists" else "exists"
        message = f"`not {token.text}` is no operator"
        both = stop.span(previous).to(stop.span(token))
        return stop.error("syntax.operator", message, both, help=f"write `{opposite}`")
    if not wants_operator(stop.expected) or token.text not in _FOREIGN:
        return None
    return stop.error("syntax.operator", f"`{token.text}` is no operator", stop.span(token), help=_FOREIGN[token.text])


def read_as_name(stop: Stop) -> Diagnostic | None:
    """`and x`, `role where …`: a keyword where a value belongs was read as a name, and what follows does not fit."""
    word = stop.previous
    if word is None or stop.at < 2:
        return None
    before, token = stop.items[stop.at - 2], stop.token
    if token is not None and token.text == "of" and word.text in ("any", "all"):
        message = f"`{word.text} of` cannot stand here; `any of` stands behind `has` and `contains` and the like"
        help = "write `in [..]`" if before.text == "in" else None
        return stop.error("syntax.operator", message, stop.span(word).to(stop.span(token)), help=help)
    if word.type != "NAME":
        return None
    if word.text == "not" and wants_operator(stop.expected):
        message = "`not` stands before a condition, and a value belongs here"
        return stop.error("syntax.operator", message, stop.span(word))
    if word.text in OPERATORS and wants_operator(stop.expected):
        return stop.error("syntax.missing_value", f"a value is missing before `{word.text}`", stop.span(word))
    if before.text in LEAVES and word.text in ("where", "max", "covering"):
        message = f"a quoted text or a path is missing behind `{before.text}`, before `{word.text}`"
        return stop.error("syntax.missing_value", message, stop.span(before))
    return None


def misspelt(stop: Stop) -> Diagnostic | None:
    """A word like one that could stand there."""
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
    shown = (pattern_at(stop.source.text, token.start) or token.text).rstrip(":.")
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
        f"`{home.title}` has no place in {with_article(stop.statement)}{few}",
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
