"""Poker hand histories: audits of one file of many hands, and of many files of one hand, beside PokerKit."""

from __future__ import annotations

import importlib
import statistics
import time
import tomllib
import warnings
from collections.abc import Iterator
from decimal import Decimal
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from benchmarks.processes import timed

REAL = Path(__file__).parents[3] / "shared" / "hands" / "phh"
"""Recorded hands, where there are any."""
PROFILE = Path(__file__).parents[2] / "rules_data" / "poker-room" / "profiles" / "card-room-custom.yaml"
HANDS, FILES = 40_000, 300
TURNS = 3
"""How often the file of many hands is audited; the figure is of the run in the middle."""
VARIANTS = ("NT", "FT")
CLEAN = (0, 4)


def histories(fairdeal: str, folder: Path, *, jobs: str) -> list[Figure]:
    """The figures; none where there are no recorded hands. Raises RuntimeError where a clean hand fails."""
    if not REAL.is_dir():
        return []
    hands = list(_hands())
    many = folder / "hands.phhs"
    many.write_text("\n".join(f"[{number}]\n{hand}" for number, hand in enumerate(islice(cycle(hands), HANDS), 1)))
    files = []
    for number, hand in enumerate(islice(cycle(hands), FILES), 1):
        files.append(folder / f"{number}.phh")
        files[-1].write_text(hand)
    command = [fairdeal, "audit", "--profile", str(PROFILE), "--jobs", jobs]
    command += ["--output", f"json:{folder / 'results.json'}"]
    audited = statistics.median(_seconds([*command, str(many)]) for _ in range(TURNS))
    one, all_ = _seconds([*command, str(files[0])]), _seconds([*command, *map(str, files)])
    replayed = HANDS / _replay(many)
    rate = HANDS / audited
    return [
        Figure(name="hand histories: PokerKit parses and replays", value=replayed, unit="hands/s"),
        Figure(
            name="hand histories: audit one file of many hands",
            value=rate,
            unit="hands/s",
            against="PokerKit, same file, one thread",
            ratio=rate / replayed,
        ),
        Figure(
            name="hand histories: each further file of one hand", value=1000 * (all_ - one) / (FILES - 1), unit="ms"
        ),
    ]


def _hands() -> Iterator[str]:
    """The recorded hands of variants that are audited, as TOML without tables."""
    for path in sorted(REAL.rglob("*.phh*")):
        for text in path.read_text().split("\n["):
            hand = text.partition("]\n")[2] if path.suffix == ".phhs" else text
            if tomllib.loads(hand).get("variant") in VARIANTS:
                yield f"{hand.strip()}\n"


def _seconds(command: list[str]) -> float:
    run = timed(command)
    if run.code not in CLEAN:
        raise RuntimeError(f"something failed in clean hands (exit {run.code}): {' '.join(command[:8])}")
    return run.seconds


def _replay(path: Path) -> float:
    """Seconds in which PokerKit parses and plays all hands of a file."""
    pokerkit: Any = importlib.import_module("pokerkit")
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with path.open("rb") as stream:
            for hand in pokerkit.HandHistory.load_all(stream, parse_value=Decimal):
                for _ in hand:
                    pass
    return time.perf_counter() - start
