"""Surface nodes: rules, approvals and separations."""

from __future__ import annotations

from policy.source.records import dataclass
from policy.syntax.tree_expressions import AnyPattern, Duration, Expression, Node, Number, Path, Text, Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector(Node):
    """`for PATTERNS on route NAMES when C unless C`, each part perhaps absent."""

    patterns: tuple[AnyPattern, ...] | None
    routes: tuple[Text, ...] | None
    when: Expression | None
    unless: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalReference(Node):
    """`"two-finance"` (`name`), `default` or `contract`; `kind` is named, default or contract."""

    kind: str
    name: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Node):
    """What `deny`, `require`, `raise`, `risk`, `separation` and `obligation` share."""

    id: Text
    selector: Selector
    because: Text | None
    controls: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny(Rule):
    """`deny "id" { SELECTOR because … control … }`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Require(Rule):
    """`require "id" { SELECTOR approval … }`."""

    approval: ApprovalReference


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseStep(Node):
    """`to high when C`."""

    level: Word
    when: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raise(Rule):
    """`raise "id" { SELECTOR to high when C to critical when C }`."""

    steps: tuple[RaiseStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskTier(Node):
    """`approve up to high by "duty-officer"`."""

    level: Word
    by: ApprovalReference


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Rule):
    """`risk "id" overrides "x" { SELECTOR unattended up to L approve up to L by … }`."""

    overrides: tuple[Text, ...]
    unattended: Word | None
    tiers: tuple[RiskTier, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf(Node):
    """`role "finance.approver" where C`; `kind` is one of `words.LEAVES`."""

    kind: str
    value: Expression
    max_risk: Word | None = None
    max_value: Number | None = None
    value_of: Path | None = None
    covering: Path | None = None
    where: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(Node):
    """`2 approvals from { LEAF … }`."""

    count: Number
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(Node):
    """`all of { EXPR … } [allowing same person]`."""

    children: tuple[Need, ...]
    same_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyNumberOf(Node):
    """`any 2 of { EXPR … } [allowing same person]`."""

    count: Number
    children: tuple[Need, ...]
    same_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf(Node):
    """`any of { EXPR … }`."""

    children: tuple[Need, ...]


Need = Pool | AllOf | AnyNumberOf | AnyOf | Leaf


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval(Node):
    """`approval "id" { need … distinct by … valid for … }`; a clause that was not written is None or empty.

    `evidence` items are bare words (kinds the language knows) or texts; `denied_by` and `at_least` are counts.
    """

    id: Text
    need: Need
    distinct_by: Word | None
    at_least: Number | None
    valid_for: Duration | None
    evidence: tuple[Word | Text, ...]
    denied_by: Number | None
    kinds: tuple[Word, ...]
    self_approval: bool
    describe: Text | None
    because: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffersFrom(Node):
    """`approver differs from requester, context.change.author`."""

    who: Word
    parties: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolesConflict(Node):
    """`roles "maker", "checker" conflict`."""

    roles: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformStep(Node):
    """`payment.update per input.payment_id`."""

    pattern: AnyPattern
    per: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferentPeople(Node):
    """`different people perform STEP, STEP within 90d`."""

    steps: tuple[PerformStep, ...]
    within: Duration | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation(Rule):
    """`separation "id" { SELECTOR FORM }`."""

    form: DiffersFrom | RolesConflict | DifferentPeople


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(Node):
    """`set notify = "secops"`."""

    name: Word
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation(Rule):
    """`obligation "id" { SELECTOR redact PATH, … set NAME = EXPR also on deny }`."""

    redact: tuple[Path, ...]
    set: tuple[Assignment, ...]
    also_on_deny: bool
