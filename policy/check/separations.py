"""Lowering of `separation`: who may not be who, which roles conflict, which steps different people perform."""

from __future__ import annotations

from policy.check.environment import Environment
from policy.check.kinds import is_text, type_name
from policy.check.patterns import pattern_tuple
from policy.check.report import first_here, is_broken, listed, quoted
from policy.check.rules import controls, input_path, value_of
from policy.check.selectors import selector, typed_value, unique_texts
from policy.check.trust import NO_CLAIMS, OUTSIDE_WHERE, as_read, untrusted
from policy.check.words import check_role
from policy.ir import nodes as ir
from policy.syntax import tree
from policy.syntax.printer import print_path
from policy.types.kinds import Basic, ListOf, Record, Type
from policy.types.names import PARTIES

_WHO = ("approver", *PARTIES)
_NAMED = (*PARTIES, "delegators")


def separation(rule: tree.Separation, env: Environment) -> ir.Separation:
    """Separation of duties."""
    return ir.Separation(
        span=rule.span,
        id=rule.id.value,
        selector=selector(rule.selector, env, refusals={**OUTSIDE_WHERE, **NO_CLAIMS}),
        because=value_of(rule.because),
        controls=controls(rule, env),
        form=_form(rule.form, env),
    )


def _form(
    form: tree.DiffersFrom | tree.RolesConflict | tree.DifferentPeople, env: Environment
) -> ir.DiffersFrom | ir.RolesConflict | ir.DifferentPeople:
    match form:
        case tree.DiffersFrom():
            return _differs(form, env)
        case tree.RolesConflict():
            return _roles(form, env)
        case tree.DifferentPeople():
            return _people(form, env)


def _differs(form: tree.DiffersFrom, env: Environment) -> ir.DiffersFrom:
    who = form.who.name
    if who not in _WHO:
        help = env.report.suggest(who, _WHO)
        env.report.add("name.unknown_word", f"`{who}` is not {listed(_WHO)}", form.who.span, help=help)
    found: dict[str, ir.Read] = {}
    for party in form.parties:
        read = _party(party, env)
        if read is None:
            continue
        if read.root == who and not read.steps:
            message = f"`{who}` never differs from itself"
            env.report.add("separation.differs_from_itself", message, party.span)
        elif read.text in found:
            related = first_here(found[read.text].span, "first written here")
            env.report.add("name.repeated", f"{quoted(read.text)} stands twice", party.span, related=related)
        found.setdefault(read.text, read)
    return ir.DiffersFrom(span=form.span, who=who, parties=tuple(found.values()))


def _party(party: tree.Path, env: Environment) -> ir.Read | None:
    name = party.head.name
    if not party.steps and name not in env.declared and name not in env.built_ins:
        message = f"`{name}` is no party: use {listed(_NAMED)}, or a trusted path"
        env.report.add("name.unknown", message, party.span, help=env.report.suggest(name, [*_NAMED, *env.declared]))
        return None
    value = typed_value(party, env, refusals=OUTSIDE_WHERE)
    read = as_read(value)
    if is_broken(value) or name == "approver":
        return None
    chosen = untrusted(value, env)
    if chosen is not None:
        message = f"the caller chooses `{chosen.text}`: a separation compares with what the runtime states"
        env.report.add("separation.chosen_by_caller", message, party.span)
        return None
    if read is None or not gives_people(value.type):
        message = (
            f"{quoted(party.span.text)} is {type_name(value.type)}; a party is a principal, an id or a list of them"
        )
        env.report.add("separation.party", message, party.span)
        return None
    return read


def gives_people(type_: Type) -> bool:
    """Whether a value of the type is an id, a principal or a list of them."""
    if isinstance(type_, ListOf):
        return not isinstance(type_.item, ListOf) and gives_people(type_.item)
    return is_text(type_) or type_ is Basic.JSON or (isinstance(type_, Record) and type_.name == "principal")


def _roles(form: tree.RolesConflict, env: Environment) -> ir.RolesConflict:
    roles = unique_texts(form.roles, "role", env)
    for role in roles:
        check_role(role.value, role.span, env)
    return ir.RolesConflict(span=form.span, roles=tuple(role.value for role in roles))


def _people(form: tree.DifferentPeople, env: Environment) -> ir.DifferentPeople:
    within = form.within
    if within is not None and within.nanoseconds <= 0:
        env.report.add("type.duration", "the time within which steps count is above zero", within.span)
    return ir.DifferentPeople(
        span=form.span,
        steps=tuple(_step(step, env) for step in form.steps),
        within=None if within is None else within.nanoseconds,
    )


def _step(step: tree.PerformStep, env: Environment) -> ir.PerformStep:
    patterns = pattern_tuple((step.pattern,), env.sets, env.report) or ()
    per = step.per
    if per is None:
        return ir.PerformStep(span=step.span, patterns=patterns, per=None, key=None)
    read = as_read(typed_value(per, env)) if input_path(per) else None
    if not input_path(per):
        message = f"`per` names a member of the input such as `input.payment_id`, not {quoted(per.span.text)}"
        env.report.add("separation.per", message, per.span)
    return ir.PerformStep(span=step.span, patterns=patterns, per=read, key=None if read is None else print_path(per))
