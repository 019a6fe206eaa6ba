"""Diagnostics: what is legal and most probably not meant (language.md section 11)."""

from __future__ import annotations

from policy.source.codes.entry import Code, warning

_DESK = 'route "desk" { allow order.** }'
_ROLES = 'directory { roles "clerk", "checker" }'

CODES: tuple[Code, ...] = (
    # conditions
    warning(
        "lint.always_true",
        "a condition, or a part of one, is never false",
        'route "desk" { allow order.read when count(subject.roles) >= 0 }',
        'route "desk" { allow order.read when count(subject.roles) > 0 }',
    ),
    warning(
        "lint.always_false",
        "a condition, or a part of one, is never true",
        'route "desk" { allow order.read when input.amount > 10 and input.amount < 5 }',
        'route "desk" { allow order.read when input.amount > 5 and input.amount < 10 }',
    ),
    warning(
        "lint.vacuous",
        "an `allow` holds of an empty list, so that it grants where nothing was listed",
        'route "desk" { allow order.read when no line in input.lines satisfies (line.secret == true) }',
        'route "desk" {\n  allow order.read\n'
        "    when count(input.lines) > 0 and no line in input.lines satisfies (line.secret == true)\n}",
    ),
    warning(
        "lint.refused_by_spelling",
        "an action is refused by how a free text begins or what it contains, and the same can be spelt otherwise",
        'route "desk" { allow shell.run unless input.command starts with "vault purge" }',
        'route "desk" { allow shell.run when input.command in ["vault list", "vault status"] }',
    ),
    warning(
        "lint.exists_only",
        "that a text exists is all that is asked of it, and an empty text exists",
        'context { ticket: string optional }\nroute "desk" { allow order.read when context.ticket exists }',
        'context { ticket: string optional }\nroute "desk" { allow order.read when length(context.ticket) > 3 }',
    ),
    warning(
        "law.presence",
        "a prohibition is switched off by leaving out a value that the runtime may leave out",
        "context { incident: string optional }\n"
        f'{_DESK}\ndeny "incident" {{ when context.incident exists and context.incident != "drill" }}',
        "context { incident: string or null }\n"
        f'{_DESK}\ndeny "incident" {{ when context.incident exists and context.incident != "drill" }}',
    ),
    warning(
        "lint.roles_undeclared",
        "a prohibition names a role and no `directory` says which roles there are; reported once",
        f'{_DESK}\ndeny "clerks" {{ for order.delete when subject.roles has "clerk" }}',
        f'{_ROLES}\n{_DESK}\ndeny "clerks" {{ for order.delete when subject.roles has "clerk" }}',
    ),
    # patterns
    warning(
        "lint.allows_everything",
        "an `allow` covers every capability, also those that are added later",
        'route "desk" { allow ** }',
        'route "desk" { allow order.** }',
    ),
    warning(
        "lint.allow_shadowed",
        "an `allow` grants nothing, since a `deny` covers all of it",
        'route "desk" { allow home.tools.* allow home.read deny home.tools.** }',
        'route "desk" { allow home.tools.* allow home.read deny home.tools.** unless subject.kind == human }',
    ),
    warning(
        "lint.star_stops_short",
        "a trailing `.*` covers one segment and misses deeper scopes",
        f'{_DESK}\ndeny "crew" {{ for order.* when operator.kind == agent }}',
        f'{_DESK}\ndeny "crew" {{ for order.** when operator.kind == agent }}',
    ),
    warning(
        "lint.near_allowed_scope",
        "a rule restrains a scope that no route allows, and that is one slip away from one that a route allows",
        f'{_DESK}\ndeny "crew" {{ for ordre.delete when operator.kind == agent }}',
        f'{_DESK}\ndeny "crew" {{ for order.delete when operator.kind == agent }}',
    ),
    # rules
    warning(
        "lint.never_applies",
        "a rule can never apply, or never matter",
        f'{_DESK}\nrequire "big" {{ for refund.** approval "lead" }}\napproval "lead" {{ need role "lead" }}',
        f'{_DESK}\nrequire "big" {{ for order.refund approval "lead" }}\napproval "lead" {{ need role "lead" }}',
    ),
    warning(
        "lint.one_person_twice",
        "two requirements for the same action can be met by one and the same person",
        f'{_DESK}\nrequire "a" {{ for order.delete approval "one" }}\nrequire "b" {{ for order.** approval "two" }}\n'
        'approval "one" { need role "lead" }\napproval "two" { need role "audit" }',
        f'{_DESK}\nrequire "a" {{ for order.delete approval "both" }}\n'
        'approval "both" { need all of { role "lead" role "audit" } }',
    ),
    # declarations
    warning(
        "lint.unused_define",
        "a `define` is used by no rule",
        f"define large = input.amount > 10\n{_DESK}",
        'define large = input.amount > 10\nroute "desk" { allow order.read unless large }',
    ),
    warning(
        "lint.unused_scopes",
        "a `scopes` set is named by no rule",
        f'scopes "money" {{ payment.** }}\n{_DESK}',
        'scopes "money" { payment.** }\nroute "desk" { allow scopes "money" }',
    ),
    warning(
        "lint.unused_approval",
        "no rule and no default asks for an approval",
        f'{_DESK}\napproval "lead" {{ need role "lead" }}',
        f'{_DESK}\nrequire "big" {{ for order.refund approval "lead" }}\napproval "lead" {{ need role "lead" }}',
    ),
    warning(
        "lint.unused_attribute",
        "a declared context attribute is read by no rule; requests must send it all the same unless it is `optional`",
        f"context {{ environment: string }}\n{_DESK}",
        'context { environment: string }\nroute "desk" { allow order.read when context.environment == "staging" }',
    ),
    # separations and approvals
    warning(
        "lint.conflict_everywhere",
        "a conflict of roles without `for` refuses every action whose parties state no roles",
        f'{_ROLES}\n{_DESK}\nseparation "toxic" {{ roles "clerk", "checker" conflict }}',
        f'{_ROLES}\n{_DESK}\nseparation "toxic" {{ for order.pay roles "clerk", "checker" conflict }}',
    ),
    warning(
        "lint.adds_nothing",
        "a separation excludes approvers who are excluded anyway",
        f'{_DESK}\nseparation "eyes" {{ for order.pay approver differs from requester, subject }}',
        "context { author: string }\n"
        f'{_DESK}\nseparation "eyes" {{ for order.pay approver differs from requester, context.author }}',
    ),
    warning(
        "lint.one_person",
        "one person can complete an approval alone, where its text speaks of more",
        f'{_DESK}\nrequire "pay" {{ for order.pay approval "pair" }}\n'
        'approval "pair" { need all of { role "clerk" role "checker" } allowing same person }',
        f'{_DESK}\nrequire "pay" {{ for order.pay approval "pair" }}\n'
        'approval "pair" { need all of { role "clerk" role "checker" } }',
    ),
    warning(
        "lint.all_excluded",
        "nobody can complete an approval: everybody it asks for is kept from approving",
        f'{_DESK}\nrequire "pay" {{ for order.pay approval "owner" }}\napproval "owner" {{ need principal subject }}',
        f'{_DESK}\nrequire "pay" {{ for order.pay approval "owner" }}\n'
        'approval "owner" { need principal subject allow self approval }',
    ),
    warning(
        "lint.no_spare_approver",
        "a quorum needs every one of its named principals, so that it fails when the action is one of theirs",
        f'{_DESK}\nrequire "pay" {{ for order.pay approval "pair" }}\n'
        'approval "pair" { need 2 approvals from { principal "wren" principal "heron" } }',
        f'{_DESK}\nrequire "pay" {{ for order.pay approval "pair" }}\n'
        'approval "pair" { need 2 approvals from { principal "wren" principal "heron" principal "crane" } }',
    ),
    # accept comments
    warning(
        "accept.unused",
        "an accept comment accepts nothing, on the line below or of the capability that it names",
        f"# accept lint.allows_everything: the gateway allows one route only\n{_DESK}",
        'route "desk" {\n  # accept lint.allows_everything: the gateway filters before us\n  allow **\n}',
    ),
    warning(
        "accept.malformed",
        "an accept comment does not name one warning and a reason (and, of a catalog, the capability), "
        "or does not stand on a line of its own",
        f"# accept lint.allows_everything\n{_DESK}",
        'route "desk" {\n  # accept lint.allows_everything: the gateway filters before us\n  allow **\n}',
    ),
)
