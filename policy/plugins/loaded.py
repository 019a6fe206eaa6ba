"""What an authorizer decides by: one policy and one catalog, loaded together and swapped together."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from policy.contracts.catalog import LoadedCatalog, load_catalog
from policy.decide.authority import AuthorityResolver
from policy.decide.shape import Clock
from policy.engine import Engine, PolicyPath
from policy.model.admitted import AdmittedCapability
from policy.model.context import AuthorityRecord
from policy.plugins.approvals.history import Steps

_LOG = logging.getLogger("policy")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFile:
    """A file of capabilities and how it is read."""

    path: Path
    """The file."""
    server: str | None = None
    """The MCP server whose tools a list holds; None: the file's name without ending."""
    trust_annotations: bool = False
    """Whether this server's hints are believed."""

    def load(self) -> LoadedCatalog:
        """Read the file. Never raises for what it holds."""
        return load_catalog(self.path, server=self.server, trust_annotations=self.trust_annotations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files that a policy and its catalog are loaded from."""

    policies: tuple[Path, ...]
    catalog: LoadedCatalog | CatalogFile | None

    def load(self, resolver: AuthorityResolver | None, clock: Clock | None) -> Loaded:
        """Load them. Raises PolicyError as `Engine.load` does."""
        catalog = self.catalog.load() if isinstance(self.catalog, CatalogFile) else self.catalog
        engine = Engine.load(*self.policies, resolver=resolver, clock=clock, catalog=catalog)
        return with_catalog(engine, catalog)


def catalog_file(catalog: LoadedCatalog | CatalogFile | PolicyPath | None) -> LoadedCatalog | CatalogFile | None:
    """A catalog as it was given, a path as a file."""
    return CatalogFile(path=Path(catalog)) if isinstance(catalog, str | PathLike) else catalog


def with_catalog(engine: Engine, catalog: LoadedCatalog | None) -> Loaded:
    """An engine with a catalog. What of the catalog has an error is not in it, and that is logged."""
    if catalog is not None:
        for each in catalog.diagnostics:
            if each.is_error:
                _LOG.error("a capability is left out: %s: %s", each.location, each.message)
    capabilities = {} if catalog is None else catalog.capabilities
    return Loaded(engine=engine, capabilities=capabilities, steps=Steps.of(engine.policy))
