"""Whether a rule concerns an action, in three values."""

from __future__ import annotations

from policy.decide.conditions import UNJUDGED, Conditions
from policy.ir import nodes as ir
from policy.ir.patterns import matches_any
from policy.source.records import dataclass
from policy.types.values import Unevaluable


@dataclass(frozen=True, slots=True)
class Target:
    """What patterns and `on route` are compared with."""

    capability_id: str
    scope: str | None
    route: str | None


@dataclass(frozen=True, slots=True)
class Match:
    """Kleene's conjunction of a selector's parts; `problem` says why there is no answer."""

    holds: bool | None
    problem: Unevaluable | None = None

    @property
    def unjudged(self) -> bool:
        """Whether there is no answer because the input breaks its schema."""
        return self.problem is UNJUDGED


YES = Match(True)
NO = Match(False)


def match(selector: ir.Selector, target: Target, conditions: Conditions) -> Match:
    """Whether all parts of a selector hold: patterns, routes, `when`, and `unless` not."""
    if not reaches(selector, target):
        return NO
    return judge(selector.when, selector.unless, conditions)


def reaches(selector: ir.Selector, target: Target) -> bool:
    """Whether the parts without a condition hold."""
    if selector.routes is not None and target.route not in selector.routes:
        return False
    return selector.patterns is None or matches_any(selector.patterns, target.scope, target.capability_id)


def judge(when: ir.Expression | None, unless: ir.Expression | None, conditions: Conditions) -> Match:
    """Whether `when` holds and `unless` does not, as far as each is written."""
    wanted = True if when is None else conditions.condition(when)
    if wanted is False:
        return NO
    excepted = False if unless is None else conditions.condition(unless)
    if excepted is True:
        return NO
    problems = [answer for answer in (wanted, excepted) if isinstance(answer, Unevaluable)]
    if not problems:
        return YES
    return Match(None, UNJUDGED if UNJUDGED in problems else problems[0])
