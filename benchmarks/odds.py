"""Odds, compared with a plain enumeration of the same deals, compiled by numba if installed."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import Figure
from benchmarks.processes import time_command, watch_command

GAME = "co-rule10-3card-shine"
TABLES = (
    (GAME,),
    ("s38",),
    ("co-rule10-flushes-gone-wild", "--wager", "flush-rush"),
    ("caribbean-draw", "--wager", "progressive"),
)
"""The games, or their wagers, that are paid by permitted tables."""
_TIMES = 5
TENFOLD = 10.0
"""A tenth of the time of a plain enumeration."""
LONGEST = ("co-rule10-flushes-gone-wild", "--wager", "ante")


def odds(fairdeal: str, folder: Path) -> list[Figure]:
    """Measure the time and memory of odds."""
    output = ["--output", f"json:{folder / 'odds.json'}"]
    enumerated, against = _enumeration()
    ours = _ante_and_play()
    tables = sum(time_command([fairdeal, "odds", *table, *output]).seconds for table in TABLES)
    most = max(watch_command([fairdeal, "odds", *table, *output]).peak_bytes for table in (*TABLES, LONGEST))
    return [
        Figure(
            name="odds of Ante and Play, 407,170,400 deals",
            value=ours,
            unit="seconds",
            against=against,
            ratio=enumerated / ours,
            target=TENFOLD,
        ),
        Figure(name="odds of every pay table, commands together", value=tables, unit="seconds", target=5.0),
        Figure(name="odds: memory at the most", value=most / 1e6, unit="MB", target=500.0),
    ]


def _ante_and_play() -> float:
    from fairdeal.validator.odds.choosing.exact_odds import solve_exactly
    from fairdeal.validator.odds.hand_counts import HandCounts
    from fairdeal.validator.odds.player_options import list_wager_groups, set_up_table
    from fairdeal.validator.odds.wager_odds import list_variants
    from fairdeal.validator.operators.operator_table import compile_game
    from fairdeal.validator.rulebook.rulebook import Rulebook

    prepared = compile_game(Rulebook(folder=None).regulation(GAME))
    group = list_wager_groups(prepared.game)[0]
    variant = next(list_variants(prepared, group, None))
    # As of the enumeration, what is made once a process (there machine code, here classes of cards) is left out.
    return min(
        _measure(lambda: solve_exactly(set_up_table(prepared, variant.configuration, group), HandCounts(prepared), {}))
        for _ in range(_TIMES)
    )


def _enumeration() -> tuple[float, str]:
    """Seconds to hold every hand of the player against every hand of the dealer."""
    hands = np.array([*combinations(range(52), 3)], np.int64)
    masks = np.bitwise_or.reduce(np.left_shift(np.int64(1), hands), axis=1)
    # Any order of hands will do: what is measured is the enumeration, not the ranking.
    order = (hands // 4).sum(axis=1)
    won = np.empty(len(hands), np.int64)
    try:
        numba: Any = importlib.import_module("numba")
    except ImportError:
        return _measure(lambda: _by_rows(masks, order, won)), "a plain enumeration in NumPy"
    compiled = numba.njit(_pair_by_pair)
    compiled(masks[:10], order[:10], won[:10])
    return min(_measure(lambda: compiled(masks, order, won)) for _ in range(_TIMES)), "one compiled by numba"


def _pair_by_pair(masks: Any, order: Any, won: Any) -> None:
    for mine in range(len(masks)):
        total = 0
        for theirs in range(len(masks)):
            if masks[mine] & masks[theirs] == 0:
                if order[theirs] < 30:
                    total += 1
                elif order[mine] > order[theirs]:
                    total += 2
                elif order[mine] < order[theirs]:
                    total -= 2
        won[mine] = total


def _by_rows(masks: Any, order: Any, won: Any) -> None:
    for mine in range(len(masks)):
        apart = masks[mine] & masks == 0
        worth = np.where(order < 30, 1, 2 * np.sign(order[mine] - order))
        won[mine] = worth[apart].sum()


def _measure(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
