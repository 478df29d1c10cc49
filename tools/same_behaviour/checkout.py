"""A checkout, and commands run in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.same_behaviour.case import Case

HOST = Path(__file__).with_name("host.py")
LONGEST = 900
"""Seconds after which a command is given up."""


class NotACheckoutError(Exception):
    """A folder without the program."""


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """A checkout, the folder for what its commands leave, and that of what they read."""

    name: str
    root: Path
    scratch: Path
    inputs: Path

    @property
    def program(self) -> Path:
        """Path of the program. The program uses its own path, so links in it are not followed."""
        return self.root / ".venv" / "bin" / "fairdeal"

    @property
    def rules(self) -> Path:
        """The rules it ships."""
        return self.root / "rules_data"

    def need_program(self) -> None:
        """Raise NotACheckoutError if the program is missing."""
        if not self.program.is_file():
            raise NotACheckoutError(f"{self.root} has no .venv/bin/fairdeal; make .venv/.ready there")

    def folder(self, number: int) -> Path:
        """Return the folder in which case `number` runs."""
        return self.scratch / "at" / f"{number:05d}"

    def record(self, number: int) -> Path:
        """Return the folder with stdout, stderr and exit code of case `number`."""
        return self.scratch / "record" / f"{number:05d}"

    def run(self, number: int, case: Case) -> None:
        """Run a case as a user would."""
        folder, record = self._made_ready(number, case)
        source = os.devnull if case.stdin is None else str(folder / "in" / case.stdin)
        with (
            Path(source).open("rb") as stdin,
            (record / "stdout").open("wb") as stdout,
            (record / "stderr").open("wb") as stderr,
        ):
            try:
                status = subprocess.run(
                    [str(self.program), *case.arguments],
                    cwd=folder,
                    env=self._environment(),
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    check=False,
                    timeout=LONGEST,
                ).returncode
            except subprocess.TimeoutExpired:
                stderr.write(f"given up after {LONGEST} seconds\n".encode())
                status = -1
        (record / "exit").write_text(f"{status}\n", "utf-8")

    def run_quick(self, cases: Sequence[tuple[int, Case]], warm: Sequence[Sequence[str]]) -> None:
        """Run cases one after the other in forks of one process that has run `warm` before. What could not be run at
        all has no record."""
        told = []
        for number, case in cases:
            folder, record = self._made_ready(number, case)
            told.append({"arguments": case.arguments, "folder": str(folder), "record": str(record)})
        subprocess.run(
            [str(self.root / ".venv" / "bin" / "python"), str(HOST)],
            input=json.dumps({"program": str(self.program), "warm": warm, "cases": told}).encode(),
            cwd=self.scratch,
            env=self._environment(),
            check=False,
            timeout=LONGEST + len(cases),
        )

    def _made_ready(self, number: int, case: Case) -> tuple[Path, Path]:
        folder, record = self.folder(number), self.record(number)
        folder.mkdir(parents=True)
        record.mkdir(parents=True)
        (folder / "in").symlink_to(self.inputs)
        for name, source in case.copies.items():
            shutil.copyfile(folder / "in" / source, folder / name)
        return folder, record

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.scratch),
            "XDG_CACHE_HOME": str(self.scratch / "cache"),
            "TMPDIR": str(self.scratch / "tmp"),
            "SOURCE_DATE_EPOCH": "1772323200",  # the first of March 2026
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
        }
