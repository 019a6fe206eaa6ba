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

if TYPE_CHECKING:
    from policy.plugins import Authorizer
    from policy.plugins.config import Configuration
    from policy.server.settings import Settings

TOKENS_VARIABLE = "POLICY_TOKENS"
"""The environment variable that holds what a token file would, where there is none."""
_HOST = "127.0.0.1"
_PORT = 8181
_SWITCH_SECONDS = 0.0005


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
    configuration = _configuration(arguments.config)
    settings = _settings(arguments, configuration)
    try:
        authorizer = _authorizer(arguments, inputs, settings, configuration)
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


def _configuration(name: str | None) -> Configuration | None:
    from policy.plugins.config import read_configuration
    from policy.plugins.problems import ConfigurationError

    if name is None:
        return None
    existing([name])
    try:
        return read_configuration(name)
    except ConfigurationError as error:
        raise UsageError(str(error)) from None


def _settings(arguments: Namespace, configuration: Configuration | None) -> Settings:
    from dataclasses import replace

    from policy.model.reader import DataError, read_document
    from policy.server.authentication import read_tokens
    from policy.server.settings import read_settings
    from policy.server.watched import watched_directory, watched_tokens

    place = TOKENS_VARIABLE
    try:
        settings = read_settings({} if configuration is None else configuration.server)
        named = _file(arguments.tokens, "tokens", configuration)
        if named is not None:
            place = named
            settings = replace(settings, tokens=watched_tokens(named))
        elif TOKENS_VARIABLE in os.environ:
            stated = read_document(os.environ[TOKENS_VARIABLE], TOKENS_VARIABLE).value
            settings = replace(settings, tokens=read_tokens(stated, TOKENS_VARIABLE))
        named = _file(arguments.subjects, "subjects", configuration)
        if named is not None:
            place = named
            settings = replace(settings, directory=watched_directory(named))
    except DataError as error:
        raise UsageError(f"`{place}` is not read: {error.message}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    return settings


def _file(stated: str | None, name: str, configuration: Configuration | None) -> str | None:
    """A file of the arguments, else of the table `server`, there relative to the configuration file."""
    if stated is not None or configuration is None or name not in configuration.server:
        return stated
    return str(configuration.path.parent / configuration.server[name])


def _authorizer(
    arguments: Namespace, inputs: Inputs, settings: Settings, configuration: Configuration | None
) -> Authorizer:
    from policy.plugins import Authorizer, ConfigurationError, SqliteApprovalStore
    from policy.plugins.log.decision_log import DecisionLog
    from policy.plugins.reload import DEFAULT_SECONDS, Reload
    from policy.server.watched import WatchedDirectory

    stated: dict[str, Any] = {}
    if arguments.policy is not None:
        stated["policies"] = existing(arguments.policy)
    if arguments.capabilities is not None:
        report(each for each in inputs.catalog(arguments.capabilities).diagnostics if each.is_error)
        stated["catalog"] = arguments.capabilities
    if configuration is None and len(stated) < len(("policies", "catalog")):
        raise UsageError("name `--policy` and `--capabilities`, or a `--config` that does")
    try:
        if arguments.reload is not None:
            stated["reload"] = Reload(seconds=arguments.reload or DEFAULT_SECONDS)
        if arguments.log is not None:
            stated["log"] = DecisionLog(arguments.log, on_failure="deny")
        if arguments.approvals is not None:
            stated["approvals"] = SqliteApprovalStore(arguments.approvals)
            stated["requests_valid_for"] = (
                None if configuration is None else configuration.values.get("approvals", {}).get("requests_valid_for")
            )
        configured = {} if configuration is None else _without(configuration, stated).arguments()
        merged = {**configured, **stated}
        if merged.get("resolver") is None and isinstance(settings.directory, WatchedDirectory):
            merged["resolver"] = settings.directory
        return Authorizer(**merged)
    except ConfigurationError as error:
        raise UsageError(str(error)) from None


def _without(configuration: Configuration, stated: dict[str, Any]) -> Configuration:
    """The configuration without what the arguments say, so that nothing of it is opened in vain."""
    from dataclasses import replace

    gone = {"mcp"} if "catalog" in stated else set()
    gone |= stated.keys() - {"policies"}
    return replace(
        configuration, values={name: part for name, part in configuration.values.items() if name not in gone}
    )


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
        # The thread that reads and writes must not wait a whole turn of each thread that decides.
        sys.setswitchinterval(_SWITCH_SECONDS)
        address = address_of(listening)
        app = create_app(authorizer, settings.at(address))
        server = server_for(app, settings.limits)
        served = serve(server, listening, started=lambda: _told(arguments, settings, address))
    return OK if served else FAILURE


def _told(arguments: Namespace, settings: Settings, address: str) -> None:
    if not settings.tokens.configured:
        say("no tokens: every process of this machine may ask, vote and release; the service is on loopback only")
    if arguments.approvals is None and arguments.config is None:
        say("approvals are not kept; give `--approvals FILE` to keep them")
    say(f"listening on {address}")
    sys.stderr.flush()


def _log_to_stderr() -> None:
    """What fails is told on standard error, one place for the service and its server."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
