"""Rounds reduced to what requirements on sessions use: a few columns, and a sequence of event tokens.

Rounds resemble each other, so there are few distinct sequences, and results on a sequence are computed once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Identities, Ints, Ints16, Ints32, find_distinct
from fairdeal.validator.audit.applicability.granted_waivers import ApplicableWaivers
from fairdeal.validator.audit.sessions.seat_history import SeatRows, select_seats
from fairdeal.validator.engine.core.kleene import UNKNOWN
from fairdeal.validator.evidence.columns.batch import CodedColumn, RecordVersions
from fairdeal.validator.evidence.columns.relations import take_rows

_CODED_COLUMNS = ("file", "casino", "table", "deck")
"""Columns of text."""
TABLE_OPENS = "table-opens"
ROUND_DEALT = "round-dealt"
OCCASIONS = (TABLE_OPENS, ROUND_DEALT)
"""Occasions that may start an obligation although they are no step: the table opens, or the dealing of a round ends."""


class EventToken(Struct, frozen=True):
    """Event that matters to requirements on sessions."""

    deck: str | None
    """Name of its deck; None for the deck in play."""
    steps: tuple[tuple[str, int], ...]
    """Steps it belongs to, each with UNKNOWN or YES."""
    misplaced: bool = False
    """True if a course reports it out of its place."""
    any_deck: bool = False
    """True if it may have happened to any deck."""

    def select_deck_steps(self, deck: str | None, *, in_play: bool | None) -> dict[str, int]:
        """Return the steps it belongs to for a table or a deck, with their certainty.

        Args:
            deck: name of the deck; None for a deck without a name.
            in_play: whether the round uses the deck; None for the table.
        """
        if in_play is None:
            return dict(self.steps)
        is_open = deck is None and in_play and self.deck is not None  # the deck in play may be the one it names
        if self.any_deck or is_open:
            return dict.fromkeys((step for step, _ in self.steps), UNKNOWN)
        return dict(self.steps) if (in_play if self.deck is None else self.deck == deck) else {}


class EventSequence(Struct, frozen=True, dict=True):
    """Tokens of a round, with the limits of its record."""

    tokens: tuple[EventToken, ...]
    """Tokens in order."""
    unrecorded: frozenset[str] = frozenset()
    """Steps whose events the log does not record in the round."""
    breaks_off: bool = False
    """True if the record stops early, so that any events may have followed."""

    @cached_property
    def decks(self) -> frozenset[str]:
        """Decks that the tokens name."""
        return frozenset(token.deck for token in self.tokens if token.deck is not None)

    @cached_property
    def has_any_deck(self) -> bool:
        """True if an event does not name its deck and may have happened to any."""
        return any(token.any_deck for token in self.tokens)


EMPTY_SEQUENCE = EventSequence(())
"""Sequence of a round without such events."""


Columns = Mapping[str, NDArray[Any]]
"""Columns of one requirement by name, with one entry for each round."""


class TextColumn:
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
    def restore(cls, data: bytes, ends: Ints32) -> TextColumn:
        """Restore texts from their stored form. Raises ValueError if the ends are not valid."""
        lengths = np.diff(ends, prepend=np.int32(0))
        if (lengths < 0).any() or len(data) != (ends[-1] if len(ends) else 0):
            raise ValueError("the ends of texts do not fit their bytes")
        texts = cls(())
        texts._data, texts._ends = data, ends
        return texts

    def select(self, places: Ints) -> TextColumn:
        """Select some texts."""
        starts = np.concatenate([np.zeros(1, np.int32), self._ends[:-1]])[places]
        ends = self._ends[places]
        texts = TextColumn(())
        texts._data = b"".join([self._data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
        texts._ends = np.cumsum(ends - starts, dtype=np.int32)
        return texts


class EventLog(Struct, frozen=True, kw_only=True):
    """Event sequences of some rounds."""

    sequences: tuple[EventSequence, ...]
    """Distinct sequences."""
    sequence_index: Ints32
    """Index of each round's sequence."""
    numbers: Ints16
    """Number in its round, from 1, of the event of every token of every round."""

    def starts(self) -> Ints:
        """Return where the numbers of each round begin.

        Returns:
            int64[rounds].
        """
        lengths = np.array([len(sequence.tokens) for sequence in self.sequences], np.int64)
        return (
            np.cumsum(lengths[self.sequence_index]) - lengths[self.sequence_index]
            if len(self.sequence_index)
            else np.zeros(0, np.int64)
        )

    def select(self, places: Ints) -> EventLog:
        """Select some of the rounds."""
        lengths = np.array([len(sequence.tokens) for sequence in self.sequences], np.int64)[self.sequence_index[places]]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        numbers = self.numbers[np.repeat(self.starts()[places], lengths) + within]
        return EventLog(sequences=self.sequences, sequence_index=self.sequence_index[places], numbers=numbers)


class SessionRows(Struct, frozen=True, kw_only=True):
    """Rounds of one log and game with the same waivers. Arrays have one entry for each round, in the order of the log.

    `time`, `dated`, `offset`, `number` and `deck` are as in `Batch`.
    """

    document: str
    file: CodedColumn
    waivers: ApplicableWaivers
    """Waivers that apply."""
    casino: CodedColumn
    table: CodedColumn
    deck: CodedColumn
    time: Ints
    dated: Codes
    offset: Ints16
    number: Ints32
    line: Ints
    round: TextColumn
    name: Identities
    """Hash of the id of each round."""
    after: Identities
    """Hash of the id of the previous round that each round names; 0 for none."""
    seats: SeatRows | None
    """Seats, if a requirement compares players."""
    event_log: EventLog
    """Event sequences."""
    round_columns: Mapping[str, Columns]
    """Columns of rounds by requirement."""
    seat_columns: Mapping[str, Columns]
    """Columns of seats by requirement."""
    versions: RecordVersions | None = None
    """Versions of rounds, as in `Batch`."""

    def __len__(self) -> int:
        return len(self.number)

    def select(self, places: Ints) -> SessionRows:
        """Select some rounds, given in ascending order."""
        if len(places) == len(self):
            return self
        seats, seat_places = (None, places[:0]) if self.seats is None else select_seats(self.seats, places, len(self))
        return replace(
            self,
            **{name: _select_coded(getattr(self, name), places) for name in _CODED_COLUMNS},
            **{name: getattr(self, name)[places] for name in _ROUND_COLUMNS if name != "round"},
            round=self.round.select(places),
            seats=seats,
            event_log=self.event_log.select(places),
            round_columns=_select_columns_of(self.round_columns, places),
            seat_columns=_select_columns_of(self.seat_columns, seat_places),
            versions=None if self.versions is None else take_rows(self.versions, places),
        )

    def drop_unused_names(self) -> SessionRows:
        """Return the rounds with columns of text that list no name without a round."""
        return replace(self, **{name: _drop_unused(getattr(self, name)) for name in _CODED_COLUMNS})

    def find_rounds_of_version(self, version: int, *, most: int) -> Flags:
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
        lengths = np.array([len(sequence.tokens) for sequence in self.event_log.sequences], np.int64)
        sequences = self.event_log.sequence_index
        return (
            all(
                len(column.codes) == rounds and _are_codes_within(column.codes, ABSENT, len(column.names))
                for column in codes
            )
            and all(len(getattr(self, name)) == rounds for name in _ROUND_COLUMNS)
            and len(sequences) == rounds
            and _are_codes_within(sequences, 0, len(lengths))
            and len(self.event_log.numbers) == (lengths[sequences].sum() if rounds else 0)
            and all(len(column) == rounds for columns in self.round_columns.values() for column in columns.values())
            and all(len(column) == seats for columns in self.seat_columns.values() for column in columns.values())
            and (self.seats is None or (_are_codes_within(self.seats.round, 0, rounds) and self.seats.is_sound))
            and (self.versions is None or _are_consistent_versions(self.versions, rounds))
        )

    def restrict(self, requirements: Collection[str], *, seats: bool) -> SessionRows:
        """Return the rounds with the columns of some requirements, and with their seats on request."""
        return replace(
            self,
            seats=self.seats if seats else None,
            round_columns={name: columns for name, columns in self.round_columns.items() if name in requirements},
            seat_columns={name: columns for name, columns in self.seat_columns.items() if name in requirements},
        )


def _are_consistent_versions(versions: RecordVersions, rounds: int) -> bool:
    other = versions.other
    lengths = {len(column) for column in (versions.number, versions.last, other.codes)}
    return lengths == {rounds} and _are_codes_within(other.codes, ABSENT, len(other.names))


_ROUND_COLUMNS = ("time", "dated", "offset", "number", "line", "round", "name", "after")


def _are_codes_within(codes: NDArray[np.integer], least: int, end: int) -> bool:
    return not len(codes) or bool(least <= codes.min() and codes.max() < end)


def _drop_unused(column: CodedColumn) -> CodedColumn:
    used = find_distinct(column.codes[column.codes >= 0])
    if len(used) == len(column.names):
        return column
    codes = np.where(column.codes < 0, ABSENT, np.searchsorted(used, column.codes)).astype(np.int32)
    return CodedColumn(codes=codes, names=tuple([column.names[code] for code in used.tolist()]))


def _select_coded(column: CodedColumn, places: Ints) -> CodedColumn:
    return CodedColumn(codes=column.codes[places], names=column.names)


def _select_columns_of(shows: Mapping[str, Columns], places: Ints) -> Mapping[str, Columns]:
    return {name: dict(_select_values(columns, places)) for name, columns in shows.items()}


def _select_values(columns: Columns, places: Ints) -> Iterator[tuple[str, NDArray[Any]]]:
    """Select places of columns. Known bounds are one array under two consecutive names, and remain one array."""
    last, selected = None, None
    for name, column in columns.items():
        if selected is None or column is not last:
            last, selected = column, column[places]
        yield name, selected


def concatenate_coded(columns: Sequence[CodedColumn]) -> CodedColumn:
    """Concatenate text columns with common codes; names are in alphabetical order."""
    names = sorted({name for column in columns for name in column.names})
    codes = {name: code for code, name in enumerate(names)}
    parts = [np.array([*(codes[name] for name in column.names), ABSENT], np.int32)[column.codes] for column in columns]
    return CodedColumn(codes=np.concatenate([np.zeros(0, np.int32), *parts]), names=tuple(names))
