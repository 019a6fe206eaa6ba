"""What is known of one code."""

from __future__ import annotations

from typing import Literal

from policy.source.diagnostic import Severity
from policy.source.records import dataclass

Kind = Literal["diagnostic", "reason", "vote"]
Format = Literal["policy", "json", "yaml"]
Needs = Literal["catalog", "authorities"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One stable code of a diagnostic, of a reason of a decision, or of a vote that does not count."""

    code: str
    """Lower case, words joined by `_`, a family before the dot: `name.unknown`."""
    kind: Kind
    severity: Severity | None = None
    """Of a diagnostic; None for reasons and votes."""
    summary: str
    """One sentence for people, lower case, without a final full stop, author's text in backticks."""
    failing: str
    """The smallest example that gives the code."""
    fixed: str
    """The same example without the mistake."""
    format: Format = "policy"
    """What the examples are: policy text, a capability document or catalog (JSON), a part of a fixture case (YAML)."""
    needs: Needs | None = None
    """What must be given beside the policy before the finding can be made."""
    catalog: str = ""
    """JSON: the capability documents beside the policy examples."""
    authorities: str = ""
    """JSON: the authority records beside the policy examples."""


def error(code: str, summary: str, failing: str, fixed: str, *, catalog: str = "", format: Format = "policy") -> Code:
    """A diagnostic that keeps the policy or the document from loading."""
    return _diagnostic(Severity.ERROR, code, summary, (failing, fixed), catalog=catalog, format=format)


def warning(code: str, summary: str, failing: str, fixed: str, *, catalog: str = "", format: Format = "policy") -> Code:
    """A diagnostic that `--strict` makes an error and an accept comment takes away."""
    return _diagnostic(Severity.WARNING, code, summary, (failing, fixed), catalog=catalog, format=format)


def reason(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code of `Decision.reasons`; the examples are parts of fixture cases."""
    return Code(code=code, kind="reason", summary=summary, failing=failing, fixed=fixed, format="yaml")


def vote(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code of `Approval.not_counted`; the examples are parts of fixture cases."""
    return Code(code=code, kind="vote", summary=summary, failing=failing, fixed=fixed, format="yaml")


def _diagnostic(
    severity: Severity, code: str, summary: str, examples: tuple[str, str], *, catalog: str, format: Format
) -> Code:
    return Code(
        code=code,
        kind="diagnostic",
        severity=severity,
        summary=summary,
        failing=examples[0],
        fixed=examples[1],
        format=format,
        needs="catalog" if catalog else None,
        catalog=catalog,
    )
