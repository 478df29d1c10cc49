"""Cards of players that were dealt face up."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT
from validator.cards.cards import NO_CARD
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.step_events import are_kinds_recorded
from validator.engine.timeline.streets import count_cards, stage_of_events
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import FACES, PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND_CODES

_PLAYER = PLACES.index("player")
_UP = FACES.index("up")


@cached_fact
def collect_open_cards(scope: EvaluationContext, through: int) -> Hands:
    """Return the cards that each seat was dealt face up until the end of a stage, one row per seat, in dealing order.

    The cards count as not recorded if the log does not list them as dealt, or omits the face of one.

    Args:
        through: index of the last stage in the game's list.
    """
    events, seats = scope.batch.events, scope.count_items("seat")
    stage = stage_of_events(scope)
    dealt = np.flatnonzero((events.kind == KIND_CODES["deal"]) & (events.place == _PLAYER) & (stage <= through))
    chosen = dealt[events.face[dealt] == _UP]
    chosen = chosen[np.argsort(events.seat[chosen], kind="stable")]
    seat, size = events.seat[chosen].astype(np.int64), count_cards(scope, chosen)
    count = np.bincount(seat, size, seats).astype(np.int64)
    deal = scope.compiled_game.game.deal
    # A hand with too many cards has no rank, whatever the cards are.
    width = min(deal.count_open_cards("player", deal.stages[through].stage), WIDEST_HAND)
    cards = np.full((seats, width), NO_CARD, np.uint8)
    before = np.cumsum(size) - size
    before -= before[np.searchsorted(seat, seat)]
    for column in range(int(size.max(initial=0))):
        ours = np.flatnonzero((column < size) & (before + column < width))
        cards[seat[ours], before[ours] + column] = events.hands.cards[events.cards_row[chosen[ours]], column]
    recorded = are_kinds_recorded(scope, ("deal",), "player")[scope.batch.seats.round]
    recorded[events.seat[dealt[events.face[dealt] == ABSENT]]] = False
    return Hands(cards=cards, count=np.where(recorded, np.minimum(count, WIDEST_HAND), ABSENT).astype(np.int16))
