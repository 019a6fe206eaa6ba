"""parse(print(t)) = t, and the printer is stable, over generated policies."""

from __future__ import annotations

from hypothesis import given

from policy.source.text import Source
from policy.syntax.parser import parse
from policy.syntax.printer import print_file
from tests.properties.budget import budget
from tests.properties.generators.policies import policies


@budget(60)
@given(policies(claims=True))
def test_printing_and_parsing_are_inverse(text: str) -> None:
    tree, problems = parse(Source("generated.policy", text))
    assert problems == ()
    printed = print_file(tree)
    again, problems = parse(Source("generated.policy", printed))
    assert problems == ()
    assert again == tree
    assert print_file(again) == printed
