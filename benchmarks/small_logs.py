"""Many logs of one round each, compared with one log of the same rounds."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.figures import Figure

FILES = 5000
TURNS = 3
"""Number of audits of both, in turns; the figure is of the median run."""
MOST = 2.0
"""Milliseconds that each file is to take at most."""


def small_logs(
    game: str, lines: Path, command: Sequence[str], seconds: Callable[[list[str]], float], *, files: int = FILES
) -> list[Figure]:
    """Measure audits of one round a file. `seconds` runs an audit of a clean log and returns how long it takes."""
    folder = lines.parent / f"{game}-small"
    folder.mkdir()
    one = folder.with_suffix(".jsonl")
    with lines.open("rb") as stream, one.open("wb") as together:
        for number, line in enumerate(islice(stream, files)):
            (folder / f"{number:06}.jsonl").write_bytes(line)
            together.write(line)
    first, *others = sorted(folder.iterdir())
    turns = [(seconds([*command, str(folder)]), seconds([*command, str(one)])) for _ in range(TURNS)]
    begins = seconds([*command, str(first)])
    shutil.rmtree(folder)
    one.unlink()
    apart = statistics.median(side for side, _ in turns)
    return [
        Figure(
            name=f"{game}: each further file of one round",
            value=1000 * (apart - begins) / len(others),
            unit="ms",
            target=MOST,
        ),
        Figure(
            name=f"{game}: audit files of one round",
            value=(1 + len(others)) / apart,
            unit="rounds/s",
            against="audit of one file with the same rounds",
            ratio=statistics.median(together / each for each, together in turns),
        ),
    ]
