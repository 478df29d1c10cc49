"""Command lines run in this process or as the program itself."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from fairdeal.cli.main import main
from tools.generated_files.__main__ import ROOT, list_generated_files

__all__ = [
    "ROOT",
    "Finished",
    "list_generated_files",
    "run",
    "run_program",
    "run_until_exit",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A command line that has ended: its exit code, and what it wrote."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def results(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


def run(*arguments: str | Path, stdin: bytes = b"") -> Finished:
    """Run a command line in this process. A fault of the program is raised as it arose."""
    return run_until_exit(lambda: main([str(argument) for argument in arguments]), stdin=stdin)


def run_until_exit(
    call: Callable[[], object], *, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> Finished:
    """Run a part of the program that exits, in this process, and return how it ended."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        mock.patch.object(sys, "stdin", given),
        mock.patch.dict(os.environ, {"FAIRDEAL_TRACEBACK": "1", **(environment or {})}),
    ):
        try:
            call()
        except SystemExit as end:
            assert isinstance(end.code, int)
            code = int(end.code)
    out.flush()
    return Finished(code=code, out=out.buffer.getvalue(), err=err.getvalue())


def run_program(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command line as the program itself, its output captured unless `options` say otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "fairdeal.cli.main", *map(str, arguments)]
    return subprocess.run(command, check=False, **{"timeout": 60, **streams, **options})
