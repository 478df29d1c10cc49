"""Taking fields out of many records at once: attribute to array at C speed, text coded on the way.

Every key that stands in a record is counted as its field is taken out; `jsonl` compares the count with the
text to find keys that stand twice.
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
"""The key does not stand in the record at all; ABSENT is a null."""

# Small codes travel as bytes, the fastest way from Python objects to an array; read as int8, the two
# highest bytes are ABSENT and _LEFT_OUT.
_NOTHING: Mapping[Any, int] = {None: ABSENT & 0xFF, UNSET: _LEFT_OUT & 0xFF}
_CODE_OF_TYPE = {kind: code for code, kind in enumerate(TYPES)}
_CHOICES = {
    field: {**_NOTHING, **{name: code for code, name in enumerate(choices)}} for field, choices in CHOICES.items()
}
_SEATS = {**_NOTHING, **{number: number for number in range(1, HIGHEST_SEAT + 1)}}
_FLAGS = {**_NOTHING, False: 0, True: 1}

Code = TypeVar("Code", np.int8, np.int32)


class Names(dict[Any, int]):
    """Text that repeats, coded in order of first appearance. Columns may share one."""

    def __init__(self) -> None:
        super().__init__({None: ABSENT, UNSET: _LEFT_OUT})

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self) - 2
        return code

    def any(self) -> bool:
        """Whether there is any text yet."""
        return len(self) > 2

    def recoded(self, column: Coded) -> Coded:
        """A column in these codes: of its names, those that stand in it."""
        there, place = np.unique(column.codes, return_inverse=True)
        codes = [self[None if code < 0 else column.names[code]] for code in there.tolist()]
        return self.column(np.array(codes, np.int32).take(place))

    def column(self, codes: Ints32) -> Coded:
        """The column of these codes. Names that are coded later do not belong to it."""
        return Coded(codes=codes, names=tuple(self)[2:])


class Extractor:
    """Takes columns out of records; `keys` counts the keys they came from.

    Fields that a record must have are told apart from optional ones, since nothing need be looked for there.
    """

    __slots__ = ("keys",)

    def __init__(self) -> None:
        self.keys = 0

    def required(self, things: Sequence[object], field: str) -> list[Any]:
        """The field of everything, as it is."""
        self.keys += len(things)
        return list(map(attrgetter(field), things))

    def optional(self, things: Sequence[object], field: str) -> list[Any]:
        """The field of everything; None where it is null or left out."""
        values = list(map(attrgetter(field), things))
        self.keys += len(things)
        if UnsetType not in set(map(type, values)):
            return values
        self.keys -= sum(map(is_, values, repeat(UNSET)))
        return [None if value is UNSET else value for value in values]

    def rare(self, things: Sequence[object], field: str) -> list[Any] | None:
        """The field of everything as by `optional`; None where nothing has it, which is quickly found out."""
        values = list(map(attrgetter(field), things))
        left_out = values.count(UNSET)
        self.keys += len(values) - left_out
        if left_out == len(values):
            return None
        return [None if value is UNSET else value for value in values]

    def named(self, things: Sequence[object], field: str, names: Names) -> Coded:
        """A column of text that each thing must have."""
        return names.column(self.codes(things, field, names))

    def optional_named(self, things: Sequence[object], field: str, names: Names) -> Coded:
        """A column of text, ABSENT for null and for a key that is left out."""
        return names.column(np.maximum(self.optional_codes(things, field, names), ABSENT))

    def optional_codes(self, things: Sequence[object], field: str, names: Names) -> Ints32:
        """int32[n]: codes of text, below 0 for null and for a key that is left out."""
        return self._counted(np.fromiter(map(names.__getitem__, map(attrgetter(field), things)), np.int32, len(things)))

    def codes(self, things: Sequence[object], field: str, names: Names) -> Ints32:
        """int32[n]: codes of text that each thing must have."""
        self.keys += len(things)
        return np.fromiter(map(names.__getitem__, map(attrgetter(field), things)), np.int32, len(things))

    def small(self, things: Sequence[object], field: str, table: Mapping[Any, int]) -> Ints8:
        """int8[n]: codes as one of the tables of this module has them, below 0 for null and for a key that is left
        out."""
        return self._counted(np.frombuffer(bytes(map(table.__getitem__, map(attrgetter(field), things))), np.int8))

    def flags(self, things: Sequence[object], field: str) -> Flags:
        """bool[n], false for null and for a key that is left out."""
        return self.small(things, field, _FLAGS) > 0

    def rare_flags(self, things: Sequence[object], field: str) -> Ints8:
        """int8[n]: 1 for true, 0 for false, ABSENT for null and for a key that is left out, as most are."""
        values = self.rare(things, field)
        if values is None:
            return np.full(len(things), ABSENT, np.int8)
        return np.array([ABSENT if value is None else value for value in values], np.int8)

    def rare_named(self, things: Sequence[object], field: str, names: Names) -> Coded:
        """A column of text, ABSENT for null and for a key that is left out, as most are."""
        values = self.rare(things, field)
        if values is None:
            return names.column(np.full(len(things), ABSENT, np.int32))
        return names.column(np.array([names[value] for value in values], np.int32))

    def rare_amounts(self, things: Sequence[object], field: str) -> Ints:
        """int64[n], ABSENT for null and for a key that is left out, as most are."""
        values = self.rare(things, field)
        if values is None:
            return np.full(len(things), ABSENT, np.int64)
        return np.array([ABSENT if value is None else value for value in values], np.int64)

    def _counted(self, codes: NDArray[Code]) -> NDArray[Code]:
        self.keys += len(codes) - int(np.count_nonzero(codes == _LEFT_OUT))
        return codes

    def seats(self, things: Sequence[object]) -> Ints8:
        """int8[n]: the numbers of seats that each thing must name."""
        self.keys += len(things)
        return np.frombuffer(bytes(map(attrgetter("seat"), things)), np.int8)

    def amounts(self, things: Sequence[object], field: str) -> Ints:
        """int64[n], ABSENT for null and for a key that is left out."""
        self.keys += len(things)
        try:
            return np.fromiter(map(attrgetter(field), things), np.int64, len(things))
        except TypeError:  # some amount is not there: cheaper to run into than to look for
            values = list(map(attrgetter(field), things))
            self.keys -= sum(map(is_, values, repeat(UNSET)))
            return np.array([ABSENT if value is None or value is UNSET else value for value in values], np.int64)


class Hasty(Extractor):
    """Takes it for granted that no record has a rare field.

    Where one has, the text has more keys than were counted, and the records must be gone through again.
    """

    __slots__ = ()

    def rare(self, things: Sequence[object], field: str) -> None:  # noqa: ARG002 - as every extractor is asked
        """Nothing has it, as far as anybody looked."""
        return


class EventPool:
    """Events of every kind: takes a field out of those that have it and leaves the others ABSENT.

    The events are sorted by kind once, so that the events that have a field are a slice or two.
    """

    __slots__ = ("_bounds", "_order", "_sorted", "_take", "kind")

    def __init__(self, take: Extractor, events: Sequence[object]) -> None:
        self.kind = np.frombuffer(bytes(map(_CODE_OF_TYPE.__getitem__, map(type, events))), np.uint8)
        self._take = take
        self._order = np.argsort(self.kind, kind="stable")
        self._sorted: list[object] = np.fromiter(events, np.object_, len(events))[self._order].tolist()
        self._bounds = np.cumsum([0, *np.bincount(self.kind, minlength=len(TYPES))]).tolist()
        take.keys += len(events)  # the key `event` of each

    def runs(self, field: str) -> Iterator[tuple[Indices, list[object], bool]]:
        """Where some events stand that have the field, those events, and whether they must have it."""
        for first, end, required in RULES[field].runs:
            part = slice(self._bounds[first], self._bounds[end])
            if part.start < part.stop:
                yield self._order[part], self._sorted[part], required

    def named(self, field: str, names: Names) -> Coded:
        """A column of text."""
        codes = np.full(len(self.kind), ABSENT, np.int32)
        for at, events, required in self.runs(field):
            codes[at] = (self._take.codes if required else self._take.optional_codes)(events, field, names)
        return names.column(np.maximum(codes, ABSENT, out=codes))

    def choices(self, field: str) -> Ints8:
        """int8[events]: codes of a closed list."""
        codes = np.full(len(self.kind), ABSENT, np.int8)
        for at, events, _ in self.runs(field):
            codes[at] = self._take.small(events, field, _CHOICES[field])
        return np.maximum(codes, ABSENT, out=codes)

    def seats(self) -> Ints8:
        """int8[events]: seat numbers."""
        numbers = np.full(len(self.kind), ABSENT, np.int8)
        for at, events, required in self.runs("seat"):
            numbers[at] = self._take.seats(events) if required else self._take.small(events, "seat", _SEATS)
        return np.maximum(numbers, ABSENT, out=numbers)

    def flags(self, field: str) -> Flags:
        """bool[events]."""
        flags = np.zeros(len(self.kind), np.bool_)
        for at, events, _ in self.runs(field):
            flags[at] = self._take.flags(events, field)
        return flags

    def amounts(self, field: str) -> Ints:
        """int64[events]."""
        amounts = np.full(len(self.kind), ABSENT, np.int64)
        for at, events, required in self.runs(field):
            amounts[at] = (self._take.amounts if required else self._take.rare_amounts)(events, field)
        return amounts

    def texts(self, field: str) -> tuple[Ints, list[str]]:
        """Where the events stand, in order, in which the field is recorded, and what it says."""
        places, found = [np.empty(0, np.int64)], []
        for where, events, required in self.runs(field):
            at = where
            if required:
                values = self._take.required(events, field)
            else:
                optional = self._take.optional(events, field)
                present = [value is not None for value in optional]
                at, values = at[present], [value for value in optional if value is not None]
            places.append(at)
            found += values
        return np.concatenate(places), found
