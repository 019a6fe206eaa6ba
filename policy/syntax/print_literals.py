"""Values to text, so that reading the text gives the same values."""

from __future__ import annotations

from policy.syntax import tree
from policy.syntax.characters import refusal, refusal_in_text
from policy.syntax.literals import duration_value, number_value

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1))


def quoted(value: str) -> str:
    """A string as it is written: double quotes, JSON escapes where they are needed."""
    if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return f'"{"".join(_escaped(character) for character in value)}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if refusal_in_text(character) is not None and refusal(character) is None:
        return f"\\u{ord(character):04x}"
    return character


def number(node: tree.Number) -> str:
    """The number as it was written, or anew where that is not its value."""
    if number_value(node.text) == node.value:
        return node.text
    return repr(node.value)


def duration(node: tree.Duration) -> str:
    """The duration as it was written, or anew where that is not its value."""
    milliseconds = node.nanoseconds // 1_000_000
    if duration_value(node.text) == milliseconds:
        return node.text
    parts = []
    for unit, size in _UNITS:
        count, milliseconds = divmod(milliseconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def time_of_day(node: tree.TimeOfDay) -> str:
    """`09:30`."""
    return f"{node.minutes // 60:02d}:{node.minutes % 60:02d}"


def pattern(node: tree.AnyPattern) -> str:
    """The pattern."""
    match node:
        case tree.Pattern():
            return node.text
        case tree.CapabilityPattern():
            return f"capability {quoted(node.glob.value)}"
        case tree.ScopesReference():
            return f"scopes {quoted(node.name.value)}"


def reference(node: tree.ApprovalReference) -> str:
    """`"two-finance"`, `default` or `contract`."""
    return node.kind if node.name is None else quoted(node.name.value)
