"""The built-in names: type, who vouches for them, and whether they may be absent (language.md section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from policy.source.records import dataclass
from policy.types.contract import CONTRACT
from policy.types.functions import WEEKDAY
from policy.types.kinds import Basic, Field, ListOf, Record, Trust, Type, Vocabulary
from policy.types.vocabularies import (
    CAPABILITY_KIND,
    CONTRACT_VOCABULARIES,
    EFFECT,
    EVIDENCE_KIND,
    MODE,
    PRINCIPAL_KIND,
    STABILITY,
    TRANSACTION_MODE,
)

PARTIES = ("requester", "operator", "subject")
"""The three principals of an action, as AIP names them."""

CLAIM_MEMBERS = (
    "identity",
    "approval",
    "compliance",
    "delegation_chain",
    "federation",
    "conversation",
    "memory_context",
    "callback",
    "observability",
)
"""Members of an action that the caller states and nobody vouches for."""

VOCABULARIES: tuple[Vocabulary, ...] = (
    PRINCIPAL_KIND,
    CAPABILITY_KIND,
    STABILITY,
    MODE,
    TRANSACTION_MODE,
    EFFECT,
    EVIDENCE_KIND,
    WEEKDAY,
    *CONTRACT_VOCABULARIES,
)
"""Every closed set of bare words, beside risk levels and sensitivities."""


class Presence(Enum):
    """Whether a built-in always has a value when a condition is evaluated."""

    ALWAYS = "always"
    RUNTIME = "may be absent: the runtime may not state it"
    DECLARATION = "may be absent: the declaration may lack it"
    ACTION = "may be absent: the action may lack it"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltIn:
    """One built-in name. What lies below one that the runtime states may be absent as well."""

    name: str
    type: Type
    trust: Trust
    presence: Presence


def principal(attributes: Record) -> Record:
    """The type of a party; `attributes` is the type of its directory attributes."""
    return Record(
        "principal",
        (
            ("id", Field(Basic.STRING)),
            ("kind", Field(PRINCIPAL_KIND)),
            ("person_id", Field(Basic.STRING, optional=True)),
            ("roles", Field(ListOf(Basic.STRING), optional=True)),
            ("groups", Field(ListOf(Basic.STRING), optional=True)),
            ("tenant_id", Field(Basic.STRING, optional=True)),
            ("trust_domain", Field(Basic.STRING, optional=True)),
            ("attributes", Field(attributes, optional=True)),
        ),
    )


def approver(attributes: Record) -> Record:
    """The type of the authority record that `where` reads; `attributes` as for `principal`."""
    return Record(
        "approver",
        (
            ("id", Field(Basic.STRING)),
            ("kind", Field(PRINCIPAL_KIND)),
            ("person_id", Field(Basic.STRING)),
            ("tenant_id", Field(Basic.STRING, optional=True)),
            ("roles", Field(ListOf(Basic.STRING), optional=True)),
            ("groups", Field(ListOf(Basic.STRING), optional=True)),
            ("attributes", Field(attributes, optional=True)),
        ),
    )


_TENANT = Record("tenant", (("id", Field(Basic.STRING)),))

_CREDENTIAL = Record(
    "credential",
    (
        ("id", Field(Basic.STRING, optional=True)),
        ("issuer", Field(Basic.STRING, optional=True)),
        ("scopes", Field(ListOf(Basic.STRING), optional=True)),
        ("tenant_id", Field(Basic.STRING, optional=True)),
        ("expires_at", Field(Basic.TIMESTAMP, optional=True)),
    ),
)

_CAPABILITY = Record(
    "capability",
    (
        ("id", Field(Basic.STRING)),
        ("name", Field(Basic.STRING, optional=True)),
        ("kind", Field(CAPABILITY_KIND)),
        ("stability", Field(STABILITY, optional=True)),
    ),
)

_TRANSACTION = Record(
    "transaction",
    (
        ("mode", Field(TRANSACTION_MODE)),
        ("plan_id", Field(Basic.STRING, optional=True)),
        ("compensation_for", Field(Basic.STRING, optional=True)),
    ),
)

_CLAIMS = Record("claims", tuple((name, Field(Basic.JSON, optional=True)) for name in CLAIM_MEMBERS))

OPEN_ATTRIBUTES = Record("directory attributes", (), open=True)
"""Directory attributes where no `directory` block declares them."""


def built_in_names(attributes: Record, context: Record) -> Mapping[str, BuiltIn]:
    """Every name that a condition may read without declaring it, with the declared attributes filled in."""
    party = principal(attributes)
    runtime: tuple[tuple[str, Type, Presence], ...] = (
        *((name, party, Presence.RUNTIME) for name in PARTIES),
        ("delegators", ListOf(party), Presence.RUNTIME),
        ("tenant", _TENANT, Presence.RUNTIME),
        ("route", Basic.STRING, Presence.RUNTIME),
        ("session", Basic.STRING, Presence.RUNTIME),
        ("region", Basic.STRING, Presence.RUNTIME),
        ("credential", _CREDENTIAL, Presence.RUNTIME),
        ("now", Basic.TIMESTAMP, Presence.ALWAYS),
        ("context", context, Presence.ALWAYS),
        ("approver", approver(attributes), Presence.RUNTIME),
        ("capability", _CAPABILITY, Presence.ALWAYS),
        ("contract", CONTRACT, Presence.DECLARATION),
        ("scope", Basic.STRING, Presence.DECLARATION),
        ("effects", ListOf(EFFECT), Presence.DECLARATION),
        ("readonly", Basic.BOOLEAN, Presence.ALWAYS),
        ("declared_risk", Basic.RISK, Presence.ALWAYS),
        ("risk", Basic.RISK, Presence.ALWAYS),
    )
    operands: tuple[tuple[str, Type, Presence], ...] = (
        ("input", Basic.JSON, Presence.ALWAYS),
        ("mode", MODE, Presence.ALWAYS),
        ("idempotency_key", Basic.STRING, Presence.ACTION),
        ("transaction", _TRANSACTION, Presence.ALWAYS),
    )
    table = [_named(entry, Trust.TRUSTED) for entry in runtime]
    table += [_named(entry, Trust.OPERAND) for entry in operands]
    table.append(BuiltIn(name="claims", type=_CLAIMS, trust=Trust.UNVERIFIED, presence=Presence.ACTION))
    return MappingProxyType({entry.name: entry for entry in table})


def _named(entry: tuple[str, Type, Presence], trust: Trust) -> BuiltIn:
    name, type_, presence = entry
    return BuiltIn(name=name, type=type_, trust=trust, presence=presence)


BUILT_IN_NAMES: Mapping[str, BuiltIn] = built_in_names(OPEN_ATTRIBUTES, Record("context", ()))
"""The table without any declaration: names, trust and presence are the same under every policy."""
