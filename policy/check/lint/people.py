"""How many people a need takes, and whom it names."""

from __future__ import annotations

from policy.check.lint.views import leaves
from policy.check.lint.walk import unshared
from policy.ir import nodes as ir


def fewest_people(approval: ir.Approval) -> int:
    """The least number of different people that can complete an approval."""
    return max(approval.at_least, _fewest(approval.need))


def fewest_slots(need: ir.Need) -> int:
    """The least number of approvals that a need spells out, as if one person could give only one."""
    match need:
        case ir.Leaf():
            return 1
        case ir.Pool():
            return need.count
        case ir.Slots():
            return sum(sorted(fewest_slots(child) for child in need.children)[: need.count])


def named_principals(need: ir.Need) -> frozenset[str] | None:
    """The principal ids of a need whose leaves are all `principal "id"`; None where another leaf stands in it."""
    names: set[str] = set()
    for leaf in leaves(need):
        value = None if leaf.value is None else unshared(leaf.value)
        if leaf.kind != "principal" or not isinstance(value, ir.Constant) or not isinstance(value.value, str):
            return None
        names.add(value.value)
    return frozenset(names)


def _fewest(need: ir.Need) -> int:
    match need:
        case ir.Leaf():
            return 1
        case ir.Pool():
            return need.count
        case ir.Slots():
            fewest = sorted(_fewest(child) for child in need.children)[: need.count]
            return max(fewest) if need.same_person else sum(fewest)
