"""Separation of duties over the parties of an action, and over who approves it (language.md section 6)."""

from __future__ import annotations

from typing import Any

import pytest

from policy.decide.approvals.requirement import LayeredSeparation
from policy.decide.separation import ids_in_attributes, judge_separations
from policy.ir import nodes as ir
from tests.unit.approval_world import (
    POLICY_HASH,
    Json,
    agent,
    at,
    conflict,
    decided,
    differs,
    leaf,
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
from tests.unit.expressions import read, stepped

ONE = requirement(role("teller"))
INES = record("ines", "teller")
DAY = 86_400
SAME = "separation.same_person"
UNKNOWN = "separation.unknown_party"
CONFLICT = "separation.role_conflict"
ROLES_UNKNOWN = "separation.roles_unknown"
PERFORMED = "separation.same_performer"
UNAVAILABLE = "separation.history_unavailable"
MAKER = person("rosa", roles=["maker"])


def hop(delegator: Json) -> Json:
    return {"from": delegator, "to": agent("agent-7"), "scope": "**"}


def codes(separation: LayeredSeparation, **members: Any) -> list[str]:
    payment = members.pop("payment", None)
    scope = members.pop("scope", "payment.release")
    failures = members.pop("failures", ())
    records = members.pop("records", ())
    context = make_context([], records, **members)
    request = make_request(context, payment, scope=scope, failures=failures)
    return [reason.code for reason in judge_separations([separation], request)]


def vote_code(separation: LayeredSeparation, asked: Any = ONE, **members: Any) -> str | None:
    """The code of an approval by ines; None where it counts."""
    records = members.pop("records", [INES])
    by = members.pop("by", "ines")
    failures = members.pop("failures", ())
    request = make_request(make_context([vote(by)], records, **members), failures=failures)
    approval = decided(asked, request, separation)
    return approval.not_counted[0].code if approval.not_counted else None


def test_a_denial_names_its_rule() -> None:
    request = make_request(make_context())
    (reason,) = judge_separations([differs("requester", "subject")], request)
    assert (reason.code, reason.effect, reason.rule, reason.layer) == (
        SAME,
        "deny",
        "duties",
        "payments",
    )
    assert reason.message == "the requester `rosa` is the same person as `subject`"
    assert (reason.location, reason.controls) == ("test.policy:1:1", ["SOX-404"])


@pytest.mark.parametrize(
    ("separation", "members", "expected"),
    [
        (differs("requester", "operator"), {}, []),
        (
            differs("requester", "operator"),
            {"operator": agent("agent-7", person_id="rosa")},
            [SAME],
        ),
        (differs("operator", "requester", "subject"), {}, []),
        (differs("subject", "delegators"), {}, []),
        (
            differs("subject", "delegators"),
            {"delegation": [hop(person("rosa"))]},
            [SAME],
        ),
        (differs("subject", "delegators"), {"delegation": None}, [UNKNOWN]),
        (differs("subject", "operator"), {"operator": None}, [UNKNOWN]),
        (differs("subject", "operator"), {"subject": None}, [UNKNOWN]),
        (
            differs("subject", "requester", "operator"),
            {"operator": None},
            [SAME, UNKNOWN],
        ),
        (differs("subject", "context.author"), {}, [UNKNOWN]),
        (differs("subject", "context.author"), {"attributes": {"author": "rosa"}}, [SAME]),
        (differs("subject", "context.author"), {"attributes": {"author": "ines"}}, []),
        (differs("subject", "context.author"), {"attributes": {"author": []}}, []),
        (
            differs("subject", "context.author"),
            {"attributes": {"author": ["ines", "rosa"]}},
            [SAME],
        ),
        (differs("subject", "context.author"), {"attributes": {"author": 5}}, [UNKNOWN]),
        (differs("subject", "context.author"), {"attributes": {"author": ["ines", 5]}}, [UNKNOWN]),
        # A bare id takes its person from its record.
        (
            differs("subject", "context.author"),
            {"attributes": {"author": "ines"}, "records": [record("ines", person_id="rosa")]},
            [SAME],
        ),
        (
            differs("subject", "context.author"),
            {"attributes": {"author": "ines"}, "failures": ["ines"]},
            [UNKNOWN],
        ),
        # Two people of whom one is not told may be one person.
        (differs("subject", "requester"), {"requester": {"id": "ines", "kind": "human"}}, [UNKNOWN]),
        (differs("subject", "requester"), {"requester": person("ines")}, []),
        (differs("approver", "subject", "context.author"), {}, []),
    ],
)
def test_parties_that_must_differ(separation: LayeredSeparation, members: Json, expected: list[str]) -> None:
    assert codes(separation, **members) == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"author": "ines"}, "approval.separation"),
        ({"author": "omar"}, None),
        ({"author": []}, None),
        ({"author": ["omar", "ines"]}, "approval.separation"),
        ({"author": {"id": "omar"}}, None),
        ({}, "approval.parties_unknown"),
        ({"author": 5}, "approval.parties_unknown"),
    ],
)
def test_an_approver_who_must_differ(attributes: Json, expected: str | None) -> None:
    assert vote_code(differs("approver", "context.author"), attributes=attributes) == expected


def test_an_approver_through_another_account_of_the_excluded_person() -> None:
    records = [record("ines-admin", "teller", person_id="p-1"), record("ines", person_id="p-1")]
    separation = differs("approver", "context.author")
    members: Json = {"records": records, "by": "ines-admin", "attributes": {"author": "ines"}}
    assert vote_code(separation, **members) == "approval.separation"
    # Where the named account has no record, its id may be the person's.
    members["records"] = [record("ines-admin", "teller", person_id="ines")]
    assert vote_code(separation, **members) == "approval.separation"
    members["records"] = [record("ines-admin", "teller", person_id="p-2")]
    assert vote_code(separation, **members) is None
    assert vote_code(separation, failures=["ines"], **members) == "approval.parties_unknown"


def test_a_separation_holds_whatever_an_approval_allows() -> None:
    asked = requirement(leaf("principal", read("subject")), self_approval=True)
    members: Json = {"by": "rosa", "records": [record("rosa")]}
    assert vote_code(differs("approver", "operator"), asked, **members) is None
    assert vote_code(differs("approver", "requester"), asked, **members) == "approval.separation"
    assert vote_code(differs("approver", "requester")) is None
    assert vote_code(differs("approver", "requester"), requester=person("ines")) == "approval.self"


ROLES = conflict("maker", "checker", "auditor")


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, []),
        ({"subject": MAKER, "requester": person("ines", roles=["checker"])}, []),
        ({"subject": person("rosa", roles=["maker", "checker"])}, [CONFLICT]),
        (
            {"subject": MAKER, "requester": person("rosa", roles=["checker"])},
            [CONFLICT],
        ),
        (
            {
                "subject": MAKER,
                "operator": agent("agent-7", person_id="rosa", roles=["auditor"]),
            },
            [CONFLICT],
        ),
        ({"subject": person("rosa", roles=["maker", "teller"])}, []),
        ({"subject": person("rosa")}, [ROLES_UNKNOWN]),
        ({"operator": agent("agent-7")}, [ROLES_UNKNOWN]),
        ({"subject": None}, [ROLES_UNKNOWN]),
        ({"delegation": None}, [ROLES_UNKNOWN]),
        (
            {"subject": person("rosa", roles=["maker", "checker"]), "operator": None},
            [ROLES_UNKNOWN, CONFLICT],
        ),
        (
            {
                "subject": {"id": "rosa", "kind": "human", "roles": ["maker"]},
                "requester": person("ines", roles=["checker"]),
            },
            [ROLES_UNKNOWN],
        ),
        (
            {
                "delegation": [
                    {"from": person("dora", roles=["maker", "auditor"]), "to": agent("agent-7"), "scope": "**"}
                ]
            },
            [CONFLICT],
        ),
    ],
)
def test_conflicting_roles_of_the_parties(members: Json, expected: list[str]) -> None:
    assert codes(ROLES, **members) == expected


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        (["teller", "maker"], None),
        (["teller", "maker", "checker"], "approval.role_conflict"),
        (None, "approval.role_conflict"),
    ],
)
def test_conflicting_roles_of_an_approver(roles: list[str] | None, expected: str | None) -> None:
    asked = requirement(leaf("principal", "ines"))
    assert vote_code(ROLES, asked, records=[record("ines", roles=roles)]) == expected


def test_roles_of_a_party_count_with_those_of_the_same_approver() -> None:
    asked = requirement(leaf("principal", "rosa"), self_approval=True)
    members: Json = {"by": "rosa", "records": [record("rosa", "checker")]}
    assert vote_code(ROLES, asked, subject=person("rosa", roles=["maker"]), **members) == "approval.role_conflict"
    assert vote_code(ROLES, asked, **members) is None


CHAIN = (
    step("payment.create"),
    step("payment.update", "input.payment_id"),
    step("payment.release", "input.payment_id"),
)
MAKER_CHECKER = perform(*CHAIN, within=90 * DAY * 10**9)


def entry(scope: str = "payment.update", seconds: int = -DAY, by: Any = None, **members: Any) -> Json:
    people = [person("rosa")] if by is None else by
    return {"scope": scope, "people": people, "keys": {"input.payment_id": "p-1"}, "at": at(seconds), **members}


def past(*entries: Json, **members: Any) -> Json:
    return {"history": {"entries": list(entries), **members}}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (past(), []),
        (past(entry()), [PERFORMED]),
        (past(entry("payment.create")), [PERFORMED]),
        # The same step may be repeated by its performer.
        (past(entry("payment.release")), []),
        (past(entry("loan.create")), []),
        (past(entry(by=[person("ines")])), []),
        (past(entry(by=[person("ines"), person("rosa")])), [PERFORMED]),
        (past(entry(by=[{"id": "rosa-2", "kind": "human", "person_id": "rosa"}])), [PERFORMED]),
        # Agents beside people are not what is compared; agents alone are.
        (past(entry(by=[person("ines"), agent("agent-7")])), []),
        (past(entry(by=[agent("agent-8")])), [PERFORMED]),
        (past(entry(by=[agent("agent-8", person_id="agent-8")])), []),
        (past(entry(by=[agent("agent-8", person_id="rosa")])), [PERFORMED]),
        # Whoever is not told cannot be told apart.
        (past(entry(by=[{"id": "ines", "kind": "human"}])), [PERFORMED]),
        ({**past(entry(by=[{"id": "ines", "kind": "human"}])), "records": [record("ines")]}, []),
        (past(entry(by=[])), [PERFORMED]),
        ({**past(entry(by=[person("ines")])), "requester": None}, [PERFORMED]),
        ({**past(), "requester": None}, []),
        # Another object, or one that cannot be compared.
        (past(entry(keys={"input.payment_id": "p-2"})), []),
        (past(entry(keys={"input.payment_id": 1})), [PERFORMED]),
        (past(entry(keys={"input.payment_id": None})), [PERFORMED]),
        (past(entry(keys={})), [PERFORMED]),
        (past(entry("payment.create", keys={})), [PERFORMED]),
        (past(entry("payment.create", keys={"input.payment_id": "p-2"})), []),
        # The window: not older than 90 days.
        (past(entry(seconds=-90 * DAY)), [PERFORMED]),
        (past(entry(seconds=-90 * DAY - 1)), []),
        (past(entry(seconds=60)), [PERFORMED]),
        # Tenants: keys of another tenant are of other objects.
        (past(entry(tenant_id="acme")), [PERFORMED]),
        (past(entry(tenant_id="other")), []),
        ({**past(entry(tenant_id="other")), "tenant": None}, [PERFORMED]),
        # The history itself.
        ({"history": None}, [UNAVAILABLE]),
        (past(complete_since=at(-90 * DAY)), []),
        (past(complete_since=at(-90 * DAY + 1)), [UNAVAILABLE]),
        ({**past(), "payment": {"amount": 1}}, [UNAVAILABLE]),
        ({**past(), "payment": {"payment_id": None}}, [UNAVAILABLE]),
        # Steps that are remembered and not checked, and actions that are no step.
        ({"history": None, "scope": "payment.create"}, []),
        ({"history": None, "scope": "payment.read"}, []),
        ({**past(entry("payment.release")), "scope": "payment.update"}, [PERFORMED]),
    ],
)
def test_different_people_perform(members: Json, expected: list[str]) -> None:
    assert codes(MAKER_CHECKER, **members) == expected


def test_without_a_window_the_history_is_complete_from_the_beginning() -> None:
    forever = perform(*CHAIN)
    assert codes(forever, **past(entry(seconds=-4000 * DAY))) == [PERFORMED]
    assert codes(forever, **past(complete_since=at(-4000 * DAY))) == [UNAVAILABLE]


def test_keys_of_different_names() -> None:
    renamed = perform(step("payment.update", "input.id"), step("payment.release", "input.payment_id"))
    assert codes(renamed, **past(entry(keys={"input.id": "p-1"}))) == [PERFORMED]
    assert codes(renamed, **past(entry(keys={"input.id": "p-2"}))) == []
    assert codes(renamed, **past(entry(keys={"input.id": "p-2", "input.payment_id": "p-1"}))) == [PERFORMED]
    assert codes(renamed, **past(entry(keys={"input.payment_id": "p-2"}))) == [PERFORMED]


def test_who_performed_another_step_does_not_approve() -> None:
    for by, expected in (
        ([person("ines")], "approval.separation"),
        ([person("omar")], None),
        ([{"id": "ines-2", "kind": "human", "person_id": "ines"}], "approval.separation"),
        ([{"id": "omar", "kind": "human"}], "approval.separation"),
    ):
        assert vote_code(MAKER_CHECKER, **past(entry(by=by))) == expected


def test_ids_that_the_attributes_give_to_separations() -> None:
    parties = (
        read("context.author"),
        read("context.change.contributors"),
        stepped("context", "owners", read("input.center"), text="context.owners[input.center]"),
        read("requester"),
        read("context.absent.deeper"),
    )
    rule = ir.Separation(
        span=read("x").span,
        id="duties",
        selector=ir.Selector(span=read("x").span, patterns=None, routes=None, when=None, unless=None),
        because=None,
        controls=(),
        form=ir.DiffersFrom(span=read("x").span, who="approver", parties=parties),
    )
    attributes = {"author": "a", "change": {"contributors": ["b", 5]}, "owners": {"x": "c", "y": ["d"]}, "other": "e"}
    assert ids_in_attributes(_policy(rule), attributes) == {"a", "b", "c", "d"}


def _policy(separation: ir.Separation) -> ir.PolicySet:
    empty = ("defaults", "context", "routes", "clauses", "denies", "requires", "raises", "risks", "approvals")
    nothing: Any = dict.fromkeys(empty, ())
    program = ir.Program(
        layer="payments",
        name=None,
        version=None,
        owner=None,
        roles=None,
        groups=None,
        attributes=None,
        separations=(separation,),
        obligations=(),
        **nothing,
    )
    return ir.PolicySet(layers=(program,), hash=POLICY_HASH)
