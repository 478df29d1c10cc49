"""Arrangement of shown cards in the order of their hand."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Truths
from validator.cards.ranking import CompiledRanking
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.timeline.streets import count_cards, receivers
from validator.engine.timeline.truncated_records import may_continue
from validator.evidence.handlog.events import KINDS


@cached_fact
def is_arranged(scope: EvaluationContext, hand: str, kinds: tuple[int, ...]) -> Truths:
    """Return whether the cards of each event's place are arranged in the order of a hand's ranking.

    The check applies when all events of the kind at the place are over. The last event that shows the whole hand is
    responsible: cards may be turned up first and arranged later. Cards that are shown a few at a time are arranged if
    they are recorded in order; in another order they may have been put to either side, so the result is unknown. It is
    unknown as well if cards are shown again one at a time after the whole hand. A truncated record that stops before
    the comparison also leaves it unknown.

    Args:
        kinds: codes of the kinds of event to check; the result is unknown for others.

    Returns:
        uint8[events].
    """
    ranking, events = scope.compiled_game.hands[hand].ranking, scope.batch.events
    value = kleene.constant(UNKNOWN, len(events.kind))
    if not isinstance(ranking, CompiledRanking):
        return value
    # Only these kinds: ranking every dealt card would be wasteful.
    chosen = np.flatnonzero(np.isin(events.kind, kinds) & (events.cards_row != ABSENT))
    places, place = np.unique(receivers(scope)[chosen] * len(KINDS) + events.kind[chosen], return_inverse=True)
    size, rows = count_cards(scope, chosen), events.cards_row[chosen]
    whole = np.flatnonzero(size == ranking.size)
    last = np.full(len(places), ABSENT, np.int64)
    last[place[whole]] = whole
    counts = (last[place] == ABSENT) | (last[place] == np.arange(len(chosen)))
    recorded = np.bincount(place[counts], size[counts], len(places)) == ranking.size
    ours = np.flatnonzero(counts & recorded[place])
    ours = ours[np.argsort(place[ours], kind="stable")]
    shown = np.arange(events.hands.cards.shape[1]) < size[ours, None]
    cards = events.hands.cards[rows[ours]][shown].reshape(-1, ranking.size)
    result = kleene.where_known(ranking.is_arranged(cards), ranking.strength(cards) != ABSENT)
    lies = kleene.constant(UNKNOWN, len(places))
    latest = np.full(len(places), ABSENT, np.int64)
    latest[place] = np.arange(len(chosen))
    moved = (last != latest) | may_continue(scope, chosen.take(latest))
    lies[recorded] = np.where((result == NO) & moved[recorded], np.uint8(UNKNOWN), result)
    value[chosen] = np.where(counts, lies[place], np.uint8(YES))
    return value
