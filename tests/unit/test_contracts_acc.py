"""ACC declarations: what is valid, and which conditions may rest on which input."""

from __future__ import annotations

from typing import Any

import pytest

from policy.contracts.acc import parse_declaration
from policy.contracts.admission import admit
from tests.unit.contract_documents import Document, admitted, declared, findings, only

_MINIMAL: Document = {"version": 1, "enabled": True, "scope": "order.read"}


def _object(**properties: object) -> Document:
    return {"type": "object", "properties": properties}


def _when(param: str, op: str, *value: object) -> dict[str, Any]:
    item: dict[str, Any] = {"param": param, "op": op}
    return {"approval": {"when": [{**item, "value": value[0]} if value else item]}}


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"risk": {}},
        {"risk": {"level": "high"}, "subject": {"required": True}, "audit": {"sensitive": True}},
        {"approval": {}},
        {"approval": {"required": True, "prompt": "p" * 500, "when": []}},
        {"execution": {"readonly": True, "idempotent": False, "timeout_ms": 600000}},
        {"execution": {"rate_limit": {"count": 1, "window": "10m"}}},
        {"guidance": {"when_to_use": "always", "examples": [1, None]}},
        {
            "x_future": None,
            "risk": {"level": "low", "x": 1},
            "execution": {"rate_limit": {"count": 1, "window": "1d", "z": []}},
        },
        {"scope": "A"},
        {"scope": "a.b:c_d-e" + "x" * 151},
        {"enabled": False},
    ],
)
def test_a_valid_declaration_is_read(members: Document) -> None:
    parsed = parse_declaration({**_MINIMAL, **members})
    assert parsed.diagnostics == ()
    assert parsed.declaration is not None and parsed.supported


_INVALID: list[tuple[object, str, str]] = [
    (None, "", "the declaration must be an object"),
    ([], "", "the declaration must be an object"),
    ({"enabled": True, "scope": "a"}, "/version", "`version` is missing; write the integer 1"),
    ({**_MINIMAL, "version": "1"}, "/version", '`version` is `"1"`; write the integer 1'),
    ({**_MINIMAL, "version": 1.0}, "/version", "`version` is `1.0`; write the integer 1"),
    ({**_MINIMAL, "version": True}, "/version", "`version` is `true`; write the integer 1"),
    ({**_MINIMAL, "version": None}, "/version", "`version` is `null`; write the integer 1"),
    ({"version": 1, "scope": "a"}, "/enabled", "`enabled` is missing; add it"),
    ({**_MINIMAL, "enabled": "true"}, "/enabled", "`enabled` must be `true` or `false`"),
    ({**_MINIMAL, "enabled": 1}, "/enabled", "`enabled` must be `true` or `false`"),
    ({"version": 1, "enabled": True}, "/scope", "`scope` is missing; add it"),
    ({**_MINIMAL, "scope": 5}, "/scope", "`scope` must be text"),
    (
        {**_MINIMAL, "risk": {"level": "critical"}},
        "/risk/level",
        "`level` is `critical`; use one of `low`, `medium`, `high`",
    ),
    ({**_MINIMAL, "risk": {"level": "HIGH"}}, "/risk/level", "`level` is `HIGH`; use one of `low`, `medium`, `high`"),
    ({**_MINIMAL, "risk": "high"}, "/risk", "`risk` must be an object"),
    ({**_MINIMAL, "risk": None}, "", "the document: `risk` is null; give it a value or leave it out"),
    ({**_MINIMAL, "risk": {"level": None}}, "/risk", "`risk`: `level` is null; give it a value or leave it out"),
    ({**_MINIMAL, "subject": {"required": "yes"}}, "/subject/required", "`required` must be `true` or `false`"),
    ({**_MINIMAL, "approval": {"required": 1}}, "/approval/required", "`required` must be `true` or `false`"),
    (
        {**_MINIMAL, "approval": {"prompt": "p" * 501}},
        "/approval/prompt",
        "`prompt` is longer than 500 characters; shorten it",
    ),
    ({**_MINIMAL, "approval": {"when": {}}}, "/approval/when", "`when` must be a list"),
    ({**_MINIMAL, "approval": {"when": [{"op": "exists"}]}}, "/approval/when/0/param", "`param` is missing; add it"),
    (
        {**_MINIMAL, "approval": {"when": [{"param": "", "op": "exists"}]}},
        "/approval/when/0/param",
        "`param` is empty; give it a value",
    ),
    (
        {**_MINIMAL, "approval": {"when": [{"param": "a", "op": "="}]}},
        "/approval/when/0/op",
        "`op` is `=`; use one of `>`, `>=`, `<`, `<=`, `==`, `!=`, `in`, `contains`, `exists`",
    ),
    (
        {**_MINIMAL, "approval": {"when": [{"param": "a", "op": "=="}]}},
        "/approval/when/0",
        "item 0 of `when`: `==` needs a `value` to compare with",
    ),
    (
        {**_MINIMAL, "approval": {"when": [{"param": "a", "op": "exists", "label": "l" * 301}]}},
        "/approval/when/0/label",
        "`label` is longer than 300 characters; shorten it",
    ),
    ({**_MINIMAL, "audit": {"sensitive": 0}}, "/audit/sensitive", "`sensitive` must be `true` or `false`"),
    ({**_MINIMAL, "execution": {"timeout_ms": 0}}, "/execution/timeout_ms", "`timeout_ms` must be at least 1"),
    ({**_MINIMAL, "execution": {"timeout_ms": 600001}}, "/execution/timeout_ms", "`timeout_ms` must be at most 600000"),
    (
        {**_MINIMAL, "execution": {"rate_limit": {"window": "1m"}}},
        "/execution/rate_limit/count",
        "`count` is missing; add it",
    ),
    (
        {**_MINIMAL, "execution": {"rate_limit": {"count": 0, "window": "1m"}}},
        "/execution/rate_limit/count",
        "`count` must be at least 1",
    ),
    ({**_MINIMAL, "guidance": "use it"}, "/guidance", "`guidance` must be an object"),
]


@pytest.mark.parametrize(("declaration", "pointer", "message"), _INVALID)
def test_an_invalid_declaration_is_refused_where_it_is_wrong(declaration: object, pointer: str, message: str) -> None:
    parsed = parse_declaration(declaration)
    assert parsed.declaration is None
    assert [(found.code, found.pointer, found.message) for found in parsed.diagnostics] == [
        ("acc.invalid_declaration", pointer, message)
    ]


@pytest.mark.parametrize(
    "scope",
    ["", "a" * 161, ".a", "-a", "a b", "a/b", "a\n", "a\r\n", "lеdger.purge", "ｌedger.read", "ledger.read\u200b"],
)
def test_a_scope_is_matched_whole_and_never_repaired(scope: str) -> None:
    parsed = parse_declaration({**_MINIMAL, "scope": scope})
    assert parsed.declaration is None
    assert [found.pointer for found in parsed.diagnostics] == ["/scope"]


@pytest.mark.parametrize("window", ["1", "m", "0m", "01m", "1w", "1m\n", "-1m", "1 m", "١m"])
def test_a_window_is_matched_whole(window: str) -> None:
    parsed = parse_declaration({**_MINIMAL, "execution": {"rate_limit": {"count": 1, "window": window}}})
    assert [found.pointer for found in parsed.diagnostics] == ["/execution/rate_limit/window"]


@pytest.mark.parametrize("version", [0, 2, -1, 10])
def test_another_integer_version_is_unsupported_and_nothing_else_of_it_is_read(version: int) -> None:
    admission = admit(declared(version=version, enabled="no", approval=[], scope="a.b"))
    assert findings(admission) == [("acc.unsupported_version", "/acc/version")]
    assert admission.capability is not None
    assert not admission.capability.supported_version
    assert admission.capability.declared_risk.value == "high"


def test_an_unsupported_version_without_a_scope_gives_no_capability() -> None:
    document = declared(version=2)
    del document["acc"]["scope"]
    admission = admit(document)
    assert findings(admission) == [("acc.unsupported_version", "/acc/version")]
    assert admission.capability is None


def test_a_version_is_judged_as_it_was_written() -> None:
    admission = admit(declared(version=1.0))
    assert findings(admission) == [("acc.invalid_declaration", "/acc/version")]
    assert admission.capability is None


@pytest.mark.parametrize(
    ("members", "pointer", "meant"),
    [
        ({"aproval": {}}, "/acc/aproval", "approval"),
        ({"Risk": {}}, "/acc/Risk", "risk"),
        ({"risk": {"lvel": "high"}}, "/acc/risk/lvel", "level"),
        ({"approval": {"requird": True}}, "/acc/approval/requird", "required"),
        ({"execution": {"read_only": True}}, "/acc/execution/read_only", "readonly"),
        ({"execution": {"rate_limit": {"count": 1, "window": "1m", "windw": "1h"}}}, None, None),
        ({"x_future_hint": True, "guidance": {"when": 1}}, None, None),
    ],
)
def test_a_slip_in_an_ignored_member_is_a_warning(members: Document, pointer: str | None, meant: str | None) -> None:
    admission = admit(declared(**members))
    assert admission.capability is not None
    if pointer is None:
        assert admission.diagnostics == ()
    else:
        found = only(admission)
        assert (found.code, found.pointer, found.help) == ("acc.member_unknown", pointer, f"did you mean `{meant}`?")


_NUMBER = {"type": "number"}
_STRING = {"type": "string"}
_ITEMS = {"type": "array", "items": _object(price=_NUMBER, tags={"type": "array", "items": _STRING})}


@pytest.mark.parametrize(
    ("schema", "param", "op", "value", "steps"),
    [
        (_object(amount=_NUMBER), "amount", ">", 1000, ("amount",)),
        (_object(amount={"type": "integer"}), "amount", "<=", 0.5, ("amount",)),
        (_object(amount={"enum": [1, 2.5]}), "amount", ">", 1, ("amount",)),
        (_object(amount={"const": 5}), "amount", "<", 1, ("amount",)),
        (_object(order=_object(amount=_NUMBER)), "order.amount", ">", 1, ("order", "amount")),
        (_object(items=_ITEMS), "items.price", ">", 1, ("items", "price")),
        (_object(items=_ITEMS), "items.tags", "contains", "x", ("items", "tags")),
        (_object(grid={"type": "array", "items": _ITEMS}), "grid.price", ">", 1, ("grid", "price")),
        (
            _object(pair={"type": "array", "prefixItems": [_object(a=_NUMBER)], "items": False}),
            "pair.a",
            ">",
            1,
            ("pair", "a"),
        ),
        (_ITEMS, "price", ">", 1, ("price",)),
        (_object(**{"a.b": _NUMBER}), "a.b", ">", 1, ("a.b",)),
        (_object(**{"a.b": _object(c=_NUMBER)}), "a.b.c", ">", 1, ("a.b", "c")),
        ({"$defs": {"A": _NUMBER}, **_object(a={"$ref": "#/$defs/A"})}, "a", ">", 1, ("a",)),
        ({"$defs": {"x": {"$anchor": "A", **_NUMBER}}, **_object(a={"$ref": "#A"})}, "a", ">", 1, ("a",)),
        (
            {"$defs": {"T": _object(v=_NUMBER, next={"$ref": "#/$defs/T"})}, "$ref": "#/$defs/T"},
            "next.next.v",
            ">",
            1,
            ("next", "next", "v"),
        ),
        ({"allOf": [_object(a=_NUMBER), {"type": "object"}]}, "a", ">", 1, ("a",)),
        ({"oneOf": [_object(a=_NUMBER), {**_object(b=_STRING), "additionalProperties": False}]}, "a", ">", 1, ("a",)),
        ({"anyOf": [_object(a=_NUMBER), _object(a={"type": "integer"})]}, "a", ">", 1, ("a",)),
        ({"properties": {"a": _NUMBER}}, "a", ">", 1, ("a",)),
        (_object(note=_STRING), "note", "contains", "x", ("note",)),
        (_object(tags={"type": "array"}), "tags", "contains", 5, ("tags",)),
        (_object(kind=_STRING), "kind", "in", ["a", "b"], ("kind",)),
        (_object(any={}), "any", "==", None, ("any",)),
        (_object(any={}), "any", "!=", {"deep": [1]}, ("any",)),
    ],
)
def test_a_condition_is_bound_to_the_input_it_names(
    schema: Document, param: str, op: str, value: object, steps: tuple[str, ...]
) -> None:
    document = declared(schema, **_when(param, op, value))
    assert admit(document).diagnostics == ()
    condition = admitted(document).acc_conditions[0]
    assert (condition.steps, condition.operator, condition.value, condition.label) == (steps, op, value, None)


def test_exists_needs_no_value_and_labels_are_kept() -> None:
    when = [{"param": "a", "op": "exists", "label": "a is given"}]
    condition = admitted(declared(_object(a={}), approval={"when": when})).acc_conditions[0]
    assert (condition.operator, condition.value, condition.label) == ("exists", None, "a is given")


@pytest.mark.parametrize(
    ("schema", "param", "op", "value", "code"),
    [
        (_object(amount=_NUMBER), "amuont", ">", 1, "acc.parameter_unknown"),
        (True, "amount", "==", 1, "acc.parameter_unknown"),
        ({}, "amount", "==", 1, "acc.parameter_unknown"),
        (_object(amount=_NUMBER), "amount.", ">", 1, "acc.parameter_unknown"),
        (_object(amount=_NUMBER), ".amount", ">", 1, "acc.parameter_unknown"),
        (_object(amount=_NUMBER), "amount.net", ">", 1, "acc.parameter_unknown"),
        (_object(items=_ITEMS), "items.0.price", ">", 1, "acc.parameter_unknown"),
        ({"allOf": [_object(a=_NUMBER), _object(a=_STRING)]}, "a", "==", 1, "acc.parameter_unknown"),
        ({**_object(), "additionalProperties": _NUMBER}, "amount", ">", 1, "acc.parameter_unknown"),
        (_object(a=_object(b=_NUMBER), **{"a.b": _NUMBER}), "a.b", ">", 1, "acc.parameter_ambiguous"),
        (
            {"anyOf": [_object(a=_object(b=_NUMBER)), _object(**{"a.b": _NUMBER})]},
            "a.b",
            ">",
            1,
            "acc.parameter_ambiguous",
        ),
        (_object(a=_STRING), "a", ">", 1, "acc.parameter_type"),
        (_object(a={}), "a", ">", 1, "acc.parameter_type"),
        (_object(a=True), "a", ">", 1, "acc.parameter_type"),
        (_object(a={"type": ["number", "null"]}), "a", ">", 1, "acc.parameter_type"),
        (_object(a={"enum": [1, True]}), "a", ">", 1, "acc.parameter_type"),
        (_object(a={"type": "array", "items": _NUMBER}), "a", ">", 1, "acc.parameter_type"),
        ({"anyOf": [_object(a=_NUMBER), _object(b=_NUMBER)]}, "a", ">", 1, "acc.parameter_type"),
        ({"oneOf": [_object(a=_NUMBER), _object(a=_STRING)]}, "a", ">", 1, "acc.parameter_type"),
        ({"if": {}, "then": _object(a=_NUMBER)}, "a", ">", 1, "acc.parameter_type"),
        (_object(items={"type": "array", "items": {}}, a=_NUMBER), "items", "<", 1, "acc.parameter_type"),
        (_object(a=_NUMBER), "a", "contains", "1", "acc.parameter_type"),
        (_object(a=_object()), "a", "contains", "x", "acc.parameter_type"),
        (_object(a=_NUMBER), "a", ">", "1", "acc.value_type"),
        (_object(a=_NUMBER), "a", ">", True, "acc.value_type"),
        (_object(a=_NUMBER), "a", ">", None, "acc.value_type"),
        (_object(a=_STRING), "a", "contains", 1, "acc.value_type"),
        (_object(a={"type": ["string", "array"]}), "a", "contains", 1, "acc.value_type"),
        (_object(a=_STRING), "a", "in", "abc", "acc.value_type"),
        (_object(a=_STRING), "a", "in", None, "acc.value_type"),
    ],
)
def test_a_condition_that_cannot_be_judged_refuses_the_declaration(
    schema: object, param: str, op: str, value: object, code: str
) -> None:
    admission = admit(declared(schema, **_when(param, op, value)))
    assert [finding.code for finding in admission.diagnostics] == [code]
    assert admission.capability is None


def test_an_unknown_parameter_is_told_with_the_input_that_was_meant() -> None:
    found = only(admit(declared(_object(amount=_NUMBER), **_when("amuont", ">", 1000))))
    assert found.pointer == "/acc/approval/when/0/param"
    assert found.message == "`amuont` is not a declared input; name one of the input schema"
    assert found.help == "did you mean `amount`?"


def test_every_condition_is_judged() -> None:
    when = [{"param": "a", "op": ">", "value": "1"}, {"param": "b", "op": ">", "value": 1}]
    admission = admit(declared(_object(a=_NUMBER), approval={"when": when}))
    assert [finding.pointer for finding in admission.diagnostics] == [
        "/acc/approval/when/0/value",
        "/acc/approval/when/1/param",
    ]


@pytest.mark.parametrize(
    ("op", "value", "doubtful"),
    [
        ("==", "1000", True),
        ("==", 1000, False),
        ("in", ["1"], True),
        ("in", [], True),
        ("in", ["1", 1], False),
        ("!=", "1", False),
    ],
)
def test_a_condition_that_never_holds_is_a_warning(op: str, value: object, doubtful: bool) -> None:
    admission = admit(declared(_object(amount=_NUMBER), **_when("amount", op, value)))
    assert admission.capability is not None
    assert [found.code for found in admission.diagnostics] == (["acc.condition_never_matches"] if doubtful else [])


def test_hostile_schemas_and_paths_end_quickly() -> None:
    chain: dict[str, Any] = {f"s{n}": {"$ref": f"#/$defs/s{n + 1}"} for n in range(3000)}
    chain["s3000"] = _object(a=_NUMBER)
    twice: dict[str, Any] = {f"t{n}": {"anyOf": [{"$ref": f"#/$defs/t{n + 1}"}] * 2} for n in range(40)}
    twice["t40"] = _object(a=_NUMBER)
    names = {".".join(["a"] * length): {"$ref": "#"} for length in range(1, 20)}
    for schema, param, code in (
        ({"$defs": chain, "$ref": "#/$defs/s0"}, "a", "acc.parameter_type"),
        ({"$defs": twice, "$ref": "#/$defs/t0"}, "b", "acc.parameter_unknown"),
        ({"type": "object", "properties": names}, ".".join(["a"] * 60), "acc.parameter_ambiguous"),
        ({"type": "object", "properties": names}, ".".join(["a"] * 40 + ["b"]), "acc.parameter_unknown"),
        (_object(a=_NUMBER), ".".join(["a"] * 100_000), "acc.parameter_unknown"),
    ):
        admission = admit(declared(schema, **_when(param, ">", 1)))
        assert [found.code for found in admission.diagnostics] == [code]
