"""Which members and items of a value a schema has evaluated (Draft 2020-12 Core, section 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol


class Matcher(Protocol):
    """What following a schema needs: its references and patterns, with a bound on the steps."""

    def target(self, reference: str) -> Any:
        """The schema that a reference names."""

    def matches(self, pattern: str, text: str) -> bool:
        """Whether the pattern occurs in the text."""

    def spend(self) -> None:
        """Count one step; raises where there are too many."""


def evaluated_names(validator: Any, matcher: Matcher, value: dict[str, Any], schema: Any) -> set[str]:
    """The member names that a schema beside its `unevaluatedProperties` evaluates."""
    names: set[str] = set()
    for part in _applied(validator, matcher, value, schema):
        declared, patterns = part.get("properties", {}), part.get("patternProperties", {})
        own = {name for name in value if name in declared or any(matcher.matches(p, name) for p in patterns)}
        rest = "additionalProperties" in part or (part is not schema and "unevaluatedProperties" in part)
        names |= value.keys() if rest else own
    return names


def evaluated_indices(validator: Any, matcher: Matcher, value: list[Any], schema: Any) -> set[int]:
    """The positions that a schema beside its `unevaluatedItems` evaluates."""
    indices: set[int] = set()
    for part in _applied(validator, matcher, value, schema):
        if "items" in part or (part is not schema and "unevaluatedItems" in part):
            return set(range(len(value)))
        indices.update(range(min(len(value), len(part.get("prefixItems", ())))))
        if "contains" in part:
            indices.update(
                index for index, item in enumerate(value) if _valid(validator, matcher, item, part["contains"])
            )
    return indices


def _applied(validator: Any, matcher: Matcher, value: Any, schema: Any) -> Iterator[Mapping[str, Any]]:
    """The schema and every one that it applies to the same value with success."""
    stack = [schema]
    while stack:
        part = stack.pop()
        if not isinstance(part, Mapping):
            continue
        matcher.spend()
        yield part
        stack.extend(matcher.target(part[keyword]) for keyword in ("$ref", "$dynamicRef") if keyword in part)
        for keyword in ("allOf", "anyOf", "oneOf"):
            stack.extend(child for child in part.get(keyword, ()) if _valid(validator, matcher, value, child))
        if "if" in part:
            holds = _valid(validator, matcher, value, part["if"])
            stack.extend([part["if"], part.get("then")] if holds else [part.get("else")])
        if isinstance(value, dict):
            stack.extend(child for name, child in part.get("dependentSchemas", {}).items() if name in value)


def _valid(validator: Any, matcher: Matcher, value: Any, schema: Any) -> bool:
    matcher.spend()
    valid: bool = validator.evolve(schema=schema).is_valid(value)
    return valid
