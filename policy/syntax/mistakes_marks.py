"""Mistakes with brackets and commas. Each function knows one and returns None for the others."""

from __future__ import annotations

from policy.source.diagnostic import Diagnostic, Related
from policy.syntax.expectations import wants_operator, wants_value
from policy.syntax.stop import Stop, kind_of
from policy.syntax.tokens import pattern_at
from policy.syntax.words import CLAUSES, LEAVES, STATEMENTS

CONDITIONS = ("when", "unless", "where")


def bracket(stop: Stop) -> Diagnostic | None:
    """A bracket that is not closed, or closes nothing."""
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


def brace_missing(stop: Stop) -> Diagnostic | None:
    """A block that begins without its brace."""
    previous, token = stop.previous, stop.token
    if previous is None or "LBRACE" not in stop.expected or {"NAME", "STRING"} & stop.expected:
        return None
    if token is not None and kind_of(stop.following()) == "LBRACE":
        message = f"`{token.text}` cannot stand before the `{{`; take it out"
        return stop.error("syntax.unexpected", message, stop.span(token))
    return stop.error("syntax.missing_brace", f"`{{` is missing behind `{previous.text}`", stop.span(previous))


# --- commas -----------------------------------------------------------------------------------


def comma(stop: Stop) -> Diagnostic | None:
    """A comma where none belongs, or at the end of a list."""
    token, previous = stop.token, stop.previous
    if token is not None and token.kind == "COMMA":
        if previous is not None and previous.kind == "COMMA":
            return stop.error("syntax.comma", "a second comma follows the first; take it out", stop.span(token))
        if stop.clause in CONDITIONS or stop.statement == "define":
            if _single_pattern(stop):
                return stop.error(
                    "syntax.comma",
                    "`matches` takes one pattern",
                    stop.span(token),
                    help='name several with `scopes "…" { … }` and write `matches scopes "…"`',
                )
            help = "join conditions with `and` or `or`" if wants_operator(stop.expected) else None
        elif stop.statement == "import":
            help = "write one `import` for each file"
        else:
            help = "statements, clauses, fields and approvers stand beside each other without a comma"
        return stop.error("syntax.comma", "no comma belongs here; take it out", stop.span(token), help=help)
    if previous is not None and previous.kind == "COMMA":
        closing = token is None or token.kind in ("RBRACE", "RPAR", "RSQB")
        field = token is not None and token.kind == "NAME" and kind_of(stop.following()) == "COLON"
        clause = token is not None and token.text in CLAUSES | STATEMENTS and not wants_value(stop.expected)
        if closing or field or clause:
            what = "a field" if field else "a list"
            message = "no comma stands between fields; take it out" if field else f"a comma ends {what}; take it out"
            return stop.error("syntax.comma", message, stop.span(previous))
    return None


def pattern_missing(stop: Stop) -> Diagnostic | None:
    """`for when …`, `for a.b, when …`: the keyword was read as a pattern, and what follows it does not fit."""
    word = stop.previous
    if word is None or word.type != "PATTERN" or word.text not in CLAUSES or stop.at < 2:
        return None
    before = stop.items[stop.at - 2]
    if before.kind == "COMMA":
        return stop.error("syntax.comma", "a comma ends a list; take it out", stop.span(before))
    message = f"a scope pattern is missing behind `{before.text}`, before `{word.text}`"
    return stop.error("syntax.missing_value", message, stop.span(before))


def _single_pattern(stop: Stop) -> bool:
    at = stop.at - 1
    while at > 0 and stop.items[at].kind in ("NAME", "DOT", "STAR", "STRING", "NUMBER", "MINUS"):
        if stop.items[at].text == "matches":
            return True
        at -= 1
    return False


def comma_missing(stop: Stop) -> Diagnostic | None:
    """Two items of a list side by side."""
    token, previous = stop.token, stop.previous
    if token is None or previous is None or "COMMA" not in stop.expected:
        return None
    both_texts = previous.kind == token.kind == "STRING"
    pattern = (
        token.kind in ("NAME", "STAR") and kind_of(stop.following()) == "DOT" and not wants_operator(stop.expected)
    )
    item = stop.expected <= {"COMMA", "RSQB", "RPAR"} and token.kind in ("STRING", "NUMBER", "QUANTITY", "TIME")
    if both_texts or pattern or item:
        shown = pattern_at(stop.source.text, token.start) if pattern else token.text
        return stop.error("syntax.missing_comma", f"a comma is missing before `{shown}`", stop.span(token))
    return None


def needs_braces(stop: Stop) -> Diagnostic | None:
    """`need role "a" role "b"`: several approvers without saying how they count."""
    token = stop.token
    if token is None or token.text not in LEAVES or stop.clause != "need" or "LBRACE" in stop.expected:
        return None
    return stop.error(
        "syntax.missing_brace",
        f"a second approver, `{token.text}`, stands here without braces around the two",
        stop.span(token),
        help="write `any of { … }`, `all of { … }` or `2 approvals from { … }`",
    )
