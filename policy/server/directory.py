"""Stored attributes of subjects, and what approvers may decide: one file that both are read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from pydantic import RootModel, ValidationError

from policy.model.base import Identifier, Json, Model, Timestamp
from policy.model.bounds import pointer_of
from policy.model.context import AuthorityRecord, DelegatedScope, Principal, PrincipalKind


class Entry(Model):
    """What is stored of one principal. What is not stated is unknown; `[]` is stated."""

    kind: PrincipalKind = "human"
    """What it is."""
    person_id: Identifier | None = None
    """The person behind it; None: the principal's own id."""
    tenant_id: Identifier | None = None
    """The tenant it belongs to."""
    display_name: str | None = None
    """For people; never compared."""
    roles: list[Identifier] | None = None
    """Roles held."""
    groups: list[Identifier] | None = None
    """Groups, nested ones expanded."""
    attributes: dict[str, Json] | None = None
    """Attributes: e-mail, department, ..."""
    tenant_policies: list[Identifier] | None = None
    """Tenant policies that name it as an approver."""
    external_systems: list[Identifier] | None = None
    """External systems that vouch for it as an approver."""
    delegated_scopes: list[DelegatedScope] | None = None
    """Authority delegated to it as an approver."""
    expires_at: Timestamp | None = None
    """When the entry ends."""
    revoked: bool = False
    """Whether it was taken back."""
    may_revoke: bool = False
    """Whether it may withdraw other people's votes."""


class DirectoryFile(RootModel[dict[Identifier, Entry]]):
    """The file: principal id to entry."""


class Principals(Protocol):
    """Stored principals."""

    @property
    def error(self) -> str | None:
        """What is wrong with where they come from; None where nothing is."""

    def principal(self, principal_id: str, kind: PrincipalKind) -> Principal:
        """The principal with everything that is stored of it.

        Raises LookupError where what is stored may not be used: it was revoked, or is of another kind.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """Principals by id. It is an authority resolver too, so that approvers need no second file."""

    entries: Mapping[str, Entry] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Principal id to what is stored."""

    @property
    def error(self) -> str | None:
        """Nothing: they are given once."""
        return None

    def principal(self, principal_id: str, kind: PrincipalKind) -> Principal:
        """The principal with everything that is stored of it. Raises LookupError as `Principals` says."""
        entry = self.entries.get(principal_id)
        if entry is None:
            return Principal(id=principal_id, kind=kind)
        if entry.revoked or entry.kind != kind:
            raise LookupError(principal_id)
        return Principal(
            id=principal_id,
            kind=kind,
            person_id=entry.person_id or principal_id,
            tenant_id=entry.tenant_id,
            display_name=entry.display_name,
            roles=entry.roles,
            groups=entry.groups,
            attributes=entry.attributes,
        )

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        """What a principal may decide; None for an unknown one. The engine compares the tenants."""
        entry = self.entries.get(principal_id)
        if entry is None:
            return None
        return AuthorityRecord(
            principal_id=principal_id,
            kind=entry.kind,
            person_id=entry.person_id or principal_id,
            tenant_id=entry.tenant_id,
            roles=entry.roles,
            groups=entry.groups,
            tenant_policies=entry.tenant_policies,
            external_systems=entry.external_systems,
            delegated_scopes=entry.delegated_scopes,
            attributes=entry.attributes,
            expires_at=entry.expires_at,
            revoked=entry.revoked,
            may_revoke=entry.may_revoke,
        )


def read_directory(value: Any, name: str) -> Directory:
    """The directory of a parsed file. Raises ValueError with a sentence that names the file and the place."""
    try:
        return Directory(entries=MappingProxyType(dict(DirectoryFile.model_validate(value).root)))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        message = problem["msg"][:1].lower() + problem["msg"][1:]
        raise ValueError(f"`{name}` at `{pointer_of(list(problem['loc']))}`: {message}") from None
