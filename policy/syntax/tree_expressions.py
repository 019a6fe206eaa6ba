"""Surface nodes: words, texts, patterns and expressions."""

from __future__ import annotations

from dataclasses import field

from policy.source.records import dataclass
from policy.source.text import Span


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
