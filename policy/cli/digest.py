"""`policy digest`: what an approval of a request is bound to."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from policy.cli import requests
from policy.cli.outcome import FAILURE, OK
from policy.cli.streams import report, say, write


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    requests.configure(parser)


def run(arguments: Namespace) -> int:
    """Write the digest to standard output, or to standard error why there is none."""
    from pydantic import ValidationError

    from policy.contracts.admission import admit
    from policy.decide.digest import request_digest
    from policy.model.action import Action
    from policy.model.admitted import AdmittedCapability
    from policy.model.bounds import pointer_of
    from policy.model.context import Context

    request = requests.read(arguments)
    capability = request.capability
    if not isinstance(capability, AdmittedCapability):
        admission = admit(capability)
        if admission.capability is None:
            report(admission.diagnostics)
            return FAILURE
        capability = admission.capability
    try:
        action, context = Action.model_validate(request.action), Context.model_validate(request.context)
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False, include_context=False):
            message = problem["msg"][:1].lower() + problem["msg"][1:]
            say(f"{error.title.lower()} at `{pointer_of(list(problem['loc']))}`: {message}")
        return FAILURE
    write(request_digest(action, capability, context) + "\n")
    return OK
