"""The engine as a whole: failures, purity, digests, the facade, explanations."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import policy
from policy import Action, Capability, Context, Engine, Outcome, PolicyError
from policy.contracts.admission import admit
from policy.source.limits import Limits
from tests.unit.decide_world import APPROVALS, OPEN, ROSA, acc, action, codes, context, decide, engine

Json = dict[str, Any]


class Failing:
    """An input schema that fails."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def violations(self, value: object) -> tuple[()]:
        raise self._error


def broken(error: BaseException) -> Any:
    capability = admit(acc()).capability
    assert capability is not None
    object.__setattr__(capability, "input_schema", Failing(error))
    return capability


@pytest.mark.parametrize(
    "error", [RuntimeError("x"), MemoryError(), RecursionError(), TimeoutError(), AssertionError()]
)
def test_any_failure_inside_is_a_denial(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    decision = engine(OPEN).decide(action(acc(), {}), broken(error), context())

    assert (decision.outcome.value, codes(decision, None)) == ("deny", ["engine.failure"])
    assert f"`{type(error).__name__}`" in decision.reasons[0].message
    assert decision.policy_hash == engine(OPEN).policy_hash
    assert [each.exc_info[1] for each in caplog.records if each.exc_info] == [error]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1)])
def test_an_interruption_passes(error: BaseException) -> None:
    with pytest.raises(type(error)):
        engine(OPEN).decide(action(acc(), {}), broken(error), context())


def test_a_clock_that_fails_is_a_denial() -> None:
    def clock() -> str:
        raise OSError

    ticking = Engine.from_source(OPEN, clock=clock)

    assert codes(ticking.decide(action(acc(), {}), acc(), context(now=None))) == ["engine.failure"]
    assert codes(ticking.exposes(acc(), context(now=None))) == ["engine.failure"]
    assert ticking.decide(action(acc(), {}), acc(), context()).allowed


def test_equal_arguments_give_equal_bytes_whatever_their_form() -> None:
    document, stated, called = acc(), context(), action(acc(), {"amount": 1.0})
    first = engine(OPEN).decide(called, document, stated)
    again = engine(OPEN).decide(
        Action.model_validate({**called, "input": {"amount": 1}}),
        Capability.model_validate(document),
        Context.model_validate(dict(reversed(stated.items()))),
    )
    admitted = admit(document).capability
    assert admitted is not None

    assert first.model_dump_json() == again.model_dump_json()
    assert first == engine(OPEN).decide(called, admitted, stated)
    assert first == engine(OPEN).specialise(document)(called, stated)


def test_nothing_follows_a_later_change_of_the_arguments() -> None:
    text = OPEN + 'obligation "keep" { for refund.** set given = input.order }'
    document = acc(properties={"order": {"type": "object"}})
    called, stated = action(document, {"order": {"lines": [1]}}), context()
    specialised = engine(text).specialise(document)
    decision = engine(text).decide(called, document, stated)
    before = decision.model_dump_json()
    arguments = copy.deepcopy((called, document, stated))

    called["input"]["order"]["lines"].append(2)
    document["acc"]["enabled"] = False
    stated["subject"] = {**ROSA, "roles": ["admin"]}

    assert decision.model_dump_json() == before
    assert specialised(*(arguments[0], arguments[2])).model_dump_json() == before
    assert codes(engine(text).decide(arguments[0], document, arguments[2])) == ["capability.disabled"]


def test_an_equal_model_that_was_changed_in_place_is_another_capability() -> None:
    document = Capability.model_validate(acc())
    assert engine(OPEN).decide(action(acc(), {"amount": 5}), document, context()).allowed

    document.input_schema["properties"]["amount"]["maximum"] = 1

    assert codes(engine(OPEN).decide(action(acc(), {"amount": 5}), document, context())) == ["input.schema_violation"]


def test_a_version_that_is_no_integer_is_not_mistaken_for_one_that_is() -> None:
    for version, expected in ((1, []), (1.0, ["capability.invalid"]), (True, ["capability.invalid"]), (1, [])):
        document = acc()
        document["acc"]["version"] = version
        assert codes(engine(OPEN).decide(action(acc(), {}), document, context())) == expected


def test_the_strictest_result_counts() -> None:
    asked = OPEN + APPROVALS + 'require "r" { for refund.** approval "boss" }'

    assert decide(OPEN).outcome is Outcome.ALLOW
    assert decide(asked).outcome is Outcome.REQUIRE_APPROVAL
    assert decide(asked + 'deny "d" { for refund.** }').outcome is Outcome.DENY


def test_reasons_are_ordered_by_effect_and_stage_not_by_text() -> None:
    rules = [f'deny "d{number}" {{ for refund.** because "{number}" }}' for number in range(4)]
    first = decide(OPEN + "\n".join(rules))
    second = decide("\n".join(reversed(rules)) + OPEN)

    assert [each.rule for each in first.reasons] == ["d0", "d1", "d2", "d3", "desk"]
    assert [(each.code, each.rule, each.message) for each in first.reasons] == [
        (each.code, each.rule, each.message) for each in second.reasons
    ]
    assert first.policy_hash == second.policy_hash


def test_reasons_are_bounded_with_a_count() -> None:
    text = OPEN + "\n".join(f'deny "d{number:02}" {{ for refund.** }}' for number in range(12))
    limited = Engine.from_source(text, limits=Limits(reasons=5))
    decision = limited.decide(action(acc(), {}), acc(), context())

    assert [each.rule for each in decision.reasons] == ["d00", "d01", "d02", "d03", "d04"]
    assert (decision.outcome.value, decision.reasons_omitted) == ("deny", 8)


DIGESTED: list[tuple[str, Json, Json, Json]] = [
    # what differs: the document, the action, the context
    ("capability", acc(risk={"level": "high"}), {}, {}),
    ("input", acc(), {"input": {"amount": 2}}, {}),
    ("mode", acc(), {"mode": "async"}, {}),
    ("transaction", acc(), {"transaction": {"mode": "dry_run"}}, {}),
    ("plan", acc(), {"transaction": {"plan_id": "p"}}, {}),
    ("compensation", acc(), {"transaction": {"compensation_for": "a"}}, {}),
    ("route", acc(), {}, {"route": "other"}),
    ("session", acc(), {}, {"session": "s"}),
    ("tenant", acc(), {}, {"tenant": {"id": "other"}}),
    ("system", acc(), {}, {"tenant": {"id": "acme", "system": "s"}}),
    ("requester", acc(), {}, {"requester": {**ROSA, "id": "omar"}}),
    ("operator", acc(), {}, {"operator": None}),
    ("subject", acc(), {}, {"subject": {**ROSA, "id": "omar"}}),
    ("delegators", acc(), {}, {"delegation": None}),
]


@pytest.mark.parametrize(("what", "document", "members", "stated"), DIGESTED)
def test_each_digested_member_changes_the_digest(what: str, document: Json, members: Json, stated: Json) -> None:
    base = action(acc(), {"amount": 1})
    one = engine(OPEN).request_digest(base, acc(), context())
    other = engine(OPEN).request_digest({**base, **members}, document, context(**stated))

    assert one != other, what


@pytest.mark.parametrize(
    ("members", "stated"),
    [
        ({"id": "a-2"}, {}),
        ({"idempotency_key": "k", "timeout_ms": 5, "identity": {"id": "rosa"}}, {}),
        ({"transaction": {"mode": "execute", "transaction_id": "t"}, "mode": "sync"}, {}),
        ({"input": {"amount": 1.0}}, {}),
        ({}, {"now": "2027-01-01T00:00:00Z", "attributes": {"x": 1}, "region": "eu"}),
        ({}, {"subject": {**ROSA, "roles": ["admin"]}}),
    ],
)
def test_what_is_not_digested_does_not(members: Json, stated: Json) -> None:
    base = action(acc(), {"amount": 1})

    assert engine(OPEN).request_digest(base, acc(), context()) == engine(OPEN).request_digest(
        {**base, **members}, acc(), context(**stated)
    )


def test_the_digest_is_over_exactly_these_members() -> None:
    from policy.decide.digest import digested

    capability = admit(acc()).capability
    assert capability is not None
    found = digested(
        Action.model_validate(action(acc(), {"amount": 1})), capability, Context.model_validate({"route": "desk"})
    )

    assert found == {
        "capability": capability.digest,
        "scope": "refund.create",
        "route": "desk",
        "session": None,
        "tenant": None,
        "input": {"amount": 1},
        "mode": "sync",
        "transaction": {"mode": "execute", "plan_id": None, "compensation_for": None},
        "requester": None,
        "operator": None,
        "subject": None,
        "delegators": None,
    }


def test_the_decision_carries_the_digest_that_the_engine_tells() -> None:
    called, document, stated = action(acc(), {"amount": 1}), acc(), context()

    assert engine(OPEN).decide(called, document, stated).request_digest == engine(OPEN).request_digest(
        called, document, stated
    )
    assert engine(OPEN).request_digest({}, document, stated) is None
    assert engine(OPEN).request_digest(called, {}, stated) is None
    assert engine(OPEN).request_digest(called, document, {"rote": 1}) is None


def test_many_are_decided_lazily_in_order() -> None:
    taken = []

    def requests() -> Any:
        for amount in (1, 2, "x"):
            taken.append(amount)
            yield action(acc(), {"amount": amount}), acc(), context()

    decisions = engine(OPEN).decide_many(requests())

    assert taken == []
    assert next(decisions).allowed
    assert taken == [1]
    assert [each.outcome.value for each in decisions] == ["allow", "deny"]


def test_a_capability_that_is_not_admitted_has_a_decision_function_that_refuses() -> None:
    refusing = engine(OPEN).specialise({"id": "x"})

    assert set(codes(refusing(action(acc(), {}), context()))) == {"capability.invalid"}


def test_a_wire_form_that_round_trips() -> None:
    decision = decide(OPEN + APPROVALS + 'require "r" { for refund.** approval "boss" }')

    assert policy.Decision.model_validate_json(decision.model_dump_json()) == decision
    assert json.loads(decision.model_dump_json())["outcome"] == "require-approval"


def test_loading_refuses_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as missing:
        Engine.load(tmp_path / "none.policy")
    with pytest.raises(PolicyError) as empty:
        Engine.load(tmp_path)

    assert [each.code for each in missing.value.diagnostics] == ["load.not_found"]
    assert [each.code for each in empty.value.diagnostics] == ["load.no_policy"]


def test_loading_layers_from_files(tmp_path: Path) -> None:
    (tmp_path / "org.policy").write_text(OPEN)
    (tmp_path / "team.policy").write_text('deny "no" { for refund.** }')
    loaded = Engine.load(tmp_path / "org.policy", str(tmp_path / "team.policy"))

    (reason, _) = loaded.decide(action(acc(), {}), acc(), context()).reasons
    assert (reason.code, reason.layer) == ("rule.denied", "team")
    assert [layer.layer for layer in loaded.policy.layers] == ["org", "team"]


def test_a_policy_with_an_error_does_not_load_in_part() -> None:
    with pytest.raises(PolicyError) as refused:
        Engine.from_source(OPEN + 'deny "no" { for refund.** when subjekt.id == "rosa" }')

    assert [each.is_error for each in refused.value.diagnostics] == [True]
    assert str(refused.value).startswith("policy:2:")


def test_an_unknown_backend_is_an_error() -> None:
    with pytest.raises(ValueError, match="no backend"):
        Engine.from_source(OPEN, backend="magic")  # type: ignore[arg-type]


def test_an_explanation_tells_every_rule_and_every_condition() -> None:
    text = (
        OPEN
        + APPROVALS
        + """
    deny "large" { for refund.** when input.amount > 50 because "too much" }
    deny "orders" { for order.** when input.amount > 50 }
    require "some" { when input.amount > 5 approval "boss" }
    raise "up" { when input.amount > 5 to high }
    risk "company" { unattended up to high }
    """
    )
    explanation = engine(text).explain(action(acc(), {"amount": 10}), acc(), context())

    assert explanation.decision == decide(text, given={"amount": 10})
    assert [(each.kind, each.id, each.matched, each.why) for each in explanation.rules] == [
        ("allow", "desk", True, "holds"),
        ("raise", "up", True, "holds"),
        ("risk", "company", True, "holds"),
        ("deny rule", "large", False, "does not hold"),
        ("deny rule", "orders", False, "for other capabilities or routes"),
        ("require", "some", True, "holds"),
        ("approval", "boss", True, "pending"),
        ("approval", "chief", False, "nothing asks for it"),
    ]
    (large,) = [each for each in explanation.rules if each.id == "large"]
    (when,) = large.conditions
    assert (when.role, when.text, when.value) == ("when", "input.amount > 50", False)
    assert [(node.text, node.value) for _, node in when.trees[0].walk()] == [
        ("input.amount > 50", False),
        ("input.amount", 10),
        ("50", 50),
    ]


def test_an_explanation_of_a_request_that_cannot_be_read_has_its_decision() -> None:
    explanation = engine(OPEN).explain({}, acc(), context())

    assert (explanation.decision.outcome.value, explanation.rules) == ("deny", ())


def test_importing_the_package_imports_nothing_else() -> None:
    script = (
        "import sys; import policy;"
        "print(int('pydantic' in sys.modules or 'lark' in sys.modules));"
        "print(sorted(policy.__all__) == dir(policy))"
    )
    root = Path(policy.__file__).parents[1]
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root)

    assert ran.stdout.split() == ["0", "True"]


def test_every_public_name_is_there() -> None:
    assert [name for name in policy.__all__ if getattr(policy, name, None) is None] == []
    with pytest.raises(AttributeError):
        _ = policy.nothing


def test_check_is_a_function_and_a_subpackage(tmp_path: Path) -> None:
    from policy import check

    (tmp_path / "a.policy").write_text(OPEN)
    (tmp_path / "b.policy").write_text("route desk { }")

    assert check(tmp_path / "a.policy") == ()
    assert any(each.is_error for each in check(tmp_path / "b.policy"))
