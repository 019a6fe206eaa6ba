"""Authority records as `policy check --authorities` reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from policy.check.catalog import AuthorityFacts
from policy.cli.outcome import UsageError
from policy.model.bounds import pointer_of
from policy.model.context import AuthorityRecord
from policy.model.reader import Document


def read_authorities(document: Document) -> tuple[AuthorityFacts, ...]:
    """The records of a file: a list of them, or an object of principal id to record.

    In an object `principal_id` is the name; `kind` may be left out for a human and `person_id` where it is the id.
    Raises UsageError for a malformed record.
    """
    return tuple(_facts(document, pointer, record) for pointer, record in _records(document))


def _records(document: Document) -> Iterator[tuple[str, Any]]:
    value = document.value
    if isinstance(value, list):
        yield from ((pointer_of([index]), record) for index, record in enumerate(value))
    elif isinstance(value, dict):
        for name, record in value.items():
            stated = {"principal_id": name, "kind": "human", "person_id": name}
            yield pointer_of([name]), {**stated, **record} if isinstance(record, dict) else record
    else:
        raise UsageError(f"`{document.name}` must hold a list of authority records, or an object of id to record")


def _facts(document: Document, pointer: str, value: Any) -> AuthorityFacts:
    try:
        record = AuthorityRecord.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = pointer + pointer_of(list(problem["loc"]))
        line, column = document.position(where) or (1, 1)
        message = problem["msg"][:1].lower() + problem["msg"][1:]
        raise UsageError(f"{document.name}:{line}:{column}: authority record at `{where}`: {message}") from None
    return AuthorityFacts(
        principal_id=record.principal_id,
        kind=record.kind,
        person_id=record.person_id,
        tenant_id=record.tenant_id,
        roles=frozenset(record.roles or ()),
        groups=frozenset(record.groups or ()),
        tenant_policies=frozenset(record.tenant_policies or ()),
        external_systems=frozenset(record.external_systems or ()),
        delegated_scopes=tuple(each.scope for each in record.delegated_scopes or () if not each.revoked),
        attributes=record.attributes or {},
        revoked=record.revoked,
    )
