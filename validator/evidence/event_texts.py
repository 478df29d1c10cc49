"""Events known by their text: what happens at a table is said in few words, again and again.

Apart from the cards, nearly every event of a log has been written before. So the text of an event is decoded
once, its cards taken out, and looked up from then on. This is a shortcut through the strict decoder, not
another one: where anything at all is unusual, nothing is taken out and the lines go the long way.

The text of the events is cut at every `},{`. A string may hold that, but then neither side of the cut is an
object any more. So a line is sound if it is sound with an empty list of events, and so is every piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from validator.evidence.columns import ABSENT, Ints
from validator.evidence.draft import EventColumns
from validator.evidence.duplicates import may_be_doubled
from validator.evidence.event_columns import EventNames, event_columns
from validator.evidence.events import AnyEvent, Event
from validator.evidence.extract import EventPool, Extractor
from validator.evidence.handlog import LONGEST_LINE, MOST_EVENTS
from validator.evidence.hands import decode_bytes
from validator.evidence.relations import end_to_end, rows

_MOST_KNOWN = 1 << 16
"""Texts remembered at a time."""
_DECODER = msgspec.json.Decoder(AnyEvent, strict=True)


_NO_HANDS = decode_bytes(np.empty(0, np.uint8), np.empty(0, np.int64)).hands


class _Spelling(NamedTuple):
    """How the writer of a log spaces what is looked for."""

    events: bytes
    cards: bytes
    between: bytes


_SPELLINGS = (
    _Spelling(b'"events":[{', b'"cards":"', b"},{"),
    _Spelling(b'"events": [{', b'"cards": "', b"}, {"),
)


class _Known(dict[bytes, int]):
    """The code of every text met so far; a new one is decoded, or refused by a msgspec error."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[bytes] = []
        self.events: list[Event] = []
        """Those that are not in columns yet."""

    def __missing__(self, text: bytes) -> int:
        self.events.append(_DECODER.decode(b"{%b}" % text))
        self.texts.append(text)
        code = self[text] = len(self)
        return code


class TakenOut(NamedTuple):
    """Lines with empty lists of events, and the columns of what stood there, `cards_row` counted from 0."""

    lines: list[bytes]
    events: EventColumns


class EventTexts:
    """The events met so far, by their text."""

    __slots__ = ("_columns", "_known", "_names")

    def __init__(self, names: EventNames) -> None:
        self._names = names
        self._forget()

    def _forget(self) -> None:
        self._known = _Known()
        self._columns: list[EventColumns] = []

    def take_out(self, lines: Sequence[bytes]) -> TakenOut | None:
        """The events of these lines, taken out of them; None where they are better decoded as they stand."""
        spelling = next((one for one in _SPELLINGS if lines and one.events in lines[0]), None)
        if spelling is None or max(map(len, lines)) > LONGEST_LINE:
            return None
        emptied: list[bytes] = []
        pieces: list[bytes] = []
        cards: list[bytes] = []
        counts: list[int] = []
        for line in lines:
            head, found, rest = line.partition(spelling.events)
            if not found:
                emptied.append(line)
                counts.append(0)
                continue
            end = rest.find(b"]")
            emptied.append(b"".join((head, spelling.events[:-1], rest[end:])))
            first, *others = rest[: end - 1].split(spelling.cards)
            dealt = [part.partition(b'"') for part in others]
            cards += [one for one, _, _ in dealt]
            text = spelling.cards.join([first, *[b'"' + after for _, _, after in dealt]])
            listed = text.split(spelling.between)
            pieces += listed
            counts.append(len(listed))
        if max(counts) > MOST_EVENTS:
            return None
        events = self._events(pieces, cards, np.array(counts, np.int64))
        return None if events is None else TakenOut(emptied, events)

    def _events(self, pieces: list[bytes], cards: list[bytes], counts: Ints) -> EventColumns | None:
        if len(self._known) > _MOST_KNOWN:
            self._forget()
        try:
            codes = np.fromiter(map(self._known.__getitem__, pieces), np.int64, len(pieces))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        if self._known.events and not self._learn():
            self._forget()
            return None
        lengths = np.fromiter(map(len, cards), np.int64, len(cards))
        hands, well_formed = decode_bytes(np.frombuffer(b"".join(cards), np.uint8), lengths)
        if not well_formed.all() or not self._columns:
            return None
        known = self._columns[0]
        cards_row = known.cards_row[codes]
        cards_row[cards_row == 0] = np.arange(len(cards), dtype=np.int32)
        return rows(known, codes, counts=counts, cards_row=cards_row, hands=hands, **self._names.of(known, codes))

    def _learn(self) -> bool:
        """Put what was decoded since the last time into columns; false where a key may stand twice in it."""
        known, take = self._known, Extractor()
        pool = EventPool(take, known.events)
        with_cards, _ = pool.texts("cards")
        cards_row = np.full(len(known.events), ABSENT, np.int32)
        cards_row[with_cards] = 0
        new = event_columns(pool, self._names, counts=np.zeros(0, np.int64), cards_row=cards_row, hands=_NO_HANDS)
        if may_be_doubled(known.texts, self._names.columns(new), keys=take.keys):
            return False
        self._columns = [end_to_end([*self._columns, new])]
        known.texts, known.events = [], []
        return True
