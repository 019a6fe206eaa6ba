"""Copies of models that a caller holds, made without validating again where each is surely as validation leaves it.

A model says nothing about its members: it may have been made without validation, its lists may have grown since, and
all that is frozen can be changed by whoever insists. So every member is looked at, by exact type, and copied. Any
doubt is an `UncleanError`, and the model is written out and read anew.
"""

from __future__ import annotations

from typing import Any

from policy.model.action import Action
from policy.model.base import made
from policy.model.clean import UncleanError, clean, small
from policy.model.context import Context, Principal, Tenant
from policy.source.limits import Limits
from policy.types.instants import parse_timestamp
from policy.types.names import CLAIM_MEMBERS

_ACTION = Action.model_fields.keys()
_CONTEXT = Context.model_fields.keys()
_PRINCIPAL = Principal.model_fields.keys()
_TENANT = Tenant.model_fields.keys()
_MODES = frozenset({"sync", "async", "streaming"})
_KINDS = frozenset({"human", "agent", "service", "tenant", "customer", "contact", "system"})
_PARTIES = ("requester", "operator", "subject")
_NAMES = 1_024
"""More bytes than the names of a context's members and of its parts' members take."""
_UNUSED_BY_ACTIONS = ("timeout_ms", "transaction", *CLAIM_MEMBERS)
_UNUSED_BY_CONTEXTS = ("credential", "history", "transaction")
_TEXTS_OF_PRINCIPALS = ("person_id", "tenant_id", "display_name", "trust_domain", "did")
_TEXTS_OF_CONTEXTS = ("route", "now", "region", "session")


def owned_action(action: Action, limits: Limits) -> Action:
    """A copy of an action without claims and transaction; raises UncleanError in any doubt."""
    members = _members(action, _ACTION)
    if not small(list(members.values()), limits, _NAMES):
        raise UncleanError
    if any(members[name] is not None for name in _UNUSED_BY_ACTIONS):
        raise UncleanError
    _check_text(members["id"])
    _check_text(members["capability_id"])
    if type(members["mode"]) is not str or members["mode"] not in _MODES:
        raise UncleanError
    if members["idempotency_key"] is not None:
        _check_text(members["idempotency_key"])
    members["input"] = clean(members["input"], limits.data_depth - 1)
    return made(Action, members)


def owned_context(context: Context, limits: Limits) -> Context:
    """A copy of a context without votes, hops, records, history and credential; raises UncleanError in any doubt."""
    members = _members(context, _CONTEXT)
    if any(members[name] is not None for name in _UNUSED_BY_CONTEXTS):
        raise UncleanError
    parts = {name: _members(members[name], _PRINCIPAL) for name in _PARTIES if type(members[name]) is Principal}
    if type(members["tenant"]) is Tenant:
        parts["tenant"] = _members(members["tenant"], _TENANT)
    # A member of another type is no part, and passes neither here nor below.
    values = [value for name, value in members.items() if name not in parts]
    values.extend(list(part.values()) for part in parts.values())
    if not small(values, limits, _NAMES):
        raise UncleanError
    for name in _TEXTS_OF_CONTEXTS:
        if members[name] is not None:
            _check_text(members[name])
    if members["now"] is not None and parse_timestamp(members["now"]) is None:
        raise UncleanError
    for name in ("delegation", "approvals", "authorities"):
        members[name] = _texts(members[name], most=0)
    members["used_votes"] = _texts(members["used_votes"])
    members["attributes"] = _attributes(members["attributes"], limits.data_depth - 1)
    for name in _PARTIES:
        if members[name] is not None:
            members[name] = _principal(parts.get(name), limits)
    if members["tenant"] is not None:
        members["tenant"] = _tenant(parts.get("tenant"))
    return made(Context, members)


def _members(model: Any, names: Any) -> dict[str, Any]:
    members = dict(model.__dict__)
    if members.keys() != names:
        raise UncleanError
    return members


def _principal(members: dict[str, Any] | None, limits: Limits) -> Principal:
    if (
        members is None
        or type(members["kind"]) is not str
        or members["kind"] not in _KINDS
        or members["external_refs"] is not None
    ):
        raise UncleanError
    _check_text(members["id"])
    for name in _TEXTS_OF_PRINCIPALS:
        if members[name] is not None:
            _check_text(members[name])
    members["roles"] = _texts(members["roles"])
    members["groups"] = _texts(members["groups"])
    members["attributes"] = _attributes(members["attributes"], limits.data_depth - 2)
    return made(Principal, members)


def _tenant(members: dict[str, Any] | None) -> Tenant:
    if members is None:
        raise UncleanError
    _check_text(members["id"])
    if members["system"] is not None:
        _check_text(members["system"])
    return made(Tenant, members)


def _check_text(value: object) -> None:
    """Whether a value is text that says something; raises UncleanError where it is not."""
    if type(value) is not str or not value:
        raise UncleanError
    if not value.isascii():
        clean(value, 0)


def _texts(value: object, most: int | None = None) -> list[str] | None:
    """A copy of a list of texts, with at most so many."""
    if value is None:
        return None
    if type(value) is not list or (most is not None and len(value) > most):
        raise UncleanError
    texts = list(value)
    for text in texts:
        _check_text(text)
    return texts


def _attributes(value: object, depth: int) -> dict[str, Any] | None:
    if value is None:
        return None
    if type(value) is not dict:
        raise UncleanError
    copy: dict[str, Any] = clean(value, depth)
    return copy
