"""What conditions mean: patterns and expressions, typed, resolved, frozen.

Names are resolved (a define is a `Shared`, a `scopes` set is expanded to its patterns), bare words are
constants, defaults are filled in. Spans take no part in equality.
"""

from __future__ import annotations

from dataclasses import field
from ipaddress import IPv4Network, IPv6Network

from policy.source.records import dataclass
from policy.source.text import Span
from policy.types.kinds import Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything that has a place in a policy text."""

    span: Span = field(compare=False, repr=False)


# --- patterns ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopePattern(Node):
    """`refund.*.create`, `payment.**`: dot-separated segments, each a word, `*` or (first or last) `**`."""

    segments: tuple[str, ...]

    @property
    def text(self) -> str:
        """The pattern as written."""
        return ".".join(self.segments)


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityGlob(Node):
    """`capability "cap:calendar:*"`: matches the capability id, `*` is any run of characters."""

    glob: str

    @property
    def text(self) -> str:
        """The pattern as it would be written."""
        return f'capability "{self.glob}"'


ActionPattern = ScopePattern | CapabilityGlob


# --- expressions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Node):
    """A literal, or a bare word resolved to its value."""

    type: Type
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Node):
    """A path: `root` is a built-in name (`input`, `subject`, `context`, `scope`) or a quantifier variable
    (`variable` true); a step is a member name, a list position or an expression that gives one of them.
    `text` is the path as written."""

    type: Type
    root: str
    variable: bool
    steps: tuple[str | int | Expression, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(Node):
    """A use of `define NAME`; every use holds the same `value` object."""

    type: Type
    name: str
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class ListValue(Node):
    """`[a, b]`."""

    type: Type
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapValue(Node):
    """`{ "EUR": 10_000 }`; keys are unique."""

    type: Type
    entries: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup(Node):
    """`value[key]` where `value` is not a path."""

    type: Type
    value: Expression
    key: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Not(Node):
    """`not x`."""

    type: Type
    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class And(Node):
    """`a and b and c` (Kleene)."""

    type: Type
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or(Node):
    """`a or b or c` (Kleene)."""

    type: Type
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare(Node):
    """`a == b`; operator one of == != < <= > >=."""

    type: Type
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class In(Node):
    """`item in container`, negated for `not in`; the container is a list."""

    type: Type
    item: Expression
    container: Expression
    negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Has(Node):
    """`container has item`; with `any_of`, `item` is a list of which one must be there."""

    type: Type
    container: Expression
    item: Expression
    any_of: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTest(Node):
    """`text contains item`; operator one of contains, starts_with, ends_with; with `any_of`, `item` is a list."""

    type: Type
    operator: str
    text: Expression
    item: Expression
    any_of: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches(Node):
    """`scope matches refund.**`; any of the patterns (a `scopes` set gives several)."""

    type: Type
    value: Expression
    patterns: tuple[ActionPattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InNetwork(Node):
    """`context.client_ip in network "10.0.0.0/8"`."""

    type: Type
    value: Expression
    network: IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside(Node):
    """`input.path inside "/srv/data"`."""

    type: Type
    value: Expression
    root: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Exists(Node):
    """`x exists`; with `missing`, `x missing`."""

    type: Type
    value: Expression
    missing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Within(Node):
    """`ts within mon..fri 22:00..06:00 in "Zone"`: `days` are 0 (Monday) … 6, minutes from midnight, half-open."""

    type: Type
    value: Expression
    days: frozenset[int]
    start: int
    end: int
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantified(Node):
    """`any x in list satisfies (…)`; quantifier one of any, every, no."""

    type: Type
    quantifier: str
    variable: str
    container: Expression
    body: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Total(Node):
    """`total value over x in list`."""

    type: Type
    value: Expression
    variable: str
    container: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic(Node):
    """`a + b`, `a - b`, `a * b` on numbers, timestamps and durations."""

    type: Type
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Negative(Node):
    """`-x`."""

    type: Type
    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """`count(x)`; a function of `policy.types.functions`. Zones are constants, checked at load."""

    type: Type
    function: str
    arguments: tuple[Expression, ...]


Expression = (
    Constant
    | Read
    | Shared
    | ListValue
    | MapValue
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
