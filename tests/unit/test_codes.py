"""The list of codes and its page."""

from __future__ import annotations

import re
from pathlib import Path

from policy.source.codes import CODES
from policy.source.codes.page import page

ROOT = Path(__file__).parents[2]


def test_the_page_of_codes_is_up_to_date() -> None:
    written = (ROOT / "grammar" / "CODES.md").read_text(encoding="utf-8")
    assert written == page(), "run `python -m policy.source.codes > grammar/CODES.md`"


def test_every_code_is_listed_under_its_own_name_in_the_agreed_form() -> None:
    form = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
    assert [code for code, entry in CODES.items() if entry.code != code or form.fullmatch(code) is None] == []


def test_every_code_has_a_summary_in_the_style_of_messages_and_two_different_examples() -> None:
    odd = [
        entry.code
        for entry in CODES.values()
        if not entry.summary
        or "\n" in entry.summary
        or entry.summary.endswith(".")
        or (entry.summary[0].isupper() and not entry.summary[:2].isupper())
        or not entry.failing.strip()
        or not entry.fixed.strip()
        or entry.failing == entry.fixed
    ]
    assert odd == []


def test_only_diagnostics_have_a_severity() -> None:
    assert [
        entry.code for entry in CODES.values() if (entry.severity is not None) != (entry.kind == "diagnostic")
    ] == []


def test_codes_of_votes_are_those_of_the_language_page_in_its_order() -> None:
    votes = [entry.code.removeprefix("approval.") for entry in CODES.values() if entry.kind == "vote"]
    assert " ".join(votes) == (
        "unbound request_changed policy_changed other_requirement authority_unknown authority_unavailable "
        "authority_tenant authority_revoked authority_expired kind not_yet_valid expired usage_unknown used "
        "withdrawn superseded evidence_missing constraint_failed parties_unknown person_unknown self separation "
        "role_conflict not_eligible distinct_unknown"
    )
