"""Manifest admission of an AIP 1.0 capability (model.md section 1): every violation, each with its code.

The rules read the document as it was written and skip what has another type: the shape is checked apart
(`policy.contracts.shape`), so that one mistake does not hide another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from policy.contracts.aip_rules import approval_findings
from policy.contracts.place import Place
from policy.model.mistakes import quoted
from policy.source.diagnostic import Diagnostic

_NEEDS_APPROVAL = ("financial", "legal", "medical", "identity", "delete", "send_message")
_COMPLETION_MODES = ("supports_sync", "supports_async", "supports_streaming")


def aip_findings(document: Mapping[str, object], place: Place) -> tuple[Diagnostic, ...]:
    """Every violation and every warning of model.md section 1, schemas and unique ids apart."""
    return (
        *_name(document, place),
        *_risk_without_contract(document, place),
        *(_contract(_object(document, "contract"), document, place.at("contract")) if document.get("contract") else ()),
    )


def _name(document: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    for member in ("id", "name"):
        value = document.get(member)
        if isinstance(value, str) and value and not value.strip():
            yield place.at(member).error("aip.name_blank", f"`{member}` is blank; give it a visible character")
    if document.get("name") == "":
        yield place.at("name").error("aip.name_blank", "`name` is blank; give it a visible character")


def _risk_without_contract(document: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    risk = document.get("risk")
    if risk in ("high", "critical") and document.get("contract") is None:
        message = f"risk {quoted(risk)} is declared without a contract; declare what a call does"
        yield place.at("risk").warning("aip.risk_without_contract", message)


def _contract(contract: Mapping[str, object], document: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    yield from _repeated(contract, "side_effects", "aip.effect_repeated", place)
    yield from _completion(_object(contract, "execution"), place.at("execution"))
    yield from _not_positive(
        _object(contract, "idempotency"), "ttl_ms", "aip.ttl_not_positive", place.at("idempotency")
    )
    yield from _transaction(contract, place.at("transaction"))
    yield from _compensation(_object(contract, "compensation"), place.at("compensation"))
    approval = contract.get("approval")
    if isinstance(approval, Mapping):
        yield from _not_positive(approval, "ttl_ms", "aip.ttl_not_positive", place.at("approval"))
        yield from approval_findings(approval, place.at("approval"))
    yield from _effects(contract, document, place)
    yield from _data(_object(contract, "data"), place.at("data"))
    yield from _credentials(_object(contract, "credentials"), place.at("credentials"))


def _completion(execution: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    if all(execution.get(mode) is False for mode in _COMPLETION_MODES):
        message = "no completion mode is supported; support one of sync, async and streaming"
        yield place.error("aip.completion_mode_missing", message)


def _transaction(contract: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    transaction = _object(contract, "transaction")
    modes = transaction.get("supported_modes", [])
    if contract.get("transaction") is not None and modes == []:
        yield place.at("supported_modes").error("aip.modes_empty", "`supported_modes` is empty; list the modes offered")
    yield from _repeated(transaction, "supported_modes", "aip.mode_repeated", place)
    if _has(modes, "commit") and transaction.get("requires_plan_before_commit") is False:
        message = "`commit` is offered without a plan before it; require one"
        yield place.at("requires_plan_before_commit").warning("aip.commit_without_plan", message)


def _compensation(compensation: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    yield from _not_positive(compensation, "compensation_window_ms", "aip.window_not_positive", place)
    named = compensation.get("compensation_capability_id")
    if compensation.get("mode") == "supported" and (named is None or (isinstance(named, str) and not named.strip())):
        message = "compensation is supported by no capability; name it in `compensation_capability_id`"
        yield place.error("aip.compensation_unnamed", message)


def _effects(contract: Mapping[str, object], document: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    effects = _list(contract, "side_effects")
    acting = [effect for effect in effects if isinstance(effect, str) and effect != "read"]
    requirement = _object(contract, "idempotency").get("requirement")
    if acting and requirement != "required":
        message = f"the effect {quoted(acting[0])} has no required idempotency key; require one"
        yield place.at("idempotency", "requirement").warning("aip.idempotency_not_required", message)
    grave = [effect for effect in acting if effect in _NEEDS_APPROVAL]
    if grave and not _asks_for_approval(contract, document):
        message = f"the effect {quoted(grave[0])} needs no approval; require one"
        yield place.at("side_effects").warning("aip.effect_without_approval", message)


def _asks_for_approval(contract: Mapping[str, object], document: Mapping[str, object]) -> bool:
    declared = _object(_object(document, "acc"), "approval")
    return (
        document.get("requires_human_approval") is True
        or _object(contract, "approval").get("required") is True
        or declared.get("required") is True
    )


def _data(data: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    delicate = data.get("sensitivity") == "regulated" or data.get("contains_pii") is True
    if delicate and data.get("redaction_required") is False:
        message = "regulated or personal data is not redacted; require redaction"
        yield place.at("redaction_required").warning("aip.data_without_redaction", message)


def _credentials(credentials: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    if credentials.get("required") is True and credentials.get("required_scopes", []) == []:
        message = "a credential is required without a scope; list the scopes it must carry"
        yield place.at("required_scopes").warning("aip.credential_without_scopes", message)


def _repeated(owner: Mapping[str, object], member: str, code: str, place: Place) -> Iterator[Diagnostic]:
    seen: list[object] = []
    for position, word in enumerate(_list(owner, member)):
        if isinstance(word, str) and word in seen:
            yield place.at(member, position).error(code, f"{quoted(word)} is listed twice; list it once")
        seen.append(word)


def _not_positive(owner: Mapping[str, object], member: str, code: str, place: Place) -> Iterator[Diagnostic]:
    value = owner.get(member)
    if isinstance(value, int) and not isinstance(value, bool) and value <= 0:
        yield place.at(member).error(code, f"`{member}` is {value}; give milliseconds above 0")


def _object(owner: Mapping[str, object], member: str) -> Mapping[str, object]:
    value = owner.get(member)
    return value if isinstance(value, Mapping) else {}


def _list(owner: Mapping[str, object], member: str) -> Sequence[object]:
    value = owner.get(member)
    return value if isinstance(value, list) else []


def _has(words: object, word: str) -> bool:
    return isinstance(words, list) and word in words
