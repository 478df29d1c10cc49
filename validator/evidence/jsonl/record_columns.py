"""Columns extracted from many decoded records at once, without a Python loop, and detection of duplicate keys.

Every key that is present in a record is counted when its field is taken. The colons of a text, less those in its
strings, equal that count unless a key occurs twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import attrgetter, is_
from typing import Any, NamedTuple, TypeVar

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Indices, Ints, Ints8, Ints32, has_any
from fairdeal.validator.evidence import round_record
from fairdeal.validator.evidence.columns.log_draft import EventColumns, SeatColumns
from fairdeal.validator.evidence.columns.recorded_events import FIELD_RULES
from fairdeal.validator.evidence.columns.round_batch import CodedColumn, Hands, Stakes, no_names
from fairdeal.validator.evidence.event_kinds import HIGHEST_SEAT
from fairdeal.validator.evidence.jsonl.text_lookup import count_byte
from fairdeal.validator.evidence.log_events import EVENT_TYPES, FIELD_CHOICES

_LEFT_OUT = -2
"""Code of a missing key; ABSENT is the code of null."""

# Small codes are passed as bytes, the fastest way from Python objects to an array. As int8, the two highest bytes
# are ABSENT and _LEFT_OUT.
_NOTHING: Mapping[Any, int] = {None: ABSENT & 0xFF, UNSET: _LEFT_OUT & 0xFF}
_CODE_OF_TYPE = {kind: code for code, kind in enumerate(EVENT_TYPES)}
_CHOICES = {
    field: {**_NOTHING, **{name: code for code, name in enumerate(choices)}} for field, choices in FIELD_CHOICES.items()
}
_SEATS = {**_NOTHING, **{number: number for number in range(1, HIGHEST_SEAT + 1)}}
_FLAGS = {**_NOTHING, False: 0, True: 1}

Code = TypeVar("Code", np.int8, np.int32)


class NameCodes(dict[Any, int]):
    """Codes of repeated text, in order of first appearance. Columns may share them."""

    def __init__(self) -> None:
        super().__init__({None: ABSENT, UNSET: _LEFT_OUT})

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self) - 2
        return code

    def has_names(self) -> bool:
        """Return whether there is any text yet."""
        return len(self) > 2

    def recode(self, column: CodedColumn) -> CodedColumn:
        """Translate a column to these codes; only names that occur in it are added."""
        used_codes, index = np.unique(column.codes, return_inverse=True)
        codes = [self[None if code < 0 else column.names[code]] for code in used_codes.tolist()]
        return self.column(np.array(codes, np.int32).take(index))

    def column(self, codes: Ints32) -> CodedColumn:
        """Return the column of some codes. It does not include names that are added later."""
        return CodedColumn(codes=codes, names=tuple(self)[2:])


class Extractor:
    """Extractor of columns from records. Required fields are separate from optional ones, as they need no check for
    missing values."""

    __slots__ = ("keys",)

    def __init__(self) -> None:
        self.keys = 0
        """Number of keys taken so far."""

    def take_required(self, records: Sequence[object], field: str) -> list[Any]:
        """Return a field of all records."""
        self.keys += len(records)
        return list(map(attrgetter(field), records))

    def take_optional(self, records: Sequence[object], field: str) -> list[Any]:
        """Return a field of all records; None if it is null or left out."""
        values = list(map(attrgetter(field), records))
        self.keys += len(records)
        if UnsetType not in set(map(type, values)):
            return values
        self.keys -= sum(map(is_, values, repeat(UNSET)))
        return [None if value is UNSET else value for value in values]

    def take_rare(self, records: Sequence[object], field: str) -> list[Any] | None:
        """Return a field like `take_optional`, but None if no record has it, which is quickly found."""
        values = list(map(attrgetter(field), records))
        left_out = values.count(UNSET)
        self.keys += len(values) - left_out
        if left_out == len(values):
            return None
        return [None if value is UNSET else value for value in values]

    def take_names(self, records: Sequence[object], field: str, names: NameCodes) -> CodedColumn:
        """Return a required column of text."""
        return names.column(self.take_codes(records, field, names))

    def take_optional_names(self, records: Sequence[object], field: str, names: NameCodes) -> CodedColumn:
        """Return a column of text; ABSENT for null or a missing key."""
        return names.column(np.maximum(self.take_optional_codes(records, field, names), ABSENT))

    def take_optional_codes(self, records: Sequence[object], field: str, names: NameCodes) -> Ints32:
        """Return codes of text, below 0 for null or a missing key.

        Returns: int32[n].
        """
        return self._count_keys(
            np.fromiter(map(names.__getitem__, map(attrgetter(field), records)), np.int32, len(records))
        )

    def take_codes(self, records: Sequence[object], field: str, names: NameCodes) -> Ints32:
        """Return codes of required text.

        Returns: int32[n].
        """
        self.keys += len(records)
        return np.fromiter(map(names.__getitem__, map(attrgetter(field), records)), np.int32, len(records))

    def take_small_codes(self, records: Sequence[object], field: str, table: Mapping[Any, int]) -> Ints8:
        """Return codes by a table of this module, below 0 for null or a missing key.

        Returns: int8[n].
        """
        return self._count_keys(np.frombuffer(bytes(map(table.__getitem__, map(attrgetter(field), records))), np.int8))

    def take_flags(self, records: Sequence[object], field: str) -> Flags:
        """Return flags, false for null or a missing key.

        Returns: bool[n].
        """
        return self.take_small_codes(records, field, _FLAGS) > 0

    def take_rare_flags(self, records: Sequence[object], field: str) -> Ints8:
        """Return flags of a rare field: 1, 0, or ABSENT for null or a missing key.

        Returns: int8[n].
        """
        values = self.take_rare(records, field)
        if values is None:
            return np.full(len(records), ABSENT, np.int8)
        return np.array([ABSENT if value is None else value for value in values], np.int8)

    def take_rare_names(self, records: Sequence[object], field: str, names: NameCodes) -> CodedColumn:
        """Return a column of text of a rare field; ABSENT for null or a missing key."""
        values = self.take_rare(records, field)
        if values is None:
            return names.column(np.full(len(records), ABSENT, np.int32))
        return names.column(np.array([names[value] for value in values], np.int32))

    def take_rare_amounts(self, records: Sequence[object], field: str) -> Ints:
        """Return amounts of a rare field; ABSENT for null or a missing key.

        Returns: int64[n].
        """
        values = self.take_rare(records, field)
        if values is None:
            return np.full(len(records), ABSENT, np.int64)
        return np.array([ABSENT if value is None else value for value in values], np.int64)

    def _count_keys(self, codes: NDArray[Code]) -> NDArray[Code]:
        self.keys += len(codes) - int(np.count_nonzero(codes == _LEFT_OUT))
        return codes

    def take_seats(self, records: Sequence[object]) -> Ints8:
        """Return required seat numbers.

        Returns: int8[n].
        """
        self.keys += len(records)
        return np.frombuffer(bytes(map(attrgetter("seat"), records)), np.int8)

    def take_amounts(self, records: Sequence[object], field: str) -> Ints:
        """Return amounts; ABSENT for null or a missing key.

        Returns: int64[n].
        """
        self.keys += len(records)
        try:
            return np.fromiter(map(attrgetter(field), records), np.int64, len(records))
        except TypeError:  # an amount is missing: the error is cheaper than a check
            values = list(map(attrgetter(field), records))
            self.keys -= sum(map(is_, values, repeat(UNSET)))
            return np.array([ABSENT if value is None or value is UNSET else value for value in values], np.int64)


class OptimisticExtractor(Extractor):
    """Extractor that assumes that no record has a rare field.

    If a record has one, the text holds more keys than were counted, and the records must be extracted again.
    """

    __slots__ = ()

    def take_rare(self, records: Sequence[object], field: str) -> None:  # noqa: ARG002 - the signature of every extractor
        """Return None, as for a field that no record has."""
        return


class EventPool:
    """Events of all kinds. A column is taken from the events that have the field; the others are ABSENT.

    The events are sorted by kind once, so the events with a field are one slice or two.
    """

    __slots__ = ("_bounds", "_extractor", "_order", "_sorted", "kind")

    def __init__(self, extractor: Extractor, events: Sequence[object]) -> None:
        self.kind = np.frombuffer(bytes(map(_CODE_OF_TYPE.__getitem__, map(type, events))), np.uint8)
        """Kind of each event, uint8[events]."""
        self._extractor = extractor
        self._order = np.argsort(self.kind, kind="stable")
        self._sorted: list[object] = np.fromiter(events, np.object_, len(events))[self._order].tolist()
        self._bounds = np.cumsum([0, *np.bincount(self.kind, minlength=len(EVENT_TYPES))]).tolist()
        extractor.keys += len(events)  # one key `event` each

    def runs(self, field: str) -> Iterator[tuple[Indices, list[object], bool]]:
        """Yield the events that have a field, run by run: their indices, the events, and whether the field is
        required."""
        for first, end, required in FIELD_RULES[field].runs:
            part = slice(self._bounds[first], self._bounds[end])
            if part.start < part.stop:
                yield self._order[part], self._sorted[part], required

    def take_names(self, field: str, names: NameCodes) -> CodedColumn:
        """Return a column of text."""
        codes = np.full(len(self.kind), ABSENT, np.int32)
        for at, events, required in self.runs(field):
            codes[at] = (self._extractor.take_codes if required else self._extractor.take_optional_codes)(
                events, field, names
            )
        return names.column(np.maximum(codes, ABSENT, out=codes))

    def take_choices(self, field: str) -> Ints8:
        """Return codes of a closed list.

        Returns: int8[events].
        """
        codes = np.full(len(self.kind), ABSENT, np.int8)
        for at, events, _ in self.runs(field):
            codes[at] = self._extractor.take_small_codes(events, field, _CHOICES[field])
        return np.maximum(codes, ABSENT, out=codes)

    def take_seats(self) -> Ints8:
        """Return seat numbers.

        Returns: int8[events].
        """
        numbers = np.full(len(self.kind), ABSENT, np.int8)
        for at, events, required in self.runs("seat"):
            numbers[at] = (
                self._extractor.take_seats(events)
                if required
                else self._extractor.take_small_codes(events, "seat", _SEATS)
            )
        return np.maximum(numbers, ABSENT, out=numbers)

    def take_flags(self, field: str) -> Flags:
        """Return flags.

        Returns: bool[events].
        """
        flags = np.zeros(len(self.kind), np.bool_)
        for at, events, _ in self.runs(field):
            flags[at] = self._extractor.take_flags(events, field)
        return flags

    def take_amounts(self, field: str) -> Ints:
        """Return amounts.

        Returns: int64[events].
        """
        amounts = np.full(len(self.kind), ABSENT, np.int64)
        for at, events, required in self.runs(field):
            amounts[at] = (self._extractor.take_amounts if required else self._extractor.take_rare_amounts)(
                events, field
            )
        return amounts

    def take_texts(self, field: str) -> tuple[Ints, list[str]]:
        """Return the events in which a field is recorded, in order, and its texts."""
        places, texts_ = [np.empty(0, np.int64)], []
        for where, events, required in self.runs(field):
            at = where
            if required:
                values = self._extractor.take_required(events, field)
            else:
                optional = self._extractor.take_optional(events, field)
                present = [value is not None for value in optional]
                at, values = at[present], [value for value in optional if value is not None]
            places.append(at)
            texts_ += values
        return np.concatenate(places), texts_


class EventNames(NamedTuple):
    """Names in the columns of text of events; stakes and seats share them."""

    wager: NameCodes
    decision: NameCodes
    what: NameCodes
    deck: NameCodes
    positions: NameCodes
    value: NameCodes

    def text_columns(self, events: EventColumns) -> tuple[CodedColumn, ...]:
        """Return the columns of text of some events."""
        return tuple(getattr(events, name) for name in self._fields)

    def take_text_columns(self, events: EventColumns, chosen: Ints) -> dict[str, CodedColumn]:
        """Return the columns of text of some of these events, with all names known by now."""
        return {
            name: names.column(getattr(events, name).codes[chosen]) if names.has_names() else no_names(len(chosen))
            for name, names in self._asdict().items()
        }


def build_event_columns(
    pool: EventPool, names: EventNames, *, counts: Ints, cards_row: Ints32, hands: Hands
) -> EventColumns:
    """Build the columns of the events of a pool; those about cards and rounds are given."""
    return EventColumns(
        counts=counts,
        kind=pool.kind,
        seat=pool.take_seats(),
        place=pool.take_choices("place"),
        face=pool.take_choices("face"),
        by=pool.take_choices("by"),
        means=pool.take_choices("means"),
        wager=pool.take_names("wager", names.wager),
        tip=pool.take_flags("tip"),
        amount=pool.take_amounts("amount"),
        decision=pool.take_names("decision", names.decision),
        what=pool.take_names("what", names.what),
        deck=pool.take_names("deck", names.deck),
        positions=pool.take_names("positions", names.positions),
        value=pool.take_names("value", names.value),
        pot=pool.take_amounts("pot").astype(np.int8),
        chips=pool.take_amounts("chips").astype(np.int16),
        cards_row=cards_row,
        hands=hands,
    )


def build_seat_columns(
    extractor: Extractor,
    seats: Sequence[round_record.SeatRecord],
    *,
    counts: Ints,
    player: CodedColumn,
    decision: CodedColumn,
    hands: Hands,
    discarded: Hands,
    drawn: Hands,
) -> SeatColumns:
    """Build the columns of seats; `counts` are the seats of each round. Columns of text and cards are given."""
    return SeatColumns(
        counts=counts,
        number=extractor.take_seats(seats).astype(np.int16),
        player=player,
        decision=decision,
        hands=hands,
        discarded=discarded,
        drawn=drawn,
        stack=extractor.take_rare_amounts(seats, "stack"),
        stack_after=extractor.take_rare_amounts(seats, "stack_after"),
        won=extractor.take_rare_amounts(seats, "won"),
        playing=extractor.take_rare_flags(seats, "playing") != 0,
        split_of=extractor.take_rare_amounts(seats, "split_of").astype(np.int16),
    )


def build_wager_stakes(
    extractor: Extractor, wagers: Sequence[round_record.WagerRecord], names: EventNames, *, seat: Ints32
) -> Stakes:
    """Build stakes from wagers; `seat` is int32[wagers]."""
    return Stakes(
        seat=seat,
        wager=extractor.take_names(wagers, "wager", names.wager),
        selection=extractor.take_rare_names(wagers, "selection", names.value),
        tip=extractor.take_flags(wagers, "tip"),
        bonus=np.zeros(len(wagers), np.bool_),
        amount=extractor.take_amounts(wagers, "amount"),
        brought=extractor.take_rare_amounts(wagers, "brought"),
        paid=extractor.take_amounts(wagers, "paid"),
        taken=extractor.take_amounts(wagers, "taken"),
        claimed=extractor.take_rare_flags(wagers, "claimed"),
    )


def build_bonus_stakes(
    extractor: Extractor, bonuses: Sequence[round_record.BonusRecord], names: EventNames, *, seat: Ints32
) -> Stakes:
    """Build stakes from bonuses; `seat` is int32[bonuses]."""
    return Stakes(
        seat=seat,
        wager=extractor.take_names(bonuses, "bonus", names.wager),
        selection=names.value.column(np.full(len(bonuses), ABSENT, np.int32)),
        tip=extractor.take_flags(bonuses, "tip"),
        bonus=np.ones(len(bonuses), np.bool_),
        amount=np.zeros(len(bonuses), np.int64),
        brought=np.full(len(bonuses), ABSENT, np.int64),
        paid=extractor.take_amounts(bonuses, "paid"),
        taken=np.full(len(bonuses), ABSENT, np.int64),
        claimed=np.full(len(bonuses), ABSENT, np.int8),
    )


def may_have_duplicate_keys(
    texts: Sequence[bytes], columns: Iterable[CodedColumn], *, keys: int, colons: int = 0
) -> bool:
    """Return whether a key may occur twice in an object of some texts.

    Args:
        texts: the texts.
        columns: the columns of their strings. Cards have no colons, or are found malformed.
        keys: the number of keys found in the texts.
        colons: the number of colons in strings outside the columns.
    """
    joined = b"".join(texts)
    # An escaped colon counts in the string but not in the text, so it could hide a key.
    return b"\\" in joined or count_byte(joined, b":") != keys + colons + sum(map(_count_column_colons, columns))


def count_colons(records: Sequence[round_record.RoundRecord]) -> int:
    """Count the colons in the strings of records that no column of text holds."""
    colons = sum([record.time.count(":") + record.round.count(":") for record in records])
    colons += sum(
        [
            round_record.encode_context(record.context).count(":") - len(record.context)
            for record in records
            if record.context
        ]
    )
    return colons + sum(
        [name.count(":") for record in records if record.annotations for name in record.annotations.planted]
    )


def _count_column_colons(column: CodedColumn) -> int:
    if len(column.names) > len(column.codes):
        return sum([column.names[code].count(":") for code in column.codes.tolist() if code >= 0])
    table = np.array([*(name.count(":") for name in column.names), 0], np.int64)
    return int(table[column.codes].sum()) if has_any(table) else 0


def find_duplicate_keys(lines: Sequence[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the index of each line in which a key occurs twice, and the first such key."""
    for index, line in enumerate(lines):
        try:
            json.loads(line, object_pairs_hook=_check_distinct)
        except _DuplicateKeyError as error:
            yield index, error.key


class _DuplicateKeyError(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def _check_distinct(pairs: list[tuple[str, Any]]) -> None:
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise _DuplicateKeyError(key)
        keys.add(key)
