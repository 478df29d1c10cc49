"""Rounds reduced to what requirements on sessions use: a few columns, and sequences of event tokens.

Rounds resemble each other, so there are few distinct sequences, and results on a sequence are computed once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import (
    ABSENT,
    Codes,
    Flags,
    Identities,
    Ints,
    Ints16,
    Ints32,
    Truths,
    are_all,
    find_distinct,
    group_equal,
    has_any,
    make_offsets,
)
from fairdeal.validator.audit.granted_waivers import ApplicableWaivers
from fairdeal.validator.audit.sessions.play_order import SeatRows, select_seats
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.timeline import step_events
from fairdeal.validator.engine.timeline.event_cards import may_concern_any_deck
from fairdeal.validator.engine.timeline.excused_acts import reported_out_of_order
from fairdeal.validator.evidence.columns.round_batch import CodedColumn, RecordVersions, take_rows
from fairdeal.validator.rules.check_model import EveryCheck, NeededCheck, SuccessionCheck

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

    def lengths(self) -> Ints:
        """Return the number of tokens of each round.

        Returns:
            int64[rounds].
        """
        lengths = np.array([len(sequence.tokens) for sequence in self.sequences], np.int64)
        return lengths[self.sequence_index]

    def starts(self) -> Ints:
        """Return where the numbers of each round begin.

        Returns:
            int64[rounds].
        """
        return make_offsets(self.lengths())[:-1]

    def select(self, places: Ints) -> EventLog:
        """Select some of the rounds."""
        lengths = self.lengths()[places]
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
            **{name: getattr(self, name).take(places) for name in _CODED_COLUMNS},
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
        sequences = self.event_log.sequence_index
        return (
            all(
                len(column.codes) == rounds and _are_codes_within(column.codes, ABSENT, len(column.names))
                for column in codes
            )
            and all(len(getattr(self, name)) == rounds for name in _ROUND_COLUMNS)
            and len(sequences) == rounds
            and _are_codes_within(sequences, 0, len(self.event_log.sequences))
            and len(self.event_log.numbers) == self.event_log.lengths().sum()
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


def _select_columns_of(shows: Mapping[str, Columns], places: Ints) -> Mapping[str, Columns]:
    return {name: dict(_select_values(columns, places)) for name, columns in shows.items()}


def _select_values(columns: Columns, places: Ints) -> Iterator[tuple[str, NDArray[Any]]]:
    """Select places of columns. Known bounds are one array under two consecutive names, and remain one array."""
    last, selected = None, None
    for name, column in columns.items():
        if selected is None or column is not last:
            last, selected = column, column[places]
        yield name, selected


def concatenate_column(parts: Sequence[object], name: str) -> NDArray[Any]:
    """Return a column of several parts, one after the other."""
    return np.concatenate([getattr(part, name) for part in parts])


def concatenate_coded(columns: Sequence[CodedColumn]) -> CodedColumn:
    """Concatenate text columns with common codes; names are in alphabetical order."""
    names = sorted({name for column in columns for name in column.names})
    codes = {name: code for code, name in enumerate(names)}
    parts = [np.array([*(codes[name] for name in column.names), ABSENT], np.int32)[column.codes] for column in columns]
    return CodedColumn(codes=np.concatenate([np.zeros(0, np.int32), *parts]), names=tuple(names))


DEALING = "deal"
"""Kind of event that deals a card."""

_DECK_IN_PLAY = -2

_STEPS_PER_NUMBER = 24
"""Number of steps whose certainties, of two bits each, one number holds."""
_MAX_KEY = 1 << 62

SessionCheck: TypeAlias = NeededCheck | EveryCheck | SuccessionCheck
"""Check of a requirement on sessions."""


def _steps_used(checks: Sequence[SessionCheck]) -> tuple[str, ...]:
    """Return the steps and occasions that checks use."""
    names: dict[str, None] = {}
    for check in checks:
        if isinstance(check, NeededCheck):
            ends = () if check.until is None else (check.until,)
            names.update(dict.fromkeys((*check.occasions, *check.steps, *check.waiting, *ends)))
        elif isinstance(check, SuccessionCheck):
            names.update(dict.fromkeys(name for name in (check.received, check.removed) if name is not None))
        elif check.operator == "step":
            names[check.step] = None
    return tuple(names)


def build_event_log(scope: EvaluationContext, checks: Sequence[SessionCheck]) -> EventLog:
    """Build the event sequences of all rounds of a batch, over the steps and occasions that checks use."""
    names = _steps_used(checks)
    events, rounds = scope.batch.events, len(scope.batch)
    steps = [name for name in names if name not in OCCASIONS]
    belongs = _certainty_of_steps(scope, steps)
    decks = _deck_of_events(scope)
    is_used = np.bitwise_or.reduce(belongs, axis=0) != 0
    if any(_tracks_decks(check) for check in checks):
        # The decks of a table follow from every event that names one, whatever the checks use.
        is_used |= decks != _DECK_IN_PLAY
    chosen = np.flatnonzero(is_used)
    any_deck = _may_be_any_deck(scope, steps)[chosen]
    # Twice as many positions as events: the end of dealing lies between two events.
    positions, rows = 2 * chosen, belongs.take(chosen, axis=1)
    round_, deck = events.round[chosen], decks[chosen]
    is_misplaced = reported_out_of_order(scope)[chosen]
    if ROUND_DEALT in names:
        last = _last_dealt_events(scope)
        positions = np.concatenate([positions, 2 * last + 1])
        order = np.argsort(positions, kind="stable")
        positions = positions[order]
        rows = np.concatenate([rows, np.zeros((len(rows), len(last)), np.int64)], axis=1)[:, order]
        deck = np.concatenate([deck, np.full(len(last), _DECK_IN_PLAY)])[order]
        is_misplaced, any_deck = (
            np.concatenate([column, np.zeros(len(last), bool)])[order] for column in (is_misplaced, any_deck)
        )
        round_ = np.concatenate([round_, events.round[last]])[order]
    flags = 2 * is_misplaced.astype(np.int64) + any_deck
    examples, codes = _distinct_rows([*rows, 2 * deck + positions % 2, flags])
    tokens = [
        _build_token(scope, steps, rows[:, at], int(deck[at]), int(positions[at]), int(flags[at]))
        for at in examples.tolist()
    ]
    is_repeated = np.zeros(len(codes), bool)
    is_repeated[1:] = (codes[1:] == codes[:-1]) & (round_[1:] == round_[:-1])
    is_repeated &= np.array([_is_repeatable(token, checks) for token in tokens], bool)[codes]
    codes, round_, positions = codes[~is_repeated], round_[~is_repeated], positions[~is_repeated]
    event_numbers = (positions // 2 - events.offsets[round_] + 1).astype(np.int16)
    offsets = np.searchsorted(round_, np.arange(rounds + 1))
    limits = list(zip(_unrecorded_steps(scope, names), (~scope.batch.complete).tolist(), strict=True))
    return _build_sequences(codes, offsets.tolist(), tokens, limits, event_numbers)


def _distinct_rows(columns: Sequence[NDArray[Any]]) -> tuple[Ints, Ints]:
    """Return distinct rows of some columns, as `alike` does for one column."""
    codes, most = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        low = int(column.min(initial=0))
        values = int(column.max(initial=0)) - low + 1
        if most * values > _MAX_KEY:
            examples, codes = group_equal(codes)
            most = len(examples)
        codes = codes * values + (column.astype(np.int64) - low)
        most *= values
    return group_equal(codes)


def _tracks_decks(check: SessionCheck) -> bool:
    if isinstance(check, SuccessionCheck):
        return False
    return check.each == "deck" if isinstance(check, NeededCheck) else check.each is not None


def _is_repeatable(token: EventToken, checks: Sequence[SessionCheck]) -> bool:
    """Return whether consecutive equal events count as one: no check uses a token in two roles."""
    names = {name for name, _ in token.steps}
    for check in checks:
        if isinstance(check, NeededCheck):
            roles = [bool(names.intersection(check.occasions)), bool(names.intersection(check.waiting))]
            if sum(roles) + sum(step in names for step in check.steps) > 1:
                return False
    return True


def _certainty_of_steps(scope: EvaluationContext, steps: Sequence[str]) -> Ints:
    """Return how certainly each event belongs to each step, with two bits for each step.

    Returns:
        int64[k, events].
    """
    result = np.zeros((len(steps) // _STEPS_PER_NUMBER + 1, scope.count_items("event")), np.int64)
    for number, step in enumerate(steps):
        chosen, certainty = step_events.events_with_certainty(scope, step)
        if len(chosen):
            row, place = divmod(number, _STEPS_PER_NUMBER)
            result[row, chosen] |= certainty.astype(np.int64) << 2 * place
    return result


def _deck_of_events(scope: EvaluationContext) -> Ints:
    """Return the deck that each event names; `_DECK_IN_PLAY` for the deck in play or none.

    Returns:
        int64[events].
    """
    batch, named = scope.batch, scope.batch.events.deck
    places = {name: code for code, name in enumerate(named.names)}
    in_play = np.array([*(places.get(name, _DECK_IN_PLAY) for name in batch.deck.names), _DECK_IN_PLAY], np.int64)
    in_play = in_play[batch.deck.codes][batch.events.round]
    return np.where((named.codes == in_play) | (named.codes == ABSENT), _DECK_IN_PLAY, named.codes)


def _last_dealt_events(scope: EvaluationContext) -> Ints:
    """Return the last event that dealt a card, of each round that has one.

    Returns:
        int64[m].
    """
    dealing = step_events.events_of_kinds(scope, (DEALING,))
    round_ = scope.batch.events.round[dealing]
    last = np.ones(len(dealing), bool)
    last[:-1] = round_[1:] != round_[:-1]
    return dealing[last]


def _may_be_any_deck(scope: EvaluationContext, steps: Sequence[str]) -> Flags:
    """Return whether each event may belong to a step of any deck and does not name its deck.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    for step in steps:
        if scope.compiled_game.steps[step].unnamed_deck is not None:
            result[step_events.events_with_certainty(scope, step)[0]] = True
    return result & may_concern_any_deck(scope) if result.any() else result


def _build_token(
    scope: EvaluationContext, steps: Sequence[str], belongs: Ints, deck: int, place: int, manner: int
) -> EventToken:
    if place % 2:
        return EventToken(None, ((ROUND_DEALT, YES),))
    values = [
        int(belongs[number // _STEPS_PER_NUMBER]) >> 2 * (number % _STEPS_PER_NUMBER) & 3
        for number in range(len(steps))
    ]
    return EventToken(
        None if deck == _DECK_IN_PLAY else scope.batch.events.deck.names[deck],
        tuple((step, value) for step, value in zip(steps, values, strict=True) if value != NO),
        misplaced=manner >= 2,
        any_deck=manner % 2 == 1,
    )


def _unrecorded_steps(scope: EvaluationContext, names: Sequence[str]) -> list[frozenset[str]]:
    """Return the steps and occasions that the log of each round does not record."""
    rounds = len(scope.batch)
    if are_all(scope.batch.recorded) and not has_any(scope.batch.unrecorded):
        return [frozenset()] * rounds
    is_unrecorded: dict[str, Truths] = {}
    for name in names:
        # A step of several kinds is unrecorded if any kind is. The order of packets does not matter: the first card
        # is dealt first, and the last card last.
        if name == ROUND_DEALT:
            is_unrecorded[name] = kleene.from_flags(~step_events.are_kinds_recorded(scope, [DEALING], ordered=False))
        elif name not in OCCASIONS:
            is_unrecorded[name] = kleene.from_flags(~step_events.are_steps_recorded(scope, [name], ordered=False))
    if not is_unrecorded:
        return [frozenset()] * rounds
    examples, codes = _distinct_rows(list(is_unrecorded.values()))
    sets = [frozenset(name for name, values in is_unrecorded.items() if values[at] == YES) for at in examples.tolist()]
    return [sets[code] for code in codes.tolist()]


def _build_sequences(
    codes: Ints,
    offsets: list[int],
    tokens: list[EventToken],
    limits: list[tuple[frozenset[str], bool]],
    event_numbers: Ints16,
) -> EventLog:
    """Build event sequences from the codes of tokens.

    Args:
        codes: codes of the tokens of all rounds.
        offsets: start of each round in the codes, and the end.
        tokens: tokens by code.
        limits: unrecorded steps of each round, and whether its record is incomplete.
        event_numbers: number in its round of the event of each token.
    """
    index: dict[tuple[bytes, tuple[frozenset[str], bool]], int] = {}
    encoded = codes.tobytes()  # slices of bytes are compared faster than lists of numbers
    bounds = pairwise([offset * codes.itemsize for offset in offsets])
    sequence = [
        index.setdefault((encoded[start:end], limit), len(index))
        for (start, end), limit in zip(bounds, limits, strict=True)
    ]
    sequences = tuple(
        EventSequence(tuple(tokens[code] for code in np.frombuffer(token_codes, codes.dtype).tolist()), *rest)
        for token_codes, rest in index
    )
    return EventLog(sequences=sequences, sequence_index=np.array(sequence, np.int32), numbers=event_numbers)
