"""Requests that are plainly well-formed, read quickly; `policy.decide.shape` reads and judges all the others.

A request is plain where nobody voted, nothing is delegated, no directory record and no executed action is stated, and
every value is surely of its type. An action or a context that is a model was validated when it was made and is taken
as it is, but for the parts that are free JSON: these are checked, and copied where they are read later. A mapping is
checked, copied and validated here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from policy.decide.compiled import CompiledPolicy
from policy.decide.shape import ill_typed
from policy.model.action import Action
from policy.model.clean import UncleanError, clean, small
from policy.model.context import Context, Principal
from policy.source.limits import Limits
from policy.types.convert import Mismatch, member_to_runtime
from policy.types.kinds import Basic, Field, OneOf
from policy.types.names import CLAIM_MEMBERS
from policy.types.values import MISSING

_CLAIMS = frozenset(CLAIM_MEMBERS)
_MODES = frozenset({"sync", "async", "streaming"})

Reader = Callable[[object], object]
"""The runtime value of a JSON value; raises UncleanError where it is not as declared."""


def plain_action(value: object, limits: Limits) -> tuple[Action, Any]:
    """An action, and its input as nobody else holds it; raises UncleanError where it is not plain."""
    if type(value) is Action:
        if not _CLAIMS.isdisjoint(value.__pydantic_fields_set__) or not _was_validated(value):
            raise UncleanError
        if not small(value.input, limits):
            raise UncleanError
        return value, clean(value.input, limits.data_depth - 1)
    if type(value) is not dict or not _CLAIMS.isdisjoint(value) or not small(value, limits):
        raise UncleanError
    try:
        action = Action.model_validate(clean(value, limits.data_depth))
    except ValidationError:
        raise UncleanError from None
    return action, action.input


def _was_validated(action: Action) -> bool:
    """Whether an action has the types that validation gives: models can be made without it."""
    return (
        type(action.id) is str
        and type(action.capability_id) is str
        and action.mode in _MODES
        and (action.idempotency_key is None or type(action.idempotency_key) is str)
        and action.timeout_ms is None
        and action.transaction is None
    )


def plain_context(value: object, compiled: CompiledPolicy) -> Context:
    """A context; raises UncleanError where it is not plain."""
    depth = compiled.limits.data_depth
    if type(value) is Context:
        context = value
        if type(context.now) is not str or type(context.route) is not str:
            raise UncleanError
        if context.attributes:
            _check_part(context.attributes, compiled.limits)
    elif type(value) is dict and small(value, compiled.limits):
        try:
            context = Context.model_validate(clean(value, depth))
        except ValidationError:
            raise UncleanError from None
    else:
        raise UncleanError
    if context.approvals or context.authorities or context.delegation:
        raise UncleanError
    if context.history is not None and context.history.entries:
        raise UncleanError
    _check_parties(context, compiled)
    return context


def _check_part(part: object, limits: Limits) -> None:
    """Whether a free part of a model is JSON within the bounds; raises UncleanError where it is not."""
    if not small(part, limits):
        raise UncleanError
    clean(part, limits.data_depth - 2)


def _check_parties(context: Context, compiled: CompiledPolicy) -> None:
    tenant = None if context.tenant is None else context.tenant.id
    for party in (context.requester, context.operator, context.subject):
        if party is None:
            continue
        if type(party) is not Principal or type(party.id) is not str or party.external_refs is not None:
            raise UncleanError
        if party.tenant_id is not None and party.tenant_id != tenant:
            raise UncleanError
        if party.attributes:
            _check_part(party.attributes, compiled.limits)
            if ill_typed(party, compiled):
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
