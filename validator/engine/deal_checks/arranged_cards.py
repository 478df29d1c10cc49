"""Whether cards that are shown lie in the order of their hand, once they have been laid out."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Tri
from validator.cards.ranking import CompiledRanking
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.timeline.streets import receivers, sizes_of
from validator.engine.timeline.truncated_records import may_go_on
from validator.evidence.handlog.events import KINDS


@fact
def lies_arranged(scope: Scope, hand: str, kinds: tuple[int, ...]) -> Tri:
    """uint8[events]: of events of some kinds, by their codes, whether the cards of their place lie from left to right
    in the order of a hand's ranking when all events of the kind there are over; unknown for others.

    The last event that shows the whole hand is answerable for how it lies: cards may be turned up first and arranged
    then. Cards that are shown a few at a time, and together are the hand, lie arranged where they are told in that
    order; in another one they may have been put to either side, which is not told. So may cards that are shown again
    one by one after the whole hand, and cards of a record that stops before the hand was compared.
    """
    ranking, events = scope.prepared.hands[hand].ranking, scope.batch.events
    value = kleene.constant(UNKNOWN, len(events.kind))
    if not isinstance(ranking, CompiledRanking):
        return value
    # Of no other kinds, for ranking every dealt card would be waste.
    chosen = np.flatnonzero(np.isin(events.kind, kinds) & (events.cards_row != ABSENT))
    places, place = np.unique(receivers(scope)[chosen] * len(KINDS) + events.kind[chosen], return_inverse=True)
    size, rows = sizes_of(scope, chosen), events.cards_row[chosen]
    whole = np.flatnonzero(size == ranking.size)
    last = np.full(len(places), ABSENT, np.int64)
    last[place[whole]] = whole
    counts = (last[place] == ABSENT) | (last[place] == np.arange(len(chosen)))
    recorded = np.bincount(place[counts], size[counts], len(places)) == ranking.size
    ours = np.flatnonzero(counts & recorded[place])
    ours = ours[np.argsort(place[ours], kind="stable")]
    shown = np.arange(events.hands.cards.shape[1]) < size[ours, None]
    cards = events.hands.cards[rows[ours]][shown].reshape(-1, ranking.size)
    result = kleene.where_known(ranking.arranged(cards), ranking.strength(cards) != ABSENT)
    lies = kleene.constant(UNKNOWN, len(places))
    latest = np.full(len(places), ABSENT, np.int64)
    latest[place] = np.arange(len(chosen))
    moved = (last != latest) | may_go_on(scope, chosen.take(latest))
    lies[recorded] = np.where((result == NO) & moved[recorded], np.uint8(UNKNOWN), result)
    value[chosen] = np.where(counts, lies[place], np.uint8(YES))
    return value
