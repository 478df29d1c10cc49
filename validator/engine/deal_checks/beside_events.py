"""Evidence next to an event: the cards dealt next, and the chips on the wager that it names."""

from __future__ import annotations

from collections import Counter

import numpy as np

from validator.arrays import ABSENT, Ints, Ints8, Truths, find_distinct
from validator.cards.cards import CARDS, NO_CARD
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.facts.wagers import is_staked
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from validator.evidence.handlog.event_values import MEANS, PLACES

_BURN = PLACES.index("burn")


def are_dealt_next(scope: EvaluationContext, chosen: Ints) -> Truths:
    """Return whether the cards of some events that leave the deck to nobody are the next ones dealt to a place.

    Packets count whole. If nothing is dealt afterwards, there is no contradiction. The result is no for events at other
    places than `burn`.

    Returns:
        uint8[n].
    """
    events, complete = scope.batch.events, scope.batch.complete
    burnt = events.place[chosen] == _BURN
    result = np.where(burnt, np.uint8(UNKNOWN), np.uint8(NO))
    dealing = events_of_kinds(scope, ("deal",))
    dealing = dealing[events.place[dealing] != _BURN]
    ends = np.searchsorted(dealing, events.offsets)  # last deal of each round
    recorded = are_kinds_recorded(scope, ["deal"])
    for at in np.flatnonzero(burnt & (events.cards_row[chosen] != ABSENT)).tolist():
        index = int(chosen[at])
        round_ = int(events.round[index])
        lacking, next_ = _count_cards_of_event(scope, index), Counter[int]()
        for deal in dealing[np.searchsorted(dealing, index) : ends[round_ + 1]].tolist():
            if next_.total() >= lacking.total():
                break
            next_ += _count_cards_of_event(scope, deal)
        if not recorded[round_] or next_.total() < lacking.total():
            result[at] = YES if recorded[round_] and complete[round_] and not next_ else UNKNOWN
            continue
        missing = sum(count for card, count in (lacking - next_).items() if card < CARDS)
        hidden = sum(count for card, count in lacking.items() if card >= CARDS)
        unseen = sum(count for card, count in next_.items() if card >= CARDS)
        result[at] = NO if missing > unseen else UNKNOWN if missing or hidden else YES
    return result


def _count_cards_of_event(scope: EvaluationContext, event: int) -> Counter[int]:
    """Count the cards of an event by code; cards with unknown faces have a code of their own."""
    events = scope.batch.events
    row = int(events.cards_row[event])
    return Counter() if row == ABSENT else Counter(card for card in events.hands.cards[row].tolist() if card != NO_CARD)


def is_also_placed_in(scope: EvaluationContext, means: tuple[str, ...]) -> Truths:
    """Return whether the wager of each event was also placed by its seat in one of these means.

    The result is no for events of other kinds.

    Returns:
        uint8[events].
    """
    events = scope.batch.events
    wagering = events_of_kinds(scope, ("wager",))
    stakes = np.stack([events.seat[wagering], events.wager.codes[wagering], events.tip[wagering]], axis=1)
    _, stake = np.unique(stakes, axis=0, return_inverse=True)
    stake = stake.reshape(-1)
    in_: Ints8 = events.means[wagering]
    fits = np.bincount(stake, np.isin(in_, [MEANS.index(name) for name in means])) > 0
    open_ = np.bincount(stake, in_ == ABSENT) > 0
    rounds = events.round[wagering]
    recorded = are_kinds_recorded(scope, ["wager"])[rounds] & scope.batch.complete[rounds]
    result = kleene.constant(NO, len(events.kind))
    result[wagering] = np.where(fits[stake], YES, np.where(recorded & ~open_[stake], NO, UNKNOWN))
    return result


def has_wager_status(scope: EvaluationContext, wanted: str, chosen: Ints) -> Truths:
    """Return whether the seat of each event has a certain stake on the wager that the event names.

    The result is no for events without a seat or a wager.

    Args:
        wanted: `placed`, an own stake on a wager of the game; `not-of-the-game`, a stake on another wager;
            `not-placed`, no stake.
    """
    events, game = scope.batch.events, scope.compiled_game.game
    result = kleene.constant(NO, len(chosen))
    seat, code = events.seat[chosen], events.wager.codes[chosen]
    naming = (seat != ABSENT) & (code != ABSENT)
    for wager in find_distinct(code[naming]).tolist():
        name = events.wager.names[wager]
        staked = is_staked(scope, name, tip=False)
        if wanted == "not-placed":
            staked = kleene.negate(staked)
        elif (name in game.wagers) != (wanted == "placed"):
            continue
        at = np.flatnonzero(naming & (code == wager))
        result[at] = staked[seat[at]]
    return result
