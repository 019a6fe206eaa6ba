"""How many people a need takes, and whom it names."""

from __future__ import annotations

from policy.check.lint.walk import unshared
from policy.ir import nodes as ir
from policy.ir.alternatives import leaves_of


def fewest_people(approval: ir.Approval) -> int:
    """The least number of different people that can complete an approval."""
    return max(approval.at_least, _fewest(approval.need, reuse=True))


def fewest_slots(need: ir.Need) -> int:
    """The least number of approvals that a need spells out, as if one person could give only one."""
    return _fewest(need, reuse=False)


def named_principals(need: ir.Need) -> frozenset[str] | None:
    """The principal ids of a need whose leaves are all `principal "id"`; None where another leaf stands in it."""
    names: set[str] = set()
    for leaf in leaves_of(need):
        value = None if leaf.value is None else unshared(leaf.value)
        if leaf.kind != "principal" or not isinstance(value, ir.Constant) or not isinstance(value.value, str):
            return None
        names.add(value.value)
    return frozenset(names)


def _fewest(need: ir.Need, *, reuse: bool) -> int:
    """The least number of approvals; with `reuse`, one person counts once where `allowing same person` stands."""
    match need:
        case ir.Leaf():
            return 1
        case ir.Pool():
            return need.count
        case ir.Slots():
            fewest = sorted(_fewest(child, reuse=reuse) for child in need.children)[: need.count]
            return max(fewest) if reuse and need.same_person else sum(fewest)
