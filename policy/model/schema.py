"""Input schemas: compiled once, judged by two validators.

The verdict is that of `jsonschema_rs`; the list of violations is that of `jsonschema`. Where a schema uses a
keyword that implementations are known to read differently, both give a verdict on every input, and an input on
which they differ is refused. Both match patterns with the same engine of linear time, and assert formats by the
same predicates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError
from jsonschema_rs import meta as metaschema

from policy.model.admitted import SchemaViolation
from policy.model.bounds import copy_json, find_excess
from policy.model.formats import FORMATS, HINTS
from policy.model.schema_shape import Problem, examine
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass

_DISPUTED = frozenset(
    {"multipleOf", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "uniqueItems", "contains"}
)
"""Keywords for which both validators judge every input."""
_PATTERN_BYTES = 1 << 20
"""Bytes that one compiled pattern may take."""
_UNJUDGED = SchemaViolation(pointer="", message="could not be judged by its schema, and is refused")
_DISAGREEMENT = SchemaViolation(pointer="", message="is judged differently by two validators, and is refused")


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A compiled schema (`policy.model.admitted.InputSchema`); may be shared by threads."""

    schema: Mapping[str, Any] | bool
    """The schema, without `$schema` and `$id`."""
    targets: Mapping[str, Any] = field(repr=False)
    """Each reference as written to the schema it names."""
    patterns: Mapping[str, Draft202012Validator] = field(repr=False)
    """Each pattern to its matcher."""
    validator: Draft202012Validator = field(repr=False)
    """Gives the verdict."""
    disputed: bool = field(repr=False)
    """Whether the list of violations is made for every input."""

    def is_valid(self, value: object) -> bool:
        """Whether the value keeps the schema. Never raises for data."""
        return not self.violations(value)

    def violations(self, value: object) -> tuple[SchemaViolation, ...]:
        """Every violation, sorted by place; empty where the value is valid. Never raises for data."""
        try:
            valid = self.validator.is_valid(value)
            if valid and not self.disputed:
                return ()
            from policy.model.violations import list_violations

            found = list_violations(self.schema, self.targets, self.patterns, value)
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException:  # noqa: BLE001 - a panic of the compiled validator is no Exception; all of them refuse
            return (_UNJUDGED,)
        if found or valid:
            return found
        return (_DISAGREEMENT,)


def compile_schema(
    schema: Mapping[str, Any] | bool, limits: Limits = DEFAULT_LIMITS
) -> CompiledSchema | tuple[Problem, ...]:
    """Compile a JSON Schema (Draft 2020-12), or say at which JSON Pointer what keeps it from being used."""
    excess = find_excess(schema, limits)
    if excess is not None:
        return ((excess.pointer, f"the schema {excess.problem}"),)
    if not isinstance(schema, dict | bool):
        return (("", "a schema is an object or a boolean"),)
    return compile_own(copy_json(schema))


def compile_own(schema: dict[str, Any] | bool) -> CompiledSchema | tuple[Problem, ...]:
    """`compile_schema` for a schema that is within bounds and that nobody will change: it is kept, not copied."""
    own, shape = schema, examine(schema)
    if shape.problems:
        return tuple(shape.problems)
    if isinstance(own, dict) and ("$schema" in own or "$id" in own):
        # The dialect is checked and the schema is one resource: without a name nothing is looked up elsewhere.
        own = {word: value for word, value in own.items() if word not in ("$schema", "$id")}
        shape = examine(own)
    try:
        if not metaschema.is_valid(own):
            return _metaschema_problems(own)
        patterns: dict[str, Draft202012Validator] = {}
        for pattern, pointer in shape.patterns.items():
            matcher = _matcher(pattern)
            if matcher is None:
                return ((pointer, "the pattern is not one, or takes too much room when compiled"),)
            patterns[pattern] = matcher
        validator = _compile(own)
    except (ValidationError, ValueError) as error:
        return (("", f"the schema does not compile: {_one_line(str(error))}"),)
    return CompiledSchema(own, shape.targets, patterns, validator, bool(shape.keywords & _DISPUTED))


def _compile(schema: dict[str, Any] | bool) -> Draft202012Validator:
    return Draft202012Validator(
        schema,
        validate_formats=True,
        formats={**dict.fromkeys(HINTS, _accept), **FORMATS},
        pattern_options=RegexOptions(size_limit=_PATTERN_BYTES),
        offline=True,
    )


def _accept(_text: str) -> bool:
    return True


def _matcher(pattern: str) -> Draft202012Validator | None:
    try:
        return _compile({"pattern": pattern})
    except ValidationError:
        return None


def _metaschema_problems(schema: dict[str, Any] | bool) -> tuple[Problem, ...]:
    from policy.model.violations import metaschema_violations

    found = metaschema_violations(schema)
    return tuple((item.pointer, item.message) for item in found) or (("", "the schema is not one of Draft 2020-12"),)


def _one_line(text: str) -> str:
    return text.split("\n", 1)[0][:200]
