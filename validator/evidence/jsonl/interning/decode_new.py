"""Schemas of the record caches: seats, wagers, bonuses and events without their lists and cards."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags
from validator.evidence.columns.batch import Hands, Stakes
from validator.evidence.columns.card_text import decode_bytes
from validator.evidence.columns.draft import EventColumns, SeatColumns
from validator.evidence.handlog.events import AnyEvent, LogEvent
from validator.evidence.handlog.record import BonusRecord, SeatRecord, WagerRecord
from validator.evidence.jsonl.interning.byte_search import UnusualError
from validator.evidence.jsonl.interning.intern import Learning
from validator.evidence.jsonl.records.event_columns import EventNames, event_columns
from validator.evidence.jsonl.records.extract import EventPool, Extractor, Names
from validator.evidence.jsonl.records.seat_columns import seat_columns
from validator.evidence.jsonl.records.stake_columns import bonuses_paid, wagers_staked

_EVENTS = msgspec.json.Decoder(AnyEvent, strict=True)
_SEATS = msgspec.json.Decoder(SeatRecord, strict=True)
_WAGERS = msgspec.json.Decoder(WagerRecord, strict=True)
_BONUSES = msgspec.json.Decoder(BonusRecord, strict=True)
_NO_HANDS = decode_bytes(np.empty(0, np.uint8), np.empty(0, np.int64)).hands
_NO_COUNTS = np.zeros(0, np.int64)


def events_learnt(names: EventNames) -> Learning[LogEvent, EventColumns]:
    """Build the schema of events; `cards_row` is 0 for an event with cards."""

    def columns(extractor: Extractor, records: Sequence[LogEvent]) -> EventColumns:
        pool = EventPool(extractor, records)
        with_cards, _ = pool.texts("cards")
        cards_row = np.full(len(records), ABSENT, np.int32)
        cards_row[with_cards] = 0
        return event_columns(pool, names, counts=_NO_COUNTS, cards_row=cards_row, hands=_NO_HANDS)

    return Learning(decode=_EVENTS.decode, columns=columns, named=names.columns)


class KnownSeats(Struct, frozen=True, kw_only=True):
    """Seats of no round. The `count` of their hands is 0 if there are cards."""

    seats: SeatColumns
    """Columns of the seats."""
    with_bonuses: Flags
    """True for a seat that lists bonuses, bool[n]."""


def seats_learnt(decisions: Names) -> Learning[SeatRecord, KnownSeats]:
    """Build the schema of seats with empty lists. Players, who may be many, are cached only as long as their seats."""
    players = Names()

    def decode(text: bytes) -> SeatRecord:
        seat = _SEATS.decode(text)
        if seat.wagers or seat.bonuses:
            raise UnusualError
        return seat

    def columns(extractor: Extractor, records: Sequence[SeatRecord]) -> KnownSeats:
        extractor.required(records, "wagers")
        seats = seat_columns(
            extractor,
            records,
            counts=_NO_COUNTS,
            player=extractor.optional_named(records, "player", players),
            decision=extractor.optional_named(records, "decision", decisions),
            hands=_mark_recorded(extractor, records, "cards"),
            discarded=_mark_recorded(extractor, records, "discarded"),
            drawn=_mark_recorded(extractor, records, "drawn"),
        )
        return KnownSeats(seats=seats, with_bonuses=_mark_recorded(extractor, records, "bonuses").count == 0)

    return Learning(decode=decode, columns=columns, named=lambda known: (known.seats.player, known.seats.decision))


def _mark_recorded(extractor: Extractor, records: Sequence[SeatRecord], field: str) -> Hands:
    """Return hands without cards; their `count` is 0 if a field is recorded."""
    count = [ABSENT if value is None else 0 for value in extractor.optional(records, field)]
    return Hands(cards=np.zeros((len(count), 0), np.uint8), count=np.array(count, np.int16))


def wagers_learnt(names: Names) -> Learning[WagerRecord, Stakes]:
    """Build the schema of wagers, without their seats."""

    def columns(extractor: Extractor, records: Sequence[WagerRecord]) -> Stakes:
        return wagers_staked(extractor, records, names, seat=np.zeros(len(records), np.int32))

    return Learning(decode=_WAGERS.decode, columns=columns, named=lambda stakes: (stakes.wager,))


def bonuses_learnt(names: Names) -> Learning[BonusRecord, Stakes]:
    """Build the schema of bonuses, without their seats."""

    def columns(extractor: Extractor, records: Sequence[BonusRecord]) -> Stakes:
        return bonuses_paid(extractor, records, names, seat=np.zeros(len(records), np.int32))

    return Learning(decode=_BONUSES.decode, columns=columns, named=lambda stakes: (stakes.wager,))
