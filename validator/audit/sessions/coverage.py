"""What the logs of a run cover: the sessions of every table, and what is missing from them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from validator.arrays import Ints
from validator.audit.sessions.play_order import (
    ANY_NUMBER,
    BACKWARDS,
    BEGINNING,
    ELSEWHERE,
    JUMP,
    NO_GAP,
    TWICE,
    UNNUMBERED,
)
from validator.audit.sessions.rounds_in_order import Gathered
from validator.evidence.columns.batch import DAY, UNDATED
from validator.results.subject import Session, SessionGap

GAPS_LISTED = 100
"""Gaps of one session that are listed one by one; all are counted."""

WHY = {
    JUMP: "the numbers of the rounds jump",
    BEGINNING: "the log begins after the opening of the table",
    UNNUMBERED: "rounds that are not numbered prove nothing about others",
    TWICE: "the number of a round comes twice",
    ELSEWHERE: "the round that another names as the one before it is in no log",
    BACKWARDS: "the numbers of the rounds go back, though not to 1",
}
"""What is said of a gap, by its reason."""


def sessions_of(document: str, rounds: Gathered) -> Iterator[Session]:
    """Every session, in the order of casinos and tables."""
    starts = np.flatnonzero(rounds.order.first)
    bounds = np.append(starts, len(rounds))
    runs, lasts = _runs(rounds)
    gaps = np.searchsorted(runs, bounds).tolist()
    begins, ends = _times(rounds, starts), _times(rounds, bounds[1:] - 1)
    openings = np.diff(np.concatenate([np.zeros(1, np.int64), np.cumsum(rounds.order.opening)])[bounds]).tolist()
    for index, (start, end) in enumerate(pairwise(bounds.tolist())):
        first, last = gaps[index], gaps[index + 1]
        opens = rounds.name(start)
        listed = slice(first, min(last, first + GAPS_LISTED))
        yield Session(
            document=document,
            casino=rounds.casino.text(start),
            table=rounds.table.text(start) or "",
            first=opens,
            begins=begins[index],
            last=opens if end - start == 1 else rounds.name(end - 1),
            ends=ends[index],
            rounds=end - start,
            openings=openings[index],
            gaps=tuple(
                _gap(rounds, start, at, to)
                for at, to in zip(runs[listed].tolist(), lasts[listed].tolist(), strict=True)
            ),
            gaps_found=last - first,
        )


def _runs(rounds: Gathered) -> tuple[Ints, Ints]:
    """The rounds before which there is a gap, and the last round of each; those of rounds without a number that follow
    each other in a session are one."""
    why = rounds.order.why
    unnumbered = why == UNNUMBERED
    before = np.concatenate([np.zeros(1, bool), unnumbered[:-1]])
    goes_on = unnumbered & before & ~rounds.order.first
    runs = np.flatnonzero((why != NO_GAP) & ~goes_on)
    stops = np.append(np.flatnonzero(~goes_on), len(why))
    return runs, stops[np.searchsorted(stops, runs, side="right")] - 1


def _gap(rounds: Gathered, start: int, at: int, last: int) -> SessionGap:
    missing = int(rounds.order.gap[at])
    return SessionGap(
        after=None if at == start else rounds.name(at - 1),
        before=rounds.name(last),
        missing=None if missing == ANY_NUMBER else missing,
        why=WHY[int(rounds.order.why[at])],
    )


def _times(rounds: Gathered, places: Ints) -> list[str | None]:
    told = np.datetime_as_string(rounds.clock[places].astype("datetime64[us]"), unit="s").tolist()
    return [_as_told(one, dated) for one, dated in zip(told, rounds.dated[places].tolist(), strict=True)]


def time_of(rounds: Gathered, place: int) -> str | None:
    """When a round was played, by the clock of its log, to the second; the day, or None, where that tells no more."""
    return _times(rounds, np.array([place]))[0]


def _as_told(time: str, dated: int) -> str | None:
    return None if dated == UNDATED else time[:10] if dated == DAY else time.replace("T", " ")
