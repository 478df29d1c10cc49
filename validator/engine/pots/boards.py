"""Boards that are run several times once nobody can bet any more: the community cards of each board."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Ints
from validator.cards.cards import UNKNOWN
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.last_actions import betting_decisions
from validator.engine.timeline.step_events import events_of_kinds
from validator.engine.timeline.streets import count_cards
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import PLACES

MOST_BOARDS = 4
"""Largest number of times that a board is run."""
_COMMUNITY = PLACES.index("community")


class CommunityBoards(Struct, frozen=True, kw_only=True):
    """Composition of boards: some community cards are common to all boards, the others belong to one board each."""

    count: Ints
    """Number of boards, int64[rounds]; 1 if the board is run once."""
    common_count: Ints
    """Number of cards that all boards share, int64[rounds]."""
    size: int
    """Number of cards of a board."""
    community_cards: Hands
    """Community cards of each round."""

    @property
    def most_boards(self) -> int:
        """Return the largest number of boards of a round."""
        return int(self.count.max(initial=1))

    def collect_board(self, number: int) -> Hands:
        """Return the cards of a board, counted from 0; for a round with fewer boards, all its community cards."""
        rounds = np.flatnonzero((self.count > 1) & (self.count > number))
        if not len(rounds):
            return self.community_cards
        cards: Codes = np.full(
            (len(self.count), max(self.community_cards.cards.shape[1], self.size)), UNKNOWN, np.uint8
        )
        cards[:, : self.community_cards.cards.shape[1]] = self.community_cards.cards
        place = np.arange(self.size)
        common = self.common_count[rounds, None]
        own = place + np.where(place >= common, number * (self.size - common), 0)
        cards[rounds[:, None], place] = cards[rounds[:, None], own]
        count = self.community_cards.count.copy()
        count[rounds] = self.size
        return Hands(cards=cards, count=count)


def possible_boards(scope: EvaluationContext) -> tuple[CommunityBoards, ...]:
    """Return the possible compositions of the boards, the most likely one first."""
    return tuple(_iter_boards(scope))


@cached_fact
def most_likely_boards(scope: EvaluationContext) -> CommunityBoards:
    """Return the most likely composition of the boards: the one with the fewest boards."""
    return possible_boards(scope)[0]


def _iter_boards(scope: EvaluationContext) -> Iterator[CommunityBoards]:
    held, rounds = scope.dealt_hands("community"), len(scope.batch)
    size, cards = _find_board_size(scope), held.count.astype(np.int64)
    once = CommunityBoards(
        count=np.ones(rounds, np.int64), common_count=np.zeros(rounds, np.int64), size=size, community_cards=held
    )
    reading = scope.compiled_game.pots.several_boards
    if (
        reading is None
        or not scope.compiled_game.regulation.is_option_in_force(reading.name, reading.is_)
        or not (cards > size).any()
    ):
        yield once
        return
    dealt = _count_dealt_before_last_bet(scope)
    counts = np.ones((MOST_BOARDS + 1, rounds), np.int64)
    commons = np.zeros_like(counts)
    result = np.zeros(rounds, np.int64)
    for common in sorted(_find_common_counts(scope, size)):
        own = size - common
        boards = (cards - common) // own
        fits = (boards * own + common == cards) & (boards >= 2) & (boards <= MOST_BOARDS) & (common >= dealt)
        at = np.flatnonzero(fits)
        counts[result[at], at], commons[result[at], at] = boards[at], common
        result[at] += 1
    for which in range(max(int(result.max(initial=0)), 1)):
        # A round with fewer possible compositions keeps its last one.
        way = np.minimum(which, np.maximum(result - 1, 0)), np.arange(rounds)
        yield CommunityBoards(count=counts[way], common_count=commons[way], size=size, community_cards=held)


def _find_board_size(scope: EvaluationContext) -> int:
    hands = (scope.compiled_game.hands[share.hand] for share in scope.compiled_game.pots.shares)
    result = (hand.sizes[hand.places.index("community")] for hand in hands if "community" in hand.places)
    return max(result, default=0)


def _find_common_counts(scope: EvaluationContext, size: int) -> set[int]:
    """Return how many community cards there may be before the board is run again: those of whole stages."""
    stages = scope.compiled_game.game.deal.stages
    ways = [[way.count_dealt().get("community", 0) for way in stage.permitted_ways.values()] for stage in stages]
    dealt = np.cumsum([max(numbers, default=0) for numbers in ways])
    return {0, *(int(number) for number in dealt if number < size)}


def _count_dealt_before_last_bet(scope: EvaluationContext) -> Ints:
    """Return how many community cards each round had at the last betting action."""
    events, rounds = scope.batch.events, len(scope.batch)
    last = np.full(rounds, ABSENT, np.int64)
    acts = betting_decisions(scope)
    np.maximum.at(last, events.round[acts], acts)
    dealt = events_of_kinds(scope, ("deal",))
    before: Flags = (events.place[dealt] == _COMMUNITY) & (dealt < last[events.round[dealt]])
    dealt = dealt[before]
    result = np.zeros(rounds, np.int64)
    np.add.at(result, events.round[dealt], count_cards(scope, dealt))
    return result
