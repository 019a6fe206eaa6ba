"""Which leaves of an approval somebody matches, as a bit mask: bit i is the i-th leaf in the order of the text.

Names are looked up in tables, so that a voter costs what the voter's record holds and not what the approval names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType

from policy.decide.approvals.leaves import ResolvedLeaf, resolve, risk_within
from policy.decide.facts import record_value
from policy.decide.request import Request
from policy.ir import nodes as ir
from policy.ir.patterns import segments_cover
from policy.model.context import AuthorityRecord, DelegatedScope
from policy.source.records import dataclass
from policy.types.instants import parse_timestamp
from policy.types.kinds import Field
from policy.types.numbers import compare
from policy.types.patterns import parse_scope_pattern
from policy.types.values import RiskLevel, Unevaluable

_Names = Mapping[str, int]
"""A name to the leaves that name it."""

_MEMBERS = MappingProxyType(
    {
        "role": "roles",
        "group": "groups",
        "tenant_policy": "tenant_policies",
        "external_system": "external_systems",
    }
)
"""Kind of leaf to the member of an authority record that holds such names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafTable:
    """The leaves of one approval, ready to be matched with authority records."""

    leaves: tuple[ResolvedLeaf, ...]
    live: int
    """Leaves under which somebody may approve: what they name is known, their own limits hold."""
    doubtful: int
    """Leaves whose own limits have no answer."""
    unnamed: int
    """Leaves of which nobody can tell whom they name."""
    principals: _Names = field(repr=False)
    """Principal ids to the leaves that name them."""
    _tables: tuple[tuple[str, _Names], ...] = field(repr=False)
    """Members of a record with the leaves that name what may stand there."""
    _group_prefixes: tuple[tuple[str, int], ...] = field(repr=False)
    _any_tenant_policy: int = field(repr=False)
    _delegated: int = field(repr=False)
    _conditional: int = field(repr=False)
    _risk_within: Mapping[str, bool | None] = field(repr=False)
    """Level of risk to whether the action's is at most that; filled where a leaf is `delegated`."""
    _declared: Mapping[str, tuple[Field, ...]] = field(repr=False)
    _request: Request = field(repr=False)

    def matched(self, record: AuthorityRecord) -> int:
        """The leaves under which somebody with this record may approve."""
        mask = self._named(record) & self.live
        if self._delegated:
            mask |= self._granted(record, denying=False) & self.live
        return self._where(record, mask)[0] if mask & self._conditional else mask

    def entitled(self, record: AuthorityRecord) -> bool | None:
        """Whether somebody with this record may deny; None where that cannot be told from what the runtime states.

        The end or revocation of a record or of a delegated scope does not matter to a denial.
        """
        named = self._named(record) | self._granted(record, denying=True)
        certain, unknown = self._where(record, named & self.live)
        if certain:
            return True
        return None if unknown or named & self.doubtful or self.unnamed else False

    def _named(self, record: AuthorityRecord) -> int:
        mask = self.principals.get(record.principal_id, 0) if self.principals else 0
        for attribute, table in self._tables:
            for name in getattr(record, attribute) or ():
                if name in table:
                    mask |= table[name]
        for prefix, bit in self._group_prefixes:
            if any(group.startswith(prefix) for group in record.groups or ()):
                mask |= bit
        if self._any_tenant_policy and record.tenant_policies:
            mask |= self._any_tenant_policy
        return mask

    def _granted(self, record: AuthorityRecord, *, denying: bool) -> int:
        if not self._delegated or not record.delegated_scopes:
            return 0
        grants = [(parse_scope_pattern(grant.scope), grant) for grant in record.delegated_scopes]
        mask = 0
        for index, leaf in enumerate(self.leaves):
            if leaf.scopes and any(
                pattern is not None and self._grants(leaf, pattern, grant, denying=denying) for pattern, grant in grants
            ):
                mask |= 1 << index
        return mask

    def _grants(self, leaf: ResolvedLeaf, pattern: tuple[str, ...], grant: DelegatedScope, *, denying: bool) -> bool:
        if not any(segments_cover(pattern, scope) for scope in leaf.scopes):
            return False
        if denying:
            return True
        if grant.revoked or ended(grant.expires_at, self._request.now.nanoseconds):
            return False
        if grant.max_risk is not None and self._risk_within[grant.max_risk] is not True:
            return False
        if grant.max_value is None:
            return leaf.leaf.covering is None
        # A grant with a limit covers nothing where no path says which value it limits.
        return bool(leaf.values) and all(compare(value, grant.max_value) <= 0 for value in leaf.values)

    def _where(self, record: AuthorityRecord, mask: int) -> tuple[int, int]:
        """Of these leaves those whose `where` holds, and those where something else than the record has no value."""
        rest = mask & self._conditional
        if not rest:
            return mask, 0
        approver = record_value(record, self._declared)
        unknown = 0
        for index, leaf in enumerate(self.leaves):
            where = leaf.leaf.where
            if not rest >> index & 1 or where is None:
                continue
            answer = self._request.conditions.condition(where, approver=approver)
            if answer is not True:
                mask &= ~(1 << index)
                if isinstance(answer, Unevaluable) and not answer.path.startswith("approver"):
                    unknown |= 1 << index
        return mask, unknown


def leaf_table(leaves: Iterable[ir.Leaf], request: Request) -> LeafTable:
    """Resolve the leaves of an approval for one request."""
    resolved = tuple(resolve(leaf, request) for leaf in leaves)
    plain = [(index, leaf) for index, leaf in enumerate(resolved) if leaf.leaf.kind != "delegated"]
    levels = RiskLevel if any(leaf.scopes for leaf in resolved) else ()
    return LeafTable(
        leaves=resolved,
        live=_mask(leaf.names is not None and leaf.holds is True for leaf in resolved),
        doubtful=_mask(leaf.holds is None for leaf in resolved),
        unnamed=_mask(leaf.names is None for leaf in resolved),
        principals=_table(plain, "principal"),
        _tables=tuple((member, table) for kind, member in _MEMBERS.items() if (table := _table(plain, kind))),
        _group_prefixes=tuple(
            (name[:-1], 1 << index)
            for index, leaf in plain
            for name in leaf.names or ()
            if leaf.wildcard and name.endswith("*")
        ),
        _any_tenant_policy=_mask(leaf.leaf.kind == "tenant_policy" and leaf.leaf.value is None for leaf in resolved),
        _delegated=_mask(bool(leaf.scopes) for leaf in resolved),
        _conditional=_mask(leaf.conditional for leaf in resolved),
        _risk_within={level.value: risk_within(level, resolved[0].leaf.span, request) for level in levels},
        _declared=_declared_attributes(request.policy),
        _request=request,
    )


def ended(expires_at: str | None, now: int) -> bool:
    """Whether a deadline has come; `now` in nanoseconds since 1970. At the deadline itself it has."""
    if expires_at is None:
        return False
    end = parse_timestamp(expires_at)
    return end is None or now >= end.nanoseconds


def _table(leaves: Sequence[tuple[int, ResolvedLeaf]], kind: str) -> _Names:
    table: dict[str, int] = {}
    for index, leaf in leaves:
        if leaf.leaf.kind != kind:
            continue
        for name in leaf.names or ():
            if not (leaf.wildcard and name.endswith("*")):
                table[name] = table.get(name, 0) | 1 << index
    return table


def _mask(bits: Iterable[bool]) -> int:
    return sum(1 << index for index, bit in enumerate(bits) if bit)


def _declared_attributes(policy: ir.PolicySet) -> Mapping[str, tuple[Field, ...]]:
    """The declared attributes of principals, as each layer that declares one has it."""
    declared: dict[str, tuple[Field, ...]] = {}
    for layer in policy.layers:
        for name, member in layer.attributes or ():
            declared[name] = (*declared.get(name, ()), member)
    return declared
