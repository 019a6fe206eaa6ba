"""The trace of a condition as text: each part, its value, and why it has none."""

from __future__ import annotations

from collections.abc import Iterable

from policy.backend.trace import TraceNode
from policy.render.escape import printable
from policy.render.style import PLAIN, Role, Style
from policy.types.display import show_value
from policy.types.values import MISSING, Duration, Unevaluable

_SHOWN = 100
_MAX_LINES = 400


def render_trace(trees: Iterable[TraceNode], style: Style = PLAIN, indent: str = "") -> list[str]:
    """One line for each part, those below it further in; literals are left out; at most 400 lines."""
    lines: list[str] = []
    for tree in trees:
        for depth, node in tree.walk():
            if depth and is_literal(node):
                continue
            if len(lines) == _MAX_LINES:
                return [*lines, f"{indent}... the rest of the trace is left out"]
            lines.append(f"{indent}{'  ' * depth}{_node(node, style)}")
    return lines


def is_literal(node: TraceNode) -> bool:
    """Whether a part is its own value, so that a line about it would tell nothing."""
    return not node.children and isinstance(node.value, str | Duration | int) and node.text == show_value(node.value)


def _node(node: TraceNode, style: Style) -> str:
    text = printable(_short(node.text))
    notes = []
    if node.item is not None:
        notes.append(f"item {show_value(node.item, _SHOWN)}")
    if node.repeated:
        notes.append("shown above")
    if node.omitted:
        notes.append(f"{node.omitted} more items")
    more = style.paint("dim", f"  ({', '.join(notes)})") if notes else ""
    return f"{value_text(node.value, style)}  {text}{more}"


def value_text(value: object, style: Style) -> str:
    """A value as the language would write it, or why there is none."""
    role: Role = "dim"
    if isinstance(value, Unevaluable):
        return style.paint("warning", "unevaluable") + f" (`{printable(value.path)}` {printable(value.problem)})"
    if value is MISSING:
        return style.paint("warning", "missing")
    if isinstance(value, bool):
        role = "allow" if value else "deny"
    return style.paint(role, printable(show_value(value, _SHOWN)))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
