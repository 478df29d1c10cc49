"""What seats put in, and chips that came to the table or left it, over columns; and how many seats there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.play.betting.masks import Flags
from validator.play.betting.seating import taking_part
from validator.play.scope import Scope
from validator.play.steps import events_of_kinds, kinds_recorded

Ints = NDArray[np.int64]

_MOVED = {"added": "chips-in", "removed": "chips-out"}


def staked(scope: Scope, whose: str) -> Ints:
    """What was staked on all wagers, tips included: int64[seats] for `this-seat`, else int64[rounds]."""
    stakes = scope.batch.stakes
    found = np.zeros(scope.length("seat"), np.int64)
    np.add.at(found, stakes.seat, stakes.amount)
    if whose == "this-seat":
        return found
    total = np.zeros(len(scope.batch), np.int64)
    np.add.at(total, scope.batch.seats.round, found)
    return total


def chips_moved(scope: Scope, way: str) -> tuple[Ints, Flags]:
    """Per seat: chips added in the round's record, or removed, and where the log records that."""
    kind = _MOVED[way]
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    found = np.zeros(scope.length("seat"), np.int64)
    np.add.at(found, events.seat[chosen], events.amount[chosen])
    return found, kinds_recorded(scope, (kind,))[scope.batch.seats.round]


def players(scope: Scope, which: str) -> Ints:
    """int64[rounds]: how many seats take part, or are listed."""
    owner = scope.batch.seats.round
    counted = owner[taking_part(scope)] if which == "dealt-in" else owner
    return np.bincount(counted, minlength=len(scope.batch))
