"""The facts that conditions read (language.md section 4): runtime values of the built-in names.

Nothing is filled in: what the runtime does not state has no value. Absent is not empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from policy.backend.emit.support import Facts as FactTable
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.context import AuthorityRecord, Context, Principal
from policy.types.convert import Mismatch, member_to_runtime
from policy.types.instants import parse_timestamp
from policy.types.kinds import Field
from policy.types.names import CLAIM_MEMBERS
from policy.types.values import MISSING, Timestamp

Declared = Mapping[str, tuple[Field, ...]]
"""Declared names, each with what every layer that declares it says of it."""

ACTION_ROOTS = frozenset({"input", "mode", "idempotency_key", "transaction", "claims"})
"""Names that stand for the action: unknown while only the capability is."""


class Sources(NamedTuple):
    """Where facts come from. Without an `action` the names of `ACTION_ROOTS` have no value."""

    action: Action | None
    capability: AdmittedCapability
    context: Context
    now: Timestamp | None
    """The instant of the call; without it that of the context."""
    attributes: Mapping[str, object]
    """The values of `context.NAME`, converted."""
    declared: Declared
    """The declared attributes of principals."""


class Facts(FactTable):
    """The facts of one request, each built when it is first read; belongs to one decision and one thread.

    A name without a value is MISSING under `[]` and left out everywhere else.
    """

    __slots__ = ("_sources",)

    def __init__(self, sources: Sources) -> None:
        super().__init__()
        self._sources = sources

    def __missing__(self, name: str) -> object:
        if name[0] == "@":
            return MISSING
        builder = _BUILDERS.get(name)
        value = self._sources.capability.facts.get(name) if builder is None else builder(self._sources)
        if value is None:
            value = MISSING
        self[name] = value
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name, or `default`."""
        value = self[name]
        return default if value is MISSING else value

    def _fresh(self) -> Facts:
        return Facts(self._sources)

    def stated(self) -> dict[str, object]:
        """Every name that has a value, with it."""
        named = ((name, self[name]) for name in (*_BUILDERS, *_CAPABILITY_ROOTS, *tuple(self)))
        return {name: value for name, value in named if value is not MISSING and name[0] != "@"}


def attribute_values(declared: Declared, stated: Mapping[str, Any]) -> tuple[dict[str, object], list[tuple[str, str]]]:
    """Declared attributes as runtime values, and for each that is not as declared its path and the problem."""
    values: dict[str, object] = {}
    problems: list[tuple[str, str]] = []
    for name, fields in declared.items():
        for field in fields:
            value = member_to_runtime(stated.get(name, MISSING), field)
            if isinstance(value, Mismatch):
                problems.append((f"{name}{value.path}", value.problem))
                break
            if value is not MISSING:
                values[name] = value
    return values, problems


def principal_value(principal: Principal, declared: Declared) -> dict[str, object]:
    """A principal as conditions see it: its stated members, attributes of a declared type converted."""
    members = principal.__dict__
    stated: dict[str, object] = {"id": members["id"], "kind": members["kind"]}
    for name in _OPTIONAL:
        value = members[name]
        if value is not None:
            stated[name] = value
    if members["attributes"] is not None:
        stated["attributes"] = open_attributes(members["attributes"], declared)
    return stated


_OPTIONAL = ("person_id", "roles", "groups", "tenant_id", "trust_domain")
"""The members of a principal that conditions read, beside its id and kind."""


def open_attributes(stated: Mapping[str, Any], declared: Declared) -> dict[str, object]:
    """Attributes of a principal or record: a declared one that is not as declared has no value, others stand."""
    values = {name: value for name, value in stated.items() if name not in declared}
    known = {name: declared[name] for name in declared if name in stated}
    return {**values, **attribute_values(known, stated)[0]}


def record_value(record: AuthorityRecord, declared: Declared) -> dict[str, object]:
    """An authority record as conditions see it under `approver`."""
    stated: dict[str, object] = {"id": record.principal_id, "kind": record.kind, "person_id": record.person_id}
    for name in ("roles", "groups", "tenant_id"):
        value = getattr(record, name)
        if value is not None:
            stated[name] = value
    if record.attributes is not None:
        stated["attributes"] = open_attributes(record.attributes, declared)
    return stated


def _party(name: str) -> Callable[[Sources], object]:
    def build(sources: Sources) -> object:
        principal = getattr(sources.context, name)
        return None if principal is None else principal_value(principal, sources.declared)

    return build


def _delegators(sources: Sources) -> object:
    hops = sources.context.delegation
    return None if hops is None else [principal_value(hop.from_, sources.declared) for hop in hops]


def _now(sources: Sources) -> object:
    stated = sources.context.now
    return parse_timestamp(stated) if sources.now is None and stated is not None else sources.now


def _tenant(sources: Sources) -> object:
    return None if sources.context.tenant is None else {"id": sources.context.tenant.id}


def _credential(sources: Sources) -> object:
    credential = sources.context.credential
    if credential is None:
        return None
    stated: dict[str, object] = {}
    for name in ("id", "issuer", "scopes", "tenant_id"):
        value = getattr(credential, name)
        if value is not None:
            stated[name] = value
    if credential.expires_at is not None:
        stated["expires_at"] = parse_timestamp(credential.expires_at)
    return stated


def _transaction(sources: Sources) -> object:
    if sources.action is None:
        return None
    stated = sources.action.transaction
    if stated is None:
        return {"mode": "execute"}
    members = {"mode": stated.mode, "plan_id": stated.plan_id, "compensation_for": stated.compensation_for}
    return {name: value for name, value in members.items() if value is not None}


def _claims(sources: Sources) -> object:
    if sources.action is None:
        return None
    stated = ((name, getattr(sources.action, name)) for name in CLAIM_MEMBERS)
    return {name: value for name, value in stated if value is not None}


def _of_action(name: str) -> Callable[[Sources], object]:
    return lambda sources: None if sources.action is None else getattr(sources.action, name)


_BUILDERS: Mapping[str, Callable[[Sources], object]] = MappingProxyType(
    {
        "subject": _party("subject"),
        "requester": _party("requester"),
        "operator": _party("operator"),
        "delegators": _delegators,
        "tenant": _tenant,
        "route": lambda sources: sources.context.route,
        "session": lambda sources: sources.context.session,
        "region": lambda sources: sources.context.region,
        "now": _now,
        "credential": _credential,
        "context": lambda sources: sources.attributes,
        "input": _of_action("input"),
        "mode": _of_action("mode"),
        "idempotency_key": _of_action("idempotency_key"),
        "transaction": _transaction,
        "claims": _claims,
    }
)
_CAPABILITY_ROOTS = ("capability", "contract", "scope", "effects", "readonly", "declared_risk")
