"""Statuses of one requirement over a batch of rounds, as small numbers that outweigh each other by size."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints32, Statuses, Tri
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, YES, where_known
from validator.evidence.columns.batch import DAY, UNDATED, Coded
from validator.evidence.columns.times import time_text
from validator.evidence.handlog.context import read
from validator.language.grains import Grain
from validator.results.findings import Where
from validator.results.statuses import Status

_MINUTE = 60_000_000
"""In microseconds."""

NOT_IN_FORCE, NOT_APPLICABLE, PASS, NOT_EVIDENCED, ERROR, FAIL = range(6)
"""The marks, each outweighing those before it when several items of a round are summed up."""

STATUSES: tuple[Status, ...] = (
    Status.NOT_IN_FORCE,
    Status.NOT_APPLICABLE,
    Status.PASS,
    Status.NOT_EVIDENCED,
    Status.ERROR,
    Status.FAIL,
)
"""The status each mark stands for."""


NO_EVENTS = "the log does not record these events"
"""What a gap says where the events a requirement looks at are not recorded."""
CONTRADICTED = "another record of this round contradicts it"
"""Text of a gap in a round whose records contradict each other."""
IN_DOUBT = "the evidence leaves open which of the events are meant"
"""What a gap says where events may be those that a requirement looks at, or others."""
BREAKS_OFF = "the record stops before the round is over"
"""What a gap says where something may have happened after the record stops."""

NO_CAUSE = "the log does not record whether there was a reason that permits it"
"""What a gap says where only something that is not recorded could be the reason for what was done."""


def contradicted_by(other: str | None) -> str:
    """Return what is said of a failure in a round that the record at another place contradicts."""
    return f"another record of this round, at {other}, contradicts it"


class Told(Struct, frozen=True, kw_only=True):
    """What a finding says of one item, beyond what its requirement says of all.

    `clauses`, where given, are the ids of those that this very item rests on, instead of all of its requirement's.
    `balance`, where the item is about money, is by how many minor units players got too much, below 0 too little.
    """

    where: Where
    expected: str
    observed: str
    clauses: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    balance: Fraction | None = None


class Judged(Struct, frozen=True, kw_only=True):
    """A requirement judged over a batch.

    `marks` is uint8[items]; `round` int32[items], the round of each item (items need not be sorted). `tell`
    words a failed or erroneous item, `gap` one that the evidence does not decide; both take its index.
    """

    marks: Statuses
    round: Ints32
    tell: Callable[[int], Told]
    gap: Callable[[int], Told]

    def per_round(self, rounds: int) -> Statuses:
        """uint8[rounds]: the weightiest mark of each round's items; not applicable where it has none."""
        if len(self.round) == rounds and (self.round == np.arange(rounds)).all():
            return np.maximum(self.marks, np.uint8(NOT_APPLICABLE))
        found = np.full(rounds, NOT_APPLICABLE, np.uint8)
        for mark in range(PASS, int(self.marks.max(initial=NOT_APPLICABLE)) + 1):
            # Plain assignment in ascending order is many times as fast as a maximum at indices.
            found[self.round.compress(self.marks == mark)] = mark
        return found


def _weighed() -> bytes:
    """The mark of every pair of truths, `3 * applies + holds`, as a table of bytes: the fastest way to look up."""
    marks = np.full((256 // 3 + 1, 3), NOT_EVIDENCED, np.uint8)
    marks[YES, NO] = FAIL
    marks[:, YES] = PASS
    marks[NO] = NOT_APPLICABLE
    return marks.reshape(-1)[:256].tobytes()


_WEIGHED = _weighed()


def weigh(applies: Tri, holds: Tri) -> Statuses:
    """Marks from whether a requirement applies and whether what it asks for holds.

    What holds is a pass even where it is unknown whether it had to.
    """
    return np.frombuffer((3 * applies + holds).tobytes().translate(_WEIGHED), np.uint8)


def judged_from(broken: Flags, applies: Tri, recorded: Flags, arose: Flags) -> Statuses:
    """Marks from whether something is out of order, where it applies and is recorded at all. Where nothing arose that
    could have been out of order, it does not apply."""
    return np.where(
        recorded & ~broken & ~arose, np.uint8(NOT_APPLICABLE), weigh(applies, where_known(~broken, recorded))
    )


def place_of(
    scope: Scope, round_: int, *, seat: int = -1, wager: str | None = None, event: int = -1, pointer: str | None = None
) -> Where:
    """The place of something in a round, as findings show it. `seat` and `event` are indices into the batch."""
    batch = scope.batch
    return Where(
        file=batch.file.text(round_),
        line=int(batch.line[round_]),
        pointer=pointer,
        casino=batch.casino.text(round_),
        table=batch.table.text(round_),
        round=batch.round[round_],
        time=time_text(int(batch.time[round_]), int(batch.offset[round_]), int(batch.dated[round_])),
        seat=None if seat < 0 else int(batch.seats.number[seat]),
        wager=wager,
        event=None if event < 0 else int(event - batch.events.offsets[round_]) + 1,
        context=read(batch.context.text(round_)) or None,
    )


@fact
def place_ranks(scope: Scope) -> Ints:
    """Return the rank of each round of a batch in the order of places (`place_order.place_key`)."""
    batch = scope.batch
    timed = np.where(batch.dated == DAY, batch.time, batch.time - _MINUTE * batch.offset.astype(np.int64))
    time = np.where(batch.dated == UNDATED, np.iinfo(np.int64).min, timed)
    order = np.lexsort((batch.line, _by_name(batch.file), time, _by_name(batch.table), _by_name(batch.casino)))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _by_name(column: Coded) -> Ints:
    """Return the codes of a column in the alphabetical order of its names; those that name nothing come first."""
    places = {name: place for place, name in enumerate(sorted(column.names))}
    return np.array([*(places[name] for name in column.names), ABSENT], np.int64)[column.codes]


def item_place(scope: Scope, grain: Grain, index: int) -> Where:
    """The place of one item of a grain."""
    round_ = int(scope.round_of(grain)[index])
    match grain:
        case "round":
            return place_of(scope, round_)
        case "seat":
            return place_of(scope, round_, seat=index)
        case "stake":
            stakes = scope.batch.stakes
            wager = f"{stakes.wager.text(index)}{' (tip)' if stakes.tip[index] else ''}"
            return place_of(scope, round_, seat=int(stakes.seat[index]), wager=wager)
        case _:
            return place_of(scope, round_, seat=int(scope.batch.events.seat[index]), event=index)
