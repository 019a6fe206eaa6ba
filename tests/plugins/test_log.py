"""The decision log: one entry a call, a stable schema, and nothing in it that should not be there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from policy.contracts.admission import admit
from policy.plugins import Authorizer, ConfigurationError, DecisionLog, MemoryApprovalStore
from policy.plugins.log.event import line, schema
from policy.plugins.log.redaction import logged_input, read_path
from policy.plugins.log.writer import RotatingFile
from policy.plugins.problems import LogError
from tests.plugins.world import (
    INES,
    POLICY,
    STRICTER,
    Clock,
    Json,
    action,
    approved,
    authorizer,
    catalog,
    context,
    document,
)
from tests.unit.contract_documents import contract

VALIDATOR = Draft202012Validator(schema(), format_checker=Draft202012Validator.FORMAT_CHECKER)
MASKED = (
    POLICY + 'obligation "mask" { for payment.** redact input.card.number, input.payees.iban set ticket = input.ref }'
)


class Lines:
    """A place for lines that keeps them."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        self.lines.append(line)

    def close(self) -> None:
        pass

    def events(self) -> list[Json]:
        """Every entry, each held against the schema."""
        found = [json.loads(each) for each in self.lines]
        for event in found:
            VALIDATOR.validate(event)
        return found

    def data(self) -> list[Json]:
        return [event["data"] for event in self.events()]


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def made(lines: Lines, tmp_path: Path) -> Iterator[Authorizer]:
    with authorizer(
        tmp_path, approvals=MemoryApprovalStore(), log=DecisionLog(lines, on_failure="deny", source="urn:acme:desk")
    ) as one:
        yield one


def test_the_schema_is_one(lines: Lines) -> None:
    Draft202012Validator.check_schema(schema())
    assert not VALIDATOR.is_valid({})
    assert not VALIDATOR.is_valid({"specversion": "1.0"})


def test_an_entry(made: Authorizer, lines: Lines) -> None:
    stated = context(session="s-1", tenant={"id": "acme"})
    waiting = made.authorize(action(), "payment.pay", stated)
    (event,) = lines.events()
    data = event.pop("data")
    assert len(event.pop("id")) == 36
    assert event == {
        "specversion": "1.0",
        "source": "urn:acme:desk",
        "type": "agent-policy.decision.v1",
        "subject": "payment.pay",
        "time": "2026-06-10T12:00:00Z",
        "datacontenttype": "application/json",
        "dataschema": "urn:agent-policy:decision-log:1",
    }
    reasons = {reason["code"]: reason for reason in data.pop("reasons")}
    assert reasons["rule.requires_approval"]["rule"] == "large"
    assert data == {
        "operation": "authorize",
        "call": "a-1",
        "handle": waiting.handle,
        "outcome": "require-approval",
        "action_id": "a-1",
        "capability_id": "payment.pay",
        "scope": "payment.pay",
        "route": "desk",
        "session": "s-1",
        "tenant_id": "acme",
        "parties": {"requester": "rosa", "operator": "agent-7", "subject": "rosa"},
        "delegators": [],
        "reasons_omitted": 0,
        "approvals": [{"id": "two", "state": "pending", "missing": 2, "counted": [], "not_counted": [], "denials": []}],
        "obligations": [],
        "risk": {"declared": "low", "effective": "low", "raised_by": [], "uncertain": False},
        "request_digest": waiting.decision.request_digest,
        "policy_hash": made.engine.policy_hash,
        "policy_version": "1",
        "evaluated_at": "2026-06-10T12:00:00Z",
        "sensitive": False,
    }


def test_a_whole_life_of_an_approval(made: Authorizer, lines: Lines) -> None:
    handle = made.authorize(action(), "payment.pay", context()).handle
    assert handle is not None
    made.vote(
        handle,
        by=INES,
        reason="a secret of ines",
        decision_id="d-1",
        evidence=[{"id": "T", "kind": "ticket", "uri": "u"}],
    )
    made.withdraw(handle, by=INES, decision_id="d-1")
    made.cancel(handle, by={"id": "rosa", "kind": "human"})
    made.release(action(), "payment.pay", context(), handle=handle)
    found = [(each["operation"], each.get("by"), each.get("decision"), each["handle"]) for each in lines.data()]
    assert found == [
        ("authorize", None, None, handle),
        ("vote", "ines", "approved", handle),
        ("withdraw", "ines", "revoked", handle),
        ("cancel", "rosa", None, handle),
        ("release", None, None, None),
    ]
    assert lines.data()[1]["evidence"] == ["ticket"]
    assert b"a secret of ines" not in b"".join(lines.lines)


def test_a_call_is_logged_once_however_often_it_is_asked(made: Authorizer, lines: Lines) -> None:
    for _ in range(3):
        made.authorize(action(), "payment.pay", context())
        made.authorize(action("order.read"), "order.read", context())
        made.authorize(action("order.raed"), "order.raed", context())
    assert len(lines.lines) == 3
    made.authorize(action(name="a-2"), "payment.pay", context())
    made.authorize(action(amount=901), "payment.pay", context())
    assert len(lines.lines) == 5


def test_another_answer_to_the_same_call_is_logged(made: Authorizer, lines: Lines, tmp_path: Path) -> None:
    handle = approved(made, action())
    made.release(action(), "payment.pay", context(), handle=handle)
    made.release(action(), "payment.pay", context(), handle=handle)
    made.release(action(), "payment.pay", context(), handle=handle)
    outcomes = [(each["operation"], each["outcome"]) for each in lines.data() if "outcome" in each]
    assert outcomes == [("authorize", "require-approval"), ("release", "allow"), ("release", "deny")]
    made.authorize(action("order.read"), "order.read", context())
    (tmp_path / "payments.policy").write_text(STRICTER)
    assert made.reload_now()
    made.authorize(action("order.read"), "order.read", context())
    hashes = [each["policy_hash"] for each in lines.data() if each.get("capability_id") == "order.read"]
    assert len(set(hashes)) == 2


def test_a_call_that_cannot_be_read_is_logged(made: Authorizer, lines: Lines) -> None:
    for _ in range(2):
        made.authorize({"id": float("nan")}, "order.read", None)  # type: ignore[arg-type]
    assert [(each["outcome"], each["call"]) for each in lines.data()] == [("deny", "unreadable")] * 2


def given() -> Json:
    return {
        "amount": 900,
        "payment_id": "p-1",
        "ref": "R-77",
        "note": "SECRET-note",
        "card": {"number": "4111-SECRET", "kind": "visa"},
        "payees": [{"name": "Ida", "iban": "DE00-SECRET"}, {"name": "Ole", "iban": "NO11-SECRET"}],
    }


def logged(
    tmp_path: Path, asked: Json, *inputs: str, policy: str = MASKED, capability: Any = None, **options: Any
) -> Json:
    """The data of the one entry that a call leaves."""
    lines = Lines()
    with authorizer(tmp_path, policy, log=DecisionLog(lines, on_failure="deny", inputs=inputs, **options)) as made:
        made.authorize(asked, capability or asked["capability_id"], context())
    (found,) = lines.data()
    return found


def test_nothing_of_the_input_is_logged_by_default(tmp_path: Path) -> None:
    found = logged(tmp_path, {**action(), "input": given()})
    assert "input" not in found
    text = json.dumps(found)
    for secret in ("SECRET", "R-77", "visa", "Ida", "900"):
        assert secret not in text
    assert found["obligations"] == [
        {"rule": "mask", "layer": "payments", "redact": ["input.card.number", "input.payees.iban"], "set": ["ticket"]}
    ]


def test_allowed_values_are_logged_without_what_obligations_redact(tmp_path: Path) -> None:
    paths = ("input.payment_id", "input.card", "input.card.number", "input.payees", "input.absent")
    found = logged(tmp_path, {**action(), "input": given()}, *paths)
    assert found["input"] == {
        "input.payment_id": "p-1",
        "input.card": {"kind": "visa"},
        "input.payees": [{"name": "Ida"}, {"name": "Ole"}],
    }


def test_a_denial_redacts_too(tmp_path: Path) -> None:
    denied = {**action("payment.bulk"), "input": given()}
    found = logged(tmp_path, denied, "input.card")
    assert (found["outcome"], found["input"]) == ("deny", {"input.card": {"kind": "visa"}})
    conditional = MASKED.replace("for payment.** redact", "for payment.** when input.amount > 5000 redact")
    assert logged(tmp_path, denied, "input.card", policy=conditional)["input"] == {"input.card": {"kind": "visa"}}


SENSITIVE = document("payment.pay") | {
    "acc": {"version": 1, "enabled": True, "scope": "payment.pay", "audit": {"sensitive": True}}
}
REDACTED = document("payment.pay") | {
    "contract": contract(data={"sensitivity": "regulated", "contains_pii": True, "redaction_required": True})
}


@pytest.mark.parametrize("capability", [SENSITIVE, REDACTED])
def test_of_a_sensitive_capability_nothing_is_logged_whatever_is_allowed(tmp_path: Path, capability: Json) -> None:
    capability = {name: value for name, value in capability.items() if name != "scope" or "acc" not in capability}
    assert admit(capability).capability is not None
    found = logged(
        tmp_path,
        {**action(), "input": given()},
        "input.payment_id",
        capability=capability,
        policy=POLICY,
        messages=True,
    )
    assert found["sensitive"] is True
    assert "input" not in found
    assert all("message" not in reason for reason in found["reasons"])


def test_of_an_unknown_capability_nothing_is_logged(tmp_path: Path) -> None:
    found = logged(tmp_path, action("payment.unknown"), "input.payment_id")
    assert (found["sensitive"], found.get("input")) == (True, None)


def test_messages_are_logged_where_that_is_asked_for(tmp_path: Path) -> None:
    found = logged(tmp_path, action(), messages=True)
    assert "large payments need two tellers" in [reason["message"] for reason in found["reasons"]]
    assert all("message" not in reason for reason in logged(tmp_path, action())["reasons"])


HOSTILE = 'x"}\n{"specversion":"1.0"\r\u2028\u2029\u0000\x1b[31m\x7f\u202e\x85'


def test_nothing_from_outside_makes_a_line_of_its_own(made: Authorizer, lines: Lines) -> None:
    stated = context(session=HOSTILE, operator={"id": HOSTILE, "kind": "agent", "roles": []}, route=HOSTILE)
    made.authorize(action(name=HOSTILE), "order.read", stated)
    (written,) = lines.lines
    assert written.endswith(b"}\n")
    assert all(0x20 <= byte < 0x7F for byte in written[:-1])
    (found,) = lines.data()
    assert (found["call"], found["session"], found["parties"]["operator"]) == (HOSTILE, HOSTILE, HOSTILE)


def test_a_long_name_from_outside_is_cut(made: Authorizer, lines: Lines) -> None:
    made.authorize(action(name="n" * 100_000), "payment.pay", context(session="s" * 100_000))
    (found,) = lines.data()
    assert (found["call"], found["session"]) == ("n" * 512 + "…", "s" * 512 + "…")
    assert len(lines.lines[0]) < 5_000


def test_a_long_value_is_left_out() -> None:
    value = {"text": "x" * 5_000, "short": "x"}
    assert logged_input(value, ["input.text", "input.short"], []) == {"input.short": "x"}


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("input.a.b_2", ("a", "b_2")),
        ('input["odd \\" key"].x', ('odd " key', "x")),
        ("input.a[0].b", ("a", 0, "b")),
        ("input", ()),
        ("inputs.a", None),
        ("claims.a", None),
        ("input..a", None),
        ("input.a-b", None),
        ("input.a b", None),
        ("", None),
    ],
)
def test_paths_as_policies_write_them(path: str, steps: tuple[str | int, ...] | None) -> None:
    assert read_path(path) == steps


def test_a_redaction_that_cannot_be_read_leaves_out_everything() -> None:
    assert logged_input({"a": 1}, ["input.a"], ["input.a-b"]) == {}
    assert logged_input({"a": 1}, ["input.a"], ["input"]) == {}
    assert logged_input({"a": [1, {"b": 2, "c": 3}]}, ["input.a", "input.a[1].c"], ["input.a[0].b"]) == {
        "input.a": [1, {"c": 3}],
        "input.a[1].c": 3,
    }


def test_files_rotate_by_size_and_count(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    file = RotatingFile(path, max_bytes=30, keep=2)
    for number in range(10):
        file.write(b'{"line": %d}\n' % number)
    assert [each.read_text() for each in (path, tmp_path / "d.jsonl.1", tmp_path / "d.jsonl.2")] == [
        '{"line": 8}\n{"line": 9}\n',
        '{"line": 6}\n{"line": 7}\n',
        '{"line": 4}\n{"line": 5}\n',
    ]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["d.jsonl", "d.jsonl.1", "d.jsonl.2", "d.jsonl.lock"]


def test_a_line_longer_than_a_file_is_written_whole(tmp_path: Path) -> None:
    file = RotatingFile(tmp_path / "d.jsonl", max_bytes=5, keep=1)
    file.write(b"a long line\n")
    file.write(b"another one\n")
    assert (tmp_path / "d.jsonl").read_bytes() == b"another one\n"
    assert (tmp_path / "d.jsonl.1").read_bytes() == b"a long line\n"


def test_only_its_owner_reads_the_log(tmp_path: Path) -> None:
    RotatingFile(tmp_path / "d.jsonl").write(b"x\n")
    assert (tmp_path / "d.jsonl").stat().st_mode & 0o777 == 0o600


def test_an_unfinished_line_of_a_killed_process_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b'{"line": 1}\n{"li')
    RotatingFile(path).write(b'{"line": 2}\n')
    assert path.read_bytes() == b'{"line": 1}\n{"li\n{"line": 2}\n'


def test_a_line_that_was_not_written_whole_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "d.jsonl"
    file = RotatingFile(path)
    file.write(b'{"line": 1}\n')
    real = os.write
    written: list[int] = []

    def half(descriptor: int, data: bytes) -> int:
        if written:
            raise OSError(28, "No space left on device")
        written.append(real(descriptor, bytes(data)[:5]))
        return written[0]

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(LogError, match="no space left on device"):
            file.write(b'{"line": 2}\n')
    file.write(b'{"line": 3}\n')
    assert path.read_bytes() == b'{"line": 1}\n{"line": 3}\n'


def test_threads_and_files_of_one_name_write_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    files = [RotatingFile(path, max_bytes=2_000, keep=100) for _ in range(4)]

    def write(number: int) -> None:
        files[number % 4].write(json.dumps({"line": number, "rest": "x" * (number % 90)}).encode() + b"\n")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(400)))
    written = [json.loads(text) for each in tmp_path.glob("d.jsonl*") for text in each.read_text().splitlines()]
    assert sorted(each["line"] for each in written) == list(range(400))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_failure": "ignore"}, "`on_failure` is `deny` or `continue`"),
        ({"on_failure": "deny", "inputs": ["amount"]}, "`amount` is no path into the input"),
        ({"on_failure": "deny", "inputs": ["input"]}, "`input` is no path into the input"),
        ({"on_failure": "deny", "source": ""}, "`source` is empty"),
        ({"on_failure": "deny", "max_bytes": 0}, "at least one byte"),
        ({"on_failure": "deny", "keep": 0}, "keeps at least one file"),
    ],
)
def test_what_is_amiss_with_a_log_is_told_at_once(tmp_path: Path, options: Json, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        DecisionLog(tmp_path / "d.jsonl", **options)


def test_a_log_that_cannot_be_opened_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file or directory"):
        DecisionLog(tmp_path / "nowhere" / "d.jsonl", on_failure="deny")
    with pytest.raises(TypeError):
        DecisionLog(tmp_path / "d.jsonl")  # type: ignore[call-arg]


def test_a_line_is_ascii() -> None:
    assert line({"a": "\x7f\u2028é\n"}) == b'{"a":"\\u007f\\u2028\\u00e9\\n"}\n'


def test_the_clock_of_the_host_dates_the_entries(tmp_path: Path) -> None:
    lines = Lines()
    clock = Clock()
    with authorizer(tmp_path, log=DecisionLog(lines, on_failure="deny"), clock=clock, catalog=catalog()) as made:
        made.authorize(action("order.read"), "order.read", context(now="2026-06-10T11:00:00Z"))
    (event,) = lines.events()
    assert (event["time"], event["data"]["evaluated_at"]) == ("2026-06-10T12:00:00Z", "2026-06-10T11:00:00Z")
