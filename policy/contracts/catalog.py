"""One loader for every file that holds capabilities (interfaces.md section 2): told apart by shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from policy.check.catalog import Catalog
from policy.contracts.admission import Admission, Bound, admit_checked
from policy.contracts.facts import capability_facts
from policy.contracts.mcp import read_tools
from policy.contracts.openapi import read_operations
from policy.contracts.place import Place
from policy.model.admitted import AdmittedCapability
from policy.model.bounds import copy_json, find_excess
from policy.model.mistakes import quoted
from policy.model.reader import DataError, read_file
from policy.source.diagnostic import Diagnostic
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass

CatalogKind = Literal["capability", "capabilities", "AIP manifest", "OpenAPI document", "MCP tool list", "unknown"]
"""What a file was taken for; `unknown` where it could not be read."""

_PARTS = 10_000_000
_LEVELS_AROUND = 8
"""Levels that a catalog may wrap around a capability."""
_DECLARATION = {"version", "enabled", "scope"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedCatalog:
    """What a catalog file holds. Capabilities with an error are not in it; the diagnostics say which and why."""

    name: str
    """The file, as shown to people."""
    kind: CatalogKind
    """What the file was taken for."""
    capabilities: Mapping[str, AdmittedCapability] = field(repr=False)
    """Id to capability, in the order of the file."""
    diagnostics: tuple[Diagnostic, ...]
    """Every finding, errors and warnings."""

    @property
    def view(self) -> Catalog:
        """What lint needs to know of the capabilities."""
        return Catalog(
            capabilities=tuple(capability_facts(each) for each in self.capabilities.values()),
            findings=self.diagnostics,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """The value of a catalog that nobody else holds, and how to read it."""

    value: Any
    place: Place
    limits: Limits
    server: str
    trust_annotations: bool


def load_catalog(
    path: str | Path,
    limits: Limits = DEFAULT_LIMITS,
    *,
    server: str | None = None,
    trust_annotations: bool = False,
) -> LoadedCatalog:
    """Load a catalog file, JSON or YAML 1.2, of at most `limits.catalog_bytes`. Never raises for what it holds.

    `server` names the MCP server whose tools a list holds (default: the file's name without ending);
    `trust_annotations` says that this server's hints are believed.
    """
    name = str(path)
    try:
        document = read_file(path, limits, catalog=True)
    except DataError as error:
        finding = replace(
            Place(file=name).error("catalog.unreadable", error.message), line=error.line, column=error.column
        )
        return LoadedCatalog(name=name, kind="unknown", capabilities={}, diagnostics=(finding,))
    source = _Source(
        value=document.value,
        place=Place(file=name, positions=document.positions),
        limits=limits,
        server=Path(name).stem if server is None else server,
        trust_annotations=trust_annotations,
    )
    return _catalog(name, source)


def read_catalog(
    value: object,
    name: str,
    limits: Limits = DEFAULT_LIMITS,
    *,
    server: str | None = None,
    trust_annotations: bool = False,
) -> LoadedCatalog:
    """Read a catalog from JSON-like data, as `load_catalog` does from a file. Never raises for data."""
    place = Place(file=name)
    bounds = replace(
        limits,
        data_bytes=limits.catalog_bytes,
        data_nodes=_PARTS,
        data_depth=limits.data_depth + _LEVELS_AROUND,
    )
    excess = find_excess(value, bounds)
    if excess is not None:
        finding = place.below(excess.pointer).error("catalog.unreadable", f"the value {excess.problem}")
        return LoadedCatalog(name=name, kind="unknown", capabilities={}, diagnostics=(finding,))
    source = _Source(
        value=_own(value),
        place=place,
        limits=limits,
        server=Path(name).stem if server is None else server,
        trust_annotations=trust_annotations,
    )
    return _catalog(name, source)


def _catalog(name: str, source: _Source) -> LoadedCatalog:
    kinds = _kinds(source.value)
    if len(kinds) != 1:
        finding = source.place.error("catalog.shape_unknown", _shape_problem(source.value, kinds))
        return LoadedCatalog(name=name, kind="unknown", capabilities={}, diagnostics=(finding,))
    bound = _read(kinds[0], source)
    findings = [*bound.diagnostics, *(found for each in bound.admissions for found in _about(each))]
    capabilities = _unique(bound.admissions, source.place, findings)
    return LoadedCatalog(
        name=name, kind=kinds[0], capabilities=MappingProxyType(capabilities), diagnostics=tuple(findings)
    )


def _about(admission: Admission) -> Iterable[Diagnostic]:
    """What was found about one document, with the id of its capability."""
    if admission.capability is None:
        return admission.diagnostics
    return (replace(found, capability=admission.capability.id) for found in admission.diagnostics)


def _kinds(value: object) -> list[CatalogKind]:
    """Everything that the value could be."""
    if isinstance(value, list):
        return ["capabilities"]
    if not isinstance(value, Mapping):
        return []
    kinds: list[CatalogKind] = []
    if "acc" in value or "input_schema" in value:
        kinds.append("capability")
    if isinstance(value.get("capabilities"), list):
        kinds.append("AIP manifest")
    if "openapi" in value or "swagger" in value:
        kinds.append("OpenAPI document")
    if isinstance(_tools(value).get("tools"), list):
        kinds.append("MCP tool list")
    return kinds


def _tools(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of `tools/list`, taken out of a JSON-RPC response where it stands in one."""
    result = value.get("result")
    return result if "jsonrpc" in value and isinstance(result, Mapping) else value


def _shape_problem(value: object, kinds: list[CatalogKind]) -> str:
    if kinds:
        return f"the file could be a {' or a '.join(kinds)}; keep one of them"
    if isinstance(value, Mapping) and value.keys() >= _DECLARATION:
        return "the file is a bare ACC declaration; write it as the member `acc` beside an `input_schema`"
    return "the file is no capability, list of them, AIP manifest, OpenAPI document or MCP tool list; give one of these"


def _read(kind: CatalogKind, source: _Source) -> Bound:
    value, place = source.value, source.place
    match kind:
        case "OpenAPI document":
            return read_operations(value, place, source.limits)
        case "MCP tool list":
            return read_tools(
                _tools(value),
                place if "tools" in value else place.at("result"),
                source.limits,
                server=source.server,
                trust_annotations=source.trust_annotations,
            )
        case "AIP manifest":
            return _documents(value["capabilities"], place.at("capabilities"), source.limits)
        case "capabilities":
            return _documents(value, place, source.limits)
        case _:
            return Bound(admissions=(_document(value, place, source.limits),), diagnostics=())


def _documents(documents: list[Any], place: Place, limits: Limits) -> Bound:
    admissions = tuple(_document(document, place.at(position), limits) for position, document in enumerate(documents))
    return Bound(admissions=admissions, diagnostics=())


def _document(document: object, place: Place, limits: Limits) -> Admission:
    if not isinstance(document, dict):
        return _refused(place, "the capability must be an object")
    excess = find_excess(document, limits)
    if excess is not None:
        return _refused(place.below(excess.pointer), f"the value {excess.problem}")
    declaration = document.get("acc")
    version = declaration.get("version") if isinstance(declaration, dict) else None
    return admit_checked(copy_json(document), place, version=version, limits=limits)


def _refused(place: Place, message: str) -> Admission:
    return Admission(capability=None, diagnostics=(place.error("document.malformed", message),))


def _unique(admissions: Iterable[Admission], place: Place, findings: list[Diagnostic]) -> dict[str, AdmittedCapability]:
    """The capabilities whose id is theirs alone: where two claim one, a policy could mean either."""
    first: dict[str, AdmittedCapability] = {}
    repeated: set[str] = set()
    for admission in admissions:
        capability = admission.capability
        if capability is None:
            continue
        if capability.id in first:
            repeated.add(capability.id)
            pointer = "" if capability.place is None else capability.place.pointer
            message = f"the id {quoted(capability.id)} is used twice, so neither capability is taken; rename one"
            findings.append(replace(place, pointer=pointer).error("catalog.duplicate_id", message))
        else:
            first[capability.id] = capability
    return {identifier: each for identifier, each in first.items() if identifier not in repeated}


def _own(value: Any) -> Any:
    """A copy that shares nothing mutable, numbers as they were written."""
    if isinstance(value, dict):
        return {name: _own(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_own(item) for item in value]
    return value
