"""Diagnostics: what types, trust, positions and counts can get wrong."""

from __future__ import annotations

from policy.source.codes.entry import Code, error

_ROUTE = 'route "desk" { allow order.read }'
_CONTEXT = """context {
  environment: one of "production", "staging"
  client_ip: ip
  deadline: timestamp
  owners: map of string
  change: { author: string } optional
}"""

_LIMITS = """directory { roles "b" attributes { limit: number department: string } }
require "r" { for order.** approval "a" }"""


def _desk(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples stand beside a route."""
    return error(code, summary, f"{_ROUTE}\n{failing}", f"{_ROUTE}\n{fixed}")


def _when(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples are conditions of a `deny`."""
    pair = (f'{_CONTEXT}\ndeny "d" {{ when {failing} }}', f'{_CONTEXT}\ndeny "d" {{ when {fixed} }}')
    return _desk(code, summary, *pair)


def _approval(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples are clauses of an `approval`."""
    head = f'{_CONTEXT}\nrequire "r" {{ for order.** approval "a" }}\napproval "a" {{ need '
    return _desk(code, summary, f"{head}{failing} }}", f"{head}{fixed} }}")


_TYPES: tuple[Code, ...] = (
    _when(
        "type.never_equal",
        "values of types that are never equal are compared",
        "context.client_ip == input.address",
        "context.client_ip == ip(input.address)",
    ),
    _when(
        "type.not_ordered",
        "`<` and its like compare what has no order, or two different types",
        "input.at < now",
        "timestamp(input.at) < now",
    ),
    _when(
        "type.not_a_condition",
        "something else than a boolean stands as a condition",
        "count(input.lines)",
        "count(input.lines) > 0",
    ),
    _when("type.quoted_word", "a word that the language knows is quoted", 'mode == "async"', "mode == async"),
    _when(
        "type.bare_word",
        "a word that the policy invents is not quoted",
        "context.environment == production",
        'context.environment == "production"',
    ),
    _when("type.null", "something is compared with null", "input.a == null", "input.a missing"),
    _when(
        "type.not_one_of",
        "a text is none of those that the attribute is declared to be",
        'context.environment == "prod"',
        'context.environment == "production"',
    ),
    _when(
        "type.not_a_list", "something else than a list is asked for its items", '"a" in capability.id', '"a" in input.a'
    ),
    _when("type.empty_list", "a list without items is asked for one", "input.a in []", 'input.a in ["b"]'),
    _when(
        "type.mixed_list",
        "a list or map holds values that nothing equals together",
        "input.a in [1, 5m]",
        "input.a in [1, 5]",
    ),
    _when(
        "type.not_a_text",
        "something else than a text is asked for its parts",
        'subject.roles contains "a"',
        'subject.roles has "a"',
    ),
    _when("type.empty_text", "a test for the empty text is always true", 'input.a contains ""', 'input.a contains "b"'),
    _when(
        "type.not_an_address",
        "`in network` asks something else than an ip address",
        'input.address in network "10.0.0.0/8"',
        'ip(input.address) in network "10.0.0.0/8"',
    ),
    _when(
        "type.network",
        "a network is malformed, or its address has bits behind the prefix",
        'context.client_ip in network "10.0.0.1/8"',
        'context.client_ip in network "10.0.0.0/8"',
    ),
    _when(
        "type.path_not_plain",
        "a literal path is not absolute or not in plain form",
        'input.path inside "/srv/../etc"',
        'input.path inside "/srv/data"',
    ),
    _when("type.arithmetic", "an operator does not join these types", "now + now > now", "now + 5m > now"),
    _when(
        "type.argument",
        "a function or `within` takes another type",
        "lower(input.a + 1) == input.b",
        'lower(input.a) == "b"',
    ),
    _when(
        "type.argument_count",
        "a function takes another number of values",
        'date(now) == "2026-12-18"',
        'date(now, "UTC") == "2026-12-18"',
    ),
    _when(
        "type.literal",
        "a literal timestamp, duration, address, URL or mail address is malformed",
        'now > timestamp("2026-13-01T00:00:00Z")',
        'now > timestamp("2026-12-01T00:00:00Z")',
    ),
    _when(
        "type.not_a_date",
        "a literal date is malformed",
        'date(now, "UTC") == "2026-02-30"',
        'date(now, "UTC") == "2026-02-28"',
    ),
    _when(
        "type.not_a_scope", "a literal scope is malformed, or a pattern", 'scope == "order.*"', "scope matches order.*"
    ),
    _when(
        "type.unknown_zone",
        "the tz database knows no such zone",
        'date(now, "Europe/Berln") == "2026-12-18"',
        'date(now, "Europe/Berlin") == "2026-12-18"',
    ),
    _when(
        "type.zone_not_literal",
        "a time zone is not written out",
        'date(now, input.zone) == "2026-12-18"',
        'date(now, "UTC") == "2026-12-18"',
    ),
    _when(
        "type.empty_window",
        "a window closes when it opens",
        'now within 08:00..08:00 in "UTC"',
        'now within 08:00..18:00 in "UTC"',
    ),
    _when("type.key", "a key or position has another type", 'context.owners[5] == "a"', 'context.owners["b"] == "a"'),
    _when(
        "type.position", "a list position is no whole number from 0 on", "input.lines[-1] == 1", "input.lines[0] == 1"
    ),
    _when(
        "type.list_member",
        "a member of a list is read as if it were one of its items",
        'delegators.id == "rosa"',
        'any hop in delegators satisfies (hop.id == "rosa")',
    ),
    _when("type.no_members", "a member of a plain value is read", "region.name exists", 'region == "eu"'),
    _when(
        "type.presence_of_value",
        "presence is asked of a value that is worked out",
        "(input.a + 1) exists",
        "input.a exists",
    ),
    _when(
        "type.presence_position",
        "a presence test stands where a value is used",
        "(input.a exists) == true",
        "input.a exists",
    ),
    _when(
        "type.capability_pattern",
        "something else than `scope` is matched against a `capability` pattern",
        'input.a matches capability "cap:*"',
        'scope matches capability "cap:*"',
    ),
    _desk(
        "type.optional_or_null",
        "an attribute is declared both `or null` and `optional`",
        "context { note: string or null optional }",
        "context { note: string or null }",
    ),
    _desk(
        "type.redact_path",
        "`redact` names something else than a member of the input",
        'obligation "o" { for order.** redact subject.id }',
        'obligation "o" { for order.** redact input.card_number }',
    ),
    _desk(
        "type.distinct_by",
        "`distinct by` names an attribute that is no text",
        f'{_LIMITS}\napproval "a" {{ need 2 approvals from role "b" distinct by limit }}',
        f'{_LIMITS}\napproval "a" {{ need 2 approvals from role "b" distinct by department }}',
    ),
    _approval("type.duration", "a length of time is zero", 'role "b" valid for 0s', 'role "b" valid for 4h'),
    _approval(
        "type.amount",
        "`max value` or `covering` names something else than a number",
        'delegated "order.buy" covering context.deadline',
        'delegated "order.buy" covering input.amount',
    ),
)

_TRUST: tuple[Code, ...] = (
    error(
        "trust.claims",
        "a claim of the caller stands where it could grant, or where it may not be read",
        'route "desk" { allow order.read when claims.approval.given == true }',
        'route "desk" { allow order.read when input.given == true }',
    ),
    _desk(
        "trust.claims_negated",
        "a claim behind a negation could switch a rule off",
        'deny "d" { when claims.identity exists and not (claims.identity.level == 1) }',
        'deny "d" { when claims.identity exists and claims.identity.level == 1 }',
    ),
    _desk(
        "trust.claims_unguarded",
        "a rule applies where a claim is left out, and could be lifted by stating one",
        'deny "d" { when claims.identity.level == 1 }',
        'deny "d" { when claims.identity exists and claims.identity.level == 1 }',
    ),
    _approval(
        "trust.where",
        "`where` reads what it may not",
        'role "b" where mode == sync',
        'role "b" where input.mode == "sync"',
    ),
    error(
        "law.absence",
        "a test for the absence of a trusted value would grant where the runtime does not state it",
        'context { ticket: string optional }\nroute "desk" { allow order.read when context.ticket missing }',
        'context { ticket: string or null }\nroute "desk" { allow order.read when context.ticket missing }',
    ),
)

_RULES: tuple[Code, ...] = (
    _approval(
        "approval.chosen_by_caller",
        "the input, an operand or a claim would choose who approves",
        "principal input.manager",
        "principal context.owners[input.account]",
    ),
    _approval(
        "approval.leaf_value",
        "an approver is given by a value of another type",
        "principal context.deadline",
        'principal context.owners["b"]',
    ),
    _approval(
        "approval.count",
        "a number of people is not whole, or below 1",
        '0 approvals from role "b"',
        '1 approvals from role "b"',
    ),
    _approval(
        "approval.unreachable",
        "more different people are needed than can ever approve",
        '3 approvals from { principal "ines" principal "omar" }',
        '2 approvals from { principal "ines" principal "omar" }',
    ),
    _approval(
        "approval.same_person",
        "`allowing same person` stands below the outermost group, or beside `distinct by`",
        'any of { all of { role "b" role "c" } allowing same person role "d" }',
        'all of { role "b" role "c" } allowing same person',
    ),
    _approval(
        "approval.too_many_alternatives",
        "an approval can be met in more ways than are looked at",
        "any 4 of { " + " ".join(f'2 approvals from role "r{number}"' for number in range(12)) + " }",
        "any 2 of { " + " ".join(f'2 approvals from role "r{number}"' for number in range(12)) + " }",
    ),
    _desk(
        "approval.no_default",
        "an approval is left to the default one, and there is none",
        'require "r" { for order.** approval default }',
        'policy "p" { default approval "a" }\nrequire "r" { for order.** approval default }\n'
        'approval "a" { need role "b" }',
    ),
    _desk(
        "risk.not_ascending",
        "the levels of a `risk` do not ascend",
        'risk "r" { unattended up to high approve up to medium by contract }',
        'risk "r" { unattended up to medium approve up to high by contract }',
    ),
    _desk(
        "risk.overrides_itself",
        "a `risk` overrides itself",
        'risk "r" overrides "r" { for order.** unattended up to high }',
        'risk "r" { for order.** unattended up to high }',
    ),
    _desk(
        "risk.read_in_raise",
        "a `raise` reads the risk that it makes",
        'raise "r" { when risk == high to critical }',
        'raise "r" { when declared_risk == high to critical }',
    ),
    _desk(
        "separation.chosen_by_caller",
        "a separation compares with what the caller chooses",
        'separation "s" { for order.** approver differs from input.author }',
        'context { author: string }\nseparation "s" { for order.** approver differs from context.author }',
    ),
    _desk(
        "separation.differs_from_itself",
        "a party is to differ from itself",
        'separation "s" { for order.** requester differs from requester }',
        'separation "s" { for order.** requester differs from subject }',
    ),
    _desk(
        "separation.party",
        "a party is given by a value that is no principal, no id and no list of them",
        'separation "s" { for order.** approver differs from now }',
        'separation "s" { for order.** approver differs from requester }',
    ),
    _desk(
        "separation.per",
        "`per` names something else than a member of the input",
        'separation "s" { different people perform order.buy per session, order.pay per input.order_id }',
        'separation "s" { different people perform order.buy per input.order_id, order.pay per input.order_id }',
    ),
)

CODES: tuple[Code, ...] = (*_TYPES, *_TRUST, *_RULES)
