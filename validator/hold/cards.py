"""Counts of the cards and hands that were dealt, by table and deck.

Only cards that are dealt first count, because the number of drawn cards depends on them. Only rounds with complete
cards count, because cards that are recorded just when they are shown are a biased sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Indices, Ints
from validator.cards.cards import CARDS, NO_CARD
from validator.cards.longest_flush import LongestSuited
from validator.cards.names import RANKS, SUITS
from validator.cards.suit_tiebreak import BySuit
from validator.engine.compiled.game import Prepared, PreparedHand
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Hands
from validator.language.terms import Place as Dealt

_MOST_IN_A_HAND = 6
"""Largest hand whose probabilities are counted by ranking all sets; the longest suited hand may be larger."""


class CardSums(Struct, kw_only=True):
    """Number of times that each card was dealt."""

    count: Ints
    """Count of each card, int64[52]."""
    rounds: int
    """Number of rounds."""
    seen: int
    """Number of cards."""
    spread: int
    """Sum of m (N - m) over rounds with m of N cards."""
    left_out: int
    """Number of rounds whose cards are not completely recorded."""

    def add(self, other: CardSums) -> None:
        """Add the counts of other rounds."""
        self.count = self.count + other.count
        self.rounds += other.rounds
        self.seen += other.seen
        self.spread += other.spread
        self.left_out += other.left_out


class HandSums(Struct, kw_only=True):
    """Number of hands of one name, by strength."""

    count: Ints
    """Number of hands between each two bounds of categories, int64[bounds + 1]."""
    left_out: int
    """Number of rounds whose cards are not completely recorded."""

    def add(self, other: HandSums) -> None:
        """Add the counts of other rounds."""
        self.count = self.count + other.count
        self.left_out += other.left_out


def deck_size(prepared: Prepared) -> int:
    """Return the number of cards in play."""
    return len(cards_of(prepared)) * prepared.game.deck.decks


def cards_of(prepared: Prepared) -> list[int]:
    """Return the codes of the cards of one deck."""
    ranks = prepared.regulation.vocabulary.decks[prepared.game.deck.cards].ranks
    return [RANKS.index(rank) * len(SUITS) + suit for rank in sorted(ranks, key=RANKS.index) for suit in range(4)]


def ends_of(hand: PreparedHand) -> tuple[int, ...]:
    """Return the strengths at which a category of a hand begins or ends."""
    spans = [hand.ranking.span(name) for name in hand.ranking.categories]
    return tuple(sorted({end for span in spans for end in span}))


def hands_counted(prepared: Prepared) -> list[str]:
    """Return the names of the hands that are complete as dealt, and whose probabilities can be counted."""
    game = prepared.game
    if deck_size(prepared) != CARDS:
        return []
    exchanges = bool(game.drawing) or any(decision.discards is not None for decision in game.decisions.values())
    return [name for name, hand in prepared.hands.items() if _is_counted(hand, exchanges=exchanges)]


def _is_counted(hand: PreparedHand, *, exchanges: bool) -> bool:
    as_dealt = hand.cards == "dealt" or (hand.cards == "held" and not exchanges)
    few = isinstance(hand.ranking, LongestSuited) or sum(hand.sizes) <= _MOST_IN_A_HAND
    return as_dealt and few and hand.composed is None and not isinstance(hand.ranking, BySuit)


class Dealing(Struct, frozen=True, kw_only=True):
    """Cards of a place that are dealt first, without those that every deal of the kind puts aside at once."""

    cards: Codes
    """Cards, uint8[n, k]."""
    told: Flags
    """Rounds with as many cards as in a regular deal, bool[rounds]. For players, every hand of the round must have
    them."""
    missing: Flags
    """Rounds in which some cards are not recorded, bool[rounds]."""


class Deals(Struct, frozen=True, kw_only=True):
    """Cards of every place in the rounds of a batch."""

    of: dict[Dealt, Dealing]
    """Cards by place."""
    first: Ints
    """First seat of each round that takes part, int64[rounds]; -1 if there is none."""

    def together(self, places: Sequence[Dealt]) -> tuple[Flags, Ints]:
        """Return the rounds in which the cards of some places are complete, and those in which some are missing.

        Returns:
            bool[rounds] and int64[k].
        """
        complete = np.logical_and.reduce([self.of[place].told for place in places])
        missing = np.logical_or.reduce([self.of[place].missing for place in places])
        return complete & ~missing, np.flatnonzero(missing)


def deals_of(scope: Scope) -> Deals:
    """Collect the cards that were dealt first in the rounds of a batch."""
    batch, by_place = scope.batch, dict[Dealt, Dealing]()
    seats = batch.seats
    playing = np.flatnonzero(seats.playing)
    first = np.full(len(batch), -1, np.int64)
    first[seats.round[playing[::-1]]] = playing[::-1]
    for place, size in scope.prepared.game.deal.cards.items():
        match place:
            case "player":
                of_seats = _select_first_cards(scope.hands_at("player"), None, size)
                complete, missing = first >= 0, np.zeros(len(batch), np.bool_)
                complete[seats.round[playing[~of_seats.told[playing]]]] = False
                missing[seats.round[playing[of_seats.missing[playing]]]] = True
                by_place[place] = Dealing(cards=of_seats.cards, told=complete, missing=missing)
            case "dealer":
                by_place[place] = _select_first_cards(scope.hands_at("dealer"), None, size)
            case _:
                by_place[place] = _select_first_cards(scope.hands_at("community"), batch.community_discarded, size)
    return Deals(of=by_place, first=first)


def _select_first_cards(hands: Hands, aside: Hands | None, size: int) -> Dealing:
    cards, width = hands.cards, np.arange(hands.cards.shape[1])
    dealt = width < hands.count[:, None]
    missing = (hands.count <= 0) | (dealt & (cards >= CARDS)).any(axis=1)
    count = hands.count
    if aside is not None and (hands.count > size).any():
        is_aside = (cards[:, :, None] == np.where(aside.cards < CARDS, aside.cards, NO_CARD)[:, None, :]).any(axis=2)
        is_left = dealt & ~is_aside
        order = np.argsort(~is_left, axis=1, kind="stable")
        left = is_left.sum(axis=1).astype(np.int16)
        has_more = hands.count > size
        cards = np.where(has_more[:, None], np.take_along_axis(cards, order, axis=1), cards)
        count = np.where(has_more, left, count)
    return Dealing(cards=cards[:, :size], told=(count == size) & ~missing, missing=missing)


def count_cards(scope: Scope, deals: Deals, cloth: Indices, cloths: int) -> Iterator[tuple[int, str, CardSums]]:
    """Yield the single cards of each table and deck: those of players (`player`), and those of all places (`all`).

    Args:
        scope: the batch.
        deals: the cards that were dealt first.
        cloth: index of the table and deck of each round, int64[rounds].
        cloths: number of tables and decks.
    """
    batch, sizes = scope.batch, scope.prepared.game.deal.cards
    size = deck_size(scope.prepared)
    for places in dict.fromkeys((("player",), tuple(sizes))):
        if not all(place in sizes for place in places):
            continue
        complete, missing = deals.together(places)
        count = np.zeros((cloths, CARDS), np.int64)
        dealt = np.zeros(len(batch), np.int64)
        for place in places:
            rows, rounds = _find_rows(scope, place, complete)
            np.add.at(count, (cloth[rounds][:, None], deals.of[place].cards[rows]), 1)
            np.add.at(dealt, rounds, sizes[place])
        spread = np.where(complete, dealt * np.maximum(size - dealt, 0), 0)
        columns = (
            np.bincount(cloth[complete], minlength=cloths),
            np.bincount(cloth[missing], minlength=cloths),
            count.sum(axis=1),
            np.bincount(cloth, spread, minlength=cloths).astype(np.int64),
        )
        for number, (rounds_told, left_out, seen, spreads) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            sums = CardSums(count=count[number], rounds=rounds_told, seen=seen, spread=spreads, left_out=left_out)
            yield number, "player" if len(places) == 1 < len(sizes) else "all", sums


def _find_rows(scope: Scope, place: Dealt, chosen: Flags) -> tuple[Indices, Indices]:
    """Return the rows of the hands of a place in marked rounds, and the rounds of these rows."""
    if place != "player":
        rounds = np.flatnonzero(chosen)
        return rounds, rounds
    seats = scope.batch.seats
    rows = np.flatnonzero(seats.playing & chosen[seats.round])
    return rows, seats.round[rows].astype(np.intp)


def count_hands(scope: Scope, name: str, deals: Deals, cloth: Indices, cloths: int) -> Iterator[tuple[int, HandSums]]:
    """Yield the hands of one name at each table with each deck. Of several hands that share cards, one per round
    counts."""
    hand = scope.prepared.hands[name]
    complete, missing = deals.together(hand.places)
    if hand.places == ("player",):
        rows, rounds = _find_rows(scope, "player", complete)
    else:
        rounds = np.flatnonzero(complete & (deals.first >= 0) if "player" in hand.places else complete)
        rows = deals.first[rounds]
    ends = np.array(ends_of(hand), np.int64)
    count = np.zeros((cloths, len(ends) + 1), np.int64)
    if len(rounds):
        parts = [deals.of[place].cards[rows if place == "player" else rounds] for place in hand.places]
        strengths = hand.strength(np.concatenate(parts, axis=1))
        np.add.at(count, (cloth[rounds], np.searchsorted(ends, strengths, "right")), 1)
    left_out = np.bincount(cloth[missing], minlength=cloths).tolist()
    for number in range(cloths):
        yield number, HandSums(count=count[number], left_out=left_out[number])
