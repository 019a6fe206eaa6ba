"""Readers of JSON and YAML texts: strict, bounded, and telling the place of what they refuse."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from policy.model import json_text
from policy.model.bounds import find_excess
from policy.model.data_error import DataError
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass

__all__ = ["DataError", "Document", "read_document", "read_file", "read_json", "read_yaml"]

_CATALOG_PARTS = 10_000_000
"""Parts of a catalog file, so that 64 MiB of brackets do not fill the memory."""
_YAML_BYTES = 4 << 20
"""Bytes of a YAML text: reading one takes a hundred times longer than reading JSON."""
_LEVELS_AROUND = 8
"""Levels that a catalog or fixture file may wrap around a capability, action or context."""

Form = Literal["JSON", "YAML"]


@dataclass(frozen=True, slots=True)
class Document:
    """What was read from one text."""

    name: str
    """The file, as shown to people."""
    value: Any = field(repr=False)
    """JSON data. A number written with a point or an exponent is a float, also where it is integral."""
    positions: Mapping[str, tuple[int, int]] = field(repr=False, compare=False)
    """JSON Pointer to 1-based line and column; a member stands where its name does."""
    form: Form = "JSON"
    """What the text was read as."""

    def position(self, pointer: str) -> tuple[int, int] | None:
        """The place of a part, or of the nearest enclosing one whose place is known."""
        while pointer not in self.positions:
            if not pointer:
                return None
            pointer = pointer.rpartition("/")[0]
        return self.positions[pointer]


def read_json(data: str | bytes, limits: Limits = DEFAULT_LIMITS, *, catalog: bool = False) -> Any:
    """The value of a JSON text, in the bounds of one action, capability or context (or of a catalog file).

    Raises DataError, with line and column, for what is not UTF-8 or has a byte order mark, is not JSON, leaves the
    bounds, repeats a member name, or holds a number or text that the data model does not have.
    """
    return _json(data, "", limits, catalog).value


def read_yaml(
    data: str | bytes, limits: Limits = DEFAULT_LIMITS, *, catalog: bool = False
) -> tuple[Any, dict[str, tuple[int, int]]]:
    """The value of a YAML 1.2 text, and JSON Pointer to line and column. Raises DataError as `read_json` does."""
    document = _yaml(data, "", limits, catalog)
    return document.value, dict(document.positions)


def read_document(data: str | bytes, name: str, limits: Limits = DEFAULT_LIMITS, *, catalog: bool = False) -> Document:
    """The data of a text, JSON or YAML by the ending of its name, else by its first character.

    Raises DataError, which names the file.
    """
    try:
        if _is_json(data, name):
            return _json(data, name, limits, catalog)
        return _yaml(data, name, limits, catalog)
    except DataError as error:
        raise error.named(name) from None


def read_file(path: str | Path, limits: Limits = DEFAULT_LIMITS, *, catalog: bool = False) -> Document:
    """The data of a JSON or YAML file. Raises DataError where there is no such file or `read_document` raises it."""
    path = Path(path)
    bound = limits.catalog_bytes if catalog else limits.data_bytes
    try:
        # A pipe or device could block or never end.
        if not stat.S_ISREG(path.stat().st_mode):
            raise DataError("not a file", name=str(path))
        with path.open("rb") as file:
            data = file.read(bound + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a path"
        raise DataError(f"cannot be read: {reason.lower()}", name=str(path)) from None
    return read_document(data, str(path), limits, catalog=catalog)


def _is_json(data: str | bytes, name: str) -> bool:
    suffix = Path(name).suffix.lower()
    if suffix in {".yaml", ".yml"}:
        return False
    head = data[:4096] if isinstance(data, str) else data[:4096].decode("utf-8", "replace")
    return suffix == ".json" or head.lstrip()[:1] in {"{", "["}


def _json(data: str | bytes, name: str, limits: Limits, catalog: bool) -> Document:
    text = _decode(data, limits.catalog_bytes if catalog else limits.data_bytes)
    if catalog and text.count(",") + text.count("[") + text.count("{") > _CATALOG_PARTS:
        raise DataError(f"more than {_CATALOG_PARTS:,} parts")
    value = json_text.parse(text, limits.data_depth + (_LEVELS_AROUND if catalog else 0))
    document = Document(name, value, json_text.Positions(text), "JSON")
    return document if catalog else _bounded(document, limits)


def _yaml(data: str | bytes, name: str, limits: Limits, catalog: bool) -> Document:
    from policy.model import yaml_text

    text = _decode(data, limits.catalog_bytes if catalog else limits.data_bytes)
    if len(text) > _YAML_BYTES:
        raise DataError(f"more than {_YAML_BYTES >> 20} MiB of YAML; write large files as JSON")
    depth = limits.data_depth + (_LEVELS_AROUND if catalog else 0)
    value, positions = yaml_text.parse(text, depth, _CATALOG_PARTS if catalog else limits.data_nodes)
    document = Document(name, value, positions, "YAML")
    return document if catalog else _bounded(document, limits)


def _bounded(document: Document, limits: Limits) -> Document:
    excess = find_excess(document.value, limits)
    if excess is None:
        return document
    raise DataError(str(excess), *(document.position(excess.pointer) or (None, None)))


def _decode(data: str | bytes, bound: int) -> str:
    if len(data) > bound:
        raise DataError(f"more than {bound >> 20} MiB" if bound >= 1 << 20 else f"more than {bound:,} bytes")
    if isinstance(data, str):
        text = data
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise DataError("not UTF-8", line, None) from None
    if text.startswith("\ufeff"):
        raise DataError("starts with a byte order mark; save the file without it", 1, 1)
    if not text.strip():
        raise DataError("empty; JSON or YAML data is expected")
    return text
