"""Rounds as sessions see them: a few numbers each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Flags, Identities, Ints, Ints16, Ints32
from validator.audit.applicability.waivers import Permits
from validator.audit.sessions.event_signature import Word
from validator.audit.sessions.seat_history import SeatRows, seats_at
from validator.evidence.columns.batch import Coded, Versions
from validator.evidence.columns.tables import rows

Columns = Mapping[str, NDArray[Any]]
"""What rounds show of one requirement: arrays of one entry a round, by name."""


class Texts:
    """Many short texts, held as one."""

    __slots__ = ("_data", "_ends")

    def __init__(self, texts: Sequence[str]) -> None:
        # A name out of JSON may hold half a character.
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        self._data = b"".join(encoded)
        self._ends = np.fromiter(accumulate(map(len, encoded)), np.int32, len(encoded))

    def __getitem__(self, index: int) -> str:
        start = 0 if index == 0 else int(self._ends[index - 1])
        return self._data[start : int(self._ends[index])].decode("utf-8", "surrogatepass")

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def stored(self) -> tuple[bytes, Ints32]:
        """All of them as one, and int32[n], where each ends."""
        return self._data, self._ends

    @classmethod
    def of(cls, data: bytes, ends: Ints32) -> Texts:
        """Texts as they were `stored`. Raises ValueError where these are none."""
        lengths = np.diff(ends, prepend=np.int32(0))
        if (lengths < 0).any() or len(data) != (ends[-1] if len(ends) else 0):
            raise ValueError("texts end where there are none")
        found = cls(())
        found._data, found._ends = data, ends
        return found

    def at(self, places: Ints) -> Texts:
        """Some of them."""
        starts = np.concatenate([np.zeros(1, np.int32), self._ends[:-1]])[places]
        ends = self._ends[places]
        found = Texts(())
        found._data = b"".join([self._data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
        found._ends = np.cumsum(ends - starts, dtype=np.int32)
        return found


class Journal(Struct, frozen=True, kw_only=True):
    """The words of some rounds: `word` is int32[rounds], an index into `words`; `numbers` int16, the number in its
    round (from 1) of the event behind every symbol of every word, round after round."""

    words: tuple[Word, ...]
    word: Ints32
    numbers: Ints16

    def starts(self) -> Ints:
        """int64[rounds]: where the numbers of each round begin."""
        lengths = np.array([len(word.symbols) for word in self.words], np.int64)
        return np.cumsum(lengths[self.word]) - lengths[self.word] if len(self.word) else np.zeros(0, np.int64)

    def at(self, places: Ints) -> Journal:
        """Those of some of the rounds."""
        lengths = np.array([len(word.symbols) for word in self.words], np.int64)[self.word[places]]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        numbers = self.numbers[np.repeat(self.starts()[places], lengths) + within]
        return Journal(words=self.words, word=self.word[places], numbers=numbers)


class Rows(Struct, frozen=True, kw_only=True):
    """Rounds of one log and game, for which the same is permitted. Arrays have one entry a round, in the order of the
    log.

    `time`, `dated`, `offset`, `number` and `deck` are as in `Batch`; `name` and `after` are uint64, numbers that stand
    for the id of each round and for that of the one it names as the one before, 0 for none; `shows` is by requirement.
    `seats` are there where players are judged by themselves; `seats_show` has an entry a seat.
    """

    document: str
    file: Coded
    permits: Permits
    casino: Coded
    table: Coded
    deck: Coded
    time: Ints
    dated: Codes
    offset: Ints16
    number: Ints32
    line: Ints
    round: Texts
    name: Identities
    after: Identities
    seats: SeatRows | None
    journal: Journal
    shows: Mapping[str, Columns]
    seats_show: Mapping[str, Columns]
    versions: Versions | None = None
    """As in `Batch`."""

    def __len__(self) -> int:
        return len(self.number)

    def at(self, places: Ints) -> Rows:
        """Some of the rounds, given in ascending order."""
        if len(places) == len(self):
            return self
        seats, seat_places = (None, places[:0]) if self.seats is None else seats_at(self.seats, places, len(self))
        return replace(
            self,
            **{name: _coded_at(getattr(self, name), places) for name in ("file", "casino", "table", "deck")},
            **{name: getattr(self, name)[places] for name in _OF_ROUNDS if name != "round"},
            round=self.round.at(places),
            seats=seats,
            journal=self.journal.at(places),
            shows=_shown_at(self.shows, places),
            seats_show=_shown_at(self.seats_show, seat_places),
            versions=None if self.versions is None else rows(self.versions, places),
        )

    def in_version(self, version: int, *, most: int) -> Flags:
        """Return the rounds that are looked at together with a version, bool[rounds].

        They are those with a single version; of all others that version, or the last one of a round that has fewer.
        Version `most` holds all beyond it as well, and 0 none.
        """
        if self.versions is None:
            return np.ones(len(self), bool)
        number, last = self.versions.number, self.versions.last
        chosen = (number == 0) | ((number == version) & (version > 0)) | (last & (number > 0) & (number < version))
        return chosen | ((number > version) & (version == most))

    @property
    def is_sound(self) -> bool:
        """Whether all columns fit each other, as they do where they were made and may not where they were stored."""
        rounds = len(self)
        seats = 0 if self.seats is None else len(self.seats.round)
        codes = [self.file, self.casino, self.table, self.deck]
        lengths = np.array([len(word.symbols) for word in self.journal.words], np.int64)
        words = self.journal.word
        return (
            all(len(one.codes) == rounds and _within(one.codes, ABSENT, len(one.names)) for one in codes)
            and all(len(getattr(self, name)) == rounds for name in _OF_ROUNDS)
            and len(words) == rounds
            and _within(words, 0, len(lengths))
            and len(self.journal.numbers) == (lengths[words].sum() if rounds else 0)
            and all(len(column) == rounds for columns in self.shows.values() for column in columns.values())
            and all(len(column) == seats for columns in self.seats_show.values() for column in columns.values())
            and (self.seats is None or (_within(self.seats.round, 0, rounds) and self.seats.is_sound))
            and (self.versions is None or _fit(self.versions, rounds))
        )

    def of(self, requirements: Collection[str], *, seats: bool) -> Rows:
        """The rounds with what they show of some requirements, and their seats if those are asked for."""
        return replace(
            self,
            seats=self.seats if seats else None,
            shows={name: columns for name, columns in self.shows.items() if name in requirements},
            seats_show={name: columns for name, columns in self.seats_show.items() if name in requirements},
        )


def _fit(versions: Versions, rounds: int) -> bool:
    other = versions.other
    lengths = {len(one) for one in (versions.number, versions.last, other.codes)}
    return lengths == {rounds} and _within(other.codes, ABSENT, len(other.names))


_OF_ROUNDS = ("time", "dated", "offset", "number", "line", "round", "name", "after")


def _within(codes: NDArray[np.integer], least: int, end: int) -> bool:
    return not len(codes) or bool(least <= codes.min() and codes.max() < end)


def _coded_at(column: Coded, places: Ints) -> Coded:
    return Coded(codes=column.codes[places], names=column.names)


def _shown_at(shows: Mapping[str, Columns], places: Ints) -> Mapping[str, Columns]:
    return {name: dict(_cut(columns, places)) for name, columns in shows.items()}


def _cut(columns: Columns, places: Ints) -> Iterator[tuple[str, NDArray[Any]]]:
    """Columns at some places. Bounds that are known are one column twice, one behind the other, and stay so."""
    last, found = None, None
    for name, column in columns.items():
        if found is None or column is not last:
            last, found = column, column[places]
        yield name, found


def together(columns: Sequence[Coded]) -> Coded:
    """Columns of text one behind the other, coded alike; names are in alphabetical order."""
    names = sorted({name for column in columns for name in column.names})
    codes = {name: code for code, name in enumerate(names)}
    parts = [np.array([*(codes[name] for name in column.names), ABSENT], np.int32)[column.codes] for column in columns]
    return Coded(codes=np.concatenate([np.zeros(0, np.int32), *parts]), names=tuple(names))
