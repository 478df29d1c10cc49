"""Seats with the best, or the worst, open cards among the players still in."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints8
from validator.engine.betting.action_codes import CONCEDE, FOLD
from validator.engine.betting.actions_recorded import record_of
from validator.engine.cards.ranked_hands import strength
from validator.engine.core.context import Scope, fact
from validator.engine.seats.seat_order import Seating, taking_part
from validator.engine.timeline.step_events import kinds_recorded, last_by_round
from validator.engine.timeline.streets import stage_of_events
from validator.evidence.handlog.event_values import PLACES

_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def first_showing(scope: Scope, seats: Seating, hand: str, *, best: bool) -> tuple[Ints8, Flags]:
    """Return the first row with the best, or worst, open cards, and whether it is known; ABSENT if no cards
    were dealt.
    """
    served, made = served_in(scope, scope.prepared.hands[hand].through), strength(scope, hand)
    owner, rounds = scope.batch.seats.round, len(scope.batch)
    ranked, some = np.ones(rounds, bool), np.zeros(rounds, bool)
    ranked[owner[served.still_in & (made == ABSENT)]] = False
    some[owner[served.still_in]] = True
    out = np.int32(_LEAST if best else _MOST)
    shown = np.append(np.where(served.still_in, made, out), out)[seats.seats]  # ABSENT selects the last entry
    row = shown.argmax(axis=0) if best else shown.argmin(axis=0)
    known = kinds_recorded(scope, ("deal",), "player") & ((ranked & served.told) | ~served.came)
    return np.where(served.came & ranked & some, row, ABSENT).astype(np.int8), known


class Served(Struct, frozen=True, kw_only=True):
    """Players at a stage of the deal."""

    came: Flags
    """True if any player was dealt cards in the stage, bool[rounds]."""
    still_in: Flags
    """Players who had not given up their hands when the last card of the stage was dealt, bool[seats]."""
    told: Flags
    """True if the log shows who had given up; before the first cards nobody has, bool[rounds]."""


@fact
def served_in(scope: Scope, stage: int) -> Served:
    """Return the players at a stage of the deal, by its index."""
    events, record = scope.batch.events, record_of(scope)
    last = last_by_round(
        scope, np.flatnonzero((stage_of_events(scope) == stage) & (events.place == PLACES.index("player")))
    )
    folds = record.events[(record.op == FOLD) | (record.op == CONCEDE)]
    folds = folds[(folds < last[events.round[folds]]) & (events.seat[folds] != ABSENT)]
    still_in = taking_part(scope).copy()
    still_in[events.seat[folds]] = False
    earlier = scope.prepared.game.deal.stages[:stage]
    first = not any("player" in (earlier_stage.cards or ()) for earlier_stage in earlier)
    recorded = np.ones(len(scope.batch), bool) if first else kinds_recorded(scope, ("decide",))
    return Served(came=last != ABSENT, still_in=still_in, told=recorded)
