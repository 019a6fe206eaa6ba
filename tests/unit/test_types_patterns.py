"""Scope patterns and globs: exact tables, a naive oracle, and how patterns cover and overlap each other."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.ir.patterns import covers, matches_action, matches_any, overlaps, segments_cover, segments_overlap
from policy.types.patterns import (
    glob_matches,
    identifier_is_wellformed,
    parse_scope_pattern,
    scope_is_wellformed,
    scope_matches,
)
from tests.properties.budget import budget
from tests.unit.expressions import capability_glob, scope_pattern

WORDS = ("a", "b", "c")
SCOPES = [".".join(words) for length in range(1, 6) for words in itertools.product(WORDS, repeat=length)]
PATTERNS = st.builds(
    lambda first, middle, last: tuple(part for part in (*first, *middle, *last)),
    st.sampled_from([(), ("**",)]),
    st.lists(st.sampled_from(["a", "b", "*"]), max_size=3),
    st.sampled_from([(), ("**",)]),
).filter(bool)
GLOBS = st.text("ab*", max_size=7)
TEXTS = ["".join(letters) for length in range(7) for letters in itertools.product("abc", repeat=length)]


def naive_scope(segments: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a pattern matches, by trying every way to deal out the words."""
    if not segments:
        return not words
    if segments[0] == "**":
        return any(naive_scope(segments[1:], words[count:]) for count in range(1, len(words) + 1))
    return bool(words) and segments[0] in ("*", words[0]) and naive_scope(segments[1:], words[1:])


def naive_glob(glob: str, text: str) -> bool:
    """Whether a glob matches, by trying every length of every run."""
    if not glob:
        return not text
    if glob[0] == "*":
        return any(naive_glob(glob[1:], text[count:]) for count in range(len(text) + 1))
    return bool(text) and glob[0] == text[0] and naive_glob(glob[1:], text[1:])


@pytest.mark.parametrize(
    ("pattern", "scope", "expected"),
    [
        ("order.read", "order.read", True),
        ("order.read", "order.reads", False),
        ("order.read", "order.read.all", False),
        ("order.read", "Order.read", False),
        ("refund.*", "refund.create", True),
        ("refund.*", "refund", False),
        ("refund.*", "refund.request.create", False),
        ("refund.**", "refund.create", True),
        ("refund.**", "refund.request.create", True),
        ("refund.**", "refund", False),
        ("refund.**", "refunds.create", False),
        ("**.secret", "a.secret", True),
        ("**.secret", "a.b.c.secret", True),
        ("**.secret", "secret", False),
        ("**.secret", "a.secrets", False),
        ("**", "anything", True),
        ("**", "a.b.c", True),
        ("team.*.read", "team.blue.read", True),
        ("team.*.read", "team.blue.delete", False),
        ("**.admin.**", "crew.admin.wipe", True),
        ("**.admin.**", "crew.admin", False),
        ("**.admin.**", "admin.wipe", False),
        ("**.**", "a", False),
        ("**.**", "a.b", True),
        ("cap:x.read-only", "cap:x.read-only", True),
        ("**", "ledger.purge\n", False),
        ("**", "a..b", False),
        ("**", ".a", False),
        ("**", "a.", False),
        ("**", "", False),
        ("**", "a b", False),
        ("**", "l\u0435dger.purge", False),
        ("**", "a." + "b" * 158, True),
        ("**", "a." + "b" * 159, False),
    ],
)
def test_a_pattern_is_compared_segment_by_segment(pattern: str, scope: str, expected: bool) -> None:
    segments = parse_scope_pattern(pattern)
    assert segments is not None
    assert scope_matches(segments, scope) is expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "a.",
        ".a",
        "a..b",
        "a b",
        "a.**.b",
        "***",
        "a*",
        "a.b*",
        "*a",
        "a.***",
        "a\n",
        "é",
        "_a",
        "-a",
        ":a",
        "a/b",
    ],
)
def test_what_is_no_pattern(text: str) -> None:
    assert parse_scope_pattern(text) is None


def test_patterns_keep_their_segments() -> None:
    assert parse_scope_pattern("refund.*.create") == ("refund", "*", "create")
    assert parse_scope_pattern("**.a.**") == ("**", "a", "**")
    assert parse_scope_pattern("**") == ("**",)
    assert parse_scope_pattern("a.-b._c.:d") == ("a", "-b", "_c", ":d")


def test_which_scopes_and_ids_are_wellformed() -> None:
    assert all(scope_is_wellformed(text) for text in ("a", "9.b", "a:b.c-d_e", "A.B"))
    refused = ("", ".", "a.", "a..b", "_a", "a b", "a\t", "a\n", "a\0", "é", "a*", "a/b", "x" * 161)
    assert not any(scope_is_wellformed(text) for text in refused)
    assert all(
        identifier_is_wellformed(text) for text in ("cap:calendar:booking:create", "mcp.files.read", "GET /orders")
    )
    assert not any(
        identifier_is_wellformed(text) for text in ("", "a b", "a\n", "a..b", "é", "a\u200b", "GET  /orders")
    )


@budget(200)
@given(PATTERNS, st.sampled_from(SCOPES))
def test_patterns_match_as_the_naive_matcher_does(segments: tuple[str, ...], scope: str) -> None:
    assert scope_matches(segments, scope) is naive_scope(segments, tuple(scope.split(".")))


@budget(100)
@given(PATTERNS, PATTERNS)
def test_cover_and_overlap_are_those_of_the_matched_scopes(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    matched_by_one = {scope for scope in SCOPES if scope_matches(one, scope)}
    matched_by_other = {scope for scope in SCOPES if scope_matches(other, scope)}
    if segments_cover(one, other):
        assert matched_by_other <= matched_by_one
    if not segments_overlap(one, other):
        assert not matched_by_one & matched_by_other
    # `c` stands in no pattern and five words are longer than any of three parts: the enumeration is complete enough.
    if len(one) <= 3 and len(other) <= 3:
        assert segments_cover(one, other) is (matched_by_other <= matched_by_one)
    if len(one) + len(other) <= 5:
        assert segments_overlap(one, other) is bool(matched_by_one & matched_by_other)


@budget(300)
@given(GLOBS, st.text("ab", max_size=8))
def test_globs_match_as_the_naive_matcher_does(glob: str, text: str) -> None:
    assert glob_matches(glob, text) is naive_glob(glob, text)


@budget(60)
@given(st.text("ab*", max_size=4), st.text("ab*", max_size=4))
def test_globs_cover_and_overlap_as_their_texts_do(one: str, other: str) -> None:
    first = {text for text in TEXTS if glob_matches(one, text)}
    second = {text for text in TEXTS if glob_matches(other, text)}
    assert covers(capability_glob(one), capability_glob(other)) is (second <= first)
    assert overlaps(capability_glob(one), capability_glob(other)) is bool(first & second)


def test_a_glob_of_many_stars_takes_no_time() -> None:
    assert glob_matches("*a" * 12 + "*b", "a" * 20_000) is False


@pytest.mark.parametrize(
    ("wider", "narrower", "expected"),
    [
        ("**", "refund.*", True),
        ("refund.**", "refund.*", True),
        ("refund.*", "refund.**", False),
        ("refund.*", "refund.create", True),
        ("*.*", "**", False),
        ("**.*", "*.**", True),
        ("*.**", "**.*", True),
        ("**.a", "**.b.a", True),
        ("**.a.**", "x.a.y", True),
        ("a", "a", True),
        ("a", "b", False),
    ],
)
def test_cover(wider: str, narrower: str, expected: bool) -> None:
    assert covers(scope_pattern(wider), scope_pattern(narrower)) is expected


def test_scope_patterns_and_globs_say_nothing_of_each_other() -> None:
    assert covers(scope_pattern("**"), capability_glob("*")) is False
    assert covers(capability_glob("*"), scope_pattern("**")) is False
    assert overlaps(scope_pattern("a"), capability_glob("b")) is True


def test_a_pattern_matches_an_action_by_scope_or_by_id() -> None:
    assert matches_action(scope_pattern("order.*"), "order.read", "cap:x") is True
    assert matches_action(scope_pattern("**"), None, "order.read") is False
    assert matches_action(capability_glob("cap:calendar:*"), None, "cap:calendar:booking") is True
    assert matches_action(capability_glob("*"), "order.read", "bad id") is False
    assert matches_any((scope_pattern("a"), capability_glob("c*")), "b", "cap") is True
    assert matches_any((), "b", "cap") is False
