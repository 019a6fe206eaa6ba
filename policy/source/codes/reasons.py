"""Reasons of a decision, in the order of its stages (language.md section 7); contract guards in `guards`."""

from __future__ import annotations

from policy.source.codes.entry import Code, reason

CODES: tuple[Code, ...] = (
    # stage 1: shape
    reason(
        "input.malformed",
        "the action is not one: a member is missing, unknown or of another type, or a value is out of bounds",
        "action: {input: {amount: 9007199254740993}}",
        'action: {input: {amount: "9007199254740993"}}',
    ),
    reason(
        "capability.invalid",
        "the capability document was not admitted",
        "capabilities: {order.read: {id: order.read, name: read}}",
        "capabilities: {order.read: {id: order.read, name: read, kind: tool, input_schema: {type: object}}}",
    ),
    reason(
        "context.invalid",
        "the trusted context is malformed, contradicts itself, or a declared attribute is missing or of another type",
        "context: {environment: 5}",
        "context: {environment: production}",
    ),
    reason(
        "context.undeclared",
        "the runtime sent an attribute that no policy declares; it is ignored",
        "context: {attributes: {enviroment: production}}",
        "context: {attributes: {environment: production}}",
    ),
    # stage 2: the capability
    reason(
        "capability.mismatch",
        "the capability is not the one that the action calls",
        "action: {capability_id: order.read}\ncapability: order.search",
        "action: {capability_id: order.read}\ncapability: order.read",
    ),
    reason(
        "capability.disabled",
        "the declaration switches the capability off",
        "acc: {version: 1, enabled: false, scope: order.read}",
        "acc: {version: 1, enabled: true, scope: order.read}",
    ),
    reason(
        "capability.not_callable",
        "a capability of kind `resource` cannot be called",
        "capability: {kind: resource}",
        "capability: {kind: tool}",
    ),
    reason(
        "capability.unsupported_version",
        "the declaration is of a version that this engine does not know",
        "acc: {version: 2, enabled: true, scope: order.read}",
        "acc: {version: 1, enabled: true, scope: order.read}",
    ),
    # stage 3: reach
    reason(
        "subject.required",
        "the declaration asks for a subject and the runtime states none",
        "context: {subject: null}",
        "context: {subject: {id: rosa, kind: human}}",
    ),
    reason(
        "route.unknown",
        "the runtime states no route, or one that no policy declares",
        "context: {route: suport-chat}",
        "context: {route: support-chat}",
    ),
    reason(
        "scope.not_allowed",
        "no `allow` of the route covers the capability",
        "capability: vault.key.export",
        "capability: order.read",
    ),
    reason(
        "scope.condition_false",
        "an `allow` covers the capability and its condition does not hold",
        "input: {amount: 60000}",
        "input: {amount: 50}",
    ),
    reason(
        "scope.condition_unevaluable",
        "an `allow` covers the capability and its condition reads something that is missing or ill-typed",
        "input: {}",
        "input: {amount: 50}",
    ),
    reason(
        "scope.denied",
        "a `deny` of the route covers the capability",
        "capability: refund.request.bulk",
        "capability: refund.request.create",
    ),
    reason(
        "scope.malformed",
        "the scope or the id has an empty segment, white space or a control character, so that it matches nothing",
        "capability: {scope: order..read}",
        "capability: {scope: order.read}",
    ),
    reason(
        "scope.allowed",
        "an `allow` of the route covers the capability and its condition holds",
        "capability: order.read",
        "capability: vault.key.export",
    ),
    # stage 4: the input
    reason(
        "input.schema_violation",
        "the input breaks the capability's schema",
        'input: {amount: "50"}',
        "input: {amount: 50}",
    ),
    # stage 6: risk
    reason(
        "risk.above_ceiling",
        "the risk is above everything that a threshold lets through",
        "capability: {risk: critical}",
        "capability: {risk: medium}",
    ),
    reason(
        "risk.no_approval_path",
        "the risk asks for an approval and there is neither a default approval nor one of the contract",
        "capability: {risk: high}",
        "capability: {risk: medium}",
    ),
    # stage 7: rules
    reason(
        "rule.denied",
        "a `deny` applies",
        "context: {incident: INC-7}",
        "context: {incident: null}",
    ),
    reason(
        "rule.unevaluable",
        "a condition reads something that is missing or ill-typed, so that the rule applies",
        "input: {}",
        "input: {amount: 50}",
    ),
    reason(
        "separation.same_person",
        "two duties that must differ are one person's",
        "context: {requester: {id: rosa, kind: human}, subject: {id: rosa, kind: human}}",
        "context: {requester: {id: omar, kind: human}, subject: {id: rosa, kind: human}}",
    ),
    reason(
        "separation.unknown_party",
        "a party that a separation compares is not stated",
        "context: {requester: null}",
        "context: {requester: {id: omar, kind: human}}",
    ),
    reason(
        "separation.role_conflict",
        "one person holds two roles that a separation keeps apart",
        "context: {subject: {id: rosa, kind: human, roles: [payment.maker, payment.checker]}}",
        "context: {subject: {id: rosa, kind: human, roles: [payment.maker]}}",
    ),
    reason(
        "separation.roles_unknown",
        "a party or its roles are not stated, so that a conflict of roles cannot be ruled out",
        "context: {subject: {id: rosa, kind: human}}",
        "context: {subject: {id: rosa, kind: human, roles: []}}",
    ),
    reason(
        "separation.same_performer",
        "a person of this action performed another step on the same object, or that cannot be ruled out",
        "history: [{scope: payment.create, by: rosa, keys: {input.payment_id: p-1}, at: -1d}]",
        "history: [{scope: payment.create, by: omar, keys: {input.payment_id: p-1}, at: -1d}]",
    ),
    reason(
        "separation.history_unavailable",
        "the history is not stated, not complete for long enough, or the input lacks the key of the object",
        "context: {history: null}",
        "history: []",
    ),
    reason(
        "obligation.unevaluable",
        "a value that an obligation sets cannot be evaluated",
        "input: {}",
        "input: {ticket: T-1}",
    ),
    # stage 8: approvals
    reason(
        "approval.denied",
        "as many people said no as end the requirement",
        "votes: [{by: ines, at: -10m, decision: denied}]",
        "votes: [{by: ines, at: -10m, decision: approved}]",
    ),
    reason(
        "approval.denial_unresolved",
        "somebody whose record is unknown or could not be fetched said no; the requirement stays pending",
        "authorities: {}\nvotes: [{by: ines, at: -10m, decision: denied}]",
        "authorities: {ines: {roles: []}}\nvotes: [{by: ines, at: -10m, decision: denied}]",
    ),
    reason(
        "approval.none_counts",
        "an approval is awaited and no vote can count, as the runtime leaves out what votes are judged by",
        "context: {used_votes: null}",
        "context: {used_votes: []}",
    ),
    reason(
        "approval.no_path",
        "an approval is required and no approval names who may give it",
        "capability: {requires_human_approval: true}",
        "capability: {requires_human_approval: false}",
    ),
    reason(
        "approval.satisfied",
        "everything that an approval asks for was given",
        "votes: [{by: ines, at: -10m}, {by: omar, at: -5m}]",
        "votes: [{by: ines, at: -10m}]",
    ),
    reason(
        "rule.requires_approval",
        "a `require` asks for an approval that is not complete",
        "input: {amount: 20000}",
        "input: {amount: 50}",
    ),
    reason(
        "risk.requires_approval",
        "the risk is above what may run unattended, and the approval is not complete",
        "capability: {risk: high}",
        "capability: {risk: medium}",
    ),
    reason(
        "contract.requires_approval",
        "the contract or the declaration asks for an approval that is not complete",
        "acc: {approval: {required: true}}",
        "acc: {approval: {required: false}}",
    ),
    reason(
        "engine.failure",
        "the engine or something it calls failed; nothing is allowed on a failure",
        "# a resolver or a schema that raises\nexpect: deny",
        "# the same call without the failure\nexpect: allow",
    ),
)
