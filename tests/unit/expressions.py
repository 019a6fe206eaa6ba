"""Short ways to write typed expressions in tests of the interpreter."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from policy.ir import nodes as ir
from policy.source.text import Source, Span
from policy.types.kinds import Basic, ListOf, MapOf
from policy.types.values import RiskLevel, Timestamp, Unevaluable


def place(text: str = "", offset: int = 0) -> Span:
    """A span that holds exactly this text, `offset` characters into its line."""
    return Span(Source("test.policy", " " * offset + text), offset, offset + len(text))


def constant(value: object) -> ir.Constant:
    return ir.Constant(span=place(str(value)), type=Basic.JSON, value=value)


def read(path: str, *, variable: bool = False, offset: int = 0) -> ir.Read:
    """`input.lines.0.amount`: a part of digits is a position."""
    root, *rest = path.split(".")
    steps = tuple(int(part) if part.isdigit() else part for part in rest)
    return ir.Read(span=place(path, offset), type=Basic.JSON, root=root, variable=variable, steps=steps, text=path)


def stepped(root: str, *steps: str | int | ir.Expression, text: str) -> ir.Read:
    return ir.Read(span=place(text), type=Basic.JSON, root=root, variable=False, steps=steps, text=text)


def item(path: str) -> ir.Read:
    """A read of a quantifier variable."""
    return read(path, variable=True)


def shared(name: str, value: ir.Expression) -> ir.Shared:
    return ir.Shared(span=place(name), type=Basic.JSON, name=name, value=value)


def listed(*items: ir.Expression) -> ir.ListValue:
    return ir.ListValue(span=place("[…]"), type=ListOf(Basic.JSON), items=items)


def texts(*values: str) -> ir.ListValue:
    return listed(*(constant(value) for value in values))


def mapped(**entries: ir.Expression) -> ir.MapValue:
    return ir.MapValue(span=place("{…}"), type=MapOf(Basic.JSON), entries=tuple(entries.items()))


def lookup(value: ir.Expression, key: ir.Expression) -> ir.Lookup:
    return ir.Lookup(span=place("{…}[key]"), type=Basic.JSON, value=value, key=key)


def negated(operand: ir.Expression) -> ir.Not:
    return ir.Not(span=place("not …"), type=Basic.BOOLEAN, operand=operand)


def conjunction(*operands: ir.Expression) -> ir.And:
    return ir.And(span=place("… and …"), type=Basic.BOOLEAN, operands=operands)


def disjunction(*operands: ir.Expression) -> ir.Or:
    return ir.Or(span=place("… or …"), type=Basic.BOOLEAN, operands=operands)


def compare(left: ir.Expression, operator: str, right: ir.Expression) -> ir.Compare:
    return ir.Compare(span=place(f"… {operator} …"), type=Basic.BOOLEAN, operator=operator, left=left, right=right)


def is_in(value: ir.Expression, container: ir.Expression, *, negated: bool = False) -> ir.In:
    return ir.In(span=place("… in …"), type=Basic.BOOLEAN, item=value, container=container, negated=negated)


def has(container: ir.Expression, value: ir.Expression, *, any_of: bool = False) -> ir.Has:
    return ir.Has(span=place("… has …"), type=Basic.BOOLEAN, container=container, item=value, any_of=any_of)


def text_test(text: ir.Expression, operator: str, value: ir.Expression, *, any_of: bool = False) -> ir.TextTest:
    return ir.TextTest(
        span=place("… contains …"), type=Basic.BOOLEAN, operator=operator, text=text, item=value, any_of=any_of
    )


def exists(value: ir.Expression) -> ir.Exists:
    return ir.Exists(span=place("… exists"), type=Basic.BOOLEAN, value=value, missing=False)


def missing(value: ir.Expression) -> ir.Exists:
    return ir.Exists(span=place("… missing"), type=Basic.BOOLEAN, value=value, missing=True)


def quantified(quantifier: str, variable: str, container: ir.Expression, body: ir.Expression) -> ir.Quantified:
    return ir.Quantified(
        span=place(f"{quantifier} …"),
        type=Basic.BOOLEAN,
        quantifier=quantifier,
        variable=variable,
        container=container,
        body=body,
    )


def total(value: ir.Expression, variable: str, container: ir.Expression) -> ir.Total:
    return ir.Total(span=place("total …"), type=Basic.NUMBER, value=value, variable=variable, container=container)


def arithmetic(left: ir.Expression, operator: str, right: ir.Expression) -> ir.Arithmetic:
    return ir.Arithmetic(span=place(f"… {operator} …"), type=Basic.JSON, operator=operator, left=left, right=right)


def negative(operand: ir.Expression) -> ir.Negative:
    return ir.Negative(span=place("-…"), type=Basic.NUMBER, operand=operand)


def call(function: str, *arguments: ir.Expression) -> ir.Call:
    return ir.Call(span=place(f"{function}(…)"), type=Basic.JSON, function=function, arguments=arguments)


def scope_pattern(text: str) -> ir.ScopePattern:
    return ir.ScopePattern(span=place(text), segments=tuple(text.split(".")))


def capability_glob(glob: str) -> ir.CapabilityGlob:
    return ir.CapabilityGlob(span=place(glob), glob=glob)


def matches(value: ir.Expression, *patterns: ir.ActionPattern) -> ir.Matches:
    return ir.Matches(span=place("… matches …"), type=Basic.BOOLEAN, value=value, patterns=patterns)


def in_network(value: ir.Expression, network: str) -> ir.InNetwork:
    return ir.InNetwork(span=place("… in network …"), type=Basic.BOOLEAN, value=value, network=ip_network(network))


def path_inside(value: ir.Expression, root: ir.Expression) -> ir.Inside:
    return ir.Inside(span=place("… inside …"), type=Basic.BOOLEAN, value=value, root=root)


def within(value: ir.Expression, days: set[int], start: int, end: int, zone: str) -> ir.Within:
    return ir.Within(
        span=place("… within …"),
        type=Basic.BOOLEAN,
        value=value,
        days=frozenset(days),
        start=start,
        end=end,
        zone=zone,
    )


def unevaluable(path: str, problem: str, column: int = 1) -> Unevaluable:
    return Unevaluable(path, problem, f"test.policy:1:{column}")


FACTS: dict[str, object] = {
    "input": {
        "amount": 50,
        "half": 0.5,
        "note": "Payment for ACME",
        "flag": True,
        "nothing": None,
        "empty": [],
        "tags": ["red", "blue"],
        "mixed": ["red", 1],
        "holes": [None, "red"],
        "lines": [{"sku": "a", "amount": 1}, {"sku": "b", "amount": 2.5}, {"sku": "c"}],
        "numbers": [1, 2, 3],
        "path": "/srv/data/a",
        "odd key": 1,
        "truths": [True, False],
    },
    "scope": "payment.create",
    "capability": {"id": "cap:payments:create"},
    "risk": RiskLevel.HIGH,
    "now": Timestamp(0),
    "context": {"ip": ip_address("10.1.2.3"), "owners": {"cc-1": "ines"}, "ip6": ip_address("2001:db8::1")},
}
"""Facts that expressions in tests read."""
