"""Coverage of the logs of a run: the sessions of every table, and the gaps in them."""

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
"""Maximum number of gaps of one session that results list; all are counted."""

WHY = {
    JUMP: "round numbers are missing",
    BEGINNING: "the log begins after the opening of the table",
    UNNUMBERED: "rounds without numbers do not show whether others are missing",
    TWICE: "a round number occurs twice",
    ELSEWHERE: "a round names a previous round that is in no log",
    BACKWARDS: "the round numbers decrease, but not to 1",
}
"""Text of a gap, by its reason."""


def sessions_of(document: str, rounds: Gathered) -> Iterator[Session]:
    """Yield every session, in the order of casinos and tables."""
    starts = np.flatnonzero(rounds.order.first)
    bounds = np.append(starts, len(rounds))
    runs, lasts = _runs_of_gaps(rounds)
    gaps = np.searchsorted(runs, bounds).tolist()
    begins, ends = _format_times(rounds, starts), _format_times(rounds, bounds[1:] - 1)
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
                _build_session_gap(rounds, start, first_round, last_round)
                for first_round, last_round in zip(runs[listed].tolist(), lasts[listed].tolist(), strict=True)
            ),
            gaps_found=last - first,
        )


def _runs_of_gaps(rounds: Gathered) -> tuple[Ints, Ints]:
    """Return the rounds that follow a gap, and the last round of each run.

    Consecutive rounds without a number in a session form one run.
    """
    reasons = rounds.order.why
    unnumbered = reasons == UNNUMBERED
    follows_unnumbered = np.concatenate([np.zeros(1, bool), unnumbered[:-1]])
    continues = unnumbered & follows_unnumbered & ~rounds.order.first
    runs = np.flatnonzero((reasons != NO_GAP) & ~continues)
    stops = np.append(np.flatnonzero(~continues), len(reasons))
    return runs, stops[np.searchsorted(stops, runs, side="right")] - 1


def _build_session_gap(rounds: Gathered, start: int, place: int, last: int) -> SessionGap:
    missing = int(rounds.order.gap[place])
    return SessionGap(
        after=None if place == start else rounds.name(place - 1),
        before=rounds.name(last),
        missing=None if missing == ANY_NUMBER else missing,
        why=WHY[int(rounds.order.why[place])],
    )


def _format_times(rounds: Gathered, places: Ints) -> list[str | None]:
    texts = np.datetime_as_string(rounds.clock[places].astype("datetime64[us]"), unit="s").tolist()
    return [_trim_time(text, dated) for text, dated in zip(texts, rounds.dated[places].tolist(), strict=True)]


def time_of(rounds: Gathered, place: int) -> str | None:
    """Return when a round was played, by the clock of its log, to the second.

    Returns:
        Only the day, or None, if less is recorded.
    """
    return _format_times(rounds, np.array([place]))[0]


def _trim_time(time: str, dated: int) -> str | None:
    return None if dated == UNDATED else time[:10] if dated == DAY else time.replace("T", " ")
