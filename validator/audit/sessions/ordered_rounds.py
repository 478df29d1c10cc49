"""Rounds of a document from all logs in the order of play: sessions and their gaps, outcomes of checks, and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints32, Statuses, Truths, list_owners, make_offsets
from fairdeal.validator.audit.granted_waivers import ApplicableWaivers
from fairdeal.validator.audit.sessions import carried_results, play_order, session_rows
from fairdeal.validator.audit.sessions.play_order import SeatHistory, build_seat_history
from fairdeal.validator.audit.status_codes import BREAKS_OFF, NO_EVENTS, NOT_APPLICABLE, PASS, FindingDetails
from fairdeal.validator.engine.core.compiled_game import KeyedCache
from fairdeal.validator.engine.core.kleene import NO, YES, constant
from fairdeal.validator.evidence.columns.log_draft import convert_to_utc, format_time
from fairdeal.validator.evidence.columns.round_batch import DAY, UNDATED, CodedColumn
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.results.findings import EvidencePlace
from fairdeal.validator.results.results import SessionGap, TableSession
from fairdeal.validator.rules.requirement_model import Requirement


class OrderedRounds(Struct, frozen=True, kw_only=True):
    """Rounds in the order of play. Every array has one entry for each round, in that order."""

    parts: Sequence[session_rows.SessionRows]
    """Rows of the logs and blocks."""
    part: Ints32
    """Index of the part that holds each round."""
    within: Ints
    """Index of each round in its part."""
    order: play_order.PlayOrder
    """Order of play, with gaps."""
    casino: CodedColumn
    table: CodedColumn
    deck: CodedColumn
    time: Ints
    """Time in microseconds since 1970-01-01 UTC, which orders sessions and measures durations."""
    clock: Ints
    """Time in microseconds by the clock of the log, which people read."""
    dated: Codes
    """Precision of the clock, as in `Batch`."""
    sequences: Sequence[session_rows.EventSequence]
    """Distinct event sequences."""
    sequence_index: Ints
    """Index of each round's sequence."""
    seats: SeatHistory | None
    """History of the seats, if a requirement compares players."""
    version: Ints32
    """Number of the version of each round, as in `Versions`."""
    _starts: KeyedCache[int, Ints] = field(default_factory=KeyedCache)

    def __len__(self) -> int:
        return len(self.part)

    def column(self, requirement: str, name: str) -> NDArray[Any] | None:
        """Return a column of a requirement in the order of play; None if there is none."""
        parts = [rows.round_columns[requirement].get(name) for rows in self.parts]
        found = [values for values in parts if values is not None]
        return np.concatenate(found)[self.order.rows] if found else None

    def seat_column(self, requirement: str, name: str) -> NDArray[Any]:
        """Return a column of a requirement for each seat, in the order of play."""
        assert self.seats is not None
        return np.concatenate([rows.seat_columns[requirement][name] for rows in self.parts])[self.seats.rows]

    def list_named_decks(self) -> tuple[Ints, Ints32]:
        """Return the rounds with events of named decks, and the codes of these decks.

        Returns:
            int64[m], int32[m].
        """
        codes = {name: code for code, name in enumerate(self.deck.names)}
        of_words = [np.array([codes[deck] for deck in sorted(sequence.decks)], np.int32) for sequence in self.sequences]
        counts = np.array([len(decks) for decks in of_words], np.int64)[self.sequence_index]
        at = np.repeat(np.arange(len(self), dtype=np.int64), counts)
        named = [of_words[sequence] for sequence in self.sequence_index[counts > 0].tolist()]
        return at, np.concatenate([np.zeros(0, np.int32), *named])

    def event(self, place: int, token: int) -> int:
        """Return the number in its round of the event of a token."""
        part = int(self.part[place])
        start = int(self._starts.get_or_compute(part, self.parts[part].event_log.starts)[self.within[place]])
        return int(self.parts[part].event_log.numbers[start + token])

    def name(self, place: int) -> str:
        """Return the id of a round."""
        return self.parts[self.part[place]].round[int(self.within[place])]

    def where(self, place: int, event: int | None = None) -> EvidencePlace:
        """Return the place of a round, as findings show it."""
        rows, at = self.parts[self.part[place]], int(self.within[place])
        return EvidencePlace(
            file=rows.file.text(at),
            line=int(rows.line[at]),
            casino=self.casino.text(place),
            table=self.table.text(place),
            round=self.name(place),
            time=format_time(int(rows.time[at]), int(rows.offset[at]), int(rows.dated[at])),
            event=event,
        )

    def line(self) -> Ints:
        """Return the line of each round in its log.

        Returns:
            int64[rounds].
        """
        return session_rows.concatenate_column(self.parts, "line")[self.order.rows]

    def other_version(self, place: int) -> str | None:
        """Return where another version of a round is recorded."""
        versions = self.parts[self.part[place]].versions
        return None if versions is None else versions.other.text(int(self.within[place]))

    def get_waivers(self, place: int) -> ApplicableWaivers:
        """Return the waivers that apply to a round."""
        return self.parts[self.part[place]].waivers


def order_rounds(parts: Sequence[session_rows.SessionRows], whole: play_order.PlayOrder | None = None) -> OrderedRounds:
    """Order the rows of one document, from any number of logs and blocks.

    Args:
        whole: order of the rounds among others of their tables, whose gaps it shows.
    """
    gather = partial(session_rows.concatenate_column, parts)
    casino, table, file = (
        session_rows.concatenate_coded([getattr(part, name) for part in parts]) for name in ("casino", "table", "file")
    )
    deck = session_rows.concatenate_coded([*(part.deck for part in parts), _decks_in_sequences(parts)])
    clock, sizes = gather("time"), np.array([len(part) for part in parts], np.int64)
    time = convert_to_utc(clock, gather("offset"))
    order = play_order.build_play_order(
        casino=casino.codes,
        table=table.codes,
        time=time,
        number=gather("number"),
        ties=(file.codes.astype(np.int64), gather("line")),
        name=gather("name"),
        after=gather("after"),
    )
    order = order if whole is None else order.with_gaps_of(whole)
    sequences, sequence_index = _merge_sequences(parts)
    versions = [np.zeros(len(part), np.int32) if part.versions is None else part.versions.number for part in parts]
    rows, owners = order.rows, list_owners(sizes)
    breaks_off = np.array([sequence.breaks_off for sequence in sequences], bool)[sequence_index[rows]]
    return OrderedRounds(
        parts=parts,
        part=owners[rows],
        within=(np.arange(len(owners)) - make_offsets(sizes)[owners])[rows],
        order=order,
        casino=casino.take(rows),
        table=table.take(rows),
        deck=deck.take(rows),
        time=time[rows],
        clock=clock[rows],
        dated=gather("dated")[rows],
        sequences=sequences,
        sequence_index=sequence_index[rows],
        seats=_build_history(parts, order, breaks_off),
        version=np.concatenate(versions)[rows],
    )


def _build_history(
    parts: Sequence[session_rows.SessionRows], order: play_order.PlayOrder, stops: Flags
) -> SeatHistory | None:
    seats = [part.seats for part in parts if part.seats is not None]
    if len(seats) < len(parts):
        return None
    return build_seat_history(seats, [len(part) for part in parts], order, stops)


def _decks_in_sequences(parts: Sequence[session_rows.SessionRows]) -> CodedColumn:
    names = sorted({deck for part in parts for sequence in part.event_log.sequences for deck in sequence.decks})
    return CodedColumn(codes=np.zeros(0, np.int32), names=tuple(names))


def _merge_sequences(parts: Sequence[session_rows.SessionRows]) -> tuple[list[session_rows.EventSequence], Ints]:
    """Return the distinct event sequences, and the sequence of each round in the order of the parts.

    Returns:
        The sequences; int64[rounds].
    """
    index: dict[session_rows.EventSequence, int] = {}
    columns = []
    for part in parts:
        codes = np.array(
            [index.setdefault(sequence, len(index)) for sequence in part.event_log.sequences] or [ABSENT],
            np.int64,
        )
        columns.append(codes[part.event_log.sequence_index])
    return list(index), np.concatenate(columns)


GAPS_LISTED = 100
"""Maximum number of gaps of one session that results list; all are counted."""

GAP_REASONS = {
    play_order.JUMP: "round numbers are missing",
    play_order.BEGINNING: "the log begins after the opening of the table",
    play_order.UNNUMBERED: "rounds without numbers do not show whether others are missing",
    play_order.REPEATED_NUMBER: "a round number occurs twice",
    play_order.ELSEWHERE: "a round names a previous round that is in no log",
    play_order.BACKWARDS: "the round numbers decrease, but not to 1",
}
"""Text of a gap, by its reason."""


def build_sessions(document: str, rounds: OrderedRounds) -> Iterator[TableSession]:
    """Yield every session, in the order of casinos and tables."""
    starts = np.flatnonzero(rounds.order.first)
    bounds = np.append(starts, len(rounds))
    runs, lasts = _runs_of_gaps(rounds)
    gaps = np.searchsorted(runs, bounds).tolist()
    begins, ends = _format_times(rounds, starts), _format_times(rounds, bounds[1:] - 1)
    openings = np.diff(make_offsets(rounds.order.opening)[bounds]).tolist()
    for index, (start, end) in enumerate(pairwise(bounds.tolist())):
        first, last = gaps[index], gaps[index + 1]
        opens = rounds.name(start)
        listed = slice(first, min(last, first + GAPS_LISTED))
        yield TableSession(
            document=document,
            casino=rounds.casino.text(start),
            table=rounds.table.text(start) or "",
            first=opens,
            begins=begins[index],
            last=opens if end - start == 1 else rounds.name(end - 1),
            ends=ends[index],
            rounds=end - start,
            openings=openings[index],
            gaps=tuple(
                _build_session_gap(rounds, start, first_round, last_round)
                for first_round, last_round in zip(runs[listed].tolist(), lasts[listed].tolist(), strict=True)
            ),
            gaps_found=last - first,
        )


def _runs_of_gaps(rounds: OrderedRounds) -> tuple[Ints, Ints]:
    """Return the rounds that follow a gap, and the last round of each run.

    Consecutive rounds without a number in a session form one run.
    """
    reasons = rounds.order.why
    unnumbered = reasons == play_order.UNNUMBERED
    follows_unnumbered = np.concatenate([np.zeros(1, bool), unnumbered[:-1]])
    continues = unnumbered & follows_unnumbered & ~rounds.order.first
    runs = np.flatnonzero((reasons != play_order.NO_GAP) & ~continues)
    stops = np.append(np.flatnonzero(~continues), len(reasons))
    return runs, stops[np.searchsorted(stops, runs, side="right")] - 1


def _build_session_gap(rounds: OrderedRounds, start: int, place: int, last: int) -> SessionGap:
    missing = int(rounds.order.gap[place])
    return SessionGap(
        after=None if place == start else rounds.name(place - 1),
        before=rounds.name(last),
        missing=None if missing == play_order.ANY_NUMBER else missing,
        why=GAP_REASONS[int(rounds.order.why[place])],
    )


def _format_times(rounds: OrderedRounds, places: Ints) -> list[str | None]:
    texts = np.datetime_as_string(rounds.clock[places].astype("datetime64[us]"), unit="s").tolist()
    return [_trim_time(text, dated) for text, dated in zip(texts, rounds.dated[places].tolist(), strict=True)]


def format_round_time(rounds: OrderedRounds, place: int) -> str | None:
    """Return when a round was played, by the clock of its log, to the second.

    Returns:
        Only the day, or None, if less is recorded.
    """
    return _format_times(rounds, np.array([place]))[0]


def _trim_time(time: str, dated: int) -> str | None:
    return None if dated == UNDATED else time[:10] if dated == DAY else time.replace("T", " ")


class SessionFailures(Struct, frozen=True, kw_only=True):
    """Failures of a session requirement. All arrays are parallel."""

    places: Ints
    """Round in which each failure became certain, in the order of play."""
    rounds: Ints
    """Number of rounds that each failure covers."""
    describe_failure: Callable[[int], FindingDetails]
    """Function that describes a failure by its index."""


class SessionOutcome(Struct, frozen=True, kw_only=True):
    """Status of all rounds, with failures and gaps."""

    status_codes: Statuses
    """Status code of each round, in the order of play."""
    failures: SessionFailures
    """Failures."""
    describe_gap: Callable[[int], FindingDetails]
    """Function that describes the missing evidence of a round."""


def find_applicable_rounds(rounds: OrderedRounds, requirement: Requirement) -> Truths:
    """Return whether a requirement applies to each round, and is in force there.

    Returns:
        uint8[rounds].
    """
    name = requirement.requirement
    applies = rounds.column(name, "applies")
    assert applies is not None
    in_force = rounds.column(name, "in-force")
    result: Truths = applies if in_force is None else np.where(in_force, applies, np.uint8(NO))
    return result


def read_truth(rounds: OrderedRounds, requirement: Requirement, name: str) -> Truths:
    """Return a truth column of a requirement; YES without such a column.

    Returns:
        uint8[rounds].
    """
    column = rounds.column(requirement.requirement, name)
    return constant(YES, len(rounds)) if column is None else column


def build_track(
    rounds: OrderedRounds, names: frozenset[str], *, decks: bool, order: play_order.PlayOrder | None = None
) -> carried_results.Track:
    """Build the track of the tables, or of their decks, for a requirement that uses these steps.

    Args:
        order: replaces the order of the rounds.
    """
    order = rounds.order if order is None else order
    if not decks:
        return carried_results.build_table_tracks(order)
    at, named = rounds.list_named_decks()
    is_unrecorded = np.array([bool(sequence.unrecorded & names) for sequence in rounds.sequences], bool)[
        rounds.sequence_index
    ]
    is_incomplete = np.array([sequence.breaks_off for sequence in rounds.sequences], bool)[rounds.sequence_index]
    any_deck = np.array([sequence.has_any_deck for sequence in rounds.sequences], bool)[rounds.sequence_index]
    return carried_results.build_deck_tracks(
        order,
        deck=rounds.deck.codes,
        named_at=at,
        named=named,
        unrecorded=is_unrecorded,
        ends=is_incomplete,
        any_deck=any_deck,
    )


def combine_per_round(rounds: int, track: carried_results.Track, statuses: Statuses) -> Statuses:
    """Return the highest status code of each round's items.

    Returns:
        uint8[rounds].
    """
    result = np.full(rounds, NOT_APPLICABLE, np.uint8)
    for mark in range(PASS, int(statuses.max(initial=NOT_APPLICABLE)) + 1):
        result[track.places[statuses == mark]] = mark
    return result


_GAP_CAUSES = {
    play_order.JUMP: "missing from the logs: the numbers jump before",
    play_order.BEGINNING: "missing from the logs: the log begins with",
    play_order.UNNUMBERED: "the rounds are not numbered, so that others may have been played before",
    play_order.REPEATED_NUMBER: "the rounds are not in order: a number occurs twice in",
    play_order.ELSEWHERE: "the previous round is not the one named in",
    play_order.BACKWARDS: "the rounds are not in order: the numbers decrease in",
}


def describe_round(rounds: OrderedRounds, place: int, seen_from: int) -> str:
    """Describe a round with its time, and with its day if it differs from that of another round, where recorded."""
    day, _, clock = (format_round_time(rounds, place) or "").partition(" ")
    same_day = day == (format_round_time(rounds, seen_from) or "")[:10]
    when = " ".join(part for part in ("" if same_day else day, clock[:5]) if part)
    return f"round {rounds.name(place)}" + (f" ({when})" if when else "")


def format_hours(microseconds: int) -> str:
    """Format a duration: `8 h 05 min`, with seconds if there are any."""
    seconds = microseconds // 1_000_000
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"{hours} h {minutes:02d} min" + (f" {rest:02d} s" if rest else "")


def explain_gap(rounds: OrderedRounds, place: int, names: frozenset[str]) -> str | None:
    """Explain why the result of a session requirement in a round is not known; None if no gap explains it.

    Args:
        names: steps that the requirement uses.
    """
    sequence = rounds.sequences[int(rounds.sequence_index[place])]
    if sequence.unrecorded & names:
        return NO_EVENTS
    if sequence.breaks_off:
        return BREAKS_OFF
    began = int(np.flatnonzero(rounds.order.first[: place + 1])[-1])
    gaps = np.flatnonzero(rounds.order.gap[began : place + 1] != 0)
    if not len(gaps):
        return None
    gap_place = began + int(gaps[-1])
    why, missing = int(rounds.order.why[gap_place]), int(rounds.order.gap[gap_place])
    round_text = describe_round(rounds, gap_place, place)
    if missing == play_order.ANY_NUMBER:
        return f"{_GAP_CAUSES[why]} {round_text}"
    return f"{format_count(missing, 'round')} {'is' if missing == 1 else 'are'} {_GAP_CAUSES[why]} {round_text}"
