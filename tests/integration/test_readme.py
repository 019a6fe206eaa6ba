"""Every block of the README's tour, run in its order in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def matches(shown: str, output: str) -> bool:
    """Whether the output is what is shown, where a line of `...` stands for any lines."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown.splitlines())
    return re.fullmatch(pattern, output if output.endswith("\n") or not output else output + "\n") is not None


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
    return found


def test_every_block_of_the_tour_runs_as_shown(tmp_path: Path) -> None:
    tour = (ROOT / "README.md").read_text(encoding="utf-8").partition("## A five-minute tour")[2]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "200", "LC_ALL": "C.UTF-8"}
    ran = 0
    for language, name, text in BLOCK.findall(tour):
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif language == "console":
            for command, shown in commands(text):
                done = subprocess.run(  # the commands are this project's own
                    command,
                    shell=True,
                    cwd=tmp_path,
                    env=environment,
                    text=True,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    check=False,
                    timeout=60,
                )
                assert matches(shown, done.stdout), f"$ {command}\n{done.stdout}"
                ran += 1
        else:
            assert language == "python"
            subprocess.run([sys.executable, "-c", text], cwd=tmp_path, env=environment, check=True, timeout=60)
            ran += 1
    assert ran == 19
