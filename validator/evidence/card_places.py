"""Places of cards in a round, and the cards that each was dealt, drew and discarded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fairdeal.validator.arrays import Bits64, Cards, Flags, Ints, Ints32, find_true, has_any
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, UNKNOWN, format_cards
from fairdeal.validator.evidence.columns.log_draft import card_indices
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.columns.round_batch import Batch, Hands
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES

Reasons = Iterator[tuple[int, str]]
"""Bad rounds: index of the round and the reason."""

FACE_UNKNOWN = np.uint64(1 << 63)
"""Bit for a card of unknown face in a set of cards."""
_BIT_OF_CARD = np.array(
    [1 << code if code < KNOWN_CARDS else int(FACE_UNKNOWN) if code == UNKNOWN else 0 for code in range(256)], np.uint64
)


class PlaceCards(NamedTuple):
    """Cards of one sort at all places: dealt, drawn or discarded."""

    owner: Ints
    """Place of each card, ascending, int64[n]."""
    cards: Cards
    """Codes of the cards, uint8[n]."""
    known: Flags
    """True if these are certainly all cards of the place, bool[places]."""

    def sizes(self) -> Ints:
        """Return the number of cards of each place.

        Returns: int64[places].
        """
        return np.bincount(self.owner, minlength=len(self.known))

    def take_places(self, chosen: Flags) -> Cards:
        """Return the cards of the places marked in `chosen`, bool[places]."""
        return self.cards[chosen[self.owner]]

    def list_cards(self, place: int) -> list[int]:
        """Return the cards of one place."""
        first, end = np.searchsorted(self.owner, [place, place + 1])
        return self.cards[first:end].tolist()

    def text(self, place: int) -> str:
        """Return the cards of a place as text; empty if there are none."""
        return format_cards(self.list_cards(place))


class Wording(NamedTuple):
    """Wording of sentences about one sort of cards: at a seat, of the dealer, of the community, and the verb for its
    events."""

    seat: str
    dealer: str
    community: str
    verb: str


DEALT = Wording("the cards of seat {} are", "the dealer's cards are", "the community cards are", "deal")
DRAWN = Wording("the cards drawn at seat {} are", "the cards the dealer drew are", "the cards drawn are", "draw")
DISCARDED = Wording(
    "the discards of seat {} are", "the dealer's discards are", "the discards of the community are", "discard"
)


class CardPlaces:
    """Places of a summary: all seats, then the dealer of each round, then the community cards of each round."""

    __slots__ = ("_numbers", "of", "round")

    def __init__(self, batch: Batch) -> None:
        seats, rounds = len(batch.seats.round), len(batch)
        self.round = np.concatenate([batch.seats.round, np.arange(rounds), np.arange(rounds)])
        """Round of each place, int64[places]."""
        self._numbers = batch.seats.number
        place = batch.events.place
        self.of = batch.events.seat.astype(np.int64)
        """Place of each event; -1 if it has none of these, int64[events]."""
        for name, first in (("dealer", seats), ("community", seats + rounds)):
            at = find_true(place == PLACES.index(name))
            self.of[at] = first + batch.events.round.take(at)

    def is_recorded(self, batch: Batch, kind: str) -> Flags:
        """Return whether the log records a kind of event at each place.

        Returns: bool[places].
        """
        at = [is_recorded(batch, kind, place=place) for place in ("player", "dealer", "community")]
        return np.concatenate([at[0][batch.seats.round], *at[1:]])

    def collect_listed_cards(self, seats: Hands, dealers: Hands, communities: Hands) -> PlaceCards:
        """Return the cards of one sort that a summary lists."""
        listed = (seats, dealers, communities)
        count = np.concatenate([hands.count for hands in listed])
        counts = np.maximum(count, 0).astype(np.int64)
        rows = np.concatenate([hands.cards for hands in listed]).reshape(-1)
        owner = np.arange(len(counts))
        return PlaceCards(np.repeat(owner, counts), rows[card_indices(owner, counts)], count >= 0)

    def describe_owner(self, place: int) -> str:
        """Describe the cards of a place by their owner."""
        return self.describe(place, DEALT).rpartition(" ")[0]

    def describe(self, place: int, wording: Wording) -> str:
        """Describe the cards of a place, as the beginning of a sentence."""
        seats = len(self._numbers)
        if place < seats:
            return wording.seat.format(self._numbers[place])
        return wording.dealer if place < (seats + len(self.round)) // 2 else wording.community


def collect_event_cards(batch: Batch, summary: CardPlaces, kind: str) -> PlaceCards:
    """Return the cards in events of one kind, in order."""
    events = batch.events
    at = find_true(events.kind == KIND_CODES[kind])
    place = summary.of.take(at)
    at, place = at[place >= 0], place[place >= 0]
    in_order = np.argsort(place, kind="stable")
    at, place = at[in_order], place[in_order]
    rows = events.cards_row[at].astype(np.int64)
    known = summary.is_recorded(batch, kind)
    known[place[rows < 0]] = False
    place, rows = place[rows >= 0], rows[rows >= 0]
    counts = events.hands.count[rows].astype(np.int64)
    named = events.hands.cards.reshape(-1)[card_indices(rows, counts)]
    return PlaceCards(np.repeat(place, counts), named, known)


def prefer_listed_cards(listed: PlaceCards, by_event: PlaceCards) -> PlaceCards:
    """Return the cards of the summary; for a place without any, those in the events."""
    only_events = ~listed.known[by_event.owner]
    if not has_any(only_events):
        return listed._replace(known=listed.known | by_event.known)
    owner = np.concatenate([listed.owner, by_event.owner[only_events]])
    order = np.argsort(owner, kind="stable")
    cards = np.concatenate([listed.cards, by_event.cards[only_events]])
    return PlaceCards(owner[order], cards[order], listed.known | by_event.known)


def count_missing(wanted: PlaceCards, having: PlaceCards) -> Ints:
    """Count the cards of known face that a place has in `wanted` and lacks in `having`, int64[places]."""
    wanted_set, having_set = make_card_sets(wanted), make_card_sets(having)
    # No card is missing if the faces are distinct and all present; only the other places need counting.
    strange = (wanted_set & ~having_set & ~FACE_UNKNOWN != 0) | (np.bitwise_count(wanted_set) != wanted.sizes())
    concerned = find_true(strange)
    index = np.full(len(wanted.known), -1, np.int64)
    index[concerned] = np.arange(len(concerned))
    width = KNOWN_CARDS + 1

    def count_faces(lot: PlaceCards) -> Ints:
        there = index[lot.owner] >= 0
        keys = index[lot.owner[there]] * width + np.minimum(lot.cards[there], KNOWN_CARDS)
        return np.bincount(keys, minlength=len(concerned) * width).reshape(-1, width)[:, :KNOWN_CARDS]

    missing = np.zeros(len(index), np.int64)
    missing[concerned] = np.maximum(count_faces(wanted) - count_faces(having), 0).sum(axis=1)
    return missing


def count_unknown(lot: PlaceCards) -> Ints:
    """Count the cards of unknown face.

    Returns: int64[places].
    """
    return np.bincount(lot.owner[lot.cards == UNKNOWN], minlength=len(lot.known))


def combine_cards(dealt: PlaceCards, drawn: PlaceCards) -> PlaceCards:
    """Join the cards that places were dealt and drew."""
    owner = np.concatenate([dealt.owner, drawn.owner])
    order = np.argsort(owner, kind="stable")
    return PlaceCards(owner[order], np.concatenate([dealt.cards, drawn.cards])[order], dealt.known & drawn.known)


def describe_received(place: int, dealt: PlaceCards, drawn: PlaceCards) -> str:
    """Return the cards that a place was dealt and drew, as text."""
    more = drawn.text(place)
    return (dealt.text(place) or "none") + f" and {more}" * bool(more)


def make_card_sets(lot: PlaceCards) -> Bits64:
    """Return the cards of each place as a set: a bit for every card, and one for an unknown face.

    Returns: uint64[places].
    """
    result = np.zeros(len(lot.known), np.uint64)
    sizes = lot.sizes()
    nonempty = find_true(sizes)
    if len(nonempty):
        result[nonempty] = np.bitwise_or.reduceat(_BIT_OF_CARD[lot.cards], (np.cumsum(sizes) - sizes)[nonempty])
    return result


def make_event_card_sets(batch: Batch, rows: Ints32) -> Bits64:
    """Return the cards in some rows of the events' hands as sets.

    Returns: uint64[n].
    """
    hands, result = batch.events.hands, np.zeros(len(rows), np.uint64)
    for card in range(int(hands.count[rows].max(initial=0))):
        result |= _BIT_OF_CARD[hands.cards[rows, card]]
    return result
