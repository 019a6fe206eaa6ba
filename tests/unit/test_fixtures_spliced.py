"""A change that is spliced into a policy gives the policy that compiling the whole changed text gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from policy.check.compile import compile_layers
from policy.check.load import LayerSource, read_layer
from policy.fixtures.operators import Change, changes
from policy.fixtures.spliced import can_splice, spliced
from policy.ir import nodes as ir

_PACKS = sorted(path for path in (Path(__file__).parents[2] / "rules").iterdir() if path.is_dir())


def _whole(layer: LayerSource, change: Change) -> ir.PolicySet | None:
    parsed = tuple(
        replace(file, tree=change.applied(file.tree))
        if any(each is change.before for each in file.tree.statements)
        else file
        for file in layer.parsed
    )
    return compile_layers([replace(layer, parsed=parsed)], linted=False).policy


@pytest.mark.parametrize("pack", _PACKS, ids=lambda path: path.name)
def test_it_means_what_the_whole_text_means(pack: Path) -> None:
    layer = read_layer(pack)
    # As in a run of fixtures, the policy and the text that is changed are read apart.
    policy = compile_layers([read_layer(pack)], linted=False).policy
    assert policy is not None
    tried = 0
    for file in layer.parsed:
        for change in changes(file.tree):
            if can_splice(change):
                expected, found = _whole(layer, change), spliced([layer], policy, change)
                assert (expected and expected.hash) == (found and found.hash), change
                tried += 1
    assert tried >= 10
