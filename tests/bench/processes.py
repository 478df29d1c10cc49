"""Commands measured as whole processes: wall time, and memory of all their processes together."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_EVERY_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run of a command: seconds by the clock, peak memory in bytes summed over its processes, exit code.

    Pages that processes share are counted once (proportional set size).
    """

    seconds: float
    peak_bytes: int
    code: int


def measured(command: Sequence[str], *, feed: Callable[[IO[bytes]], None] | None = None) -> Measured:
    """Run a command to its end, `feed` writing its standard input; its output is thrown away."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(_EVERY_SECONDS):
            peak = max(peak, sum(_memory(pid) for pid in _family(process.pid)))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    if feed is not None and process.stdin is not None:
        feed(process.stdin)
        process.stdin.close()
    code = process.wait()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    return Measured(seconds=seconds, peak_bytes=peak, code=code)


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
