"""Rounds reduced to the columns that requirements on sessions use."""

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
"""Columns of one requirement by name, with one entry for each round."""


class Texts:
    """Many short texts in one byte string."""

    __slots__ = ("_data", "_ends")

    def __init__(self, texts: Sequence[str]) -> None:
        # A name in JSON may contain a lone surrogate.
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
        """All texts in one byte string, and int32[n], the end of each."""
        return self._data, self._ends

    @classmethod
    def of(cls, data: bytes, ends: Ints32) -> Texts:
        """Restore texts from their stored form. Raises ValueError if the ends are not valid."""
        lengths = np.diff(ends, prepend=np.int32(0))
        if (lengths < 0).any() or len(data) != (ends[-1] if len(ends) else 0):
            raise ValueError("the ends of texts do not fit their bytes")
        texts = cls(())
        texts._data, texts._ends = data, ends
        return texts

    def at(self, places: Ints) -> Texts:
        """Select some texts."""
        starts = np.concatenate([np.zeros(1, np.int32), self._ends[:-1]])[places]
        ends = self._ends[places]
        texts = Texts(())
        texts._data = b"".join([self._data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
        texts._ends = np.cumsum(ends - starts, dtype=np.int32)
        return texts


class Journal(Struct, frozen=True, kw_only=True):
    """Event sequences of some rounds."""

    words: tuple[Word, ...]
    """Distinct sequences."""
    word: Ints32
    """Index of each round's sequence."""
    numbers: Ints16
    """Number in its round, from 1, of the event of every token of every round."""

    def starts(self) -> Ints:
        """Return where the numbers of each round begin.

        Returns:
            int64[rounds].
        """
        lengths = np.array([len(sequence.symbols) for sequence in self.words], np.int64)
        return np.cumsum(lengths[self.word]) - lengths[self.word] if len(self.word) else np.zeros(0, np.int64)

    def at(self, places: Ints) -> Journal:
        """Select some of the rounds."""
        lengths = np.array([len(sequence.symbols) for sequence in self.words], np.int64)[self.word[places]]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        numbers = self.numbers[np.repeat(self.starts()[places], lengths) + within]
        return Journal(words=self.words, word=self.word[places], numbers=numbers)


class Rows(Struct, frozen=True, kw_only=True):
    """Rounds of one log and game with the same waivers. Arrays have one entry for each round, in the order of the log.

    `time`, `dated`, `offset`, `number` and `deck` are as in `Batch`.
    """

    document: str
    file: Coded
    permits: Permits
    """Waivers that apply."""
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
    """Hash of the id of each round."""
    after: Identities
    """Hash of the id of the previous round that each round names; 0 for none."""
    seats: SeatRows | None
    """Seats, if a requirement compares players."""
    journal: Journal
    """Event sequences."""
    shows: Mapping[str, Columns]
    """Columns of rounds by requirement."""
    seats_show: Mapping[str, Columns]
    """Columns of seats by requirement."""
    versions: Versions | None = None
    """Versions of rounds, as in `Batch`."""

    def __len__(self) -> int:
        return len(self.number)

    def at(self, places: Ints) -> Rows:
        """Select some rounds, given in ascending order."""
        if len(places) == len(self):
            return self
        seats, seat_places = (None, places[:0]) if self.seats is None else seats_at(self.seats, places, len(self))
        return replace(
            self,
            **{name: _select_coded(getattr(self, name), places) for name in ("file", "casino", "table", "deck")},
            **{name: getattr(self, name)[places] for name in _ROUND_COLUMNS if name != "round"},
            round=self.round.at(places),
            seats=seats,
            journal=self.journal.at(places),
            shows=_select_columns_of(self.shows, places),
            seats_show=_select_columns_of(self.seats_show, seat_places),
            versions=None if self.versions is None else rows(self.versions, places),
        )

    def in_version(self, version: int, *, most: int) -> Flags:
        """Return the rounds that are evaluated together with a version.

        They are the rounds with a single version and, of each other round, that version, or the last one if it has
        fewer. Version `most` includes all later versions, and version 0 none.

        Returns:
            bool[rounds].
        """
        if self.versions is None:
            return np.ones(len(self), bool)
        number, last = self.versions.number, self.versions.last
        chosen = (number == 0) | ((number == version) & (version > 0)) | (last & (number > 0) & (number < version))
        return chosen | ((number > version) & (version == most))

    @property
    def is_sound(self) -> bool:
        """True if all columns are consistent; rows that were stored may not be."""
        rounds = len(self)
        seats = 0 if self.seats is None else len(self.seats.round)
        codes = [self.file, self.casino, self.table, self.deck]
        lengths = np.array([len(sequence.symbols) for sequence in self.journal.words], np.int64)
        sequences = self.journal.word
        return (
            all(
                len(column.codes) == rounds and _are_codes_within(column.codes, ABSENT, len(column.names))
                for column in codes
            )
            and all(len(getattr(self, name)) == rounds for name in _ROUND_COLUMNS)
            and len(sequences) == rounds
            and _are_codes_within(sequences, 0, len(lengths))
            and len(self.journal.numbers) == (lengths[sequences].sum() if rounds else 0)
            and all(len(column) == rounds for columns in self.shows.values() for column in columns.values())
            and all(len(column) == seats for columns in self.seats_show.values() for column in columns.values())
            and (self.seats is None or (_are_codes_within(self.seats.round, 0, rounds) and self.seats.is_sound))
            and (self.versions is None or _are_consistent_versions(self.versions, rounds))
        )

    def of(self, requirements: Collection[str], *, seats: bool) -> Rows:
        """Return the rounds with the columns of some requirements, and with their seats on request."""
        return replace(
            self,
            seats=self.seats if seats else None,
            shows={name: columns for name, columns in self.shows.items() if name in requirements},
            seats_show={name: columns for name, columns in self.seats_show.items() if name in requirements},
        )


def _are_consistent_versions(versions: Versions, rounds: int) -> bool:
    other = versions.other
    lengths = {len(column) for column in (versions.number, versions.last, other.codes)}
    return lengths == {rounds} and _are_codes_within(other.codes, ABSENT, len(other.names))


_ROUND_COLUMNS = ("time", "dated", "offset", "number", "line", "round", "name", "after")


def _are_codes_within(codes: NDArray[np.integer], least: int, end: int) -> bool:
    return not len(codes) or bool(least <= codes.min() and codes.max() < end)


def _select_coded(column: Coded, places: Ints) -> Coded:
    return Coded(codes=column.codes[places], names=column.names)


def _select_columns_of(shows: Mapping[str, Columns], places: Ints) -> Mapping[str, Columns]:
    return {name: dict(_select_values(columns, places)) for name, columns in shows.items()}


def _select_values(columns: Columns, places: Ints) -> Iterator[tuple[str, NDArray[Any]]]:
    """Select places of columns. Known bounds are one array under two consecutive names, and remain one array."""
    last, selected = None, None
    for name, column in columns.items():
        if selected is None or column is not last:
            last, selected = column, column[places]
        yield name, selected


def together(columns: Sequence[Coded]) -> Coded:
    """Concatenate text columns with common codes; names are in alphabetical order."""
    names = sorted({name for column in columns for name in column.names})
    codes = {name: code for code, name in enumerate(names)}
    parts = [np.array([*(codes[name] for name in column.names), ABSENT], np.int32)[column.codes] for column in columns]
    return Coded(codes=np.concatenate([np.zeros(0, np.int32), *parts]), names=tuple(names))
