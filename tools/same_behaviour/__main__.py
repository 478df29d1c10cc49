"""`python -m tools.same_behaviour OLD NEW`: whether two checkouts behave alike."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

from tools.same_behaviour.checkout import Checkout, NotACheckoutError
from tools.same_behaviour.differences import Difference, compare_case
from tools.same_behaviour.recording import record, record_in_order, run_all
from tools.same_behaviour.wanted import Wanted, WantedFileError, find_stale, read_wanted


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare. 0 where nothing differs that is not wanted, 1 where something does, 2 where nothing can be compared."""
    parser = argparse.ArgumentParser(prog="python -m tools.same_behaviour", description=__doc__)
    parser.add_argument("old", type=Path, help="a checkout with its own .venv: what should be")
    parser.add_argument("new", type=Path, help="a checkout with its own .venv, to compare with it")
    parser.add_argument("--only", default="", metavar="WORD", help="compare only cases with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="commands at a time")
    parser.add_argument("--wanted", type=Path, metavar="FILE", help="wanted differences (TOML)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="an empty folder, for what NEW leaves")
    parser.add_argument(
        "--recording",
        type=Path,
        metavar="FOLDER",
        help="where OLD is run over everything the first time, and not again as long as its commit is the same",
    )
    given = parser.parse_args(arguments)
    scratch = Path(mkdtemp(prefix="same-behaviour-"))
    record_at = (scratch if given.recording is None else given.recording).resolve()
    left_at = (scratch if given.keep is None else given.keep).resolve()
    old = Checkout(name="old", root=given.old.resolve(), scratch=record_at / "old", inputs=record_at / "in")
    new = Checkout(name="new", root=given.new.resolve(), scratch=left_at / "new", inputs=record_at / "in")
    try:
        wanted = () if given.wanted is None else read_wanted(given.wanted)
        old.need_program()
        new.need_program()
        begun = time.monotonic()
        recording = record(old, given.jobs, given.only) if given.recording is None else record_in_order(old, given.jobs)
        asked = [case for case in recording.cases if given.only in case[1].name]
        run_all(new, asked, recording.warm, given.jobs)
        found = [difference for number, case in asked for difference in compare_case(case.name, number, old, new)]
        names = [case.name for _, case in asked]
        return _report_differences(names, found, wanted, whole=not given.only, seconds=time.monotonic() - begun)
    except (NotACheckoutError, WantedFileError) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _report_differences(
    cases: Sequence[str], found: Sequence[Difference], wanted: Sequence[Wanted], *, whole: bool, seconds: float
) -> int:
    unwanted = [difference for difference in found if not any(each.covers(difference) for each in wanted)]
    for difference in unwanted:
        print(f"=== {difference.case}: {difference.part}\n{difference.shown}\n")
    for each in wanted:
        count = sum(each.covers(difference) for difference in found)
        print(f"wanted: {count} in {each.case}: {each.reason}")
    left_over = list(find_stale(wanted, found, cases, whole=whole))
    for each in left_over:
        print(f"stale: nothing differs in {each.case} ({each.part}): {each.reason}")
    of = len({difference.case for difference in unwanted})
    spent = os.times()
    processors = f"{spent.children_user + spent.children_system:.0f} s of processors"
    print(f"{len(cases)} cases in {seconds:.0f} s ({processors}): ", end="")
    print(f"{len(unwanted)} differences in {of} of them")
    return 1 if unwanted or left_over else 0


if __name__ == "__main__":
    sys.exit(main())
