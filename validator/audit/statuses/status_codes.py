"""Status codes of a requirement's items and rounds, ordered by precedence."""

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

_MICROSECONDS_PER_MINUTE = 60_000_000
"""Microseconds in a minute."""

NOT_IN_FORCE, NOT_APPLICABLE, PASS, NOT_EVIDENCED, ERROR, FAIL = range(6)
"""Status codes; the highest code of a round's items is that of the round."""

STATUSES: tuple[Status, ...] = (
    Status.NOT_IN_FORCE,
    Status.NOT_APPLICABLE,
    Status.PASS,
    Status.NOT_EVIDENCED,
    Status.ERROR,
    Status.FAIL,
)
"""Status of each code."""


NO_EVENTS = "the log does not record these events"
"""Text of a gap if the log does not record the events that a requirement uses."""
CONTRADICTED = "another record of this round contradicts it"
"""Text of a gap in a round whose records contradict each other."""
IN_DOUBT = "the evidence does not show which events are meant"
"""Text of a gap if events may or may not be those that a requirement uses."""
BREAKS_OFF = "the record stops before the round is over"
"""Text of a gap if something may have happened after the record stops."""

NO_CAUSE = "the log does not record whether there was a reason that permits it"
"""Text of a gap if only an unrecorded event could justify the action."""


def contradicted_by(other: str | None) -> str:
    """Describe that the record at another place contradicts the record of a round."""
    return f"another record of this round, at {other}, contradicts it"


class Told(Struct, frozen=True, kw_only=True):
    """Details of a finding on one item."""

    where: Where
    """Place of the item."""
    expected: str
    """Text on what the rules require."""
    observed: str
    """Text on what the evidence shows."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that apply to the item; empty for all clauses of the requirement."""
    readings: tuple[str, ...] = ()
    """Ids of further readings that apply to the item."""
    balance: Fraction | None = None
    """Amount that players received too much (negative: too little) in minor units; None if the item is not about
    money."""


class Judged(Struct, frozen=True, kw_only=True):
    """Result of a check on a batch. Items need not be sorted."""

    marks: Statuses
    """Status code of each item."""
    round: Ints32
    """Round of each item."""
    tell: Callable[[int], Told]
    """Function that describes a failed or erroneous item by its index."""
    gap: Callable[[int], Told]
    """Function that describes an item whose evidence is incomplete."""

    def per_round(self, rounds: int) -> Statuses:
        """Return the highest status code of each round's items; NOT_APPLICABLE for a round without items.

        Returns:
            uint8[rounds].
        """
        if len(self.round) == rounds and (self.round == np.arange(rounds)).all():
            return np.maximum(self.marks, np.uint8(NOT_APPLICABLE))
        result = np.full(rounds, NOT_APPLICABLE, np.uint8)
        for mark in range(PASS, int(self.marks.max(initial=NOT_APPLICABLE)) + 1):
            # Plain assignment in ascending order is many times as fast as a maximum at indices.
            result[self.round.compress(self.marks == mark)] = mark
        return result


def _build_status_table() -> bytes:
    """Build the table of status codes by `3 * applies + holds`. A table of bytes is the fastest to look up."""
    statuses = np.full((256 // 3 + 1, 3), NOT_EVIDENCED, np.uint8)
    statuses[YES, NO] = FAIL
    statuses[:, YES] = PASS
    statuses[NO] = NOT_APPLICABLE
    return statuses.reshape(-1)[:256].tobytes()


_STATUS_TABLE = _build_status_table()


def weigh(applies: Tri, holds: Tri) -> Statuses:
    """Return the status codes that follow from whether a requirement applies and holds.

    An item that complies is a pass even if it is not known whether the requirement applies.
    """
    return np.frombuffer((3 * applies + holds).tobytes().translate(_STATUS_TABLE), np.uint8)


def judged_from(is_broken: Flags, applies: Tri, is_recorded: Flags, may_break: Flags) -> Statuses:
    """Return the status codes of checks of an order.

    The check does not apply where nothing happened that could be out of order.

    Args:
        is_broken: whether something is out of order.
        applies: whether the check applies.
        is_recorded: whether the events are recorded.
        may_break: whether something happened that could be out of order.
    """
    return np.where(
        is_recorded & ~is_broken & ~may_break,
        np.uint8(NOT_APPLICABLE),
        weigh(applies, where_known(~is_broken, is_recorded)),
    )


def place_of(
    scope: Scope, round_: int, *, seat: int = -1, wager: str | None = None, event: int = -1, pointer: str | None = None
) -> Where:
    """Build the place of something in a round for a finding. `seat` and `event` are indices into the batch."""
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
    timed = np.where(
        batch.dated == DAY, batch.time, batch.time - _MICROSECONDS_PER_MINUTE * batch.offset.astype(np.int64)
    )
    time = np.where(batch.dated == UNDATED, np.iinfo(np.int64).min, timed)
    order = np.lexsort(
        (
            batch.line,
            _alphabetical_codes(batch.file),
            time,
            _alphabetical_codes(batch.table),
            _alphabetical_codes(batch.casino),
        )
    )
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _alphabetical_codes(column: Coded) -> Ints:
    """Return the codes of a column in the alphabetical order of its names; rows without a name come first."""
    places = {name: place for place, name in enumerate(sorted(column.names))}
    return np.array([*(places[name] for name in column.names), ABSENT], np.int64)[column.codes]


def item_place(scope: Scope, grain: Grain, index: int) -> Where:
    """Build the place of one item of a grain."""
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
