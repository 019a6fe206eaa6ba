"""What the laws share: an engine for a generated policy, a request with votes, how decisions compare."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from policy import Decision, Engine, Outcome, PolicyError
from tests.properties.generators.requests import everybody_approves, everybody_may, requests, votes

RANK = {Outcome.ALLOW: 0, Outcome.REQUIRE_APPROVAL: 1, Outcome.DENY: 2}
Request = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


def rank(decision: Decision) -> int:
    """allow 0, require-approval 1, deny 2."""
    return RANK[decision.outcome]


def engine_of(text: str) -> Engine:
    """The engine of a generated policy; one that the checker refuses is no example of the law."""
    try:
        return Engine.from_source(text)
    except PolicyError as error:
        assume(False)
        raise AssertionError from error


@st.composite
def voted(draw: st.DrawFn, engine: Engine) -> Request:
    """A request with votes bound to it."""
    action, capability, context = draw(requests())
    digest = engine.request_digest(action, capability, context)
    if digest is None:
        return action, capability, context
    if draw(st.booleans()):
        return action, capability, {**context, "approvals": draw(votes(digest, engine.policy_hash))}
    willing = {
        "approvals": everybody_approves(digest, engine.policy_hash),
        "authorities": everybody_may(),
        "used_votes": [],
    }
    return action, capability, {**context, "delegation": [], **willing}


def essence(decision: Decision) -> dict[str, Any]:
    """What must not depend on order: everything but places and the sequence of reasons."""
    shown = decision.model_dump(mode="json")
    shown["reasons"] = sorted(
        (reason["code"], reason["effect"], reason["rule"] or "", reason["layer"] or "", reason["message"])
        for reason in shown["reasons"]
    )
    shown["approvals"] = sorted(shown["approvals"], key=lambda one: str(one["id"]))
    shown["obligations"] = sorted(shown["obligations"], key=str)
    shown["risk"]["raised_by"] = sorted(shown["risk"]["raised_by"])
    return shown
