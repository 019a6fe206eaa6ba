"""One policy and its requests, made up of so many rules, from which every contestant's own form is written.

The policy is that of agents working for tenants. A permission is a scope on a route: it is granted to a role, refused
above a ceiling in production, and for each tenant refused above a limit and sent to a person above a review amount.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

ROLES = ("role0", "role1", "role2", "role3")
_SMALL = 1_000
"""From so many rules on, permissions have many tenants."""


class Answer(str, Enum):
    """What is answered to a request."""

    ALLOW = "allow"
    APPROVE = "require-approval"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a tenant sets for a permission: two rules."""

    limit: int
    """Refused above."""
    review: int
    """Sent to a person above."""


@dataclass(frozen=True, slots=True)
class Permission:
    """A scope on a route, with all rules about it."""

    route: str
    scope: str
    role: str
    """Who may."""
    ceiling: int
    """Refused above this in production, whatever the tenant."""
    tenants: Mapping[str, Amounts]

    @property
    def rules(self) -> int:
        """How many rules it takes: the grant, the ceiling, two for each tenant."""
        return 2 + 2 * len(self.tenants)


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, as data that every contestant can put into its own form."""

    number: int
    route: str
    scope: str
    tenant: str
    role: str
    amount: int
    environment: str

    def facts(self) -> dict[str, Any]:
        """The request as the flat data that languages of conditions read."""
        return {
            "route": self.route,
            "scope": self.scope,
            "tenant": self.tenant,
            "roles": [self.role],
            "amount": self.amount,
            "environment": self.environment,
        }

    @property
    def key(self) -> tuple[str, str]:
        """The permission it is about."""
        return self.route, self.scope


@dataclass(frozen=True)
class Workload:
    """A policy of exactly so many rules, and requests that are answered by them."""

    permissions: tuple[Permission, ...]
    asks: tuple[Ask, ...]

    @cached_property
    def by_key(self) -> dict[tuple[str, str], Permission]:
        """The permissions by route and scope."""
        return {(each.route, each.scope): each for each in self.permissions}

    @property
    def rules(self) -> int:
        """How many rules the policy has."""
        return sum(each.rules for each in self.permissions)

    @cached_property
    def scopes(self) -> tuple[str, ...]:
        """Every scope, once."""
        return tuple(dict.fromkeys(each.scope for each in self.permissions))

    def expected(self, ask: Ask) -> Answer:
        """The answer by definition: what refuses comes first, then what waits for people."""
        permission = self.by_key[ask.key]
        amounts = permission.tenants[ask.tenant]
        refused = (
            ask.role != permission.role
            or (ask.environment == "production" and ask.amount > permission.ceiling)
            or ask.amount > amounts.limit
        )
        if refused:
            return Answer.DENY
        return Answer.APPROVE if ask.amount > amounts.review else Answer.ALLOW


def workload(rules: int, requests: int, seed: int = 1) -> Workload:
    """A policy of `rules` rules (a multiple of ten, of fifty from 1,000 on), and `requests` requests.

    Half of the requests are allowed, a quarter wait for people, and a quarter are refused, for one reason in turn.
    """
    draw = random.Random(seed)
    tenants = 4 if rules < _SMALL else 24
    count, rest = divmod(rules, 2 + 2 * tenants)
    if rest or not count:
        raise ValueError(f"{rules} rules cannot be made up: take a multiple of {2 + 2 * tenants}")
    routes = max(1, round(count**0.5))
    permissions = tuple(
        Permission(
            route=f"route{number % routes}",
            scope=f"service{number // routes}.write",
            role=ROLES[number % len(ROLES)],
            ceiling=draw.randrange(6_000, 9_000),
            tenants={
                f"tenant{tenant}": Amounts(limit=draw.randrange(3_000, 5_000), review=draw.randrange(500, 1_000))
                for tenant in range(tenants)
            },
        )
        for number in range(count)
    )
    asks = [_ask(number, draw.choice(permissions), draw) for number in range(requests)]
    return Workload(permissions, tuple(asks))


def _ask(number: int, permission: Permission, draw: random.Random) -> Ask:
    tenant = draw.choice(tuple(permission.tenants))
    amounts = permission.tenants[tenant]
    role, amount, environment = permission.role, draw.randrange(1, amounts.review + 1), "production"
    kind = number % 4
    if kind == 2:
        amount = draw.randrange(amounts.review + 1, amounts.limit + 1)
    elif kind == 3:
        refusal = number // 4 % 3
        if refusal == 0:
            role = next(each for each in ROLES if each != permission.role)
        elif refusal == 1:
            amount, environment = draw.randrange(amounts.limit + 1, permission.ceiling + 1), "staging"
        else:
            amount = draw.randrange(permission.ceiling + 1, 10_000)
    return Ask(number, permission.route, permission.scope, tenant, role, amount, environment)


HEADER = """policy "benchmark" { version "1" default approval "lead" }
context { environment: one of "production", "staging" }
directory { roles "role0", "role1", "role2", "role3", "lead" }
approval "lead" { need role "lead" valid for 1h }
"""


def policy_texts(work: Workload, most: int = 900_000) -> Iterator[str]:
    """The policy in this project's language, as the texts of files of at most so many characters."""
    parts, size = [HEADER], len(HEADER)
    for statement in _statements(work):
        if size + len(statement) > most:
            yield "".join(parts)
            parts, size = [], 0
        parts.append(statement)
        size += len(statement)
    yield "".join(parts)


def _statements(work: Workload) -> Iterator[str]:
    routes: dict[str, list[str]] = {}
    for each in work.permissions:
        routes.setdefault(each.route, []).append(f'  allow {each.scope} when subject.roles has "{each.role}"\n')
    for route, clauses in routes.items():
        yield f'route "{route}" {{\n{"".join(clauses)}}}\n'
    for number, each in enumerate(work.permissions):
        concerns = f'for {each.scope} on route "{each.route}" when'
        ceiling = f'context.environment == "production" and input.amount > {each.ceiling}'
        yield f'deny "ceiling-{number}" {{ {concerns} {ceiling} }}\n'
        for tenant, amounts in each.tenants.items():
            who = f'tenant.id == "{tenant}"'
            yield f'deny "limit-{number}-{tenant}" {{ {concerns} {who} and input.amount > {amounts.limit} }}\n'
            review = f'{who} and input.amount > {amounts.review} approval "lead"'
            yield f'require "review-{number}-{tenant}" {{ {concerns} {review} }}\n'


SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string", "maxLength": 40}, "amount": {"type": "number", "minimum": 0}},
    "required": ["order_id", "amount"],
    "additionalProperties": False,
}


def capability(scope: str) -> dict[str, Any]:
    """The AIP 1.0 document of a scope."""
    return {
        "id": f"cap:{scope}",
        "scope": scope,
        "name": scope,
        "kind": "tool",
        "input_schema": SCHEMA,
        "output_schema": {"type": "object"},
        "risk": "low",
    }


def action(ask: Ask) -> dict[str, Any]:
    """The action of a request, as plain data."""
    given = {"order_id": f"order-{ask.number}", "amount": ask.amount}
    return {"id": f"call-{ask.number}", "capability_id": f"cap:{ask.scope}", "input": given}


def context(ask: Ask) -> dict[str, Any]:
    """The trusted context of a request, as plain data."""
    person = {
        "id": f"person-{ask.number % 97}",
        "kind": "human",
        "person_id": f"person-{ask.number % 97}",
        "tenant_id": ask.tenant,
        "roles": [ask.role],
    }
    return {
        "route": ask.route,
        "now": "2026-11-30T10:00:00Z",
        "tenant": {"id": ask.tenant},
        "session": "session-1",
        "requester": person,
        "subject": dict(person),
        "operator": {"id": "agent-7", "kind": "agent", "tenant_id": ask.tenant, "roles": []},
        "delegation": [],
        "used_votes": [],
        "attributes": {"environment": ask.environment},
    }
