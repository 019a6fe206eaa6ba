"""Mistakes with values, operators and the heads of statements. Each function knows one."""

from __future__ import annotations

from policy.source.diagnostic import Diagnostic
from policy.source.suggest import closest
from policy.syntax.expectations import wants_condition, wants_operator, wants_value, words_of
from policy.syntax.outline import starts_line
from policy.syntax.stop import Stop
from policy.syntax.words import STATEMENTS

_BEFORE_CONDITIONS = frozenset(("when", "unless", "where", "and", "or", "not", "satisfies"))


def value_missing(stop: Stop) -> Diagnostic | None:
    """A keyword, a bracket or the end where a value belongs."""
    token, previous = stop.token, stop.previous
    if not wants_value(stop.expected) or previous is None:
        return None
    if token is not None and token.kind == "EQUAL" and previous.kind == "COMPARISON":
        written = f"`{previous.text}=`"
        span = stop.span(previous).to(stop.span(token))
        return stop.error("syntax.operator", f"{written} is no operator", span, help=f"write `{previous.text}`")
    what = "a condition" if wants_condition(stop.expected) and previous.text in _BEFORE_CONDITIONS else "a value"
    if token is None or token.kind in ("RBRACE", "RPAR", "RSQB", "NAME"):
        found = "" if token is None else f", before `{token.text}`"
        message = f"{what} is missing behind `{previous.text}`{found}"
        return stop.error("syntax.missing_value", message, stop.span(previous))
    if token.kind == "COMPARISON":
        return stop.error("syntax.missing_value", f"{what} is missing before `{token.text}`", stop.span(token))
    return None


def operator(stop: Stop) -> Diagnostic | None:
    """`=` for `==`, or two values side by side."""
    token, previous = stop.token, stop.previous
    if token is None or previous is None or not wants_operator(stop.expected):
        return None
    if token.kind == "EQUAL":
        message = "`=` gives a name to something; `==` compares"
        return stop.error("syntax.operator", message, stop.span(token), help="write `==`")
    if token.kind in ("NAME", "STRING", "NUMBER", "QUANTITY", "TIME", "LPAR"):
        return stop.error(
            "syntax.operator",
            f"an operator is missing between `{previous.text}` and `{token.text}`",
            stop.span(token),
            help="join conditions with `and` or `or`",
        )
    return None


def quantity(stop: Stop) -> Diagnostic | None:
    """A duration without a unit, a number that is not in digits."""
    token = stop.token
    if token is None:
        return None
    if "QUANTITY" in stop.expected and "NUMBER" not in stop.expected and token.kind == "NUMBER":
        written = token.text
        return stop.error(
            "syntax.duration",
            f"`{written}` has no unit",
            stop.span(token),
            help=f"write `{written}m`, `{written}h` or `{written}d`",
        )
    if stop.expected == {"NUMBER"} and token.kind in ("NAME", "STRING", "QUANTITY"):
        message = f"a number belongs here, not `{token.text}`; write it in digits"
        return stop.error("syntax.number", message, stop.span(token))
    return None


def head(stop: Stop) -> Diagnostic | None:
    """A statement without its id, or a word that begins no statement."""
    token, previous = stop.token, stop.previous
    begins = not wants_operator(stop.expected) or starts_line(stop.items, stop.at, stop.source.text)
    if token is not None and begins and stop.expected >= {"POLICY", "DEFINE", "ROUTE"} and token.kind == "NAME":
        wanted = words_of(stop.expected, stop.tables)
        near = closest(token.text, wanted)
        return stop.error(
            "syntax.unknown_statement",
            f"`{token.text}` begins no statement",
            stop.span(token),
            help=None if near is None else f"did you mean `{near}`?",
        )
    heads = previous is not None and previous.text in STATEMENTS and stop.place.statement == stop.at - 1
    if previous is not None and heads and stop.expected == {"STRING"} and (token is None or token.kind == "LBRACE"):
        message = f"this `{previous.text}` has no id"
        return stop.error("syntax.missing_id", message, stop.span(previous), help=f'write `{previous.text} "…"`')
    return None
