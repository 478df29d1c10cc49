"""Chips that the seat of an event put forward in its turn before the event."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags
from validator.engine.betting.replay import replay_betting
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.turns.quantities import EventNumbers
from validator.engine.turns.turns import (
    EventsBefore,
    find_events_before,
    is_in_own_turn,
    is_kind_known_in_turn,
    turn_spans,
)


class TenderedChips(Struct, frozen=True, kw_only=True):
    """Chips put forward in the turns of a batch."""

    is_tender: Flags
    """Events that put chips forward in the turn of their seat, bool[events]."""
    tenders_before: EventsBefore
    """Events of this kind before each event."""
    is_known: Flags
    """True if they are known, bool[events]."""


@cached_fact
def tendered_chips(scope: EvaluationContext) -> TenderedChips:
    """Return the chips put forward in the turns of a batch."""
    tenders = is_in_own_turn(scope, "tender")
    return TenderedChips(
        is_tender=tenders,
        tenders_before=find_events_before(scope, tenders),
        is_known=is_kind_known_in_turn(scope, "tender"),
    )


def _count_tenders(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    return tendered.tenders_before.count, tendered.is_known


def _count_motions(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    """Return how often the seat put chips forward for its bet; unknown if the recorded chips are only a part of it."""
    count, part = tendered.tenders_before.count, _sum_tendered(scope, tendered)[0]
    return count, tendered.is_known & ((count == 0) | (replay_betting(scope).chips_put_in <= part))


def _find_first_tender(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    first = tendered.tenders_before.first
    return np.where(first != ABSENT, scope.batch.events.amount[first], 0), tendered.is_known


def _sum_tendered(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    turns = turn_spans(scope)
    amount = np.where(tendered.is_tender, scope.batch.events.amount, 0)
    ahead = np.cumsum(amount) - amount
    return np.where(turns.is_own_turn, ahead - ahead[turns.first_event], 0), tendered.is_known


def _count_first_chips(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    first = tendered.tenders_before.first
    pieces = np.where(first != ABSENT, scope.batch.events.chips[first], 0).astype(np.int64)
    return pieces, tendered.is_known & (pieces != ABSENT)


TENDER_QUANTITIES: dict[str, Callable[[EvaluationContext, TenderedChips], EventNumbers]] = {
    "tenders": _count_tenders,
    "motions": _count_motions,
    "first-tender": _find_first_tender,
    "tendered": _sum_tendered,
    "tendered-chips": _count_first_chips,
}
"""Quantities of chips put forward, by name: int64[events], and whether they are known."""
