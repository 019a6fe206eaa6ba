"""Approvals that no people of a given directory can complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product

from policy.check.catalog import AuthorityFacts
from policy.check.lint.finding import finding, heading
from policy.check.lint.material import Material
from policy.check.lint.walk import unshared
from policy.ir import nodes as ir
from policy.ir.alternatives import leaves_of
from policy.source.diagnostic import Diagnostic

_ALTERNATIVES = 256
"""Ways to meet one need that are looked at; a need with more counts as possible."""
_Slot = frozenset[str]
"""Who may fill a slot, as persons; a slot that only the request decides holds `_ANYBODY`."""
_ANYBODY = "*"


def lint_authorities(material: Material) -> Iterator[Diagnostic]:
    """Every approval whose quorum the authority records cannot give, whoever asks.

    Conditions (`where`) and limits of delegated authority count as met, so what is reported is certain.
    """
    if material.authorities is None:
        return
    tenants: dict[str | None, list[AuthorityFacts]] = {}
    for record in material.authorities:
        if not record.revoked:
            tenants.setdefault(record.tenant_id, []).append(record)
    for approval in material.program.approvals:
        if any(_completes(approval, records) for records in (tenants.values() or [[]])):
            continue
        yield finding(
            "lint.unreachable_quorum",
            f"no people of the given directory can complete approval `{approval.id}`: {_shortage(approval, tenants)}",
            heading(approval.span),
            help="grant the roles or groups it names to more people, or ask for fewer",
        )


def _shortage(approval: ir.Approval, tenants: dict[str | None, list[AuthorityFacts]]) -> str:
    most = max((len(_people(approval, records) - {_ANYBODY}) for records in tenants.values()), default=0)
    people = "person matches" if most == 1 else "people match"
    return f"{most or 'no'} {people} a leaf of it"


def _accepted(approval: ir.Approval, records: Sequence[AuthorityFacts]) -> list[AuthorityFacts]:
    return [record for record in records if record.kind in approval.kinds]


def _people(approval: ir.Approval, records: Sequence[AuthorityFacts]) -> _Slot:
    """Everybody whom some leaf of the approval matches."""
    accepted = _accepted(approval, records)
    return frozenset[str]().union(*(_matching(leaf, accepted) for leaf in leaves_of(approval.need)))


def _completes(approval: ir.Approval, records: Sequence[AuthorityFacts]) -> bool:
    people = _people(approval, records)
    if _ANYBODY not in people and len(people) < approval.at_least:
        return False
    accepted = _accepted(approval, records)
    for number, slots in enumerate(_ways(approval.need, accepted)):
        if number >= _ALTERNATIVES:
            return True
        distinct = slots if approval.distinct_by is None else _values(slots, approval.distinct_by, accepted)
        if _assignable(distinct):
            return True
    return False


def _values(slots: Sequence[_Slot], attribute: str, records: Sequence[AuthorityFacts]) -> list[_Slot]:
    """The slots with the values of an attribute in place of the people: different values are different people."""
    values: dict[str, set[str]] = {_ANYBODY: {_ANYBODY}}
    for record in records:
        value = record.attributes.get(attribute)
        if isinstance(value, str):
            values.setdefault(record.person_id, set()).add(f"={value}")
    return [frozenset(value for person in slot for value in values.get(person, ())) for slot in slots]


def _ways(need: ir.Need, records: Sequence[AuthorityFacts]) -> Iterator[list[_Slot]]:
    """The ways to meet a need, each as the slots to fill by different people, lazily."""
    match need:
        case ir.Leaf():
            yield [_matching(need, records)]
        case ir.Pool():
            anyone = frozenset().union(*(_matching(leaf, records) for leaf in need.leaves))
            yield [anyone] * need.count
        case ir.Slots(same_person=True):
            for chosen in combinations(need.children, need.count):
                parts = [next((way for way in _ways(child, records) if _assignable(way)), None) for child in chosen]
                if all(part is not None for part in parts):
                    yield parts[0] or []
        case ir.Slots():
            for chosen in combinations(need.children, need.count):
                for ways in product(*(list(islice(_ways(child, records), _ALTERNATIVES + 1)) for child in chosen)):
                    yield [slot for way in ways for slot in way]


def _matching(leaf: ir.Leaf, records: Sequence[AuthorityFacts]) -> _Slot:
    value = None if leaf.value is None else unshared(leaf.value)
    if not isinstance(value, ir.Constant) or not isinstance(value.value, str):
        return frozenset({_ANYBODY, *(record.person_id for record in records)})
    return frozenset(record.person_id for record in records if _matches(leaf.kind, value.value, record))


def _matches(kind: str, name: str, record: AuthorityFacts) -> bool:
    match kind:
        case "principal":
            return record.principal_id == name
        case "role":
            return name in record.roles
        case "group":
            if name.endswith("*"):
                return any(group.startswith(name[:-1]) for group in record.groups)
            return name in record.groups
        case "tenant_policy":
            return name in record.tenant_policies
        case "external_system":
            return name in record.external_systems
    return name in record.delegated_scopes


def _assignable(slots: Sequence[_Slot]) -> bool:
    """Whether every slot can be filled by a person of its own; a slot open to anybody is no constraint."""
    holder: dict[str, int] = {}
    bound = [slot for slot in slots if _ANYBODY not in slot]
    return all(_place(slot, bound, holder, set()) for slot in range(len(bound)))


def _place(slot: int, slots: Sequence[_Slot], holder: dict[str, int], tried: set[str]) -> bool:
    """One augmenting path of a matching between slots and people."""
    for person in sorted(slots[slot]):
        if person in tried:
            continue
        tried.add(person)
        if person not in holder or _place(holder[person], slots, holder, tried):
            holder[person] = slot
            return True
    return False
