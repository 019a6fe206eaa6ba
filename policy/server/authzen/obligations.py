"""Obligations extension (draft 1 of 2026-10-06): what a caller must do with a permit it enforces.

An obligation is mandatory, so it goes only to a caller that says, with each request and in its `context`, that it
enforces them: `supported_mandatory_extensions` holds `obligations` and `supported_obligations` holds the type. For any
other caller a permit with obligations is a plain denial, before anything of an approval is spent. The type is
`custom`: the properties are those of the engine's own obligations.

The earlier draft (Obligations Profile) sent obligations to everybody and left the refusal to the caller; the later one
is the stricter, and is what is done here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

CAPABILITY = "urn:openid:authzen:capability:obligations"
"""How the metadata name the extension."""
TYPE = "custom"
"""The one type that is issued."""
UNSUPPORTED = "obligations_unsupported"
"""The reason of a denial whose only cause is that the caller does not enforce obligations."""
_EXTENSION = "obligations"


def adopted(context: Mapping[str, Any] | None) -> bool:
    """Whether the context of a request says that its caller enforces obligations of our type."""
    stated = context or {}
    extensions, types = stated.get("supported_mandatory_extensions"), stated.get("supported_obligations")
    return isinstance(extensions, list) and _EXTENSION in extensions and isinstance(types, list) and TYPE in types


def obligation_objects(obligations: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The obligations of a decision, as JSON, in the extension's form."""
    return [
        {
            "id": f"obligation-{number}",
            "type": TYPE,
            "properties": {name: part for name, part in each.items() if part not in (None, [], {})},
        }
        for number, each in enumerate(obligations, start=1)
    ]
