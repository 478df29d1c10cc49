"""Cards and hands counted as they were dealt, by table and deck.

Only cards dealt first are counted: how many are drawn hangs on the others. And only where a round's cards are all
recorded: those that are recorded alone, because they were shown, are no fair sample.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Indices, Ints
from validator.cards.cards import CARDS
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
    over rounds with m cards out of N of m (N - m) / (N (N - 1)). `left_out` are rounds whose cards are not all told."""

    count: Ints
    rounds: int
    seen: int
    spread: float
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
    exchanges = bool(game.drawing) or any(one.discards is not None for one in game.decisions.values())
    return [name for name, hand in prepared.hands.items() if _is_counted(hand, exchanges=exchanges)]


def _is_counted(hand: PreparedHand, *, exchanges: bool) -> bool:
    as_dealt = hand.cards == "dealt" or (hand.cards == "held" and not exchanges)
    few = isinstance(hand.ranking, LongestSuited) or sum(hand.sizes) <= _MOST_IN_A_HAND
    return as_dealt and few and hand.composed is None and not isinstance(hand.ranking, BySuit)


class Whole(Struct, frozen=True, kw_only=True):
    """Where cards are told: bool[rounds], of each place of the deal, those of players where that is so of all of them;
    the `first` seat of each round that takes part, int64[rounds], -1 where there is none."""

    of: dict[Dealt, Flags]
    first: Ints


def told_whole(scope: Scope) -> Whole:
    """Where a batch tells all cards that are dealt in a regular deal."""
    batch, game = scope.batch, scope.prepared.game
    found: dict[Dealt, Flags] = {}
    playing = np.flatnonzero(batch.seats.playing)
    rounds = len(batch)
    first = np.full(rounds, -1, np.int64)
    first[batch.seats.round[playing[::-1]]] = playing[::-1]
    for place, count in game.deal.cards.items():
        told = _told(_hands(scope, place), count)
        if place == "player":
            missing = playing[~told[playing]]
            told = first >= 0
            told[batch.seats.round[missing]] = False
        found[place] = told
    return Whole(of=found, first=first)


def _hands(scope: Scope, place: Dealt) -> Hands:
    match place:
        case "player":
            return scope.batch.seats.hands
        case "dealer":
            return scope.batch.dealer
        case _:
            return scope.batch.community


def _told(hands: Hands, count: int) -> Flags:
    """bool[n]: where so many cards are recorded, and no other."""
    return (hands.count == count) & (hands.cards[:, :count] < CARDS).all(axis=1)


def count_cards(scope: Scope, whole: Whole, cloth: Indices, cloths: int) -> Iterator[tuple[int, str, CardSums]]:
    """The single cards of each table and deck, int64[rounds]: those of the players (`player`), and all (`all`)."""
    batch, sizes = scope.batch, scope.prepared.game.deal.cards
    size = deck_size(scope.prepared)
    for places in dict.fromkeys((("player",), tuple(sizes))):
        if not all(place in sizes for place in places):
            continue
        told = np.logical_and.reduce([whole.of[place] for place in places])
        count = np.zeros((cloths, CARDS), np.int64)
        dealt = np.zeros(len(batch), np.int64)
        for place in places:
            rows, rounds = _rows(scope, place, told)
            cards = _hands(scope, place).cards[rows, : sizes[place]]
            np.add.at(count, (cloth[rounds][:, None], cards), 1)
            np.add.at(dealt, rounds, sizes[place])
        told &= dealt <= size
        spread = np.where(told, dealt * (size - dealt), 0) / (size * (size - 1))
        columns = (
            np.bincount(cloth[told], minlength=cloths),
            np.bincount(cloth[~told], minlength=cloths),
            count.sum(axis=1),
            np.bincount(cloth, spread, minlength=cloths),
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


def count_hands(scope: Scope, name: str, whole: Whole, cloth: Indices, cloths: int) -> Iterator[tuple[int, HandSums]]:
    """The hands of one name at each table and with each deck. Of hands that share cards one of a round is taken."""
    hand = scope.prepared.hands[name]
    told = np.logical_and.reduce([whole.of[place] for place in hand.places])
    if hand.places == ("player",):
        rows, rounds = _rows(scope, "player", told)
    else:
        rounds = np.flatnonzero(told & (whole.first >= 0) if "player" in hand.places else told)
        rows = whole.first[rounds]
    parts: list[Codes] = [
        _hands(scope, place).cards[rows if place == "player" else rounds, :size]
        for place, size in zip(hand.places, hand.sizes, strict=True)
    ]
    ends = np.array(ends_of(hand), np.int64)
    count = np.zeros((cloths, len(ends) + 1), np.int64)
    if len(rounds):
        strengths = hand.strength(np.concatenate(parts, axis=1))
        np.add.at(count, (cloth[rounds], np.searchsorted(ends, strengths, "right")), 1)
    left_out = np.bincount(cloth[~told], minlength=cloths).tolist()
    for number in range(cloths):
        yield number, HandSums(count=count[number], left_out=left_out[number])
