"""`policy schema`: the JSON Schema of a model."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from importlib import import_module

from policy.cli.outcome import OK, UsageError
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
    parser.add_argument("model", metavar=f"{{{','.join(_MODELS)}}}", help="whose schema")


def run(arguments: Namespace) -> int:
    """Write the schema (Draft 2020-12) to standard output."""
    from policy.model.published import json_schema

    if arguments.model not in _MODELS:
        from policy.source.suggest import did_you_mean

        help = did_you_mean(arguments.model, _MODELS) or f"there are {', '.join(f'`{name}`' for name in _MODELS)}"
        raise UsageError(f"there is no schema `{arguments.model}`", help=help)
    module, name = _MODELS[arguments.model]
    model = getattr(import_module(module), name)
    schema = json_schema(model, "serialization" if arguments.model == "decision" else "validation")
    write(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return OK
