"""Seats with the best, or the worst, open cards among the players still in."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints8
from validator.engine.betting.action_codes import CONCEDE, FOLD
from validator.engine.betting.actions_recorded import betting_actions
from validator.engine.cards.ranked_hands import hand_strength
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.seats.seat_order import SeatLayout, is_playing
from validator.engine.timeline.step_events import are_kinds_recorded, find_last_by_round
from validator.engine.timeline.streets import stage_of_events
from validator.evidence.handlog.event_values import PLACES

_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def find_first_showing(scope: EvaluationContext, seats: SeatLayout, hand: str, *, best: bool) -> tuple[Ints8, Flags]:
    """Return the first row with the best, or worst, open cards, and whether it is known; ABSENT if no cards
    were dealt.
    """
    served, made = find_stage_players(scope, scope.compiled_game.hands[hand].through_stage), hand_strength(scope, hand)
    owner, rounds = scope.batch.seats.round, len(scope.batch)
    ranked, some = np.ones(rounds, bool), np.zeros(rounds, bool)
    ranked[owner[served.still_in & (made == ABSENT)]] = False
    some[owner[served.still_in]] = True
    out = np.int32(_LEAST if best else _MOST)
    shown = np.append(np.where(served.still_in, made, out), out)[seats.seat_of_row]  # ABSENT selects the last entry
    row = shown.argmax(axis=0) if best else shown.argmin(axis=0)
    known = are_kinds_recorded(scope, ("deal",), "player") & ((ranked & served.is_known) | ~served.were_cards_dealt)
    return np.where(served.were_cards_dealt & ranked & some, row, ABSENT).astype(np.int8), known


class StagePlayers(Struct, frozen=True, kw_only=True):
    """Players at a stage of the deal."""

    were_cards_dealt: Flags
    """True if any player was dealt cards in the stage, bool[rounds]."""
    still_in: Flags
    """Players who had not given up their hands when the last card of the stage was dealt, bool[seats]."""
    is_known: Flags
    """True if the log shows who had given up; before the first cards nobody has, bool[rounds]."""


@cached_fact
def find_stage_players(scope: EvaluationContext, stage: int) -> StagePlayers:
    """Return the players at a stage of the deal, by its index."""
    events, record = scope.batch.events, betting_actions(scope)
    last = find_last_by_round(
        scope, np.flatnonzero((stage_of_events(scope) == stage) & (events.place == PLACES.index("player")))
    )
    folds = record.events[(record.op == FOLD) | (record.op == CONCEDE)]
    folds = folds[(folds < last[events.round[folds]]) & (events.seat[folds] != ABSENT)]
    still_in = is_playing(scope).copy()
    still_in[events.seat[folds]] = False
    earlier = scope.compiled_game.game.deal.stages[:stage]
    first = not any("player" in (earlier_stage.cards or ()) for earlier_stage in earlier)
    recorded = np.ones(len(scope.batch), bool) if first else are_kinds_recorded(scope, ("decide",))
    return StagePlayers(were_cards_dealt=last != ABSENT, still_in=still_in, is_known=recorded)
