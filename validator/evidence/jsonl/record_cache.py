"""Cache of records by their text, as events at a table repeat the same texts.

Each distinct text is decoded once and looked up afterwards. This is a shortcut through the strict decoder, not a second
decoder: if anything is unusual, the strict decoder reads the lines.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, are_all, find_true
from fairdeal.validator.evidence import round_record
from fairdeal.validator.evidence.columns.log_draft import EventColumns, SeatColumns, decode_hand_bytes
from fairdeal.validator.evidence.columns.round_batch import (
    CodedColumn,
    Hands,
    Stakes,
    concatenate_relations,
    merge_stakes,
    no_hands,
    take_rows,
)
from fairdeal.validator.evidence.jsonl import record_columns, text_lookup
from fairdeal.validator.evidence.log_events import AnyEvent, LogEvent

MOST_KNOWN = 1 << 15
"""Most texts cached at a time."""
ENOUGH = 1 << 12
"""Number of texts after which the cache must prove useful."""
LONGEST_KNOWN = 1 << 10
"""Most bytes of a cached text. Texts stay from block to block, so blanks must not enlarge them."""
_FOLLOWING = (b"", b",", b", ")
"""Texts that may follow an object; nothing follows the last."""
_WIDTHS = (64, 128, text_lookup.MAX_ITEM_BYTES)
"""Widths of the hash tables; longer texts are looked up one by one."""


class UnfamiliarError(text_lookup.UnusualError):
    """Most texts are new although many are cached, so that lookup takes longer than decoding."""


Record = TypeVar("Record")
Columns = TypeVar("Columns", bound=Struct)


class CacheSchema(Struct, Generic[Record, Columns], frozen=True, kw_only=True):
    """Conversion of records to rows of columns."""

    decode: Callable[[bytes], Record]
    """Decodes a record from its text in braces. Raises a msgspec error, UnicodeDecodeError or UnusualError."""
    columns: Callable[[record_columns.Extractor, Sequence[Record]], Columns]
    """Converts records, without lists, to one row each, whatever their cards."""
    named: Callable[[Columns], Iterable[CodedColumn]]
    """Returns the columns of text."""


class _TextCodes(dict[bytes, int], Generic[Record]):
    """Code of every text met so far, including a following comma. A new text is decoded; an error rejects a bad or long
    one."""

    def __init__(self, decode: Callable[[bytes], Record]) -> None:
        super().__init__()
        self._decode = decode
        self.texts: list[bytes] = []
        self.records: list[Record] = []
        """Records that are not in columns yet; `texts` are their texts."""

    def __missing__(self, text: bytes) -> int:
        end = text.rfind(b"}") + 1
        if text[end:] not in _FOLLOWING or len(text) > LONGEST_KNOWN:
            raise text_lookup.UnusualError
        self.records.append(self._decode(text[:end]))
        self.texts.append(text)
        code = self[text] = len(self)
        return code


class RecordCache(Generic[Record, Columns]):
    """Cache of the records of one kind by their text: one row of `columns` each."""

    __slots__ = ("_build_schema", "_codes", "_hashed", "_last", "_misses", "_schema", "columns")

    def __init__(self, build_schema: Callable[[], CacheSchema[Record, Columns]]) -> None:
        self._build_schema = build_schema
        self._misses = 0
        self._clear()

    def _clear(self) -> None:
        self._schema = self._build_schema()
        self._codes = _TextCodes(self._schema.decode)
        self._hashed = [text_lookup.TextHashTable(width) for width in _WIDTHS]
        self._last = np.zeros(0, np.bool_)
        self.columns: Columns = self._schema.columns(record_columns.Extractor(), [])

    def __len__(self) -> int:
        return len(self._codes)

    def resolve(self, text: text_lookup.LineText, objects: text_lookup.ListedObjects, most: int) -> Ints:
        """Resolve records to rows of `columns`, which the next call may change.

        Raises UnfamiliarError; a msgspec error or UnicodeDecodeError for a bad record; and UnusualError if
        - a list has more than `most` records;
        - a record is longer than LONGEST_KNOWN, or may hold a key twice;
        - the text after a record is not as in a list.

        Returns: int64[objects].
        """
        if objects.counts.max(initial=0) > most:
            raise text_lookup.UnusualError
        if len(self._codes) > MOST_KNOWN:
            self._clear()
        start, row_indices = objects.start, self.look_up(text, objects)
        new = find_true(row_indices < 0)
        if 2 * len(new) > len(row_indices) and len(self._codes) > ENOUGH:
            self._give_up()
        if len(new):
            buffer = text.bytes.data
            places = zip(start[new].tolist(), objects.end[new].tolist(), strict=True)
            texts = [buffer[first:end].tobytes() for first, end in places]
            row_indices[new] = np.fromiter(map(self._codes.__getitem__, texts), np.int64, len(texts))
            self._store_new_records()
        if not np.array_equal(self._last.take(row_indices), objects.last):
            raise text_lookup.UnusualError
        return row_indices

    def look_up(self, text: text_lookup.LineText, objects: text_lookup.ListedObjects) -> Ints:
        """Look up the codes of records by hash; ABSENT if not found.

        Returns: int64[objects].
        """
        start, size = objects.start, objects.end - objects.start
        row_indices = np.full(len(size), ABSENT, np.int64)
        for hashed, which in self._by_width(size):
            row_indices[which] = hashed.look_up(text, start.take(which), size.take(which))
        return row_indices

    def _give_up(self) -> None:
        """Clear the cache and raise. The more often the cache was of no use, the more rarely it is cleared."""
        self._misses += 1
        if self._misses.bit_count() == 1:
            self._clear()
        raise UnfamiliarError

    def _by_width(self, size: Ints) -> Iterator[tuple[text_lookup.TextHashTable, Ints]]:
        narrower = 1
        for width, hashed in zip(_WIDTHS, self._hashed, strict=True):
            which = find_true((narrower <= size) & (size < width))
            if len(which):
                yield hashed, which
            narrower = width

    def _store_new_records(self) -> None:
        """Convert the records decoded since the last time to columns."""
        codes, take = self._codes, record_columns.Extractor()
        if not codes.texts:
            return
        texts, records = codes.texts, codes.records
        new = self._schema.columns(take, records)
        if record_columns.may_have_duplicate_keys(texts, self._schema.named(new), keys=take.keys):
            self._clear()
            raise text_lookup.UnusualError
        known = len(self._last)
        self.columns = concatenate_relations([self.columns, new])
        last = [text.endswith(b"}") for text in texts]
        self._last = np.concatenate([self._last, np.array(last, np.bool_)])
        size = np.fromiter(map(len, texts), np.int64, len(texts))
        joined, start = text_lookup.LineText(b"".join(texts)), np.cumsum(size) - size
        for hashed, which in self._by_width(size):
            hashed.add(joined, start[which], size[which], known + which)
        codes.texts, codes.records = [], []


_EVENTS = msgspec.json.Decoder(AnyEvent, strict=True)
_SEATS = msgspec.json.Decoder(round_record.SeatRecord, strict=True)
_WAGERS = msgspec.json.Decoder(round_record.WagerRecord, strict=True)
_BONUSES = msgspec.json.Decoder(round_record.BonusRecord, strict=True)
_NO_HANDS = decode_hand_bytes(np.empty(0, np.uint8), np.empty(0, np.int64)).hands
_NO_COUNTS = np.zeros(0, np.int64)


def build_event_schema(names: record_columns.EventNames) -> CacheSchema[LogEvent, EventColumns]:
    """Build the schema of events; `cards_row` is 0 for an event with cards."""

    def columns(extractor: record_columns.Extractor, records: Sequence[LogEvent]) -> EventColumns:
        pool = record_columns.EventPool(extractor, records)
        with_cards, _ = pool.take_texts("cards")
        cards_row = np.full(len(records), ABSENT, np.int32)
        cards_row[with_cards] = 0
        return record_columns.build_event_columns(pool, names, counts=_NO_COUNTS, cards_row=cards_row, hands=_NO_HANDS)

    return CacheSchema(decode=_EVENTS.decode, columns=columns, named=names.text_columns)


class CachedSeats(Struct, frozen=True, kw_only=True):
    """Seats of no round. The `count` of their hands is 0 if there are cards."""

    seats: SeatColumns
    """Columns of the seats."""
    with_bonuses: Flags
    """True for a seat that lists bonuses, bool[n]."""


def build_seat_schema(decisions: record_columns.NameCodes) -> CacheSchema[round_record.SeatRecord, CachedSeats]:
    """Build the schema of seats with empty lists. Players, who may be many, are cached only as long as their seats."""
    players = record_columns.NameCodes()

    def decode(text: bytes) -> round_record.SeatRecord:
        seat = _SEATS.decode(text)
        if seat.wagers or seat.bonuses:
            raise text_lookup.UnusualError
        return seat

    def columns(extractor: record_columns.Extractor, records: Sequence[round_record.SeatRecord]) -> CachedSeats:
        extractor.take_required(records, "wagers")
        seats = record_columns.build_seat_columns(
            extractor,
            records,
            counts=_NO_COUNTS,
            player=extractor.take_optional_names(records, "player", players),
            decision=extractor.take_optional_names(records, "decision", decisions),
            hands=_mark_recorded(extractor, records, "cards"),
            discarded=_mark_recorded(extractor, records, "discarded"),
            drawn=_mark_recorded(extractor, records, "drawn"),
        )
        return CachedSeats(seats=seats, with_bonuses=_mark_recorded(extractor, records, "bonuses").count == 0)

    return CacheSchema(decode=decode, columns=columns, named=lambda known: (known.seats.player, known.seats.decision))


def _mark_recorded(
    extractor: record_columns.Extractor, records: Sequence[round_record.SeatRecord], field: str
) -> Hands:
    """Return hands without cards; their `count` is 0 if a field is recorded."""
    count = [ABSENT if value is None else 0 for value in extractor.take_optional(records, field)]
    return Hands(cards=np.zeros((len(count), 0), np.uint8), count=np.array(count, np.int16))


def build_wager_schema(names: record_columns.EventNames) -> CacheSchema[round_record.WagerRecord, Stakes]:
    """Build the schema of wagers, without their seats."""

    def columns(extractor: record_columns.Extractor, records: Sequence[round_record.WagerRecord]) -> Stakes:
        return record_columns.build_wager_stakes(extractor, records, names, seat=np.zeros(len(records), np.int32))

    return CacheSchema(decode=_WAGERS.decode, columns=columns, named=lambda stakes: (stakes.wager, stakes.selection))


def build_bonus_schema(names: record_columns.EventNames) -> CacheSchema[round_record.BonusRecord, Stakes]:
    """Build the schema of bonuses, without their seats."""

    def columns(extractor: record_columns.Extractor, records: Sequence[round_record.BonusRecord]) -> Stakes:
        return record_columns.build_bonus_stakes(extractor, records, names, seat=np.zeros(len(records), np.int32))

    return CacheSchema(decode=_BONUSES.decode, columns=columns, named=lambda stakes: (stakes.wager,))


class InternedRecords(NamedTuple):
    """Records that were cut out of some lines and looked up."""

    seats: SeatColumns | None
    """Seats, if they were cut out of the records."""
    stakes: Stakes
    """Stakes; `seat` is counted from 0."""
    events: EventColumns
    """Events, with a count for each record."""


class LogVocabulary:
    """Names of wagers, decisions and other texts at a table, and records cached in terms of them."""

    __slots__ = ("_bonuses", "_events", "_seats", "_wagers", "names")

    def __init__(self) -> None:
        self.names = record_columns.EventNames(*(record_columns.NameCodes() for _ in record_columns.EventNames._fields))
        self._seats = RecordCache(lambda: build_seat_schema(self.names.decision))
        self._wagers = RecordCache(lambda: build_wager_schema(self.names))
        self._bonuses = RecordCache(lambda: build_bonus_schema(self.names))
        self._events = RecordCache(lambda: build_event_schema(self.names))

    def is_full(self) -> bool:
        """Return whether it is so large that the next block should start with a new one."""
        return max(map(len, self.names)) > MOST_KNOWN

    def seats(self, cut: text_lookup.ExtractedLists) -> CachedSeats | None:
        """Return the seats that were cut out; None if most are new.

        Raises as `RecordCache.resolve` does, if lines must be decoded strictly; so do the methods below.
        """
        try:
            at = self._seats.resolve(cut.seated, cut.seats, round_record.MOST_SEATS)
        except UnfamiliarError:
            return None
        known = self._seats.columns.seats
        seats = take_rows(
            known,
            at,
            counts=cut.seats.counts,
            decision=self.names.decision.column(known.decision.codes.take(at)),
            hands=_place_hands(cut.hands["cards"], known.hands, at),
            discarded=_place_hands(cut.hands["discarded"], known.discarded, at),
            drawn=_place_hands(cut.hands["drawn"], known.drawn, at),
        )
        return CachedSeats(seats=seats, with_bonuses=self._seats.columns.with_bonuses.take(at))

    def stakes(self, cut: text_lookup.ExtractedLists, with_bonuses: Flags) -> Stakes:
        """Return the wagers and bonuses that were cut out. Every seat lists wagers.

        Args:
            cut: the lists that were cut out.
            with_bonuses: the seats that list bonuses, bool[seats].
        """
        of_bonuses = find_true(with_bonuses)
        # A list may be written in another way than those that were cut out.
        if len(cut.wagers.counts) != len(with_bonuses) or len(cut.bonuses.counts) != len(of_bonuses):
            raise text_lookup.UnusualError
        wagers = self._wagers.resolve(cut.whole, cut.wagers, round_record.MOST_STAKES)
        bonuses = self._bonuses.resolve(cut.whole, cut.bonuses, round_record.MOST_STAKES)
        return merge_stakes(
            self._rows(self._wagers.columns, wagers, np.repeat(np.arange(len(with_bonuses)), cut.wagers.counts)),
            self._rows(self._bonuses.columns, bonuses, np.repeat(of_bonuses, cut.bonuses.counts)),
        )

    def _rows(self, known: Stakes, at: Ints, seat: Ints) -> Stakes:
        wager = self.names.wager.column(known.wager.codes.take(at))
        on = self.names.value.column(known.selection.codes.take(at))
        return take_rows(known, at, seat=seat.astype(np.int32), wager=wager, selection=on)

    def events(self, cut: text_lookup.ExtractedLists) -> EventColumns:
        """Return the events that were cut out; `counts` has an entry for each list."""
        at = self._events.resolve(cut.whole, cut.events, round_record.MOST_EVENTS)
        known = self._events.columns
        cards_row = known.cards_row.take(at)
        dealt = find_true(cards_row == 0)
        hands = _decode_hands(cut.event_cards, len(dealt))
        cards_row[dealt] = np.arange(len(dealt), dtype=np.int32)
        texts = self.names.take_text_columns(known, at)
        return take_rows(known, at, counts=cut.events.counts, cards_row=cards_row, hands=hands, **texts)


def _decode_hands(cut_hands: text_lookup.ExtractedHands, count: int) -> Hands:
    """Decode hands that were cut out; there must be `count` of them."""
    hands, well_formed = decode_hand_bytes(cut_hands.characters, cut_hands.lengths)
    if len(cut_hands.lengths) != count or not are_all(well_formed):  # some hands may be written in another way
        raise text_lookup.UnusualError
    return hands


def _place_hands(cut_hands: text_lookup.ExtractedHands, known: Hands, at: Ints) -> Hands:
    """Return the hands of a column for rows that are known to have a hand or none."""
    with_hand = find_true(known.count.take(at) == 0)
    if not len(with_hand) and not len(cut_hands.lengths):
        return no_hands(len(at))
    dealt = _decode_hands(cut_hands, len(with_hand))
    if len(with_hand) == len(at):
        return dealt
    nothing = no_hands(len(at))
    cards, count = nothing.cards.copy(), nothing.count.copy()
    cards[with_hand], count[with_hand] = dealt.cards, dealt.count
    return Hands(cards=cards, count=count)


class _Here(threading.local):
    vocabulary: LogVocabulary | None = None


_here = _Here()


def get_vocabulary() -> LogVocabulary:
    """Return the vocabulary of this thread, for the next block: tables repeat the same texts from block to block.

    It affects only the speed, never the result.
    """
    known = _here.vocabulary
    if known is None or known.is_full():
        known = _here.vocabulary = LogVocabulary()
    return known
