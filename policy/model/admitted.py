"""A capability after admission: what the engine knows of it, in the engine's own terms.

A contract declares; it never grants. Everything here comes from a capability document that was admitted
without an error (policy.contracts.admission); the engine never reads a raw document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from policy.check.catalog import CatalogPlace
from policy.ir import nodes as ir
from policy.model.acc import AccDeclaration
from policy.model.capability import Capability
from policy.model.contract import Contract
from policy.source.records import dataclass
from policy.types.values import RiskLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaViolation:
    """One way in which an input breaks its schema."""

    pointer: str
    """JSON Pointer (RFC 6901) into the input."""
    message: str
    """A sentence for a person."""


class InputSchema(Protocol):
    """A compiled input schema."""

    def violations(self, value: object) -> tuple[SchemaViolation, ...]:
        """Every violation, empty where the value is valid. Never raises for data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccCondition:
    """One item of ACC's `approval.when`, its parameter resolved against the input schema."""

    steps: tuple[str, ...]
    """The member names that lead to the parameter, at least one; a name may hold dots. At an array on the way the
    rest applies to every item; an array at the end is the value itself."""
    operator: str
    """> >= < <= == != in contains exists."""
    value: object
    """What is compared with, a JSON value; None for `exists`. For > >= < <= a number, for `in` a list."""
    label: str | None
    """The declaration's words for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittedCapability:
    """One capability, normalised from its AIP contract, its ACC declaration or both."""

    document: Capability = field(repr=False)
    """The validated document, with nothing shared with what the caller gave."""
    id: str
    """The capability id."""
    scope: str | None
    """The ACC declaration's scope, else the deployment's; None where neither gives one."""
    scope_wellformed: bool
    """False where the scope or the id has an empty segment, white space, a control or non-ASCII character: no
    pattern matches it. The verb and the space of an operation's id (`GET /orders`) are well-formed."""
    enabled: bool
    """ACC's `enabled`; true without a declaration."""
    callable: bool
    """False for kind `resource`."""
    supported_version: bool
    """False where the ACC declaration has another integer version than 1; nothing else of it was read then."""
    subject_required: bool
    """ACC's `subject.required`."""
    effects: tuple[str, ...] | None
    """The contract's side effects where it lists any, else `read` where ACC declares `readonly`, else None: unknown."""
    readonly: bool
    """True only where the effects are exactly `read` and ACC does not declare the contrary."""
    declared_risk: RiskLevel
    """The most severe declared or default level of the formats present (language.md section 7)."""
    contract: Contract | None
    """The AIP contract."""
    acc: AccDeclaration | None
    """The ACC declaration."""
    acc_conditions: tuple[AccCondition, ...]
    """ACC's `approval.when`, resolved: any of them asks for approval."""
    contract_approval: ir.Approval | None
    """The AIP approval policy as an approval with the id `contract`; None where the contract has none."""
    input_schema: InputSchema = field(repr=False)
    """The compiled input schema."""
    digest: str
    """64 hexadecimal digits: SHA-256 over the RFC 8785 form of the normalised document without name,
    description, guidance, cost and bindings."""
    facts: Mapping[str, object] = field(repr=False)
    """Runtime values (policy.types.values) of the built-in names `capability` {id, name, kind, stability}, `contract`,
    `scope`, `effects`, `readonly` and `declared_risk`; a name or member without a value is left out. In `contract`
    the words are text, `data.sensitivity` is a Sensitivity and lengths of time (`*_ms`) are numbers."""
    place: CatalogPlace | None = field(default=None, repr=False, compare=False)
    """Where the document was read; None where it came without a file."""
