"""Actions and contexts, with votes, records and histories.

`requests()` gives well-formed ones in which optional parts may be absent; `hostile()` puts any JSON anywhere.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.properties.generators.capabilities import capabilities
from tests.properties.generators.optional import maybe, present, rarely
from tests.properties.generators.world import (
    ACCOUNTS,
    CURRENCIES,
    DEPARTMENTS,
    GROUPS,
    NOW,
    PEOPLE,
    ROLES,
    ROUTES,
    SCOPES,
    TENANT,
    kind_of,
    person_of,
)

TIMES = ("2026-11-30T09:59:00Z", "2026-11-30T09:30:00Z", "2026-11-30T05:59:00Z", "2026-11-28T10:00:00Z", NOW)
LATER = ("2026-11-30T10:00:01Z", "2026-12-01T00:00:00+01:00", "2026-12-31T00:00:00Z", NOW)

JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53), 2**53),
        st.floats(allow_nan=True, allow_infinity=True),
        st.text(max_size=8),
        st.sampled_from([*ACCOUNTS, *ROLES, *SCOPES, NOW, "high", "EUR"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=8,
)


@cache
@st.composite
def inputs(draw: st.DrawFn) -> dict[str, Any]:
    """An input that fits the world's schema; members may be absent."""
    line = st.fixed_dictionaries({"amount": st.sampled_from([1, 10, 0.5]), "tag": st.sampled_from(["x", "red"])})
    return present(
        amount=maybe(draw, st.sampled_from([0, 1, 10, 99.5, 100, 101, 5000, -1])),
        currency=maybe(draw, st.sampled_from(CURRENCIES)),
        name=maybe(draw, st.sampled_from(["ana", "x", "EUR", "10.0.0.1", ""])),
        flag=maybe(draw, st.booleans()),
        path=maybe(draw, st.sampled_from(["/srv/data/a", "/srv", "/etc", "/srv/../etc"])),
        url=maybe(draw, st.sampled_from(["https://a.example/x", "https://b.example@a.example"])),
        mail=maybe(draw, st.sampled_from(["ana@a.example", "a@b@c"])),
        at=maybe(draw, st.sampled_from(["2026-11-30T11:00:00Z", "30m", "soon"])),
        id=maybe(draw, st.sampled_from(["k-1", "k-2"])),
        lines=maybe(draw, st.lists(line, max_size=3)),
    )


@cache
@st.composite
def principals(draw: st.DrawFn, accounts: tuple[str, ...] = ACCOUNTS) -> dict[str, Any]:
    """A principal whose members may be absent."""
    account = draw(st.sampled_from(accounts))
    return present(
        id=account,
        kind=kind_of(account),
        person_id=maybe(draw, st.just(person_of(account)), 8),
        tenant_id=maybe(draw, st.just(TENANT), 4),
        roles=maybe(draw, st.lists(st.sampled_from(ROLES), max_size=2, unique=True)),
        groups=maybe(draw, st.lists(st.sampled_from(GROUPS), max_size=2, unique=True)),
        attributes=maybe(
            draw, st.fixed_dictionaries({"department": st.sampled_from(DEPARTMENTS), "limit": st.just(100)})
        ),
    )


@cache
@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Authority records, one an account."""
    chosen = draw(st.lists(st.sampled_from(ACCOUNTS), max_size=6, unique=True))
    found = []
    for account in chosen:
        found.append(
            present(
                principal_id=account,
                kind=kind_of(account),
                person_id=person_of(account),
                tenant_id=maybe(draw, st.just(TENANT), 10),
                roles=maybe(draw, st.lists(st.sampled_from(ROLES), max_size=2, unique=True), 8),
                groups=maybe(draw, st.lists(st.sampled_from(GROUPS), max_size=2, unique=True), 3),
                tenant_policies=maybe(draw, st.just(["tp-1"]), 2),
                external_systems=maybe(draw, st.just(["ext-1"]), 2),
                delegated_scopes=maybe(draw, st.just([{"scope": "pay.**", "max_risk": "high", "max_value": 200}]), 2),
                attributes=maybe(
                    draw, st.fixed_dictionaries({"department": st.sampled_from(DEPARTMENTS), "limit": st.just(100)}), 8
                ),
                expires_at=maybe(draw, st.sampled_from(LATER), 2),
                revoked=True if draw(st.integers(1, 12)) == 7 else None,
                may_revoke=True if draw(st.integers(1, 6)) == 4 else None,
            )
        )
    return found


@st.composite
def votes(draw: st.DrawFn, digest: str, policy_hash: str) -> list[dict[str, Any]]:
    """Votes, most of them bound to this request."""
    found: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 6))):
        account = draw(st.sampled_from(ACCOUNTS))
        decision = draw(st.sampled_from(["approved"] * 6 + ["denied", "revoked"]))
        found.append(
            present(
                decision=decision,
                decision_id=f"d-{number}",
                approver={"id": account, "kind": kind_of(account)},
                decided_at=draw(st.sampled_from(TIMES)),
                request_digest=digest if draw(st.integers(1, 12)) != 7 else None,
                policy_hash=policy_hash if draw(st.integers(1, 12)) != 7 else "sha256:" + "0" * 64,
                reason=maybe(draw, st.just("checked"), 4),
                approval_id=draw(st.sampled_from([None, None, None, "duty", "two"])),
                evidence=maybe(
                    draw, st.just([{"id": "T-1", "kind": "external_ticket", "uri": "https://t.example/1"}]), 2
                ),
                constraints=maybe(draw, st.just([{"field": "/amount", "operator": "lte", "value": 1000}]), 2)
                if draw(st.integers(1, 5)) == 1
                else None,
                target_decision_id=f"d-{draw(st.integers(0, 5))}" if decision == "revoked" else None,
            )
        )
    return found


def everybody_approves(digest: str, policy_hash: str) -> list[dict[str, Any]]:
    """An approval of every person, with all that could be asked of one, so that approvals are satisfied too."""
    return [
        {
            "decision": "approved",
            "decision_id": f"e-{number}",
            "approver": {"id": person, "kind": "human"},
            "decided_at": TIMES[0],
            "request_digest": digest,
            "policy_hash": policy_hash,
            "reason": "checked",
            "evidence": [{"id": "T-1", "kind": "external_ticket", "uri": "https://t.example/1"}],
        }
        for number, person in enumerate(PEOPLE)
    ]


def everybody_may() -> list[dict[str, Any]]:
    """A record of every person, each with roles, groups and a department of its own."""
    return [
        {
            "principal_id": person,
            "kind": "human",
            "person_id": person,
            "tenant_id": TENANT,
            "roles": [ROLES[number % 3], ROLES[(number + 1) % 3]],
            "groups": list(GROUPS),
            "tenant_policies": ["tp-1"],
            "external_systems": ["ext-1"],
            "delegated_scopes": [{"scope": "pay.**", "max_risk": "critical", "max_value": 10_000}],
            "attributes": {"department": DEPARTMENTS[number % 3], "limit": 10_000},
        }
        for number, person in enumerate(PEOPLE)
    ]


@cache
@st.composite
def histories(draw: st.DrawFn) -> dict[str, Any]:
    """Executed actions."""
    entries = [
        {
            "scope": draw(st.sampled_from(SCOPES[:2])),
            "tenant_id": TENANT,
            "people": [{"id": account, "kind": kind_of(account), "person_id": person_of(account)}],
            "keys": draw(st.sampled_from([{"input.id": "k-1"}, {"input.id": "k-2"}, {}])),
            "at": draw(st.sampled_from(TIMES)),
        }
        for account in draw(st.lists(st.sampled_from(ACCOUNTS), max_size=3))
    ]
    return present(entries=entries, complete_since=maybe(draw, st.sampled_from(["2026-01-01T00:00:00Z", TIMES[3]]), 2))


@cache
@st.composite
def attributes(draw: st.DrawFn) -> dict[str, Any]:
    """The declared context attributes, all stated that must be."""
    return {
        "env": draw(st.sampled_from(["prod", "test"])),
        "incident": draw(st.sampled_from([None, "inc-1"])),
        "limit": draw(st.sampled_from([0, 100, 2.5])),
        "quick": draw(st.booleans()),
        "level": draw(st.sampled_from(["low", "high"])),
        "clearance": draw(st.sampled_from(["public", "restricted", "unknown"])),
        "deadline": draw(st.sampled_from(["2026-11-30T10:30:00Z", "2026-12-24T00:00:00Z"])),
        "owners": draw(st.sampled_from([{}, {"k-1": "ana"}, {"k-1": "cai", "k-2": "dee"}])),
        "tags": draw(st.lists(st.sampled_from(["x", "red"]), max_size=2)),
        **present(
            address=maybe(draw, st.sampled_from(["10.1.2.3", "192.0.2.1", "2001:db8::1"]), 3),
            wait=maybe(draw, st.just("1h"), 2),
            change=maybe(
                draw,
                st.fixed_dictionaries(
                    {"author": st.sampled_from(PEOPLE), "contributors": st.lists(st.sampled_from(PEOPLE), max_size=2)}
                ),
                3,
            ),
        ),
    }


@cache
@st.composite
def contexts(draw: st.DrawFn) -> dict[str, Any]:
    """A valid context without votes; every part that may be absent sometimes is."""
    parties = {name: maybe(draw, principals(), 10) for name in ("requester", "operator", "subject")}
    return present(
        route=maybe(draw, st.sampled_from((*ROUTES[:2] * 4, ROUTES[2])), 20),
        now=NOW,
        tenant=maybe(draw, st.just({"id": TENANT}), 12),
        region=maybe(draw, st.sampled_from(["eu", "eu", "us"]), 8),
        session=maybe(draw, st.just("s-1"), 3),
        delegation=maybe(draw, st.just([]), 8),
        credential=maybe(
            draw,
            st.fixed_dictionaries(
                {
                    "id": st.just("c-1"),
                    "issuer": st.sampled_from(["iss-1", "iss-2"]),
                    "scopes": st.sampled_from([["pay"], []]),
                    "tenant_id": st.just(TENANT),
                    "expires_at": st.sampled_from(LATER),
                }
            ),
            6,
        ),
        used_votes=maybe(draw, st.sampled_from([[], ["d-0"]]), 8),
        authorities=maybe(draw, records(), 8),
        history=maybe(draw, histories(), 3),
        attributes=draw(attributes()),
        **parties,
    )


@st.composite
def actions(draw: st.DrawFn, capability_id: str) -> dict[str, Any]:
    """A valid action."""
    return present(
        id="a-1",
        capability_id=capability_id,
        input=draw(inputs()),
        mode=draw(st.sampled_from([None, None, "sync", "sync", "async"])),
        idempotency_key=maybe(draw, st.just("k"), 8),
        transaction=rarely(
            draw, st.sampled_from([{"mode": "execute"}, {"mode": "commit", "plan_id": "p-1"}, {"mode": "dry_run"}])
        ),
        **draw(claims()),
    )


@cache
@st.composite
def claims(draw: st.DrawFn) -> dict[str, Any]:
    """What the caller says of itself."""
    if draw(st.booleans()):
        return {}
    return present(
        compliance=maybe(draw, st.sampled_from([{"flag": "red"}, {"flag": "green"}, "x"]), 2),
        identity=maybe(draw, st.just({"id": "root"}), 2),
        approval=maybe(draw, st.just({"given": True}), 2),
    )


@cache
@st.composite
def requests(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """An action, a capability and a context that belong together, without votes."""
    capability = draw(capabilities())
    return draw(actions(capability["id"])), capability, draw(contexts())


@cache
@st.composite
def hostile(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """A request in which any JSON, and what is not even JSON, stands anywhere."""
    action, capability, context = draw(requests())
    parts: list[Any] = [action, capability, context]
    for _ in range(draw(st.integers(1, 3))):
        position = draw(st.integers(0, 2))
        if draw(st.integers(1, 6)) == 1 or not isinstance(parts[position], dict):
            parts[position] = draw(JSON)
        else:
            names = [*parts[position], draw(st.text(max_size=6))]
            parts[position] = {**parts[position], draw(st.sampled_from(names)): draw(JSON)}
    return parts[0], parts[1], parts[2]
