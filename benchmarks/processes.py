"""Commands measured as whole processes: wall time, or memory of all their processes together."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_EVERY_SECONDS = 0.05
_FOLDER = "/"
"""Folder of the commands: it has no configuration file that fairdeal would read first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """Unobserved run of a command: seconds by the clock, exit code."""

    seconds: float
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """Observed run of a command: peak memory in bytes summed over its processes, exit code, processor time.

    Pages that processes share are counted once (proportional set size). The observation slows the processes down, so
    the duration of such a run means nothing.
    """

    peak_bytes: int
    code: int
    cpu_seconds: float
    """Processor time of all its processes."""


def time_command(command: Sequence[str], **environment: str) -> Timed:
    """Run a command to its end, with more in its environment; its output is thrown away."""
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=_FOLDER,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | environment,
        check=False,
    )
    return Timed(seconds=time.perf_counter() - start, code=done.returncode)


def watch_command(command: Sequence[str]) -> Watched:
    """Run a command and observe its memory."""
    process = subprocess.Popen(
        command,
        cwd=_FOLDER,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak, before = 0, resource.getrusage(resource.RUSAGE_CHILDREN)
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(_EVERY_SECONDS):
            peak = max(peak, sum(_memory(pid) for pid in _family(process.pid)))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    code = process.wait()
    done.set()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Watched(peak_bytes=peak, code=code, cpu_seconds=took)


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:
                continue
    return found


def _memory(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
