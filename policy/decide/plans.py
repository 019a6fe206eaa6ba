"""The plans of one policy, kept for the capabilities that are asked about: bounded, shared by threads."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from cachetools import LRUCache

from policy.decide.compiled import CompiledPolicy
from policy.decide.plain import Reader, readers
from policy.decide.plan import Plan, Planner
from policy.decide.short import ShortPlan
from policy.model.admitted import AdmittedCapability

DEFAULT_CAPABILITIES = 1_024
"""Capabilities whose plans are remembered."""

_Routes = dict[str | None, tuple[Plan, ShortPlan]]
_Key = tuple[object, ...]


class Plans:
    """Makes each plan once and remembers it. A plan is a function of the policy, the capability and the route alone."""

    __slots__ = ("_by_content", "_by_identity", "_capabilities", "_compiled", "_lock", "_planner", "readers")

    readers: tuple[tuple[str, Reader], ...]
    """How each declared attribute of the context is read, where it is plainly as declared."""

    def __init__(self, compiled: CompiledPolicy, capabilities: int = DEFAULT_CAPABILITIES) -> None:
        self.readers = readers(compiled.context)
        self._compiled = compiled
        self._planner = Planner(compiled.policy, compiled.risks, compiled.limits)
        self._capabilities = capabilities
        self._by_content: LRUCache[_Key, _Routes] = LRUCache(capabilities)
        # The way without a lock: each entry holds its capability, so that no identity comes back while it lives.
        self._by_identity: dict[int, tuple[AdmittedCapability, _Routes]] = {}
        self._lock = Lock()

    def of(self, capability: AdmittedCapability, route: str | None) -> Plan:
        """The plan of a capability on a route."""
        entry = self._by_identity.get(id(capability))
        routes = self._routes(capability) if entry is None else entry[1]
        made = routes.get(route)
        if made is not None:
            return made[0]
        if route is not None and route not in self._planner.routes:
            # Nothing is written for such a route, and there may be any number of them.
            plan = self.of(capability, None)
            return replace(plan, target=replace(plan.target, route=route))
        return self._made(capability, route, routes)[0]

    def short(self, capability: AdmittedCapability, route: str | None) -> ShortPlan | None:
        """The same for the short way; None where it has no plan for it."""
        entry = self._by_identity.get(id(capability))
        routes = self._routes(capability) if entry is None else entry[1]
        made = routes.get(route)
        if made is None:
            if route not in self._planner.routes:
                return None
            made = self._made(capability, route, routes)
        return made[1]

    def _made(self, capability: AdmittedCapability, route: str | None, routes: _Routes) -> tuple[Plan, ShortPlan]:
        plan = self._planner.plan(capability, route)
        return routes.setdefault(route, (plan, ShortPlan(self._compiled, plan, capability)))

    def _routes(self, capability: AdmittedCapability) -> _Routes:
        key = _key(capability)
        with self._lock:
            routes = self._by_content.get(key)
            if routes is None:
                routes = self._by_content[key] = {}
            if len(self._by_identity) >= self._capabilities:
                self._by_identity.clear()
            self._by_identity[id(capability)] = (capability, routes)
        return routes


def _key(capability: AdmittedCapability) -> _Key:
    """Everything that a plan rests on: the document (whose digest leaves out the name) and what was made of it."""
    return (
        capability.digest,
        capability.id,
        capability.document.name,
        capability.scope,
        capability.scope_wellformed,
        capability.enabled,
        capability.callable,
        capability.supported_version,
        capability.subject_required,
        capability.effects,
        capability.readonly,
        capability.declared_risk,
    )
