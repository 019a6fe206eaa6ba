"""Bytes to source: UTF-8, the size limit, and characters that may not stand in a policy."""

from __future__ import annotations

from policy.source.diagnostic import Diagnostic, Severity
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.text import Source, Span
from policy.syntax.characters import forbidden
from policy.syntax.report import MANY


def decode(data: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> Source | Diagnostic:
    """The source of a policy file's bytes, or the error that keeps it from being one: its size or its encoding.

    Characters that may not stand in a policy are the parser's to report, all of them, with their places.
    """
    if len(data) > limits.file_bytes:
        return _too_large(Source(name, ""), limits)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        source = Source(name, data[: error.start].decode("utf-8"))
        line, column = source.line_and_column(error.start if error.start < len(source.text) else len(source.text))
        return Diagnostic(
            code="syntax.encoding",
            severity=Severity.ERROR,
            message=f"the byte 0x{data[error.start]:02X} is not UTF-8; save the file as UTF-8",
            file=name,
            line=line,
            column=column,
        )
    return Source(name, text)


def check_size(source: Source, limits: Limits) -> Diagnostic | None:
    """The error of a text that is larger than a policy file may be."""
    text = source.text
    if len(text) > limits.file_bytes or (
        4 * len(text) > limits.file_bytes and len(text.encode("utf-8", "surrogatepass")) > limits.file_bytes
    ):
        return _too_large(source, limits)
    return None


def check_characters(source: Source) -> tuple[Diagnostic, ...]:
    """The errors of characters that may not stand in a policy, comments included."""
    found: list[Diagnostic] = []
    for offset, reason in forbidden(source.text):
        if len(found) == MANY:
            break
        found.append(
            Diagnostic(
                code="syntax.character",
                severity=Severity.ERROR,
                message=f"{reason} may not stand in a policy; take it out",
                span=Span(source, offset, offset + 1),
                help="it is the byte order mark; save the file as UTF-8 without one"
                if offset == 0 and source.text[0] == "\ufeff"
                else None,
            )
        )
    return tuple(found)


def _too_large(source: Source, limits: Limits) -> Diagnostic:
    return Diagnostic(
        code="syntax.too_large",
        severity=Severity.ERROR,
        message=f"the file is larger than {limits.file_bytes:_} bytes; split it and `import` the parts",
        file=source.name,
    )
