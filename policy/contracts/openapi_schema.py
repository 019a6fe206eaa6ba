"""The schemas of an OpenAPI document as Draft 2020-12 (model.md section 2).

References stay references, so that a schema may refer to itself: what an operation needs is gathered under `$defs`.
A reference out of the document is refused, never followed. Words for readers are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from policy.contracts.fragments import follow
from policy.model.bounds import pointer_of
from policy.model.mistakes import quoted
from policy.source.records import dataclass

_READERS = frozenset(
    {
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "externalDocs",
        "xml",
        "discriminator",
        "readOnly",
        "writeOnly",
        "nullable",
        "$comment",
        "$defs",
        "definitions",
    }
)
"""Words that judge no value; definitions are reached by pointer only."""
_FOREIGN = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary")
"""Words that change what a reference means."""
_SCHEMA = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "dependentSchemas")
_DEFINITIONS = ("$defs", "definitions")
DIALECTS = ("https://json-schema.org/draft/2020-12/schema", "https://spec.openapis.org/oas/3.1/dialect/base")
"""Schema dialects that are read: Draft 2020-12 and OpenAPI's own, which is the same with words for readers."""
_COMPONENTS = "/components/schemas/"
_ROOT = re.compile(r"/components/schemas/[^/]+|/(?:paths|components|webhooks)/.*?/schema(?=/|$)")
_DEEPEST = 64


class UnsupportedError(Exception):
    """Something that this binding does not read: the operation is skipped. Its text says what and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A schema as Draft 2020-12, with the pointers of the schemas that it refers to."""

    schema: dict[str, Any] | bool
    references: frozenset[str] = frozenset()

    @property
    def depth(self) -> int:
        """Levels of objects and lists in it."""
        return _depth(self.schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A schema that refers to nothing outside itself, and its levels of objects and lists."""

    schema: dict[str, Any]
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Schemas:
    """The schemas of one document; `old` is OpenAPI 3.0, `most` bounds the schemas that one operation may refer to.

    `known` remembers, for one load, what was converted, and `depths` how deep it is.
    """

    document: Mapping[str, Any]
    old: bool
    most: int
    known: dict[str, Converted]
    depths: dict[str, int]

    def convert(self, schema: object) -> Converted:
        """A schema of the document. Raises UnsupportedError."""
        references: set[str] = set()
        return Converted(schema=self._convert(schema, references, 0), references=frozenset(references))

    def component(self, pointer: str) -> Converted:
        """The schema at a pointer of the document. Raises UnsupportedError."""
        if pointer not in self.known:
            if not _names_a_schema(pointer):
                raise UnsupportedError(f"the reference {quoted('#' + pointer)} names no schema; correct it")
            target = follow(self.document, pointer)
            if target is None:
                raise UnsupportedError(f"the reference {quoted('#' + pointer)} names nothing; correct it")
            self.known[pointer] = self.convert(target)
            self.depths[pointer] = self.known[pointer].depth
        return self.known[pointer]

    def closed(self, converted: Converted) -> Closed:
        """The schema with everything it refers to under `$defs`. Raises UnsupportedError."""
        schema = converted.schema if isinstance(converted.schema, dict) else {"allOf": [converted.schema]}
        found: dict[str, dict[str, Any] | bool] = {}
        waiting = sorted(converted.references)
        while waiting:
            pointer = waiting.pop()
            if pointer not in found:
                target = self.component(pointer)
                found[pointer] = target.schema
                waiting.extend(target.references - found.keys())
                if len(found) > self.most:
                    raise UnsupportedError(f"the operation refers to more than {self.most:,} schemas; split it")
        depth = _depth(schema)
        if found:
            schema = {**schema, "$defs": {definition_name(pointer): found[pointer] for pointer in sorted(found)}}
            depth = max(depth, 2 + max(self.depths[pointer] for pointer in found))
        return Closed(schema=schema, depth=depth)

    def pointer(self, reference: object) -> str:
        """The pointer of a reference inside the document. Raises UnsupportedError for any other."""
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            raise UnsupportedError(f"the reference {quoted(reference)} leaves the document; bring its target in")
        return unquote(reference[1:])

    def _convert(self, schema: object, references: set[str], depth: int) -> dict[str, Any] | bool:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            raise UnsupportedError(f"{quoted(schema)} is no schema; write an object")
        if depth > _DEEPEST:
            raise UnsupportedError(f"a schema is nested deeper than {_DEEPEST} levels; name its parts")
        written: dict[str, Any] = {}
        if "$ref" in schema:
            pointer = self.pointer(schema["$ref"])
            references.add(pointer)
            written["$ref"] = reference_to(pointer)
            if self.old:
                return written
        for word, value in schema.items():
            if word not in _READERS and word != "$ref" and not word.startswith("x-"):
                self._keyword(word, value, written, references, depth + 1)
        self._request_only(schema, written)
        return self._of_3_0(schema, written) if self.old else written

    def _keyword(self, word: str, value: Any, written: dict[str, Any], references: set[str], depth: int) -> None:
        if word in _FOREIGN or (word == "$schema" and value not in DIALECTS):
            raise UnsupportedError(f"a schema uses {quoted(word)}, which is not read here; refer by pointer")
        if word == "$schema":
            return
        if word in _SCHEMA and isinstance(value, dict | bool):
            written[word] = self._convert(value, references, depth)
        elif word in _SCHEMAS and isinstance(value, list):
            written[word] = [self._convert(each, references, depth) for each in value]
        elif word in _NAMED and isinstance(value, dict):
            written[word] = {name: self._convert(each, references, depth) for name, each in value.items()}
        else:
            written[word] = value

    def _request_only(self, schema: Mapping[str, Any], written: dict[str, Any]) -> None:
        """A read-only member is never required of a request."""
        properties, required = schema.get("properties"), schema.get("required")
        if isinstance(properties, Mapping) and isinstance(required, list):
            asked = [name for name in required if not (isinstance(name, str) and self._read_only(properties.get(name)))]
            written["required"] = asked

    def _read_only(self, schema: object) -> bool:
        if not isinstance(schema, Mapping):
            return False
        if schema.get("readOnly") is True and not (self.old and "$ref" in schema):
            return True
        target = follow(self.document, self.pointer(schema["$ref"])) if "$ref" in schema else None
        return isinstance(target, Mapping) and target.get("readOnly") is True

    def _of_3_0(self, schema: Mapping[str, Any], written: dict[str, Any]) -> dict[str, Any]:
        """What OpenAPI 3.0 says differently: `nullable`, and exclusive bounds as switches."""
        if schema.get("nullable") is True and isinstance(written.get("type"), str):
            written["type"] = [written["type"], "null"]
        for switch, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            exclusive = written.get(switch)
            if exclusive is True and bound in written:
                written[switch] = written.pop(bound)
            elif exclusive is False:
                del written[switch]
            elif exclusive is True:
                raise UnsupportedError(f"`{switch}` stands without `{bound}`; give the bound")
        return written


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


def definition_name(pointer: str) -> str:
    """The name under `$defs` of what a pointer names: a component's own name, else the pointer."""
    name = pointer.removeprefix(_COMPONENTS)
    return name if pointer.startswith(_COMPONENTS) and "/" not in name else f"#{pointer}"


def reference_to(pointer: str) -> str:
    """The reference to a definition, inside a bundled schema."""
    return f"#/$defs{quote(pointer_of([definition_name(pointer)]))}"


def _names_a_schema(pointer: str) -> bool:
    """Whether a pointer ends where a schema stands; anything else would be read as one that admits everything."""
    root = _ROOT.match(pointer)
    if root is None:
        return False
    steps = pointer[root.end() :].split("/")[1:]
    while steps:
        word = steps.pop(0)
        if word in _SCHEMAS or word in _NAMED or word in _DEFINITIONS:
            if not steps:
                return False
            steps.pop(0)
        elif word not in _SCHEMA:
            return False
    return True
