"""The sessions of a document judged, a few tables at a time and of each only what a requirement needs.

Requirements on a round and those before it, which ask for many numbers of every seat, are judged over runs of rounds:
they hang on nothing before the opening of the table, nor before a round that is missing. All others are judged over
whole sessions, as what they hang on may lie far back; they ask for little. Of a table with many rounds, days are judged
together up to an opening: nothing hangs on what was before one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from msgspec.structs import replace

from validator.arrays import Ints, distinct
from validator.audit.session_requirements.certain_failures import CertainFailures
from validator.audit.session_requirements.judge import SessionVerdict, judge_sessions
from validator.audit.session_requirements.summarise_rounds import spanning
from validator.audit.sessions.coverage import GAPS_LISTED, sessions_of
from validator.audit.sessions.play_order import Order
from validator.audit.sessions.rounds_in_order import gathered
from validator.audit.sessions.session_rows import Rows
from validator.audit.sessions.spill import Pile, Shelf
from validator.engine.compiled.game import Prepared
from validator.results.subject import Session
from validator.rules.model.requirement import Requirement

Judge = Callable[..., Iterator[SessionVerdict]]
"""Judges sessions as `judge_sessions`, of which it knows the last arguments."""

A_RUN = 20_000
"""Rounds of a run, if the table opens or rounds are missing so often."""


def judged_by_tables(
    prepared: Prepared, shelf: Shelf, *, version: int = 0, certain: CertainFailures | None = None
) -> Iterator[tuple[Iterable[Session], Iterable[SessionVerdict]]]:
    """Sessions, and how requirements came out over their rounds; once for every few tables or every run, in the order
    of casinos, tables and play. To be gone through one by one. `version` and `certain` are as in
    `judge_sessions`."""
    judge = partial(judge_sessions, version=version, certain=certain)
    left: Pile | None = None
    begun: list[Session] = []
    for pile in shelf.by_tables():
        if left is not None:
            left.add(pile)
        done, left = _over(shelf, left or pile) if pile.goes_on else (left or pile, None)
        if done is None:
            continue
        for sessions, verdicts in _judged(prepared, shelf, done, judge):
            if begun or left is not None:  # parts of one session
                begun += sessions
                yield (), verdicts
            else:
                yield sessions, verdicts
        if begun and left is None:
            yield (_whole(begun),), ()
            begun = []


def _over(shelf: Shelf, pile: Pile) -> tuple[Pile | None, Pile]:
    """What can be judged of a pile of one table that goes on in the next: the rounds before the table last opened; None
    where it did not open. And the others."""
    order = gathered([_of(rows, (), seats=False) for rows in pile]).order
    opens = np.flatnonzero(order.opening & (order.gap == 0))
    if not opens.any():
        return None, pile
    place, done = _places(order), 0

    def part(rows: Rows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        return [np.flatnonzero(here < opens[-1]), np.flatnonzero(here >= opens[-1])]

    over, left = shelf.parted(pile, part, 2)
    return over, left


def _whole(parts: Sequence[Session]) -> Session:
    """A session from its parts, each of which begins with an opening of the table."""
    gaps = tuple(gap for part in parts for gap in part.gaps)
    return replace(
        parts[0],
        last=parts[-1].last,
        ends=parts[-1].ends,
        rounds=sum(part.rounds for part in parts),
        openings=sum(part.openings for part in parts),
        gaps=gaps[:GAPS_LISTED],
        gaps_found=sum(part.gaps_found for part in parts),
    )


def _judged(
    prepared: Prepared, shelf: Shelf, pile: Pile, judge: Judge
) -> Iterator[tuple[Iterable[Session], Iterable[SessionVerdict]]]:
    requirements = spanning(prepared.regulation.requirements)
    if pile.rounds <= A_RUN:
        rounds = gathered(list(pile))
        yield sessions_of(prepared.regulation.id, rounds), judge(prepared, rounds)
        return
    in_pairs = [one for one in requirements if one.check.operator == "succession" and one.check.operand.deck is None]
    others = [one for one in requirements if one not in in_pairs]
    rounds = gathered([_of(rows, others, seats=False) for rows in pile])
    yield sessions_of(prepared.regulation.id, rounds), judge(prepared, rounds, others)
    if in_pairs:
        order = rounds.order
        del rounds
        yield from (((), one) for one in _runs(prepared, shelf, pile, in_pairs, order, judge))


def _of(rows: Rows, requirements: Sequence[Requirement], *, seats: bool) -> Rows:
    return rows.of({one.requirement for one in requirements}, seats=seats)


def _places(order: Order) -> Ints:
    """int64[rounds]: the place in the order of play of each round as it was given."""
    place = np.empty(len(order), np.int64)
    place[order.rows] = np.arange(len(order))
    return place


def _starts(order: Order) -> Ints:
    """int64[runs]: the places with which runs begin, where a round does not hang on those before."""
    apart = np.flatnonzero(order.first | order.opening | (order.gap != 0))
    starts = [0]
    while starts[-1] + A_RUN < len(order):
        within = np.searchsorted(apart, [starts[-1], starts[-1] + A_RUN], side="right")
        after = within[1] - 1 if within[1] > within[0] else within[1]
        if after >= len(apart):
            break
        starts.append(int(apart[after]))
    return np.array(starts, np.int64)


def _runs(
    prepared: Prepared,
    shelf: Shelf,
    pile: Pile,
    requirements: Sequence[Requirement],
    order: Order,
    judge: Judge,
) -> Iterator[Iterable[SessionVerdict]]:
    place, starts, done = _places(order), _starts(order), 0

    def part(rows: Rows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        # The last round of a run is there in the next as well, to be named as the one before.
        run, run_after = (np.searchsorted(starts, at, side="right") - 1 for at in (here, here + 1))
        found = [np.zeros(0, np.int64)] * len(starts)
        for one in distinct(np.concatenate([run, run_after])).tolist():
            found[one] = np.flatnonzero((run == one) | (run_after == one))
        return found

    for run, rows in enumerate(shelf.parted(pile, part, len(starts))):
        before = 1 if run else 0
        whole = order.between(int(starts[run]) - before, int(starts[run + 1]) if run + 1 < len(starts) else len(order))
        rounds = gathered([_of(one, requirements, seats=True) for one in rows], whole)
        yield judge(prepared, rounds, requirements, before=before)
