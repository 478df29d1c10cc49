"""Poker hand histories: audits of one file of many hands, and of many files of one hand, compared with PokerKit."""

from __future__ import annotations

import importlib
import io
import random
import re
import statistics
import time
import warnings
from collections.abc import Iterator
from decimal import Decimal
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from benchmarks.processes import time_command
from benchmarks.small_logs import MOST

PROFILE = "card-room-custom"
PLAYED = 1000
"""Hands that PokerKit plays and writes; of these the files are made, over and over."""
HANDS, FILES = 40_000, 5000
REPLAYED = 2000
"""Hands of the large file that PokerKit reads: it takes milliseconds for each."""
PLAYERS, STACK, BLINDS = 6, 200, (1, 2)
SEED = 1
AUTOMATED = (
    *("ANTE_POSTING", "BET_COLLECTION", "BLIND_OR_STRADDLE_POSTING", "HOLE_CARDS_SHOWING_OR_MUCKING"),
    *("HAND_KILLING", "CHIPS_PUSHING", "CHIPS_PULLING"),
)
"""Program that runs PokerKit alone."""
TURNS = 3
"""Number of audits of the file of many hands; the figure is of the median run."""
TIMES = 14.0
"""Target: factor by which audits are faster than PokerKit."""
CLEAN = (0, 4)


def histories(fairdeal: str, folder: Path, *, jobs: str) -> list[Figure]:
    """Yield the figures. Raises RuntimeError if a clean hand fails."""
    hands = list(_hands())
    many, some = folder / "hands.phhs", folder / "some.phhs"
    for path, count in ((many, HANDS), (some, REPLAYED)):
        path.write_text("\n".join(f"[{number}]\n{hand}" for number, hand in enumerate(islice(cycle(hands), count), 1)))
    files = folder / "hands"
    files.mkdir()
    for number, hand in enumerate(islice(cycle(hands), FILES), 1):
        # A hand that comes again would be set aside as a repetition.
        (files / f"{number}.phh").write_text(re.sub(r"(?m)^hand = \d+$", f"hand = {number}", hand))
    command = [fairdeal, "audit", "--profile", PROFILE, "--jobs", jobs]
    command += ["--output", f"json:{folder / 'results.json'}"]
    audited = statistics.median(_seconds([*command, str(many)]) for _ in range(TURNS))
    one, all_ = _seconds([*command, str(files / "1.phh")]), _seconds([*command, str(files)])
    replayed = REPLAYED / _replay(some)
    rate = HANDS / audited
    return [
        Figure(name="hand histories: PokerKit parses and replays", value=replayed, unit="hands/s"),
        Figure(
            name="hand histories: audit one file of many hands",
            value=rate,
            unit="hands/s",
            against="PokerKit, one thread",
            ratio=rate / replayed,
            target=TIMES,
        ),
        Figure(
            name="hand histories: each further file of one hand",
            value=1000 * (all_ - one) / (FILES - 1),
            unit="ms",
            target=MOST,
        ),
    ]


def _hands() -> Iterator[str]:
    """Hands played at random, as TOML without tables; the same ones every time."""
    pokerkit: Any = importlib.import_module("pokerkit")
    automations = tuple(getattr(pokerkit.Automation, name) for name in AUTOMATED)
    game = pokerkit.NoLimitTexasHoldem(automations, True, 0, BLINDS, BLINDS[1])
    choose = random.Random(SEED)
    for number in range(1, PLAYED + 1):
        state = game((STACK,) * PLAYERS, PLAYERS)
        cards = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
        choose.shuffle(cards)
        while state.status:
            _step(state, cards, choose.random())
        written = io.BytesIO()
        pokerkit.HandHistory.from_game_state(game, state, hand=number).dump(written)
        yield f"{written.getvalue().decode().strip()}\n"


def _step(state: Any, cards: list[str], chance: float) -> None:
    if state.can_deal_hole():
        state.deal_hole(cards.pop() + cards.pop())
    elif state.can_burn_card():
        state.burn_card("??")
    elif state.can_deal_board():
        state.deal_board("".join(cards.pop() for _ in range(1 if state.board_cards else 3)))
    elif chance < 0.15 and state.can_complete_bet_or_raise_to():
        state.complete_bet_or_raise_to(state.min_completion_betting_or_raising_to_amount)
    elif chance < 0.5 and state.can_fold():
        state.fold()
    else:
        state.check_or_call()


def _seconds(command: list[str]) -> float:
    run = time_command(command)
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
