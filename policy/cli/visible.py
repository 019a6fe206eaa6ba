"""`policy visible`: what an agent may be shown, and why not the rest."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from policy.cli import policies
from policy.cli.inputs import Inputs, existing
from policy.cli.outcome import FAILURE, OK
from policy.cli.streams import output_style, report, write
from policy.render.escape import printable

if TYPE_CHECKING:
    from policy.model.decision import Decision


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    policies.configure(parser)
    parser.add_argument("--capabilities", metavar="FILE", required=True, help="the catalog")
    parser.add_argument("--context", metavar="FILE", required=True, help="the trusted context")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the answer is written")


def run(arguments: Namespace) -> int:
    """Ask of every capability whether it may be shown; errors of the catalog go to standard error."""
    paths = existing(arguments.policy)
    inputs = Inputs()
    catalog = inputs.catalog(arguments.capabilities)
    context = inputs.document(arguments.context, "context").value

    engine = policies.load(paths)
    if engine is None:
        return FAILURE
    report(each for each in catalog.diagnostics if each.is_error)
    answers = {name: engine.exposes(capability, context) for name, capability in catalog.capabilities.items()}
    if arguments.format == "json":
        visible = [name for name, decision in answers.items() if decision.allowed]
        hidden = {name: _reasons(decision) for name, decision in answers.items() if not decision.allowed}
        write(json.dumps({"visible": visible, "hidden": hidden}, ensure_ascii=False) + "\n")
    else:
        write("".join(_line(name, decision) for name, decision in answers.items()))
    return OK


def _reasons(decision: Decision) -> list[dict[str, object]]:
    return [reason.model_dump(mode="json") for reason in decision.reasons if reason.effect == "deny"]


def _line(name: str, decision: Decision) -> str:
    style = output_style()
    if decision.allowed:
        return f"{style.paint('allow', 'shown ')}  {printable(name)}\n"
    denials = [reason for reason in decision.reasons if reason.effect == "deny"]
    why = "".join(f"\n          {printable(reason.message)} ({printable(reason.code)})" for reason in denials)
    return f"{style.paint('deny', 'hidden')}  {printable(name)}{why}\n"
