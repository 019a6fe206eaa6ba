"""Whole policies as text, every statement of the language among them."""

from __future__ import annotations

import json
from functools import cache

from hypothesis import strategies as st

from tests.properties.generators.expressions import RISKS, granting, prohibiting, quoted
from tests.properties.generators.world import (
    CONTEXT_BLOCK,
    DEPARTMENTS,
    DIRECTORY_BLOCK,
    GROUPS,
    PATTERNS,
    PEOPLE,
    ROLES,
    ROUTES,
)

LEVELS = ("low", "medium", "high", "critical")
HEADER = """policy "generated" {
  version "1"
  default approval "duty"
  default approval "committee" for data.**
}
scopes "money" { pay.** }
define large = input.amount > 100
define in_prod = context.env == "prod"
"""
APPROVAL_IDS = ("duty", "committee", "two", "mixed", "owner")


@cache
def patterns() -> st.SearchStrategy[str]:
    """One pattern or several."""
    one = st.one_of(st.sampled_from(PATTERNS), st.just('scopes "money"'), st.just('capability "cap:*"'))
    return st.lists(one, min_size=1, max_size=2, unique=True).map(", ".join)


@cache
@st.composite
def selectors(draw: st.DrawFn, *, claims: bool, certain: bool = False, override: bool = False) -> str:
    """A selector; `certain` gives at least one part, `override` generates a granting one."""
    condition = granting() if override else prohibiting(claims=claims)
    parts = []
    if draw(st.integers(0, 3)) != 1:
        parts.append("for " + draw(patterns()))
    if draw(st.integers(0, 3)) == 0:
        parts.append(f'on route "{draw(st.sampled_from(ROUTES[:2]))}"')
    if draw(st.booleans()):
        parts.append("when " + draw(condition))
    if draw(st.integers(0, 2)) == 0:
        parts.append("unless " + draw(granting()))
    if not parts and certain:
        parts.append("when " + draw(condition))
    return " ".join(parts)


@cache
@st.composite
def routes(draw: st.DrawFn) -> str:
    """The two routes that every generated policy declares, with clauses."""
    blocks = []
    for name in ROUTES[:2]:
        clauses = ["allow **" if draw(st.integers(0, 4)) != 2 else f"allow {draw(patterns())}"]
        for _ in range(draw(st.integers(0, 2))):
            effect = draw(st.sampled_from(["allow"] * 5 + ["deny"]))
            clause = f"{effect} {draw(patterns())}"
            if draw(st.booleans()):
                clause += " when " + draw(granting() if effect == "allow" else prohibiting())
            if draw(st.integers(0, 3)) == 0:
                clause += " unless " + draw(prohibiting() if effect == "allow" else granting())
            clauses.append(clause)
        blocks.append(f'route "{name}" {{ {" ".join(clauses)} }}')
    if draw(st.integers(0, 3)) == 0:
        clause = draw(st.sampled_from(["allow note.read", "deny data.purge when large", "deny **.run"]))
        blocks.append(f"every route {{ {clause} }}")
    return "\n".join(blocks)


@cache
@st.composite
def leaves(draw: st.DrawFn) -> str:
    """One approval leaf."""
    leaf = draw(
        st.one_of(
            st.sampled_from(ROLES).map(lambda role: f'role "{role}"'),
            st.sampled_from(GROUPS).map(lambda group: f'group "{group}"'),
            st.sampled_from(PEOPLE).map(lambda person: f'principal "{person}"'),
            st.sampled_from(
                [
                    "principal context.owners[input.id]",
                    'group "t*"',
                    'tenant_policy "tp-1"',
                    'external_system "ext-1"',
                    'delegated "pay.**" max risk high',
                    'delegated "pay.**" max value 500 of input.amount',
                    'delegated "pay.**" covering input.amount',
                    "principal subject",
                ]
            ),
        )
    )
    if draw(st.integers(0, 4)) == 0:
        leaf += ' where approver.attributes.department == "red"'
    elif draw(st.integers(0, 6)) == 0:
        leaf += " where approver.attributes.limit >= input.amount"
    return leaf


@cache
@st.composite
def needs(draw: st.DrawFn, depth: int = 2) -> str:
    """A need: pools, slots, alternatives, leaves. A pool never asks for more than its roles can give."""
    kind = (
        draw(st.sampled_from(["leaf", "pool", "all", "any", "number"]))
        if depth
        else draw(st.sampled_from(["leaf", "pool"]))
    )
    if kind == "leaf":
        return draw(leaves())
    if kind == "pool":
        chosen = draw(st.lists(leaves(), min_size=1, max_size=3, unique=True))
        return f'{draw(st.integers(1, 2))} approvals from {{ role "clerk" {" ".join(chosen)} }}'
    children = draw(st.lists(needs(depth - 1), min_size=2, max_size=3, unique=True))
    text = " ".join(children)
    if kind == "all":
        return f"all of {{ {text} }}"
    if kind == "any":
        return f"any of {{ {text} }}"
    return f"any {draw(st.integers(1, len(children)))} of {{ {text} }}"


@cache
@st.composite
def approvals(draw: st.DrawFn, name: str) -> str:
    """One approval statement of that id."""
    body = ["need " + draw(needs())]
    same_person = body[0].startswith(("need all", "need any 1 of", "need any 2 of")) and draw(st.integers(0, 4)) == 0
    if same_person:
        body[0] += " allowing same person"
    elif draw(st.integers(0, 3)) == 0:
        body.append("distinct by department")
    if draw(st.integers(0, 4)) == 0:
        body.append(f"at least {draw(st.integers(1, 2))} people")
    if draw(st.booleans()):
        body.append("valid for " + draw(st.sampled_from(["30m", "4h", "1d"])))
    if draw(st.integers(0, 3)) == 0:
        body.append("evidence " + draw(st.sampled_from(["reason", "external_ticket", "reason, input_snapshot"])))
    if draw(st.integers(0, 4)) == 0:
        body.append("denied by 2 people")
    if draw(st.integers(0, 5)) == 0:
        body.append("approvers of kind human, agent")
    if draw(st.integers(0, 5)) == 0:
        body.append("allow self approval")
    return f'approval "{name}" {{ {" ".join(body)} }}'


SEPARATION_FORMS = st.sampled_from(
    [
        "approver differs from requester, operator, subject, delegators",
        "approver differs from context.change.author, context.change.contributors",
        "requester differs from context.change.author",
        "operator differs from subject",
        'roles "clerk", "chief" conflict',
        "different people perform pay.create, pay.release per input.id within 90d",
        "different people perform pay.create per input.id, pay.release per input.id",
    ]
)


@cache
@st.composite
def rules(draw: st.DrawFn, *, claims: bool) -> list[str]:
    """Rules of every kind; ids are unique."""
    found = []
    for number in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["deny", "require", "require", "raise", "separation", "obligation"]))
        name = f"{kind}-{number}"
        if kind == "deny":
            found.append(f'deny "{name}" {{ {draw(selectors(claims=claims, certain=True))} because "b" }}')
        elif kind == "require":
            target = draw(st.sampled_from(["default", *(json.dumps(one) for one in APPROVAL_IDS)]))
            found.append(f'require "{name}" {{ {draw(selectors(claims=claims))} approval {target} control "C-1" }}')
        elif kind == "raise":
            steps = f"to {draw(RISKS)}"
            if draw(st.booleans()):
                steps += f" when {draw(prohibiting(claims=claims))} to critical when large"
            found.append(f'raise "{name}" {{ {draw(selectors(claims=claims))} {steps} }}')
        elif kind == "separation":
            found.append(f'separation "{name}" {{ {draw(selectors(claims=False))} {draw(SEPARATION_FORMS)} }}')
        else:
            effect = draw(
                st.sampled_from(["redact input.name", "set level = 3", "redact input.lines.tag set note = input.name"])
            )
            also = " also on deny" if draw(st.booleans()) else ""
            found.append(f'obligation "{name}" {{ {draw(selectors(claims=False))} {effect}{also} }}')
    return found


@cache
@st.composite
def thresholds(draw: st.DrawFn) -> list[str]:
    """None, one or two risk statements, the second perhaps overriding the first."""
    count = draw(st.sampled_from([0, 0, 1, 1, 2]))
    found = []
    for number in range(count):
        levels = sorted(draw(st.sets(st.integers(0, 3), min_size=1, max_size=3)))
        parts = []
        if draw(st.booleans()):
            parts.append(f"unattended up to {LEVELS[levels.pop(0)]}")
        for level in levels:
            by = draw(st.sampled_from(["default", "contract", *(json.dumps(one) for one in APPROVAL_IDS)]))
            parts.append(f"approve up to {LEVELS[level]} by {by}")
        overrides = number == 1 and draw(st.booleans())
        head = f'risk "risk-{number}"' + (' overrides "risk-0"' if overrides else "")
        found.append(f"{head} {{ {draw(selectors(claims=False, override=overrides))} {' '.join(parts)} }}")
    return found


@cache
@st.composite
def statements(draw: st.DrawFn, *, claims: bool = False) -> list[str]:
    """The statements of one policy."""
    found = [HEADER, CONTEXT_BLOCK]
    if draw(st.booleans()):
        found.append(DIRECTORY_BLOCK)
    found.append(draw(routes()))
    found += draw(thresholds())
    found += draw(rules(claims=claims))
    found += [draw(approvals(name)) for name in APPROVAL_IDS]
    return found


@cache
def policies(*, claims: bool = False) -> st.SearchStrategy[str]:
    """One whole policy as text."""
    return statements(claims=claims).map("\n".join)


__all__ = [
    "DEPARTMENTS",
    "approvals",
    "needs",
    "patterns",
    "policies",
    "quoted",
    "routes",
    "rules",
    "selectors",
    "statements",
]
