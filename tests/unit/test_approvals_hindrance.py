"""What is said up front where no vote can count, whoever gives it."""

from __future__ import annotations

from typing import Any

import pytest

from policy.decide.approvals.requirement import LayeredSeparation
from tests.unit.approval_world import (
    agent,
    differs,
    judged,
    make_context,
    make_request,
    perform,
    person,
    record,
    requirement,
    role,
    step,
    vote,
)

ONE = requirement(role("teller"))
INES = record("ines", "teller")
UNTOLD = {"id": "rosa", "kind": "human"}


def said(*separations: LayeredSeparation, **members: Any) -> list[str]:
    """The messages of `approval.none_counts`, which stands first."""
    context = make_context([vote("ines")], [INES], **members)
    (only,) = judged(ONE, make_request(context), *separations)
    codes = [reason.code for reason in only.reasons]
    assert "approval.none_counts" not in codes[1:]
    return [reason.message for reason in only.reasons if reason.code == "approval.none_counts"]


def test_nothing_is_said_where_votes_can_count() -> None:
    assert said() == []
    assert said(requester=person("rosa", roles=[])) == []


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"used_votes": None}, "the runtime does not state `used_votes`"),
        ({"delegation": None}, "the runtime does not state `delegation`"),
        ({"subject": None, "delegation": None}, "the runtime does not state `subject` and `delegation`"),
        (
            {"requester": UNTOLD, "subject": UNTOLD},
            "the `person_id` of `rosa` is not told, so nobody is known to be somebody else",
        ),
        (
            {"used_votes": None, "operator": None},
            "the runtime does not state `used_votes`; the runtime does not state `operator`",
        ),
    ],
)
def test_what_the_runtime_leaves_out(members: dict[str, Any], message: str) -> None:
    assert said(**members) == [f"no approval can count: {message}"]


def test_the_person_of_an_agent_need_not_be_told() -> None:
    assert said(operator=agent("agent-9")) == []


def test_a_party_of_a_separation_is_not_stated() -> None:
    message = "no approval can count: somebody whom a separation keeps from approving is not stated"
    assert said(differs("approver", "context.author")) == [message]


def test_who_performed_another_step_is_not_told() -> None:
    steps = perform(step("payment.create"), step("payment.release", "input.payment_id"))
    entry = {"scope": "payment.create", "keys": {"input.payment_id": "p-1"}}
    history = {
        "entries": [{**entry, "at": "2026-06-01T00:00:00Z", "people": []}],
    }
    assert said(steps, history=history) == [
        "no approval can count: the history does not tell who performed another step"
    ]


def test_what_is_said_agrees_with_the_vote() -> None:
    context = make_context([vote("ines")], [INES], used_votes=None)
    (only,) = judged(ONE, make_request(context))
    assert [each.code for each in only.approval.not_counted] == ["approval.usage_unknown"]
    assert only.reasons[0].effect == "require-approval"
