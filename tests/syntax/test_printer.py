"""The canonical layout: what is read back is equal, what is printed again is the same, and no comment is lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from policy.source.limits import DEFAULT_LIMITS
from policy.source.text import Source
from policy.syntax import tree
from policy.syntax.parser import parse
from policy.syntax.printer import print_expression, print_file, print_need, print_path, print_pattern
from policy.syntax.tokens import Trivia, tokenize

HERE = Path(__file__).parent
FILES = sorted((HERE / "valid").glob("*.policy"))
STYLES = ("# {} end\n", "\n# {} own\n", "\n\n# {} apart\n", "\n# {} above\n\n", "# {} end\n# {} own\n")


def read(text: str) -> tree.File:
    """The tree of a text without an error."""
    file, found = parse(Source("x.policy", text))
    assert [(item.location, item.message) for item in found] == []
    return file


def comments(file: tree.File) -> list[str]:
    """The comments, sorted."""
    return sorted(comment.text for comment in file.comments)


def check(text: str) -> str:
    """Print a text, and hold the result to what printing promises."""
    file = read(text)
    printed = print_file(file)
    again = read(printed)
    assert again.statements == file.statements
    assert comments(again) == comments(file)
    assert print_file(again) == printed
    return printed


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_layout_is_the_golden_one(path: Path, golden: Callable[[str, str], None]) -> None:
    golden(f"format/{path.name}", check(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_printed_is_not_wide_where_it_can_break(path: Path) -> None:
    printed = print_file(read(path.read_text(encoding="utf-8")))
    wide = [line for line in printed.split("\n") if len(line) > 120]
    assert wide == []
    assert "\t" not in printed
    assert not any(line.endswith(" ") for line in printed.split("\n"))
    assert printed.endswith("\n")
    assert not printed.endswith("\n\n")


def gaps(text: str) -> list[int]:
    """The places between two tokens where a comment may stand."""
    tokens = list(tokenize(text, DEFAULT_LIMITS, Trivia()))
    return [0, *(after.start for before, after in pairwise(tokens) if before.end < after.start), len(text)]


def sprinkled(text: str, chance: random.Random, share: float) -> tuple[str, int]:
    """The text with comments in a share of its gaps, and how many there are."""
    parts: list[str] = []
    last = count = 0
    for gap in gaps(text):
        if chance.random() < share:
            style = chance.choice(STYLES)
            parts += [text[last:gap], style.format(f"c{count}", f"d{count}")]
            last = gap
            count += style.count("{}")
    return "".join([*parts, text[last:]]), count


@pytest.mark.parametrize("share", [0.03, 0.3, 1.0])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_comments_survive_wherever_they_stand(path: Path, share: float) -> None:
    plain = path.read_text(encoding="utf-8")
    for seed in range(4):
        text, count = sprinkled(plain, random.Random(seed), share)
        file = read(text)
        assert file.statements == read(plain).statements
        assert len(file.comments) == count + len(read(plain).comments)
        check(text)


def test_a_comment_stays_beside_what_it_is_about() -> None:
    text = """# head
deny "x" { # opening
  # selector
  for a.b, # first
    c.d # second
  when input.a # left
    and # middle
    # right
    input.b
  # closing
} # behind
# end
"""
    assert check(text) == (
        """# head
deny "x" {  # opening
  # selector
  for
    a.b,  # first
    c.d  # second
  when input.a  # left
    and  # middle
      # right
      input.b
  # closing
}  # behind
# end
"""
    )


def test_a_comment_moves_with_its_clause() -> None:
    text = 'deny "d" {\n  # second\n  unless b # end\n  # first\n  when a\n}\n'
    assert check(text) == 'deny "d" {\n  # first\n  when a\n  # second\n  unless b  # end\n}\n'


def test_an_accept_comment_stays_on_the_line_before() -> None:
    text = 'route "r" {\n  # accept pattern.everything: the platform team\n  allow **\n}\n'
    assert check(text) == text


def test_empty_lines_between_short_statements_are_the_authors() -> None:
    text = 'define a = b\ndefine c = d\n\n\ndefine e = f\nimport "x"\nimport "y"\n'
    assert check(text) == 'define a = b\ndefine c = d\n\ndefine e = f\n\nimport "x"\nimport "y"\n'


def test_a_file_of_comments_alone_prints_them() -> None:
    source = Source("x.policy", "# one\n\n# two\n")
    file = tree.File(
        span=read("define a = b").span,
        source=source,
        statements=(),
        comments=read("# one\n\n# two\ndefine a = b").comments,
    )
    assert print_file(file) == "# one\n\n# two\n"


def test_windows_line_ends_become_plain_ones() -> None:
    assert check('deny "x" {\r\n  # why\r\n  when a # c\r\n}\r\n') == 'deny "x" {\n  # why\n  when a  # c\n}\n'


def test_parts_print_on_one_line() -> None:
    (approval,) = read(
        'approval "x" { need 2 approvals from { role "finance.approver" role "finance.manager" '
        'group "treasury" where approver.attributes.limit >= input.amount } }'
    ).statements
    assert isinstance(approval, tree.Approval)
    assert print_need(approval.need) == (
        '2 approvals from { role "finance.approver" role "finance.manager" '
        'group "treasury" where approver.attributes.limit >= input.amount }'
    )
    (rule,) = read('deny "x" { for scopes "s", a.**, capability "c*" when a.b[c.d].e == 1 }').statements
    assert isinstance(rule, tree.Deny)
    assert rule.selector.patterns is not None
    assert [print_pattern(item) for item in rule.selector.patterns] == ['scopes "s"', "a.**", 'capability "c*"']
    assert isinstance(rule.selector.when, tree.Compare)
    assert isinstance(rule.selector.when.left, tree.Path)
    assert print_path(rule.selector.when.left) == "a.b[c.d].e"
    assert print_expression(rule.selector.when) == "a.b[c.d].e == 1"


def test_a_long_chain_prints_without_recursion() -> None:
    text = "define x = " + " and ".join(f"input.a{number} == {number}" for number in range(5_000)) + "\n"
    assert check(text).count("\n") == 5_000
