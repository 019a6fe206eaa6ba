"""The readers of JSON and YAML texts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy.model.reader import DataError, read_document, read_file, read_json, read_yaml
from policy.source.limits import Limits

_TOO_FINE = "is no number that a double gives back in 17 digits; send it as a string"
_TOO_LARGE = "is beyond ±(2^53−1); send large identifiers as strings"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        (" [1.0, 1e2, -0, 0.1, 1.50, true] ", [1, 100, 0, 0.1, 1.5, True]),
        ('{"a": "[[[[{", "b": "\\"]"}', {"a": "[[[[{", "b": '"]'}),
        ('"\\ud83d\\ude00"', "😀"),
        ("9007199254740991", 2**53 - 1),
        ("[" * 64 + "]" * 64, json.loads("[" * 64 + "]" * 64)),
        ('{"a":{"x":1},"b":{"x":1}}', {"a": {"x": 1}, "b": {"x": 1}}),
    ],
)
def test_json_is_read(text: str, value: Any) -> None:
    assert read_json(text) == value
    assert read_json(text.encode()) == value


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('{"a": 1,\n "b": {"c": 1, "c": 2}}', 2, 16, "duplicate member name `c`"),
        ('{"a": 1, "\\u0061": 2}', 1, 10, "duplicate member name `a`"),
        ("[1,\n 0.10000000000000001]", 2, 2, f"`0.10000000000000001` {_TOO_FINE}"),
        ('{"a": 9007199254740993}', 1, 2, f"`9007199254740993` {_TOO_LARGE}"),
        ("[1e400]", 1, 2, f"`1e400` {_TOO_FINE}"),
        ("[" + "1" * 5000 + "]", 1, 2, f"`{'1' * 40}…` {_TOO_LARGE}"),
        ("[NaN]", 1, 2, "`NaN` is no JSON number"),
        ("[1,-Infinity]", 1, 4, "`-Infinity` is no JSON number"),
        ('{"a": 1,}', 1, 9, "not JSON: expecting property name enclosed in double quotes"),
        ("[1 2]", 1, 4, "not JSON: expecting ',' delimiter"),
        ("[1]\n[2]", 2, 1, "not JSON: extra data"),
        ('["\t"]', 1, 3, "not JSON: invalid control character at"),
        ("[" * 10_000, 1, 65, "nested deeper than 64 levels"),
        ("\ufeff{}", 1, 1, "starts with a byte order mark; save the file without it"),
        ("", None, None, "empty; JSON or YAML data is expected"),
        (" \n", None, None, "empty; JSON or YAML data is expected"),
        ('{"a":\n["\\ud800"]}', 2, 2, "the value at `/a/0` has a lone surrogate; send text that UTF-8 can carry"),
        ('"' + "x" * 2**20 + '"', None, None, "more than 1 MiB"),
        ("[" + "0," * 100_000 + "0]", 1, 1, "the value has more than 100,000 parts"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_json_that_is_not_strict_data_is_refused(text: str, line: int | None, column: int | None, message: str) -> None:
    with pytest.raises(DataError) as refused:
        read_json(text)
    assert (refused.value.message, refused.value.line, refused.value.column) == (message, line, column)


def test_bytes_that_are_not_utf_8_are_refused_with_their_line() -> None:
    with pytest.raises(DataError) as refused:
        read_json(b'{\n"a": "\xff"}')
    assert (refused.value.message, refused.value.line) == ("not UTF-8", 2)


def test_utf_16_is_not_guessed() -> None:
    with pytest.raises(DataError, match="not UTF-8"):
        read_json("{}".encode("utf-16"))


def test_positions_of_json() -> None:
    text = '{"a": 1, "b": [{"c": 1},\n {"d": [], "e": {}}],\n "g/h": [[2, 3]]}'
    assert dict(read_document(text, "x.json").positions) == {
        "": (1, 1),
        "/a": (1, 2),
        "/b": (1, 10),
        "/b/0": (1, 16),
        "/b/0/c": (1, 17),
        "/b/1": (2, 2),
        "/b/1/d": (2, 3),
        "/b/1/e": (2, 12),
        "/g~1h": (3, 2),
        "/g~1h/0": (3, 10),
        "/g~1h/0/0": (3, 11),
        "/g~1h/0/1": (3, 14),
    }


def test_a_part_without_a_place_takes_that_of_what_encloses_it() -> None:
    document = read_document('{"a":\n [{"b": 1}]}', "x.json")
    assert document.position("/a/0/missing") == (2, 3)
    assert document.position("/z") == (1, 1)


def test_a_catalog_may_be_larger_and_keeps_its_outer_positions() -> None:
    operations = {f"/p{number}": {"get": {"x": [{"y": "z" * 1000}]}} for number in range(3000)}
    text = json.dumps({"paths": operations})
    document = read_document(text, "x.json", catalog=True)
    assert document.value == {"paths": operations}
    assert document.position("/paths/~1p1/get/x/0/y") == (1, document.positions["/paths/~1p1/get"][1])
    with pytest.raises(DataError, match="more than 1 MiB"):
        read_document(text, "x.json")


def test_a_catalog_of_brackets_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(DataError, match="more than 10,000,000 parts"):
        read_json("[" + "[]," * 6_000_000 + "[]]", catalog=True)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | st.text(),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=5), parts, max_size=4),
    max_leaves=12,
)


@given(_JSON, st.sampled_from([None, 1]))
@settings(max_examples=150, deadline=None)
def test_what_json_writes_is_read_back_with_a_place_for_every_part(value: Any, indent: int | None) -> None:
    document = read_document(json.dumps(value, indent=indent), "x.json")
    assert document.value == value
    assert set(document.positions) == set(_pointers(value))


@given(_JSON)
@settings(max_examples=60, deadline=None)
def test_json_in_ascii_means_the_same_as_yaml(value: Any) -> None:
    text = json.dumps(value, indent=1)
    if "\\u" in text or "\\/" in text:
        # YAML has no surrogate pairs and JSON text is the only writer here.
        return
    read, positions = read_yaml(text)
    assert read == value
    assert set(positions) == set(_pointers(value))


def _pointers(value: Any, here: str = "") -> list[str]:
    found = [here]
    if isinstance(value, list):
        parts: list[tuple[str, Any]] = [(str(index), item) for index, item in enumerate(value)]
    else:
        parts = list(value.items()) if isinstance(value, dict) else []
    for name, part in parts:
        found += _pointers(part, f"{here}/{name.replace('~', '~0').replace('/', '~1')}")
    return found


def test_yaml_1_2_keeps_words_and_times_text() -> None:
    text = (
        "a: no\nb: on\nc: 12:30\nd: 2026-11-30T10:00:00Z\ne: [1, 1.50, 0x1f, 0o17, 1e3, +4, .5, 5.]\n"
        "f: ~\ng:\nh: '1'\ni: True\nj: yes\nk: 1_000\nl: |\n  x\n  y\n\"<<\": 2\nno: 3\n"
    )
    value, positions = read_yaml(text)
    assert value == {
        "a": "no",
        "b": "on",
        "c": "12:30",
        "d": "2026-11-30T10:00:00Z",
        "e": [1, 1.5, 31, 15, 1000, 4, 0.5, 5],
        "f": None,
        "g": None,
        "h": "1",
        "i": True,
        "j": "yes",
        "k": "1_000",
        "l": "x\ny\n",
        "<<": 2,
        "no": 3,
    }
    assert (positions["/e"], positions["/e/2"], positions["/l"]) == ((5, 1), (5, 14), (12, 1))


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: &x 1", 1, 4, "an anchor (`&x`) is not read: write the value out"),
        ("a: 1\nb: *x", 2, 4, "an alias (`*name`) is not read: write the value out"),
        ("<<: {}", 1, 1, "a merge key (`<<`) is not read: write the members out"),
        ("a: !!str x", 1, 4, "a tag (`!…`) is not read: quote what is text"),
        ("a: ! x", 1, 4, "a tag (`!…`) is not read: quote what is text"),
        ("a: 1\nb: 2\na: 3", 3, 1, "duplicate member name `a`"),
        ("a: 1\n'a': 3", 2, 1, "duplicate member name `a`"),
        ("1: x", 1, 1, 'a member name must be text: write `"1"`'),
        ("true: x", 1, 1, 'a member name must be text: write `"true"`'),
        ("[a]: x", 1, 1, "a member name must be text, not a list or mapping"),
        ("? {a: b}\n: c", 1, 3, "a member name must be text, not a list or mapping"),
        ("--- 1\n--- 2", 2, 1, "a second document is not read: one file holds one"),
        ("%YAML 1.1\n--- a", 2, 1, "a directive is not read: the text is YAML 1.2 without tags"),
        ("a: 007", 1, 4, "`007` starts with zeros: write it in quotes or without them"),
        ("a: .inf", 1, 4, "`.inf` is no JSON number; quote what is text"),
        ("a: 0.10000000000000001", 1, 4, f"`0.10000000000000001` {_TOO_FINE}"),
        ("a: 9007199254740993", 1, 4, f"`9007199254740993` {_TOO_LARGE}"),
        ("[" * 10_000, 1, 65, "nested deeper than 64 levels"),
        ("- " * 3_000, 1, 129, "nested deeper than 64 levels"),
        ('a: "\\ud800"', 1, 1, "the value at `/a` has a lone surrogate; send text that UTF-8 can carry"),
        ('"\\U00110000"', None, None, "not YAML: an escape or a directive that means nothing"),
        ("a: b: c", 1, 5, "not YAML: mapping values are not allowed here"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_yaml_that_is_not_strict_data_is_refused(text: str, line: int | None, column: int | None, message: str) -> None:
    with pytest.raises(DataError) as refused:
        read_yaml(text)
    assert (refused.value.message, refused.value.line, refused.value.column) == (message, line, column)


@given(st.text(alphabet="ab:-?[]{},&*!|>'\"%@#\n\t \\0.~<", max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_as_yaml_or_refused(text: str) -> None:
    try:
        value, positions = read_yaml(text)
    except DataError as refused:
        assert refused.message
    else:
        assert set(positions) == set(_pointers(value))


def test_a_large_yaml_text_is_refused() -> None:
    with pytest.raises(DataError, match="more than 4 MiB of YAML; write large files as JSON"):
        read_document(b"a" * (5 << 20), "x.yaml", catalog=True)


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [("x.json", "1", "JSON"), ("x.yaml", "{a: 1}", "YAML"), ("-", '{"a": 1}', "JSON"), ("-", "a: 1", "YAML")],
)
def test_the_form_is_told_by_name_or_first_character(name: str, text: str, form: str) -> None:
    assert read_document(text, name).form == form


def test_files(tmp_path: Path) -> None:
    good = tmp_path / "a.yaml"
    good.write_text("a: no\n", encoding="utf-8")
    assert read_file(good).value == {"a": "no"}
    bad = tmp_path / "b.json"
    bad.write_text("{", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read_file(bad)
    assert str(refused.value) == f"{bad}:1:2: not JSON: expecting property name enclosed in double quotes"


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in [
        (tmp_path, "not a file"),
        (tmp_path / "pipe", "not a file"),
        (tmp_path / "none", "cannot be read: no such file or directory"),
        (Path("a\0b"), "cannot be read: not a path"),
    ]:
        with pytest.raises(DataError) as refused:
            read_file(path)
        assert (refused.value.message, refused.value.name) == (message, str(path))


def test_a_file_over_the_bound_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'"' + b"x" * 20 + b'"')
    with pytest.raises(DataError, match="more than 10 bytes"):
        read_file(path, Limits(data_bytes=10))
