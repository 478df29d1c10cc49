"""Boards that are run several times once nobody can bet any more: which community cards make up which board."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Ints
from validator.cards.cards import UNKNOWN
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.last_actions import betting_acts
from validator.engine.timeline.step_events import events_of_kinds
from validator.engine.timeline.streets import sizes_of
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import PLACES

MOST_BOARDS = 4
"""How often a board is run at the most."""
_COMMUNITY = PLACES.index("community")


class Boards(Struct, frozen=True, kw_only=True):
    """How the community cards of rounds make up boards: some are common to all, the others come board by board."""

    count: Ints
    """int64[rounds], how many boards there are, 1 where the board is run once."""
    common: Ints
    """int64[rounds], how many cards all boards have in common."""
    size: int
    """How many cards make up a board."""
    held: Hands
    """The community cards of each round."""

    @property
    def most(self) -> int:
        """The largest number of boards of a round."""
        return int(self.count.max(initial=1))

    def board(self, number: int) -> Hands:
        """Return the cards of a board, counted from 0; those of a round that has fewer boards are all its cards."""
        rounds = np.flatnonzero((self.count > 1) & (self.count > number))
        if not len(rounds):
            return self.held
        cards: Codes = np.full((len(self.count), max(self.held.cards.shape[1], self.size)), UNKNOWN, np.uint8)
        cards[:, : self.held.cards.shape[1]] = self.held.cards
        place = np.arange(self.size)
        common = self.common[rounds, None]
        own = place + np.where(place >= common, number * (self.size - common), 0)
        cards[rounds[:, None], place] = cards[rounds[:, None], own]
        count = self.held.count.copy()
        count[rounds] = self.size
        return Hands(cards=cards, count=count)


def boards_of(scope: Scope) -> tuple[Boards, ...]:
    """Return how the community cards make up boards: as they most likely do, then as they may as well."""
    return tuple(_boards(scope))


@fact
def most_likely_boards(scope: Scope) -> Boards:
    """Return how the community cards most likely make up boards: with the fewest boards."""
    return boards_of(scope)[0]


def _boards(scope: Scope) -> Iterator[Boards]:
    held, rounds = scope.hands_at("community"), len(scope.batch)
    size, cards = _size_of_a_board(scope), held.count.astype(np.int64)
    once = Boards(count=np.ones(rounds, np.int64), common=np.zeros(rounds, np.int64), size=size, held=held)
    reading = scope.prepared.pots.several_boards
    if reading is None or not scope.prepared.regulation.applies(reading.name, reading.is_) or not (cards > size).any():
        yield once
        return
    dealt = _dealt_while_betting(scope)
    counts = np.ones((MOST_BOARDS + 1, rounds), np.int64)
    commons = np.zeros_like(counts)
    result = np.zeros(rounds, np.int64)
    for common in sorted(_common_parts(scope, size)):
        own = size - common
        boards = (cards - common) // own
        fits = (boards * own + common == cards) & (boards >= 2) & (boards <= MOST_BOARDS) & (common >= dealt)
        at = np.flatnonzero(fits)
        counts[result[at], at], commons[result[at], at] = boards[at], common
        result[at] += 1
    for which in range(max(int(result.max(initial=0)), 1)):
        # A round that can be read in fewer ways is read as before.
        way = np.minimum(which, np.maximum(result - 1, 0)), np.arange(rounds)
        yield Boards(count=counts[way], common=commons[way], size=size, held=held)


def _size_of_a_board(scope: Scope) -> int:
    hands = (scope.prepared.hands[share.hand] for share in scope.prepared.pots.shares)
    result = (hand.sizes[hand.places.index("community")] for hand in hands if "community" in hand.places)
    return max(result, default=0)


def _common_parts(scope: Scope, size: int) -> set[int]:
    """Return how many community cards there may be before the board is run again: those of whole stages."""
    stages = scope.prepared.game.deal.stages
    ways = [[way.dealt().get("community", 0) for way in stage.permitted.values()] for stage in stages]
    dealt = np.cumsum([max(numbers, default=0) for numbers in ways])
    return {0, *(int(number) for number in dealt if number < size)}


def _dealt_while_betting(scope: Scope) -> Ints:
    """Return how many community cards each round had when somebody acted for the last time, int64[rounds]."""
    events, rounds = scope.batch.events, len(scope.batch)
    last = np.full(rounds, ABSENT, np.int64)
    acts = betting_acts(scope)
    np.maximum.at(last, events.round[acts], acts)
    dealt = events_of_kinds(scope, ("deal",))
    before: Flags = (events.place[dealt] == _COMMUNITY) & (dealt < last[events.round[dealt]])
    dealt = dealt[before]
    result = np.zeros(rounds, np.int64)
    np.add.at(result, events.round[dealt], sizes_of(scope, dealt))
    return result
