"""A small world for tests of the authorizer: payments, their parties, tellers who approve, and a clock that is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from policy.contracts.catalog import LoadedCatalog, read_catalog
from policy.model.context import AuthorityRecord
from policy.model.decision import Decision
from policy.plugins import Authorizer

Json = dict[str, Any]

NOW = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
POLICY = """
policy "payments" { version "1" }
context { environment: string }
directory { roles "teller" }
route "desk" {
  allow order.**, payment.**
  deny payment.bulk
}
require "large" {
  for payment.pay
  when input.amount > 100
  approval "two"
  because "large payments need two tellers"
}
approval "two" { need 2 approvals from role "teller" valid for 4h }
deny "frozen" { for payment.** when context.environment == "frozen" }
"""
STRICTER = POLICY.replace("amount > 100", "amount > 50")
LOOSER = POLICY.replace("amount > 100", "amount > 100000")
SEPARATED = (
    POLICY
    + """
separation "maker-checker" {
  different people perform payment.create per input.payment_id, payment.release per input.payment_id within 30d
}
"""
)
SCOPES = ("order.read", "payment.pay", "payment.bulk", "payment.create", "payment.release")


def document(scope: str, **members: Any) -> Json:
    return {"id": scope, "name": scope, "kind": "tool", "scope": scope, "input_schema": True, "risk": "low", **members}


def catalog(*more: Json) -> LoadedCatalog:
    return read_catalog([*(document(scope) for scope in SCOPES), *more], "catalog")


def person(name: str) -> Json:
    return {"id": name, "kind": "human", "person_id": name, "roles": []}


def context(**members: Any) -> Json:
    """Rosa asks, agent-7 calls for her."""
    return {
        "route": "desk",
        "requester": person("rosa"),
        "operator": {"id": "agent-7", "kind": "agent", "roles": []},
        "subject": person("rosa"),
        "delegation": [],
        "attributes": {"environment": "production"},
        **members,
    }


def action(scope: str = "payment.pay", amount: Any = 900, name: str = "a-1", **members: Any) -> Json:
    given = {"amount": amount, "payment_id": "p-1"}
    return {"id": name, "capability_id": scope, "input": given, **members}


@dataclass
class Directory:
    """Everybody in it is a teller, unless said otherwise."""

    roles: dict[str, list[str]] = field(default_factory=dict)
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    def resolve(self, principal_id: str, tenant_id: str | None) -> AuthorityRecord | None:
        self.asked.append(principal_id)
        if self.fails:
            raise ConnectionError("the directory is down")
        roles = self.roles.get(principal_id, ["teller"])
        return AuthorityRecord(
            principal_id=principal_id, kind="human", person_id=principal_id, tenant_id=tenant_id, roles=roles
        )


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


INES: Json = {"id": "ines", "kind": "human"}
OMAR: Json = {"id": "omar", "kind": "human"}


@contextmanager
def authorizer(folder: Path, policy: str = POLICY, **members: Any) -> Iterator[Authorizer]:
    """An authorizer over a policy in a folder, closed at the end."""
    path = folder / "payments.policy"
    path.write_text(policy, encoding="utf-8")
    given: Json = {"catalog": catalog(), "resolver": Directory(), "clock": Clock(), **members}
    made = Authorizer(policies=path, **given)
    try:
        yield made
    finally:
        made.close()


def denials(decision: Decision) -> list[str]:
    """The codes that deny, and nothing else."""
    return [reason.code for reason in decision.reasons if reason.effect == "deny"]


def approved(made: Authorizer, asked: Json, stated: Json | None = None, by: tuple[Json, ...] = (INES, OMAR)) -> str:
    """The handle of an approval request that has everything it needs."""
    handle = made.authorize(asked, asked["capability_id"], stated or context()).handle
    assert handle is not None
    for voter in by:
        made.vote(handle, by=voter)
    return handle


Making = Callable[..., Any]
