"""YAML 1.2 texts (core schema) as strict JSON-like data, and where each part of one stands.

No aliases, anchors, merge keys, tags, directives, duplicate keys or several documents; plain words such as `no`,
`on` and `12:30` are text. What the schemas of different versions read differently (`007`) must be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from policy.model.bounds import pointer_of
from policy.model.data_error import DataError, number_problem
from policy.source.records import dataclass
from policy.types.numbers import data_number, parse_number

_WORDS = {"null": None, "Null": None, "NULL": None, "~": None, "": None}
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NUMERIC = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_RADIX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]")
_MAX_NUMBER = 400
"""Characters of a number's text that are looked at."""

_Positions = dict[str, tuple[int, int]]


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end was not read yet."""

    value: Any
    name: str | None = None
    """The member name that awaits its value."""
    is_map: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_map = isinstance(self.value, dict)


def parse(text: str, depth: int, nodes: int) -> tuple[Any, dict[str, tuple[int, int]]]:
    """The value of a YAML text, and JSON Pointer to 1-based line and column of each part.

    A member stands where its name does. Raises DataError for everything that this module's page refuses, for
    nesting deeper than `depth` and for more than `nodes` parts.
    """
    reader = _Reader(depth, nodes)
    for event in _events(text):
        reader.take(event)
    if "" not in reader.positions:
        raise DataError("empty; JSON or YAML data is expected")
    return reader.result, reader.positions


def _events(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = ", ".join(part for part in (error.context, error.problem) if part)
        raise DataError(f"not YAML: {words}", *((mark.line + 1, mark.column + 1) if mark else ())) from None
    except YAMLError as error:
        raise DataError(f"not YAML: {str(error).splitlines()[0]}") from None
    except DataError:
        raise
    except (ValueError, IndexError, OverflowError, RecursionError):
        # The scanner's own words for an escape or a directive that no text can hold are of no use to the author.
        raise DataError("not YAML: an escape or a directive that means nothing") from None


class _Reader:
    """Builds the value of one document from events, with a stack of its own."""

    def __init__(self, depth: int, nodes: int) -> None:
        self.result: Any = None
        self.positions: _Positions = {}
        self._stack: list[_Open] = []
        self._steps: list[str | int] = []
        self._depth = depth
        self._nodes = nodes
        self._documents = 0

    def take(self, event: Any) -> None:
        """Read one event."""
        kind = type(event).__name__
        match kind:
            case "ScalarEvent":
                self._refuse_properties(event)
                self._scalar(event)
            case "MappingStartEvent" | "SequenceStartEvent":
                self._refuse_properties(event)
                self._open({} if kind == "MappingStartEvent" else [], event)
            case "MappingEndEvent" | "SequenceEndEvent":
                self._stack.pop()
                self._steps.pop()
                self._ended()
            case "AliasEvent":
                raise _refusal("an alias (`*name`) is not read: write the value out", event)
            case "DocumentStartEvent":
                self._document(event)
            case "StreamStartEvent" | "StreamEndEvent" | "DocumentEndEvent" | "CommentEvent":
                pass
            case _:
                raise _refusal("not read here", event)

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _refusal("a second document is not read: one file holds one", event)
        if event.tags or (event.version is not None and tuple(event.version) != (1, 2)):
            raise _refusal("a directive is not read: the text is YAML 1.2 without tags", event)

    def _refuse_properties(self, event: Any) -> None:
        if event.anchor is not None:
            raise _refusal(f"an anchor (`&{event.anchor}`) is not read: write the value out", event)
        if event.tag is not None:
            raise _refusal("a tag (`!…`) is not read: quote what is text", event)

    def _open(self, value: Any, event: Any) -> None:
        self._place(value, event)
        if len(self._stack) >= self._depth:
            raise _refusal(f"nested deeper than {self._depth} levels", event)
        self._stack.append(_Open(value))
        self._steps.append(0 if isinstance(value, list) else "")

    def _scalar(self, event: Any) -> None:
        top = self._stack[-1] if self._stack else None
        plain = event.style is None or event.style == ""
        if top is not None and top.is_map and top.name is None:
            self._name(top, event, plain)
            return
        self._place(_resolve(event) if plain else event.value, event)
        self._ended()

    def _name(self, top: _Open, event: Any, plain: bool) -> None:
        if plain and event.value == "<<":
            raise _refusal("a merge key (`<<`) is not read: write the members out", event)
        name = _resolve(event) if plain else event.value
        if not isinstance(name, str):
            raise _refusal(f'a member name must be text: write `"{event.value}"`', event)
        if name in top.value:
            raise _refusal(f"duplicate member name `{name}`", event)
        top.name = name
        self._steps[-1] = name
        self._mark(event)

    def _place(self, value: Any, event: Any) -> None:
        self._nodes -= 1
        if self._nodes < 0:
            raise _refusal("more parts than are read", event)
        top = self._stack[-1] if self._stack else None
        if top is None:
            self.result = value
            self._mark(event)
        elif not top.is_map:
            top.value.append(value)
            self._mark(event)
        elif top.name is None:
            raise _refusal("a member name must be text, not a list or mapping", event)
        else:
            top.value[top.name] = value

    def _ended(self) -> None:
        """A value is complete: its parent awaits the next one."""
        if not self._stack:
            return
        top = self._stack[-1]
        top.name = None
        step = self._steps[-1]
        if isinstance(step, int):
            self._steps[-1] = step + 1

    def _mark(self, event: Any) -> None:
        self.positions[pointer_of(self._steps)] = (event.start_mark.line + 1, event.start_mark.column + 1)


def _resolve(event: Any) -> Any:
    text: str = event.value
    if text in _WORDS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _SPECIAL.fullmatch(text):
        raise _refusal(f"`{text}` is no JSON number; quote what is text", event)
    if text[0] not in "+-.0123456789":
        return text
    if _RADIX.fullmatch(text):
        number = data_number(int(text, 0)) if len(text) <= _MAX_NUMBER else None
    elif _NUMERIC.fullmatch(text):
        if _LEADING_ZERO.match(text):
            raise _refusal(f"`{text[:40]}` starts with zeros: write it in quotes or without them", event)
        number = parse_number(_as_json(text)) if len(text) <= _MAX_NUMBER else None
    else:
        return text
    if number is None:
        raise _refusal(number_problem(text), event)
    # As in JSON: what is written as a decimal stays one, since `1.0` is no version.
    return number if text.lstrip("+-").isdigit() or _RADIX.fullmatch(text) else float(number)


def _as_json(text: str) -> str:
    """A YAML decimal in the form of JSON: no plus sign, a digit on both sides of the point."""
    text = text.removeprefix("+")
    text = re.sub(r"^(-?)\.", r"\g<1>0.", text)
    return re.sub(r"\.(?![0-9])", "", text)


def _refusal(message: str, event: Any) -> DataError:
    mark = event.start_mark
    return DataError(message, mark.line + 1, mark.column + 1)
