"""Vocabulary of a log: names for its columns, and records cached by their text.

Apart from the cards, nearly every event of a log has occurred before; so have most wagers, and most seats without their
wagers.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from validator.arrays import Flags, Ints
from validator.evidence.columns.batch import Hands, Stakes
from validator.evidence.columns.card_text import decode_bytes
from validator.evidence.columns.draft import EventColumns, SeatColumns
from validator.evidence.columns.empty import no_hands
from validator.evidence.columns.tables import interleaved, rows
from validator.evidence.handlog.record import MOST_EVENTS, MOST_SEATS, MOST_STAKES
from validator.evidence.jsonl.interning.byte_search import UnusualError
from validator.evidence.jsonl.interning.decode_new import (
    KnownSeats,
    bonuses_learnt,
    events_learnt,
    seats_learnt,
    wagers_learnt,
)
from validator.evidence.jsonl.interning.intern import MOST_KNOWN, KnownTexts, UnfamiliarError
from validator.evidence.jsonl.interning.scan_lists import Cut, CutHands
from validator.evidence.jsonl.records.event_columns import EventNames
from validator.evidence.jsonl.records.extract import Names


class Told(NamedTuple):
    """Records that were cut out of some lines and looked up."""

    seats: SeatColumns | None
    """Seats, if they were cut out of the records."""
    stakes: Stakes
    """Stakes; `seat` is counted from 0."""
    events: EventColumns
    """Events, with a count for each record."""


class Vocabulary:
    """Names of wagers, decisions and other texts at a table, and records cached in terms of them."""

    __slots__ = ("_bonuses", "_events", "_seats", "_wagers", "names")

    def __init__(self) -> None:
        self.names = EventNames(Names(), Names(), Names(), Names(), Names())
        self._seats = KnownTexts(lambda: seats_learnt(self.names.decision))
        self._wagers = KnownTexts(lambda: wagers_learnt(self.names.wager))
        self._bonuses = KnownTexts(lambda: bonuses_learnt(self.names.wager))
        self._events = KnownTexts(lambda: events_learnt(self.names))

    def is_full(self) -> bool:
        """Return whether it is so large that the next block should start with a new one."""
        return max(map(len, self.names)) > MOST_KNOWN

    def seats(self, cut: Cut) -> KnownSeats | None:
        """Return the seats that were cut out; None if most are new.

        Raises as `RecordCache.resolve` does, if lines must be decoded strictly; so do the methods below.
        """
        try:
            at = self._seats.rows(cut.seated, cut.seats, MOST_SEATS)
        except UnfamiliarError:
            return None
        known = self._seats.columns.seats
        seats = rows(
            known,
            at,
            counts=cut.seats.counts,
            decision=self.names.decision.column(known.decision.codes.take(at)),
            hands=_place_hands(cut.hands["cards"], known.hands, at),
            discarded=_place_hands(cut.hands["discarded"], known.discarded, at),
            drawn=_place_hands(cut.hands["drawn"], known.drawn, at),
        )
        return KnownSeats(seats=seats, with_bonuses=self._seats.columns.with_bonuses.take(at))

    def stakes(self, cut: Cut, with_bonuses: Flags) -> Stakes:
        """Return the wagers and bonuses that were cut out. Every seat lists wagers.

        Args:
            cut: the lists that were cut out.
            with_bonuses: the seats that list bonuses, bool[seats].
        """
        of_bonuses = np.flatnonzero(with_bonuses)
        # A list may be written in another way than those that were cut out.
        if len(cut.wagers.counts) != len(with_bonuses) or len(cut.bonuses.counts) != len(of_bonuses):
            raise UnusualError
        wagers = self._wagers.rows(cut.whole, cut.wagers, MOST_STAKES)
        bonuses = self._bonuses.rows(cut.whole, cut.bonuses, MOST_STAKES)
        return interleaved(
            self._rows(self._wagers.columns, wagers, np.repeat(np.arange(len(with_bonuses)), cut.wagers.counts)),
            self._rows(self._bonuses.columns, bonuses, np.repeat(of_bonuses, cut.bonuses.counts)),
        )

    def _rows(self, known: Stakes, at: Ints, seat: Ints) -> Stakes:
        wager = self.names.wager.column(known.wager.codes.take(at))
        return rows(known, at, seat=seat.astype(np.int32), wager=wager)

    def events(self, cut: Cut) -> EventColumns:
        """Return the events that were cut out; `counts` has an entry for each list."""
        at = self._events.rows(cut.whole, cut.events, MOST_EVENTS)
        known = self._events.columns
        cards_row = known.cards_row.take(at)
        dealt = np.flatnonzero(cards_row == 0)
        hands = _decode_hands(cut.event_cards, len(dealt))
        cards_row[dealt] = np.arange(len(dealt), dtype=np.int32)
        texts = self.names.of(known, at)
        return rows(known, at, counts=cut.events.counts, cards_row=cards_row, hands=hands, **texts)


def _decode_hands(cut_hands: CutHands, count: int) -> Hands:
    """Decode hands that were cut out; there must be `count` of them."""
    hands, well_formed = decode_bytes(cut_hands.characters, cut_hands.lengths)
    if len(cut_hands.lengths) != count or not well_formed.all():  # some hands may be written in another way
        raise UnusualError
    return hands


def _place_hands(cut_hands: CutHands, known: Hands, at: Ints) -> Hands:
    """Return the hands of a column for rows that are known to have a hand or none."""
    with_hand = np.flatnonzero(known.count.take(at) == 0)
    if not len(with_hand) and not len(cut_hands.lengths):
        return no_hands(len(at))
    dealt = _decode_hands(cut_hands, len(with_hand))
    if len(with_hand) == len(at):
        return dealt
    hands = no_hands(len(at))
    hands.cards[with_hand], hands.count[with_hand] = dealt.cards, dealt.count
    return hands


class _Here(threading.local):
    vocabulary: Vocabulary | None = None


_here = _Here()


def vocabulary() -> Vocabulary:
    """Return the vocabulary of this thread, for the next block: tables repeat the same texts from block to block.

    It affects only the speed, never the result.
    """
    known = _here.vocabulary
    if known is None or known.is_full():
        known = _here.vocabulary = Vocabulary()
    return known
