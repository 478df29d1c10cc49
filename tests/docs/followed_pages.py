"""Pages followed as a reader does: files from their blocks, commands as they show them."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from fairdeal.cli.main import main
from tests.docs.blocks import DOCS, blocks
from tests.facade.commands import ROOT, run_until_exit

ELISION = "..."
"""Output that a page leaves out: lines if it is a line of its own, else the rest of a line."""


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
        blocks_of_lines = re.split(rf"^ *{re.escape(ELISION)}\n", self.shown, flags=re.M)
        patterns = [".*".join(map(re.escape, lines.split(ELISION))) for lines in blocks_of_lines]
        return bool(re.fullmatch("(?:.*\n)*".join(patterns), self.printed))


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
    """Run a command in a folder; `fairdeal` is the program of this checkout, in this process."""
    environment = {"PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1767225600", "COLUMNS": "120"}
    if words[0] == "fairdeal":
        with contextlib.chdir(folder):
            ended = run_until_exit(lambda: main([*words[1:]]), environment=environment)
        return subprocess.CompletedProcess(words, ended.code, ended.text, ended.err)
    return subprocess.run(
        words, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def rewrite(page: str, steps: Sequence[Step]) -> None:
    """Write what commands printed into a page, where it shows the whole output of a command."""
    path = DOCS / page
    text = path.read_text("utf-8")
    for step in steps:
        if step.shown and ELISION not in step.shown:
            text = text.replace(f"$ {step.command}\n{step.shown}", f"$ {step.command}\n{step.printed}")
    path.write_text(text, "utf-8")


def run_script(page: str) -> str:
    """Run the one Python block of a page from the root of the checkout, and return what it prints."""
    [script] = [block for block in blocks(page) if block.language == "python"]
    ended = subprocess.run(
        [sys.executable, "-"],
        input=script.text,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def read_printed(page: str) -> str:
    """Return the output of its Python block that a page shows."""
    [shown] = [block for block in blocks(page) if block.claim == "printed"]
    return shown.text


def rewrite_printed(page: str, printed: str) -> None:
    """Write the output of its Python block into a page."""
    path = DOCS / page
    before, fence, rest = path.read_text("utf-8").partition("```text printed\n")
    path.write_text(before + fence + printed + rest[rest.index("```\n") :], "utf-8")
