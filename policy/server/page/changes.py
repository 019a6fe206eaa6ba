"""What would change a decision, read off its trace: sentences for people, each with the place of the policy."""

from __future__ import annotations

from collections.abc import Iterator

from policy.decide.explanation import Explanation, RuleTrace
from policy.model.decision import Approval, Outcome
from policy.types.values import Unevaluable

_MOST = 50


def changes(explanation: Explanation) -> list[dict[str, str]]:
    """`{text, location}` for each change; it removes one obstacle, and others may stand behind it."""
    found: list[dict[str, str]] = []
    for text, location in _all(explanation):
        if len(found) < _MOST:
            found.append({"text": text, "location": location})
    return found


def _all(explanation: Explanation) -> Iterator[tuple[str, str]]:
    decision = explanation.decision
    rules = [rule for rule in explanation.rules if rule.considered]
    grants = [rule for rule in rules if rule.kind == "allow"]
    if decision.outcome is Outcome.ALLOW:
        for rule in rules:
            yield from _stricter(rule)
        return
    if explanation.rules and not any(rule.matched for rule in grants):
        if not grants:
            yield "an `allow` of this capability in the route; no statement covers it", ""
        for rule in grants:
            yield from _conditions(rule, f"`allow {rule.text}` grants it", wanted=True)
    for rule in rules:
        if rule.kind in {"deny", "deny rule"} and rule.matched is not False:
            yield from _conditions(rule, f"{_named(rule)} no longer prohibits it", wanted=False)
        if rule.kind == "require" and rule.matched is not False:
            yield from _conditions(rule, f"{_named(rule)} asks for no approval", wanted=False)
    for approval in decision.approvals:
        if approval.state != "satisfied":
            yield _approval(approval), ""


def _stricter(rule: RuleTrace) -> Iterator[tuple[str, str]]:
    """What would take away a permission."""
    if rule.kind == "allow" and rule.matched:
        yield from _conditions(rule, f"`allow {rule.text}` no longer grants it", wanted=False)
    elif rule.kind in {"deny", "deny rule"} and rule.matched is False:
        yield from _conditions(rule, f"{_named(rule)} prohibits it", wanted=True)
    elif rule.kind == "require" and rule.matched is False:
        yield from _conditions(rule, f"{_named(rule)} asks for approval", wanted=True)


def _conditions(rule: RuleTrace, then: str, *, wanted: bool) -> Iterator[tuple[str, str]]:
    judged = [each for each in rule.conditions if each.role in {"when", "unless"}]
    for condition in judged:
        holds = condition.value is True
        good = wanted if condition.role == "when" else not wanted
        if isinstance(condition.value, Unevaluable):
            missing = f"`{condition.text}` has no answer; state `{condition.value.path}` so that it is {_word(good)}"
            yield f"{missing}: then {then}", condition.location
        elif holds is not good:
            yield f"`{condition.text}` would have to be {_word(good)}: then {then}", condition.location
    if not judged and not wanted:
        yield f"{_named(rule)} has no condition: only another policy changes that", rule.location


def _named(rule: RuleTrace) -> str:
    return f"`{rule.kind.removesuffix(' rule')} {rule.text if rule.kind in {'allow', 'deny'} else rule.id}`"


def _approval(approval: Approval) -> str:
    missing = "an approval" if approval.missing == 1 else f"{approval.missing:,} approvals"
    could = f"; who could approve: {', '.join(approval.could_approve)}" if approval.could_approve else ""
    return f"{missing} for `{approval.id}`: {approval.needs}{could}"


def _word(value: bool) -> str:
    return "true" if value else "false"
