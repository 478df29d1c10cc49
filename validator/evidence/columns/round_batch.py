"""Batch of rounds as flat arrays, joined by offsets and indices; rows built, chosen and concatenated.

A single round is a batch of one. Children refer to their parents by index (`Seats.round`, `Stakes.seat`), and rounds
know where their children start (`Seats.offsets`, `Events.offsets`). Repeated text is stored once per batch as a code.
Nothing here depends on a game: names of wagers and decisions are those of the log.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import (
    ABSENT,
    Bits64,
    Cards,
    Codes,
    Flags,
    Ints,
    Ints8,
    Ints16,
    Ints32,
    are_all,
    find_distinct,
    make_offsets,
)
from fairdeal.validator.cards.card_codes import NO_CARD
from fairdeal.validator.evidence.event_kinds import WIDEST_HAND

UNDATED, DAY, MOMENT = range(3)
"""Precision of the time of a round: no day; the day; the day and the time."""


class CodedColumn(Struct, frozen=True, kw_only=True):
    """Column of text, stored as codes. A name may have different codes in different batches."""

    codes: NDArray[np.int32]
    """Indices into `names`; ABSENT if nothing is recorded, int32[n]."""
    names: tuple[str, ...]
    """Distinct texts, in the order of their codes."""

    def code(self, name: str) -> int:
        """Return the code of a name in this batch; -2, which equals no code, if the name does not occur."""
        try:
            return self.names.index(name)
        except ValueError:
            return -2

    def used_names(self) -> tuple[str, ...]:
        """Return the names that occur in the column; `names` may hold others, which the log has elsewhere."""
        return tuple([self.names[code] for code in find_distinct(self.codes).tolist() if code >= 0])

    def take(self, places: Ints) -> CodedColumn:
        """Return the column at the indices `places`."""
        return CodedColumn(codes=self.codes.take(places), names=self.names)

    def is_one_of(self, names: Collection[str]) -> Flags:
        """Return whether each text is one of some names.

        Returns: bool[n].
        """
        matches = np.zeros(len(self.codes), bool)
        for name in set(names).intersection(self.names):
            matches |= self.codes == self.code(name)
        return matches

    def text(self, index: int) -> str | None:
        """Return the text at an index; None if nothing is recorded."""
        code = int(self.codes[index])
        return None if code < 0 else self.names[code]


class Hands(Struct, frozen=True, kw_only=True):
    """Cards of places, one row each. An unrecorded face is UNKNOWN."""

    cards: Cards
    """Card codes, padded with NO_CARD, uint8[n, width]."""
    count: Ints16
    """Number of cards; -1 if the cards are not recorded, int16[n]."""


class SeatFields(Struct, frozen=True, kw_only=True):
    """Columns of betting positions."""

    number: Ints16
    """Number of the seat in the log: 1 is the dealer's left."""
    player: CodedColumn
    """Player at the seat, by the id of the log."""
    decision: CodedColumn
    """Last decision of the seat."""
    hands: Hands
    """Cards dealt first, in order; may be unrecorded."""
    discarded: Hands
    """Discards among the cards dealt first or drawn; may be unrecorded."""
    drawn: Hands
    """Cards dealt to replace discards; may be unrecorded."""
    stack: Ints
    """Chips before any wager, in minor units; ABSENT if not recorded."""
    stack_after: Ints
    """Chips after the round, in minor units; ABSENT if not recorded."""
    won: Ints
    """Chips received from pots, after rake, in minor units; ABSENT if not recorded."""
    playing: Flags
    """False if the seat takes no part in the round."""
    split_of: Ints16
    """Number of the seat whose hand was split into this one; ABSENT if none was."""


class Seats(SeatFields, frozen=True, kw_only=True):
    """Betting positions of all rounds in which a wager was placed or a card dealt."""

    offsets: Ints
    """Index of the first seat of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the seat."""


class Stakes(Struct, frozen=True, kw_only=True):
    """Wagers and bonuses of all seats, with amounts in minor currency units."""

    seat: Ints32
    """Index into `Seats`."""
    wager: CodedColumn
    """Name of the wager or bonus."""
    selection: CodedColumn
    """Selection of the stake, in a fixed order of its parts."""
    tip: Flags
    """True if the stake was placed for the dealer."""
    bonus: Flags
    """True for a bonus, which has no stake of its own."""
    amount: Ints
    """Amount staked; 0 for a bonus."""
    brought: Ints
    """Part of the amount that lay on the table since an earlier round; ABSENT if not recorded."""
    paid: Ints
    """Amount paid beyond the stake; ABSENT if not recorded."""
    taken: Ints
    """Amount taken of the stake; ABSENT if not recorded."""
    claimed: Ints8
    """1 if the player declared a win, 0 if not, ABSENT if not recorded."""


class MeterFields(Struct, frozen=True, kw_only=True):
    """Columns of readings of meters, in minor currency units; ABSENT if not recorded."""

    meter: CodedColumn
    """Name of the meter."""
    opening: Ints
    """Reading before the wagers of the round."""
    shown: Ints
    """Reading when awards are made: after the wagers of the round, before any award."""
    closing: Ints
    """Reading after the round."""


class Meters(MeterFields, frozen=True, kw_only=True):
    """Readings of the meters of all rounds, in minor currency units; ABSENT if not recorded. A round lists a meter
    once."""

    offsets: Ints
    """Index of the first reading of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the reading."""


class OutcomeFields(Struct, frozen=True, kw_only=True):
    """Columns of results that are no cards."""

    name: CodedColumn
    """Name of the outcome."""
    value: CodedColumn
    """Value of the outcome."""


class Outcomes(OutcomeFields, frozen=True, kw_only=True):
    """Results of all rounds that are no cards, as the summaries list them. A round lists an outcome once."""

    offsets: Ints
    """Index of the first result of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the result."""


class EventFields(Struct, frozen=True, kw_only=True):
    """Columns of events; ABSENT if a kind has no such field."""

    kind: Codes
    """Index into KINDS."""
    place: Ints8
    """Index into PLACES."""
    face: Ints8
    """Index into FACES."""
    by: Ints8
    """Index into ACTORS."""
    means: Ints8
    """Index into MEANS (key `in`)."""
    wager: CodedColumn
    """Name of the wager or bonus."""
    tip: Flags
    """True if the stake was placed for the dealer."""
    amount: Ints
    """Amount in minor units, or the count of the key `number`."""
    decision: CodedColumn
    """Decision of the seat."""
    what: CodedColumn
    """Text of the key `what`."""
    deck: CodedColumn
    """Deck of the event."""
    positions: CodedColumn
    """Positions of cards at the place, as rising digits."""
    value: CodedColumn
    """Value of an outcome, or the selection of a stake (key `selection`)."""
    pot: Ints8
    """Pot: 0 for the main pot."""
    chips: Ints16
    """Number of pieces put forward, or the seat that a hand is split to."""
    cards_row: Ints32
    """Row of the cards in `hands`; ABSENT for an event without cards."""
    hands: Hands
    """Cards of the events that have some."""


class Events(EventFields, frozen=True, kw_only=True):
    """Events of all rounds, in order. All columns are parallel; ABSENT if a kind has no such field."""

    offsets: Ints
    """Index of the first event of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the event."""
    seat: Ints32
    """Index into `Seats`."""


class RecordVersions(Struct, frozen=True, kw_only=True):
    """Contradicting records of the same rounds in a batch."""

    number: NDArray[np.int32]
    """Version number of each record of a round, from 1; 0 for a round with a single version, int32[rounds]."""
    last: NDArray[np.bool_]
    """True if no later version of the round follows, bool[rounds]."""
    other: CodedColumn
    """Location of another version, as `file:line`."""


class RoundFields(Struct, frozen=True, kw_only=True):
    """Columns of rounds."""

    round: tuple[str, ...]
    """Id of the round."""
    line: Ints
    """Line (or row) of the log, from 1."""
    table: CodedColumn
    """Table of the round."""
    casino: CodedColumn
    """Casino of the round."""
    time: Ints
    """Microseconds since 1970-01-01, by the log's own clock."""
    offset: Ints16
    """Minutes by which the clock of the log is ahead of UTC; 0 if not recorded."""
    number: Ints32
    """Number of the round since the table opened (1 opens a session); ABSENT if not recorded."""
    deck: CodedColumn
    """Deck in play."""
    button: Ints8
    """Number of the seat that has the button; ABSENT if not recorded."""
    small_bet: Ints
    """Smaller size of bets and raises under a fixed limit, in minor units; otherwise ABSENT."""
    big_bet: Ints
    """Larger size of bets and raises under a fixed limit, in minor units; otherwise ABSENT."""
    after: CodedColumn
    """Id of the round played just before."""
    complete: Flags
    """False if the record stops before the end of the round."""
    dealer: Hands
    """Cards dealt to the dealer, as in `Seats.hands`."""
    dealer_discarded: Hands
    """Discards of the dealer."""
    dealer_drawn: Hands
    """Cards drawn by the dealer."""
    community: Hands
    """Community cards."""
    community_discarded: Hands
    """Discarded community cards."""
    recorded: Flags
    """True if the round was recorded event by event."""
    unrecorded: Bits64
    """Kinds of event, or parts of kinds, that the log declares as not recorded, by the bits of `KIND_BITS`."""
    currency: CodedColumn
    """Currency of the amounts."""
    context: CodedColumn
    """Context recorded with the round, as a JSON object (`encode_context`)."""


class Batch(RoundFields, frozen=True, kw_only=True):
    """Rounds of one game, in log order. Columns are parallel: one entry per round."""

    file: CodedColumn
    """Log of the round."""
    game: str
    """Id of the document that governs the game."""
    day: Ints32
    """Days since 1970-01-01, by the log's own calendar."""
    dated: Codes
    """Precision of day and time: UNDATED, DAY or MOMENT. Anything finer in `day` and `time` is meaningless."""
    outcomes: Outcomes
    meters: Meters
    seats: Seats
    stakes: Stakes
    events: Events
    versions: RecordVersions | None = None
    """Contradicting records; None if every round has a single version."""

    def __len__(self) -> int:
        return len(self.round)


def no_numbers(rows: int) -> Ints:
    """Return a column of ABSENT.

    Returns: int64[rows].
    """
    return np.full(rows, ABSENT, np.int64)


def no_names(rows: int) -> CodedColumn:
    """Return a column of text in which nothing is recorded."""
    return CodedColumn(codes=np.full(rows, ABSENT, np.int32), names=())


def no_hands(rows: int) -> Hands:
    """Return hands of which none is recorded."""
    return Hands(cards=np.full((rows, WIDEST_HAND), NO_CARD, np.uint8), count=np.full(rows, ABSENT, np.int16))


Relation = TypeVar("Relation", bound=Struct)


def take_rows(relation: Relation, chosen: Flags | Ints, **given: object) -> Relation:
    """Return a relation (a struct of columns) with the rows that `chosen` marks or lists.

    Columns in `given` replace those of the relation. Fields that are not columns stay as they are.
    """
    cut = {
        name: _cut_column(getattr(relation, name), chosen) for name in relation.__struct_fields__ if name not in given
    }
    return replace(relation, **cut, **given)


def _cut_column(column: Any, chosen: Flags | Ints) -> Any:
    if column is None or isinstance(column, str):
        return column
    if isinstance(column, tuple):
        return tuple(np.array(column, np.object_)[chosen].tolist())
    if isinstance(column, CodedColumn):
        return CodedColumn(codes=column.codes[chosen], names=column.names)
    return take_rows(column, chosen) if isinstance(column, Struct) else column[chosen]


def copy_columns(of: type[Relation], columns: Struct, **given: object) -> Relation:
    """Build a relation of another kind: columns in `given`, and of all others those with the same name."""
    shared = set(of.__struct_fields__).intersection(columns.__struct_fields__).difference(given)
    return of(**{name: getattr(columns, name) for name in shared}, **given)


def concatenate_relations(parts: Sequence[Relation]) -> Relation:
    """Concatenate relations of one kind.

    Columns of text must share one set of names, which only grew from part to part. Raises IndexError if there are no
    parts.
    """
    joined: Relation = _join(parts)
    return joined


def _join(parts: Sequence[Any]) -> Any:
    last = parts[-1]
    if len(parts) == 1 or isinstance(last, str):
        return last
    if isinstance(last, tuple):
        return tuple([value for part in parts for value in part])
    if isinstance(last, CodedColumn):
        return CodedColumn(codes=np.concatenate([part.codes for part in parts]), names=last.names)
    if not isinstance(last, Struct):
        return np.concatenate(parts)
    joined = {name: _join([getattr(each, name) for each in parts]) for name in last.__struct_fields__}
    return replace(last, **joined)


def make_stake_offsets(stakes: Stakes, seats: Seats) -> Ints:
    """Return the index of the first stake of each seat, and the number of stakes.

    Returns: int64[seats + 1].
    """
    return make_offsets(np.bincount(stakes.seat, minlength=len(seats.round)))


def merge_stakes(wagers: Stakes, bonuses: Stakes) -> Stakes:
    """Merge the stakes of every seat, wagers before bonuses. Names as for `concatenate_relations`."""
    if not len(bonuses.seat):
        return wagers
    both = concatenate_relations([wagers, bonuses])
    return take_rows(both, np.argsort(both.seat, kind="stable"))


def list_hands(batch: Batch) -> list[tuple[Hands, Ints32]]:
    """Return all columns of hands that summaries list, each with the round of every row."""
    seats, every = batch.seats, np.arange(len(batch), dtype=np.int32)
    of_rounds = (batch.dealer, batch.dealer_discarded, batch.dealer_drawn, batch.community, batch.community_discarded)
    return [
        *((hands, seats.round) for hands in (seats.hands, seats.discarded, seats.drawn)),
        *((hands, every) for hands in of_rounds),
    ]


def translate_codes(column: CodedColumn, target: CodedColumn) -> tuple[Ints32, tuple[str, ...]]:
    """Translate the codes of a column to those of another, and return the names of the new codes.

    Names that the other column lacks follow its own. ABSENT stays ABSENT.

    Returns: int32[n] and the names.
    """
    if column.names == target.names[: len(column.names)]:
        return column.codes, target.names
    codes = {name: code for code, name in enumerate(target.names)}
    table = [codes.setdefault(name, len(codes)) for name in column.names]
    return np.array([*table, -1], np.int32)[column.codes], tuple(codes)


def sort_selections(column: CodedColumn) -> CodedColumn:
    """Return a column of selections with the parts of each in a fixed order, so that equal selections are equal."""
    if not any(" " in name for name in column.names):
        return column
    codes = CodeTable()
    table = [codes[" ".join(sorted(name.split(" "), key=lambda part: (len(part), part)))] for name in column.names]
    return CodedColumn(codes=np.array([*table, ABSENT], np.int32)[column.codes], names=codes.names)


def select_rounds(batch: Batch, keep: Flags) -> Batch:
    """Return the rounds marked in `keep` (bool[rounds]), in order; the same batch if all are marked.

    Names keep their codes, including names that no longer occur.
    """
    if are_all(keep):
        return batch
    seats, stakes, events, meters, outcomes = batch.seats, batch.stakes, batch.events, batch.meters, batch.outcomes
    kept_seats = keep[seats.round]
    kept_stakes = kept_seats[stakes.seat]
    kept_events = keep[events.round]
    kept_meters, kept_outcomes = keep[meters.round], keep[outcomes.round]
    new_round, new_seat = _renumber(keep), _renumber(kept_seats)
    cards_row = events.cards_row[kept_events]
    kept_hands = np.zeros(len(events.hands.count), np.bool_)
    kept_hands[cards_row[cards_row >= 0]] = True
    return take_rows(
        batch,
        keep,
        outcomes=take_rows(
            outcomes,
            kept_outcomes,
            offsets=_select_offsets(outcomes.offsets, keep),
            round=new_round[outcomes.round[kept_outcomes]],
        ),
        meters=take_rows(
            meters,
            kept_meters,
            offsets=_select_offsets(meters.offsets, keep),
            round=new_round[meters.round[kept_meters]],
        ),
        seats=take_rows(
            seats,
            kept_seats,
            offsets=_select_offsets(seats.offsets, keep),
            round=new_round[seats.round[kept_seats]],
        ),
        stakes=take_rows(stakes, kept_stakes, seat=new_seat[stakes.seat[kept_stakes]]),
        events=take_rows(
            events,
            kept_events,
            offsets=_select_offsets(events.offsets, keep),
            round=new_round[events.round[kept_events]],
            seat=new_seat[events.seat[kept_events]],
            cards_row=_renumber(kept_hands)[cards_row],
            hands=take_rows(events.hands, kept_hands),
        ),
    )


def cut_before_event(batch: Batch, event: int) -> Batch:
    """Return a batch of one round without the events from `event` on."""
    events = batch.events
    keep = np.arange(len(events.kind)) < event
    offsets = np.array([0, keep.sum()], np.int64)
    return replace(batch, events=take_rows(events, keep, offsets=offsets, hands=events.hands))


def _renumber(keep: Flags) -> Ints32:
    """Return the new index of each kept item, with a last entry that maps ABSENT to itself."""
    return np.append(np.cumsum(keep, dtype=np.int32) - np.int32(1), np.int32(ABSENT))


def _select_offsets(offsets: Ints, keep: Flags) -> Ints:
    return make_offsets(np.diff(offsets)[keep])


_EMPTY = bytes([NO_CARD])
_NO_CARDS = _EMPTY * WIDEST_HAND
_NUMBERS: Mapping[str, Any] = {
    "Ints": np.int64,
    "Ints32": np.int32,
    "Ints16": np.int16,
    "Ints8": np.int8,
    "Codes": np.uint8,
    "Flags": np.bool_,
}


def build_relation(
    of: type[Relation], rows: int, names: Mapping[str, Sequence[str]] | None = None, /, **given: object
) -> Relation:
    """Build a relation (a struct of columns) of a number of rows.

    Args:
        of: the struct.
        rows: the number of rows.
        names: first names of columns of text or codes, by field.
        given: by field, a list with one value per row (None if not recorded), or a finished column. Nothing is recorded
            in a column that is left out.
    """
    first = names or {}
    return of(**{name: _build_column(kind, given.get(name), rows, first.get(name)) for name, kind in _list_kinds(of)})


@cache
def _list_kinds(of: type[Struct]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a relation with their annotations, inherited fields first."""
    relations = [base for base in reversed(of.__mro__) if issubclass(base, Struct) and base is not Struct]
    return tuple(field for base in relations for field in base.__annotations__.items())


def _build_column(kind: str, values: Any, rows: int, names: Sequence[str] | None) -> Any:
    if (values is not None and not isinstance(values, list)) or kind.endswith("| None"):
        return values
    recorded = None if values is None or values.count(None) == rows else values
    if kind == "Hands":
        return no_hands(rows) if recorded is None else build_hands(recorded)
    if kind == "CodedColumn" or names is not None:
        column = _encode(recorded or [None] * rows, names or ())
        return column if kind == "CodedColumn" else column.codes.astype(_NUMBERS[kind])
    if recorded is None:
        return no_numbers(rows).astype(_NUMBERS[kind])
    return np.array([ABSENT if value is None else value for value in recorded], _NUMBERS[kind])


def build_hands(hand_cards: Sequence[Sequence[int] | None]) -> Hands:
    """Build columns from lists of cards; None gives an unrecorded hand."""
    text = b"".join([bytes(value).ljust(WIDEST_HAND, _EMPTY) if value else _NO_CARDS for value in hand_cards])
    cards = np.frombuffer(text, np.uint8).reshape(len(hand_cards), WIDEST_HAND).copy()
    return Hands(
        cards=cards, count=np.array([ABSENT if value is None else len(value) for value in hand_cards], np.int16)
    )


def _encode(column: Sequence[str | None], names: Sequence[str]) -> CodedColumn:
    codes = CodeTable(names)
    column_codes = np.fromiter(map(codes.__getitem__, column), np.int32, len(column))
    return CodedColumn(codes=column_codes, names=codes.names)


class CodeTable(dict[Any, int]):
    """Dictionary that numbers its keys: a new key gets the next number, None is ABSENT."""

    def __init__(self, names: Sequence[Any] = ()) -> None:
        super().__init__({None: ABSENT} | {name: code for code, name in enumerate(names)})

    def __missing__(self, name: Any) -> int:
        code = self[name] = len(self) - 1
        return code

    @property
    def names(self) -> tuple[Any, ...]:
        """Keys in the order of their numbers."""
        return tuple(self)[1:]
