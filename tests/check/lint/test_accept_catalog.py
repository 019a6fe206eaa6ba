"""Comments of a policy that accept what was found about a catalog."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policy.check.compile import Compiled, compile_layers
from policy.check.load import LayerSource
from policy.cli import main
from policy.contracts.catalog import read_catalog
from policy.source.text import Source

EFFECT = "aip.effect_without_approval"
ROUTE = 'route "desk" { allow wallet.** }\n'


def capability(name: str, *effects: str) -> dict[str, object]:
    return {
        "id": f"cap:{name}",
        "name": name,
        "kind": "tool",
        "scope": f"wallet.{name}",
        "input_schema": {"type": "object"},
        "risk": "medium",
        "stability": "stable",
        "contract": {
            "side_effects": list(effects),
            "idempotency": {
                "requirement": "required",
                "collision_behavior": "return_original_result",
                "key_scope": "tenant",
            },
            "execution": {
                "supports_sync": True,
                "supports_async": False,
                "supports_streaming": False,
                "supports_cancel": False,
                "supports_retry": False,
                "expected_completion": "sync",
                "retry_safety": "unsafe",
            },
            "data": {"sensitivity": "internal", "contains_pii": False, "redaction_required": False},
        },
    }


CATALOG = [capability("pay", "financial"), capability("wipe", "delete"), capability("read", "read")]


def checked(comment: str, catalog: list[dict[str, object]] | None = CATALOG, text: str = ROUTE) -> Compiled:
    layer = LayerSource(name="policy", files=(Source("policy.policy", f"{comment}\n{text}"),), root=None)
    view = None if catalog is None else read_catalog(catalog, "catalog.json").view
    return compile_layers([layer], catalog=view)


def said(compiled: Compiled) -> list[tuple[str, str]]:
    return [(item.code, item.message) for item in compiled.diagnostics]


def accepted(compiled: Compiled) -> list[tuple[str, str | None]]:
    return [(item.code, item.capability) for item in compiled.accepted]


def test_a_comment_accepts_the_finding_of_the_capability_that_it_names() -> None:
    found = checked(f'# accept {EFFECT} of "cap:pay": small sums, and large ones wait by the policy')
    assert said(found) == []
    assert accepted(found) == [(EFFECT, "cap:pay")]


def test_a_comment_names_several_capabilities() -> None:
    found = checked(f'# accept {EFFECT} of "cap:pay", "cap:wipe": the policy says who approves')
    assert accepted(found) == [(EFFECT, "cap:pay"), (EFFECT, "cap:wipe")]
    assert said(found) == []


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        (f'{EFFECT} of "cap:read": it writes', f"there is no `{EFFECT}` about `cap:read`"),
        (f'{EFFECT} of "cap:pays": misspelt', "the catalog has no capability `cap:pays`"),
        (f'{EFFECT} of "cap:*": all of them', "the catalog has no capability `cap:*`"),
        (
            'mcp.list_incomplete of catalog: "the rest is not ours"',
            "there is no `mcp.list_incomplete` about the catalog",
        ),
    ],
)
def test_what_matches_nothing_is_a_finding_itself(comment: str, message: str) -> None:
    found = checked(f"# accept {comment}")
    assert [code for code, _ in said(found)] == ["accept.unused"]
    assert said(found)[0][1].startswith(f"this comment accepts nothing: {message}")
    assert accepted(found) == []


def test_a_misspelt_capability_is_suggested() -> None:
    assert checked(f'# accept {EFFECT} of "cap:pays": x').diagnostics[0].help == "did you mean `cap:pay`?"


def test_one_comment_accepts_one_finding() -> None:
    twice = checked(f'# accept {EFFECT} of "cap:pay": one\n# accept {EFFECT} of "cap:pay": two')
    assert [code for code, _ in said(twice)] == ["accept.unused"]
    assert accepted(twice) == [(EFFECT, "cap:pay")]


def test_without_a_catalog_nothing_is_known_to_be_unused() -> None:
    assert said(checked(f'# accept {EFFECT} of "cap:pay": small sums', catalog=None)) == []


@pytest.mark.parametrize(
    "comment",
    [
        f"{EFFECT}: of which capability",
        f'{EFFECT} of "cap:pay"',
        f'{EFFECT} of "cap:pay":',
        f"{EFFECT} of cap:pay: not quoted",
        f'{EFFECT} of "": empty',
        'lint.always_true of "cap:pay": about a line',
        "lint.always_true of catalog: about a line",
        'acc.invalid of "cap:pay": an error',
    ],
)
def test_a_comment_in_the_wrong_form_accepts_nothing(comment: str) -> None:
    found = checked(f"# accept {comment}")
    assert [code for code, _ in said(found)] == ["accept.malformed"]
    assert accepted(found) == []


def test_a_comment_behind_a_statement_accepts_nothing() -> None:
    found = checked("", text=f'{ROUTE.strip()}  # accept {EFFECT} of "cap:pay": behind')
    assert [code for code, _ in said(found)] == ["accept.malformed"]


def test_lint_that_speaks_of_a_capability_is_accepted_by_its_name() -> None:
    unscoped = {**capability("pay", "write"), "scope": None}
    text = 'route "desk" { allow capability "cap:pay" }'
    assert [code for code, _ in said(checked("", [unscoped], text))] == ["lint.no_scope"]
    assert said(checked('# accept lint.no_scope of "cap:pay": one tool, by its id', [unscoped], text)) == []


def test_the_command_counts_what_is_accepted_as_no_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalog, policy = tmp_path / "catalog.json", tmp_path / "desk.policy"
    catalog.write_text(json.dumps(CATALOG), encoding="utf-8")
    policy.write_text(f'# accept {EFFECT} of "cap:pay": small sums\n{ROUTE}', encoding="utf-8")
    command = ["check", str(policy), "--capabilities", str(catalog), "--strict"]
    assert main(command) == 1
    shown = capsys.readouterr()
    assert "the effect `financial`" not in shown.err
    assert f'accept it there: `# accept {EFFECT} of "cap:wipe": REASON`' in shown.err
    both = policy.read_text(encoding="utf-8").replace('"cap:pay"', '"cap:pay", "cap:wipe"')
    policy.write_text(both, encoding="utf-8")
    assert main(command) == 0
    # A finding that stays accepted beside an error of the policy, and is not reported as unused there.
    policy.write_text(both + 'deny "x" { when nothing == 1 }\n', encoding="utf-8")
    assert main(command) == 1
    assert "accept" not in capsys.readouterr().err
