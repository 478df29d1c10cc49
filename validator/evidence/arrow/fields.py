"""Fields of a table, taken column by column; rows with the faults of a bad line of JSON are refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from validator.arrays import ABSENT, Flags, Ints, Ints8
from validator.evidence.arrow.to_numpy import (
    Listed,
    absent,
    choices,
    coded,
    flags,
    hands,
    integers,
    listed,
    part,
    text_at,
)
from validator.evidence.columns.batch import Coded, Hands
from validator.evidence.columns.empty import no_numbers
from validator.evidence.columns.row_origin import Grain
from validator.evidence.handlog.event_values import MOST
from validator.text.visible import quoted

_MISSING = "a value is required here"


class Fields:
    """Fields of one relation. Bad rows are refused at its level."""

    __slots__ = ("_arrays", "grain")

    def __init__(self, grain: Grain, parent: pa.Table | pa.StructArray, schema: pa.DataType | pa.Schema) -> None:
        self.grain = grain
        self._arrays = {field.name: part(parent, field.name, field.type) for field in schema}

    def array(self, field: str) -> pa.Array:
        """Return the field as an Arrow array, all null if there is no such column."""
        return self._arrays[field]

    def required(self, field: str) -> None:
        """Refuse rows in which the field is null."""
        self.grain.refuse(absent(self._arrays[field]), field, _MISSING)

    def text(self, field: str, longest: int) -> Coded:
        """Return a column of text; null if not recorded."""
        column, garbled = coded(self._arrays[field])
        self.grain.refuse(garbled, field, "the text is not UTF-8")
        misfit = np.array([*(not 0 < len(name) <= longest for name in column.names), False])
        if misfit.any():
            self.grain.refuse(misfit[column.codes], field, f"expected text of 1 to {longest} characters")
        return column

    def choice(self, field: str, closed: Sequence[str]) -> Ints8:
        """Return codes of a closed list; ABSENT also for a text outside the list.

        Returns: int8[n].
        """
        codes = choices(self._arrays[field], closed)
        unknown = codes == len(closed)
        if not unknown.any():
            return codes
        array = self._arrays[field]
        self.grain.refuse(unknown, field, lambda row: f"unknown value {quoted(text_at(array, row))}")
        return np.where(unknown, np.int8(ABSENT), codes)

    def integers(self, field: str, least: int = 0, most: int = MOST) -> Ints:
        """Return integers; ABSENT if not recorded or out of bounds.

        Returns: int64[n].
        """
        array = self._arrays[field]
        if array.null_count == len(array):
            return no_numbers(len(array))
        values, outside = integers(array, least, most)
        if outside.any():
            self.grain.refuse(outside, field, f"expected a whole number from {least} to {most}")
            values = np.where(outside, ABSENT, values)
        return values.astype(np.int64, copy=False)

    def flags(self, field: str) -> Flags:
        """Return flags, false if not recorded.

        Returns: bool[n].
        """
        return flags(self._arrays[field])

    def answers(self, field: str) -> Ints8:
        """Return 1 for true, 0 for false, ABSENT if not recorded.

        Returns: int8[n].
        """
        array = self._arrays[field]
        values_ = flags(array).astype(np.int8)
        values_[absent(array)] = ABSENT
        return values_

    def hands(self, field: str) -> Hands:
        """Return a column of hands."""
        array = self._arrays[field]
        return self.grain.hands(hands(array), field, lambda row: text_at(array, row))

    def lists(self, field: str, most: int) -> Listed:
        """Return a column of lists. Null entries are refused."""
        column = listed(self._arrays[field])
        self.grain.refuse(column.counts > most, field, f"must not have more than {most} entries")
        inner = self.grain.listed(field, column.counts)
        inner.refuse(absent(column.entries), "", _MISSING)
        return column
