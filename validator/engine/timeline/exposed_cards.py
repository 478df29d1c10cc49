"""Exposed cards: shown by mistake and not turned down again."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field

from validator.arrays import ABSENT, Ints, Truths
from validator.cards.cards import CARDS
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import NO, UNKNOWN, YES


def are_all_turned_down(scope: EvaluationContext, shown: Ints, surely: Truths, turned_down: Ints) -> Truths:
    """Return whether no exposed card remains open after events that turn cards down.

    Events without cards turn down all open cards at their place. Mistakes are rare, so the events are processed one at
    a time.

    Args:
        shown: int64[n], the events that expose cards.
        surely: uint8[n], whether each of them counts.
        turned_down: int64[m], the events that turn cards down, in log order.

    Returns:
        uint8[m].
    """
    events = scope.batch.events
    result = np.full(len(turned_down), YES, np.uint8)
    if not len(turned_down):
        return result
    opening = np.isin(events.round[shown], events.round[turned_down])
    closing = np.flatnonzero(np.isin(events.round[turned_down], events.round[shown]))
    recorded = [
        (event, sure, ABSENT) for event, sure in zip(shown[opening].tolist(), surely[opening].tolist(), strict=True)
    ]
    recorded += [(int(turned_down[index]), YES, index) for index in closing.tolist()]
    round_ = ABSENT
    places: dict[tuple[int, int], _OpenCards] = {}
    for event, sure, index in sorted(recorded):
        if events.round[event] != round_:
            round_, places = int(events.round[event]), {}
        place = places.setdefault((int(events.place[event]), int(events.seat[event])), _OpenCards())
        if index == ABSENT:
            place.show(_list_cards(scope, event), sure=sure == YES)
        else:
            place.turn_down(_list_cards(scope, event))
            result[index] = min(place_.none_open() for place_ in places.values())
    return result


def _list_cards(scope: EvaluationContext, event: int) -> list[int]:
    """Return the cards that an event names; empty if it names none."""
    row = scope.batch.events.cards_row[event]
    if row == ABSENT:
        return []
    hands = scope.batch.events.hands
    return [int(card) for card in hands.cards[row, : max(hands.count[row], 0)]]


class _OpenCards(Struct):
    """Open cards at one place."""

    known: dict[int, bool] = field(default_factory=dict)
    """Known cards, each with whether it is surely open."""
    unseen: int = 0
    """Number of open cards whose faces are unknown."""
    doubtful: bool = False
    """True if it is uncertain whether the unseen cards are still open, since some were turned down."""

    def show(self, cards: list[int], *, sure: bool) -> None:
        for card in cards:
            if card < CARDS:
                self.known[card] = sure or self.known.get(card, False)
            else:
                self.unseen += 1
                self.doubtful |= not sure

    def turn_down(self, cards: list[int]) -> None:
        rest = [card for card in cards if self.known.pop(card, None) is None]
        unseen = sum(card >= CARDS for card in rest)
        # A named card that was not seen open is one of the unseen cards.
        named = min(len(rest) - unseen, self.unseen)
        left = self.unseen - named + len(self.known)
        if not cards or unseen >= left:
            self.known, self.unseen, self.doubtful = {}, 0, False
        elif unseen:
            # It is unknown which of the open cards these are.
            self.known, self.unseen, self.doubtful = {}, left - unseen, True
        elif named:
            self.unseen, self.doubtful = self.unseen - named, True

    def none_open(self) -> int:
        if any(self.known.values()) or (self.unseen and not self.doubtful):
            return NO
        return UNKNOWN if self.known or self.unseen else YES
