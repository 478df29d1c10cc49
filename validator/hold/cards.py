"""Cards and hands counted as they were dealt, by table and deck.

Only cards dealt first are counted: how many are drawn hangs on the others. And only where a round's cards are all
recorded: those that are recorded alone, because they were shown, are no fair sample.
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
"""Cards of a hand of which all sets are ranked to know its probabilities; of longest suited hands there may be more."""


class CardSums(Struct, kw_only=True):
    """Single cards: how often each came (`count`, int64[52]), in so many `rounds`, `seen` in all. `spread` is the sum
    over rounds with m cards out of N of m (N - m). `left_out` are rounds whose cards are not all told."""

    count: Ints
    rounds: int
    seen: int
    spread: int
    left_out: int

    def add(self, other: CardSums) -> None:
        """Add what came in other rounds."""
        self.count = self.count + other.count
        self.rounds += other.rounds
        self.seen += other.seen
        self.spread += other.spread
        self.left_out += other.left_out


class HandSums(Struct, kw_only=True):
    """Hands of one name: how many there were between each two of the strengths at which a category begins or ends
    (`count`, int64[ends + 1]); `left_out` are rounds whose cards are not all told."""

    count: Ints
    left_out: int

    def add(self, other: HandSums) -> None:
        """Add what came in other rounds."""
        self.count = self.count + other.count
        self.left_out += other.left_out


def deck_size(prepared: Prepared) -> int:
    """How many cards are in play."""
    return len(cards_of(prepared)) * prepared.game.deck.decks


def cards_of(prepared: Prepared) -> list[int]:
    """The codes of the cards of one deck."""
    ranks = prepared.regulation.vocabulary.decks[prepared.game.deck.cards].ranks
    return [RANKS.index(rank) * len(SUITS) + suit for rank in sorted(ranks, key=RANKS.index) for suit in range(4)]


def ends_of(hand: PreparedHand) -> tuple[int, ...]:
    """The strengths at which a category of a hand begins or ends."""
    spans = [hand.ranking.span(name) for name in hand.ranking.categories]
    return tuple(sorted({end for span in spans for end in span}))


def hands_counted(prepared: Prepared) -> list[str]:
    """The hands of a game that are what was dealt, and whose probabilities are counted."""
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
    """The cards of a place, those dealt first without what every deal of some kind puts aside at once: `cards`,
    uint8[n, k]; `told`, bool[rounds], where there are as many as in a regular deal, and `missing`, where some are not
    recorded: of players, where that is so of any who take part."""

    cards: Codes
    told: Flags
    missing: Flags


class Deals(Struct, frozen=True, kw_only=True):
    """The cards of every place, and the `first` seat of each round that takes part, int64[rounds], -1 where there is
    none."""

    of: dict[Dealt, Dealing]
    first: Ints

    def together(self, places: Sequence[Dealt]) -> tuple[Flags, Ints]:
        """bool[rounds], where the cards of some places are told; int64[k], the rounds in which some are missing."""
        told = np.logical_and.reduce([self.of[place].told for place in places])
        missing = np.logical_or.reduce([self.of[place].missing for place in places])
        return told & ~missing, np.flatnonzero(missing)


def deals_of(scope: Scope) -> Deals:
    """The cards that were dealt in the rounds of a batch."""
    batch, found = scope.batch, dict[Dealt, Dealing]()
    seats = batch.seats
    playing = np.flatnonzero(seats.playing)
    first = np.full(len(batch), -1, np.int64)
    first[seats.round[playing[::-1]]] = playing[::-1]
    for place, size in scope.prepared.game.deal.cards.items():
        match place:
            case "player":
                own = _dealing(scope.hands_at("player"), None, size)
                told, missing = first >= 0, np.zeros(len(batch), np.bool_)
                told[seats.round[playing[~own.told[playing]]]] = False
                missing[seats.round[playing[own.missing[playing]]]] = True
                found[place] = Dealing(cards=own.cards, told=told, missing=missing)
            case "dealer":
                found[place] = _dealing(scope.hands_at("dealer"), None, size)
            case _:
                found[place] = _dealing(scope.hands_at("community"), batch.community_discarded, size)
    return Deals(of=found, first=first)


def _dealing(hands: Hands, aside: Hands | None, size: int) -> Dealing:
    cards, width = hands.cards, np.arange(hands.cards.shape[1])
    dealt = width < hands.count[:, None]
    missing = (hands.count <= 0) | (dealt & (cards >= CARDS)).any(axis=1)
    count = hands.count
    if aside is not None and (hands.count > size).any():
        put = (cards[:, :, None] == np.where(aside.cards < CARDS, aside.cards, NO_CARD)[:, None, :]).any(axis=2)
        here = dealt & ~put
        order = np.argsort(~here, axis=1, kind="stable")
        left = here.sum(axis=1).astype(np.int16)
        more = hands.count > size
        cards = np.where(more[:, None], np.take_along_axis(cards, order, axis=1), cards)
        count = np.where(more, left, count)
    return Dealing(cards=cards[:, :size], told=(count == size) & ~missing, missing=missing)


def count_cards(scope: Scope, deals: Deals, cloth: Indices, cloths: int) -> Iterator[tuple[int, str, CardSums]]:
    """The single cards of each table and deck, int64[rounds]: those of the players (`player`), and all (`all`)."""
    batch, sizes = scope.batch, scope.prepared.game.deal.cards
    size = deck_size(scope.prepared)
    for places in dict.fromkeys((("player",), tuple(sizes))):
        if not all(place in sizes for place in places):
            continue
        told, missing = deals.together(places)
        count = np.zeros((cloths, CARDS), np.int64)
        dealt = np.zeros(len(batch), np.int64)
        for place in places:
            rows, rounds = _rows(scope, place, told)
            np.add.at(count, (cloth[rounds][:, None], deals.of[place].cards[rows]), 1)
            np.add.at(dealt, rounds, sizes[place])
        spread = np.where(told, dealt * np.maximum(size - dealt, 0), 0)
        columns = (
            np.bincount(cloth[told], minlength=cloths),
            np.bincount(cloth[missing], minlength=cloths),
            count.sum(axis=1),
            np.bincount(cloth, spread, minlength=cloths).astype(np.int64),
        )
        for number, (rounds_told, left_out, seen, spreads) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            sums = CardSums(count=count[number], rounds=rounds_told, seen=seen, spread=spreads, left_out=left_out)
            yield number, "player" if len(places) == 1 < len(sizes) else "all", sums


def _rows(scope: Scope, place: Dealt, told: Flags) -> tuple[Indices, Indices]:
    """The rows of a place's hands in rounds that are marked, and the rounds they belong to."""
    if place != "player":
        rounds = np.flatnonzero(told)
        return rounds, rounds
    seats = scope.batch.seats
    rows = np.flatnonzero(seats.playing & told[seats.round])
    return rows, seats.round[rows].astype(np.intp)


def count_hands(scope: Scope, name: str, deals: Deals, cloth: Indices, cloths: int) -> Iterator[tuple[int, HandSums]]:
    """The hands of one name at each table and with each deck. Of hands that share cards one of a round is taken."""
    hand = scope.prepared.hands[name]
    told, missing = deals.together(hand.places)
    if hand.places == ("player",):
        rows, rounds = _rows(scope, "player", told)
    else:
        rounds = np.flatnonzero(told & (deals.first >= 0) if "player" in hand.places else told)
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
