"""Admission: from a capability document to what the engine knows of it.

Nothing is repaired and nothing is read in a weaker form: a document with an error gives no capability. The one
exception can only refuse: an ACC declaration of another integer version gives a capability that every decision
denies, so that the reason names the version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from policy.check.catalog import CatalogPlace
from policy.contracts.acc import ParsedDeclaration, bind_conditions, parse_declaration
from policy.contracts.aip import aip_findings
from policy.contracts.aip_approval import contract_approval
from policy.contracts.facts import contradicts_readonly, declared_risk_of, effects_of, facts_of, is_readonly
from policy.contracts.keywords import misspelt_keywords
from policy.contracts.place import Place
from policy.contracts.shape import shape_findings
from policy.ir import nodes as ir
from policy.ir.alternatives import quorum_of
from policy.model.admitted import AccCondition, AdmittedCapability, InputSchema
from policy.model.bounds import copy_json, find_excess
from policy.model.canonical import sha256_hex
from policy.model.capability import UNDIGESTED, Capability, filled_in
from policy.model.mistakes import quoted
from policy.model.schema import CompiledSchema, compile_own
from policy.model.schema_shape import Problem
from policy.source.diagnostic import Diagnostic
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass
from policy.types.patterns import identifier_is_wellformed, scope_is_wellformed

Compile = Callable[[dict[str, Any] | bool], CompiledSchema | tuple[Problem, ...]]
"""Compiles a schema, or says at which JSON Pointer what keeps it from being used."""

_REFUSING_ONLY = frozenset({"acc.unsupported_version"})
"""Errors that leave a capability behind, which no decision allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What became of one document: the capability, None where an error kept it out, and every finding."""

    capability: AdmittedCapability | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A document on its way, with what was found so far."""

    document: Capability
    declaration: ParsedDeclaration | None
    schema: InputSchema
    conditions: tuple[AccCondition, ...]
    approval: ir.Approval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What a binding made of its carrier: an admission for each operation or tool, and what was found beside them."""

    admissions: tuple[Admission, ...]
    diagnostics: tuple[Diagnostic, ...]


def admit(
    document: Capability | Mapping[str, Any],
    file: str | None = None,
    pointer: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> Admission:
    """Admit one capability document (interfaces.md section 2), given as a model or as plain JSON-like data.

    `file` and `pointer` say where it stands, for the findings. Never raises for data. The caller keeps what it
    admitted; nothing is remembered here, and a later change of the argument changes nothing.
    """
    place = Place(file=file, pointer=pointer)
    raw = _plain(document)
    if not isinstance(raw, dict):
        return _refused(place.error("document.malformed", "the capability must be an object"))
    excess = find_excess(raw, limits)
    if excess is not None:
        message = f"the value {excess.problem}"
        return _refused(place.below(excess.pointer).error("document.malformed", message))
    return admit_checked(copy_json(raw), place, version=_version(raw), limits=limits)


def admit_checked(
    raw: dict[str, Any],
    place: Place,
    *,
    version: object,
    limits: Limits = DEFAULT_LIMITS,
    conflicting: frozenset[str] = frozenset(),
    authored: bool = True,
    compile: Compile = compile_own,
) -> Admission:
    """Admit a document that is within bounds and belongs to nobody else.

    `version` is the declaration's version before numbers were normalised. `conflicting` are inputs that no condition
    may rest on. A contract that a binding wrote (`authored` false) is not warned about. `compile` compiles schemas.
    """
    findings: list[Diagnostic] = []
    parsed = _parsed(raw, version, place)
    if parsed is not None:
        findings.extend(parsed.diagnostics)
    document = _document(raw, parsed, place, findings)
    findings.extend(each for each in aip_findings(filled_in(raw), place) if authored or each.is_error)
    schema = _schemas(raw, place, findings, compile)
    if document is None or schema is None or _blocked(findings):
        return Admission(capability=None, diagnostics=tuple(findings))
    conditions = _conditions(document, parsed, place, conflicting, findings)
    approval = _approval(document, place, limits, findings)
    _scopes(document, place, findings)
    if _blocked(findings):
        return Admission(capability=None, diagnostics=tuple(findings))
    draft = _Draft(document=document, declaration=parsed, schema=schema, conditions=conditions, approval=approval)
    return Admission(capability=_admitted(draft, place), diagnostics=tuple(findings))


def document_digest(document: Capability) -> str:
    """64 hexadecimal digits: SHA-256 over the RFC 8785 form of the document with its defaults.

    Without `name`, `description`, `cost`, `bindings` and the declaration's `guidance`; members that ACC does not know
    were never read.
    """
    schemas = {"input_schema": document.input_schema, "output_schema": document.output_schema}
    dumped = document.model_dump(mode="json", exclude={*UNDIGESTED, *schemas, "auth"})
    if document.acc is not None:
        dumped["acc"].pop("guidance", None)
    return sha256_hex({**dumped, **schemas, "auth": document.auth})


def _plain(document: object) -> object:
    """The document as plain data; what cannot be said in JSON comes back as it is, for the bounds to refuse."""
    if not isinstance(document, Capability):
        return document
    try:
        return document.model_dump(by_alias=True)
    except (ValueError, RecursionError):
        # A model holds free JSON members by reference; one that refers to itself cannot be written out.
        return None


def _refused(finding: Diagnostic) -> Admission:
    return Admission(capability=None, diagnostics=(finding,))


def _blocked(findings: list[Diagnostic]) -> bool:
    return any(finding.is_error and finding.code not in _REFUSING_ONLY for finding in findings)


def _version(raw: dict[str, Any]) -> object:
    declaration = raw.get("acc")
    return declaration.get("version") if isinstance(declaration, dict) else None


def _parsed(raw: dict[str, Any], version: object, place: Place) -> ParsedDeclaration | None:
    declaration = raw.get("acc")
    if declaration is None:
        return None
    if isinstance(declaration, dict) and "version" in declaration:
        declaration = {**declaration, "version": version}
    return parse_declaration(declaration, place.at("acc"))


def _document(
    raw: dict[str, Any], parsed: ParsedDeclaration | None, place: Place, findings: list[Diagnostic]
) -> Capability | None:
    """The validated document. Where the declaration is invalid the rest is looked at all the same."""
    written = filled_in(raw)
    if parsed is not None and parsed.declaration is None:
        written = {name: value for name, value in written.items() if name not in ("acc", "method")}
        if "id" not in written:
            return None
    elif parsed is not None:
        written = {**written, "acc": parsed.declaration}
    try:
        return Capability.model_validate(written)
    except ValidationError as error:
        findings.extend(shape_findings(error, written, place, Capability))
        return None


def _schemas(raw: dict[str, Any], place: Place, findings: list[Diagnostic], compile: Compile) -> CompiledSchema | None:
    """The compiled input schema, None where one of the two schemas is refused."""
    compiled: dict[str, CompiledSchema | None] = {}
    for member in ("input_schema", "output_schema"):
        schema = raw.get(member)
        if not isinstance(schema, dict | bool):
            continue
        result = compile(schema)
        if isinstance(result, tuple):
            here = place.at(member)
            for pointer, message in result:
                shown = f"{message} (at `{pointer}` of the input schema)" if here.whole and pointer else message
                findings.append(here.below(pointer).error("aip.schema_invalid", shown))
        else:
            compiled[member] = result
            findings.extend(_slips(schema, place.at(member)))
    return compiled.get("input_schema")


def _slips(schema: object, place: Place) -> Iterator[Diagnostic]:
    for pointer, word, meant in misspelt_keywords(schema):
        message = f"{quoted(word)} is no keyword of JSON Schema, so it asks for nothing"
        yield place.below(pointer).warning("aip.schema_keyword", message, f"did you mean `{meant}`?")


def _conditions(
    document: Capability,
    parsed: ParsedDeclaration | None,
    place: Place,
    conflicting: frozenset[str],
    findings: list[Diagnostic],
) -> tuple[AccCondition, ...]:
    if document.acc is None or parsed is None or not parsed.supported:
        return ()
    bound = bind_conditions(document.acc, document.input_schema, place.at("acc"), conflicting)
    findings.extend(bound.diagnostics)
    return bound.conditions or ()


def _approval(document: Capability, place: Place, limits: Limits, findings: list[Diagnostic]) -> ir.Approval | None:
    if document.contract is None or document.contract.approval is None:
        return None
    here = place.at("contract", "approval")
    approval = contract_approval(document.contract.approval, place.file or document.id, here.pointer)
    if quorum_of(approval.need, limits.alternatives) is None:
        message = f"the rule can be met in more than {limits.alternatives} ways; write it with fewer choices"
        findings.append(here.at("rule").error("aip.too_many_alternatives", message))
    return approval


def _scopes(document: Capability, place: Place, findings: list[Diagnostic]) -> None:
    declared = None if document.acc is None else document.acc.scope
    if declared is not None and document.scope is not None and declared != document.scope:
        message = f"{quoted(document.scope)} is not the scope {quoted(declared)} that `acc` declares; leave one out"
        findings.append(place.at("scope").error("document.scope_conflict", message))
    scope = document.scope if declared is None else declared
    if scope is not None and not scope_is_wellformed(scope):
        message = f"no pattern matches the scope {quoted(scope)}; use words of letters, digits, `_`, `:`, `-` and dots"
        here = place.at("scope") if declared is None else place.at("acc", "scope")
        findings.append(here.warning("document.scope_malformed", message))
    if document.id != scope and not identifier_is_wellformed(document.id):
        message = f"no pattern matches the id {quoted(document.id)}; use visible ASCII without white space"
        findings.append(place.at("id").warning("document.id_malformed", message))
    if contradicts_readonly(document):
        message = "`readonly` and the contract's effects contradict each other; the capability counts as not readonly"
        findings.append(place.at("acc", "execution", "readonly").warning("document.readonly_conflict", message))


def _admitted(draft: _Draft, place: Place) -> AdmittedCapability:
    document, declaration = draft.document, draft.declaration
    acc = document.acc
    supported = declaration is None or declaration.supported
    scope = document.scope if acc is None else acc.scope
    risk = declared_risk_of(document, supported_version=supported)
    wellformed = identifier_is_wellformed(document.id) and (scope is None or scope_is_wellformed(scope))
    return AdmittedCapability(
        document=document,
        id=document.id,
        scope=scope,
        scope_wellformed=wellformed,
        enabled=acc is None or acc.enabled,
        callable=document.kind != "resource",
        supported_version=supported,
        subject_required=acc is not None and acc.subject.required,
        effects=effects_of(document),
        readonly=is_readonly(document),
        declared_risk=risk,
        contract=document.contract,
        acc=acc,
        acc_conditions=draft.conditions,
        contract_approval=draft.approval,
        input_schema=draft.schema,
        digest=document_digest(document),
        facts=facts_of(document, scope, risk),
        place=None if place.file is None else _catalog_place(place),
    )


def _catalog_place(place: Place) -> CatalogPlace:
    position = place.position
    return CatalogPlace(
        file=place.file or "",
        pointer=place.pointer,
        line=None if position is None else position[0],
        column=None if position is None else position[1],
    )
