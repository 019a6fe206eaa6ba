"""Well-typed expressions as policy text.

`granting` says where a condition will stand: there, claims and absence tests on trusted values that may be
absent are errors, so none are generated; in a prohibiting position a claim stands behind its own `exists`.


Strategies are built once: building one anew for every draw took most of a test's time.
"""

from __future__ import annotations

import json
from functools import cache

from hypothesis import strategies as st

from tests.properties.generators.world import CURRENCIES, GROUPS, ROLES, SCOPES, ZONES

NUMBERS = st.sampled_from(["0", "1", "2.5", "10", "100", "1_000", "0.1", "1e2", "-3"])
WORDS = st.sampled_from(["EUR", "USD", "x", "prod", "ana", "red", "pay.create", ""])
RISKS = st.sampled_from(["low", "medium", "high", "critical"])
SENSITIVITIES = st.sampled_from(["public", "internal", "confidential", "restricted", "regulated"])
KINDS = st.sampled_from(["human", "agent", "service"])
EFFECTS = st.sampled_from(["read", "write", "delete", "financial", "external_network"])
ORDER = st.sampled_from(["<", "<=", ">", ">="])
EQUALITY = st.sampled_from(["==", "!="])
TIMES = st.sampled_from(["00:00", "08:00", "10:00", "18:00", "22:00", "23:59"])
ZONE = st.sampled_from(ZONES).map(json.dumps)
PARTY = st.sampled_from(["requester", "operator", "subject"])


def quoted(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The words as policy strings."""
    return words.map(json.dumps)


def joined(*parts: str | st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The parts with spaces between."""
    strategies = [st.just(part) if isinstance(part, str) else part for part in parts]
    return st.tuples(*strategies).map(" ".join)


def listed(items: st.SearchStrategy[str], least: int = 1, most: int = 3) -> st.SearchStrategy[str]:
    """A list literal."""
    return st.lists(items, min_size=least, max_size=most, unique=True).map(lambda found: f"[{', '.join(found)}]")


@cache
def numbers(depth: int) -> st.SearchStrategy[str]:
    """Expressions of a number."""
    plain = st.one_of(
        NUMBERS,
        st.sampled_from(
            ["input.amount", "context.limit", "count(input.lines)", "length(input.name)", "input.lines[0].amount"]
        ),
        st.sampled_from(
            ['{ "EUR": 10, "USD": 20 }[input.currency]', "subject.attributes.limit", "count(context.tags)"]
        ),
        st.just("total line.amount over line in input.lines"),
    )
    if depth <= 0:
        return plain
    deeper = numbers(depth - 1)
    return st.one_of(
        plain, st.tuples(deeper, st.sampled_from(["+", "-", "*"]), deeper).map(lambda p: f"({p[0]} {p[1]} {p[2]})")
    )


@cache
def texts() -> st.SearchStrategy[str]:
    """Expressions of a text that is data."""
    return st.one_of(
        quoted(WORDS),
        st.sampled_from(["input.currency", "input.name", "input.id", "lower(input.name)", "input.lines[0].tag"]),
    )


@cache
def timestamps() -> st.SearchStrategy[str]:
    """Expressions of an instant."""
    return st.sampled_from(
        [
            "now",
            "context.deadline",
            "(now + 1h)",
            "(context.deadline - 30m)",
            "timestamp(input.at)",
            'timestamp("2026-11-30T12:00:00+01:00")',
            "credential.expires_at",
        ]
    )


@cache
def atoms(variable: str | None = None) -> st.SearchStrategy[str]:
    """Conditions without `and`, `or`, `not`; `variable` is a quantifier variable over input.lines."""
    found = [
        joined(numbers(1), ORDER, numbers(1)),
        joined(numbers(0), EQUALITY, numbers(0)),
        joined(st.sampled_from(["input.currency", "input.name"]), EQUALITY, quoted(WORDS)),
        joined("context.env", EQUALITY, st.sampled_from(['"prod"', '"test"'])),
        joined("input.currency", st.sampled_from(["in", "not in"]), listed(quoted(st.sampled_from(CURRENCIES)))),
        joined(PARTY.map(lambda p: f"{p}.roles"), "has", quoted(st.sampled_from(ROLES))),
        joined(PARTY.map(lambda p: f"{p}.groups"), "has any of", listed(quoted(st.sampled_from(GROUPS)))),
        joined(PARTY.map(lambda p: f"{p}.kind"), EQUALITY, KINDS),
        joined(PARTY.map(lambda p: f"{p}.id"), EQUALITY, PARTY.map(lambda p: f"{p}.id")),
        joined("effects has", EFFECTS),
        joined("declared_risk", ORDER, RISKS),
        joined("contract.data.sensitivity", ORDER, SENSITIVITIES),
        joined("context.clearance", ORDER, "contract.data.sensitivity"),
        joined("context.level", ORDER, RISKS),
        joined(timestamps(), ORDER, timestamps()),
        joined("context.deadline - now", ORDER, st.sampled_from(["1h", "30m", "2d"])),
        joined("scope matches", st.sampled_from(["pay.**", "pay.*", "note.read", "**.run"])),
        joined("scope ==", quoted(st.sampled_from(SCOPES))),
        joined("context.tags has", quoted(WORDS)),
        joined(
            "input.name", st.sampled_from(["contains", "starts with", "ends with"]), quoted(st.sampled_from(["a", "x"]))
        ),
        joined("input.name contains any of", listed(quoted(st.sampled_from(["a", "x", "EUR"])))),
        joined(st.sampled_from(["input.note", "input.id", "input.lines"]), st.sampled_from(["exists", "missing"])),
        joined("context.address in network", st.sampled_from(['"10.0.0.0/8"', '"2001:db8::/32"'])),
        joined("input.path inside", st.sampled_from(['"/srv"', '"/srv/data"'])),
        joined("host(input.url) ==", quoted(st.sampled_from(["a.example", "b.example"]))),
        joined("mail_domain(input.mail) ==", quoted(st.just("a.example"))),
        st.tuples(TIMES, TIMES, ZONE, st.sampled_from(["mon..fri ", "sat ", "fri..mon ", ""]))
        .filter(lambda p: p[0] != p[1])
        .map(lambda p: f"now within {p[3]}{p[0]}..{p[1]} in {p[2]}"),
        joined(ZONE.map(lambda zone: f"weekday(now, {zone})"), "in [mon, tue, sun]"),
        joined(ZONE.map(lambda zone: f"time(now, {zone})"), ORDER, TIMES),
        joined(ZONE.map(lambda zone: f"date(now, {zone})"), EQUALITY, '"2026-11-30"'),
        st.sampled_from(["readonly", "context.quick", "input.flag", "contract.data.contains_pii", "mode == sync"]),
        st.sampled_from(["context.incident missing", "context.incident exists", 'idempotency_key == "k"']),
        st.sampled_from(['context.owners[input.id] == "ana"', "context.change.author == requester.id"]),
        st.sampled_from(['route == "desk"', 'tenant.id == "t-1"', 'region == "eu"', 'session == "s-1"']),
        st.sampled_from(
            ['credential.scopes has "pay"', "duration(input.at) < 1h", 'ip(input.name) in network "10.0.0.0/8"']
        ),
    ]
    if variable is not None:
        found += [
            joined(f"{variable}.amount", ORDER, NUMBERS),
            joined(f"{variable}.tag", EQUALITY, quoted(WORDS)),
        ]
    return st.one_of(found)


CLAIMS = st.sampled_from(
    [
        'claims.compliance.flag exists and claims.compliance.flag == "red"',
        "claims.identity exists",
        "claims.approval exists",
    ]
)


@cache
def conditions(depth: int, *, granting: bool, variable: str | None = None) -> st.SearchStrategy[str]:
    """Conditions with `and`, `or`, `not`, quantifiers, parentheses."""
    if depth <= 0:
        return atoms(variable)
    deeper = conditions(depth - 1, granting=granting, variable=variable).map(lambda text: f"({text})")
    found = [
        atoms(variable),
        st.lists(deeper, min_size=2, max_size=3).map(" and ".join),
        st.lists(deeper, min_size=2, max_size=3).map(" or ".join),
        deeper.map(lambda text: f"not {text}"),
    ]
    if variable is None:
        body = conditions(depth - 1, granting=granting, variable="line")
        found.append(
            st.tuples(st.sampled_from(["any", "every", "no"]), body).map(
                lambda p: f"{p[0]} line in input.lines satisfies ({p[1]})"
            )
        )
    return st.one_of(found)


@cache
def prohibiting(depth: int = 1, *, claims: bool = False) -> st.SearchStrategy[str]:
    """A condition for a prohibiting position; with `claims`, some read what the caller says."""
    plain = conditions(depth, granting=False)
    return st.one_of(plain, plain, plain, CLAIMS) if claims else plain


@cache
def granting(depth: int = 1) -> st.SearchStrategy[str]:
    """A condition for a granting position."""
    return conditions(depth, granting=True)
