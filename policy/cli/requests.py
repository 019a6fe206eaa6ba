"""The arguments and files of commands that take a request: an action, its capability and its context."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from typing import Any

from policy.cli.inputs import Inputs
from policy.cli.outcome import UsageError

_MEMBERS = ("action", "capability", "context")
_CONTEXT = {"requester", "operator", "subject", "route", "now"}
"""Members that only a context has."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was read; nothing is judged yet."""

    action: Any
    capability: Any
    context: Any


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--capability", metavar="FILE[#ID]", help="a capability, or a catalog and an id")
    parser.add_argument("--action", metavar="FILE", help="the action")
    parser.add_argument("--context", metavar="FILE", help="the trusted context")
    parser.add_argument("--request", metavar="FILE", help="one file with `action`, `capability` and `context`")


def read(arguments: Namespace) -> Request:
    """Read the files. Raises UsageError where one is missing or not JSON or YAML."""
    inputs = Inputs()
    given = {name: getattr(arguments, name) for name in _MEMBERS}
    if arguments.request is not None:
        if any(value is not None for value in given.values()):
            raise UsageError("`--request` holds action, capability and context: leave the other options away")
        return _from_one(inputs, arguments.request)
    for name, value in given.items():
        if value is None:
            raise UsageError(f"`--{name}` is missing", help="give --capability, --action and --context, or --request")
    action = inputs.document(given["action"], "action").value
    context = inputs.document(given["context"], "context").value
    if _is_context(action) and _is_action(context):
        message = f"`{given['action']}` holds a context and `{given['context']}` an action"
        raise UsageError(message, help="swap the files of --action and --context")
    return Request(action, inputs.capability(given["capability"], action), context)


def _is_action(value: object) -> bool:
    return isinstance(value, dict) and "capability_id" in value and not _CONTEXT & value.keys()


def _is_context(value: object) -> bool:
    return isinstance(value, dict) and "capability_id" not in value and bool(_CONTEXT & value.keys())


def _from_one(inputs: Inputs, name: str) -> Request:
    value = inputs.document(name, "request", catalog=True).value
    if not isinstance(value, dict):
        raise UsageError(f"`{name}` must hold an object with `action`, `capability` and `context`")
    for member in value:
        if member not in _MEMBERS:
            raise UsageError(f"`{name}` has an unknown member `{member}`", help="it has action, capability and context")
    for member in _MEMBERS:
        if member not in value:
            raise UsageError(f"`{name}` lacks `{member}`")
    return Request(value["action"], value["capability"], value["context"])
