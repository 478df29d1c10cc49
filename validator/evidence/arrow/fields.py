"""Fields of a table taken out column by column, refusing the rows that a line of JSON would be refused for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from validator.arrays import ABSENT, Flags, Ints, Ints8
from validator.evidence.arrow import to_numpy
from validator.evidence.arrow.to_numpy import Listed, text_at
from validator.evidence.columns.batch import Coded, Hands
from validator.evidence.columns.empty import no_numbers
from validator.evidence.columns.row_origin import Grain
from validator.evidence.handlog.event_values import MOST
from validator.text.visible import quoted

_MISSING = "nothing is recorded here, and something must be"


class Fields:
    """Takes the fields of one relation out of the arrays that hold them, and refuses rows of its grain."""

    __slots__ = ("_arrays", "grain")

    def __init__(self, grain: Grain, parent: pa.Table | pa.StructArray, schema: pa.DataType | pa.Schema) -> None:
        self.grain = grain
        self._arrays = {field.name: to_numpy.part(parent, field.name, field.type) for field in schema}

    def array(self, field: str) -> pa.Array:
        """The field as Arrow has it; all null where there is no such column."""
        return self._arrays[field]

    def required(self, field: str) -> None:
        """Refuse rows where the field is null."""
        self.grain.refuse(to_numpy.absent(self._arrays[field]), field, _MISSING)

    def text(self, field: str, longest: int) -> Coded:
        """A column of text, null where it is not recorded."""
        column, garbled = to_numpy.coded(self._arrays[field])
        self.grain.refuse(garbled, field, "the text is not UTF-8")
        misfit = np.array([*(not 0 < len(name) <= longest for name in column.names), False])
        if misfit.any():
            self.grain.refuse(misfit[column.codes], field, f"expected text of 1 to {longest} characters")
        return column

    def choice(self, field: str, closed: Sequence[str]) -> Ints8:
        """int8[n]: codes of a closed list, ABSENT also where the text is not in it."""
        codes = to_numpy.choices(self._arrays[field], closed)
        unknown = codes == len(closed)
        if not unknown.any():
            return codes
        array = self._arrays[field]
        self.grain.refuse(unknown, field, lambda row: f"{quoted(text_at(array, row))} is not known here")
        return np.where(unknown, np.int8(ABSENT), codes)

    def integers(self, field: str, least: int = 0, most: int = MOST) -> Ints:
        """int64[n], ABSENT where nothing is recorded, and where the number is not within the bounds."""
        array = self._arrays[field]
        if array.null_count == len(array):
            return no_numbers(len(array))
        values, outside = to_numpy.integers(array, least, most)
        if outside.any():
            self.grain.refuse(outside, field, f"expected a whole number from {least} to {most}")
            values = np.where(outside, ABSENT, values)
        return values.astype(np.int64, copy=False)

    def flags(self, field: str) -> Flags:
        """bool[n], false where nothing is recorded."""
        return to_numpy.flags(self._arrays[field])

    def answers(self, field: str) -> Ints8:
        """int8[n]: 1 for true, 0 for false, ABSENT where nothing is recorded."""
        array = self._arrays[field]
        found = to_numpy.flags(array).astype(np.int8)
        found[to_numpy.absent(array)] = ABSENT
        return found

    def hands(self, field: str) -> Hands:
        """A column of hands."""
        array = self._arrays[field]
        return self.grain.hands(to_numpy.hands(array), field, lambda row: text_at(array, row))

    def lists(self, field: str, most: int) -> Listed:
        """A column of lists. Entries that are null are refused."""
        found = to_numpy.listed(self._arrays[field])
        self.grain.refuse(found.counts > most, field, f"must not have more than {most} entries")
        inner = self.grain.listed(field, found.counts)
        inner.refuse(to_numpy.absent(found.entries), "", _MISSING)
        return found
