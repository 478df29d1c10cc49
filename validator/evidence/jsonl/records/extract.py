"""Extraction of fields from many records at once, without a Python loop; text is coded on the way.

Every key that is present in a record is counted when its field is taken. The reader compares the count with the text to
find keys that occur twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from operator import attrgetter, is_
from typing import Any, TypeVar

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Indices, Ints, Ints8, Ints32
from validator.evidence.columns.batch import Coded
from validator.evidence.handlog.event_fields import CHOICES, RULES
from validator.evidence.handlog.event_values import HIGHEST_SEAT
from validator.evidence.handlog.events import TYPES

_LEFT_OUT = -2
"""Code of a missing key; ABSENT is the code of null."""

# Small codes are passed as bytes, the fastest way from Python objects to an array. As int8, the two highest bytes
# are ABSENT and _LEFT_OUT.
_NOTHING: Mapping[Any, int] = {None: ABSENT & 0xFF, UNSET: _LEFT_OUT & 0xFF}
_CODE_OF_TYPE = {kind: code for code, kind in enumerate(TYPES)}
_CHOICES = {
    field: {**_NOTHING, **{name: code for code, name in enumerate(choices)}} for field, choices in CHOICES.items()
}
_SEATS = {**_NOTHING, **{number: number for number in range(1, HIGHEST_SEAT + 1)}}
_FLAGS = {**_NOTHING, False: 0, True: 1}

Code = TypeVar("Code", np.int8, np.int32)


class Names(dict[Any, int]):
    """Codes of repeated text, in order of first appearance. Columns may share them."""

    def __init__(self) -> None:
        super().__init__({None: ABSENT, UNSET: _LEFT_OUT})

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self) - 2
        return code

    def any(self) -> bool:
        """Return whether there is any text yet."""
        return len(self) > 2

    def recoded(self, column: Coded) -> Coded:
        """Translate a column to these codes; only names that occur in it are added."""
        used_codes, index = np.unique(column.codes, return_inverse=True)
        codes = [self[None if code < 0 else column.names[code]] for code in used_codes.tolist()]
        return self.column(np.array(codes, np.int32).take(index))

    def column(self, codes: Ints32) -> Coded:
        """Return the column of some codes. It does not include names that are added later."""
        return Coded(codes=codes, names=tuple(self)[2:])


class Extractor:
    """Extractor of columns from records. Required fields are separate from optional ones, as they need no check for
    missing values."""

    __slots__ = ("keys",)

    def __init__(self) -> None:
        self.keys = 0
        """Number of keys taken so far."""

    def required(self, records: Sequence[object], field: str) -> list[Any]:
        """Return a field of all records."""
        self.keys += len(records)
        return list(map(attrgetter(field), records))

    def optional(self, records: Sequence[object], field: str) -> list[Any]:
        """Return a field of all records; None if it is null or left out."""
        values = list(map(attrgetter(field), records))
        self.keys += len(records)
        if UnsetType not in set(map(type, values)):
            return values
        self.keys -= sum(map(is_, values, repeat(UNSET)))
        return [None if value is UNSET else value for value in values]

    def rare(self, records: Sequence[object], field: str) -> list[Any] | None:
        """Return a field like `take_optional`, but None if no record has it, which is quickly found."""
        values = list(map(attrgetter(field), records))
        left_out = values.count(UNSET)
        self.keys += len(values) - left_out
        if left_out == len(values):
            return None
        return [None if value is UNSET else value for value in values]

    def named(self, records: Sequence[object], field: str, names: Names) -> Coded:
        """Return a required column of text."""
        return names.column(self.codes(records, field, names))

    def optional_named(self, records: Sequence[object], field: str, names: Names) -> Coded:
        """Return a column of text; ABSENT for null or a missing key."""
        return names.column(np.maximum(self.optional_codes(records, field, names), ABSENT))

    def optional_codes(self, records: Sequence[object], field: str, names: Names) -> Ints32:
        """Return codes of text, below 0 for null or a missing key.

        Returns: int32[n].
        """
        return self._count_keys(
            np.fromiter(map(names.__getitem__, map(attrgetter(field), records)), np.int32, len(records))
        )

    def codes(self, records: Sequence[object], field: str, names: Names) -> Ints32:
        """Return codes of required text.

        Returns: int32[n].
        """
        self.keys += len(records)
        return np.fromiter(map(names.__getitem__, map(attrgetter(field), records)), np.int32, len(records))

    def small(self, records: Sequence[object], field: str, table: Mapping[Any, int]) -> Ints8:
        """Return codes by a table of this module, below 0 for null or a missing key.

        Returns: int8[n].
        """
        return self._count_keys(np.frombuffer(bytes(map(table.__getitem__, map(attrgetter(field), records))), np.int8))

    def flags(self, records: Sequence[object], field: str) -> Flags:
        """Return flags, false for null or a missing key.

        Returns: bool[n].
        """
        return self.small(records, field, _FLAGS) > 0

    def rare_flags(self, records: Sequence[object], field: str) -> Ints8:
        """Return flags of a rare field: 1, 0, or ABSENT for null or a missing key.

        Returns: int8[n].
        """
        values = self.rare(records, field)
        if values is None:
            return np.full(len(records), ABSENT, np.int8)
        return np.array([ABSENT if value is None else value for value in values], np.int8)

    def rare_named(self, records: Sequence[object], field: str, names: Names) -> Coded:
        """Return a column of text of a rare field; ABSENT for null or a missing key."""
        values = self.rare(records, field)
        if values is None:
            return names.column(np.full(len(records), ABSENT, np.int32))
        return names.column(np.array([names[value] for value in values], np.int32))

    def rare_amounts(self, records: Sequence[object], field: str) -> Ints:
        """Return amounts of a rare field; ABSENT for null or a missing key.

        Returns: int64[n].
        """
        values = self.rare(records, field)
        if values is None:
            return np.full(len(records), ABSENT, np.int64)
        return np.array([ABSENT if value is None else value for value in values], np.int64)

    def _count_keys(self, codes: NDArray[Code]) -> NDArray[Code]:
        self.keys += len(codes) - int(np.count_nonzero(codes == _LEFT_OUT))
        return codes

    def seats(self, records: Sequence[object]) -> Ints8:
        """Return required seat numbers.

        Returns: int8[n].
        """
        self.keys += len(records)
        return np.frombuffer(bytes(map(attrgetter("seat"), records)), np.int8)

    def amounts(self, records: Sequence[object], field: str) -> Ints:
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


class Hasty(Extractor):
    """Extractor that assumes that no record has a rare field.

    If a record has one, the text holds more keys than were counted, and the records must be extracted again.
    """

    __slots__ = ()

    def rare(self, records: Sequence[object], field: str) -> None:  # noqa: ARG002 - the signature of every extractor
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
        self._bounds = np.cumsum([0, *np.bincount(self.kind, minlength=len(TYPES))]).tolist()
        extractor.keys += len(events)  # one key `event` each

    def runs(self, field: str) -> Iterator[tuple[Indices, list[object], bool]]:
        """Yield the events that have a field, run by run: their indices, the events, and whether the field is
        required."""
        for first, end, required in RULES[field].runs:
            part = slice(self._bounds[first], self._bounds[end])
            if part.start < part.stop:
                yield self._order[part], self._sorted[part], required

    def named(self, field: str, names: Names) -> Coded:
        """Return a column of text."""
        codes = np.full(len(self.kind), ABSENT, np.int32)
        for at, events, required in self.runs(field):
            codes[at] = (self._extractor.codes if required else self._extractor.optional_codes)(events, field, names)
        return names.column(np.maximum(codes, ABSENT, out=codes))

    def choices(self, field: str) -> Ints8:
        """Return codes of a closed list.

        Returns: int8[events].
        """
        codes = np.full(len(self.kind), ABSENT, np.int8)
        for at, events, _ in self.runs(field):
            codes[at] = self._extractor.small(events, field, _CHOICES[field])
        return np.maximum(codes, ABSENT, out=codes)

    def seats(self) -> Ints8:
        """Return seat numbers.

        Returns: int8[events].
        """
        numbers = np.full(len(self.kind), ABSENT, np.int8)
        for at, events, required in self.runs("seat"):
            numbers[at] = self._extractor.seats(events) if required else self._extractor.small(events, "seat", _SEATS)
        return np.maximum(numbers, ABSENT, out=numbers)

    def flags(self, field: str) -> Flags:
        """Return flags.

        Returns: bool[events].
        """
        flags = np.zeros(len(self.kind), np.bool_)
        for at, events, _ in self.runs(field):
            flags[at] = self._extractor.flags(events, field)
        return flags

    def amounts(self, field: str) -> Ints:
        """Return amounts.

        Returns: int64[events].
        """
        amounts = np.full(len(self.kind), ABSENT, np.int64)
        for at, events, required in self.runs(field):
            amounts[at] = (self._extractor.amounts if required else self._extractor.rare_amounts)(events, field)
        return amounts

    def texts(self, field: str) -> tuple[Ints, list[str]]:
        """Return the events in which a field is recorded, in order, and its texts."""
        places, texts_ = [np.empty(0, np.int64)], []
        for where, events, required in self.runs(field):
            at = where
            if required:
                values = self._extractor.required(events, field)
            else:
                optional = self._extractor.optional(events, field)
                present = [value is not None for value in optional]
                at, values = at[present], [value for value in optional if value is not None]
            places.append(at)
            texts_ += values
        return np.concatenate(places), texts_
