"""How an AIP approval policy becomes one of the engine's approvals (model.md section 1)."""

from __future__ import annotations

import pytest

from policy.contracts.admission import admit
from policy.ir import nodes as ir
from policy.types.values import RiskLevel
from tests.unit.contract_documents import Document, admitted, findings, tool, with_approval

_HOUR = 3600 * 10**9
_ROLE = {"operator": "role", "name": "teller"}
_GROUP = {"operator": "group", "name": "treasury"}
_INES = {"operator": "principal", "id": "ines"}


def _approval(**members: object) -> ir.Approval:
    found = admitted(with_approval(**members)).contract_approval
    assert found is not None
    return found


def _shape(need: ir.Need) -> object:
    """A need as plain data."""
    match need:
        case ir.Leaf():
            return (need.kind, need.value.value if isinstance(need.value, ir.Constant) else None)
        case ir.Pool():
            return [need.count, *map(_shape, need.leaves)]
        case ir.Slots():
            return {
                "count": need.count,
                "same_person": need.same_person,
                "of": [_shape(each) for each in need.children],
            }


@pytest.mark.parametrize(
    ("selector", "leaf", "text"),
    [
        ({"type": "principal", "id": "ines"}, ("principal", "ines"), 'principal "ines"'),
        ({"type": "role", "name": "teller"}, ("role", "teller"), 'role "teller"'),
        ({"type": "group", "name": "treasury"}, ("group", "treasury"), 'group "treasury"'),
        ({"type": "tenant_policy"}, ("tenant_policy", None), "tenant_policy"),
        ({"type": "external_system", "system": "erp"}, ("external_system", "erp"), 'external_system "erp"'),
    ],
)
def test_without_a_rule_the_selector_is_the_one_leaf(
    selector: Document, leaf: tuple[str, str | None], text: str
) -> None:
    approval = _approval(approver_selector=selector)
    assert (_shape(approval.need), approval.needs) == (leaf, text)


@pytest.mark.parametrize(
    ("rule", "need", "text"),
    [
        ({"operator": "tenant_policy", "policy_id": "p-1"}, ("tenant_policy", "p-1"), 'tenant_policy "p-1"'),
        ({"operator": "delegated_authority", "scope": "pay.**"}, ("delegated", "pay.**"), 'delegated "pay.**"'),
        (
            {"operator": "quorum", "required": 2, "rules": [_ROLE, _GROUP]},
            [2, ("role", "teller"), ("group", "treasury")],
            '2 approvals from { role "teller" group "treasury" }',
        ),
        (
            {"operator": "quorum", "required": 1, "rules": [_ROLE]},
            [1, ("role", "teller")],
            '1 approval from { role "teller" }',
        ),
        (
            {"operator": "any", "rules": [_ROLE, _GROUP]},
            {"count": 1, "same_person": False, "of": [("role", "teller"), ("group", "treasury")]},
            'any of { role "teller" group "treasury" }',
        ),
        (
            {"operator": "all", "rules": [_ROLE, _GROUP]},
            {"count": 2, "same_person": False, "of": [("role", "teller"), ("group", "treasury")]},
            'all of { role "teller" group "treasury" }',
        ),
        (
            {"operator": "all", "rules": [_ROLE, _GROUP], "allow_decision_reuse": True},
            {"count": 2, "same_person": True, "of": [("role", "teller"), ("group", "treasury")]},
            'all of { role "teller" group "treasury" } allowing same person',
        ),
        (
            {"operator": "quorum", "required": 2, "rules": [_INES, {"operator": "all", "rules": [_ROLE, _GROUP]}]},
            {
                "count": 2,
                "same_person": False,
                "of": [
                    ("principal", "ines"),
                    {"count": 2, "same_person": False, "of": [("role", "teller"), ("group", "treasury")]},
                ],
            },
            'any 2 of { principal "ines" all of { role "teller" group "treasury" } }',
        ),
    ],
)
def test_a_rule_becomes_slots_and_pools(rule: Document, need: object, text: str) -> None:
    approval = _approval(rule=rule)
    assert (_shape(approval.need), approval.needs) == (need, text)


def test_reuse_below_the_root_is_read_as_false() -> None:
    below = {"operator": "all", "rules": [_ROLE, _GROUP], "allow_decision_reuse": True}
    need = _approval(rule={"operator": "any", "rules": [_INES, below]}).need
    assert isinstance(need, ir.Slots)
    assert [child.same_person for child in need.children if isinstance(child, ir.Slots)] == [False]


def test_limits_of_delegated_authority_are_kept() -> None:
    rule = {"operator": "delegated_authority", "scope": "pay.create", "max_risk": "high", "max_value": 500}
    leaf = _approval(rule=rule).need
    assert isinstance(leaf, ir.Leaf)
    assert (leaf.max_risk, leaf.max_value, leaf.value_of) == (RiskLevel.HIGH, 500, None)
    assert leaf.text == 'delegated "pay.create" max risk high max value 500'


def test_what_the_policy_leaves_open_is_ours() -> None:
    approval = _approval()
    assert (approval.id, approval.valid_for, approval.at_least, approval.evidence) == ("contract", 24 * _HOUR, 1, ())
    assert (approval.denied_by, approval.kinds, approval.distinct_by, approval.because) == (1, ("human",), None, None)


def test_what_the_policy_says_is_kept() -> None:
    approval = _approval(
        ttl_ms=5400000,
        minimum_distinct_principals=2,
        evidence_requirements=["reason", "external_ticket", "reason"],
        reason="two eyes are not enough",
    )
    assert approval.valid_for == 3 * _HOUR // 2
    assert approval.at_least == 2
    assert approval.evidence == ("reason", "external_ticket")
    assert approval.because == "two eyes are not enough"


def test_self_approval_is_refused_whatever_the_policy_says() -> None:
    assert not _approval(separation_of_duties={"allow_self_approval": True}).self_approval


def test_the_approval_stands_where_the_contract_does() -> None:
    capability = admit(with_approval(), file="catalog.json", pointer="/1").capability
    assert capability is not None and capability.contract_approval is not None
    assert capability.contract_approval.span.location == "catalog.json#/1/contract/approval:1:1"
    assert capability.contract_approval.span.text == 'role "duty.officer"'


def test_a_policy_that_is_not_required_is_still_there_for_thresholds() -> None:
    assert admitted(with_approval(required=False)).contract_approval is not None
    assert admitted(tool()).contract_approval is None


def _choices(required: int, of: int) -> Document:
    pools = [{"operator": "quorum", "required": 2, "rules": [{"operator": "role", "name": f"r{n}"}]} for n in range(of)]
    return with_approval(rule={"operator": "quorum", "required": required, "rules": pools})


def test_alternatives_are_bounded() -> None:
    # 10 over 4 is 210, 11 over 4 is 330.
    assert admit(_choices(4, 10)).diagnostics == ()
    admission = admit(_choices(4, 11))
    assert findings(admission) == [("aip.too_many_alternatives", "/contract/approval/rule")]
    assert admission.capability is None
