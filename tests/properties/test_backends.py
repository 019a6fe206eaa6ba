"""Generated functions behind an index decide exactly as the reference interpreter that looks at every statement."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from policy import Engine
from tests.properties.budget import budget
from tests.properties.generators.capabilities import capabilities
from tests.properties.generators.policies import policies
from tests.properties.generators.requests import contexts, hostile
from tests.properties.harness import engine_of, voted


def _interpreter(text: str) -> Engine:
    return Engine(engine_of(text).compiled, backend="interpreter")


@budget(120)
@given(st.data())
def test_decisions_are_equal(data: st.DataObject) -> None:
    text = data.draw(policies(claims=True))
    engine, oracle = engine_of(text), _interpreter(text)
    for _ in range(3):
        request = data.draw(voted(engine))
        assert engine.decide(*request).model_dump_json() == oracle.decide(*request).model_dump_json()


@budget(40)
@given(st.data())
def test_decisions_on_hostile_requests_are_equal(data: st.DataObject) -> None:
    text = data.draw(policies(claims=True))
    request = data.draw(hostile())
    expected = _interpreter(text).decide(*request).model_dump_json()
    assert engine_of(text).decide(*request).model_dump_json() == expected


@budget(40)
@given(st.data())
def test_exposures_are_equal(data: st.DataObject) -> None:
    text = data.draw(policies(claims=True))
    capability, context = data.draw(capabilities()), data.draw(contexts())
    expected = _interpreter(text).exposes(capability, context).model_dump_json()
    assert engine_of(text).exposes(capability, context).model_dump_json() == expected
