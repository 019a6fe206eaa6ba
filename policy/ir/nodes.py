"""What a policy means: typed, resolved, frozen.

Conditions are the nodes of `policy.ir.expressions`, which this module hands on: whoever reads a program needs both.
Defaults are filled in; spans take no part in equality.
"""

from __future__ import annotations

from policy.ir.expressions import (
    ActionPattern,
    And,
    Arithmetic,
    Call,
    CapabilityGlob,
    Compare,
    Constant,
    Exists,
    Expression,
    Has,
    In,
    InNetwork,
    Inside,
    ListValue,
    Lookup,
    MapValue,
    Matches,
    Negative,
    Node,
    Not,
    Or,
    Quantified,
    Read,
    ScopePattern,
    Shared,
    TextTest,
    Total,
    Within,
)
from policy.source.records import dataclass
from policy.types.kinds import Field
from policy.types.values import RiskLevel

__all__ = [
    "ActionPattern",
    "And",
    "Approval",
    "Arithmetic",
    "Assignment",
    "Call",
    "CapabilityGlob",
    "Clause",
    "Compare",
    "Constant",
    "DefaultApproval",
    "Deny",
    "DifferentPeople",
    "DiffersFrom",
    "Exists",
    "Expression",
    "Has",
    "In",
    "InNetwork",
    "Inside",
    "Leaf",
    "ListValue",
    "Lookup",
    "MapValue",
    "Matches",
    "Need",
    "Negative",
    "Node",
    "Not",
    "Obligation",
    "Or",
    "PerformStep",
    "PolicySet",
    "Pool",
    "Program",
    "Quantified",
    "Raise",
    "RaiseStep",
    "Read",
    "Require",
    "Risk",
    "RolesConflict",
    "Rule",
    "ScopePattern",
    "Selector",
    "Separation",
    "Shared",
    "Slots",
    "TextTest",
    "Tier",
    "Total",
    "Within",
]


# --- statements -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector(Node):
    """Which actions a rule concerns; None means that the part was not written."""

    patterns: tuple[ActionPattern, ...] | None
    routes: tuple[str, ...] | None
    when: Expression | None
    unless: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause(Node):
    """`allow` or `deny` in a route; `routes` is None for `every route`. An allow of `every route` adds to the
    routes that its layer declares, a deny of it holds on every route of the program."""

    effect: str
    routes: tuple[str, ...] | None
    patterns: tuple[ActionPattern, ...]
    when: Expression | None
    unless: Expression | None
    because: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Node):
    """What every rule has: an id unique in its layer, a selector, a text for people, the controls it serves."""

    id: str
    selector: Selector
    because: str | None
    controls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny(Rule):
    """A prohibition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Require(Rule):
    """An approval requirement; `approval` is an approval id of this layer, or None for the default approvals."""

    approval: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseStep(Node):
    """Raise to `level` where `when` is not false."""

    level: RiskLevel
    when: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raise(Rule):
    """Raises the risk. `reads_claims`: its selector or a step reads claims, so it is always uncertain."""

    steps: tuple[RaiseStep, ...]
    reads_claims: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier(Node):
    """`approve up to LEVEL by …`: `kind` is named, default or contract; `approval` the id where named."""

    level: RiskLevel
    kind: str
    approval: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Rule):
    """Thresholds. `overrides` are ids of other risk rules of the layer."""

    overrides: tuple[str, ...]
    unattended: RiskLevel | None
    tiers: tuple[Tier, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf(Node):
    """One approval by whoever matches. `kind`: principal, role, group, tenant_policy, external_system, delegated.

    `value` gives a string, a principal or a list of these; a group constant may end in `*`. None stands only in
    contracts: a tenant_policy without an id. `max_value` is a number, `value_of` the path it limits, `covering` the
    path whose value the grant must cover, `where` a condition that may read `approver`. `text` is the leaf as written.
    """

    kind: str
    value: Expression | None
    max_risk: RiskLevel | None
    max_value: int | float | None
    value_of: Expression | None
    covering: Expression | None
    where: Expression | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(Node):
    """`N approvals from { LEAF … }`: N different people, each matching any leaf."""

    count: int
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots(Node):
    """`all of { … }` (count is their number), `any N of { … }`, `any of { … }` (count 1): `count` of the children are
    satisfied, each by people of its own; with `same_person` (root only) the children are judged independently."""

    count: int
    children: tuple[Need, ...]
    same_person: bool


Need = Leaf | Pool | Slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval(Node):
    """A quorum. `valid_for` in nanoseconds; `needs` is the text of the need, as decisions show it.

    `distinct_by` names a string attribute of the authority record; `at_least` people must count; `denied_by` denials
    end it; `kinds` are the accepted principal kinds.
    """

    id: str
    need: Need
    distinct_by: str | None
    at_least: int
    valid_for: int
    evidence: tuple[str, ...]
    denied_by: int
    kinds: tuple[str, ...]
    self_approval: bool
    describe: str | None
    because: str | None
    needs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffersFrom(Node):
    """`who` is approver, requester, operator or subject; each party is a Read of a party or of a trusted path."""

    who: str
    parties: tuple[Read, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolesConflict(Node):
    """No one person may hold two of these roles."""

    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformStep(Node):
    """`patterns` (a `scopes` set gives several) `per` a path into input; `key` is that path as text, as in history."""

    patterns: tuple[ActionPattern, ...]
    per: Read | None
    key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferentPeople(Node):
    """Steps that different people perform; `within` in nanoseconds, None for ever."""

    steps: tuple[PerformStep, ...]
    within: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation(Rule):
    """Separation of duties."""

    form: DiffersFrom | RolesConflict | DifferentPeople


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(Node):
    """`set NAME = EXPR`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation(Rule):
    """What the runtime must do with the decision. `redact` are the paths as written (`input.card_number`)."""

    redact: tuple[str, ...]
    set: tuple[Assignment, ...]
    also_on_deny: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultApproval(Node):
    """`patterns` None: for every action."""

    approval: str
    patterns: tuple[ActionPattern, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One layer. Tuples are in the order of the text; order never matters to a decision.

    `layer` is the file's or folder's name without `.policy`; `context` the declared attributes; `roles`, `groups`,
    `attributes` the directory (None without one); `routes` the names that an allow declares here.
    """

    layer: str
    name: str | None
    version: str | None
    owner: str | None
    defaults: tuple[DefaultApproval, ...]
    context: tuple[tuple[str, Field], ...]
    roles: tuple[str, ...] | None
    groups: tuple[str, ...] | None
    attributes: tuple[tuple[str, Field], ...] | None
    routes: tuple[str, ...]
    clauses: tuple[Clause, ...]
    denies: tuple[Deny, ...]
    requires: tuple[Require, ...]
    raises: tuple[Raise, ...]
    risks: tuple[Risk, ...]
    approvals: tuple[Approval, ...]
    separations: tuple[Separation, ...]
    obligations: tuple[Obligation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """The layers, outermost first; `hash` is `sha256:…` over the canonical dump."""

    layers: tuple[Program, ...]
    hash: str

    @property
    def version(self) -> str | None:
        """The outermost layer's declared version."""
        return self.layers[0].version
