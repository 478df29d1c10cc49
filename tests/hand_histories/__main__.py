"""Command that imports many hands of home games, and compares their findings with those of the log of the table."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.hand_histories.history_writers import write_ohh, write_record, write_text
from tests.hand_histories.imported import import_text, list_findings, normalize, read_log
from tests.hand_histories.played_hands import play_hand
from tests.phh.replay import pokerkit

TOGETHER = 1_000


def _remember_hands() -> None:
    """Let PokerKit rank the same cards only once, which takes most of its time."""
    known: dict[tuple[Any, ...], Any] = {}
    hand = pokerkit.hands.CombinationHand
    rank = hand.from_game.__func__

    def from_game(cls: Any, hole_cards: Any, board_cards: Any = ()) -> Any:
        key = (cls, tuple(pokerkit.Card.clean(hole_cards)), tuple(pokerkit.Card.clean(board_cards)))
        if key not in known:
            if len(known) > 10_000:
                known.clear()
            known[key] = rank(cls, *key[1:])
        return known[key]

    hand.from_game = classmethod(from_game)


def main() -> int:
    """Import hands as Open Hand History and as text; return 1 if a record or a finding differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.hand_histories", description=__doc__)
    parser.add_argument("--hands", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    _remember_hands()
    counts: Counter[str] = Counter()
    milliseconds: Counter[str] = Counter()
    for start in range(options.seed, options.seed + options.hands, TOGETHER):
        with TemporaryDirectory() as folder:
            _compare(Path(folder), start, min(TOGETHER, options.seed + options.hands - start), counts, milliseconds)
        print(start, dict(counts), dict(milliseconds), flush=True)
    return int(any(count for name, count in counts.items() if name not in ("hands", "too many cards")))


def _compare(folder: Path, start: int, many: int, counts: Counter[str], milliseconds: Counter[str]) -> None:
    began = time.perf_counter()
    played = [play_hand(seed) for seed in range(start, start + many)]
    hands = [hand for hand in played if sum(len(act.cards) for act in hand.acts if act.kind == "board") <= 24]
    counts.update({"hands": len(hands), "too many cards": len(played) - len(hands)})
    milliseconds["played"] += int(1000 * (time.perf_counter() - began))
    direct = folder / "direct.jsonl"
    direct.write_text("".join(json.dumps(write_record(hand, returned=False)) + "\n" for hand in hands))
    texts = {
        "hands.ohh": "\n\n".join(map(write_ohh, hands)),
        "PokerStars.txt": "".join(map(write_text, hands)),
    }
    expected = list_findings(direct)
    counts["failures in the direct log"] += len(expected)
    for finding in sorted(expected, key=str):
        print(finding, flush=True)
    for name, text in texts.items():
        began = time.perf_counter()
        import_text(folder, text, name=name)
        milliseconds[f"import {name}"] += int(1000 * (time.perf_counter() - began))
        log = folder / f"{name}.jsonl"
        began = time.perf_counter()
        counts[f"other findings in {name}"] += len(list_findings(log) ^ expected)
        milliseconds[f"audit {name}"] += int(1000 * (time.perf_counter() - began))
        without = ("context", "time", "small-bet", "big-bet")
        records = zip(hands, read_log(log), strict=True)
        counts[f"other records in {name}"] += sum(
            normalize(record, without=without)
            != normalize(write_record(hand, returned=name != "hands.ohh"), without=without)
            for hand, record in records
        )


if __name__ == "__main__":
    sys.exit(main())
