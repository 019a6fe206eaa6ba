"""The laws of language.md section 10 over votes, authority records and history.

Requests are generated with everything that makes a vote count or not count: shared persons, denials, withdrawals,
separations, records of other tenants. A request is changed in one place, and the answer compared.

200 examples a law and run; `POLICY_TEST_SCALE=10` gives 2,000.
"""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from policy.decide.approvals.judge import Judged
from policy.decide.approvals.requirement import LayeredSeparation, Requirement
from policy.decide.people import context_problems
from policy.decide.separation import judge_separations
from policy.ir import nodes as ir
from policy.model.context import Context
from tests.properties.budget import budget
from tests.unit.approval_world import (
    Json,
    agent,
    all_of,
    any_of,
    at,
    conflict,
    deny,
    differs,
    judged,
    leaf,
    make_context,
    make_request,
    perform,
    person,
    pool,
    record,
    requirement,
    role,
    slots,
    step,
    vote,
    withdraw,
)
from tests.unit.expressions import compare, read

_NAMES = ("ines", "omar", "lena", "rosa", "ines-2")
_NEEDS: tuple[ir.Need, ...] = (
    role("a"),
    pool(2, role("a"), leaf("group", "g*")),
    all_of(role("a"), role("b")),
    all_of(role("a"), role("b"), same_person=True),
    any_of(pool(2, role("a")), all_of(role("b"), leaf("principal", read("context.owner")))),
    slots(2, role("a"), role("b"), leaf("delegated", "payment.**", covering=read("input.amount"))),
    pool(1, role("a", where=compare(read("approver.attributes.limit"), ">=", read("context.least"))), role("b")),
)
_SEPARATIONS = (
    differs("approver", "context.owner"),
    differs("approver", "requester", "delegators"),
    differs("requester", "operator"),
    conflict("a", "c"),
    perform(step("payment.update", "input.payment_id"), step("payment.release", "input.payment_id"), within=10**15),
)
_SECONDS = st.sampled_from((-20_000, -900, -600, -600, -300, 60))


@st.composite
def _votes(draw: st.DrawFn) -> list[Json]:
    votes: list[Json] = []
    for number in range(draw(st.integers(0, 5))):
        by, seconds = draw(st.sampled_from(_NAMES)), draw(_SECONDS)
        members: Json = {"decision_id": f"d-{number}"}
        if draw(st.integers(0, 5)) == 0:
            members["approval_id"] = draw(st.sampled_from(("quorum", "other")))
        if draw(st.integers(0, 5)) == 0:
            members["expires_at"] = at(draw(_SECONDS) + 300)
        kind = draw(st.sampled_from(("vote", "vote", "vote", "deny", "withdraw")))
        if kind == "withdraw":
            votes.append(withdraw(by, f"d-{draw(st.integers(0, 5))}", seconds, **members))
        else:
            votes.append((vote if kind == "vote" else deny)(by, seconds, **members))
    return votes


@st.composite
def _record(draw: st.DrawFn, name: str) -> Json:
    stated = record(
        name,
        *draw(st.lists(st.sampled_from("abc"), max_size=2, unique=True)),
        groups=draw(st.none() | st.lists(st.sampled_from(("g1", "h")), max_size=1)),
        attributes={"limit": draw(st.integers(0, 2))},
        person_id="ines" if name == "ines-2" else name,
    )
    if draw(st.booleans()):
        stated["delegated_scopes"] = [{"scope": "payment.*", "max_value": draw(st.sampled_from((100, 900)))}]
    for member, value in (("revoked", True), ("tenant_id", "other"), ("may_revoke", True), ("expires_at", at(-1))):
        if draw(st.integers(0, 7)) == 0:
            stated[member] = value
    return stated


@st.composite
def _contexts(draw: st.DrawFn) -> Json:
    records = [draw(_record(name)) for name in draw(st.lists(st.sampled_from(_NAMES), unique=True))]
    performed = {
        "scope": "payment.update",
        "people": [person(draw(st.sampled_from(_NAMES[:4])))],
        "keys": {"input.payment_id": draw(st.sampled_from(("p-1", "p-2")))},
        "at": at(-600),
    }
    return make_context(
        draw(_votes()),
        records,
        requester=person(draw(st.sampled_from(("rosa", "ines"))), roles=draw(st.sampled_from(([], ["a"], ["c"])))),
        delegation=draw(st.sampled_from(([], [{"from": person("lena"), "to": agent("agent-7"), "scope": "**"}]))),
        attributes={"owner": draw(st.sampled_from(("omar", "lena"))), "least": draw(st.integers(0, 2))},
        history={"entries": [performed]},
        used_votes=draw(st.sampled_from(([], ["d-0"]))),
    )


@st.composite
def _asked(draw: st.DrawFn) -> Requirement:
    need = draw(st.sampled_from(_NEEDS))
    independent = getattr(need, "same_person", False)
    return requirement(
        need,
        distinct_by="team" if not independent and draw(st.integers(0, 7)) == 0 else None,
        at_least=draw(st.integers(1, 2)),
        denied_by=draw(st.integers(1, 2)),
        self_approval=draw(st.booleans()),
    )


_RULES = st.lists(st.sampled_from(_SEPARATIONS), max_size=2)
_STEPS = {"satisfied": 0, "pending": 1, "denied": 2}


def _rank(asked: Requirement, context: Json, rules: list[LayeredSeparation]) -> tuple[int, Judged | None]:
    """0 allow, 1 require-approval, 2 deny; a context that contradicts itself is denied."""
    stated = Context.model_validate(context)
    if context_problems(stated):
        return 2, None
    request = make_request(context)
    (only,) = judged(asked, request, *rules)
    denied = bool(judge_separations(rules, request))
    return 2 if denied else _STEPS[only.approval.state], only


def _paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every member and item below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, each in items for path in ((*prefix, key), *_paths(each, (*prefix, key)))]


def _without(context: Json, path: tuple[Any, ...]) -> Json:
    changed = deepcopy(context)
    parent: Any = changed
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    return changed


def _granting(context: Json) -> list[tuple[Any, ...]]:
    """What section 10 calls granting data, as far as approvals read it."""
    deniers = {each["approver"]["id"] for each in context["approvals"] if each["decision"] == "denied"}
    paths: list[tuple[Any, ...]] = [
        (name,)
        for name in ("requester", "operator", "subject", "delegation", "tenant", "history", "used_votes", "authorities")
    ]
    paths += [(party, "roles") for party in ("requester", "operator", "subject")]
    paths += [("attributes", name) for name in context["attributes"]]
    for number, stated in enumerate(context["authorities"]):
        if stated["principal_id"] not in deniers:
            paths.append(("authorities", number))
            paths += [
                ("authorities", number, member)
                for member in ("roles", "groups", "attributes", "delegated_scopes")
                if member in stated
            ]
    return paths


@budget(200)
@given(_asked(), _contexts(), _RULES, st.data())
def test_less_is_not_more(
    asked: Requirement, context: Json, rules: list[LayeredSeparation], data: st.DataObject
) -> None:
    before, found = _rank(asked, context, rules)
    assume(found is not None)
    assert found is not None
    counted = {each.decision_id for each in found.approval.counted}
    paths = _granting(context)
    for number, each in enumerate(context["approvals"]):
        if each["decision_id"] in counted:
            paths.append(("approvals", number))
            parts = [path for path in _paths(each, ("approvals", number)) if path[2:] != ("approval_id",)]
            paths += [path for path in parts if path[2] in ("request_digest", "policy_hash", "reason")]
    changed = _without(context, data.draw(st.sampled_from(paths)))
    after, _ = _rank(asked, changed, rules)
    denies = any(each["decision"] == "denied" for each in context["approvals"])
    assert after >= (min(before, 1) if denies else before)


@budget(200)
@given(_asked(), _contexts(), _RULES, st.randoms(use_true_random=False))
def test_order_changes_nothing(
    asked: Requirement, context: Json, rules: list[LayeredSeparation], random: Random
) -> None:
    before, found = _rank(asked, context, rules)
    shuffled = deepcopy(context)
    for each in (
        shuffled["approvals"],
        shuffled["authorities"],
        shuffled["history"]["entries"],
        shuffled["used_votes"],
    ):
        random.shuffle(each)
    after, again = _rank(asked, shuffled, rules)
    assert after == before
    assert (None if again is None else again.approval) == (None if found is None else found.approval)


@budget(200)
@given(_asked(), _contexts(), _RULES, st.data())
def test_repeating_anything_changes_nothing_or_denies(
    asked: Requirement, context: Json, rules: list[LayeredSeparation], data: st.DataObject
) -> None:
    before, found = _rank(asked, context, rules)
    member = data.draw(st.sampled_from(("approvals", "authorities", "used_votes", "delegation")))
    assume(context[member])
    repeated = deepcopy(context)
    repeated[member].append(deepcopy(data.draw(st.sampled_from(context[member]))))
    after, again = _rank(asked, repeated, rules)
    if member == "authorities":
        # Two records for one principal and tenant contradict each other, even where they say the same.
        assert after == 2
        assert again is None
    else:
        assert (after, again) == (before, found)


@budget(200)
@given(_asked(), _contexts(), _RULES, st.sampled_from(_SEPARATIONS))
def test_another_separation_only_tightens(
    asked: Requirement, context: Json, rules: list[LayeredSeparation], more: LayeredSeparation
) -> None:
    assert _rank(asked, context, [*rules, more])[0] >= _rank(asked, context, rules)[0]


@budget(200)
@given(_asked(), _contexts(), _RULES)
def test_a_decision_is_consistent(asked: Requirement, context: Json, rules: list[LayeredSeparation]) -> None:
    _, found = _rank(asked, context, rules)
    assume(found is not None)
    assert found is not None
    approval = found.approval
    counted = [each.approver for each in approval.counted]
    assert approval.state != "satisfied" or approval.missing == 0
    assert len(counted) == len(set(counted))
    assert set(approval.next) <= set(approval.could_approve)
    assert not set(counted) & set(approval.excluded)
    assert not set(approval.candidates or ()) & (set(counted) | set(approval.excluded))
    # Every approval and denial is shown exactly once.
    shown = [each.decision_id for group in (approval.counted, approval.not_counted, approval.denials) for each in group]
    assert sorted(shown) == sorted(
        each["decision_id"] for each in context["approvals"] if each["decision"] != "revoked"
    )
    if approval.state == "pending" and approval.candidates:
        _assert_candidates_count(asked, context, rules, approval.candidates[0])


def _assert_candidates_count(asked: Requirement, context: Json, rules: list[LayeredSeparation], name: str) -> None:
    """Whoever is a candidate votes, and the vote counts."""
    now = vote(name, 61, decision_id="zz")
    later = {**context, "now": at(61), "approvals": [*context["approvals"], now]}
    stated = [each for each in later["authorities"] if each["principal_id"] == name]
    assume(all("expires_at" not in each for each in stated))
    (only,) = judged(asked, make_request(later), *rules)
    assert "zz" in {each.decision_id for each in only.approval.counted}
