"""Whom the leaves of an approval match: names, delegated authority, conditions (language.md section 6)."""

from __future__ import annotations

from typing import Any

import pytest

from policy.types.values import RiskLevel
from tests.unit.approval_world import (
    NOW,
    Json,
    at,
    decided,
    leaf,
    make_context,
    make_request,
    record,
    requirement,
    role,
    vote,
)
from tests.unit.expressions import compare, read

INES = record("ines", "teller")


def code_in(context: Json, asked: Any, **members: Any) -> str | None:
    """The code of the one vote; None where it counts."""
    approval = decided(asked, make_request(context, **members))
    assert len(approval.counted) + len(approval.not_counted) == 1
    return approval.not_counted[0].code if approval.not_counted else None


@pytest.mark.parametrize(
    ("need", "members", "expected"),
    [
        (leaf("principal", "ines"), {}, None),
        (leaf("principal", "omar"), {}, "approval.not_eligible"),
        (leaf("group", "tre*"), {"groups": ["treasury"]}, None),
        (leaf("group", "tre*"), {"groups": ["credit"]}, "approval.not_eligible"),
        (leaf("group", read("context.group")), {"groups": ["treasury"]}, "approval.not_eligible"),
        (leaf("tenant_policy", "limits"), {"tenant_policies": ["limits"]}, None),
        (leaf("tenant_policy", None), {"tenant_policies": ["limits"]}, None),
        (leaf("tenant_policy", None), {"tenant_policies": []}, "approval.not_eligible"),
        (leaf("tenant_policy", None), {}, "approval.not_eligible"),
        (leaf("external_system", "sap"), {"external_systems": ["sap"]}, None),
        (leaf("external_system", "sap"), {"roles": ["sap"]}, "approval.not_eligible"),
        (leaf("principal", read("context.owner")), {}, None),
        (leaf("principal", read("context.owners")), {}, None),
        (leaf("role", read("context.absent")), {}, "approval.not_eligible"),
        (leaf("role", read("context.limit")), {}, "approval.not_eligible"),
        (leaf("role", read("context.mixed")), {"roles": ["teller"]}, "approval.not_eligible"),
        (leaf("role", read("context.role")), {"roles": ["manager"]}, None),
        (leaf("role", read("operator")), {"roles": ["agent-7"]}, "approval.not_eligible"),
    ],
)
def test_leaves(need: Any, members: Json, expected: str | None) -> None:
    attributes = {
        "owner": "ines",
        "owners": ["omar", "ines"],
        "limit": 5,
        "mixed": ["teller", 5],
        "role": "manager",
        "group": "tre*",
    }
    context = make_context([vote("ines")], [record("ines", **members)], attributes=attributes)
    assert code_in(context, requirement(need)) == expected


def grant(**members: Any) -> Json:
    return record("ines", delegated_scopes=[{"scope": "payment.**", **members}])


HIGH_ONLY = leaf("delegated", "payment.release", max_risk=RiskLevel.HIGH)
LIMITED = leaf("delegated", "payment.release", max_value=1000, value_of=read("input.amount"))
TOO_LOW = leaf("delegated", "payment.release", max_value=899, value_of=read("input.amount"))
UNSTATED = leaf("delegated", "payment.release", max_value=9, value_of=read("input.other"))
COVERING = leaf("delegated", "payment.release", covering=read("input.amount"))


@pytest.mark.parametrize(
    ("need", "members", "expected"),
    [
        (leaf("delegated", "payment.release"), {}, None),
        (leaf("delegated", "payment.**"), {"scope": "payment.release"}, "approval.not_eligible"),
        (leaf("delegated", "loan.release"), {}, "approval.not_eligible"),
        (leaf("delegated", "payment.release"), {"revoked": True}, "approval.not_eligible"),
        (leaf("delegated", "payment.release"), {"expires_at": NOW}, "approval.not_eligible"),
        (leaf("delegated", "payment.release"), {"expires_at": at(1)}, None),
        (leaf("delegated", "payment.release"), {"max_risk": "high"}, None),
        (leaf("delegated", "payment.release"), {"max_risk": "medium"}, "approval.not_eligible"),
        (leaf("delegated", "payment.release"), {"max_value": 5000}, "approval.not_eligible"),
        (HIGH_ONLY, {}, None),
        (leaf("delegated", "payment.release", max_risk=RiskLevel.MEDIUM), {}, "approval.not_eligible"),
        (LIMITED, {}, None),
        (LIMITED, {"max_value": 900}, None),
        (LIMITED, {"max_value": 899}, "approval.not_eligible"),
        (
            leaf("delegated", "payment.release", max_value=899, value_of=read("input.amount")),
            {},
            "approval.not_eligible",
        ),
        (leaf("delegated", "payment.release", max_value=9, value_of=read("input.other")), {}, "approval.not_eligible"),
        (leaf("delegated", "payment.release", max_value=1000), {}, "approval.not_eligible"),
        (COVERING, {}, "approval.not_eligible"),
        (COVERING, {"max_value": 899.5}, "approval.not_eligible"),
        (COVERING, {"max_value": 900}, None),
        (leaf("delegated", "payment.release", covering=read("input.other")), {"max_value": 9}, "approval.not_eligible"),
    ],
)
def test_delegated_authority(need: Any, members: Json, expected: str | None) -> None:
    context = make_context([vote("ines")], [grant(**members)])
    assert code_in(context, requirement(need)) == expected


def test_a_delegated_limit_and_an_uncertain_or_unknown_risk() -> None:
    context = make_context([vote("ines")], [grant()])
    both = (RiskLevel.MEDIUM, RiskLevel.HIGH)
    medium = requirement(leaf("delegated", "payment.release", max_risk=RiskLevel.MEDIUM))
    assert code_in(context, requirement(HIGH_ONLY), risk=both) is None
    assert code_in(context, medium, risk=both) == "approval.not_eligible"
    assert code_in(context, medium, risk=()) == "approval.not_eligible"
    assert code_in(make_context([vote("ines")], [grant(max_risk="medium")]), risk=(), asked=requirement(LIMITED)) == (
        "approval.not_eligible"
    )


def test_where_reads_the_record_and_the_action() -> None:
    need = role("teller", where=compare(read("approver.attributes.limit"), ">=", read("input.amount")))
    for limit, expected in ((900, None), (899, "approval.not_eligible"), ("900", "approval.not_eligible")):
        entry = record("ines", "teller", attributes={"limit": limit})
        assert code_in(make_context([vote("ines")], [entry]), requirement(need)) == expected
    assert code_in(make_context([vote("ines")], [INES]), requirement(need)) == "approval.not_eligible"


def test_where_that_asks_of_nobody_holds_for_all_or_none() -> None:
    for limit, expected in ((900, None), (901, "approval.not_eligible")):
        need = role("teller", where=compare(read("context.least"), "<=", read("input.amount")))
        context = make_context([vote("ines")], [INES], attributes={"least": limit})
        assert code_in(context, requirement(need)) == expected
    assert code_in(make_context([vote("ines")], [INES]), requirement(need)) == "approval.not_eligible"
