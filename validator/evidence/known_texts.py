"""Objects known by their text: what happens at a table is said in few words, again and again.

So the text of an object is decoded once, and looked up from then on. This is a shortcut through the strict decoder,
not another one: where anything at all is unusual, nothing is looked up and the lines go the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import msgspec
import numpy as np

from validator.evidence.columns import Coded, Ints
from validator.evidence.duplicates import may_be_doubled
from validator.evidence.extract import Extractor
from validator.evidence.relations import end_to_end

MOST_KNOWN = 1 << 16
"""Texts remembered at a time."""
LONGEST_KNOWN = 1 << 10
"""The most bytes of a text that is remembered: they stay from block to block, so blanks must not swell them."""
_LAST = b"}\n"
"""How the last object of a list ends, where lists stand on lines of their own."""
_FOLLOWING = (b"},", b"}, ", _LAST)

Record = TypeVar("Record")
Columns = TypeVar("Columns")


class Learning(Protocol[Record, Columns]):
    """How objects become rows of columns."""

    def decode(self, text: bytes) -> Record:
        """One object, of its text in braces. Raises a msgspec error, or UnicodeDecodeError."""
        ...

    def columns(self, take: Extractor, records: Sequence[Record]) -> Columns:
        """A row for each of some objects, which stand in no list; their cards are not looked at."""
        ...

    def named(self, columns: Columns) -> Iterable[Coded]:
        """The columns of text among some columns."""
        ...


class _Codes(dict[bytes, int], Generic[Record]):
    """The code of every text met so far, with what follows its brace; a new one is decoded, or refused by an error:
    it is no such object, or too long to be remembered."""

    def __init__(self, decode: Callable[[bytes], Record]) -> None:
        super().__init__()
        self._decode = decode
        self.texts: list[bytes] = []
        self.records: list[Record] = []
        """Those that are not in columns yet, and their texts."""

    def __missing__(self, text: bytes) -> int:
        inner = next((one for one in _FOLLOWING if text.endswith(one)), b"")
        if not inner or len(text) > LONGEST_KNOWN:
            raise msgspec.DecodeError
        self.records.append(self._decode(b"{" + text[: 1 - len(inner)]))
        self.texts.append(text)
        code = self[text] = len(self)
        return code


class Rows(NamedTuple):
    """Rows of known columns, int64[n], for the objects of some lists; and int64[lists], how many each list has."""

    at: Ints
    counts: Ints


class KnownTexts(Generic[Record, Columns]):
    """The objects of one kind met so far, by their text: a row of `columns` each."""

    __slots__ = ("_codes", "_last", "_learning", "columns")

    def __init__(self, learning: Learning[Record, Columns]) -> None:
        self._learning = learning
        self._forget()

    def _forget(self) -> None:
        self._codes = _Codes(self._learning.decode)
        self._last = np.zeros(0, np.bool_)
        self.columns: Columns = self._learning.columns(Extractor(), [])

    def __len__(self) -> int:
        return len(self._codes)

    def rows(self, lists: Sequence[bytes], most: int) -> Rows | None:
        """What the texts between the brackets of some lists stand for, in rows of `columns`, which the next call may
        change; None where one is not a list of at most `most` such objects, or may hold a key twice."""
        if len(self._codes) > MOST_KNOWN:
            self._forget()
        written = [text for text in lists if text]
        before, *texts = b"\n".join([*written, b""]).split(b"{")
        codes = self._codes
        try:
            at = np.fromiter(map(codes.__getitem__, texts), np.int64, len(texts))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        if codes.records and not self._learn():
            self._forget()
            return None
        sizes = np.diff(np.flatnonzero(self._last.take(at)), prepend=-1)
        if before or len(sizes) != len(written) or sizes.max(initial=0) > most:
            return None
        counts = np.zeros(len(lists), np.int64)
        counts[np.fromiter(map(bool, lists), np.bool_, len(lists))] = sizes
        return Rows(at, counts)

    def _learn(self) -> bool:
        """Put what was decoded since the last time into columns; false where a key may stand twice in it."""
        codes, take = self._codes, Extractor()
        new = self._learning.columns(take, codes.records)
        if may_be_doubled(codes.texts, self._learning.named(new), keys=take.keys):
            return False
        self.columns = end_to_end([self.columns, new])
        last = [text.endswith(_LAST) for text in codes.texts]
        self._last = np.concatenate([self._last, np.array(last, np.bool_)])
        codes.texts, codes.records = [], []
        return True
