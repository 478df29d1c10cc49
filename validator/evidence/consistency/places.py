"""Where the cards of a round lie: the places of its summary, and what each was dealt, drew and put aside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from validator.arrays import Bits64, Cards, Flags, Ints, Ints32
from validator.cards.cards import CARDS, UNKNOWN, format_cards
from validator.evidence.columns.batch import Batch, Hands
from validator.evidence.columns.card_text import places
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND

Reasons = Iterator[tuple[int, str]]

FACE_UNKNOWN = np.uint64(1 << 63)
_BIT_OF_CARD = np.zeros(256, np.uint64)
_BIT_OF_CARD[:CARDS] = np.uint64(1) << np.arange(CARDS, dtype=np.uint64)
_BIT_OF_CARD[UNKNOWN] = FACE_UNKNOWN


class Lot(NamedTuple):
    """Cards of one sort at all places: `owner` is int64[n], ascending, the place of each card in `cards`, which are
    uint8[n]. `known` is bool[places], where these are certainly all of them."""

    owner: Ints
    cards: Cards
    known: Flags

    def sizes(self) -> Ints:
        """int64[places]: how many cards each place has."""
        return np.bincount(self.owner, minlength=len(self.known))

    def at(self, chosen: Flags) -> Cards:
        """The cards of some places, bool[places]."""
        return self.cards[chosen[self.owner]]

    def of(self, place: int) -> list[int]:
        """The cards of one place."""
        first, end = np.searchsorted(self.owner, [place, place + 1])
        return self.cards[first:end].tolist()

    def text(self, place: int) -> str:
        """The cards of a place; empty where there are none."""
        return format_cards(self.of(place))


class Wording(NamedTuple):
    """How sentences speak of one sort of cards: at a seat, with the dealer, in the middle, and of their events."""

    seat: str
    dealer: str
    community: str
    verb: str


DEALT = Wording("the cards of seat {} are", "the dealer's cards are", "the community cards are", "deal")
DRAWN = Wording("the cards drawn at seat {} are", "the cards the dealer drew are", "the cards drawn are", "draw")
DISCARDED = Wording(
    "the discards of seat {} are", "the dealer's discards are", "the discards of the community are", "discard"
)


class Places:
    """The places of a summary: those of all seats, then of dealers, then of communities.

    `round` is int64[places]; `of` int64[events], the place each event is about, -1 where it is none of these.
    """

    __slots__ = ("_numbers", "of", "round")

    def __init__(self, batch: Batch) -> None:
        seats, rounds = len(batch.seats.round), len(batch)
        self.round = np.concatenate([batch.seats.round, np.arange(rounds), np.arange(rounds)])
        self._numbers = batch.seats.number
        place = batch.events.place
        self.of = batch.events.seat.astype(np.int64)
        for name, first in (("dealer", seats), ("community", seats + rounds)):
            at = np.flatnonzero(place == PLACES.index(name))
            self.of[at] = first + batch.events.round.take(at)

    def tells(self, batch: Batch, kind: str) -> Flags:
        """bool[places]: whether what happens there of a kind is recorded."""
        at = [tells(batch, kind, place=place) for place in ("player", "dealer", "community")]
        return np.concatenate([at[0][batch.seats.round], *at[1:]])

    def lot(self, seats: Hands, dealers: Hands, communities: Hands) -> Lot:
        """The cards of one sort that a summary lists."""
        listed = (seats, dealers, communities)
        count = np.concatenate([hands.count for hands in listed])
        counts = np.maximum(count, 0).astype(np.int64)
        rows = np.concatenate([hands.cards for hands in listed]).reshape(-1)
        owner = np.arange(len(counts))
        return Lot(np.repeat(owner, counts), rows[places(owner, counts)], count >= 0)

    def whose(self, place: int) -> str:
        """The cards of a place, by whose they are."""
        return self.words(place, DEALT).rpartition(" ")[0]

    def words(self, place: int, wording: Wording) -> str:
        """The cards of a place, as sentences begin with them."""
        seats = len(self._numbers)
        if place < seats:
            return wording.seat.format(self._numbers[place])
        return wording.dealer if place < (seats + len(self.round)) // 2 else wording.community


def by_events(batch: Batch, summary: Places, kind: str) -> Lot:
    """The cards that events of one kind name, in their order."""
    events = batch.events
    at = np.flatnonzero(events.kind == KIND[kind])
    place = summary.of.take(at)
    at, place = at[place >= 0], place[place >= 0]
    in_order = np.argsort(place, kind="stable")
    at, place = at[in_order], place[in_order]
    rows = events.cards_row[at].astype(np.int64)
    known = summary.tells(batch, kind)
    known[place[rows < 0]] = False
    place, rows = place[rows >= 0], rows[rows >= 0]
    counts = events.hands.count[rows].astype(np.int64)
    named = events.hands.cards.reshape(-1)[places(rows, counts)]
    return Lot(np.repeat(place, counts), named, known)


def either(listed: Lot, told: Lot) -> Lot:
    """What the summary lists; where it lists nothing, what the events name."""
    left = ~listed.known[told.owner]
    if not left.any():
        return listed._replace(known=listed.known | told.known)
    owner = np.concatenate([listed.owner, told.owner[left]])
    order = np.argsort(owner, kind="stable")
    found = np.concatenate([listed.cards, told.cards[left]])
    return Lot(owner[order], found[order], listed.known | told.known)


def lacking(wanted: Lot, having: Lot) -> Ints:
    """int64[places]: how many cards of known face a place of `wanted` has that it does not have in `having`."""
    ours, theirs = sets(wanted), sets(having)
    # Where no face comes twice and all are there none lacks; only elsewhere cards must be counted.
    strange = (ours & ~theirs & ~FACE_UNKNOWN != 0) | (np.bitwise_count(ours) != wanted.sizes())
    concerned = np.flatnonzero(strange)
    index = np.full(len(wanted.known), -1, np.int64)
    index[concerned] = np.arange(len(concerned))
    width = CARDS + 1

    def counted(lot: Lot) -> Ints:
        there = index[lot.owner] >= 0
        keys = index[lot.owner[there]] * width + np.minimum(lot.cards[there], CARDS)
        return np.bincount(keys, minlength=len(concerned) * width).reshape(-1, width)[:, :CARDS]

    found = np.zeros(len(index), np.int64)
    found[concerned] = np.maximum(counted(wanted) - counted(having), 0).sum(axis=1)
    return found


def unknown(lot: Lot) -> Ints:
    """int64[places]: how many cards have a face that is not known."""
    return np.bincount(lot.owner[lot.cards == UNKNOWN], minlength=len(lot.known))


def together(dealt: Lot, drawn: Lot) -> Lot:
    """What places were dealt and what they drew."""
    owner = np.concatenate([dealt.owner, drawn.owner])
    order = np.argsort(owner, kind="stable")
    return Lot(owner[order], np.concatenate([dealt.cards, drawn.cards])[order], dealt.known & drawn.known)


def had_text(place: int, dealt: Lot, drawn: Lot) -> str:
    """What a place was dealt and what it drew, in words."""
    more = drawn.text(place)
    return (dealt.text(place) or "none") + f" and {more}" * bool(more)


def sets(lot: Lot) -> Bits64:
    """uint64[places]: the cards of each place as a set, a bit for every card and one for a face that is not known."""
    found = np.zeros(len(lot.known), np.uint64)
    sizes = lot.sizes()
    some = np.flatnonzero(sizes)
    if len(some):
        found[some] = np.bitwise_or.reduceat(_BIT_OF_CARD[lot.cards], (np.cumsum(sizes) - sizes)[some])
    return found


def faces_of(batch: Batch, rows: Ints32) -> Bits64:
    """uint64[n]: the cards of some rows of the events' hands, as sets."""
    hands, found = batch.events.hands, np.zeros(len(rows), np.uint64)
    for card in range(int(hands.count[rows].max(initial=0))):
        found |= _BIT_OF_CARD[hands.cards[rows, card]]
    return found
