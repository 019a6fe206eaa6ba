"""A request with many votes over an approval of fifty leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from policy import Action, Context, Engine
from policy.contracts.admission import admit
from policy.model.admitted import AdmittedCapability
from policy.source.limits import DEFAULT_LIMITS
from tests.benchmarks.workload import capability

_LEAVES = 50
_GROUPS = 10
_LIMITS = replace(DEFAULT_LIMITS, data_bytes=8 << 20, data_nodes=1_000_000)
"""2,000 votes with the record of each voter are more data than a context may hold by default."""

Request = tuple[Action, AdmittedCapability, Context]


def _policy() -> str:
    """One action that always waits, for two of the five roles of each of ten groups."""
    groups = []
    for group in range(_GROUPS):
        size = _LEAVES // _GROUPS
        roles = " ".join(f'role "role{group * size + place}"' for place in range(size))
        groups.append(f"    any 2 of {{ {roles} }}")
    names = ", ".join(f'"role{number}"' for number in range(_LEAVES))
    tree = "\n".join(groups)
    return f"""policy "quorum" {{ version "1" }}
directory {{ roles {names} }}
route "release" {{ allow release.write }}
require "people" {{ for release.write approval "board" }}
approval "board" {{
  need all of {{
{tree}
  }}
  valid for 4h
}}
"""


def quorum_request(votes: int) -> tuple[Engine, Request, str]:
    """An engine, a request with so many votes of different people, and the outcome it must have.

    The roles are dealt in turn, every person has two of them, and a vote is one person's. Twenty people are enough
    where they are spread over all groups.
    """
    engine = Engine.from_source(_policy(), limits=_LIMITS)
    known = admit(capability("release.write")).capability
    if known is None:
        raise RuntimeError("the capability is not admitted")
    action = Action.model_validate(
        {"id": "call", "capability_id": known.id, "input": {"order_id": "order", "amount": 5}}
    )
    plain = _context(votes)
    digest = engine.request_digest(action, known, Context.model_validate(plain))
    plain["approvals"] = [
        {
            "decision": "approved",
            "decision_id": f"vote-{number}",
            "approver": {"id": f"approver-{number}", "kind": "human"},
            "decided_at": f"2026-11-30T09:{number % 60:02}:00Z",
            "request_digest": digest,
            "policy_hash": engine.policy_hash,
        }
        for number in range(votes)
    ]
    return engine, (action, known, Context.model_validate(plain)), "allow" if votes >= 50 else "require-approval"


def _context(votes: int) -> dict[str, Any]:
    person = {"id": "person", "kind": "human", "person_id": "person", "roles": []}
    return {
        "route": "release",
        "now": "2026-11-30T10:00:00Z",
        "requester": person,
        "subject": person,
        "operator": {"id": "agent", "kind": "agent", "roles": []},
        "delegation": [],
        "used_votes": [],
        "authorities": [
            {
                "principal_id": f"approver-{number}",
                "kind": "human",
                "person_id": f"approver-{number}",
                "roles": [f"role{number % _LEAVES}", f"role{(number * 7 + 3) % _LEAVES}"],
            }
            for number in range(votes)
        ],
    }
