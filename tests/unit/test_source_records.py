"""Quick data classes behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from policy.source.collector import paused_collector
from policy.source.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    place: int = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf(Base):
    name: str
    parts: tuple[int, ...] = ()
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pair:
    left: int
    right: int = 2
    total: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.left + self.right)


def test_construction_fills_defaults_and_each_list_is_new() -> None:
    one, two = Leaf(place=1, name="a"), Leaf(place=2, name="a", tags=["x"])
    assert (one.place, one.name, one.parts, one.tags) == (1, "a", (), [])
    assert one.tags is not Leaf(place=1, name="a").tags
    assert two.tags == ["x"]
    assert Pair(1).total == 3
    assert Pair(1, 5).total == 6


@pytest.mark.parametrize("arguments", [{}, {"place": 1}, {"place": 1, "name": "a", "more": 2}])
def test_missing_and_unknown_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"Leaf\.__init__\(\)"):
        Leaf(**arguments)


def test_equality_and_hash_leave_out_what_is_not_compared() -> None:
    one, two = Leaf(place=1, name="a", parts=(1,), tags=[]), Leaf(place=2, name="a", parts=(1,), tags=[])
    assert one == two
    assert one != Leaf(place=1, name="b")
    assert one != object()
    assert hash(Pair(1, 3)) == hash(Pair(1, 3))
    assert Base(place=1) == Base(place=2)
    assert Base(place=1) != one


def test_nothing_can_be_assigned_or_deleted() -> None:
    pair = Pair(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'left'"):
        pair.left = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'left'"):
        del pair.left
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'other'"):
        pair.other = 2  # type: ignore[attr-defined]
    assert not hasattr(pair, "__dict__")


def test_it_shows_copies_and_pickles_itself() -> None:
    leaf = Leaf(place=1, name="a", tags=["x"])
    assert repr(leaf) == "Leaf(name='a', parts=(), tags=['x'])"
    assert dataclasses.replace(leaf, name="b") == Leaf(place=1, name="b", tags=["x"])
    assert copy.deepcopy(leaf) == pickle.loads(pickle.dumps(leaf)) == leaf
    assert [each.name for each in dataclasses.fields(leaf)] == ["place", "name", "parts", "tags"]
    assert dataclasses.is_dataclass(Leaf)


def test_the_collector_is_paused_and_goes_on_also_after_a_failure() -> None:
    with pytest.raises(LookupError), paused_collector():
        assert not gc.isenabled()
        with paused_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise LookupError
    assert gc.isenabled()
