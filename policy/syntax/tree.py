"""The surface tree: what was written, before any name is resolved.

Every node carries the span of its text; spans take no part in equality, so that
`parse(print(tree)) == tree` can be stated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from policy.source.text import Source, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything that was written somewhere."""

    span: Span = field(compare=False, repr=False)


# --- words, texts, patterns -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Node):
    """A bare word: `high`, `agent`, `mon`, or a declared name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Node):
    """A quoted string: `"two-finance"`; `value` is the decoded text."""

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Node):
    """A number: `10_000`, `1.5e3`; `text` is as written, `value` an int where integral, else a float."""

    text: str = field(compare=False)
    value: int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Boolean(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration(Node):
    """`1h30m`; nanoseconds."""

    text: str = field(compare=False)
    nanoseconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOfDay(Node):
    """`09:30`; minutes from midnight."""

    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern(Node):
    """A scope pattern: `refund.*`, `payment.**`, `order.read`; the dot-separated text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityPattern(Node):
    """`capability "cap:calendar:*"`."""

    glob: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopesReference(Node):
    """`scopes "money"` standing as a pattern."""

    name: Text


AnyPattern = Pattern | CapabilityPattern | ScopesReference


# --- expressions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Node):
    """`.name` behind a path."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(Node):
    """`[key]` behind a path."""

    key: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Path(Node):
    """`input.lines[0].amount`, `large`, `high`: a head (any name or bare word) and steps."""

    head: Word
    steps: tuple[Member | Index, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLiteral(Node):
    """`["a", "b"]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapEntry(Node):
    """`"EUR": 10_000` in a map."""

    key: Text
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class MapLiteral(Node):
    """`{ "EUR": 10_000 }`."""

    entries: tuple[MapEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup(Node):
    """`expr[key]` on something that is no path, such as a map literal: `{ "EUR": 1 }[input.currency]`."""

    value: Expression
    key: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Not(Node):
    """`not x`."""

    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class And(Node):
    """`a and b and c`: flat, two operands or more."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or(Node):
    """`a or b or c`: flat, two operands or more."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare(Node):
    """`a == b`, with `operator` one of == != < <= > >=."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class In(Node):
    """`a in list`, `a not in list`."""

    item: Expression
    container: Expression
    negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Has(Node):
    """`list has a`, `list has any of [a, b]` (`any_of`)."""

    container: Expression
    item: Expression
    any_of: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTest(Node):
    """`text contains x`, `text starts with any of [x]`; `operator` is contains, starts_with or ends_with."""

    operator: str
    text: Expression
    item: Expression
    any_of: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches(Node):
    """`scope matches refund.**`."""

    value: Expression
    pattern: AnyPattern


@dataclass(frozen=True, slots=True, kw_only=True)
class InNetwork(Node):
    """`context.client_ip in network "10.0.0.0/8"`."""

    value: Expression
    network: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside(Node):
    """`input.path inside "/srv/data"`."""

    value: Expression
    root: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Exists(Node):
    """`input.note exists` (`missing` false) or `context.incident missing` (`missing` true)."""

    value: Expression
    missing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Within(Node):
    """`now within mon..fri 08:00..18:00 in "Europe/Berlin"`; no days means every day."""

    value: Expression
    first_day: Word | None
    last_day: Word | None
    start: TimeOfDay
    end: TimeOfDay
    zone: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantified(Node):
    """`any line in input.lines satisfies (…)`; `quantifier` is any, every or no."""

    quantifier: str
    variable: Word
    container: Expression
    body: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Total(Node):
    """`total line.amount over line in input.lines`."""

    value: Expression
    variable: Word
    container: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic(Node):
    """`a + b`, `a - b`, `a * b`: binary, left-associative."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Negative(Node):
    """`-x`."""

    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """`count(x)`, `time(now, "Europe/Berlin")`."""

    function: Word
    arguments: tuple[Expression, ...]


Expression = (
    Path
    | Text
    | Number
    | Boolean
    | Duration
    | TimeOfDay
    | ListLiteral
    | MapLiteral
    | Lookup
    | Not
    | And
    | Or
    | Compare
    | In
    | Has
    | TextTest
    | Matches
    | InNetwork
    | Inside
    | Exists
    | Within
    | Quantified
    | Total
    | Arithmetic
    | Negative
    | Call
)


# --- declarations -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedType(Node):
    """`string`, `number`, `ip`, `risk`."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfType(Node):
    """`one of "production", "staging"`."""

    words: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListType(Node):
    """`list of T`."""

    item: TypeExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class MapType(Node):
    """`map of T`."""

    item: TypeExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordType(Node):
    """`{ author: string … }`."""

    fields: tuple[FieldDeclaration, ...]


TypeExpression = NamedType | OneOfType | ListType | MapType | RecordType


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDeclaration(Node):
    """`name: TYPE`, `name: TYPE optional` or `name: TYPE or null`."""

    name: Word
    type: TypeExpression
    nullable: bool
    optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultApproval(Node):
    """`default approval "id"` or `default approval "id" for PATTERNS` (`patterns` empty: for all)."""

    approval: Text
    patterns: tuple[AnyPattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyHeader(Node):
    """`policy "acme" { version … owner … default approval … }`."""

    name: Text
    version: Text | None
    owner: Text | None
    describe: Text | None
    defaults: tuple[DefaultApproval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Node):
    """`import "shared/approvals.policy"`."""

    path: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock(Node):
    """`context { environment: string … }`."""

    fields: tuple[FieldDeclaration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryBlock(Node):
    """`directory { roles … groups … attributes { … } }`."""

    roles: tuple[Text, ...]
    groups: tuple[Text, ...]
    attributes: tuple[FieldDeclaration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopesBlock(Node):
    """`scopes "money" { payment.**, refund.** }`."""

    name: Text
    members: tuple[AnyPattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Define(Node):
    """`define large = input.amount > 10_000`."""

    name: Word
    value: Expression


# --- statements -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteClause(Node):
    """`allow PATTERNS [when C] [unless C] [because S]` or `deny …` in a route; `effect` is allow or deny."""

    effect: str
    patterns: tuple[AnyPattern, ...]
    when: Expression | None
    unless: Expression | None
    because: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Route(Node):
    """`route "a", "b" { … }`, or `every route { … }` (`names` empty)."""

    names: tuple[Text, ...]
    describe: Text | None
    clauses: tuple[RouteClause, ...]


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


Statement = (
    PolicyHeader
    | Import
    | ContextBlock
    | DirectoryBlock
    | ScopesBlock
    | Define
    | Route
    | Deny
    | Require
    | Raise
    | Risk
    | Approval
    | Separation
    | Obligation
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment(Node):
    """`# text`; `own_line` when nothing but white space stands before it on its line."""

    text: str
    own_line: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class File(Node):
    """One whole policy file."""

    source: Source = field(compare=False, repr=False)
    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...] = field(compare=False)
