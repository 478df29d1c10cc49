"""Pages followed as a reader does: files from their blocks, commands as they show them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from tests.docs.blocks import DOCS, blocks
from tests.facade.commands import ROOT

ELISION = "..."
"""Line of a page in the place of output that the page leaves out."""


class Step(Struct, frozen=True, kw_only=True):
    """A command of a page, run."""

    command: str
    """The command line, without its prompt."""
    shown: str
    """Output that the page shows, "" where it shows none."""
    printed: str
    """Standard output, followed by standard error."""

    @property
    def is_as_shown(self) -> bool:
        """Return whether the command printed what the page shows."""
        if not self.shown:
            return True
        parts = re.split(rf"^ *{re.escape(ELISION)}\n", self.shown, flags=re.M)
        return bool(re.fullmatch("(?:.*\n)*".join(map(re.escape, parts)), self.printed))


def follow(page: str, folder: Path) -> list[Step]:
    """Do what a page says, from a folder in which `rules_data` is located, and check the exit code of each command.

    A block with `file=` is added to that file. In a block of commands, `exit=` is the exit code of the last one.
    """
    here = folder
    steps: list[Step] = []
    for block in blocks(page):
        if "file" in block.options:
            path = here / block.options["file"]
            text = path.read_text("utf-8") + "\n" if path.exists() else ""
            path.write_text(text + block.text, "utf-8")
        if block.language != "console" or block.claim == "shown":
            continue
        commands = _split_commands(block.text)
        for number, (command, shown) in enumerate(commands, 1):
            words = shlex.split(command)
            if words[0] == "cd":
                here = here / words[1]
                continue
            code = int(block.options.get("exit", "0")) if number == len(commands) else 0
            ended = _run(words, here)
            assert ended.returncode == code, (command, ended.stdout, ended.stderr)
            steps.append(Step(command=command, shown=shown, printed=ended.stdout + ended.stderr))
    return steps


def _split_commands(text: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with the output under it."""
    commands: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        else:
            command, shown = commands.pop()
            commands.append((command, f"{shown}{line}\n"))
    return commands


def _run(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; `fairdeal` is the program of this checkout."""
    if words[0] == "fairdeal":
        words = [sys.executable, "-m", "fairdeal", *words[1:]]
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1767225600", "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )


def rewrite(page: str, steps: Sequence[Step]) -> None:
    """Write what commands printed into a page, where it shows the whole output of a command."""
    path = DOCS / page
    text = path.read_text("utf-8")
    for step in steps:
        if step.shown and ELISION not in step.shown.split():
            text = text.replace(f"$ {step.command}\n{step.shown}", f"$ {step.command}\n{step.printed}")
    path.write_text(text, "utf-8")
