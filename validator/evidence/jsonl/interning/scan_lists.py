"""Lists cut out of the lines of a log, so that what stands in them can be known by its text.

Nothing is decoded here. In text without escapes the names of these lists and of cards, quotes and all, are keys
wherever they stand. So lines are sound if they are sound with such lists empty, and every list is sound, however little
its end was looked for; and an object is sound if it is so with other cards, and its own are cards.

Where the compiled scanner is used, `native/src/scan.c` does what `_lists`, `_objects`, `_without` and `_hands` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from validator.arrays import Codes, Flags, Ints, Ints8
from validator.evidence.handlog.event_values import WIDEST_HAND
from validator.evidence.handlog.record import LONGEST_LINE
from validator.evidence.jsonl.interning import native
from validator.evidence.jsonl.interning.byte_search import Text, UnusualError

_QUOTE, _COLON, _SPACE, _ANY_CARD, _OPEN, _CLOSED = b'": ?[]'


class Objects(NamedTuple):
    """The objects of some lists: where the text of each starts and ends, with the comma that follows; bool[objects],
    which are the last of their lists; and int64[lists], how many each list has."""

    start: Ints
    end: Ints
    last: Flags
    counts: Ints


class CutHands(NamedTuple):
    """Hands cut out of a text: uint8[n], their characters end to end, and int64[hands], how many each has."""

    characters: Codes
    lengths: Ints


class Cut(NamedTuple):
    """What stands in the lists of some lines.

    `events`, `wagers` and `bonuses` stand in `whole`, the lines as they are; `seats` in `seated`, where those lists are
    empty. In both, unknown cards stand for the hands that were cut out: `event_cards`, and `hands` of seats by their
    key. `lines` are what is left, with neither seats nor events.
    """

    lines: list[bytes]
    whole: Text
    events: Objects
    wagers: Objects
    bonuses: Objects
    event_cards: CutHands
    seated: Text
    seats: Objects
    hands: dict[str, CutHands]


def cut(text: bytes) -> Cut:
    """The lists of some lines cut out. Raises UnusualError."""
    if b"\\" in text or _has_long_line(text):
        raise UnusualError
    whole = Text(text)
    (events, wagers, bonuses), rest = _cut_out(whole, (b'"events":', b'"wagers":', b'"bonuses":'))
    if not any(len(listed.start) for listed in (events, wagers, bonuses)):
        raise UnusualError
    seated = Text(rest)
    (seats,), rest = _cut_out(seated, (b'"seats":',))
    return Cut(
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
    """Whether a line is longer than LONGEST_LINE."""
    start = 0
    while len(text) - start > LONGEST_LINE:
        # All lines to the last that ends within reach are short enough.
        start = text.rfind(b"\n", start, start + LONGEST_LINE + 1) + 1
        if not start:
            return True
    return False


class _Listed(NamedTuple):
    """The lists of one key: where what stands between their brackets starts and ends, and their objects."""

    start: Ints
    end: Ints
    objects: Objects


def _cut_out(text: Text, keys: Sequence[bytes]) -> tuple[list[_Listed], bytes]:
    """The lists of each key, and the text with all of them empty. Raises UnusualError."""
    scanner = native.scanner()
    if scanner is not None:
        every, rest = scanner.lists(text, keys)
        return [_Listed(found.start, found.end, Objects(*found[2:])) for found in every], rest
    opening, closing, braces = text.where(b"[", b"]", b"{")
    lists = _lists(text, opening, closing, keys)
    named = [lists.named(name) for name in range(len(keys))]
    return [_Listed(some.start, some.end, _objects(some, braces)) for some in named], _without(lists, text.raw)


class _Lists(NamedTuple):
    """Lists in order: where what stands between their brackets starts and ends, and which name each has."""

    start: Ints
    end: Ints
    name: Ints8

    def named(self, name: int) -> _Lists:
        return _Lists(*(column[self.name == name] for column in self))


def _lists(text: Text, opening: Ints, closing: Ints, keys: Sequence[bytes]) -> _Lists:
    """The lists of some keys, by all brackets: each to the first that closes and does not close an empty list.

    Raises UnusualError where one has no end or stands in another.
    """
    key_end = opening - (text.bytes[opening - 1] == _SPACE)
    name = np.full(len(opening), -1, np.int8)
    for index, key in enumerate(keys):
        name[text.ends(key, key_end)] = index
    start, name = opening[name >= 0] + 1, name[name >= 0]
    closing = np.append(closing[text.bytes[closing - 1] != _OPEN], -1)
    end = closing[np.searchsorted(closing[:-1], start)]
    end = np.where(text.bytes[start] == _CLOSED, start, end)
    if (end < start).any() or (start[1:] <= end[:-1]).any():
        raise UnusualError
    return _Lists(start, end, name)


def _without(lists: _Lists, text: bytes) -> bytes:
    """A text with some lists made empty."""
    filled = lists.start < lists.end
    starts, ends = lists.start[filled].tolist(), lists.end[filled].tolist()
    return b"".join([text[start:end] for start, end in zip([0, *ends], [*starts, len(text)], strict=True)])


def _objects(lists: _Lists, braces: Ints) -> Objects:
    """The objects of some lists, by all braces that open. Raises UnusualError where a list begins otherwise."""
    first, end = np.searchsorted(braces, lists.start), np.searchsorted(braces, lists.end)
    counts = end - first
    filled = np.flatnonzero(counts)
    if not np.array_equal(filled, np.flatnonzero(lists.start < lists.end)):
        raise UnusualError
    if (braces[first[filled]] != lists.start[filled]).any():
        raise UnusualError
    which = _ranges(first, counts)
    last_of = np.cumsum(counts)[filled] - 1
    ends = braces.take(which + 1, mode="clip")
    ends[last_of] = lists.end[filled]
    last = np.zeros(len(which), np.bool_)
    last[last_of] = True
    return Objects(braces[which], ends, last, counts)


def _hands(text: Text, key: str, lists: _Listed) -> CutHands:
    """The hands of a key in the objects of some lists, unknown cards being written over them.

    Raises UnusualError where one is longer than any hand.
    """
    word, width = f'"{key}"'.encode(), 2 * WIDEST_HAND + 1
    scanner = native.scanner()
    if scanner is not None:
        return CutHands(*scanner.hands(text, word, width, lists.start, lists.end))
    colon = text.ends_of(word)
    if not len(colon):
        return CutHands(np.zeros(0, np.uint8), colon)
    around = np.searchsorted(lists.end, colon)
    inside = np.append(lists.start, len(text.raw))[around] < colon
    quote = colon + 1 + (text.bytes[colon + 1] == _SPACE)
    start = quote[inside & (text.bytes[colon] == _COLON) & (text.bytes[quote] == _QUOTE)] + 1
    quotes = text.taken(start, width).view(np.uint8).reshape(len(start), width) == _QUOTE
    lengths = quotes.argmax(axis=1)
    if not quotes.any(axis=1).all():
        raise UnusualError
    which = _ranges(start, lengths)
    characters = text.bytes[which]
    text.bytes[which] = _ANY_CARD
    return CutHands(characters, lengths)


def _ranges(first: Ints, counts: Ints) -> Ints:
    """int64[sum of counts]: so many numbers from each first one on."""
    return np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
