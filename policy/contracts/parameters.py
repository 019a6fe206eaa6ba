"""Resolving the parameters of ACC's `approval.when` against an input schema (model.md section 2).

What a schema does not rule out counts as possible: the set of types of a parameter may only come out too large,
and a condition on a parameter that may have a type its operator cannot judge is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from policy.contracts.fragments import Fragments
from policy.source.records import dataclass

ALL_TYPES = frozenset({"null", "boolean", "number", "string", "array", "object"})
"""JSON types; `integer` is part of number."""

_OBJECT_WORDS = ("properties", "required", "additionalProperties", "patternProperties", "propertyNames")
_ARRAY_WORDS = ("items", "prefixItems", "minItems", "maxItems", "uniqueItems")
_LONGEST_PATH = 64
_DEEPEST = 200
"""Nested schemas that are looked into; what lies deeper counts as anything."""

Steps = tuple[str, ...]
Schema = Mapping[str, object]
Types = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A declared input: the member names that lead to it and the JSON types it may have."""

    steps: Steps
    types: Types


def resolve(schema: object, path: str) -> tuple[Parameter, ...]:
    """Every reading of a dotted path as a declared input: none where it is unknown, two where it is ambiguous.

    A dot separates members or belongs to a member's name; through an array the path means the items.
    """
    segments = tuple(path.split("."))
    if not all(segments) or len(segments) > _LONGEST_PATH:
        return ()
    fragments = Fragments(schema)
    readings = _readings(fragments, _applied(fragments, [schema], items=True), segments, {})
    return tuple(
        Parameter(steps=steps, types=_Types(fragments, steps, {}).of(schema, 0, 0)) for steps in sorted(readings)
    )


def declared_names(schema: object) -> frozenset[str]:
    """The names of the declared top-level inputs, for suggestions."""
    applied = _applied(Fragments(schema), [schema], items=True)
    return frozenset(name for each in applied for name in _object(each, "properties"))


def types_of_value(schema: object) -> Types:
    """The JSON types that valid values may have."""
    return _Types(Fragments(schema), (), {}).of(schema, 0, 0)


def applied_schemas(schema: object) -> list[Schema]:
    """The schema and those it applies, under whatever condition, to the same value."""
    return _applied(Fragments(schema), [schema], items=False)


def _readings(
    fragments: Fragments, schemas: list[Schema], segments: Steps, known: dict[tuple[int, frozenset[int]], set[Steps]]
) -> set[Steps]:
    """At most two of the ways to read the segments as member names below any of the schemas."""
    if not segments:
        return {()}
    key = (len(segments), frozenset(id(schema) for schema in schemas))
    if key not in known:
        found: set[Steps] = set()
        for length in range(1, len(segments) + 1):
            name = ".".join(segments[:length])
            below = [_object(schema, "properties")[name] for schema in schemas if name in _object(schema, "properties")]
            if below and len(found) < 2:
                rest = _readings(fragments, _applied(fragments, below, items=True), segments[length:], known)
                found |= {(name, *steps) for steps in rest}
        known[key] = set(sorted(found)[:2])
    return known[key]


def _applied(fragments: Fragments, schemas: Iterable[object], *, items: bool) -> list[Schema]:
    """The schemas that apply to the same value and, with `items`, to those of an array."""
    waiting = list(schemas)
    seen: dict[int, Schema] = {}
    while waiting:
        at = waiting.pop()
        if isinstance(at, Mapping) and id(at) not in seen:
            seen[id(at)] = at
            waiting.extend(_alongside(fragments, at))
            waiting.extend(_items(at) if items else [])
    return list(seen.values())


def _alongside(fragments: Fragments, schema: Schema) -> Iterable[object]:
    """The schemas that this one applies to the same value."""
    yield from fragments.targets(schema)
    for word in ("allOf", "anyOf", "oneOf"):
        yield from _list(schema, word)
    for word in ("then", "else"):
        yield schema.get(word)
    yield from _object(schema, "dependentSchemas").values()


def _items(schema: Schema) -> list[object]:
    items = schema.get("items")
    return [*_list(schema, "prefixItems"), *([] if items is None else [items])]


@dataclass(frozen=True, slots=True)
class _Types:
    """The types that valid values under `steps` may have; `known` remembers what was found for a schema."""

    fragments: Fragments
    steps: Steps
    known: dict[tuple[int, int], Types]

    def of(self, schema: object, at: int, depth: int) -> Types:
        """Types of the value `steps[at:]` below a value of this schema."""
        if schema is False:
            return frozenset()
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return ALL_TYPES
        key = (id(schema), at)
        if key not in self.known:
            self.known[key] = ALL_TYPES
            self.known[key] = self._combined(schema, at, depth + 1)
        return self.known[key]

    def _combined(self, schema: Schema, at: int, depth: int) -> Types:
        types = self._own(schema, at, depth)
        for each in [*self.fragments.targets(schema), *_list(schema, "allOf")]:
            types &= self.of(each, at, depth)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                types &= frozenset().union(*(self.of(each, at, depth) for each in _list(schema, word)))
        if "if" in schema:
            types &= self.of(schema.get("then", True), at, depth) | self.of(schema.get("else", True), at, depth)
        return types

    def _own(self, schema: Schema, at: int, depth: int) -> Types:
        admitted = _admitted(schema)
        if at == len(self.steps):
            return admitted
        implied = admitted if "type" in schema else _implied(schema)
        if not implied:
            return ALL_TYPES
        types: Types = frozenset()
        if "object" in implied:
            types |= self._member(schema, at, depth)
        if "array" in implied:
            types |= frozenset().union(*(self.of(item, at, depth) for item in _items(schema)))
            types |= frozenset() if "items" in schema else ALL_TYPES
        return types

    def _member(self, schema: Schema, at: int, depth: int) -> Types:
        properties = _object(schema, "properties")
        if self.steps[at] in properties:
            return self.of(properties[self.steps[at]], at + 1, depth)
        if _object(schema, "patternProperties"):
            return ALL_TYPES
        return self.of(schema.get("additionalProperties", True), at + 1, depth)


def _admitted(schema: Schema) -> Types:
    """The types that `type`, `const` and `enum` admit."""
    types = ALL_TYPES
    if "type" in schema:
        declared = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        types &= {"number" if word == "integer" else str(word) for word in declared}
    if "const" in schema:
        types &= {type_of(schema["const"])}
    if "enum" in schema:
        types &= {type_of(value) for value in _list(schema, "enum")}
    return types


def _implied(schema: Schema) -> Types:
    """What a schema without `type` is about, by its words; empty where it says nothing of members or items."""
    about_objects = any(word in schema for word in _OBJECT_WORDS)
    about_arrays = any(word in schema for word in _ARRAY_WORDS)
    return frozenset(({"object"} if about_objects else set()) | ({"array"} if about_arrays else set()))


def type_of(value: object) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _object(schema: Schema, word: str) -> Mapping[str, object]:
    value = schema.get(word)
    return value if isinstance(value, Mapping) else {}


def _list(schema: Schema, word: str) -> list[object]:
    value = schema.get(word)
    return value if isinstance(value, list) else []
