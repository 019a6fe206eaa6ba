"""This engine as contestants, and the hand-written function that is the floor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from policy import Action, Context, Decision, Engine, Limits
from policy.contracts.admission import admit
from policy.model.admitted import AdmittedCapability
from policy.source.limits import DEFAULT_LIMITS
from tests.benchmarks.contestant import Contestant
from tests.benchmarks.workload import Answer, Workload, action, capability, context, policy_texts

LIMITS: Limits = replace(DEFAULT_LIMITS, statements=1_000_000)


def write_policy(work: Workload, folder: Path) -> Path:
    """Write the policy of a workload as files of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(policy_texts(work)):
        (folder / f"part{number:04}.policy").write_text(text, encoding="utf-8")
    return folder


def admitted(work: Workload) -> dict[str, AdmittedCapability]:
    """The capabilities of a workload as a catalog admits them, by scope."""
    found = {}
    for scope in work.scopes:
        admission = admit(capability(scope))
        if admission.capability is None:
            raise RuntimeError(f"not admitted: {admission.diagnostics}")
        found[scope] = admission.capability
    return found


def read(decision: Decision) -> Answer:
    """The answer of a decision."""
    return Answer(decision.outcome.value)


def all_reasons(decide: Callable[..., Decision]) -> Callable[..., Decision]:
    """Decide, and read the outcome and every reason: nothing that is put off stays unpaid."""

    def decided(*request: Any) -> Decision:
        decision = decide(*request)
        if not decision.reasons:
            raise RuntimeError("a decision without a reason")
        return decision

    return decided


def _specialised(engine: Engine, work: Workload) -> Callable[[str, Any, Any], Decision]:
    functions = {scope: engine.specialise(each) for scope, each in admitted(work).items()}

    def decided(scope: str, action: Any, context: Any) -> Decision:
        decision = functions[scope](action, context)
        if not decision.reasons:
            raise RuntimeError("a decision without a reason")
        return decision

    return decided


def ours(engine: Engine, work: Workload, *, interpreter: bool = True) -> Iterator[Contestant]:
    """The ways of using this engine: from models, specialised, from plain data, and by the reference interpreter."""
    known = admitted(work)
    documents = {scope: capability(scope) for scope in work.scopes}
    plain = [(action(ask), known[ask.scope], context(ask)) for ask in work.asks]
    models = [(Action.model_validate(a), c, Context.model_validate(x)) for a, c, x in plain]
    scopes = [ask.scope for ask in work.asks]
    decide = all_reasons(engine.decide)
    yield Contestant("agent-policy, models", decide, models, read, note="all reasons; every member checked and copied")
    yield Contestant(
        "agent-policy, specialised",
        _specialised(engine, work),
        [(scope, a, x) for scope, (a, _, x) in zip(scopes, models, strict=True)],
        read,
        note="`engine.specialise` once per capability; models; all reasons",
    )
    yield Contestant(
        "agent-policy, plain data",
        decide,
        plain,
        read,
        note="action and context as dicts: validated, input schema checked; all reasons",
    )
    yield Contestant(
        "agent-policy, plain data and capability",
        decide,
        [(a, documents[scope], x) for scope, (a, _, x) in zip(scopes, plain, strict=True)],
        read,
        note="the capability a dict too, recognised at each call; all reasons",
    )
    if interpreter:
        oracle = Engine(engine.compiled, backend="interpreter")
        note = "the reference interpreter reads every rule"
        yield Contestant("agent-policy, interpreter", all_reasons(oracle.decide), models, read, note=note)


def floor(work: Workload) -> Iterable[Contestant]:
    """What a careful programmer writes by hand for this one policy: look-ups in dicts, no checks, no reasons."""
    permissions = table(work)

    def decide(action: dict[str, Any], scope: str, context: dict[str, Any]) -> str:
        permission = permissions.get(context["route"], {}).get(scope)
        if permission is None or permission["role"] not in context["subject"]["roles"]:
            return "deny"
        amount = action["input"]["amount"]
        if context["attributes"]["environment"] == "production" and amount > permission["ceiling"]:
            return "deny"
        amounts = permission["tenants"].get(context["tenant"]["id"])
        if amounts is None:
            return "allow"
        if amount > amounts["limit"]:
            return "deny"
        return "require-approval" if amount > amounts["review"] else "allow"

    requests = [(action(ask), ask.scope, context(ask)) for ask in work.asks]
    note = "look-ups in dicts, no validation, no reasons"
    yield Contestant("hand-written function (floor)", decide, requests, Answer, note=note)


def table(work: Workload) -> dict[str, Any]:
    """The policy as nested dicts: by route, by scope, by tenant."""
    found: dict[str, Any] = {}
    for each in work.permissions:
        tenants = {name: {"limit": a.limit, "review": a.review} for name, a in each.tenants.items()}
        entry = {"role": each.role, "ceiling": each.ceiling, "tenants": tenants}
        found.setdefault(each.route, {})[each.scope] = entry
    return found
