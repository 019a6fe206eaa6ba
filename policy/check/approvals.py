"""Lowering of `approval`: who may approve, how many, for how long, with every count checked."""

from __future__ import annotations

from policy.check.environment import Environment
from policy.check.kinds import bare_words, is_text, may_be, type_name
from policy.check.quorum import most_people, named_people, satisfiable
from policy.check.report import first_here, heading, is_broken, listed, quoted
from policy.check.rules import level, value_of
from policy.check.selectors import GRANT, typed_condition, typed_value
from policy.check.separations import gives_people
from policy.check.trust import IN_WHERE, OUTSIDE_WHERE, untrusted
from policy.check.words import check_group, check_role, constants
from policy.ir import nodes as ir
from policy.ir.alternatives import quorum_of
from policy.source.text import Span
from policy.syntax import tree
from policy.syntax.printer import print_need
from policy.types.kinds import Basic, ListOf, Type, Vocabulary
from policy.types.vocabularies import EVIDENCE_KIND, PRINCIPAL_KIND

DAY = 86_400 * 10**9
"""Nanoseconds that a vote counts for where `valid for` is not written."""


def approval(statement: tree.Approval, env: Environment) -> ir.Approval:
    """A quorum."""
    need = _need(statement.need, env, root=True)
    distinct = _distinct_by(statement, env)
    at_least = count(statement.at_least, "people", env, default=1)
    _check_reach(statement, need, at_least, env)
    if statement.valid_for is not None and statement.valid_for.nanoseconds <= 0:
        env.report.add("type.duration", "an approval is valid for longer than zero", statement.valid_for.span)
    return ir.Approval(
        span=statement.span,
        id=statement.id.value,
        need=need,
        distinct_by=distinct,
        at_least=at_least,
        valid_for=DAY if statement.valid_for is None else statement.valid_for.nanoseconds,
        evidence=_evidence(statement, env),
        denied_by=count(statement.denied_by, "denials", env, default=1),
        kinds=_kinds(statement, env),
        self_approval=statement.self_approval,
        describe=value_of(statement.describe),
        because=value_of(statement.because),
        needs=print_need(statement.need),
    )


def count(written: tree.Number | None, what: str, env: Environment, *, default: int) -> int:
    """A number of people or votes: whole, from 1 on."""
    if written is None:
        return default
    if not isinstance(written.value, int) or written.value < 1:
        message = f"`{written.text}` is no number of {what}: it is whole, and 1 or more"
        env.report.add("approval.count", message, written.span)
        return default
    if written.value > env.limits.votes:
        message = f"a request has {env.limits.votes:,} votes at most, so `{written.text}` {what} are never reached"
        env.report.add("approval.unreachable", message, written.span)
        return default
    return written.value


def _are_named(people: int) -> str:
    return "one person is named" if people == 1 else f"{people} people are named"


def _need(written: tree.Need, env: Environment, *, root: bool = False) -> ir.Need:
    match written:
        case tree.Leaf():
            return _leaf(written, env)
        case tree.Pool():
            return _pool(written, env)
        case tree.AllOf():
            return _slots(written, len(written.children), env, root=root)
        case tree.AnyNumberOf():
            wanted = count(written.count, "people", env, default=1)
            if wanted > len(written.children):
                message = f"`{written.count.text}` of {len(written.children)} can never be satisfied"
                env.report.add("approval.unreachable", message, written.count.span, context=written.span)
                wanted = len(written.children)
            return _slots(written, wanted, env, root=root)
        case tree.AnyOf():
            return _slots(written, 1, env, root=root)


def _pool(written: tree.Pool, env: Environment) -> ir.Pool:
    wanted = count(written.count, "approvals", env, default=1)
    pool = ir.Pool(span=written.span, count=wanted, leaves=tuple(_leaf(leaf, env) for leaf in written.leaves))
    named = named_people(pool.leaves)
    if named is not None and len(named) < wanted:
        message = f"{wanted} approvals are needed, and {_are_named(len(named))}"
        env.report.add("approval.unreachable", message, written.count.span, context=written.span)
        return ir.Pool(span=written.span, count=max(1, len(named)), leaves=pool.leaves)
    return pool


def _slots(
    written: tree.AllOf | tree.AnyNumberOf | tree.AnyOf, wanted: int, env: Environment, *, root: bool
) -> ir.Slots:
    same_person = not isinstance(written, tree.AnyOf) and written.same_person
    if same_person and not root:
        message = "`allowing same person` stands behind the outermost group of a `need` only"
        env.report.add("approval.same_person", message, heading(written.span))
    children = tuple(_need(child, env) for child in written.children)
    return ir.Slots(span=written.span, count=max(1, wanted), children=children, same_person=same_person)


def _check_reach(statement: tree.Approval, need: ir.Need, at_least: int, env: Environment) -> None:
    """Report a need that can never be met, or that has too many ways of being met."""
    quorum = quorum_of(need, env.limits.alternatives)
    if quorum is None:
        message = f"the need can be met in more than {env.limits.alternatives} ways"
        help = "count people with `N approvals from { … }`, or split it into several approvals"
        env.report.add("approval.too_many_alternatives", message, heading(statement.need.span), help=help)
        return
    most = most_people(need)
    if most is not None and most < at_least and statement.at_least is not None:
        message = f"at least {at_least} people are needed, and {_are_named(most)}"
        env.report.add("approval.unreachable", message, statement.at_least.span)
    elif not satisfiable(quorum):
        message = "the need asks for more different people than it names"
        env.report.add("approval.unreachable", message, heading(statement.need.span))


def _distinct_by(statement: tree.Approval, env: Environment) -> str | None:
    word = statement.distinct_by
    if word is None:
        return None
    need = statement.need
    if not isinstance(need, tree.Leaf | tree.Pool | tree.AnyOf) and need.same_person:
        message = "`distinct by` asks for different people, and `allowing same person` does not: drop one of the two"
        env.report.add("approval.same_person", message, word.span)
    if env.directory is not None:
        declared = env.directory.attributes.get(word.name)
        if declared is None:
            help = env.report.suggest(word.name, env.directory.attributes)
            message = f"`{word.name}` is no attribute of the directory"
            env.report.add("name.unknown_attribute", message, word.span, help=help)
        elif not is_text(declared.type):
            message = f"`distinct by` compares texts, and `{word.name}` is {type_name(declared.type)}"
            env.report.add("type.distinct_by", message, word.span)
    return word.name


def _evidence(statement: tree.Approval, env: Environment) -> tuple[str, ...]:
    found: dict[str, tree.Word | tree.Text] = {}
    for kind in statement.evidence:
        name = kind.name if isinstance(kind, tree.Word) else kind.value
        if isinstance(kind, tree.Word) and name not in EVIDENCE_KIND.words:
            message = f"`{name}` is no evidence kind: use {listed(EVIDENCE_KIND.words)}, or quote a kind of your own"
            help = env.report.suggest(name, EVIDENCE_KIND.words) or f'write `"{name}"`'
            env.report.add("name.unknown_word", message, kind.span, help=help)
        elif isinstance(kind, tree.Text) and name in EVIDENCE_KIND.words:
            message = f'`"{name}"` is a word that the language knows, and those are bare'
            env.report.add("type.quoted_word", message, kind.span, help=f"write `{name}`")
        elif isinstance(kind, tree.Text) and not name.strip():
            env.report.add("name.blank", "the evidence kind is blank", kind.span)
        elif name in found:
            related = first_here(found[name].span, "first written here")
            env.report.add("name.repeated", f"the evidence kind `{name}` stands twice", kind.span, related=related)
        found.setdefault(name, kind)
    return tuple(found)


def _kinds(statement: tree.Approval, env: Environment) -> tuple[str, ...]:
    found: dict[str, tree.Word] = {}
    for word in statement.kinds:
        _known(word, PRINCIPAL_KIND, env)
        if word.name in found:
            related = first_here(found[word.name].span, "first written here")
            env.report.add("name.repeated", f"the kind `{word.name}` stands twice", word.span, related=related)
        found.setdefault(word.name, word)
    return tuple(found) or ("human",)


def _known(word: tree.Word, vocabulary: Vocabulary, env: Environment) -> None:
    words = bare_words(vocabulary) or ()
    if word.name not in words:
        message = f"`{word.name}` is no {vocabulary.name}: use {listed(words)}"
        env.report.add("name.unknown_word", message, word.span, help=env.report.suggest(word.name, words))


def _leaf(written: tree.Leaf, env: Environment) -> ir.Leaf:
    value = _leaf_value(written, env)
    return ir.Leaf(
        span=written.span,
        kind=written.kind,
        value=value,
        max_risk=None if written.max_risk is None else level(written.max_risk, env),
        max_value=None if written.max_value is None else written.max_value.value,
        value_of=_amount(written.value_of, env),
        covering=_amount(written.covering, env),
        where=typed_condition(written.where, GRANT, env, refusals=IN_WHERE),
        text=print_need(written),
    )


def _leaf_value(written: tree.Leaf, env: Environment) -> ir.Expression:
    if isinstance(written.value, tree.Text):
        text = written.value
        _check_text(written.kind, text.value, text.span, env)
        return ir.Constant(span=text.span, type=Basic.STRING, value=text.value)
    value = typed_value(written.value, env, Basic.STRING, refusals=OUTSIDE_WHERE)
    if is_broken(value):
        return value
    chosen = untrusted(value, env)
    if chosen is not None:
        message = f"the caller chooses `{chosen.text}`, and so would choose who approves"
        help = "look it up in what the runtime states: `context.owners[input.…]`"
        env.report.add("approval.chosen_by_caller", message, written.value.span, help=help)
        return value
    for constant in constants(value):
        _check_text(written.kind, str(constant.value), written.value.span, env)
    _check_kind(written, value, env)
    return value


def _check_kind(written: tree.Leaf, value: ir.Expression, env: Environment) -> None:
    shown = quoted(written.value.span.text)
    if not isinstance(_behind(value), ir.Constant | ir.Read | ir.Lookup | ir.ListValue):
        message = f"`{written.kind}` takes a quoted name or a trusted path, and {shown} is worked out"
        env.report.add("approval.leaf_value", message, written.value.span)
    elif not _fits(written.kind, value.type):
        wanted = "an id, a principal or a list of them" if written.kind == "principal" else "a string or a list of them"
        message = f"`{written.kind}` takes {wanted}, and {shown} is {type_name(value.type)}"
        env.report.add("approval.leaf_value", message, written.value.span)


def _behind(value: ir.Expression) -> ir.Expression:
    while isinstance(value, ir.Shared):
        value = value.value
    return value


def _fits(kind: str, type_: Type) -> bool:
    if kind == "principal":
        return gives_people(type_)
    item = type_.item if isinstance(type_, ListOf) else type_
    return is_text(item) or item is Basic.JSON


def _check_text(kind: str, name: str, span: Span, env: Environment) -> None:
    if not name.strip():
        env.report.add("name.blank", f"the `{kind}` is blank", span)
    elif kind == "role":
        check_role(name, span, env)
    elif kind == "group":
        check_group(name, span, env, may_be_family=True)


def _amount(path: tree.Path | None, env: Environment) -> ir.Expression | None:
    if path is None:
        return None
    value = typed_value(path, env)
    if not is_broken(value) and not may_be(value.type, Basic.NUMBER):
        message = f"a limit is compared with a number, and {quoted(path.span.text)} is {type_name(value.type)}"
        env.report.add("type.amount", message, path.span)
    return value
