"""What a pending requirement tells an approver: who may still approve, who may not, what would complete it."""

from __future__ import annotations

from typing import Any

from policy.decide.approvals.report import State
from policy.model.decision import Approval
from policy.types.values import RiskLevel
from tests.unit.approval_world import (
    Json,
    agent,
    all_of,
    conflict,
    decided,
    deny,
    differs,
    leaf,
    make_context,
    make_request,
    perform,
    person,
    pool,
    record,
    requirement,
    role,
    step,
    vote,
)
from tests.unit.expressions import read

TREASURY = pool(2, role("teller"), leaf("principal", "omar"), leaf("group", "treasury"))
EVERY_LEAF = ["role teller", "principal omar", "group treasury"]


def look(asked: Any, votes: list[Json], records: list[Json] | None, *separations: Any, **members: Any) -> Approval:
    return decided(asked, make_request(make_context(votes, records, **members)), *separations)


def test_before_anybody_voted() -> None:
    approval = look(requirement(TREASURY, evidence=("reason",), because="large payment"), [], None)
    assert (approval.state, approval.missing) == ("pending", 2)
    assert approval.could_approve == EVERY_LEAF
    assert approval.next == EVERY_LEAF
    assert approval.candidates is None
    assert approval.excluded == ["rosa", "agent-7"]
    assert (approval.evidence, approval.valid_for, approval.expires_at) == (["reason"], "4h", None)
    assert (approval.needs, approval.layer, approval.because) == ("as written", "payments", "large payment")


def test_a_named_principal_who_counts_or_may_not_is_no_open_leaf() -> None:
    rest = ["role teller", "group treasury"]
    omar = record("omar")
    assert look(requirement(TREASURY), [vote("omar")], [omar]).could_approve == rest
    assert look(requirement(TREASURY), [], [record("omar", revoked=True)]).could_approve == rest
    assert look(requirement(TREASURY), [], None, requester=person("omar", roles=[])).could_approve == rest
    excluded = look(
        requirement(TREASURY), [], None, differs("approver", "context.author"), attributes={"author": "omar"}
    )
    assert excluded.could_approve == rest
    # One who denied may still change her mind.
    two = requirement(TREASURY, denied_by=2)
    assert look(two, [deny("omar")], [omar]).could_approve == EVERY_LEAF


def test_leaves_that_match_nobody_are_not_open() -> None:
    need = all_of(
        role("teller"),
        leaf("principal", read("context.owner")),
        leaf("delegated", "payment.**", max_risk=RiskLevel.MEDIUM),
    )
    assert look(requirement(need), [], None).could_approve == ["role teller"]
    assert look(requirement(need), [], None, attributes={"owner": "omar"}).could_approve == [
        "role teller",
        "principal context.owner",
    ]


def test_nobody_can_approve_while_a_party_is_not_stated() -> None:
    untold = {"requester": {"id": "dora", "kind": "customer"}}
    for members in ({"subject": None}, {"used_votes": None}, untold):
        approval = look(requirement(TREASURY), [], [record("ines", "teller")], **members)
        assert (approval.could_approve, approval.next, approval.candidates) == ([], [], [])
        assert approval.missing == 2


def test_next_names_the_leaves_that_bring_it_nearer() -> None:
    need = all_of(role("a"), role("b"), leaf("group", "c"))
    records = [record("ines", "a"), record("omar", "a", "b")]
    first = look(requirement(need), [vote("ines")], records)
    assert (first.missing, first.next) == (2, ["role b", "group c"])
    second = look(requirement(need), [vote("ines"), vote("omar")], records)
    assert (second.missing, second.next) == (1, ["group c"])
    assert second.could_approve == ["role a", "role b", "group c"]


def test_nothing_is_next_when_it_is_satisfied_or_denied() -> None:
    records = [record("ines", "teller"), record("omar")]
    expected: tuple[tuple[list[Json], State], ...] = (
        ([vote("ines"), vote("omar")], "satisfied"),
        ([deny("ines")], "denied"),
    )
    for votes, state in expected:
        approval = look(requirement(TREASURY), votes, records)
        assert (approval.state, approval.could_approve, approval.next) == (state, [], [])


def test_candidates_are_those_whose_approval_would_count_now() -> None:
    records = [
        record("zoe", "teller"),
        record("ines", "teller"),
        record("ines-admin", "teller", person_id="ines"),
        record("rosa", "teller"),
        record("kim", "teller", revoked=True),
        record("bot", "teller", kind="agent"),
        record("ada", "teller", tenant_id="other"),
        record("otto", "support"),
        record("lena", groups=["treasury"]),
    ]
    approval = look(requirement(TREASURY), [vote("ines")], records)
    assert approval.candidates == ["lena", "zoe"]


def test_candidates_leave_out_whose_record_could_not_be_fetched() -> None:
    context = make_context([], [record("ines", "teller"), record("omar")])
    assert decided(requirement(TREASURY), make_request(context, failures=["ines"])).candidates == ["omar"]


def test_excluded_lists_parties_named_people_and_their_accounts() -> None:
    records = [
        record("rosa-admin", "teller", person_id="rosa"),
        record("omar-2", "teller", person_id="omar"),
        record("omar"),
        record("kim", "teller", "maker", "checker"),
        record("zoe", "teller"),
    ]
    hop = {"from": person("dora"), "to": agent("agent-7"), "scope": "**"}
    entries = [{"scope": "payment.create", "people": [person("hugo")], "keys": {}, "at": "2026-06-01T00:00:00Z"}]
    approval = look(
        requirement(TREASURY),
        [vote({"id": "rosa-phone", "kind": "human", "person_id": "rosa"})],
        records,
        differs("approver", "context.authors"),
        conflict("maker", "checker"),
        perform(step("payment.create"), step("payment.release", "input.payment_id")),
        attributes={"authors": ["omar"]},
        delegation=[hop],
        history={"entries": entries},
    )
    assert approval.excluded == ["rosa", "agent-7", "dora", "omar", "hugo", "kim", "omar-2", "rosa-admin", "rosa-phone"]
    assert approval.candidates == ["zoe"]


def test_allow_self_approval_excludes_nobody_but_whom_a_separation_names() -> None:
    asked = requirement(TREASURY, self_approval=True)
    assert look(asked, [], None).excluded == []
    assert look(asked, [], None, differs("approver", "requester")).excluded == ["rosa"]


def test_when_the_first_counted_vote_ends() -> None:
    records = [record("ines", "teller"), record("omar")]
    votes = [vote("ines"), vote("omar", -300, expires_at="2026-06-10T15:00:00.25+02:00")]
    approval = look(requirement(TREASURY), votes, records)
    assert approval.expires_at == "2026-06-10T13:00:00.25Z"
    assert look(requirement(TREASURY), votes[:1], records).expires_at == "2026-06-10T15:50:00Z"
    forever = requirement(TREASURY, valid_for=9000 * 366 * 86_400 * 10**9)
    assert look(forever, votes[:1], records).expires_at == "9999-12-31T23:59:59.999999999Z"


def test_votes_are_shown_in_the_order_of_their_receipt() -> None:
    records = [record(name, "teller") for name in ("ines", "omar", "lena")]
    votes = [vote("omar", -100), vote("lena", -900, used_votes=None), vote("ines", -500)]
    for order in (votes, votes[::-1]):
        stated = [{name: value for name, value in each.items() if name != "used_votes"} for each in order]
        approval = look(requirement(TREASURY), stated, records)
        assert [each.approver for each in approval.counted] == ["lena", "ines", "omar"]


def test_leaves_are_shown_without_the_quotes_of_the_policy() -> None:
    odd = leaf("role", 'a"b', text='role "a\\"b" where approver.kind == human')
    approval = look(requirement(pool(1, odd, leaf("tenant_policy", None))), [], None)
    assert approval.could_approve == ['role a"b where approver.kind == human', "tenant_policy"]


def test_everybody_who_may_not_approve_is_named_with_the_reason() -> None:
    approval = look(
        requirement(role("teller")),
        [],
        [record("ines", "teller"), record("pia", "maker", "checker"), record("rosa-2", "teller", person_id="rosa")],
        differs("approver", "context.author", "requester"),
        conflict("maker", "checker"),
        attributes={"author": "omar"},
        delegation=[{"from": {"id": "lark", "kind": "agent"}, "to": {"id": "agent-7", "kind": "agent"}, "scope": "**"}],
    )
    assert list(approval.excluded_by) == approval.excluded
    assert approval.excluded_by == {
        "rosa": ["requester", "subject", "separation duties"],
        "agent-7": ["operator"],
        "lark": ["delegator"],
        "omar": ["separation duties"],
        "pia": ["separation duties"],
        "rosa-2": ["requester", "subject", "separation duties"],
    }


def test_where_people_may_approve_their_own_requests_only_separations_keep_them_from_it() -> None:
    asked = requirement(role("teller"), self_approval=True)
    assert look(asked, [], None, differs("approver", "operator")).excluded_by == {"agent-7": ["separation duties"]}


def test_nobody_is_named_once_the_approval_is_given() -> None:
    given = look(requirement(role("teller")), [vote("ines")], [record("ines", "teller")])
    assert (given.state, given.excluded, given.excluded_by) == ("satisfied", ["rosa", "agent-7"], {})
