"""Diagnostics as JSON and as SARIF 2.1.0 (OASIS)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from policy.render.place import Region, primary, region_of, sort_key
from policy.source.codes import CODES
from policy.source.diagnostic import Diagnostic

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_TOOL = "agent-policy"


def as_json(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """`{diagnostics, errors, warnings}`.

    Lines and columns are 1-based, columns count code points, the end column is exclusive.
    """
    found = sorted(diagnostics, key=sort_key)
    errors = sum(1 for each in found if each.is_error)
    return {
        "diagnostics": [_as_json(each) for each in found],
        "errors": errors,
        "warnings": len(found) - errors,
    }


def as_sarif(diagnostics: Iterable[Diagnostic], version: str) -> dict[str, Any]:
    """One SARIF 2.1.0 log with one run of this tool, of the given version."""
    found = sorted(diagnostics, key=sort_key)
    codes = sorted({each.code for each in found})
    driver = {"name": _TOOL, "semanticVersion": version, "rules": [_rule(code, found) for code in codes]}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(each, codes) for each in found],
            }
        ],
    }


def _as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    region = primary(diagnostic)
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "help": diagnostic.help,
        **_members(region),
        "related": [{"message": each.message, **_members(region_of(each.span))} for each in diagnostic.related],
    }


def _members(region: Region | None) -> dict[str, Any]:
    names = ("file", "line", "column", "end_line", "end_column", "pointer")
    return {name: None if region is None else getattr(region, name) for name in names}


def _rule(code: str, found: Sequence[Diagnostic]) -> dict[str, Any]:
    known = CODES.get(code)
    level = next(each.severity.value for each in found if each.code == code)
    rule: dict[str, Any] = {"id": code, "defaultConfiguration": {"level": level}}
    if known is not None:
        rule["shortDescription"] = {"text": known.summary}
    return rule


def _result(diagnostic: Diagnostic, codes: Sequence[str]) -> dict[str, Any]:
    message = diagnostic.message if diagnostic.help is None else f"{diagnostic.message} ({diagnostic.help})"
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity.value,
        "message": {"text": message},
    }
    region = primary(diagnostic)
    if region is not None:
        result["locations"] = [_location(region)]
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": each.message}, **_location(region_of(each.span))}
            for number, each in enumerate(diagnostic.related)
        ]
    return result


def _location(region: Region) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(region.file)}}
    if region.line is not None:
        part = {"startLine": region.line, "startColumn": region.column or 1}
        if region.end_line is not None and region.end_column is not None:
            part |= {"endLine": region.end_line, "endColumn": region.end_column}
        physical["region"] = part
    location: dict[str, Any] = {"physicalLocation": physical}
    if region.pointer is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": region.pointer}]
    return location


def _uri(file: str) -> str:
    """A relative reference for a relative path, a `file` URI for an absolute one (RFC 3986)."""
    path = PurePath(file)
    if path.is_absolute():
        return path.as_uri()
    return quote(path.as_posix(), errors="surrogatepass")
