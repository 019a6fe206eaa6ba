"""Looking up the fragment references of one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from policy.source.records import dataclass

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Fragments:
    """The places of a document that `#`, `#/pointer` and `#anchor` name."""

    document: object

    def find(self, reference: str) -> object | None:
        """What a reference names, or None where it leaves the document or names nothing."""
        if not reference.startswith("#"):
            return None
        fragment = unquote(reference[1:])
        if fragment and not fragment.startswith("/"):
            return _anchors(self.document).get(fragment)
        return follow(self.document, fragment)

    def targets(self, schema: Mapping[str, object]) -> list[object]:
        """The schemas that `$ref` and `$dynamicRef` of a schema name; what cannot be found admits anything."""
        references = [schema.get(word) for word in ("$ref", "$dynamicRef")]
        found = [self.find(reference) for reference in references if isinstance(reference, str)]
        return [True if target is None else target for target in found]


def follow(document: object, pointer: str) -> object | None:
    """What a JSON Pointer (RFC 6901, already percent-decoded) names, or None."""
    at = document
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(at, Mapping):
            at = at.get(name, _ABSENT)
        elif isinstance(at, list) and name.isascii() and name.isdigit() and int(name) < len(at):
            at = at[int(name)]
        else:
            return None
        if at is _ABSENT:
            return None
    return at


def _anchors(document: object) -> dict[str, object]:
    anchors: dict[str, object] = {}
    waiting = [document]
    while waiting:
        at = waiting.pop()
        if isinstance(at, Mapping):
            for word in ("$anchor", "$dynamicAnchor"):
                name = at.get(word)
                if isinstance(name, str):
                    anchors.setdefault(name, at)
            waiting.extend(at.values())
        elif isinstance(at, list):
            waiting.extend(at)
    return anchors
