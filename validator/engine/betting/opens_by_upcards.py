"""Whose cards that lie open are the best, or the worst, of those still in when they were dealt."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32
from validator.engine.betting.action_codes import CONCEDE, FOLD
from validator.engine.betting.actions_recorded import record_of
from validator.engine.cards.ranked_hands import strength
from validator.engine.core.context import Scope, fact
from validator.engine.seats.seat_order import seating, taking_part
from validator.engine.timeline.step_events import kinds_recorded, last_by_round
from validator.engine.timeline.streets import stage_of_events
from validator.evidence.handlog.event_values import PLACES

_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def best_showing(scope: Scope, hand: str) -> tuple[Ints8, Flags]:
    """The first row with the best hand of open cards, ABSENT where the cards were not dealt, and where it is known."""
    shown = _shown(scope, hand, _LEAST)
    return _where_known(scope, hand, shown.argmax(axis=0))


def worst_showing(scope: Scope, hand: str) -> tuple[Ints8, Flags]:
    """The same of the worst hand of open cards."""
    shown = _shown(scope, hand, _MOST)
    return _where_known(scope, hand, shown.argmin(axis=0))


def _shown(scope: Scope, hand: str, out: int) -> Ints32:
    """int32[S, rounds]: the strength of each row's hand, `out` where nobody sits who is still in."""
    still_in = served_in(scope, scope.prepared.hands[hand].through).still_in
    made = np.where(still_in, strength(scope, hand), np.int32(out))
    return np.append(made, np.int32(out))[seating(scope).seats]  # where no seat is, the last entry is taken


def _where_known(scope: Scope, hand: str, row: Ints) -> tuple[Ints8, Flags]:
    served = served_in(scope, scope.prepared.hands[hand].through)
    owner, rounds = scope.batch.seats.round, len(scope.batch)
    ranked, some = np.ones(rounds, bool), np.zeros(rounds, bool)
    ranked[owner[served.still_in & (strength(scope, hand) == ABSENT)]] = False
    some[owner[served.still_in]] = True
    told = kinds_recorded(scope, ("deal",), "player")
    known = told & ((ranked & served.told) | ~served.came)
    return np.where(served.came & ranked & some, row, ABSENT).astype(np.int8), known


class Served(Struct, frozen=True, kw_only=True):
    """Players at a stage of the deal.

    `came` bool[rounds] is where any were dealt cards in it; `still_in` bool[seats] are those that take part and had not
    given up their hands when the last of those cards was dealt; `told` bool[rounds] is where the log tells who had:
    before the first cards nobody has.
    """

    came: Flags
    still_in: Flags
    told: Flags


@fact
def served_in(scope: Scope, stage: int) -> Served:
    """The players at a stage of the deal, by its place in the game's list."""
    events, record = scope.batch.events, record_of(scope)
    last = last_by_round(
        scope, np.flatnonzero((stage_of_events(scope) == stage) & (events.place == PLACES.index("player")))
    )
    gone = record.events[(record.op == FOLD) | (record.op == CONCEDE)]
    gone = gone[(gone < last[events.round[gone]]) & (events.seat[gone] != ABSENT)]
    still_in = taking_part(scope).copy()
    still_in[events.seat[gone]] = False
    earlier = scope.prepared.game.deal.stages[:stage]
    first = not any("player" in (one.cards or ()) for one in earlier)
    told = np.ones(len(scope.batch), bool) if first else kinds_recorded(scope, ("decide",))
    return Served(came=last != ABSENT, still_in=still_in, told=told)
