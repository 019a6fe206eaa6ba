"""The neutral decision cases that a fixture file cannot state: unreadable data, failures, hostile sizes, reloading."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from policy import Engine, Outcome, PolicyError
from policy.contracts.admission import admit
from policy.model.reader import DataError, read_json

NOW = "2026-06-10T12:00:00Z"
LARK: dict[str, Any] = {"id": "lark", "kind": "human", "roles": [], "groups": []}
OTTER: dict[str, Any] = {"id": "otter", "kind": "agent", "roles": [], "groups": []}
CONTEXT: dict[str, Any] = {"route": "desk", "now": NOW, "requester": LARK, "operator": OTTER, "subject": LARK}


def capability(scope: str, risk: str = "low", schema: Any = True, **more: Any) -> dict[str, Any]:
    return {
        "acc": {"version": 1, "enabled": True, "scope": scope, "risk": {"level": risk}, **more},
        "input_schema": schema,
    }


def codes(engine: Engine, document: Any, given: Any, context: Mapping[str, Any] = CONTEXT) -> tuple[Outcome, set[str]]:
    scope = document["acc"]["scope"] if isinstance(document, dict) else document.id
    decision = engine.decide({"id": "a", "capability_id": scope, "input": given}, document, context)
    return decision.outcome, {reason.code for reason in decision.reasons}


@pytest.mark.parametrize(
    "scope", ["l\u0435dger.purge", "\uff4cedger.read", "ledger.read\u200b", "ledger\u2024read", "ledger.purge\n"]
)
def test_scope_13_and_16_a_scope_outside_the_permitted_characters_is_refused(scope: str) -> None:
    engine = Engine.from_source('route "desk" { allow ledger.** }')
    assert codes(engine, capability(scope), {}) == (Outcome.DENY, {"capability.invalid"})


@pytest.mark.parametrize("given", [float("nan"), float("inf"), -float("inf"), 2**53, 9007199254740992.0, "\ud800"])
@pytest.mark.parametrize("document", [capability("memo.send", schema=True)], ids=["any input"])
def test_type_05_and_06_and_err_08_what_json_does_not_carry_is_malformed(given: Any, document: dict[str, Any]) -> None:
    engine = Engine.from_source('route "desk" { allow memo.send }')
    assert codes(engine, document, {"kind": given}) == (Outcome.DENY, {"input.malformed"})


def test_type_06_a_number_too_large_for_a_double_is_refused_by_the_reader() -> None:
    with pytest.raises(DataError):
        read_json('{"amount": 1e400}')


def test_err_08_a_million_characters_are_data_like_any_other() -> None:
    engine = Engine.from_source('route "desk" { allow memo.send when input.kind in ["a", "b"] }')
    outcome, found = codes(engine, capability("memo.send"), {"kind": "x" * 1_000_000})
    assert (outcome, found) == (Outcome.DENY, {"scope.condition_false"})


class _Broken(Mapping[str, Any]):
    """Data that fails while it is read."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __getitem__(self, key: str) -> Any:
        raise self._error

    def __iter__(self) -> Any:
        raise self._error

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize("error", [RuntimeError("x"), MemoryError(), RecursionError(), KeyError("x"), TimeoutError()])
def test_err_04_a_failure_inside_is_a_denial(error: BaseException) -> None:
    engine = Engine.from_source('route "desk" { allow wallet.pay }')
    decision = engine.decide(
        {"id": "a", "capability_id": "wallet.pay", "input": {}}, capability("wallet.pay"), _Broken(error)
    )
    assert decision.outcome is Outcome.DENY
    assert {reason.code for reason in decision.reasons} <= {"engine.failure", "context.invalid"}


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "/x/secret',
        '{"path":"/ok","path":"/x/secret"}',
        '\ufeff{"path":"/ok"}',
        '{"a": NaN}',
        '{"a": 01}',
        "[1,]",
    ],
)
def test_err_09_unreadable_arguments_are_refused_by_the_reader(text: str) -> None:
    with pytest.raises(DataError):
        read_json(text)


@pytest.mark.parametrize(
    ("declaration", "code"),
    [
        ({"version": 2, "enabled": True, "scope": "ledger.read"}, "capability.unsupported_version"),
        ({"version": "1", "enabled": True, "scope": "ledger.read"}, "capability.invalid"),
        ({"version": True, "enabled": True, "scope": "ledger.read"}, "capability.invalid"),
        ({"version": 1.0, "enabled": True, "scope": "ledger.read"}, "capability.invalid"),
        ({"version": 1, "enabled": "true", "scope": "ledger.read"}, "capability.invalid"),
        ({"version": 1, "enabled": 1, "scope": "ledger.read"}, "capability.invalid"),
        ({"enabled": True, "scope": "ledger.read"}, "capability.invalid"),
    ],
)
def test_err_11_versions_are_judged_exactly(declaration: dict[str, Any], code: str) -> None:
    engine = Engine.from_source('route "desk" { allow ledger.read }')
    outcome, found = codes(engine, {"acc": declaration, "input_schema": True}, {})
    assert outcome is Outcome.DENY
    assert code in found


@pytest.mark.parametrize("level", ["HIGH", "critical", "", None, 3])
def test_type_19_an_unknown_level_is_no_declaration(level: Any) -> None:
    engine = Engine.from_source('route "desk" { allow vault.key.export }')
    assert codes(engine, capability("vault.key.export", level), {})[1] == {"capability.invalid"}


ITEMS = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}}
    },
}


@pytest.mark.parametrize(
    ("parameter", "schema", "admitted"),
    [
        ("amuont", {"type": "object", "properties": {"amount": {"type": "number"}}}, False),
        ("amount", {"type": "object", "properties": {"amount": {"type": "number"}}}, True),
        ("items.price", ITEMS, True),
        ("items.cost", ITEMS, False),
        ("", ITEMS, False),
        (
            "a.b",
            {
                "type": "object",
                "properties": {
                    "a.b": {"type": "number"},
                    "a": {"type": "object", "properties": {"b": {"type": "number"}}},
                },
            },
            False,
        ),
    ],
)
def test_auth_18_a_condition_names_a_declared_parameter(parameter: str, schema: dict[str, Any], admitted: bool) -> None:
    document = capability(
        "ledger.refund", "medium", schema, approval={"when": [{"param": parameter, "op": ">", "value": 1000}]}
    )
    assert (admit(document).capability is not None) is admitted


def test_auth_08_duplicate_members_of_a_capability_are_refused() -> None:
    with pytest.raises(DataError):
        read_json('{"acc": {"version": 1, "enabled": false, "enabled": true, "scope": "vault.key"}}')


def test_perf_03_deep_input_is_refused_before_anything_recursive_runs() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    engine = Engine.from_source('route "desk" { allow memo.send when input.note == "x" }')
    assert codes(engine, capability("memo.send"), {"note": deep}) == (Outcome.DENY, {"input.malformed"})
    while deep:
        deep = deep.pop()


def test_perf_04_a_wide_flat_condition_works() -> None:
    terms = " or ".join(f"input.n == {number}" for number in range(20_000))
    engine = Engine.from_source(f'route "desk" {{ allow memo.send when {terms} }}')
    assert codes(engine, capability("memo.send"), {"n": 19_999})[0] is Outcome.ALLOW
    assert codes(engine, capability("memo.send"), {"n": 20_000})[0] is Outcome.DENY


def test_perf_05_many_rules_give_what_a_naive_scan_gives() -> None:
    scopes = [f"s{number}.read" for number in range(5_000)]
    patterns = [f"w{number}.**" for number in range(200)]
    engine = Engine.from_source(
        'route "desk" { ' + " ".join(f"allow {pattern}" for pattern in scopes + patterns) + " }"
    )
    chosen = random.Random(5)
    for scope in [*chosen.sample(scopes, 20), "s5000.read", "w7.a.b", "w200.a", "w7"]:
        expected = scope in scopes or (scope.partition(".")[0] + ".**" in patterns and "." in scope)
        assert (codes(engine, capability(scope), {})[0] is Outcome.ALLOW) is expected, scope


def test_ops_01_and_02_another_policy_is_another_engine_and_hash() -> None:
    before = Engine.from_source('route "desk" { allow crew.read }')
    removed = Engine.from_source('route "desk" { allow crew.write }')
    denied = Engine.from_source('route "desk" { allow crew.read }\ndeny "guests" { when subject.roles has "guest" }')
    guest = {**CONTEXT, "subject": {**LARK, "roles": ["guest"]}}
    assert codes(before, capability("crew.read"), {}, guest)[0] is Outcome.ALLOW
    assert codes(removed, capability("crew.read"), {}, guest)[0] is Outcome.DENY
    assert codes(denied, capability("crew.read"), {}, guest)[0] is Outcome.DENY
    assert len({before.policy_hash, removed.policy_hash, denied.policy_hash}) == 3


def test_ops_04_and_05_a_policy_with_a_broken_or_missing_part_does_not_load(tmp_path: Path) -> None:
    (tmp_path / "one.policy").write_text('route "desk" { allow vault.** }\n', encoding="utf-8")
    (tmp_path / "two.policy").write_text('deny "export" { for vault.key.export\n', encoding="utf-8")
    with pytest.raises(PolicyError):
        Engine.load(tmp_path)
    (tmp_path / "two.policy").write_text('import "gone.policy"\n', encoding="utf-8")
    with pytest.raises(PolicyError):
        Engine.load(tmp_path)
    with pytest.raises(PolicyError):
        Engine.load(tmp_path / "one.policy", tmp_path / "gone.policy")


def test_ops_08_an_engine_is_one_value_whose_decisions_name_their_policy() -> None:
    engines = [
        Engine.from_source(f'policy "p" {{ version "v{number}" }} route "desk" {{ allow crew.read }}')
        for number in (7, 8)
    ]
    for engine, version in zip(engines, ("v7", "v8"), strict=True):
        decision = engine.decide(
            {"id": "a", "capability_id": "crew.read", "input": {}}, capability("crew.read"), CONTEXT
        )
        assert (decision.outcome, decision.policy_version, decision.policy_hash) == (
            Outcome.ALLOW,
            version,
            engine.policy_hash,
        )


def test_ops_09_a_dropped_allow_changes_the_decision_on_a_recorded_call() -> None:
    recorded = ({"id": "a", "capability_id": "crew.read", "input": {}}, capability("crew.read"), CONTEXT)
    before = Engine.from_source('route "desk" { allow crew.read allow crew.write }')
    after = Engine.from_source('route "desk" { allow crew.write }')
    decisions = [next(engine.decide_many([recorded])) for engine in (before, after)]
    assert [decision.outcome for decision in decisions] == [Outcome.ALLOW, Outcome.DENY]
    assert {reason.code for reason in decisions[1].reasons} == {"scope.not_allowed"}
