"""The words of a log: the names that its columns are coded with, and the events and wagers known by their text.

Apart from the cards, nearly every event of a log has been written before, and most wagers have.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from validator.evidence.columns import ABSENT, Coded, Stakes
from validator.evidence.cut import Cut
from validator.evidence.draft import EventColumns
from validator.evidence.event_columns import EventNames, event_columns
from validator.evidence.events import AnyEvent, Event
from validator.evidence.extract import EventPool, Extractor, Names
from validator.evidence.handlog import MOST_EVENTS, MOST_STAKES, WagerRecord
from validator.evidence.hands import decode_bytes
from validator.evidence.known_texts import MOST_KNOWN, KnownTexts
from validator.evidence.relations import rows
from validator.evidence.stake_columns import wagers_staked

_EVENTS = msgspec.json.Decoder(AnyEvent, strict=True)
_WAGERS = msgspec.json.Decoder(WagerRecord, strict=True)
_NO_HANDS = decode_bytes(np.empty(0, np.uint8), np.empty(0, np.int64)).hands


class _Events:
    """Events whose cards were taken out."""

    __slots__ = ("_names",)

    def __init__(self, names: EventNames) -> None:
        self._names = names

    def decode(self, text: bytes) -> Event:
        return _EVENTS.decode(text)

    def columns(self, take: Extractor, records: Sequence[Event]) -> EventColumns:
        pool = EventPool(take, records)
        with_cards, _ = pool.texts("cards")
        cards_row = np.full(len(records), ABSENT, np.int32)
        cards_row[with_cards] = 0
        return event_columns(pool, self._names, counts=np.zeros(0, np.int64), cards_row=cards_row, hands=_NO_HANDS)

    def named(self, columns: EventColumns) -> Iterable[Coded]:
        return self._names.columns(columns)


class _Wagers:
    """Wagers, of no seat."""

    __slots__ = ("_names",)

    def __init__(self, names: Names) -> None:
        self._names = names

    def decode(self, text: bytes) -> WagerRecord:
        return _WAGERS.decode(text)

    def columns(self, take: Extractor, records: Sequence[WagerRecord]) -> Stakes:
        return wagers_staked(take, records, self._names, seat=np.zeros(len(records), np.int32))

    def named(self, columns: Stakes) -> Iterable[Coded]:
        return (columns.wager,)


class Vocabulary:
    """Names of wagers, decisions and other things said at a table, and what is known by its text in terms of them."""

    __slots__ = ("_events", "_wagers", "names")

    def __init__(self) -> None:
        self.names = EventNames(Names(), Names(), Names(), Names(), Names())
        self._events = KnownTexts(_Events(self.names))
        self._wagers = KnownTexts(_Wagers(self.names.wager))

    def is_full(self) -> bool:
        """Whether it holds so much that the next block had better begin with another."""
        return max(len(self._events), len(self._wagers), *map(len, self.names)) > MOST_KNOWN

    def events(self, cut: Cut) -> EventColumns | None:
        """The events cut out of some lines, `cards_row` counted from 0; None where they are better decoded there."""
        found = self._events.rows(cut.events, MOST_EVENTS)
        if found is None:
            return None
        lengths = np.fromiter(map(len, cut.cards), np.int64, len(cut.cards))
        hands, well_formed = decode_bytes(np.frombuffer(b"".join(cut.cards), np.uint8), lengths)
        known = self._events.columns
        cards_row = known.cards_row.take(found.at)
        dealt = np.flatnonzero(cards_row == 0)
        if not well_formed.all() or len(dealt) != len(cut.cards):  # some cards may be spelt so that they were left in
            return None
        cards_row[dealt] = np.arange(len(dealt), dtype=np.int32)
        texts = self.names.of(known, found.at)
        return rows(known, found.at, counts=found.counts, cards_row=cards_row, hands=hands, **texts)

    def wagers(self, cut: Cut) -> Stakes | None:
        """The wagers cut out of some lines, `seat` counted from 0; None where they are better decoded there."""
        found = self._wagers.rows(cut.wagers, MOST_STAKES)
        if found is None:
            return None
        known = self._wagers.columns
        return rows(
            known,
            found.at,
            seat=np.repeat(np.arange(len(found.counts), dtype=np.int32), found.counts),
            wager=self.names.wager.column(known.wager.codes.take(found.at)),
        )


class _Here(threading.local):
    vocabulary: Vocabulary | None = None


_here = _Here()


def vocabulary() -> Vocabulary:
    """The words met so far by this thread, for the next block to begin with: tables say the same from block to block.

    Which words are known makes no difference to what is read, only to how fast.
    """
    known = _here.vocabulary
    if known is None or known.is_full():
        known = _here.vocabulary = Vocabulary()
    return known
