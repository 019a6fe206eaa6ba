"""Keywords of a JSON Schema that are probably misspelt: an unknown keyword is legal, and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from policy.model.bounds import pointer_of
from policy.source.suggest import within

_SCHEMA = (
    *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
"""Keywords whose value is a schema."""
_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
"""Keywords whose value is a list of schemas."""
_NAMED = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
"""Keywords whose value holds schemas by name."""
_OTHER = (
    *("$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary", "const"),
    *("contentEncoding", "contentMediaType", "default", "dependentRequired", "deprecated", "description", "enum"),
    *("examples", "exclusiveMaximum", "exclusiveMinimum", "format", "maxContains", "maxItems", "maxLength"),
    *("maxProperties", "maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf"),
    *("pattern", "readOnly", "required", "title", "type", "uniqueItems", "writeOnly"),
)
_KNOWN = frozenset((*_SCHEMA, *_SCHEMAS, *_NAMED, *_OTHER))
_ELSEWHERE = frozenset(("dependencies", "discriminator", "example", "externalDocs", "id", "nullable", "xml"))
"""Words of older drafts and of OpenAPI: known not to be slips."""
_EDITS = 2
_SHORTEST = 4


def misspelt_keywords(schema: object) -> Iterator[tuple[str, str, str]]:
    """JSON Pointer, keyword and the known keyword that it is near to, for each within two edits of a known one."""
    stack = [(schema, "")]
    while stack:
        here, pointer = stack.pop()
        if not isinstance(here, dict):
            continue
        for word, value in here.items():
            below = pointer + pointer_of([word])
            if word in _SCHEMA:
                stack.append((value, below))
            elif word in _SCHEMAS and isinstance(value, list):
                stack += [(each, below + pointer_of([at])) for at, each in enumerate(value)]
            elif word in _NAMED and isinstance(value, dict):
                stack += [(each, below + pointer_of([name])) for name, each in value.items()]
            elif word not in _KNOWN | _ELSEWHERE and len(word) >= _SHORTEST and not word.startswith("x-"):
                meant = within(word, _KNOWN, _EDITS)
                if meant is not None and len(meant) >= _SHORTEST:
                    yield below, word, meant
