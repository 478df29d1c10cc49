"""`python -m tools.same_behaviour OLD NEW`: whether two checkouts behave alike."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

from tools.same_behaviour.case import Case
from tools.same_behaviour.checkout import Checkout, NotACheckoutError
from tools.same_behaviour.differences import Difference, differences
from tools.same_behaviour.plan import Plan
from tools.same_behaviour.shipped import Shipped
from tools.same_behaviour.wanted import Wanted, WantedFileError, read_wanted, stale

CHUNK = 40
"""Quick cases that one process takes."""


class Comparison:
    """Cases run in both checkouts."""

    def __init__(self, old: Checkout, new: Checkout, *, only: str, jobs: int) -> None:
        self._old, self._new = old, new
        self._only = only
        self._jobs = jobs
        self.cases: list[Case] = []
        """Every case asked for, of which those that are not compared have run in the old checkout alone."""
        self.compared: list[str] = []
        self.found: list[Difference] = []

    def left(self) -> Mapping[str, Path]:
        """Where the old checkout ran each case."""
        return {case.name: self._old.folder(number) for number, case in enumerate(self.cases)}

    def run(self, cases: Iterable[Case], warm: Sequence[Sequence[str]]) -> None:
        """Run a stage. Raises ValueError where two cases have one name."""
        first = len(self.cases)
        self.cases += cases
        names = [case.name for case in self.cases]
        if len(set(names)) < len(names):
            raise ValueError(f"a case twice: {next(name for name in names if names.count(name) > 1)}")
        stage = list(enumerate(self.cases))[first:]
        asked = [(number, case) for number, case in stage if self._only in case.name]
        for checkout in (self._old, self._new):
            (checkout.scratch / "tmp").mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(self._jobs) as pool:
            runs: list[Future[None]] = []
            for checkout in (self._old, self._new):
                mine = [one for one in stage if one in asked or (checkout is self._old and one[1].makes)]
                quick = [one for one in mine if one[1].quick]
                chunks = [quick[at : at + CHUNK] for at in range(0, len(quick), CHUNK)]
                runs += [pool.submit(checkout.run, *one) for one in mine if not one[1].quick]
                runs += [pool.submit(checkout.run_quick, chunk, warm) for chunk in chunks]
            for run in runs:
                run.result()
        for number, case in asked:
            self.compared.append(case.name)
            self.found += differences(case.name, number, self._old, self._new)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare. 0 where nothing differs that is not wanted, 1 where something does, 2 where nothing can be compared."""
    parser = argparse.ArgumentParser(prog="python -m tools.same_behaviour", description=__doc__)
    parser.add_argument("old", type=Path, help="a checkout with its own .venv: what should be")
    parser.add_argument("new", type=Path, help="a checkout with its own .venv: what is held against it")
    parser.add_argument("--only", default="", metavar="WORD", help="compare only cases with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="commands at a time")
    parser.add_argument("--wanted", type=Path, metavar="FILE", help="wanted differences (TOML)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="an empty folder, for all that was read and left")
    given = parser.parse_args(arguments)
    scratch = Path(mkdtemp(prefix="same-behaviour-")) if given.keep is None else given.keep.resolve()
    try:
        wanted = () if given.wanted is None else read_wanted(given.wanted)
        return _compared(given.old.resolve(), given.new.resolve(), scratch, wanted, only=given.only, jobs=given.jobs)
    except (NotACheckoutError, WantedFileError) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        if given.keep is None:
            shutil.rmtree(scratch, ignore_errors=True)


def _compared(old: Path, new: Path, scratch: Path, wanted: Sequence[Wanted], *, only: str, jobs: int) -> int:
    begun = time.monotonic()
    checkouts = [Checkout(name=name, root=root, scratch=scratch / name) for name, root in (("old", old), ("new", new))]
    for checkout in checkouts:
        checkout.need_program()
    (scratch / "in").mkdir(parents=True)
    plan = Plan(Shipped(checkouts[0], scratch / "in"))
    comparison = Comparison(*checkouts, only=only, jobs=jobs)
    comparison.run(plan.first(), plan.warm())
    comparison.run(plan.second(comparison.left()), plan.warm())
    comparison.run(plan.third(comparison.left()), plan.warm())
    spent = time.monotonic() - begun
    return _told(comparison, wanted, whole=not only, seconds=spent)


def _told(comparison: Comparison, wanted: Sequence[Wanted], *, whole: bool, seconds: float) -> int:
    unwanted = [one for one in comparison.found if not any(each.covers(one) for each in wanted)]
    for one in unwanted:
        print(f"=== {one.case}: {one.part}\n{one.shown}\n")
    for each in wanted:
        count = sum(each.covers(one) for one in comparison.found)
        print(f"wanted: {count} in {each.case}: {each.reason}")
    left_over = list(stale(wanted, comparison.found, comparison.compared, whole=whole))
    for each in left_over:
        print(f"stale: nothing differs in {each.case} ({each.part}): {each.reason}")
    of = len({one.case for one in unwanted})
    spent = os.times()
    processors = f"{spent.children_user + spent.children_system:.0f} s of processors"
    print(f"{len(comparison.compared)} cases in {seconds:.0f} s ({processors}): ", end="")
    print(f"{len(unwanted)} differences in {of} of them")
    return 1 if unwanted or left_over else 0


if __name__ == "__main__":
    sys.exit(main())
