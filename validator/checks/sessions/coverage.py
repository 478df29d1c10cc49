"""What the logs of a run cover: the sessions of every table, and what is missing from them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from validator.checks.sessions.gathered import Gathered
from validator.checks.sessions.order import ANY_NUMBER, BACKWARDS, BEGINNING, ELSEWHERE, JUMP, NO_GAP, TWICE, UNNUMBERED
from validator.verdicts import Session, SessionGap

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
    bounds = [*np.flatnonzero(rounds.order.first).tolist(), len(rounds)]
    for start, end in pairwise(bounds):
        gaps = list(_gaps(rounds, start, end))
        yield Session(
            document=document,
            casino=rounds.casino.text(start),
            table=rounds.table.text(start) or "",
            first=rounds.name(start),
            begins=time_of(rounds, start),
            last=rounds.name(end - 1),
            ends=time_of(rounds, end - 1),
            rounds=end - start,
            openings=int(rounds.order.opening[start:end].sum()),
            gaps=tuple(gaps[:GAPS_LISTED]),
            gaps_found=len(gaps),
        )


def _gaps(rounds: Gathered, start: int, end: int) -> Iterator[SessionGap]:
    """The gaps of a session; those of rounds without a number that follow each other are one."""
    why = rounds.order.why[start:end]
    before = np.concatenate([np.array([NO_GAP], np.uint8), why[:-1]])
    runs = np.flatnonzero((why != NO_GAP) & ~((why == UNNUMBERED) & (before == UNNUMBERED)))
    for at in runs.tolist():
        last = at
        if why[at] == UNNUMBERED:
            other = np.flatnonzero(why[at:] != UNNUMBERED)
            last = at + int(other[0]) - 1 if len(other) else len(why) - 1
        missing = int(rounds.order.gap[start + at])
        yield SessionGap(
            after=None if at == 0 else rounds.name(start + at - 1),
            before=rounds.name(start + last),
            missing=None if missing == ANY_NUMBER else missing,
            why=WHY[int(why[at])],
        )


def time_of(rounds: Gathered, place: int) -> str:
    """When a round was played, by the clock of its log, to the second."""
    return str(np.datetime_as_string(rounds.clock[place].astype("datetime64[us]"), unit="s")).replace("T", " ")
