"""Chips that the seat of an event had put forward in its turn before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.replay import betting_of
from validator.engine.core.context import Scope, fact
from validator.engine.turns.turns import Before, before, in_turn, told_of_kind, turns_of

Numbers = tuple[Ints, Flags]


class Tendered(Struct, frozen=True, kw_only=True):
    """What was put forward: `tenders` bool[events] are the motions that fall in the turn of their seat, `before` those
    ahead of each event, `told` bool[events] where they are known."""

    tenders: Flags
    before: Before
    told: Flags


@fact
def tendered_of(scope: Scope) -> Tendered:
    """The chips put forward in the turns of a batch, worked out when first asked for."""
    tenders = in_turn(scope, "tender")
    return Tendered(tenders=tenders, before=before(scope, tenders), told=told_of_kind(scope, "tender"))


def _tenders(scope: Scope, found: Tendered) -> Numbers:
    return found.before.count, found.told


def _motions(scope: Scope, found: Tendered) -> Numbers:
    """How often the seat put chips forward for what it puts in; not known where those told of make up but a part."""
    count, part = found.before.count, _tendered(scope, found)[0]
    return count, found.told & ((count == 0) | (betting_of(scope).put_in <= part))


def _first_tender(scope: Scope, found: Tendered) -> Numbers:
    first = found.before.first
    return np.where(first != ABSENT, scope.batch.events.amount[first], 0), found.told


def _tendered(scope: Scope, found: Tendered) -> Numbers:
    turns = turns_of(scope)
    amount = np.where(found.tenders, scope.batch.events.amount, 0)
    ahead = np.cumsum(amount) - amount
    return np.where(turns.own, ahead - ahead[turns.began], 0), found.told


def _tendered_chips(scope: Scope, found: Tendered) -> Numbers:
    first = found.before.first
    pieces = np.where(first != ABSENT, scope.batch.events.chips[first], 0).astype(np.int64)
    return pieces, found.told & (pieces != ABSENT)


TENDERED: dict[str, Callable[[Scope, Tendered], Numbers]] = {
    "tenders": _tenders,
    "motions": _motions,
    "first-tender": _first_tender,
    "tendered": _tendered,
    "tendered-chips": _tendered_chips,
}
"""What is measured of chips put forward: int64[events], and where it is known."""
