"""Lists cut out of the lines of a log, so that their records can be looked up by text.

Nothing is decoded here. In text without escapes, the quoted names of these lists and of cards are always keys. So lines
are valid if they are valid with such lists empty and every list is valid. An object is valid if it is valid with other
cards and its own cards are valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints8, are_all, find_true, has_any
from fairdeal.validator.evidence.handlog.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.handlog.round_record import LONGEST_LINE
from fairdeal.validator.evidence.jsonl.text_lookup import LineText, UnusualError

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
