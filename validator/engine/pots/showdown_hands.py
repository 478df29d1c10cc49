"""Hands at showdown: community boards, shown cards, and strengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Bits32, Bits64, Codes, Flags, Ints, Ints32, find_true
from fairdeal.validator.cards.card_codes import CARDS, KNOWN_CARDS, NO_CARD, UNKNOWN
from fairdeal.validator.engine.betting.betting_replay import Contributions
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.facts.final_hands import collect_hand_cards
from fairdeal.validator.engine.pots.side_pots import LayeredPots, expand_masks
from fairdeal.validator.engine.timeline.deal_stages import count_cards
from fairdeal.validator.engine.timeline.event_cards import card_bits
from fairdeal.validator.engine.timeline.recorded_acts import betting_decisions
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.evidence.event_kinds import AT_PLAYER, PLACES

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
        rounds = find_true((self.count > 1) & (self.count > number))
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


@cached_fact
def possible_boards(scope: EvaluationContext) -> tuple[CommunityBoards, ...]:
    """Return the possible compositions of the boards, the most likely one first: the one with the fewest boards."""
    held, size = scope.dealt_hands("community"), _find_board_size(scope)
    reading = scope.compiled_game.pots.several_boards
    if reading is None or not scope.compiled_game.regulation.is_option_in_force(reading.name, reading.is_):
        several = np.zeros(0, np.int64)
    else:
        several = find_true(held.count > size)
    found: dict[int, list[tuple[int, int]]] = {}
    if len(several):
        commons, dealt = _find_common_counts(scope, size), _count_dealt_before_last_bet(scope)
        for at in several.tolist():
            least = int(dealt[at])
            found[at] = _list_compositions(int(held.count[at]), size, [common for common in commons if common >= least])
    result: list[CommunityBoards] = []
    for which in range(max([1, *map(len, found.values())])):
        count, common_count = np.ones(len(scope.batch), np.int64), np.zeros(len(scope.batch), np.int64)
        for at, ways in found.items():
            if ways:  # a round with fewer possible compositions keeps its last one
                count[at], common_count[at] = ways[min(which, len(ways) - 1)]
        result.append(CommunityBoards(count=count, common_count=common_count, size=size, community_cards=held))
    return tuple(result)


def _list_compositions(cards: int, size: int, commons: Sequence[int]) -> list[tuple[int, int]]:
    """Return the numbers of boards of a size that a number of cards may make, each with the number of shared cards."""
    ways = [(*divmod(cards - common, size - common), common) for common in commons]
    return [(boards, common) for boards, rest, common in ways if rest == 0 and 2 <= boards <= MOST_BOARDS]


def most_likely_boards(scope: EvaluationContext) -> CommunityBoards:
    """Return the most likely composition of the boards."""
    return possible_boards(scope)[0]


def _find_board_size(scope: EvaluationContext) -> int:
    hands = (scope.compiled_game.hands[share.hand] for share in scope.compiled_game.pots.shares)
    result = (hand.sizes[hand.places.index("community")] for hand in hands if "community" in hand.places)
    return max(result, default=0)


def _find_common_counts(scope: EvaluationContext, size: int) -> list[int]:
    """Return how many community cards there may be before the board is run again: those of whole stages."""
    stages = scope.compiled_game.game.deal.stages
    ways = [[way.count_dealt().get("community", 0) for way in stage.permitted_ways.values()] for stage in stages]
    dealt = np.cumsum([max(numbers, default=0) for numbers in ways])
    return sorted({number for number in (0, *dealt.tolist()) if number < size})


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


@cached_fact
def collect_shown_faces(scope: EvaluationContext) -> Bits64:
    """Return the cards of each seat that were shown face up, as sets.

    Returns:
        uint64[seats].
    """
    seat, cards = _collect_shown(scope)
    result = np.zeros(scope.count_items("seat"), np.uint64)
    np.bitwise_or.at(result, seat, card_bits(cards))
    return result


def count_shown_cards(scope: EvaluationContext) -> tuple[Ints, Ints, Flags]:
    """Count the different cards of each seat that were shown.

    Returns:
        int64[seats], the least number; int64[seats], how many more there may be because of unknown faces; bool[seats],
        whether shows are recorded.
    """
    recorded = are_kinds_recorded(scope, ("reveal",), "player")[scope.batch.seats.round]
    seat, cards = _collect_shown(scope)
    hidden = np.bincount(seat, (cards == UNKNOWN).sum(axis=1), scope.count_items("seat")).astype(np.int64)
    return np.bitwise_count(collect_shown_faces(scope)).astype(np.int64), hidden, recorded


def _collect_shown(scope: EvaluationContext) -> tuple[Ints32, Codes]:
    """Return the seat of each shown hand, and its cards."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, ("reveal",))
    chosen = chosen[(events.place[chosen] == AT_PLAYER) & (events.seat[chosen] != ABSENT)]
    return events.seat[chosen], events.hands.cards[events.cards_row[chosen]]


def collect_player_cards(scope: EvaluationContext, hand: str, size: int, seats: Ints32) -> Codes:
    """Return the cards of some seats that make up a hand, UNKNOWN if a face is unknown.

    Cards that the record of a hand omits are filled in from the cards that were shown.

    Returns:
        uint8[n, size].
    """
    dealt = collect_hand_cards(scope, hand, "player")
    cards, count = dealt.cards[seats], dealt.count[seats]
    if cards.shape[1] < size:
        cards = np.pad(cards, ((0, 0), (0, size - cards.shape[1])), constant_values=NO_CARD)
    doubtful = find_true((count != size) | (cards[:, :size] >= CARDS).any(axis=1))
    result = cards[:, :size].copy()
    if len(doubtful):
        result[doubtful] = UNKNOWN
        fits = (count[doubtful] == size) | (count[doubtful] == ABSENT)
        faces = card_bits(cards[doubtful]) | collect_shown_faces(scope)[seats[doubtful]]
        whole = fits & (np.bitwise_count(faces) == size)
        is_in_hand = (faces[whole, None] >> np.arange(KNOWN_CARDS, dtype=np.uint64)) & np.uint64(1)
        result[doubtful[whole]] = is_in_hand.nonzero()[1].reshape(-1, size)
    return result


def find_contested_rows(pots: LayeredPots) -> Bits32:
    """Return the rows that can win a pot which another row can win as well, as masks.

    Returns:
        uint32[H].
    """
    result = np.zeros(len(pots.count), np.uint32)
    several = find_true(pots.is_contested)
    np.bitwise_or.at(result, pots.round[several], pots.eligible[several])
    return result


def compute_strengths(scope: EvaluationContext, hand: str, put: Contributions, rows: Bits32, board: Hands) -> Ints32:
    """Return the strength of a hand on a board, for some rows.

    It is ABSENT for all other rows, and if a card is unknown or a place does not hold the full number of cards.

    Args:
        rows: uint32[H], the rows to evaluate, as masks.

    Returns:
        int32[S, H].
    """
    prepared = scope.compiled_game.hands[hand]
    result = np.full(put.seats.shape, ABSENT, np.int32)
    at, round_ = np.nonzero(expand_masks(rows, len(put.seats)) & (put.seats >= 0))
    if not len(at):
        return result
    seats = put.seats[at, round_]
    parts: list[Codes] = []
    for place, wanted in zip(prepared.places, prepared.sizes, strict=True):
        if place == "player":
            parts.append(collect_player_cards(scope, hand, wanted, seats))
        else:
            held = board if place == "community" else collect_hand_cards(scope, hand, place)
            cards = held.cards[round_, :wanted]
            if cards.shape[1] < wanted:
                cards = np.pad(cards, ((0, 0), (0, wanted - cards.shape[1])), constant_values=NO_CARD)
            parts.append(np.where((held.count[round_] == wanted)[:, None], cards, np.uint8(UNKNOWN)))
    result[at, round_] = prepared.strength(np.concatenate(parts, axis=1))
    return result
