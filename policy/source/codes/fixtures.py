"""Diagnostics: what fixture and request files can get wrong."""

from __future__ import annotations

from policy.source.codes.entry import Code, Format
from policy.source.codes.entry import error as _error

_YAML: Format = "yaml"


def _fixture(code: str, summary: str, failing: str, fixed: str) -> Code:
    return _error(code, summary, failing, fixed, format=_YAML)


CODES: tuple[Code, ...] = (
    _fixture(
        "fixture.unreadable",
        "a fixture file is not there, is no YAML 1.2, or writes a member twice",
        "- name: a small refund\n  name: a large refund\n  expect: allow",
        "- name: a small refund\n  expect: allow",
    ),
    _fixture(
        "fixture.unknown_member",
        "a member that fixtures do not have",
        "- name: a small refund\n  expects: allow",
        "- name: a small refund\n  expect: allow",
    ),
    _fixture(
        "fixture.missing_member",
        "a member that must be there is not",
        "- name: one vote\n  votes: [{at: -10m}]\n  expect: allow",
        "- name: one vote\n  votes: [{by: ines, at: -10m}]\n  expect: allow",
    ),
    _fixture(
        "fixture.invalid",
        "a member of a fixture does not have the form it needs, such as an outcome or a time that is none",
        "- name: a small refund\n  expect: alow",
        "- name: a small refund\n  expect: allow",
    ),
    _fixture("fixture.no_cases", "a fixture file has no case", "cases: []", "cases: [{name: any, expect: deny}]"),
    _fixture(
        "fixture.no_expectation",
        "a case expects nothing, so that it cannot fail",
        "- name: a small refund\n  input: {amount: 5}",
        "- name: a small refund\n  input: {amount: 5}\n  expect: allow",
    ),
    _fixture(
        "fixture.duplicate_case",
        "two cases of a file have one name",
        "- {name: a refund, expect: allow}\n- {name: a refund, expect: deny}",
        "- {name: a small refund, expect: allow}\n- {name: a large refund, expect: deny}",
    ),
    _fixture(
        "fixture.unknown_capability",
        "a case names a capability that its catalog does not have",
        "- name: a refund\n  capability: refund.requst.create\n  expect: allow",
        "- name: a refund\n  capability: refund.request.create\n  expect: allow",
    ),
    _fixture(
        "fixture.unknown_approval",
        "a vote is for, or a case expects, an approval that its policy does not have",
        "- name: a refund\n  votes: [{by: ines, for: two-finanse}]\n  expect: allow",
        "- name: a refund\n  votes: [{by: ines, for: two-finance}]\n  expect: allow",
    ),
)
