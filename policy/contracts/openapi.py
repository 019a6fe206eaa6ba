"""The OpenAPI 3.0 and 3.1 binding of ACC (model.md section 2).

The declaration counts on operation objects only. An operation that carries none is no capability; one that carries
a declaration and is malformed, unsupported or not described well enough is skipped with a finding, never exposed in
a weaker form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from policy.contracts.admission import Admission, Bound, admit_checked
from policy.contracts.openapi_input import input_view, referred
from policy.contracts.openapi_schema import DIALECTS, Schemas, UnsupportedError
from policy.contracts.place import Place
from policy.model.bounds import Excess, copy_json, find_excess
from policy.model.mistakes import quoted
from policy.model.schema import CompiledSchema, compile_own
from policy.model.schema_shape import Problem
from policy.source.diagnostic import Diagnostic
from policy.source.limits import Limits
from policy.source.records import dataclass

EXTENSION = "x-agent-capability"
"""The member of an operation that holds the declaration."""

_VERBS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_VERSION = re.compile(r"3\.[01](?:\.[0-9]+)?(?:-.*)?", re.ASCII)
_MEMBERS: Mapping[str, str | None] = {
    "acc": "/" + EXTENSION,
    "id": "/operationId",
    "name": "/summary",
    "input_schema": None,
}


Compiled = dict[bytes, CompiledSchema | tuple[Problem, ...]]
"""What became of the schemas of one load, by a hash of their text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operation:
    """An operation object with its path, its verb and the parameters that its path item shares."""

    path: str
    verb: str
    shared: object
    content: Mapping[str, Any]


def read_operations(document: Mapping[str, Any], place: Place, limits: Limits) -> Bound:
    """Admit every operation that carries a declaration. Never raises for data.

    The document holds JSON only, is within bounds and belongs to nobody else.
    """
    problem = _problem(document, place)
    if problem is not None:
        return Bound(admissions=(), diagnostics=(problem,))
    schemas = Schemas(
        document=document, old=document["openapi"].startswith("3.0"), most=limits.data_nodes, known={}, depths={}
    )
    compiled: Compiled = {}
    admissions: list[Admission] = []
    findings = list(_misplaced(document, place))
    undeclared = 0
    for operation in _operations(document, schemas, place, findings):
        if EXTENSION in operation.content:
            admissions.append(_admit(operation, schemas, place, limits, compiled))
        else:
            undeclared += 1
    if undeclared:
        count = "1 operation carries" if undeclared == 1 else f"{undeclared:,} operations carry"
        message = f"{count} no `{EXTENSION}`, so none of them is a capability"
        findings.append(place.at("paths").warning("openapi.operations_undeclared", message))
    return Bound(admissions=tuple(admissions), diagnostics=tuple(findings))


def _problem(document: Mapping[str, Any], place: Place) -> Diagnostic | None:
    """What keeps the whole document from being read."""
    version = document.get("openapi", document.get("swagger"))
    if "openapi" not in document or not isinstance(version, str) or _VERSION.fullmatch(version) is None:
        message = f"OpenAPI {quoted(version)} is not supported; give a document of version 3.0 or 3.1"
        return place.error("openapi.unsupported_version", message)
    dialect = document.get("jsonSchemaDialect", DIALECTS[0])
    if dialect not in DIALECTS:
        message = f"the schema dialect {quoted(dialect)} is not supported; use Draft 2020-12"
        return place.at("jsonSchemaDialect").error("openapi.unsupported_version", message)
    if not isinstance(document.get("paths", {}), dict):
        return place.at("paths").error("openapi.malformed", "`paths` must be an object")
    return None


def _operations(
    document: Mapping[str, Any], schemas: Schemas, place: Place, findings: list[Diagnostic]
) -> Iterator[_Operation]:
    for path, written in document.get("paths", {}).items():
        if path.startswith("x-"):
            continue
        here = place.at("paths", path)
        try:
            item = _path_item(written, schemas)
        except UnsupportedError as error:
            findings.append(here.error("openapi.operation_skipped", str(error)))
            continue
        if EXTENSION in item:
            findings.append(_misplacement(here.at(EXTENSION)))
        for verb, operation in item.items():
            if verb not in _VERBS:
                continue
            if isinstance(operation, Mapping):
                yield _Operation(path=path, verb=verb, shared=item.get("parameters", []), content=operation)
            else:
                message = "the operation is no object; correct it"
                findings.append(here.at(verb).error("openapi.operation_skipped", message))


def _path_item(written: object, schemas: Schemas) -> Mapping[str, Any]:
    target = referred(written, schemas)
    if not isinstance(target, Mapping):
        raise UnsupportedError("the path item is no object; correct it")
    if isinstance(written, Mapping) and target is not written:
        beside = {name: value for name, value in written.items() if name != "$ref"}
        if beside.keys() & target.keys():
            raise UnsupportedError("the path item says the same thing as the one it refers to; say it once")
        return {**target, **beside}
    return target


def _misplaced(document: Mapping[str, Any], place: Place) -> Iterator[Diagnostic]:
    for where in ((), ("info",), ("paths",), ("components",)):
        at: object = document
        for step in where:
            at = at.get(step) if isinstance(at, Mapping) else None
        if isinstance(at, Mapping) and EXTENSION in at:
            yield _misplacement(place.at(*where, EXTENSION))


def _misplacement(here: Place) -> Diagnostic:
    message = f"`{EXTENSION}` counts on an operation only and is ignored here; move it to one"
    return here.warning("openapi.extension_misplaced", message)


def _admit(operation: _Operation, schemas: Schemas, place: Place, limits: Limits, compiled: Compiled) -> Admission:
    content, verb = operation.content, operation.verb.upper()
    here = replace(place.at("paths", operation.path, operation.verb), members=_MEMBERS)
    identifier = content.get("operationId", f"{verb} {operation.path}")
    if not isinstance(identifier, str) or not identifier:
        return _skipped(here, f"`operationId` is {quoted(identifier)}; give it a name")
    try:
        view = input_view(content, operation.shared, operation.path, schemas)
    except UnsupportedError as error:
        return _skipped(here, str(error))
    declaration = content[EXTENSION]
    raw = {
        "id": identifier,
        "name": _summary(content, identifier),
        "kind": "tool",
        "method": verb,
        "acc": {} if declaration is None else copy_json(declaration),
        "input_schema": view.schema,
    }
    if content.get("deprecated") is True:
        raw["stability"] = "deprecated"
    # One text serves for the bounds and to tell schemas apart: members in one order, `true` and `1` different.
    text = json.dumps(view.schema, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    excess = _excess(raw, text, view.depth, limits)
    if excess is not None:
        return _skipped(here, f"what describes the operation {excess.problem}; describe it with less")
    version = declaration.get("version") if isinstance(declaration, dict) else None
    admission = admit_checked(
        raw,
        here,
        version=version,
        limits=limits,
        conflicting=view.conflicting,
        compile=lambda schema: _once(compiled, sha256(text).digest(), schema),
    )
    if admission.capability is not None and not admission.capability.supported_version:
        return replace(admission, capability=None)
    return admission


def _excess(raw: dict[str, Any], text: bytes, depth: int, limits: Limits) -> Excess | None:
    """What leaves the bounds. Most operations are so small that their schema's text shows that nothing does."""
    half = replace(limits, data_bytes=limits.data_bytes // 2, data_nodes=limits.data_nodes // 2)
    parts = 1 + sum(text.count(mark) for mark in (b",", b"[", b"{"))
    small = len(text) <= half.data_bytes and parts <= half.data_nodes and depth < limits.data_depth
    if small and find_excess({**raw, "input_schema": True}, half) is None:
        return None
    return find_excess(raw, limits)


def _once(compiled: Compiled, key: bytes, schema: dict[str, Any] | bool) -> CompiledSchema | tuple[Problem, ...]:
    """Compile each schema once in one load: many operations take the same input."""
    if key not in compiled:
        compiled[key] = compile_own(schema)
    return compiled[key]


def _skipped(here: Place, message: str) -> Admission:
    return Admission(capability=None, diagnostics=(here.error("openapi.operation_skipped", message),))


def _summary(operation: Mapping[str, Any], identifier: str) -> str:
    summary = operation.get("summary")
    return summary if isinstance(summary, str) and summary.strip() else identifier
