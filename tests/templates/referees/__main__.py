"""Command that audits many rounds of referees by the rules of templates, and lists what the product finds."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.lawful.record import write_log, write_submissions
from tests.templates.referees.judge import GAMES, build_cases, find_misses, has_rules, judge, load_referee
from tests.templates.referees.known_gaps import MISSES, find_accusations
from tests.templates.referees.other_records import WAYS, write_other_records

BLOCK = 2_000


def main() -> int:
    """Judge lawful rounds and violations of games; return 1 for an accusation or a miss that is not known."""
    parser = argparse.ArgumentParser(prog="python -m tests.templates.referees", description=__doc__)
    parser.add_argument("--game", action="append", choices=GAMES, help="a game; left out, all that have rules")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--way", choices=[*WAYS, "any"], help="another way to record the rounds")
    parser.add_argument("--keep", type=Path, help="a folder for logs and submissions")
    parser.add_argument("--write-only", action="store_true", help="write the rounds, and judge nothing")
    options = parser.parse_args()
    is_any_found = False
    for game in options.game or [game for game in GAMES if options.write_only or has_rules(game)]:
        referee = load_referee(game)
        counts: Counter[str] = Counter()
        for index, start in enumerate(range(0, options.rounds, BLOCK)):
            seed = options.seed + index
            many = min(BLOCK, options.rounds - start)
            if options.way:
                way = None if options.way == "any" else options.way
                records, submissions = write_other_records(referee, seed, many, way)
            else:
                records, submissions = referee.write(seed, many)
            if options.keep:
                folder = options.keep / f"{game}-{seed}"
                folder.mkdir(parents=True, exist_ok=True)
                write_log(folder / "log.jsonl", records)
                write_submissions(folder, submissions)
            counts.update(rounds=len(records))
            if options.write_only:
                continue
            judgement = judge(game, records, submissions)
            counts.update(failures=len(judgement.failures), quarantined=len(judgement.quarantined))
            is_any_found = is_any_found or bool(find_accusations(game, judgement))
            if not judgement.is_clean():
                print(f"{game}, seed {seed}:\n{judgement.describe()}", flush=True)
        print(f"{game}: " + ", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
        if not options.write_only:
            cases = build_cases(referee, options.seed)
            misses, controls = find_misses(game, cases)
            is_any_found = is_any_found or bool(find_accusations(game, controls))
            is_any_found = is_any_found or not misses <= MISSES.get(game, set())
            clauses = {violation.name: violation.clause for violation in referee.violations}
            print(f"{game}: {len(cases) - len(misses)} of {len(cases)} violations found; missed:")
            print("".join(f"  {clauses[name]} {name}\n" for name in sorted(misses)), end="", flush=True)
    return 1 if is_any_found else 0


if __name__ == "__main__":
    sys.exit(main())
