"""The list of violations of a schema, made by `jsonschema` with our own words.

Patterns are matched by the linear engine, `multipleOf` is exact, references go to the one resource there is, and
the work is bounded. No message repeats a value of the input: inputs may be confidential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from policy.model.admitted import SchemaViolation
from policy.model.bounds import pointer_of
from policy.model.evaluated import evaluated_indices, evaluated_names
from policy.model.formats import FORMATS
from policy.model.violation_words import words
from policy.types.numbers import as_decimal, is_number

_MAX_LISTED = 1_000
_MAX_STEPS = 20_000
"""References followed and patterns matched while one input is judged."""
_TOO_COSTLY = SchemaViolation(pointer="", message="takes too many steps to judge by its schema, and is refused")

_Errors = Iterator[ValidationError]


class _TooCostlyError(Exception):
    """The bound on steps was passed."""


class Session(FormatChecker):
    """What the keywords share while one input is judged; carried where `jsonschema` carries its format checker."""

    def __init__(self, targets: Mapping[str, Any], patterns: Mapping[str, Any]) -> None:
        super().__init__(())
        self._targets = targets
        self._patterns = patterns
        self._steps = _MAX_STEPS

    def target(self, reference: str) -> Any:
        """The schema that a reference names."""
        self.spend()
        return self._targets[reference]

    def matches(self, pattern: str, text: str) -> bool:
        """Whether the pattern occurs in the text."""
        self.spend()
        matched: bool = self._patterns[pattern].is_valid(text)
        return matched

    def spend(self) -> None:
        """Count one step; raises where there are too many."""
        self._steps -= 1
        if self._steps < 0:
            raise _TooCostlyError


def list_violations(
    schema: Mapping[str, Any] | bool, targets: Mapping[str, Any], patterns: Mapping[str, Any], value: object
) -> tuple[SchemaViolation, ...]:
    """Every violation, sorted by pointer and message, each once; at most 1,000 are listed."""
    validator = _Validator(schema, format_checker=Session(targets, patterns))
    try:
        return _sorted(validator.iter_errors(value))
    except _TooCostlyError:
        return (_TOO_COSTLY,)


def metaschema_violations(schema: Mapping[str, Any] | bool) -> tuple[SchemaViolation, ...]:
    """Every way in which a schema is not one of Draft 2020-12."""
    return _sorted(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema))


def _sorted(errors: _Errors) -> tuple[SchemaViolation, ...]:
    found = {(pointer_of(list(error.absolute_path)), words(error)) for error in islice(errors, _MAX_LISTED)}
    return tuple(SchemaViolation(pointer=pointer, message=message) for pointer, message in sorted(found))


def _session(validator: Any) -> Session:
    session: Session = validator.format_checker
    return session


def _below(validator: Any, part: Any, subschema: Any, step: str | int) -> _Errors:
    if subschema is False:
        # `jsonschema` forgets the step of a part that the schema `false` refuses.
        yield ValidationError("false", path=[step])
    else:
        yield from validator.descend(part, subschema, path=step)


def _reference(validator: Any, reference: str, instance: Any, _schema: Any) -> _Errors:
    yield from validator.descend(instance, _session(validator).target(reference))


def _pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> _Errors:
    if isinstance(instance, str) and not _session(validator).matches(pattern, instance):
        yield ValidationError("pattern")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for name, member in instance.items():
            if _session(validator).matches(pattern, name):
                yield from _below(validator, member, subschema, name)


def _items(validator: Any, subschema: Any, instance: Any, schema: Mapping[str, Any]) -> _Errors:
    if isinstance(instance, list):
        first = len(schema.get("prefixItems", ()))
        for index, item in enumerate(instance[first:], first):
            yield from _below(validator, item, subschema, index)


def _prefix_items(validator: Any, subschemas: Sequence[Any], instance: Any, _schema: Any) -> _Errors:
    if isinstance(instance, list):
        for index, (item, subschema) in enumerate(zip(instance, subschemas, strict=False)):
            yield from _below(validator, item, subschema, index)


def _additional_properties(validator: Any, subschema: Any, instance: Any, schema: Mapping[str, Any]) -> _Errors:
    if not isinstance(instance, dict):
        return
    session = _session(validator)
    declared, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, member in instance.items():
        if name not in declared and not any(session.matches(pattern, name) for pattern in patterns):
            yield from _below(validator, member, subschema, name)


def _properties(validator: Any, properties: Mapping[str, Any], instance: Any, _schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    for name, subschema in properties.items():
        if name in instance:
            yield from _below(validator, instance[name], subschema, name)


def _property_names(validator: Any, subschema: Any, instance: Any, _schema: Any) -> _Errors:
    if isinstance(instance, dict):
        for name in instance:
            if not validator.evolve(schema=subschema).is_valid(name):
                yield ValidationError("propertyNames", path=[name])


def _unevaluated_properties(validator: Any, subschema: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    evaluated = evaluated_names(validator, _session(validator), instance, schema)
    for name, member in instance.items():
        if name not in evaluated:
            yield from _below(validator, member, subschema, name)


def _unevaluated_items(validator: Any, subschema: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, list):
        return
    evaluated = evaluated_indices(validator, _session(validator), instance, schema)
    for index, item in enumerate(instance):
        if index not in evaluated:
            yield from _below(validator, item, subschema, index)


def _multiple_of(_validator: Any, divisor: Any, instance: Any, _schema: Any) -> _Errors:
    # Binary floating point says that 19.99 is no multiple of 0.01.
    if is_number(instance) and Fraction(as_decimal(instance)) % Fraction(as_decimal(divisor)) != 0:
        yield ValidationError("multipleOf")


def _format(_validator: Any, name: str, instance: Any, _schema: Any) -> _Errors:
    holds = FORMATS.get(name)
    if holds is not None and isinstance(instance, str) and not holds(instance):
        yield ValidationError("format")


_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "$ref": _reference,
        "$dynamicRef": _reference,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "items": _items,
        "prefixItems": _prefix_items,
        "properties": _properties,
        "propertyNames": _property_names,
        "unevaluatedProperties": _unevaluated_properties,
        "unevaluatedItems": _unevaluated_items,
        "multipleOf": _multiple_of,
        "format": _format,
    },
)
