"""Command that audits many generated lawful rounds and lists what the product finds in them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.lawful.judge import MODULES, judge, load_generator, write_rounds
from tests.lawful.known import POKER
from tests.lawful.record import write_log, write_submissions
from tests.lawful.recordings import WAYS, make_recorder

SESSION_ROUNDS = 2_000


def main() -> int:
    """Judge rounds of each game named; return 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.lawful", description=__doc__)
    parser.add_argument(
        "--game", action="append", choices=sorted(MODULES), help="a game; left out, all that are written"
    )
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--way", choices=[*WAYS, "any"], help="how rounds against the house are recorded")
    parser.add_argument("--keep", type=Path, help="a folder for the logs and submissions")
    options = parser.parse_args()
    written = [game for game, module in MODULES.items() if (Path(__file__).parent / f"{module}.py").exists()]
    recorder = make_recorder(None if options.way == "any" else options.way) if options.way else None
    if recorder is not None:
        if POKER in (options.game or ()):
            parser.error("--way is about games against the house")
        written = [game for game in written if game != POKER]
    is_any_found = False
    for game in options.game or written:
        profile = getattr(load_generator(game), "PROFILE", None)
        left, seed = options.rounds, options.seed
        counts: Counter[str] = Counter()
        while left > 0:
            records, submissions = write_rounds(game, seed, min(left, SESSION_ROUNDS), recorder)
            if options.keep:
                folder = options.keep / f"{MODULES[game]}-{seed}"
                folder.mkdir(parents=True, exist_ok=True)
                write_log(folder / "log.jsonl", records)
                write_submissions(folder, submissions)
            judgement = judge(records, submissions, profile)
            counts.update(rounds=len(records), failures=len(judgement.failures), quarantined=len(judgement.quarantined))
            if not judgement.is_clean():
                is_any_found = True
                print(f"{game}, seed {seed}:\n{judgement.describe()}", flush=True)
            left -= len(records)
            seed += 1
        print(f"{game}: " + ", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    return 1 if is_any_found else 0


if __name__ == "__main__":
    sys.exit(main())
