"""`policy serve` as a process: what it says, how it ends, what it refuses."""

from __future__ import annotations

import json
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from policy.cli import main
from tests.server.process import project, served
from tests.server.world import POLICY, asked

_TOKENS = {
    "tokens": [
        {"name": "runtime", "sha256": sha256(b"secret").hexdigest(), "permissions": ["decide", "read", "approve"]}
    ]
}
_SECRET = {"Authorization": "Bearer secret"}
_SLOW_RESOLVER = """
import time
from pathlib import Path

class Slow:
    def resolve(self, principal_id, tenant_id):
        here = Path(__file__).parent
        (here / "entered").touch()
        deadline = time.monotonic() + 30
        while not (here / "go").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return None

resolver = Slow()
"""


def _client(address: str) -> httpx.Client:
    return httpx.Client(base_url=address, timeout=30, trust_env=False)


def _until(path: Path, process: Any) -> None:
    """Wait until another process has made a file."""
    while not path.exists():
        try:
            process.wait(0.01)
        except Exception as waiting:  # noqa: BLE001 - it runs still, as it should
            assert type(waiting).__name__ == "TimeoutExpired"
        else:
            raise AssertionError("the process ended")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_and_ends_when_told_to(tmp_path: Path, ending: signal.Signals) -> None:
    arguments = [*project(tmp_path, POLICY), "--approvals", str(tmp_path / "a.sqlite"), "--log", str(tmp_path / "log")]
    with served(*arguments) as service:
        with _client(service.address()) as client:
            assert client.post("/v1/decide", json=asked("order.read")).json()["allowed"] is True
            waiting = client.post("/v1/decide", json=asked("refund.create", "c-2", amount=200)).json()
        service.process.send_signal(ending)
        code, told = service.ended()
    assert code == 0
    assert told.splitlines()[0].startswith("no tokens: every process of this machine may ask")
    assert "listening on http://127.0.0.1:" in told
    assert "Traceback" not in told
    entries = [json.loads(line) for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    assert {entry["specversion"] for entry in entries} == {"1.0"}
    with served(*arguments) as service, _client(service.address()) as client:
        assert client.get(f"/v1/approvals/{waiting['handle']}").json()["state"] == "pending"


def test_a_request_in_flight_is_finished_first(tmp_path: Path) -> None:
    arguments = project(tmp_path, POLICY)
    (tmp_path / "slow.py").write_text(_SLOW_RESOLVER, encoding="utf-8")
    (tmp_path / "service.toml").write_text(
        'policies = ["desk.policy"]\ncatalog = "capabilities.json"\nresolver = "slow:resolver"\n'
        '[approvals]\npath = "a.sqlite"\n[server]\npage = false\nlimits = {request_seconds = 30.0}\n',
        encoding="utf-8",
    )
    call = asked("refund.create", amount=200)
    del call["context"]["subject"]["person_id"]
    call["context"] = {**call["context"], "subject": {"id": "rosa", "kind": "human"}}
    environment = {"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"}
    with (
        served("--config", str(tmp_path / "service.toml"), *arguments[-2:], environment=environment) as service,
        ThreadPoolExecutor(1) as pool,
        _client(service.address()) as client,
    ):
        answer = pool.submit(client.post, "/v1/decide", json=call)
        _until(tmp_path / "entered", service.process)
        service.process.send_signal(signal.SIGTERM)
        (tmp_path / "go").touch()
        assert answer.result(30).status_code == 200
        code, told = service.ended()
        assert (code, "Traceback" in told) == (0, False)


@pytest.mark.parametrize("source", ["file", "environment", "configuration"])
def test_tokens_come_from_a_file_or_the_environment(tmp_path: Path, source: str) -> None:
    arguments = project(tmp_path, POLICY)
    environment: dict[str, str] = {}
    (tmp_path / "tokens.json").write_text(json.dumps(_TOKENS), encoding="utf-8")
    match source:
        case "file":
            arguments += ["--tokens", str(tmp_path / "tokens.json")]
        case "environment":
            environment["POLICY_TOKENS"] = json.dumps(_TOKENS)
        case _:
            (tmp_path / "s.toml").write_text(
                'policies = ["desk.policy"]\ncatalog = "capabilities.json"\n'
                '[server]\ntokens = "tokens.json"\nsubjects = "people.json"\npublic_url = "https://pdp.example/"\n'
                '[server.authzen]\nroute = "chat"\n',
                encoding="utf-8",
            )
            arguments = ["--config", str(tmp_path / "s.toml"), "--port", "0"]
    with served(*arguments, "--host", "0.0.0.0", environment=environment) as service:
        address = service.address().replace("0.0.0.0", "127.0.0.1")
        with _client(address) as client:
            assert client.post("/v1/decide", json=asked("order.read")).status_code == 401
            assert client.post("/v1/decide", json=asked("order.read"), headers=_SECRET).json()["allowed"] is True
            found = client.get("/.well-known/authzen-configuration").json()["policy_decision_point"]
        assert (found == "https://pdp.example") is (source == "configuration")
        assert not any("no tokens" in line for line in service.lines)


def test_it_reloads_what_it_decides_by(tmp_path: Path) -> None:
    arguments = [*project(tmp_path, POLICY), "--reload", "0.05"]
    with served(*arguments) as service, _client(service.address()) as client:
        before = client.get("/readyz").json()["policy_hash"]
        changed = POLICY.replace("allow order.read\n", "")
        (tmp_path / "desk.policy").write_text(changed, encoding="utf-8")
        while client.get("/readyz").json()["policy_hash"] == before:
            assert service.process.poll() is None
        assert client.post("/v1/decide", json=asked("order.read")).json()["allowed"] is False
        after = client.get("/readyz").json()["policy_hash"]
        (tmp_path / "desk.policy").write_text("nonsense", encoding="utf-8")
        while client.get("/v1/status").json()["status"]["reload"]["error"] is None:
            assert service.process.poll() is None
        assert client.get("/readyz").json()["policy_hash"] == after
        assert client.post("/v1/decide", json=asked("memo.send", text="a")).json()["allowed"] is True


def _run(*arguments: str) -> int:
    return main(["serve", *arguments])


def test_beyond_loopback_it_wants_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(*project(tmp_path, POLICY), "--host", "0.0.0.0") == 2
    assert "without tokens the service listens on loopback only" in capsys.readouterr().err


def test_a_policy_that_does_not_load_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(*project(tmp_path, POLICY.replace("need role", "nede role"))) == 1
    assert "desk.policy:" in capsys.readouterr().err


def test_a_port_that_is_taken_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert _run(*project(tmp_path, POLICY)[:-2], "--port", port) == 1
    assert f"cannot listen on 127.0.0.1 port {port}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--tokens", "{tmp}/none.json"], "none.json"),
        (["--tokens", "{tmp}/people.json"], "`/tokens`"),
        (["--subjects", "{tmp}/capabilities.json"], "capabilities.json"),
        (["--config", "{tmp}/none.toml"], "is not there"),
        (["--config", "{tmp}/people.json"], "is no TOML"),
        (["--config", "{tmp}/wrong.toml"], "`server/limits/bodybytes`"),
        (["--policy", "{tmp}/none.policy"], "is not there"),
        (["--capabilities", "{tmp}/none.json"], "none.json"),
        (["--approvals", "{tmp}/people.json"], "people.json"),
        (["--log", "{tmp}/none/log"], "none"),
        (["--reload", "-1"], "interval"),
        (["--port", "high"], "invalid int value"),
    ],
)
def test_wrong_usage_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], told: str) -> None:
    arguments = project(tmp_path, POLICY)
    (tmp_path / "wrong.toml").write_text(
        'policies = ["desk.policy"]\n[server.limits]\nbodybytes = 5\n', encoding="utf-8"
    )
    assert _run(*arguments, *(each.replace("{tmp}", str(tmp_path)) for each in given)) == 2
    assert told in capsys.readouterr().err


def test_without_a_policy_or_a_catalog_it_does_not_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = project(tmp_path, POLICY)
    for given in ([], arguments[:2], arguments[2:4]):
        assert _run(*given) == 2
        assert "name `--policy` and `--capabilities`" in capsys.readouterr().err


def test_tokens_that_are_none_are_told_without_their_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ('{"tokens": [{"name": "a", "sha256": "hunter2"}]}', "{hunter2", "", '{"tokens": []}'):
        monkeypatch.setenv("POLICY_TOKENS", value)
        assert _run(*project(tmp_path, POLICY)) == 2
        found = capsys.readouterr().err
        assert "POLICY_TOKENS" in found
        assert "hunter2" not in found
