"""Rounds of a document put together, in the order of play."""

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

_MINUTE = 60_000_000


class Gathered(Struct, frozen=True, kw_only=True):
    """Rounds in the order of play; every array has one entry a round, in that order.

    `part` int32 and `within` int64 say where a round stands: in which of `parts`, and where in it. `word` is int64,
    an index into `words`; `time` int64, microseconds since 1970-01-01 of UTC, by which sessions are ordered and
    lengths measured, `clock` the same by the clock of the log, which people read, as far as `dated` (uint8) says.
    `seats` are there where players are
    judged by themselves.
    """

    parts: Sequence[Rows]
    part: Ints32
    within: Ints
    order: Order
    casino: Coded
    table: Coded
    deck: Coded
    time: Ints
    clock: Ints
    dated: Codes
    words: Sequence[Word]
    word: Ints
    seats: Seated | None
    version: Ints32
    """int32[rounds]: the number of each version, as in `Versions`."""
    _starts: dict[int, Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.part)

    def column(self, requirement: str, name: str) -> NDArray[Any] | None:
        """What the rounds show of a requirement under a name; None where nothing is shown."""
        parts = [one.shows[requirement].get(name) for one in self.parts]
        found = [one for one in parts if one is not None]
        return np.concatenate(found)[self.order.rows] if found else None

    def seat_column(self, requirement: str, name: str) -> NDArray[Any]:
        """What the seats show of a requirement under a name, in the order of play."""
        assert self.seats is not None
        return np.concatenate([one.seats_show[requirement][name] for one in self.parts])[self.seats.rows]

    def decks_named(self) -> tuple[Ints, Ints32]:
        """int64[m], int32[m]: rounds in which something happens to a deck that is named, and that deck's code."""
        codes = {name: code for code, name in enumerate(self.deck.names)}
        of_words = [np.array([codes[deck] for deck in sorted(word.decks)], np.int32) for word in self.words]
        counts = np.array([len(decks) for decks in of_words], np.int64)[self.word]
        at = np.repeat(np.arange(len(self), dtype=np.int64), counts)
        named = [of_words[word] for word in self.word[counts > 0].tolist()]
        return at, np.concatenate([np.zeros(0, np.int32), *named])

    def event(self, place: int, symbol: int) -> int:
        """The number in its round of the event behind a symbol of the round's word."""
        part = int(self.part[place])
        if part not in self._starts:
            self._starts[part] = self.parts[part].journal.starts()
        start = int(self._starts[part][self.within[place]])
        return int(self.parts[part].journal.numbers[start + symbol])

    def name(self, place: int) -> str:
        """The id of a round."""
        return self.parts[self.part[place]].round[int(self.within[place])]

    def where(self, place: int, event: int | None = None) -> Where:
        """The place of a round, as findings show it."""
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
        """Return the line of each round in its log, int64[rounds]."""
        return np.concatenate([one.line for one in self.parts])[self.order.rows]

    def other_version(self, place: int) -> str | None:
        """Return where another version of a round is recorded."""
        versions = self.parts[self.part[place]].versions
        return None if versions is None else versions.other.text(int(self.within[place]))

    def permits(self, place: int) -> Permits:
        """What is permitted for a round."""
        return self.parts[self.part[place]].permits


def gathered(parts: Sequence[Rows], whole: Order | None = None) -> Gathered:
    """Put rows of one document in the order of play, from any number of logs and blocks; `whole` is the order of the
    rounds where others of their tables are judged apart from them."""
    casino = together([one.casino for one in parts])
    table = together([one.table for one in parts])
    deck = together([*(one.deck for one in parts), _named_in_words(parts)])
    rounds = sum(map(len, parts))
    part = np.repeat(np.arange(len(parts), dtype=np.int32), [len(one) for one in parts])
    clock = np.concatenate([one.time for one in parts])
    time = clock - _MINUTE * np.concatenate([one.offset for one in parts]).astype(np.int64)
    files = {name: place for place, name in enumerate(sorted({name for one in parts for name in one.file.names}))}
    file = np.concatenate(
        [np.array([files[name] for name in one.file.names], np.int64)[one.file.codes] for one in parts]
    )
    line = np.concatenate([one.line for one in parts])
    number = np.concatenate([one.number for one in parts])
    order = in_order(
        casino=casino.codes,
        table=table.codes,
        time=time,
        number=number,
        ties=(file, line),
        name=np.concatenate([one.name for one in parts]),
        after=np.concatenate([one.after for one in parts]),
    )
    order = order if whole is None else order.as_part_of(whole)
    within = np.concatenate([np.arange(len(one), dtype=np.int64) for one in parts])
    words, word = _words(parts)
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
        dated=np.concatenate([one.dated for one in parts])[rows],
        words=words,
        word=word[rows],
        seats=_seated(parts, order, np.array([one.breaks_off for one in words], bool)[word[rows]]),
        version=np.concatenate(
            [np.zeros(len(one), np.int32) if one.versions is None else one.versions.number for one in parts]
        )[rows],
    )


def _seated(parts: Sequence[Rows], order: Order, stops: Flags) -> Seated | None:
    seats = [one.seats for one in parts if one.seats is not None]
    if len(seats) < len(parts):
        return None
    return seated(seats, [len(one) for one in parts], order, stops)


def _named_in_words(parts: Sequence[Rows]) -> Coded:
    names = sorted({deck for one in parts for word in one.journal.words for deck in word.decks})
    return Coded(codes=np.zeros(0, np.int32), names=tuple(names))


def _words(parts: Sequence[Rows]) -> tuple[list[Word], Ints]:
    """All words, and int64[rounds] which each round has, in the order of the parts."""
    index: dict[Word, int] = {}
    columns = []
    for one in parts:
        codes = np.array([index.setdefault(word, len(index)) for word in one.journal.words] or [ABSENT], np.int64)
        columns.append(codes[one.journal.word])
    return list(index), np.concatenate(columns)
