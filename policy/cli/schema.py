"""`policy schema`: the JSON Schema of a model."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from importlib import import_module

from policy.cli.outcome import OK
from policy.cli.streams import write

_MODELS = {
    "action": ("policy.model.action", "Action"),
    "capability": ("policy.model.capability", "Capability"),
    "context": ("policy.model.context", "Context"),
    "decision": ("policy.model.decision", "Decision"),
    "fixtures": ("policy.fixtures.document", "FixtureFile"),
}


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", choices=tuple(_MODELS), help="whose schema")


def run(arguments: Namespace) -> int:
    """Write the schema (Draft 2020-12) to standard output."""
    from policy.model.published import json_schema

    module, name = _MODELS[arguments.model]
    model = getattr(import_module(module), name)
    schema = json_schema(model, "serialization" if arguments.model == "decision" else "validation")
    write(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return OK
