"""Search and lookup of texts in the bytes of many lines, and lists cut out of the lines.

Nothing is decoded here. In text without escapes, the quoted names of these lists and of cards are always keys. So lines
are valid if they are valid with such lists empty and every list is valid. An object is valid if it is valid with other
cards and its own cards are valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bits64, Codes, Flags, Ints, Ints8, Ints32, are_all, find_true, has_any
from fairdeal.validator.evidence.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.round_record import LONGEST_LINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_ITEM_BYTES = 256
"""Most bytes of an item."""
_STRETCH = 1 << 18
"""Bytes searched at a time, so that intermediate arrays stay small."""


def count_byte(text: bytes | memoryview, byte: bytes) -> int:
    """Count how often a byte occurs in a text. On long texts this takes a tenth of `bytes.count`."""
    letters, wanted = np.frombuffer(text, np.uint8), ord(byte)
    starts = range(0, len(letters), _STRETCH)
    return sum(int(np.count_nonzero(letters[start : start + _STRETCH] == wanted)) for start in starts)


class UnusualError(Exception):
    """Text is written in an unusual way, so that the strict decoder must read it."""


class LineText:
    """Bytes of some lines. Places are offsets, int64[n]; an item is a fixed number of bytes from a place."""

    __slots__ = ("bytes", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        """Text as given."""
        self.bytes = np.zeros(len(raw) + MAX_ITEM_BYTES, np.uint8)
        """Writable copy with zeros at the end, uint8[length + MAX_ITEM_BYTES]."""
        self.bytes[: len(raw)] = np.frombuffer(raw, np.uint8)

    def find_bytes(self, *wanted: bytes) -> list[Ints]:
        """Return all offsets of each of some bytes, ascending."""
        found: list[list[Ints]] = [[] for _ in wanted]
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH]
            for places, byte in zip(found, wanted, strict=True):
                places.append(find_true(stretch == ord(byte)) + start)
        return [np.concatenate(places) for places in found]

    def take(self, places: Ints, width: int) -> NDArray[np.void]:
        """Return the `width` bytes, at most MAX_ITEM_BYTES, from each place.

        Returns: void[n].
        """
        everywhere: NDArray[np.void] = np.ndarray((len(self.raw) + 1,), f"V{width}", self.bytes, 0, (1,))
        return everywhere[places]

    def is_preceded_by(self, word: bytes, places: Ints) -> Flags:
        """Return whether a word comes right before each place.

        Returns: bool[n].
        """
        letters = word[-8:]
        before = self.take(np.maximum(places - len(letters), 0), 8).view("<u8")
        before &= np.uint64((1 << 8 * len(letters)) - 1)
        matches = (before == int.from_bytes(letters, "little")) & (places >= len(word))
        for back in range(len(letters) + 1, len(word) + 1):
            matches &= self.bytes[places - back] == word[-back]
        return matches

    def find_word_ends(self, word: bytes) -> Ints:
        """Return all offsets at which a word of two or more bytes ends, ascending. Fast if its last two bytes are
        rare."""
        parts = []
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH + 1]
            both = stretch[1:] == word[-1]
            both &= stretch[:-1] == word[-2]
            parts.append(find_true(both) + (start + 2))
        places = np.concatenate(parts)
        return places[self.is_preceded_by(word, places)]

    def _starts(self) -> range:
        return range(0, len(self.bytes), _STRETCH)


_ROOM = 8
"""Slots for each text, so that few texts share one."""
_AT_A_TIME = 1 << 12
"""Texts looked up at a time, so that they stay in the processor's cache."""
_FACTOR = 0x9E3779B97F4A7C15
"""Odd, with bits spread evenly: 2**64 divided by the golden ratio."""
_HALF = 32
_EIGHT_YES = 0x0101010101010101
"""Eight true flags in one number."""


class TextHashTable:
    """Hash table from texts to codes. A text has at least one and fewer than `width` bytes (a multiple of 64, at most
    256)."""

    __slots__ = ("_codes", "_factors", "_masks", "_rows", "_slots", "_texts", "_width")

    def __init__(self, width: int) -> None:
        self._width = width
        powers = [pow(_FACTOR, power, 1 << 64) for power in range(1, width // 8 + 1)]
        self._factors = np.array(powers, np.uint64)
        self._masks = (255 * np.tri(width, width, -1, np.uint8)).view(np.uint64)
        # All slots refer to a first row that holds no text.
        self._rows = 1
        self._texts: Bits64 = np.zeros((1 << 7, width // 8), np.uint64)
        self._codes = np.full(1 << 7, ABSENT, np.int64)
        self._slots = np.zeros(_ROOM << 7, np.int32)

    def look_up(self, text: LineText, start: Ints, size: Ints) -> Ints:
        """Look up the codes of some parts of a text, with `size` bytes each; ABSENT if not found.

        Returns: int64[n].
        """
        codes = np.empty(len(start), np.int64)
        for first in range(0, len(start), _AT_A_TIME):
            part = slice(first, first + _AT_A_TIME)
            codes[part] = self._find_codes(self._read_words(text, start[part], size[part]))
        return codes

    def _find_codes(self, words: Bits64) -> Ints:
        first, second = self._find_slots(words)
        row = self._slots.take(first)
        missed = find_true(~self._are_same(row, words))
        if len(missed):
            second_row = self._slots.take(second.take(missed))
            second_row[~self._are_same(second_row, words.take(missed, axis=0))] = 0
            row[missed] = second_row
        return self._codes.take(row)

    def add(self, text: LineText, start: Ints, size: Ints, codes: Ints) -> None:
        """Add some distinct new parts of a text, with their codes."""
        known, self._rows = self._rows, self._rows + len(codes)
        while self._rows > len(self._codes):
            self._texts = np.concatenate([self._texts, np.zeros_like(self._texts)])
            self._codes = np.concatenate([self._codes, np.full_like(self._codes, ABSENT)])
        self._texts[known : self._rows] = self._read_words(text, start, size)
        self._codes[known : self._rows] = codes
        if _ROOM * len(self._codes) > len(self._slots):
            known = 1
            self._slots = np.zeros(_ROOM * len(self._codes), np.int32)
        rows = np.arange(known, self._rows, dtype=np.int32)
        first, second = self._find_slots(self._texts[known : self._rows])
        self._settle(first, rows)
        unplaced = self._slots[first] != rows
        self._settle(second[unplaced], rows[unplaced])

    def _settle(self, places: Ints, rows: Ints32) -> None:
        free = self._slots[places] == 0
        self._slots[places[free]] = rows[free]

    def _read_words(self, text: LineText, start: Ints, size: Ints) -> Bits64:
        words: Bits64 = text.take(start, self._width).view(np.uint64).reshape(len(start), self._width // 8)
        words &= self._masks.take(size, axis=0)
        words.view(np.uint8)[:, -1] = size
        return words

    def _find_slots(self, words: Bits64) -> tuple[Ints, Ints]:
        """Return the two slots that each text may have."""
        beyond = np.uint64(64 - (len(self._slots) - 1).bit_length())
        hashes = words @ self._factors
        mixed = (hashes ^ (hashes >> _HALF)) * self._factors[0]
        return (hashes >> beyond).view(np.int64), (mixed >> beyond).view(np.int64)

    def _are_same(self, rows: Ints32, words: Bits64) -> Flags:
        """Return whether each text equals the one in its row.

        Returns: bool[n].
        """
        equal = (self._texts.take(rows, axis=0) == words).view(np.uint64) == _EIGHT_YES
        same: Flags = equal[:, 0]
        for further in range(1, equal.shape[1]):
            same &= equal[:, further]
        return same


_QUOTE, _COLON, _SPACE, _ANY_CARD, _OPEN, _CLOSED = b'": ?[]'


class ListedObjects(NamedTuple):
    """Objects of some lists, each with the comma after it."""

    start: Ints
    """Start of each object."""
    end: Ints
    """End of each object."""
    last: Flags
    """True for the last object of a list."""
    counts: Ints
    """Number of objects of each list, int64[lists]."""


class ExtractedHands(NamedTuple):
    """Hands cut out of a text."""

    characters: Codes
    """Characters of all hands end to end, uint8[n]."""
    lengths: Ints
    """Number of characters of each hand, int64[hands]."""


class ExtractedLists(NamedTuple):
    """Lists cut out of some lines. Unknown cards replace the hands that were cut out."""

    lines: list[bytes]
    """Lines without seats and events."""
    whole: LineText
    """Text of the lines as they are."""
    events: ListedObjects
    """Events in `whole`."""
    wagers: ListedObjects
    """Wagers in `whole`."""
    bonuses: ListedObjects
    """Bonuses in `whole`."""
    event_cards: ExtractedHands
    """Cards of the events."""
    seated: LineText
    """Text of the lines with those lists empty."""
    seats: ListedObjects
    """Seats in `seated`."""
    hands: dict[str, ExtractedHands]
    """Hands of the seats, by key."""


def extract_lists(text: bytes) -> ExtractedLists:
    """Cut the lists out of some lines. Raises UnusualError."""
    if b"\\" in text or _has_long_line(text):
        raise UnusualError
    whole = LineText(text)
    (events, wagers, bonuses), rest = _cut_out(whole, (b'"events":', b'"wagers":', b'"bonuses":'))
    if not any(len(listed.start) for listed in (events, wagers, bonuses)):
        raise UnusualError
    seated = LineText(rest)
    (seats,), rest = _cut_out(seated, (b'"seats":',))
    return ExtractedLists(
        lines=rest.split(b"\n"),
        whole=whole,
        events=events.objects,
        wagers=wagers.objects,
        bonuses=bonuses.objects,
        event_cards=_hands(whole, "cards", events),
        seated=seated,
        seats=seats.objects,
        hands={key: _hands(seated, key, seats) for key in ("cards", "discarded", "drawn")},
    )


def _has_long_line(text: bytes) -> bool:
    """Return whether a line is longer than LONGEST_LINE."""
    start = 0
    while len(text) - start > LONGEST_LINE:
        # Every line up to the last line end within reach is short enough.
        start = text.rfind(b"\n", start, start + LONGEST_LINE + 1) + 1
        if not start:
            return True
    return False


class _Listed(NamedTuple):
    """Lists of one key: bounds of the text between their brackets, and their objects."""

    start: Ints
    end: Ints
    objects: ListedObjects


def _cut_out(text: LineText, keys: Sequence[bytes]) -> tuple[list[_Listed], bytes]:
    """Return the lists of each key, and the text with all of them empty. Raises UnusualError."""
    opening, closing, braces = text.find_bytes(b"[", b"]", b"{")
    lists = _lists(text, opening, closing, keys)
    named = [lists.select_key(name) for name in range(len(keys))]
    return [_Listed(some.start, some.end, _objects(some, braces)) for some in named], _empty_lists(lists, text.raw)


class _Lists(NamedTuple):
    """Lists in order: bounds of the text between their brackets, and the key of each."""

    start: Ints
    end: Ints
    name: Ints8

    def select_key(self, name: int) -> _Lists:
        return _Lists(*(column[self.name == name] for column in self))


def _lists(text: LineText, opening: Ints, closing: Ints, keys: Sequence[bytes]) -> _Lists:
    """Find the lists of some keys by all brackets.

    A list ends at the first closing bracket that does not close an empty list. Raises UnusualError if a list has no end
    or is inside another.
    """
    key_end = opening - (text.bytes[opening - 1] == _SPACE)
    name = np.full(len(opening), -1, np.int8)
    for index, key in enumerate(keys):
        name[text.is_preceded_by(key, key_end)] = index
    start, name = opening[name >= 0] + 1, name[name >= 0]
    closing = np.append(closing[text.bytes[closing - 1] != _OPEN], -1)
    end = closing[np.searchsorted(closing[:-1], start)]
    end = np.where(text.bytes[start] == _CLOSED, start, end)
    if has_any(end < start) or has_any(start[1:] <= end[:-1]):
        raise UnusualError
    return _Lists(start, end, name)


def _empty_lists(lists: _Lists, text: bytes) -> bytes:
    """Return a text with some lists empty."""
    filled = lists.start < lists.end
    starts, ends = lists.start[filled].tolist(), lists.end[filled].tolist()
    return b"".join([text[start:end] for start, end in zip([0, *ends], [*starts, len(text)], strict=True)])


def _objects(lists: _Lists, braces: Ints) -> ListedObjects:
    """Find the objects of some lists by all opening braces. Raises UnusualError if a list begins with anything else."""
    first, end = np.searchsorted(braces, lists.start), np.searchsorted(braces, lists.end)
    counts = end - first
    filled = find_true(counts)
    if not np.array_equal(filled, find_true(lists.start < lists.end)):
        raise UnusualError
    if has_any(braces[first[filled]] != lists.start[filled]):
        raise UnusualError
    which = _ranges(first, counts)
    last_of = np.cumsum(counts)[filled] - 1
    ends = braces.take(which + 1, mode="clip")
    ends[last_of] = lists.end[filled]
    last = np.zeros(len(which), np.bool_)
    last[last_of] = True
    return ListedObjects(braces[which], ends, last, counts)


def _hands(text: LineText, key: str, lists: _Listed) -> ExtractedHands:
    """Cut out the hands of a key in the objects of some lists, and overwrite them with unknown cards.

    Raises UnusualError if a text is longer than any hand.
    """
    word, width = f'"{key}"'.encode(), 2 * WIDEST_HAND + 1
    colon = text.find_word_ends(word)
    if not len(colon):
        return ExtractedHands(np.zeros(0, np.uint8), colon)
    around = np.searchsorted(lists.end, colon)
    inside = np.append(lists.start, len(text.raw))[around] < colon
    quote = colon + 1 + (text.bytes[colon + 1] == _SPACE)
    start = quote[inside & (text.bytes[colon] == _COLON) & (text.bytes[quote] == _QUOTE)] + 1
    quotes = text.take(start, width).view(np.uint8).reshape(len(start), width) == _QUOTE
    lengths = quotes.argmax(axis=1)
    if not are_all(quotes.any(axis=1)):
        raise UnusualError
    which = _ranges(start, lengths)
    characters = text.bytes[which]
    text.bytes[which] = _ANY_CARD
    return ExtractedHands(characters, lengths)


def _ranges(first: Ints, counts: Ints) -> Ints:
    """Return `counts` consecutive numbers from each first number.

    Returns: int64[sum of counts].
    """
    return np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
