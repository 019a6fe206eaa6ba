"""Who may approve, asked of a trusted directory at decision time (model.md section 4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Protocol

from cachetools import TTLCache

from policy.decide.people import PEOPLE_KINDS, parties_of
from policy.model.context import AuthorityRecord, Context
from policy.source.records import dataclass
from policy.types.instants import parse_timestamp

DEFAULT_CACHE_RECORDS = 10_000
"""Records that a cache keeps."""
DEFAULT_CACHE_SECONDS = 60.0
"""Seconds that a cached record is used."""


class AuthorityResolver(Protocol):
    """A trusted directory of authority records."""

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        """The record of a principal in a tenant (None: the call has no tenant), or None where there is none.

        May raise anything; a failure makes the principal's votes not count, with `approval.authority_unavailable`.
        """


class CachedAuthorityResolver:
    """A resolver with a bounded, time-limited memory of records; safe to share between threads.

    A record is used at most `seconds` long and never at or after its own `expires_at`. Neither a failure nor the
    absence of a record is remembered. A record that was asked for before an invalidation is not kept after it.
    `monotonic` gives seconds from any start, `wall_clock` nanoseconds since 1970-01-01T00:00:00Z.
    """

    __slots__ = ("_cache", "_generation", "_lock", "_resolver", "_wall_clock")

    def __init__(
        self,
        resolver: AuthorityResolver,
        *,
        records: int = DEFAULT_CACHE_RECORDS,
        seconds: float = DEFAULT_CACHE_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], int] = time.time_ns,
    ) -> None:
        """Raises ValueError where `records` or `seconds` is not above zero."""
        if records < 1 or not seconds > 0:
            raise ValueError("a cache keeps at least one record for more than no time")
        self._resolver = resolver
        self._cache: TTLCache[tuple[str, str | None], AuthorityRecord] = TTLCache(records, seconds, timer=monotonic)
        self._generation = 0
        self._lock = Lock()
        self._wall_clock = wall_clock

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        """The record of a principal in a tenant; raises what the resolver raises."""
        key = (principal_id, tenant_id)
        with self._lock:
            cached = self._cache.get(key)
            generation = self._generation
        if cached is not None and not self._expired(cached):
            return cached
        # Asked without the lock: a slow directory must not stop those whose records are at hand.
        record = self._resolver.resolve(principal_id, tenant_id)
        with self._lock:
            if record is None or self._expired(record):
                self._cache.pop(key, None)
            elif generation == self._generation:
                self._cache[key] = record
        return record

    def invalidate(self, principal_id: str | None = None) -> None:
        """Forget the records of one principal, in every tenant; without an argument, all records."""
        with self._lock:
            self._generation += 1
            if principal_id is None:
                self._cache.clear()
                return
            for key in [key for key in self._cache if key[0] == principal_id]:
                self._cache.pop(key, None)

    def _expired(self, record: AuthorityRecord) -> bool:
        if record.expires_at is None:
            return False
        end = parse_timestamp(record.expires_at)
        return end is None or self._wall_clock() >= end.nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedAuthorities:
    """A context with the directory's records in it."""

    context: Context
    """The same context; what the directory says of a principal replaces what the context said."""
    failures: frozenset[str]
    """Principal ids whose record could not be fetched."""


def principals_to_fetch(context: Context) -> tuple[str, ...]:
    """Ids of every voter and of every party that is a person without a `person_id`, each once, in a fixed order."""
    voters = {vote.approver.id for vote in context.approvals or ()}
    parties = parties_of(context).stated
    untold = {party.id for party in parties if party.kind in PEOPLE_KINDS and party.person_id is None}
    return tuple(sorted(voters | untold))


def fetch_authorities(resolver: AuthorityResolver, context: Context, also: Iterable[str] = ()) -> FetchedAuthorities:
    """Ask a directory for every record that a decision needs, and for those of the principal ids in `also`.

    Never raises for what the resolver does: an exception, or a record of another principal, is a failure.
    """
    tenant = None if context.tenant is None else context.tenant.id
    wanted = sorted({*principals_to_fetch(context), *also})
    records: list[AuthorityRecord] = []
    failures: set[str] = set()
    for principal_id in wanted:
        try:
            record = resolver.resolve(principal_id, tenant)
        except Exception:  # noqa: BLE001 - whatever a directory raises is told as a failure and counts for nothing
            failures.add(principal_id)
            continue
        if record is None:
            continue
        if isinstance(record, AuthorityRecord) and record.principal_id == principal_id:
            records.append(record)
        else:
            failures.add(principal_id)
    asked = frozenset(wanted)
    kept = (record for record in context.authorities or () if record.principal_id not in asked)
    filled = context.model_copy(update={"authorities": [*records, *kept]})
    return FetchedAuthorities(context=filled, failures=frozenset(failures))
