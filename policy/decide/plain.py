"""Requests that are plainly well-formed, read quickly; `policy.decide.shape` reads and judges all the others.

A request is plain where nobody voted, nothing is delegated, no directory record and no executed action is stated, and
every value is surely of its type. Whatever is given is checked and copied here, a model as well as a mapping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from policy.decide.compiled import CompiledPolicy
from policy.decide.owned import owned_action, owned_context
from policy.decide.shape import ill_typed
from policy.model.action import Action
from policy.model.clean import UncleanError, clean, small
from policy.model.context import Context
from policy.source.limits import Limits
from policy.types.convert import Mismatch, member_to_runtime
from policy.types.kinds import Basic, Field, OneOf
from policy.types.names import CLAIM_MEMBERS
from policy.types.values import MISSING

_CLAIMS = frozenset(CLAIM_MEMBERS)

Reader = Callable[[object], object]
"""The runtime value of a JSON value; raises UncleanError where it is not as declared."""


def plain_action(value: object, limits: Limits) -> Action:
    """An action as nobody else holds it; raises UncleanError where it is not plain."""
    if type(value) is Action:
        try:
            return owned_action(value, limits)
        except UncleanError:
            value = _written(value)
    if type(value) is not dict or not _CLAIMS.isdisjoint(_stated(value)) or not small(value, limits):
        raise UncleanError
    try:
        return Action.model_validate(clean(value, limits.data_depth))
    except ValidationError:
        raise UncleanError from None


def plain_context(value: object, compiled: CompiledPolicy) -> Context:
    """A context as nobody else holds it; raises UncleanError where it is not plain."""
    context = _context(value, compiled.limits)
    if context.approvals or context.authorities or context.delegation:
        raise UncleanError
    if context.history is not None and context.history.entries:
        raise UncleanError
    _check_parties(context, compiled)
    return context


def _context(value: object, limits: Limits) -> Context:
    if type(value) is Context:
        try:
            return owned_context(value, limits)
        except UncleanError:
            value = _written(value)
    if type(value) is not dict or not small(value, limits):
        raise UncleanError
    try:
        return Context.model_validate(clean(value, limits.data_depth))
    except ValidationError:
        raise UncleanError from None


def _written(model: BaseModel) -> dict[str, Any]:
    """A model as plain data; raises UncleanError where it cannot be written out."""
    try:
        return model.model_dump(by_alias=True, warnings=False)
    except (PydanticSerializationError, ValueError, RecursionError):
        raise UncleanError from None


def _stated(members: dict[Any, Any]) -> Iterable[Any]:
    """The names of the members that are not null."""
    return (name for name, value in members.items() if value is not None)


def _check_parties(context: Context, compiled: CompiledPolicy) -> None:
    """Whether the parties are of the call's tenant and their attributes as declared."""
    tenant = None if context.tenant is None else context.tenant.id
    for party in (context.requester, context.operator, context.subject):
        if party is None:
            continue
        if party.tenant_id is not None and party.tenant_id != tenant:
            raise UncleanError
        if party.attributes and ill_typed(party, compiled):
            raise UncleanError


def readers(declared: Mapping[str, tuple[Field, ...]]) -> tuple[tuple[str, Reader], ...]:
    """How each declared attribute of the context is read."""
    return tuple((name, _reader(fields)) for name, fields in declared.items())


def plain_attributes(context: Context, read: tuple[tuple[str, Reader], ...]) -> dict[str, object]:
    """The values of `context.NAME`; raises UncleanError where one is undeclared or not as declared."""
    stated = context.attributes or {}
    values: dict[str, object] = {}
    found = 0
    for name, reader in read:
        raw = stated.get(name, MISSING)
        found += raw is not MISSING
        value = reader(raw)
        if value is not MISSING:
            values[name] = value
    if found < len(stated):
        raise UncleanError
    return values


def _reader(fields: tuple[Field, ...]) -> Reader:
    if len(fields) == 1 and fields[0].type is Basic.STRING:
        return _text(fields[0], None)
    if len(fields) == 1 and isinstance(fields[0].type, OneOf):
        return _text(fields[0], frozenset(fields[0].type.words))

    def read(value: object) -> object:
        converted: object = MISSING
        for field in fields:
            converted = member_to_runtime(value, field)
            if isinstance(converted, Mismatch):
                raise UncleanError
        return converted

    return read


def _text(field: Field, words: frozenset[str] | None) -> Reader:
    def read(value: object) -> object:
        if type(value) is str and (words is None or value in words):
            return value
        converted = member_to_runtime(value, field)
        if isinstance(converted, Mismatch):
            raise UncleanError
        return converted

    return read
