"""Authority records: fetched for every decision, remembered for a short time, never trusted beyond their end."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from policy.decide.authority import CachedAuthorityResolver, fetch_authorities, principals_to_fetch
from policy.model.context import AuthorityRecord, Context
from policy.types.instants import parse_timestamp
from tests.unit.approval_world import Json, agent, deny, make_context, person, record, vote, withdraw

NOON = parse_timestamp("2026-06-10T12:00:00Z")


class Directory:
    """A directory in memory that counts what it is asked; an exception as entry is raised."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.entries = dict(entries)
        self.asked: list[tuple[str, str | None]] = []

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        self.asked.append((principal_id, tenant_id))
        entry = self.entries.get(principal_id)
        if isinstance(entry, Exception):
            raise entry
        return entry


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def wall(self) -> int:
        assert NOON is not None
        return NOON.nanoseconds + int(self.seconds * 10**9)


def entry(name: str, *roles: str, **members: Any) -> AuthorityRecord:
    return AuthorityRecord.model_validate(record(name, *roles, **members))


def context(votes: list[Json], records: list[Json] | None = None, **members: Any) -> Context:
    return Context.model_validate(make_context(votes, records, **members))


def cached(directory: Directory, clock: Clock, **members: Any) -> CachedAuthorityResolver:
    return CachedAuthorityResolver(directory, monotonic=clock.monotonic, wall_clock=clock.wall, **members)


def test_records_are_fetched_for_voters_and_for_people_who_are_not_told() -> None:
    stated = context(
        [vote("omar"), deny("ines"), withdraw("lena", "x"), vote("omar", -1)],
        requester={"id": "rosa", "kind": "human"},
        subject={"id": "carl", "kind": "customer"},
        operator=agent("agent-7"),
        delegation=[{"from": person("dora"), "to": agent("agent-7"), "scope": "**"}],
    )
    assert principals_to_fetch(stated) == ("carl", "ines", "lena", "omar", "rosa")
    directory = Directory({"ines": entry("ines", "teller")})
    fetched = fetch_authorities(directory, stated, also=["author", "ines"])
    names = ["author", "carl", "ines", "lena", "omar", "rosa"]
    assert directory.asked == [(name, "acme") for name in names]
    assert fetched.context.authorities == [entry("ines", "teller")]
    assert fetched.failures == frozenset()
    assert stated.authorities is None


def test_what_the_directory_says_replaces_what_the_context_said() -> None:
    stated = context(
        [vote("ines"), vote("omar")], [record("ines", "boss"), record("omar", "boss"), record("kim", "boss")]
    )
    fetched = fetch_authorities(Directory({"ines": entry("ines", "teller")}), stated)
    assert fetched.context.authorities == [entry("ines", "teller"), entry("kim", "boss")]


@pytest.mark.parametrize("failure", [RuntimeError("down"), entry("omar", "teller"), {"principal_id": "ines"}])
def test_a_failure_is_told_and_is_never_a_record(failure: object) -> None:
    fetched = fetch_authorities(Directory({"ines": failure}), context([vote("ines")], [record("ines", "teller")]))
    assert (fetched.context.authorities, fetched.failures) == ([], frozenset({"ines"}))


def test_a_record_is_remembered_for_a_limited_time() -> None:
    clock, directory = Clock(), Directory({"ines": entry("ines", "teller")})
    resolver = cached(directory, clock, seconds=30)
    assert resolver.resolve("ines", "acme") == resolver.resolve("ines", "acme") == entry("ines", "teller")
    assert len(directory.asked) == 1
    directory.entries["ines"] = entry("ines")
    clock.seconds = 29.9
    assert resolver.resolve("ines", "acme") == entry("ines", "teller")
    clock.seconds = 30
    assert resolver.resolve("ines", "acme") == entry("ines")


def test_a_record_is_remembered_for_its_tenant_only() -> None:
    clock, directory = Clock(), Directory({"ines": entry("ines")})
    resolver = cached(directory, clock)
    resolver.resolve("ines", "acme")
    resolver.resolve("ines", "other")
    resolver.resolve("ines", None)
    assert directory.asked == [("ines", "acme"), ("ines", "other"), ("ines", None)]


def test_a_record_is_never_remembered_beyond_its_end() -> None:
    clock = Clock()
    directory = Directory({"ines": entry("ines", expires_at="2026-06-10T12:00:10Z")})
    resolver = cached(directory, clock, seconds=60)
    resolver.resolve("ines", "acme")
    clock.seconds = 9.9
    resolver.resolve("ines", "acme")
    assert len(directory.asked) == 1
    clock.seconds = 10
    directory.entries["ines"] = None
    assert resolver.resolve("ines", "acme") is None


def test_neither_failure_nor_absence_is_remembered() -> None:
    clock, directory = Clock(), Directory({"ines": RuntimeError("down")})
    resolver = cached(directory, clock)
    with pytest.raises(RuntimeError, match="down"):
        resolver.resolve("ines", "acme")
    assert resolver.resolve("omar", "acme") is None
    directory.entries = {"ines": entry("ines"), "omar": entry("omar")}
    assert resolver.resolve("ines", "acme") == entry("ines")
    assert resolver.resolve("omar", "acme") == entry("omar")


def test_a_cache_is_bounded_and_forgets_what_was_used_longest_ago() -> None:
    clock, directory = Clock(), Directory({name: entry(name) for name in ("a", "b", "c")})
    resolver = cached(directory, clock, records=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        resolver.resolve(name, "acme")
    assert [name for name, _ in directory.asked] == ["a", "b", "c", "b"]


def test_invalidation() -> None:
    clock, directory = Clock(), Directory({name: entry(name) for name in ("a", "b")})
    resolver = cached(directory, clock)

    def ask() -> list[str]:
        directory.asked.clear()
        for name, tenant in (("a", "x"), ("a", "y"), ("b", "x")):
            resolver.resolve(name, tenant)
        return [f"{name}@{tenant}" for name, tenant in directory.asked]

    assert ask() == ["a@x", "a@y", "b@x"]
    assert ask() == []
    resolver.invalidate("a")
    assert ask() == ["a@x", "a@y"]
    resolver.invalidate()
    assert ask() == ["a@x", "a@y", "b@x"]


def test_a_record_asked_for_before_an_invalidation_is_not_kept_after_it() -> None:
    asked, invalidated = Event(), Event()

    class Slow(Directory):
        def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
            found = super().resolve(principal_id, tenant_id)
            asked.set()
            assert invalidated.wait(10)
            return found

    directory = Slow({"ines": entry("ines", "teller")})
    resolver = cached(directory, Clock())
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(resolver.resolve, "ines", "acme")
        assert asked.wait(10)
        directory.entries["ines"] = entry("ines")
        resolver.invalidate("ines")
        invalidated.set()
        assert early.result(10) == entry("ines", "teller")
    assert resolver.resolve("ines", "acme") == entry("ines")


def test_threads_share_a_cache() -> None:
    directory = Directory({str(number): entry(str(number)) for number in range(20)})
    resolver = cached(directory, Clock(), records=10)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: resolver.resolve(str(number % 20), "acme"), range(2000)))
    assert [each.principal_id for each in found if each is not None] == [str(number % 20) for number in range(2000)]


@pytest.mark.parametrize("members", [{"records": 0}, {"seconds": 0}, {"seconds": -1}])
def test_a_cache_without_room_or_time_is_refused(members: Any) -> None:
    with pytest.raises(ValueError, match="at least one record"):
        CachedAuthorityResolver(Directory({}), **members)
