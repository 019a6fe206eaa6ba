"""The bounds of data and its canonical form."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from policy.model.bounds import check, check_counts, copy_json, find_excess
from policy.model.canonical import canonical_bytes, digest, sha256_hex
from policy.source.limits import Limits


class _Word(str, Enum):
    A = "a"


def _nested(levels: int, start: Any = None) -> Any:
    value = start
    for _ in range(levels):
        value = [value]
    return value


def _cyclic() -> list[Any]:
    value: list[Any] = []
    value.extend([value, value])
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "é",
        2**53 - 1,
        -(2**53 - 1),
        0.1,
        1e-320,
        {"a": [1, {"b": None}]},
        _nested(64),
        "x" * (2**20 - 2),
        [0] * 99_999,
    ],
    ids=lambda value: repr(value)[:20],
)
def test_data_within_the_bounds_is_taken(value: Any) -> None:
    assert check(value) is None


@pytest.mark.parametrize(
    ("value", "pointer", "problem"),
    [
        (float("nan"), "", "is no number (NaN or infinite)"),
        ({"a": float("inf")}, "/a", "is no number (NaN or infinite)"),
        ([-float("inf")], "/0", "is no number (NaN or infinite)"),
        (2**53, "", "is an integer beyond ±(2^53−1); send large identifiers as strings"),
        (-(2**53), "", "is an integer beyond ±(2^53−1); send large identifiers as strings"),
        (10**400, "", "is an integer beyond ±(2^53−1); send large identifiers as strings"),
        (1e300, "", "is an integer beyond ±(2^53−1); send large identifiers as strings"),
        (float(2**53), "", "is an integer beyond ±(2^53−1); send large identifiers as strings"),
        ("\ud800", "", "has a lone surrogate; send text that UTF-8 can carry"),
        (
            {"a/b": {"\udfff": 1}},
            "/a~1b",
            "has a member whose name has a lone surrogate; send text that UTF-8 can carry",
        ),
        ({1: "a"}, "", "has a member whose name is a number; names are text"),
        ({None: "a"}, "", "has a member whose name is null; names are text"),
        ([b"a"], "/0", "is binary, which JSON does not have"),
        ((1,), "", "is a value of another kind, which JSON does not have"),
        (_Word.A, "", "is a value of another kind, which JSON does not have"),
        ({"a": {1, 2}}, "/a", "is a value of another kind, which JSON does not have"),
        (_nested(65), "/0" * 64, "is nested deeper than 64 levels"),
        ("x" * (2**20 - 1), "", "takes more than 1,048,576 bytes"),
        ("é" * 2**19, "", "takes more than 1,048,576 bytes"),
        (["\x00" * 200_000], "", "takes more than 1,048,576 bytes"),
        ([0] * 100_000, "", "has more than 100,000 parts"),
        ([[0] * 60_000, [0] * 60_000], "", "has more than 100,000 parts"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_data_beyond_the_bounds_is_refused_with_its_place(value: Any, pointer: str, problem: str) -> None:
    excess = find_excess(value)
    assert excess is not None
    assert (excess.pointer, excess.problem) == (pointer, problem)


def test_a_cyclic_value_ends() -> None:
    problem = check(_cyclic())
    assert problem is not None
    assert problem.endswith("is nested deeper than 64 levels")


def test_a_shared_part_counts_as_often_as_it_stands() -> None:
    value: Any = "x"
    for _ in range(40):
        value = [value, value]
    assert check(value) == "the value has more than 100,000 parts"


def test_the_bounds_are_those_of_the_limits() -> None:
    assert check([[1]], Limits(data_depth=1)) == "the value at `/0` is nested deeper than 1 levels"
    assert check([1, 2], Limits(data_nodes=2)) == "the value has more than 2 parts"
    assert check("abc", Limits(data_bytes=5)) is None
    assert check("abcd", Limits(data_bytes=5)) == "the value takes more than 5 bytes"


@pytest.mark.parametrize(
    ("context", "problem"),
    [
        ({"approvals": [{}] * 3, "history": {"entries": [1, 2]}}, None),
        ({"approvals": [{}] * 4}, "the value at `/approvals` has more than 3 votes"),
        ({"history": {"entries": [1, 2, 3]}}, "the value at `/history/entries` has more than 2 entries"),
        ({"approvals": "x", "history": 1}, None),
        (["approvals"], None),
    ],
)
def test_votes_and_history_of_a_context_are_bounded(context: Any, problem: str | None) -> None:
    assert check_counts(context, Limits(votes=3, history_entries=2)) == problem


def test_a_copy_shares_nothing_and_has_one_form_of_each_number() -> None:
    inner = [1.0, -0.0, 0.5, True]
    value = {"a": inner}
    copy = copy_json(value)
    inner.append(9)
    assert copy == {"a": [1, 0, 0.5, True]}
    assert [type(item) for item in copy["a"]] == [int, int, float, bool]


def test_a_copy_refuses_what_was_not_checked() -> None:
    with pytest.raises(ValueError, match="a number is out of range"):
        copy_json([2**60])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "é\n"]}, '{"a":[true,null,"é\\n"],"b":1}'),
        ([1, 0.5, 1e-7, 1e21 / 3, 333333333.3333333], "[1,0.5,1e-7,333333333333333300000,333333333.3333333]"),
        ({"\U0001f600": 1, "\ufb33": 2}, '{"\U0001f600":1,"\ufb33":2}'),
    ],
)
def test_the_canonical_form_is_that_of_rfc_8785(value: Any, text: str) -> None:
    assert canonical_bytes(value) == text.encode()


def test_digests_are_sha_256_over_the_canonical_form() -> None:
    expected = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert sha256_hex({}) == expected
    assert digest({}) == f"sha256:{expected}"
