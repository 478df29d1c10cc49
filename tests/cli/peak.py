"""The memory that the program takes with all its processes, measured from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PROGRAM = (sys.executable, "-c", "from fairdeal.cli.main import main; main()")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A run of the program: its exit code, its messages, and the most memory (MiB) of all its processes together."""

    code: int
    err: str
    peak: float


def measure_peak(*arguments: str | Path) -> Measured:
    """Run the program by itself; what processes share counts once."""
    with tempfile.TemporaryFile() as err:
        with subprocess.Popen([*PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=err) as started:
            peak = 0
            while started.poll() is None:
                peak = max(peak, sum(map(_read_share, _list_family(started.pid))))
                time.sleep(0.05)
        err.seek(0)
        return Measured(code=started.returncode, err=err.read().decode(), peak=peak / 1024)


def _list_family(process: int) -> list[int]:
    found = [process]
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [member for child in listed.read_text().split() for member in _list_family(int(child))]
        except OSError:
            continue
    return found


def _read_share(process: int) -> int:
    """Return the proportional share of memory of a process in KiB, 0 once it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def can_measure() -> bool:
    """Return whether the system reports the memory of processes."""
    return sys.platform == "linux" and os.path.exists("/proc/self/smaps_rollup")  # noqa: PTH110
