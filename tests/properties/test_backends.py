"""Generated functions behind an index decide exactly as the reference interpreter that looks at every statement."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from policy import Decision, Engine, PolicyError
from policy.contracts.admission import admit
from policy.decide.brief import decide_briefly
from policy.decide.plans import Plans
from policy.model.action import Action
from policy.model.context import Context
from tests.properties.budget import budget
from tests.properties.generators.capabilities import capabilities
from tests.properties.generators.plain import as_models, layers, plain_requests
from tests.properties.generators.policies import policies
from tests.properties.generators.requests import contexts, hostile
from tests.properties.harness import voted


def _engines(*texts: str) -> tuple[Engine, Engine]:
    """The compiled engine and the reference interpreter of the same layers."""
    try:
        engine = Engine.from_source(*texts)
    except PolicyError as error:
        assume(False)
        raise AssertionError from error
    return engine, Engine(engine.compiled, backend="interpreter")


def _agree(engine: Engine, oracle: Engine, request: tuple[Any, Any, Any]) -> Decision:
    """Both decide alike on data and on models of it; what the compiled one decides."""
    action, capability, context = request
    decision = engine.decide(action, capability, context)
    expected = oracle.decide(action, capability, context)
    assert decision.outcome is expected.outcome
    assert decision.model_dump_json() == expected.model_dump_json()
    models = as_models(action, context)
    expected = oracle.decide(models[0], capability, models[1])
    assert engine.decide(models[0], capability, models[1]).model_dump_json() == expected.model_dump_json()
    return decision


@budget(60)
@given(st.data())
def test_decisions_are_equal(data: st.DataObject) -> None:
    engine, oracle = _engines(*data.draw(layers()))
    for _ in range(2):
        _agree(engine, oracle, data.draw(voted(engine)))


def test_decisions_the_short_way_are_equal() -> None:
    taken: list[bool] = []

    @budget(70)
    @given(st.data())
    def decide(data: st.DataObject) -> None:
        engine, oracle = _engines(*data.draw(layers()))
        plans = Plans(engine.compiled)
        for _ in range(3):
            action, document, context = data.draw(plain_requests())
            _agree(engine, oracle, (action, document, context))
            capability = admit(document).capability
            assert capability is not None, admit(document).diagnostics

            def again(
                own: Action, stated: Context, oracle: Engine = oracle, document: dict[str, Any] = document
            ) -> Decision:
                return oracle.decide(own, document, stated)

            brief = decide_briefly(
                engine.compiled, plans, action=action, capability=capability, context=context, again=again
            )
            taken.append(brief is not None)
            if brief is not None:
                assert brief.model_dump_json() == oracle.decide(action, document, context).model_dump_json()

    decide()
    print(sum(taken), len(taken))
    assert sum(taken) * 3 >= len(taken)


@budget(60)
@given(st.data())
def test_decisions_on_hostile_requests_are_equal(data: st.DataObject) -> None:
    engine, oracle = _engines(data.draw(policies(claims=True)))
    _agree(engine, oracle, data.draw(hostile()))


@budget(40)
@given(st.data())
def test_exposures_are_equal(data: st.DataObject) -> None:
    engine, oracle = _engines(*data.draw(layers()))
    capability, context = data.draw(capabilities()), data.draw(contexts())
    expected = oracle.exposes(capability, context).model_dump_json()
    assert engine.exposes(capability, context).model_dump_json() == expected
