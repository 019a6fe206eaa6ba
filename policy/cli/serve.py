"""`policy serve`: the decision service."""

from __future__ import annotations

import logging
import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from policy.cli.inputs import Inputs, existing
from policy.cli.outcome import FAILURE, OK, UsageError
from policy.cli.streams import report, say
from policy.source.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from policy.contracts.catalog import LoadedCatalog
    from policy.plugins import Authorizer
    from policy.server.settings import Settings

TOKENS_VARIABLE = "POLICY_TOKENS"
"""The environment variable that holds what a token file would, where there is none."""
_HOST = "127.0.0.1"
_PORT = 8181


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--policy",
        metavar="PATH",
        nargs="+",
        action="extend",
        help="files or folders of .policy files; several are layers, first the outermost",
    )
    parser.add_argument("--capabilities", metavar="FILE", help="the catalog; callers name capabilities of it by id")
    parser.add_argument("--host", default=_HOST, help=f"the address to listen on (default {_HOST})")
    parser.add_argument("--port", type=int, default=_PORT, help=f"the port, 0 for a free one (default {_PORT})")
    parser.add_argument(
        "--reload", metavar="SECONDS", nargs="?", type=float, const=0.0, help="look at the files now and then"
    )
    parser.add_argument("--approvals", metavar="FILE", help="keep approvals in this SQLite file; made if not there")
    parser.add_argument("--tokens", metavar="FILE", help=f"who may call (else {TOKENS_VARIABLE}, else loopback alone)")
    parser.add_argument("--subjects", metavar="FILE", help="stored attributes of subjects, and who may approve")
    parser.add_argument("--config", metavar="TOML", help="authorizer and `server` settings; arguments come first")
    parser.add_argument("--log", metavar="FILE", help="write the decision log here; what cannot be logged is denied")


def run(arguments: Namespace) -> int:
    """Serve until SIGINT or SIGTERM; requests in flight are finished, then store and log are closed."""
    from policy.engine import PolicyError

    _needs_extra()
    inputs = Inputs()
    table = _table(arguments.config)
    settings = _settings(arguments, inputs, table)
    try:
        authorizer = _authorizer(arguments, inputs, settings, table)
    except PolicyError as error:
        report(error.diagnostics)
        return FAILURE
    try:
        return _serve(arguments, authorizer, settings)
    finally:
        authorizer.close()


def _needs_extra() -> None:
    from importlib.util import find_spec

    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UsageError("the service needs the extra `serve`", help="pip install 'agent-policy[serve]'")


def _table(name: str | None) -> dict[str, Any]:
    """The configuration file; empty without one."""
    import tomllib

    if name is None:
        return {}
    (name,) = existing([name])
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - as written on the command line
            return tomllib.loads(file.read(DEFAULT_LIMITS.data_bytes + 1).decode("utf-8"))
    except OSError as error:
        raise UsageError(f"`{name}` cannot be read: {(error.strerror or 'unknown').lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"`{name}` is not TOML: {error}") from None


def _settings(arguments: Namespace, inputs: Inputs, table: dict[str, Any]) -> Settings:
    from dataclasses import replace

    from policy.model.reader import DataError, read_document
    from policy.server.authentication import Tokens, read_tokens
    from policy.server.directory import read_directory
    from policy.server.settings import read_settings

    tokens = Tokens()
    try:
        settings = read_settings(table.pop("server", {}))
        if arguments.tokens is not None:
            tokens = read_tokens(inputs.document(arguments.tokens, "tokens").value, arguments.tokens)
        elif TOKENS_VARIABLE in os.environ:
            tokens = read_tokens(read_document(os.environ[TOKENS_VARIABLE], TOKENS_VARIABLE).value, TOKENS_VARIABLE)
        if arguments.subjects is not None:
            document = inputs.document(arguments.subjects, "subjects")
            settings = replace(settings, directory=read_directory(document.value, arguments.subjects))
    except DataError as error:
        raise UsageError(f"`{TOKENS_VARIABLE}` is not read: {error.message}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    return replace(settings, tokens=tokens)


def _authorizer(arguments: Namespace, inputs: Inputs, settings: Settings, table: dict[str, Any]) -> Authorizer:
    from policy.plugins import Authorizer, ConfigurationError, SqliteApprovalStore
    from policy.plugins.log.decision_log import DecisionLog
    from policy.plugins.reload import DEFAULT_SECONDS, Reload

    if arguments.policy is None or arguments.capabilities is None:
        raise UsageError("name `--policy` and `--capabilities`")
    catalog: LoadedCatalog = inputs.catalog(arguments.capabilities)
    report(each for each in catalog.diagnostics if each.is_error)
    given: dict[str, Any] = {
        "policies": existing(arguments.policy),
        "catalog": arguments.capabilities,
        "resolver": settings.directory if settings.directory.entries else None,
    }
    try:
        if arguments.reload is not None:
            given["reload"] = Reload(seconds=arguments.reload or DEFAULT_SECONDS)
        if arguments.approvals is not None:
            given["approvals"] = SqliteApprovalStore(arguments.approvals)
        if arguments.log is not None:
            given["log"] = DecisionLog(arguments.log, on_failure="deny")
        return Authorizer(**given)
    except ConfigurationError as error:
        raise UsageError(str(error)) from None


def _serve(arguments: Namespace, authorizer: Authorizer, settings: Settings) -> int:
    from policy.server.app import create_app
    from policy.server.run import address_of, bind, on_loopback, serve, server_for

    try:
        listening = bind(arguments.host, arguments.port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        say(f"cannot listen on {arguments.host} port {arguments.port}: {reason.lower()}")
        return FAILURE
    with listening:
        if not settings.tokens.configured and not on_loopback(listening):
            raise UsageError(
                "without tokens the service listens on loopback only",
                help=f"give `--tokens FILE` or {TOKENS_VARIABLE}, or leave `--host` away",
            )
        _log_to_stderr()
        address = address_of(listening)
        app = create_app(authorizer, settings.at(address))
        server = server_for(app, settings.limits)
        served = serve(server, listening, started=lambda: _told(arguments, settings, address))
    return OK if served else FAILURE


def _told(arguments: Namespace, settings: Settings, address: str) -> None:
    if not settings.tokens.configured:
        say("no tokens: every process of this machine may ask, vote and release; the service is on loopback only")
    if arguments.approvals is None:
        say("approvals are not kept; give `--approvals FILE` to keep them")
    say(f"listening on {address}")
    sys.stderr.flush()


def _log_to_stderr() -> None:
    """What fails is told on standard error, one place for the service and its server."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
