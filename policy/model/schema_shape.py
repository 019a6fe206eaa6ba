"""What a JSON Schema must be before it is compiled: one resource, local references, no unguarded recursion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any
from urllib.parse import unquote

from policy.model.bounds import pointer_of
from policy.model.pattern_syntax import pattern_problem
from policy.model.published import DIALECT
from policy.source.records import dataclass

Problem = tuple[str, str]
"""JSON Pointer into the schema, and a sentence."""

_ONE = (
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "unevaluatedItems",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
)
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAP = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""Keywords that judge the very same value again."""
_OLDER = ("http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-07/schema")
_DIALECTS = frozenset({DIALECT, "https://json-schema.org/draft/2019-09/schema", *_OLDER})
_REPLACED = {
    "dependencies": "`dependentRequired` or `dependentSchemas`",
    "additionalItems": "`prefixItems` with `items`",
    "$recursiveRef": "`$dynamicRef`",
    "$recursiveAnchor": "`$dynamicAnchor`",
}
_REMARKABLE = frozenset({"$id", "$schema", "$anchor", "$dynamicAnchor", "pattern", "patternProperties", *_REPLACED})
"""Keywords that are looked at one by one."""
_MAX_PATTERNS = 200


@dataclass(slots=True)
class Shape:
    """What was found in a schema."""

    problems: list[Problem] = field(default_factory=list)
    schemas: dict[str, Any] = field(default_factory=dict)
    """JSON Pointer to every schema in it."""
    anchors: dict[str, str] = field(default_factory=dict)
    """`$anchor` and `$dynamicAnchor` to the pointer of their schema."""
    references: dict[str, str] = field(default_factory=dict)
    """Each reference as written to the pointer it names."""
    patterns: dict[str, str] = field(default_factory=dict)
    """Each pattern to where it stands."""
    keywords: set[str] = field(default_factory=set)
    """Every keyword in use."""

    @property
    def targets(self) -> dict[str, Any]:
        """Each reference as written to the schema it names."""
        return {reference: self.schemas[pointer] for reference, pointer in self.references.items()}


def examine(schema: Mapping[str, Any] | bool) -> Shape:
    """Walk a schema whose bounds were checked; `problems` is empty where it may be compiled."""
    shape = Shape()
    stack: list[tuple[str, Any]] = [("", schema)]
    while stack:
        pointer, part = stack.pop()
        shape.schemas[pointer] = part
        if isinstance(part, dict):
            _keywords(shape, pointer, part)
            stack.extend((pointer + more, child) for _, more, child in _children(part))
    _resolve(shape)
    if not shape.problems and shape.references:
        _refuse_loops(shape)
    shape.problems.sort()
    return shape


def _children(schema: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Every subschema with the keyword it stands under and the pointer to it."""
    keyword: str
    for keyword, value in schema.items():
        if keyword in _ONE and isinstance(value, dict | bool):
            yield keyword, f"/{keyword}", value
        elif keyword in _LIST and isinstance(value, list):
            for index, item in enumerate(value):
                yield keyword, f"/{keyword}/{index}", item
        elif keyword in _MAP and isinstance(value, dict):
            for name, item in value.items():
                plain = "/" not in name and "~" not in name
                yield keyword, f"/{keyword}/{name}" if plain else f"/{keyword}{pointer_of([name])}", item


def _keywords(shape: Shape, here: str, schema: dict[str, Any]) -> None:
    shape.keywords.update(schema)
    if _REMARKABLE.isdisjoint(schema):
        return
    for keyword in ("$id", "$schema"):
        if here and keyword in schema:
            shape.problems.append((here, f"`{keyword}` inside a schema is not supported: one schema is one resource"))
    dialect = schema.get("$schema", DIALECT)
    if not isinstance(dialect, str) or dialect.rstrip("#") not in _DIALECTS:
        shape.problems.append((here, "the dialect is not supported: write JSON Schema Draft 2020-12"))
    for keyword, instead in _REPLACED.items():
        if keyword in schema:
            shape.problems.append((here, f"`{keyword}` is not part of Draft 2020-12: write {instead}"))
    for keyword in ("$anchor", "$dynamicAnchor"):
        anchor = schema.get(keyword)
        if isinstance(anchor, str) and shape.anchors.setdefault(anchor, here) != here:
            shape.problems.append((here, f"the anchor `{anchor}` is declared twice"))
    _patterns(shape, here, schema)


def _patterns(shape: Shape, here: str, schema: dict[str, Any]) -> None:
    found = [(schema["pattern"], here + "/pattern")] if isinstance(schema.get("pattern"), str) else []
    if isinstance(schema.get("patternProperties"), dict):
        found += [(name, here + "/patternProperties" + pointer_of([name])) for name in schema["patternProperties"]]
    for pattern, pointer in found:
        if pattern in shape.patterns:
            continue
        shape.patterns[pattern] = pointer
        problem = pattern_problem(pattern)
        if problem is not None:
            shape.problems.append((pointer, problem))
        elif len(shape.patterns) == _MAX_PATTERNS + 1:
            shape.problems.append((pointer, f"more than {_MAX_PATTERNS} different patterns"))


def _resolve(shape: Shape) -> None:
    """Find what every reference names."""
    for pointer, schema in shape.schemas.items():
        for keyword in ("$ref", "$dynamicRef"):
            reference = schema.get(keyword) if isinstance(schema, dict) else None
            if not isinstance(reference, str):
                continue
            if not reference.startswith("#"):
                shape.problems.append((pointer, f"`{keyword}` may name a fragment (`#…`) only, not `{reference}`"))
                continue
            target = _target(shape, reference)
            if target is None:
                shape.problems.append((pointer, f"`{keyword}` names no schema of this document: `{reference}`"))
            else:
                shape.references[reference] = target


def _target(shape: Shape, reference: str) -> str | None:
    try:
        fragment = unquote(reference[1:], errors="strict")
    except UnicodeDecodeError:
        return None
    target = shape.anchors.get(fragment) if fragment and not fragment.startswith("/") else fragment
    return target if target in shape.schemas else None


def _refuse_loops(shape: Shape) -> None:
    """A schema that judges one value by itself again would never end."""
    done: set[str] = set()
    # Without a reference a schema is a tree, so every loop goes through the target of one.
    targets = set(shape.references.values())
    for start in (pointer for pointer in shape.schemas if pointer in targets):
        open_path: dict[str, Iterator[str]] = {}
        stack = [start]
        while stack:
            pointer = stack[-1]
            if pointer in done:
                stack.pop()
                continue
            edges = open_path.setdefault(pointer, _in_place(shape, pointer))
            following = next((target for target in edges if target not in done), None)
            if following is None:
                done.add(pointer)
                del open_path[pointer]
            elif following in open_path:
                shape.problems.append((following, "the schema refers to itself without going into the value"))
                return
            else:
                stack.append(following)


def _in_place(shape: Shape, pointer: str) -> Iterator[str]:
    schema = shape.schemas[pointer]
    if not isinstance(schema, dict):
        return
    for keyword in ("$ref", "$dynamicRef"):
        if isinstance(schema.get(keyword), str):
            yield shape.references[schema[keyword]]
    for keyword, more, _ in _children(schema):
        if keyword in _IN_PLACE:
            yield pointer + more
