"""Objects known by their text: what happens at a table is said in few words, again and again.

So the text of an object is decoded once, and looked up from then on. This is a shortcut through the strict decoder,
not another one: where anything at all is unusual, nothing is looked up and the lines go the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Ints
from validator.evidence.columns.batch import Coded
from validator.evidence.columns.tables import end_to_end
from validator.evidence.jsonl.interning import native
from validator.evidence.jsonl.interning.byte_search import WIDEST, Text, UnusualError
from validator.evidence.jsonl.interning.hash_table import Hashed
from validator.evidence.jsonl.interning.scan_lists import Objects
from validator.evidence.jsonl.records.duplicate_keys import may_be_doubled
from validator.evidence.jsonl.records.extract import Extractor

MOST_KNOWN = 1 << 15
"""Texts remembered at a time."""
ENOUGH = 1 << 12
"""So many texts should tell whether it is of any use to remember more."""
LONGEST_KNOWN = 1 << 10
"""The most bytes of a text that is remembered: they stay from block to block, so blanks must not swell them."""
_FOLLOWING = (b"", b",", b", ")
"""What may follow an object: nothing follows the last."""
_WIDTHS = (64, 128, WIDEST)
"""Longer texts are looked up one by one."""


class UnfamiliarError(UnusualError):
    """Most texts are new though many are known, so that looking them up takes longer than decoding all."""


Record = TypeVar("Record")
Columns = TypeVar("Columns", bound=Struct)


class Learning(Struct, Generic[Record, Columns], frozen=True, kw_only=True):
    """How objects become rows of columns.

    `decode` makes one of its text in braces, or raises a msgspec error, UnicodeDecodeError or UnusualError; `columns`
    makes a row of each of some, which stand in no list, whatever their cards; `named` says which columns are text.
    """

    decode: Callable[[bytes], Record]
    columns: Callable[[Extractor, Sequence[Record]], Columns]
    named: Callable[[Columns], Iterable[Coded]]


class _Codes(dict[bytes, int], Generic[Record]):
    """The code of every text met so far, with the comma that follows; a new one is decoded, or refused by an error: it
    is no such object, or too long to be remembered."""

    def __init__(self, decode: Callable[[bytes], Record]) -> None:
        super().__init__()
        self._decode = decode
        self.texts: list[bytes] = []
        self.records: list[Record] = []
        """Those that are not in columns yet, and their texts."""

    def __missing__(self, text: bytes) -> int:
        end = text.rfind(b"}") + 1
        if text[end:] not in _FOLLOWING or len(text) > LONGEST_KNOWN:
            raise UnusualError
        self.records.append(self._decode(text[:end]))
        self.texts.append(text)
        code = self[text] = len(self)
        return code


class KnownTexts(Generic[Record, Columns]):
    """The objects of one kind met so far, by their text: a row of `columns` each."""

    __slots__ = ("_begin", "_codes", "_hashed", "_last", "_learning", "_vain", "columns")

    def __init__(self, begin: Callable[[], Learning[Record, Columns]]) -> None:
        self._begin = begin
        self._vain = 0
        self._forget()

    def _forget(self) -> None:
        self._learning = self._begin()
        self._codes = _Codes(self._learning.decode)
        self._hashed = [Hashed(width) for width in _WIDTHS]
        self._last = np.zeros(0, np.bool_)
        self.columns: Columns = self._learning.columns(Extractor(), [])

    def __len__(self) -> int:
        return len(self._codes)

    def rows(self, text: Text, objects: Objects, most: int) -> Ints:
        """int64[objects]: what they stand for, as rows of `columns`, which the next call may change.

        Raises UnfamiliarError; UnusualError where a list has more than `most` of them, or where one does not end as in
        a list, is longer than LONGEST_KNOWN or may hold a key twice; a msgspec error or UnicodeDecodeError where one is
        no such object.
        """
        if objects.counts.max(initial=0) > most:
            raise UnusualError
        if len(self._codes) > MOST_KNOWN:
            self._forget()
        start, found = objects.start, self.looked_up(text, objects)
        new = np.flatnonzero(found < 0)
        if 2 * len(new) > len(found) and len(self._codes) > ENOUGH:
            self._give_up()
        if len(new):
            held = text.bytes.data
            places = zip(start[new].tolist(), objects.end[new].tolist(), strict=True)
            texts = [held[first:end].tobytes() for first, end in places]
            found[new] = np.fromiter(map(self._codes.__getitem__, texts), np.int64, len(texts))
            self._learn()
        if not np.array_equal(self._last.take(found), objects.last):
            raise UnusualError
        return found

    def looked_up(self, text: Text, objects: Objects) -> Ints:
        """int64[objects]: their codes; ABSENT where one is not found by its hash."""
        scanner = native.scanner()
        if scanner is not None:
            return scanner.codes(text, objects.start, objects.end, [hashed.table() for hashed in self._hashed])
        start, size = objects.start, objects.end - objects.start
        found = np.full(len(size), ABSENT, np.int64)
        for hashed, which in self._by_width(size):
            found[which] = hashed.codes(text, start.take(which), size.take(which))
        return found

    def _give_up(self) -> None:
        """Begin anew, the less often the more often it was in vain: what is said may have changed."""
        self._vain += 1
        if self._vain.bit_count() == 1:
            self._forget()
        raise UnfamiliarError

    def _by_width(self, size: Ints) -> Iterator[tuple[Hashed, Ints]]:
        narrower = 1
        for width, hashed in zip(_WIDTHS, self._hashed, strict=True):
            which = np.flatnonzero((narrower <= size) & (size < width))
            if len(which):
                yield hashed, which
            narrower = width

    def _learn(self) -> None:
        """Put what was decoded since the last time into columns."""
        codes, take = self._codes, Extractor()
        if not codes.texts:
            return
        texts, records = codes.texts, codes.records
        new = self._learning.columns(take, records)
        if may_be_doubled(texts, self._learning.named(new), keys=take.keys):
            self._forget()
            raise UnusualError
        known = len(self._last)
        self.columns = end_to_end([self.columns, new])
        last = [text.endswith(b"}") for text in texts]
        self._last = np.concatenate([self._last, np.array(last, np.bool_)])
        size = np.fromiter(map(len, texts), np.int64, len(texts))
        joined, start = Text(b"".join(texts)), np.cumsum(size) - size
        for hashed, which in self._by_width(size):
            hashed.add(joined, start[which], size[which], known + which)
        codes.texts, codes.records = [], []
