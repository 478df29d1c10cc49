"""Cache of records by their text, as events at a table repeat the same texts.

Each distinct text is decoded once and looked up afterwards. This is a shortcut through the strict decoder, not a second
decoder: if anything is unusual, the strict decoder reads the lines.
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
"""Most texts cached at a time."""
ENOUGH = 1 << 12
"""Number of texts after which the cache must prove useful."""
LONGEST_KNOWN = 1 << 10
"""Most bytes of a cached text. Texts stay from block to block, so blanks must not enlarge them."""
_FOLLOWING = (b"", b",", b", ")
"""Texts that may follow an object; nothing follows the last."""
_WIDTHS = (64, 128, WIDEST)
"""Widths of the hash tables; longer texts are looked up one by one."""


class UnfamiliarError(UnusualError):
    """Most texts are new although many are cached, so that lookup takes longer than decoding."""


Record = TypeVar("Record")
Columns = TypeVar("Columns", bound=Struct)


class Learning(Struct, Generic[Record, Columns], frozen=True, kw_only=True):
    """Conversion of records to rows of columns."""

    decode: Callable[[bytes], Record]
    """Decodes a record from its text in braces. Raises a msgspec error, UnicodeDecodeError or UnusualError."""
    columns: Callable[[Extractor, Sequence[Record]], Columns]
    """Converts records, without lists, to one row each, whatever their cards."""
    named: Callable[[Columns], Iterable[Coded]]
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
            raise UnusualError
        self.records.append(self._decode(text[:end]))
        self.texts.append(text)
        code = self[text] = len(self)
        return code


class KnownTexts(Generic[Record, Columns]):
    """Cache of the records of one kind by their text: one row of `columns` each."""

    __slots__ = ("_begin", "_codes", "_hashed", "_last", "_learning", "_vain", "columns")

    def __init__(self, begin: Callable[[], Learning[Record, Columns]]) -> None:
        self._begin = begin
        self._vain = 0
        self._forget()

    def _forget(self) -> None:
        self._learning = self._begin()
        self._codes = _TextCodes(self._learning.decode)
        self._hashed = [Hashed(width) for width in _WIDTHS]
        self._last = np.zeros(0, np.bool_)
        self.columns: Columns = self._learning.columns(Extractor(), [])

    def __len__(self) -> int:
        return len(self._codes)

    def rows(self, text: Text, objects: Objects, most: int) -> Ints:
        """Resolve records to rows of `columns`, which the next call may change.

        Raises UnfamiliarError; a msgspec error or UnicodeDecodeError for a bad record; and UnusualError if
        - a list has more than `most` records;
        - a record is longer than LONGEST_KNOWN, or may hold a key twice;
        - the text after a record is not as in a list.

        Returns: int64[objects].
        """
        if objects.counts.max(initial=0) > most:
            raise UnusualError
        if len(self._codes) > MOST_KNOWN:
            self._forget()
        start, row_indices = objects.start, self.looked_up(text, objects)
        new = np.flatnonzero(row_indices < 0)
        if 2 * len(new) > len(row_indices) and len(self._codes) > ENOUGH:
            self._give_up()
        if len(new):
            buffer = text.bytes.data
            places = zip(start[new].tolist(), objects.end[new].tolist(), strict=True)
            texts = [buffer[first:end].tobytes() for first, end in places]
            row_indices[new] = np.fromiter(map(self._codes.__getitem__, texts), np.int64, len(texts))
            self._learn()
        if not np.array_equal(self._last.take(row_indices), objects.last):
            raise UnusualError
        return row_indices

    def looked_up(self, text: Text, objects: Objects) -> Ints:
        """Look up the codes of records by hash; ABSENT if not found.

        Returns: int64[objects].
        """
        scanner = native.scanner()
        if scanner is not None:
            return scanner.codes(text, objects.start, objects.end, [hashed.table() for hashed in self._hashed])
        start, size = objects.start, objects.end - objects.start
        row_indices = np.full(len(size), ABSENT, np.int64)
        for hashed, which in self._by_width(size):
            row_indices[which] = hashed.codes(text, start.take(which), size.take(which))
        return row_indices

    def _give_up(self) -> None:
        """Clear the cache and raise. The more often the cache was of no use, the more rarely it is cleared."""
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
        """Convert the records decoded since the last time to columns."""
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
