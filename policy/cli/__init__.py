"""The command line: `policy COMMAND …` (interfaces.md section 3). Each command is a module of its own."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence
from itertools import takewhile

from policy.cli.commands import COMMANDS, Command
from policy.cli.outcome import FAILURE, OK, USAGE, UsageError

_SUMMARY = "decide whether an agent's action may run, must wait for people, or is refused, and say why"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. `arguments` default to those of the process."""
    from policy.cli.streams import prepare

    if arguments is None:
        _start_fast()
    given = list(sys.argv[1:] if arguments is None else arguments)
    prepare()
    try:
        return _run(given)
    except UsageError as error:
        from policy.cli.streams import complain

        complain(error)
        return USAGE
    except BrokenPipeError:
        # The reader of the output is gone and wants no more of it.
        from policy.cli.streams import abandon

        abandon()
        return FAILURE
    except KeyboardInterrupt:
        return 130


def _start_fast() -> None:
    """For a process that ends with its command: no collection while modules load, no search for pydantic plug-ins."""
    gc.freeze()
    gc.set_threshold(100_000)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _run(given: list[str]) -> int:
    if not given:
        sys.stderr.write(_help())
        return USAGE
    name, *rest = given
    if name in {"-h", "--help", "help"}:
        sys.stdout.write(_help())
        return OK
    if name in {"-V", "--version"}:
        sys.stdout.write(_version())
        return OK
    command = COMMANDS.get(name)
    if command is None:
        from policy.source.suggest import did_you_mean

        raise UsageError(f"there is no command `{name}`", help=did_you_mean(name, COMMANDS) or "see `policy --help`")
    return _command(command, rest)


def _command(command: Command, rest: list[str]) -> int:
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    module = command.module()
    parser = ArgumentParser(
        prog=f"policy {command.name}",
        description=f"{command.summary}.\n\n{command.exits}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.configure(parser)
    _known_options(command, parser.format_usage(), rest)
    try:
        parsed = parser.parse_args(rest)
    except SystemExit as ended:
        # It has printed its help, or what is wrong with the arguments.
        return OK if ended.code in {0, None} else USAGE
    code: int = module.run(parsed)
    return code


def _known_options(command: Command, usage: str, given: Sequence[str]) -> None:
    """Raise UsageError for an option that the command does not have, by the options that its usage names."""
    known = {*re.findall(r"(?<![\w-])--?[a-z][a-z-]*", usage), "--help"}
    for word in takewhile(lambda word: word != "--", given):
        name = word.partition("=")[0]
        if not name.startswith("--") or name in known:
            continue
        from policy.source.suggest import did_you_mean

        help = did_you_mean(name, known) or f"see `policy {command.name} --help`"
        raise UsageError(f"`policy {command.name}` has no option `{name}`", help=help)


def _help() -> str:
    width = max(len(name) for name in COMMANDS)
    lines = [f"policy: {_SUMMARY}", "", "usage: policy COMMAND ...", ""]
    lines += [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS.values()]
    lines += ["", "`policy COMMAND --help` tells more; `policy --version` the version. Exit code 2: wrong usage.", ""]
    return "\n".join(lines)


def _version() -> str:
    from policy.cli.streams import package_version
    from policy.source.version import LANGUAGE_VERSION

    return f"agent-policy {package_version()}, language {LANGUAGE_VERSION}\n"
