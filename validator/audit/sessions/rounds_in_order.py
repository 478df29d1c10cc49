"""Rounds of a document from all logs, in the order of play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints32
from validator.audit.applicability.waivers import Permits
from validator.audit.sessions.event_signature import Word
from validator.audit.sessions.play_order import Order, in_order
from validator.audit.sessions.seat_history import Seated, seated
from validator.audit.sessions.session_rows import Rows, together
from validator.evidence.columns.batch import Coded
from validator.evidence.columns.times import time_text
from validator.results.findings import Where

_MICROSECONDS_PER_MINUTE = 60_000_000


class Gathered(Struct, frozen=True, kw_only=True):
    """Rounds in the order of play. Every array has one entry for each round, in that order."""

    parts: Sequence[Rows]
    """Rows of the logs and blocks."""
    part: Ints32
    """Index of the part that holds each round."""
    within: Ints
    """Index of each round in its part."""
    order: Order
    """Order of play, with gaps."""
    casino: Coded
    table: Coded
    deck: Coded
    time: Ints
    """Time in microseconds since 1970-01-01 UTC, which orders sessions and measures durations."""
    clock: Ints
    """Time in microseconds by the clock of the log, which people read."""
    dated: Codes
    """Precision of the clock, as in `Batch`."""
    words: Sequence[Word]
    """Distinct event sequences."""
    word: Ints
    """Index of each round's sequence."""
    seats: Seated | None
    """History of the seats, if a requirement compares players."""
    version: Ints32
    """Number of the version of each round, as in `Versions`."""
    _starts: dict[int, Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.part)

    def column(self, requirement: str, name: str) -> NDArray[Any] | None:
        """Return a column of a requirement in the order of play; None if there is none."""
        parts = [rows.shows[requirement].get(name) for rows in self.parts]
        found = [values for values in parts if values is not None]
        return np.concatenate(found)[self.order.rows] if found else None

    def seat_column(self, requirement: str, name: str) -> NDArray[Any]:
        """Return a column of a requirement for each seat, in the order of play."""
        assert self.seats is not None
        return np.concatenate([rows.seats_show[requirement][name] for rows in self.parts])[self.seats.rows]

    def decks_named(self) -> tuple[Ints, Ints32]:
        """Return the rounds with events of named decks, and the codes of these decks.

        Returns:
            int64[m], int32[m].
        """
        codes = {name: code for code, name in enumerate(self.deck.names)}
        of_words = [np.array([codes[deck] for deck in sorted(sequence.decks)], np.int32) for sequence in self.words]
        counts = np.array([len(decks) for decks in of_words], np.int64)[self.word]
        at = np.repeat(np.arange(len(self), dtype=np.int64), counts)
        named = [of_words[sequence] for sequence in self.word[counts > 0].tolist()]
        return at, np.concatenate([np.zeros(0, np.int32), *named])

    def event(self, place: int, token: int) -> int:
        """Return the number in its round of the event of a token."""
        part = int(self.part[place])
        if part not in self._starts:
            self._starts[part] = self.parts[part].journal.starts()
        start = int(self._starts[part][self.within[place]])
        return int(self.parts[part].journal.numbers[start + token])

    def name(self, place: int) -> str:
        """Return the id of a round."""
        return self.parts[self.part[place]].round[int(self.within[place])]

    def where(self, place: int, event: int | None = None) -> Where:
        """Return the place of a round, as findings show it."""
        rows, at = self.parts[self.part[place]], int(self.within[place])
        return Where(
            file=rows.file.text(at),
            line=int(rows.line[at]),
            casino=self.casino.text(place),
            table=self.table.text(place),
            round=self.name(place),
            time=time_text(int(rows.time[at]), int(rows.offset[at]), int(rows.dated[at])),
            event=event,
        )

    def line(self) -> Ints:
        """Return the line of each round in its log.

        Returns:
            int64[rounds].
        """
        return np.concatenate([rows.line for rows in self.parts])[self.order.rows]

    def other_version(self, place: int) -> str | None:
        """Return where another version of a round is recorded."""
        versions = self.parts[self.part[place]].versions
        return None if versions is None else versions.other.text(int(self.within[place]))

    def permits(self, place: int) -> Permits:
        """Return the waivers that apply to a round."""
        return self.parts[self.part[place]].permits


def gathered(parts: Sequence[Rows], whole: Order | None = None) -> Gathered:
    """Order the rows of one document, from any number of logs and blocks.

    Args:
        whole: order of the rounds among others of their tables, whose gaps it shows.
    """
    casino = together([batch_rows.casino for batch_rows in parts])
    table = together([batch_rows.table for batch_rows in parts])
    deck = together([*(batch_rows.deck for batch_rows in parts), _decks_in_sequences(parts)])
    rounds = sum(map(len, parts))
    part = np.repeat(np.arange(len(parts), dtype=np.int32), [len(batch_rows) for batch_rows in parts])
    clock = np.concatenate([batch_rows.time for batch_rows in parts])
    time = clock - _MICROSECONDS_PER_MINUTE * np.concatenate([batch_rows.offset for batch_rows in parts]).astype(
        np.int64
    )
    files = {
        name: place
        for place, name in enumerate(sorted({name for batch_rows in parts for name in batch_rows.file.names}))
    }
    file = np.concatenate(
        [
            np.array([files[name] for name in batch_rows.file.names], np.int64)[batch_rows.file.codes]
            for batch_rows in parts
        ]
    )
    line = np.concatenate([batch_rows.line for batch_rows in parts])
    number = np.concatenate([batch_rows.number for batch_rows in parts])
    order = in_order(
        casino=casino.codes,
        table=table.codes,
        time=time,
        number=number,
        ties=(file, line),
        name=np.concatenate([batch_rows.name for batch_rows in parts]),
        after=np.concatenate([batch_rows.after for batch_rows in parts]),
    )
    order = order if whole is None else order.as_part_of(whole)
    within = np.concatenate([np.arange(len(batch_rows), dtype=np.int64) for batch_rows in parts])
    sequences, word = _merge_sequences(parts)
    rows = order.rows
    return Gathered(
        parts=parts,
        part=part[rows],
        within=within[rows],
        order=order,
        casino=Coded(codes=casino.codes[rows], names=casino.names),
        table=Coded(codes=table.codes[rows], names=table.names),
        deck=Coded(codes=deck.codes[:rounds][rows], names=deck.names),
        time=time[rows],
        clock=clock[rows],
        dated=np.concatenate([batch_rows.dated for batch_rows in parts])[rows],
        words=sequences,
        word=word[rows],
        seats=_build_history(parts, order, np.array([sequence.breaks_off for sequence in sequences], bool)[word[rows]]),
        version=np.concatenate(
            [
                np.zeros(len(batch_rows), np.int32) if batch_rows.versions is None else batch_rows.versions.number
                for batch_rows in parts
            ]
        )[rows],
    )


def _build_history(parts: Sequence[Rows], order: Order, stops: Flags) -> Seated | None:
    seats = [batch_rows.seats for batch_rows in parts if batch_rows.seats is not None]
    if len(seats) < len(parts):
        return None
    return seated(seats, [len(batch_rows) for batch_rows in parts], order, stops)


def _decks_in_sequences(parts: Sequence[Rows]) -> Coded:
    names = sorted({deck for batch_rows in parts for sequence in batch_rows.journal.words for deck in sequence.decks})
    return Coded(codes=np.zeros(0, np.int32), names=tuple(names))


def _merge_sequences(parts: Sequence[Rows]) -> tuple[list[Word], Ints]:
    """Return the distinct event sequences, and the sequence of each round in the order of the parts.

    Returns:
        The sequences; int64[rounds].
    """
    index: dict[Word, int] = {}
    columns = []
    for batch_rows in parts:
        codes = np.array(
            [index.setdefault(sequence, len(index)) for sequence in batch_rows.journal.words] or [ABSENT], np.int64
        )
        columns.append(codes[batch_rows.journal.word])
    return list(index), np.concatenate(columns)
