"""Reading a JSON Schema (Draft 2020-12): what may stand at a path, and what its values may be.

Only what is certain is answered: a keyword that is not understood leaves everything open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from policy.check.lint.walk import Path, Special
from policy.source.records import dataclass

_DEPTH = 32
"""Nested references and combinations that are followed."""
_ALL_TYPES = frozenset({"null", "boolean", "number", "string", "array", "object"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a schema says of one path."""

    schema: object
    """A schema that every value there meets."""
    declared: bool
    """Whether the schema names this path, not just leaves room for it."""
    required: bool
    """Whether every value has it."""


def locate(root: object, path: Path) -> Place | None:
    """What the schema says of a path; None where no valid value can have it.

    `required` tells what an item of a list has, once the path leads through any item: the list itself has its own path.
    """
    place = Place(schema=root, declared=True, required=True)
    for step in path.steps:
        if path.through_lists and isinstance(step, str) and _types(place.schema, root, _DEPTH) <= {"array", "null"}:
            item = _step(place.schema, root, Special.ITEM, _DEPTH)
            if item is None:
                return None
            place = Place(schema=item.schema, declared=place.declared and item.declared, required=True)
        found = _step(place.schema, root, step, _DEPTH)
        if found is None:
            return None
        place = Place(
            schema=found.schema,
            declared=place.declared and found.declared,
            required=step is Special.ITEM or (place.required and found.required),
        )
    return place


def members(schema: object, root: object) -> frozenset[str]:
    """The names of members that the schema declares."""
    names: set[str] = set()
    stack = [(schema, _DEPTH)]
    while stack:
        here, depth = stack.pop()
        for part in _conjuncts(here, root, depth):
            properties = part.get("properties")
            if isinstance(properties, Mapping):
                names.update(properties)
            if depth > 0:
                stack.extend((branch, depth - 1) for branches in _alternatives(part) for branch in branches)
    return frozenset(names)


def types(schema: object, root: object) -> frozenset[str]:
    """The JSON types of the values; `integer` counts as `number`."""
    return _types(schema, root, _DEPTH)


def values(schema: object, root: object) -> tuple[object, ...] | None:
    """The values of an enumeration, or None where there is none."""
    return _values(schema, root, _DEPTH)


def admits_negative(schema: object, root: object) -> bool:
    """Whether a number below zero may be valid."""
    if "number" not in types(schema, root):
        return False
    listed = values(schema, root)
    if listed is not None:
        return any(isinstance(value, int | float) and not isinstance(value, bool) and value < 0 for value in listed)
    lowest = _lowest(schema, root, _DEPTH)
    return lowest is None or lowest < 0


def at_least_one(schema: object, root: object, keyword: str) -> bool:
    """Whether `minLength`, `minItems` or the like is at least one."""
    return any(
        isinstance(part.get(keyword), int | float) and part[keyword] >= 1  # type: ignore[operator]
        for part in _conjuncts(schema, root, _DEPTH)
    )


def _conjuncts(schema: object, root: object, depth: int) -> Iterator[Mapping[str, object]]:
    """The schema and all that every value must meet besides: `$ref` and `allOf`."""
    if not isinstance(schema, Mapping) or depth == 0:
        return
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        yield from _conjuncts(_dereference(reference, root), root, depth - 1)
    for part in _list(schema.get("allOf")):
        yield from _conjuncts(part, root, depth - 1)


def _alternatives(part: Mapping[str, object]) -> Iterator[list[object]]:
    for keyword in ("anyOf", "oneOf"):
        branches = _list(part.get(keyword))
        if branches:
            yield branches


def _step(schema: object, root: object, step: str | int | Special, depth: int) -> Place | None:
    if schema is False:
        return None
    own: Callable[[Mapping[str, object], str], Place | None] = _item
    name = ""
    if isinstance(step, str):
        own, name = _member, step
    elif step is Special.KEY:
        return Place(schema=True, declared=True, required=False)
    elif isinstance(step, int):
        own = _position
    found: list[Place] = []
    for part in _conjuncts(schema, root, depth):
        place = own(part, name)
        if place is None:
            return None
        found.append(place)
        for branches in _alternatives(part) if depth > 0 else ():
            places = [_step(branch, root, step, depth - 1) for branch in branches]
            possible = [place for place in places if place is not None]
            if not possible:
                return None
            found.append(
                Place(
                    schema={"anyOf": [place.schema for place in possible]},
                    declared=any(place.declared for place in possible),
                    required=len(possible) == len(places) and all(place.required for place in possible),
                )
            )
    return Place(
        schema={"allOf": [place.schema for place in found]},
        declared=any(place.declared for place in found),
        required=any(place.required for place in found),
    )


def _member(part: Mapping[str, object], name: str) -> Place | None:
    if not _may_be(part, "object"):
        return None
    required = name in _list(part.get("required"))
    properties = part.get("properties")
    if isinstance(properties, Mapping) and name in properties:
        schema = properties[name]
        return None if schema is False else Place(schema=schema, declared=True, required=required)
    if part.get("patternProperties"):
        return Place(schema=True, declared=True, required=required)
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        rest = part.get(keyword, True)
        if rest is False and (keyword == "additionalProperties" or not _combines(part)):
            return None
        if isinstance(rest, Mapping) and keyword == "additionalProperties":
            return Place(schema=rest, declared=True, required=required)
    return Place(schema=True, declared=False, required=required)


def _item(part: Mapping[str, object], _: str) -> Place | None:
    if not _may_be(part, "array"):
        return None
    prefix, items = _list(part.get("prefixItems")), part.get("items")
    if prefix:
        rest = [] if items is False else [True if items is None else items]
        return Place(schema={"anyOf": [*prefix, *rest]}, declared=True, required=True)
    if items is False:
        return None
    return Place(schema=True if items is None else items, declared=True, required=True)


def _position(part: Mapping[str, object], name: str) -> Place | None:
    """One position of a list: it may be missing, since the list may be shorter."""
    found = _item(part, name)
    return None if found is None else Place(schema=found.schema, declared=True, required=False)


def _may_be(part: Mapping[str, object], name: str) -> bool:
    declared = part.get("type")
    return declared is None or declared == name or name in _list(declared)


def _combines(part: Mapping[str, object]) -> bool:
    words = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "not")
    return any(word in part for word in words)


def _types(schema: object, root: object, depth: int) -> frozenset[str]:
    if schema is False:
        return frozenset()
    result = _ALL_TYPES
    for part in _conjuncts(schema, root, depth):
        declared = part.get("type")
        if isinstance(declared, str):
            result &= {_plain(declared)}
        elif isinstance(declared, list):
            result &= {_plain(word) for word in declared if isinstance(word, str)}
        listed = _own_values(part)
        if listed is not None:
            result &= {type_of(value) for value in listed}
        for branches in _alternatives(part) if depth > 0 else ():
            result &= frozenset().union(*(_types(branch, root, depth - 1) for branch in branches))
    return result


def _values(schema: object, root: object, depth: int) -> tuple[object, ...] | None:
    result: tuple[object, ...] | None = None
    for part in _conjuncts(schema, root, depth):
        sets = [_own_values(part)]
        for branches in _alternatives(part) if depth > 0 else ():
            parts = [_values(branch, root, depth - 1) for branch in branches]
            if all(each is not None for each in parts):
                sets.append(tuple(value for each in parts if each is not None for value in each))
        for each in sets:
            if each is not None:
                result = each if result is None else tuple(value for value in result if _among(value, each))
    return result


def _lowest(schema: object, root: object, depth: int) -> float | None:
    """A number that no valid number is below, or None."""
    lowest: float | None = None
    for part in _conjuncts(schema, root, depth):
        bounds = [part.get(keyword) for keyword in ("minimum", "exclusiveMinimum")]
        for branches in _alternatives(part) if depth > 0 else ():
            lows = [_lowest(branch, root, depth - 1) for branch in branches if "number" in _types(branch, root, depth)]
            bounds.append(None if None in lows else min((low for low in lows if low is not None), default=None))
        for bound in bounds:
            if isinstance(bound, int | float) and not isinstance(bound, bool):
                lowest = bound if lowest is None else max(lowest, bound)
    return lowest


def _own_values(part: Mapping[str, object]) -> tuple[object, ...] | None:
    if "const" in part:
        return (part["const"],)
    listed = part.get("enum")
    return tuple(listed) if isinstance(listed, list) else None


def _among(value: object, listed: tuple[object, ...]) -> bool:
    return any(type_of(value) == type_of(other) and value == other for other in listed)


def type_of(value: object) -> str:
    """The JSON type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
    return "object"


def _plain(name: str) -> str:
    return "number" if name == "integer" else name


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _dereference(reference: str, root: object) -> object:
    """The schema behind a reference into the same document; True (everything) for any other."""
    if not reference.startswith("#"):
        return True
    here = root
    for token in reference[1:].split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping) and name in here:
            here = here[name]
        elif isinstance(here, list) and name.isdecimal() and int(name) < len(here):
            here = here[int(name)]
        else:
            return True
    return here
