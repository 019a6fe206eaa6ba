"""Nothing but a closed list of nodes, names and methods is ever compiled, whatever an emitter would write."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from policy import Engine
from policy.backend.emit import make
from policy.backend.emit.code import Code
from policy.backend.emit.support import HELPERS
from policy.backend.emit.verifier import UnverifiedError, verify
from tests.unit.test_short_way import ACTION, CONTEXT, DOCUMENT

Golden = Callable[[str, str], None]


def module(text: str) -> ast.Module:
    """A module from Python text, in which `v_` stands for the `@` that no Python source can spell."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for field in ("id", "arg", "name"):
            name = getattr(node, field, None)
            if isinstance(name, str) and name.startswith("v_"):
                setattr(node, field, "@" + name[2:])
    return tree


def function(*lines: str) -> ast.Module:
    return module("def v_rule(v_facts):\n" + "\n".join(f"    {line}" for line in lines))


ACCEPTED = (
    "return True",
    "v_a = v_facts['input']\n    return v_a",
    "v_a = v_type(v_facts) is v_dict\n    return not v_a",
    "v_a = v_facts.get('x')\n    return v_a",
    "for v_a in v_facts:\n        if v_a == 'x':\n            break\n    return 1 * 2",
)


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_generated_code_consists_of_passes(text: str) -> None:
    verify(function(text), HELPERS)


REFUSED = {
    "Import": "import os",
    "ImportFrom": "from os import path",
    "Lambda": "return lambda: 1",
    "ListComp": "return [v_a for v_a in v_facts]",
    "GeneratorExp": "return (v_a for v_a in v_facts)",
    "DictComp": "return {v_a: 1 for v_a in v_facts}",
    "SetComp": "return {v_a for v_a in v_facts}",
    "JoinedStr": "return f'{v_facts}'",
    "NamedExpr": "return (v_a := 1)",
    "Await": "return await v_facts",
    "Yield": "yield v_facts",
    "YieldFrom": "yield from v_facts",
    "Starred": "return v_type(*v_facts)",
    "While": "while True:\n        break",
    "With": "with v_facts:\n        return 1",
    "Try": "try:\n        return 1\n    except:\n        return 2",
    "Raise": "raise v_facts",
    "Assert": "assert v_facts",
    "Delete": "del v_facts['x']",
    "Global": "global v_a",
    "AugAssign": "v_a += 1",
    "AnnAssign": "v_a: v_int = 1",
    "ClassDef": "class v_a:\n        return 1",
    "AsyncFunctionDef": "async def v_a():\n        return 1",
    "Match": "match v_facts:\n        case 1:\n            return 1",
    "Dict": "return {'a': 1}",
    "List": "return [1]",
    "Tuple": "return (1, 2)",
    "Set": "return {1}",
    "Slice": "return v_facts[1:2]",
    "IfExp": "return 1 if v_facts else 2",
    "BoolOp": "return v_facts and 1",
    "Pass": "pass",
    "Continue": "for v_a in v_facts:\n        continue",
    "Add": "return 1 + 2",
    "Sub": "return 1 - 2",
    "Div": "return 1 / 2",
    "Mod": "return 1 % 2",
    "Pow": "return 2 ** 9",
    "LShift": "return 1 << 2",
    "USub": "return -v_facts",
}


@pytest.mark.parametrize(("kind", "text"), REFUSED.items(), ids=REFUSED.keys())
def test_every_other_node_is_refused(kind: str, text: str) -> None:
    with pytest.raises(UnverifiedError, match=f"^{kind} is no node that generated code has$"):
        verify(function(text), HELPERS)


OTHERS = {
    "a name of Python": ("return open", "the name 'open' is defined nowhere"),
    "an unknown helper": ("return v_exit(1)", "the name '@exit' is defined nowhere"),
    "a name of its own kind": ("a = 1", "generated code must not bind 'a'"),
    "a helper bound anew": ("v_type = 1", "generated code must not bind '@type'"),
    "a method": ("return v_facts.format('x')", "the method 'format' is not among"),
    "an attribute of the machine": ("return v_facts.__class__", "the method '__class__' is not among"),
    "a method handed on": ("return v_type(v_facts.get)", "a method handed on as a value"),
    "a method given back": ("return v_facts.get", "a method handed on as a value"),
    "a method set": ("v_facts.get = 1", "a method handed on as a value"),
    "a fact set": ("v_facts['input'] = 1", "sets something else than what is remembered of a definition"),
    "an item of something else set": ("v_a = v_list()\n    v_a['@x'] = 1", "sets something else than"),
    "keywords": ("return v_type(name=1)", "with keywords"),
    "a call of a call": ("return v_type(v_facts)(1)", "a call of something without a name"),
    "bytes": ("return b'x'", "a constant of the type bytes"),
    "a complex number": ("return 1j", "a constant of the type complex"),
    "an ellipsis": ("return ...", "a constant of the type ellipsis"),
}


@pytest.mark.parametrize(("text", "why"), OTHERS.values(), ids=OTHERS.keys())
def test_every_other_name_call_and_constant_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnverifiedError, match=why):
        verify(function(text), HELPERS)


HEADS = (
    "def v_rule(v_facts=1):\n    return 1",
    "def v_rule(*v_facts):\n    return 1",
    "def v_rule(**v_facts):\n    return 1",
    "def v_rule(v_facts, /):\n    return 1",
    "def v_rule(*, v_facts):\n    return 1",
    "def v_rule(v_facts) -> v_int:\n    return 1",
    "@v_type\ndef v_rule(v_facts):\n    return 1",
)


@pytest.mark.parametrize("text", HEADS)
def test_a_function_has_plain_parameters_alone(text: str) -> None:
    with pytest.raises(UnverifiedError, match="a function with more than plain parameters"):
        verify(module(text), HELPERS)


def test_an_emitter_that_writes_something_else_is_stopped_and_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def returned(code: Code, statement: ast.stmt, _add: Callable[[Code, ast.stmt], None] = Code.add) -> None:
        if isinstance(statement, ast.Return):
            statement = ast.parse("import os").body[0]
        _add(code, statement)

    engine = Engine.from_source(POLICY)
    monkeypatch.setattr(Code, "add", returned)
    decision = engine.decide({**ACTION, "input": {"amount": 1}}, DOCUMENT, CONTEXT)
    assert [reason.code for reason in decision.reasons] == ["engine.failure"]
    assert not decision.allowed


POLICY = """policy "p" { version "1" }
define large = input.amount > 100
route "r" { allow a.b }
deny "text" { when subject.id == "rosa" and input.currency in ["EUR", "USD"] }
deny "shared" { when large or not (input.name starts with "x") }
deny "loop" { when any line in input.lines satisfies (line.amount >= 10 and line.tag != "x") }
deny "present" { unless input.note exists }
deny "order" { when now > timestamp("2026-11-30T12:00:00+01:00") }
"""


def test_what_is_emitted_for_a_few_rules(golden: Golden) -> None:
    engine = Engine.from_source(POLICY)
    written = []
    for rule in engine.policy.layers[0].denies:
        for word, condition in (("when", rule.selector.when), ("unless", rule.selector.unless)):
            if condition is None:
                continue
            emission = make.emitted(condition, lambda node: ("@large", lambda facts: True))
            assert emission is not None
            tree, constants = emission
            verify(tree, {*HELPERS, *constants})
            written.append(f"# {rule.id}: {word}\n{ast.unparse(tree)}\n")
    golden("emit/rules.txt", "\n".join(written))
