"""The Markdown block of a run, as it stands in the README between two marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

BEGIN = "<!-- benchmarks -->"
END = "<!-- /benchmarks -->"


def block(results: dict[str, Any]) -> str:
    """The marks, the tables, the machine and how to repeat the run."""
    machine = results["machine"]
    libraries = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    lines = [
        BEGIN,
        f"Measured on {machine['date']}: {machine['processor']}, {machine['cores']} cores, {machine['python']},"
        f" {machine['system']}; {libraries}.",
        "Repeat it with `pip install -e .[benchmark]` and `python -m tests.benchmarks`.",
        "",
        *_decisions(results),
        *_sections(results["sections"]),
        END,
    ]
    return "\n".join(lines)


def place(path: Path, text: str) -> None:
    """Put a block in the place of the one in a file. Raises ValueError where the file has not both marks, in order."""
    found = path.read_text(encoding="utf-8")
    before, begin, rest = found.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no `{BEGIN}` with `{END}` after it")
    path.write_text(before + text + after, encoding="utf-8")


def _decisions(results: dict[str, Any]) -> list[str]:
    sizes = results["sizes"]
    if not sizes:
        return []
    names = list(dict.fromkeys(row["name"] for size in sizes for row in size["rows"]))
    requests = max(row["requests"] for size in sizes for row in size["rows"])
    rounds = results["rounds"]
    lines = [
        f"One decision by the number of rules, the same policy and the same {requests:,} requests for all, answers"
        f" checked to be equal first: p50 in µs, the median of {rounds} interleaved rounds; in brackets the ratio to"
        " the floor of the same round, with its quartiles.",
        "",
        "| decided by | " + " | ".join(f"{size['rules']:,} rules" for size in sizes) + " | how |",
        "| --- |" + " ---: |" * len(sizes) + " --- |",
    ]
    for name in names:
        rows = [next((row for row in size["rows"] if row["name"] == name), None) for size in sizes]
        known = next(row for row in rows if row is not None)
        title = f"{name} ({known['library']})" if known["library"] else name
        lines.append(f"| {title} | " + " | ".join(map(_cell, rows)) + f" | {known['note']} |")
    absent = {each["name"]: each["why"] for size in sizes for each in size["absent"]}
    lines.extend(f"| {name} |" + " – |" * len(sizes) + f" {why} |" for name, why in absent.items())
    return [*lines, ""]


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    first, third = row["ratio_quartiles"]
    return f"{number(row['p50_us'])} ({number(row['ratio'])}; {number(first)}–{number(third)})"


def number(value: float) -> str:
    """A number with three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _sections(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    if not found:
        return []
    lines = ["| also measured | median | quartiles | |", "| --- | ---: | ---: | --- |"]
    for rows in found.values():
        for row in rows:
            spread = row.get("quartiles")
            between = "" if spread is None else f"{number(spread[0])}–{number(spread[1])}"
            value = "–" if row["value"] is None else f"{number(row['value'])} {row['unit']}"
            lines.append(f"| {row['name']} | {value} | {between} | {row.get('note', '')} |")
    return [*lines, ""]
