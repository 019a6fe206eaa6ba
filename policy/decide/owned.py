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
    texts = [members["id"], members["capability_id"]]
    if type(members["mode"]) is not str or members["mode"] not in _MODES:
        raise UncleanError
    if members["idempotency_key"] is not None:
        texts.append(members["idempotency_key"])
    _check_texts(texts)
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
    texts = [members[name] for name in _TEXTS_OF_CONTEXTS if members[name] is not None]
    for name in ("delegation", "approvals", "authorities"):
        if members[name] is not None:
            members[name] = _list(members[name], most=0)
    members["used_votes"] = _texts(members["used_votes"], texts)
    members["attributes"] = _attributes(members["attributes"], limits.data_depth - 1)
    for name in _PARTIES:
        if members[name] is not None:
            members[name] = _principal(parts.get(name), texts, limits)
    if members["tenant"] is not None:
        members["tenant"] = _tenant(parts.get("tenant"), texts)
    _check_texts(texts)
    if members["now"] is not None and parse_timestamp(members["now"]) is None:
        raise UncleanError
    return made(Context, members)


def _members(model: Any, names: Any) -> dict[str, Any]:
    members = dict(model.__dict__)
    if members.keys() != names:
        raise UncleanError
    return members


def _principal(members: dict[str, Any] | None, texts: list[Any], limits: Limits) -> Principal:
    if (
        members is None
        or type(members["kind"]) is not str
        or members["kind"] not in _KINDS
        or members["external_refs"] is not None
    ):
        raise UncleanError
    texts.append(members["id"])
    texts.extend([members[name] for name in _TEXTS_OF_PRINCIPALS if members[name] is not None])
    members["roles"] = _texts(members["roles"], texts)
    members["groups"] = _texts(members["groups"], texts)
    members["attributes"] = _attributes(members["attributes"], limits.data_depth - 2)
    return made(Principal, members)


def _tenant(members: dict[str, Any] | None, texts: list[Any]) -> Tenant:
    if members is None:
        raise UncleanError
    texts.append(members["id"])
    if members["system"] is not None:
        texts.append(members["system"])
    return made(Tenant, members)


def _check_texts(texts: list[Any]) -> None:
    """Whether values are texts that say something; raises UncleanError where one is not.

    For values of exact built-in types, which `small` has seen: only text can be joined.
    """
    try:
        joined = "".join(texts)
    except TypeError:
        raise UncleanError from None
    if "" in texts:
        raise UncleanError
    if not joined.isascii():
        clean(joined, 0)


def _list(value: object, most: int | None = None) -> list[Any]:
    """A copy of a list, with at most so many items."""
    if type(value) is not list or (most is not None and len(value) > most):
        raise UncleanError
    return list(value)


def _texts(value: object, texts: list[Any]) -> list[Any] | None:
    """A copy of a list of texts, which are yet to be checked among `texts`."""
    if value is None:
        return None
    copy = _list(value)
    texts.extend(copy)
    return copy


def _attributes(value: object, depth: int) -> dict[str, Any] | None:
    if value is None:
        return None
    if type(value) is not dict:
        raise UncleanError
    copy: dict[str, Any] = clean(value, depth)
    return copy
