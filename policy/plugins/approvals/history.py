"""Which executed actions a policy asks about: the steps that different people perform, and who performed them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policy.decide.authority import AuthorityResolver, fetch_authorities
from policy.decide.people import parties_of
from policy.ir import nodes as ir
from policy.ir.dump import canonical
from policy.ir.patterns import matches_any
from policy.model.admitted import AdmittedCapability
from policy.model.canonical import canonical_bytes
from policy.model.context import Context

_ABSENT = object()
_UNPERFORMED = frozenset({"dry_run", "plan"})
"""Transaction modes in which nothing is executed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """Executions of one step that may be held against an action of another one."""

    patterns: tuple[ir.ActionPattern, ...]
    """Which scopes the step has."""
    since: int | None
    """From when on, in nanoseconds since 1970-01-01T00:00:00Z; None: ever."""
    names: tuple[str, ...]
    """The object's names in an entry, that of the executed step last; empty where every object counts."""
    value: Any = None
    """The object of the action."""

    def concerns(self, entry: Mapping[str, Any], at: int) -> bool:
        """Whether an entry may be about the object; never False where the engine would hold it against the action."""
        scope = entry["scope"]
        if (self.since is not None and at < self.since) or not matches_any(self.patterns, scope, scope):
            return False
        if not self.names:
            return True
        keys = entry["keys"]
        if keys.get(self.names[-1]) is None:
            return True
        return any(_may_be_equal(self.value, keys[name]) for name in self.names if keys.get(name) is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuery:
    """What a decision needs to know of executed actions."""

    call: str
    """The id of the call that is decided."""
    request_digest: str
    """With the call: the execution that is left out, so that a second question does not find the first one's trace."""
    tenant_id: str | None
    """The tenant of the call."""
    interests: tuple[Interest, ...]
    """Of these steps; none of them: nothing."""

    def concerns(self, call: str, request_digest: str, entry: Mapping[str, Any], at: int) -> bool:
        """Whether an execution may be held against the call."""
        if (call, request_digest) == (self.call, self.request_digest):
            return False
        tenant = entry.get("tenant_id")
        if self.tenant_id is not None and tenant is not None and tenant != self.tenant_id:
            return False
        return any(interest.concerns(entry, at) for interest in self.interests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Every step of a policy that different people perform."""

    separations: tuple[ir.DifferentPeople, ...]

    @classmethod
    def of(cls, policy: ir.PolicySet) -> Steps:
        """Those of every layer."""
        forms = (rule.form for layer in policy.layers for rule in layer.separations)
        return cls(separations=tuple(form for form in forms if isinstance(form, ir.DifferentPeople)))

    @property
    def names(self) -> tuple[str, ...]:
        """Every step as text, each once; equal texts mean equal steps."""
        return tuple(dict.fromkeys(canonical(step) for form in self.separations for step in form.steps))

    def performed(self, capability: AdmittedCapability) -> bool:
        """Whether an action of the capability is one of the steps."""
        return any(_is(step, capability) for form in self.separations for step in form.steps)

    def interests(self, capability: AdmittedCapability, value: Any, now: int) -> tuple[Interest, ...]:
        """The executions that may be held against an action with this input."""
        return tuple(self._interests(capability, value, now))

    def asked(self, capability: AdmittedCapability) -> tuple[str, ...]:
        """The steps, as text, whose executions must be complete for the capability."""
        concerned = [form for form in self.separations if any(_is(step, capability) for step in form.steps)]
        return Steps(separations=tuple(concerned)).names

    def keys(self, capability: AdmittedCapability, value: Any) -> dict[str, Any]:
        """What an execution is remembered by: every object that a step names and the input has."""
        if not self.performed(capability):
            return {}
        found = {
            step.key: _at(value, step.per) for form in self.separations for step in form.steps if step.per is not None
        }
        return {name: part for name, part in found.items() if name is not None and part is not _ABSENT}

    def _interests(self, capability: AdmittedCapability, value: Any, now: int) -> Iterator[Interest]:
        for form in self.separations:
            since = None if form.within is None else now - form.within
            for own in form.steps:
                if own.per is None or not _is(own, capability):
                    continue
                key = _at(value, own.per)
                for other in form.steps:
                    if other is own:
                        continue
                    names = tuple(name for name in dict.fromkeys((own.key, other.key)) if name is not None)
                    narrowed = key is not _ABSENT and other.key is not None
                    yield Interest(
                        patterns=other.patterns,
                        since=since,
                        names=names if narrowed else (),
                        value=key if narrowed else None,
                    )


def performed(mode: str) -> bool:
    """Whether an action in a transaction mode executes anything."""
    return mode not in _UNPERFORMED


def people(context: Context, resolver: AuthorityResolver | None) -> list[dict[str, Any]]:
    """The parties of an action as an entry of the history has them, each with its person where somebody tells it."""
    parties = parties_of(context).stated
    records = {record.principal_id: record for record in _records(context, resolver)}
    found: dict[str, dict[str, Any]] = {}
    for party in parties:
        record = records.get(party.id)
        person = party.person_id or (None if record is None else record.person_id)
        found.setdefault(party.id, {"id": party.id, "kind": party.kind, "person_id": person})
    return list(found.values())


def _records(context: Context, resolver: AuthorityResolver | None) -> Iterable[Any]:
    tenant = None if context.tenant is None else context.tenant.id
    known = context if resolver is None else fetch_authorities(resolver, context).context
    return (record for record in known.authorities or () if record.tenant_id == tenant)


def _is(step: ir.PerformStep, capability: AdmittedCapability) -> bool:
    return matches_any(step.patterns, capability.scope, capability.id)


def _at(value: Any, read: ir.Read) -> Any:
    """The input's value under a path, or `_ABSENT`; one under a computed step is not looked for."""
    for step in read.steps:
        member = isinstance(value, dict) and isinstance(step, str) and step in value
        item = isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)
        if not (member or item):
            return _ABSENT
        value = value[step]
    return _ABSENT if value is None else value


def _may_be_equal(one: Any, other: Any) -> bool:
    """False only for two values of one type that surely differ."""
    return _kind(one) != _kind(other) or canonical_bytes(one) == canonical_bytes(other)


def _kind(value: Any) -> type:
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
