"""The MCP binding: tools of a `tools/list` result (model.md section 2).

Annotations are hints of a server that may not be trusted. Untrusted, they are not heard at all: what an unannotated
tool may do is already the worst, and a hint could only make it less. Trusted, each says what it says, and what it
leaves out counts as MCP says: a tool that may write, delete and reach the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from policy.contracts.admission import Admission, Bound, admit_checked
from policy.contracts.openapi import EXTENSION
from policy.contracts.place import Place
from policy.model.bounds import copy_json, find_excess
from policy.model.mistakes import quoted, shown
from policy.source.diagnostic import Diagnostic
from policy.source.limits import Limits

_SERVER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*", re.ASCII)
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_MEMBERS: Mapping[str, str | None] = {
    "id": "/name",
    "name": "/title",
    "acc": f"/_meta/{EXTENSION}",
    "input_schema": "/inputSchema",
    "output_schema": "/outputSchema",
    "contract": None,
}


def is_server_name(text: str) -> bool:
    """Whether a text can stand for a server in a tool's id: letters, digits, `_` and `-`, no dot."""
    return _SERVER.fullmatch(text) is not None


def read_tools(
    listed: Mapping[str, Any], place: Place, limits: Limits, *, server: str, trust_annotations: bool
) -> Bound:
    """Admit every tool of a `tools/list` result under the id `mcp.<server>.<tool>`. Never raises for data.

    The result holds JSON only, is within bounds and belongs to nobody else. `server` is the deployment's name for the
    server, never the server's own.
    """
    findings: list[Diagnostic] = []
    if not is_server_name(server):
        message = f"the server name {quoted(server)} cannot be part of an id; use letters, digits, `_` and `-`"
        return Bound(admissions=(), diagnostics=(place.error("mcp.server_malformed", message),))
    if listed.get("nextCursor") is not None:
        message = "the list is one page of several; join the pages"
        findings.append(place.at("nextCursor").warning("mcp.list_incomplete", message))
    admissions = tuple(
        _admit(tool, place.at("tools", position), limits, server, trust_annotations)
        for position, tool in enumerate(listed["tools"])
    )
    return Bound(admissions=admissions, diagnostics=tuple(findings))


def effects_of_hints(annotations: Mapping[str, object], *, trusted: bool) -> list[str]:
    """The side effects that a tool's annotations leave possible."""
    if not trusted:
        return ["write", "delete", "external_network"]
    readonly = annotations.get("readOnlyHint") is True
    effects = ["read"] if readonly else ["write"]
    if not readonly and annotations.get("destructiveHint", True) is not False:
        effects.append("delete")
    if annotations.get("openWorldHint", True) is not False:
        effects.append("external_network")
    return effects


def _admit(tool: object, here: Place, limits: Limits, server: str, trusted: bool) -> Admission:
    if not isinstance(tool, Mapping):
        return _skipped(here, "the tool is no object; correct it")
    problem = next(_problems(tool), None)
    if problem is not None:
        return _skipped(here.at(*problem[:-1]), problem[-1])
    declared = tool.get("_meta", {}).get(EXTENSION)
    raw = copy_json(_document(tool, server, trusted))
    excess = find_excess(raw, limits)
    if excess is not None:
        return _skipped(here, f"what describes the tool {excess.problem}; describe it with less")
    version = declared.get("version") if isinstance(declared, dict) else None
    carried = replace(here, members=_MEMBERS)
    admission = admit_checked(raw, carried, version=version, limits=limits, authored=False)
    if admission.capability is not None and not admission.capability.supported_version:
        return replace(admission, capability=None)
    return admission


def _problems(tool: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """What keeps a tool from being read: where it stands, then a sentence."""
    name = tool.get("name")
    if not isinstance(name, str) or not name:
        yield "name", f"the tool's name is {shown(name)}; give it one"
    if not isinstance(tool.get("inputSchema"), dict):
        yield "inputSchema", "the tool has no input schema; describe its input"
    if not isinstance(tool.get("outputSchema", {}), dict):
        yield "outputSchema", "`outputSchema` must be an object"
    for member in ("annotations", "_meta"):
        if not isinstance(tool.get(member, {}), dict):
            yield member, f"`{member}` must be an object"
            return
    for hint in _HINTS:
        value = tool.get("annotations", {}).get(hint, False)
        if not isinstance(value, bool):
            yield "annotations", hint, f"`{hint}` is {shown(value)}; write `true` or `false`"


def _document(tool: Mapping[str, Any], server: str, trusted: bool) -> dict[str, Any]:
    annotations = tool.get("annotations", {})
    title = tool.get("title", annotations.get("title"))
    document: dict[str, Any] = {
        "id": f"mcp.{server}.{tool['name']}",
        "name": title if isinstance(title, str) and title.strip() else tool["name"],
        "kind": "tool",
        "description": tool.get("description"),
        "input_schema": tool["inputSchema"],
        "output_schema": tool.get("outputSchema"),
        "contract": _contract(annotations, trusted=trusted),
    }
    if EXTENSION in tool.get("_meta", {}):
        declaration = tool["_meta"][EXTENSION]
        document["acc"] = {} if declaration is None else declaration
    return document


def _contract(annotations: Mapping[str, object], *, trusted: bool) -> dict[str, Any]:
    """A contract that assumes the worst of what nobody vouches for."""
    repeatable = trusted and annotations.get("idempotentHint") is True
    return {
        "side_effects": effects_of_hints(annotations, trusted=trusted),
        "idempotency": {
            "requirement": "optional" if repeatable else "unsupported",
            "collision_behavior": "reject_conflict",
            "key_scope": "action",
        },
        "execution": {
            "supports_sync": True,
            "supports_async": False,
            "supports_streaming": False,
            "supports_cancel": False,
            "supports_retry": repeatable,
            "expected_completion": "sync",
            "retry_safety": "safe" if repeatable else "unknown",
        },
        "data": {"sensitivity": "unknown", "contains_pii": True, "redaction_required": True},
    }


def _skipped(here: Place, message: str) -> Admission:
    return Admission(capability=None, diagnostics=(here.error("mcp.tool_skipped", message),))
