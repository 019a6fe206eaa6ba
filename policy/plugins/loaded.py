"""What an authorizer decides by: one policy and one catalog, loaded together and swapped together."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from policy.contracts.catalog import LoadedCatalog, load_catalog
from policy.decide.authority import AuthorityResolver
from policy.decide.shape import Clock
from policy.engine import Engine, PolicyPath
from policy.model.admitted import AdmittedCapability
from policy.model.context import AuthorityRecord
from policy.plugins.approvals.history import Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A policy and a catalog; a call in flight keeps the one it began with."""

    engine: Engine
    """The policy."""
    capabilities: Mapping[str, AdmittedCapability] = field(repr=False)
    """The catalog, by id; empty without one."""
    steps: Steps = field(repr=False)
    """The steps of the policy that different people perform."""


class WatchedResolver:
    """A resolver whose failures during one decision are told to the one who asked for the decision."""

    __slots__ = ("_local", "_resolver")

    def __init__(self, resolver: AuthorityResolver) -> None:
        self._resolver = resolver
        self._local = threading.local()

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        """The record of a principal in a tenant; raises what the resolver raises."""
        failures: list[str] = getattr(self._local, "failures", [])
        failures.append(principal_id)
        record = self._resolver.resolve(principal_id, tenant_id)
        if record is None or (isinstance(record, AuthorityRecord) and record.principal_id == principal_id):
            failures.pop()
        return record

    @contextmanager
    def watching(self) -> Iterator[list[str]]:
        """The ids of principals whose record could not be fetched within the block, by this thread."""
        failures: list[str] = []
        self._local.failures = failures
        try:
            yield failures
        finally:
            del self._local.failures


def load(
    policies: Sequence[PolicyPath],
    catalog: LoadedCatalog | PolicyPath | None,
    *,
    resolver: AuthorityResolver | None,
    clock: Clock | None,
) -> Loaded:
    """Load files. Raises PolicyError as `Engine.load` does."""
    read = catalog if catalog is None or isinstance(catalog, LoadedCatalog) else load_catalog(Path(catalog))
    engine = Engine.load(*policies, resolver=resolver, clock=clock, catalog=read)
    return loaded(engine, read)


def loaded(engine: Engine, catalog: LoadedCatalog | None) -> Loaded:
    """An engine with a catalog."""
    capabilities = {} if catalog is None else catalog.capabilities
    return Loaded(engine=engine, capabilities=capabilities, steps=Steps.of(engine.policy))
