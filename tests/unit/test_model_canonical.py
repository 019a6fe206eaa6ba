"""Canonical JSON: the quick way gives what RFC 8785 says."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from policy.model.canonical import canonical_bytes

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["1e5", "\ue000", "\U0001f600", "1.0"]
)
_NUMBERS = (
    st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1e-7, 1e21, 1e16, 0.00001, -0.0, 1.0, 5e-324, 0.1])
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(_VALUES)
def test_every_value_has_its_one_form(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1.0, 1e21, 1e-7, -0.0]}, '{"a":[1,1e+21,1e-7,0],"b":1}'),
        ({"\ue000": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ue000":1}'),
        ({"a": '\u007f\u2028"\\/\n\x00'}, '{"a":"\u007f\u2028\\"\\\\/\\n\\u0000"}'),
    ],
)
def test_numbers_names_and_text_are_written_as_the_standard_says(value: object, text: str) -> None:
    assert canonical_bytes(value) == text.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53 + 1, "\ud800", {"a": -(2**60)}])
def test_what_the_standard_has_no_form_for_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        canonical_bytes(value)
