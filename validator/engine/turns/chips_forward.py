"""Chips that the seat of an event put forward in its turn before the event."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags
from validator.engine.betting.replay import betting_of
from validator.engine.core.context import Scope, fact
from validator.engine.turns.quantities import Numbers
from validator.engine.turns.turns import Before, before, in_turn, told_of_kind, turns_of


class Tendered(Struct, frozen=True, kw_only=True):
    """Chips put forward in the turns of a batch."""

    tenders: Flags
    """Events that put chips forward in the turn of their seat, bool[events]."""
    before: Before
    """Events of this kind before each event."""
    told: Flags
    """True if they are known, bool[events]."""


@fact
def tendered_of(scope: Scope) -> Tendered:
    """Return the chips put forward in the turns of a batch."""
    tenders = in_turn(scope, "tender")
    return Tendered(tenders=tenders, before=before(scope, tenders), told=told_of_kind(scope, "tender"))


def _count_tenders(scope: Scope, tendered: Tendered) -> Numbers:
    return tendered.before.count, tendered.told


def _count_motions(scope: Scope, tendered: Tendered) -> Numbers:
    """Return how often the seat put chips forward for its bet; unknown if the recorded chips are only a part of it."""
    count, part = tendered.before.count, _sum_tendered(scope, tendered)[0]
    return count, tendered.told & ((count == 0) | (betting_of(scope).put_in <= part))


def _find_first_tender(scope: Scope, tendered: Tendered) -> Numbers:
    first = tendered.before.first
    return np.where(first != ABSENT, scope.batch.events.amount[first], 0), tendered.told


def _sum_tendered(scope: Scope, tendered: Tendered) -> Numbers:
    turns = turns_of(scope)
    amount = np.where(tendered.tenders, scope.batch.events.amount, 0)
    ahead = np.cumsum(amount) - amount
    return np.where(turns.own, ahead - ahead[turns.began], 0), tendered.told


def _count_first_chips(scope: Scope, tendered: Tendered) -> Numbers:
    first = tendered.before.first
    pieces = np.where(first != ABSENT, scope.batch.events.chips[first], 0).astype(np.int64)
    return pieces, tendered.told & (pieces != ABSENT)


TENDERED: dict[str, Callable[[Scope, Tendered], Numbers]] = {
    "tenders": _count_tenders,
    "motions": _count_motions,
    "first-tender": _find_first_tender,
    "tendered": _sum_tendered,
    "tendered-chips": _count_first_chips,
}
"""Quantities of chips put forward, by name: int64[events], and whether they are known."""
