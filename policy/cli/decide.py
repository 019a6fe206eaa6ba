"""`policy decide`: one decision."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from policy.cli import policies, requests
from policy.cli.inputs import existing
from policy.cli.outcome import DENY, FAILURE, OK, REQUIRE_APPROVAL
from policy.cli.streams import output_style, write


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    policies.configure(parser)
    requests.configure(parser)
    parser.add_argument("--explain", action="store_true", help="tell every rule that was looked at, and why")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the decision is written")


def run(arguments: Namespace) -> int:
    """Decide, write the decision to standard output, and give the exit code of its outcome."""
    paths = existing(arguments.policy)
    request = requests.read(arguments)

    engine = policies.load(paths)
    if engine is None:
        return FAILURE
    given = (request.action, request.capability, request.context)
    if arguments.explain:
        from policy.render.explanation import explanation_json, render_explanation

        explanation = engine.explain(*given)
        decision = explanation.decision
        if arguments.format == "json":
            write(json.dumps(explanation_json(explanation), ensure_ascii=False) + "\n")
        else:
            write(render_explanation(explanation, output_style()))
    else:
        from policy.render.decision import decision_json, render_decision

        decision = engine.decide(*given)
        text = (
            decision_json(decision) + "\n" if arguments.format == "json" else render_decision(decision, output_style())
        )
        write(text)
    return {"allow": OK, "require-approval": REQUIRE_APPROVAL, "deny": DENY}[decision.outcome.value]
