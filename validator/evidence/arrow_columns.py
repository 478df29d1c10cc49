"""Arrow arrays to NumPy columns, without a copy where that can be; nulls become ABSENT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pat
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT, Coded, Flags, Hands, Ints
from validator.evidence.hands import DecodedHands, decode_bytes


class Listed(NamedTuple):
    """A column of lists: int64[n], how many entries each row has; the entries of all rows end to end; and
    bool[n], where there is no list."""

    counts: Ints
    entries: pa.Array
    absent: Flags


def column(table: pa.Table, name: str, kind: pa.DataType) -> pa.Array:
    """A column of a table as one array; nulls of the given kind where it is missing or has no type."""
    index = table.schema.get_field_index(name)
    if index < 0 or pat.is_null(table.schema.field(index).type):
        return pa.nulls(table.num_rows, kind)
    chunks = table.column(index).chunks
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def child(parent: pa.StructArray, name: str, kind: pa.DataType) -> pa.Array:
    """A field of a struct; nulls of the given kind where it is missing or has no type."""
    index = parent.type.get_field_index(name)
    if index < 0 or pat.is_null(parent.type.field(index).type):
        return pa.nulls(len(parent), kind)
    return parent.field(index)


def absent(array: pa.Array) -> Flags:
    """bool[n]: where the array says nothing."""
    if not array.null_count:
        return np.zeros(len(array), np.bool_)
    found: Flags = array.is_null().to_numpy(zero_copy_only=False)
    return found


def listed(array: pa.Array) -> Listed:
    """A column of lists taken apart."""
    missing = absent(array)
    counts = np.diff(np.asarray(array.offsets)).astype(np.int64)
    counts[missing] = 0
    return Listed(counts, array.flatten(), missing)


def integers(array: pa.Array, least: int, most: int) -> tuple[Ints, Flags]:
    """int64[n], ABSENT for null, and bool[n] where a number is not within `least` and `most`."""
    numbers = array.cast(pa.int64(), safe=False)  # what does not fit comes out negative
    values = (numbers.fill_null(ABSENT) if numbers.null_count else numbers).to_numpy()
    extent = pc.min_max(numbers).as_py()
    if extent["min"] is None or (least <= extent["min"] and extent["max"] <= most):
        return values, np.zeros(len(values), np.bool_)
    return values, ((values < least) | (values > most)) & ~absent(array)


def flags(array: pa.Array) -> Flags:
    """bool[n], false for null."""
    found: Flags = (array.fill_null(False) if array.null_count else array).to_numpy(zero_copy_only=False)
    return found


def coded(array: pa.Array) -> Coded:
    """A column of text, dictionary-coded or not."""
    if not pat.is_dictionary(array.type):
        array = array.dictionary_encode()
    names = array.dictionary.to_pylist()
    indices = array.indices
    codes = (indices.fill_null(ABSENT) if indices.null_count else indices).to_numpy()
    if None in names:  # a dictionary may have an entry for null
        table = np.array([ABSENT if name is None else code for code, name in enumerate(names)] + [ABSENT], np.int32)
        codes = table[codes]
    return Coded(codes=codes.astype(np.int32, copy=False), names=tuple(name or "" for name in names))


def choices(array: pa.Array, closed: Sequence[str]) -> NDArray[np.int8]:
    """int8[n]: places of the texts in a closed list, `len(closed)` for any other text."""
    column_ = coded(array)
    place = {name: code for code, name in enumerate(closed)}
    table = np.array([*(place.get(name, len(closed)) for name in column_.names), ABSENT], np.int8)
    return table[column_.codes]


def hands(array: pa.Array) -> DecodedHands:
    """A column of hands, straight from the bytes of its text."""
    array = _plain(array)
    missing = absent(array)
    filled = array.fill_null("") if array.null_count else array
    width = np.int64 if pat.is_large_string(filled.type) else np.int32
    _, ends, characters = filled.buffers()
    offsets = np.frombuffer(ends, width)[filled.offset : filled.offset + len(filled) + 1].astype(np.int64)
    if characters is None or not len(filled):
        text = np.empty(0, np.uint8)
    else:
        text = np.frombuffer(characters, np.uint8)[offsets[0] : offsets[-1]]
    decoded = decode_bytes(text, np.diff(offsets))
    decoded.hands.count[missing] = ABSENT
    return decoded


def texts(array: pa.Array) -> list[str | None]:
    """Texts as Python has them."""
    found: list[str | None] = _plain(array).to_pylist()
    return found


def _plain(array: pa.Array) -> pa.Array:
    """Text with offsets, whatever it was."""
    if pat.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array.cast(pa.large_string()) if pat.is_string_view(array.type) else array
