"""Arrow arrays to NumPy columns, without a copy if possible; nulls become ABSENT and bad rows are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pat
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Indices, Ints, Ints8
from fairdeal.validator.evidence.columns.log_draft import DecodedHands, RowLevel, decode_hand_bytes
from fairdeal.validator.evidence.columns.round_batch import CodedColumn, Hands, no_hands, no_names, no_numbers
from fairdeal.validator.evidence.event_kinds import MAX_AMOUNT
from fairdeal.validator.text.diagnostics import quote


class ListColumn(NamedTuple):
    """Column of lists."""

    counts: Ints
    """Number of entries of each row, int64[n]."""
    entries: pa.Array
    """Entries of all rows end to end."""
    absent: Flags
    """True for a null list, bool[n]."""


def get_field_array(parent: pa.Table | pa.StructArray, name: str, kind: pa.DataType) -> pa.Array:
    """Return a column of a table, or a field of a struct, as one array.

    It holds nulls of the given type if there is no such field, or if the field has no type.
    """
    fields = parent.schema if isinstance(parent, pa.Table) else parent.type
    index = fields.get_field_index(name)
    if index < 0 or pat.is_null(fields.field(index).type):
        return pa.nulls(len(parent), kind)
    if isinstance(parent, pa.StructArray):
        # Values below a null are arbitrary and ignored.
        array = parent.flatten()[index] if parent.null_count else parent.field(index)
    else:
        chunks = parent.column(index).chunks
        array = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks or [pa.nulls(0, fields.field(index).type)])
    if pat.is_dictionary(array.type) and array.dictionary.null_count:
        return _to_plain_text(array)  # the array itself then has the nulls
    return array


def _validity(array: pa.Array) -> Ints8 | None:
    """Return 1 for a value and 0 for null; None if there are no nulls.

    Returns: int8[n].
    """
    bits = array.buffers()[0]
    if bits is None or not array.null_count:
        return None
    whole = np.unpackbits(np.frombuffer(bits, np.uint8), count=array.offset + len(array), bitorder="little")
    return whole[array.offset :].view(np.int8)


def _read_numbers(array: pa.Array) -> NDArray[np.signedinteger[Any]]:
    """Return the values of an array of integers, ABSENT for null. A value beyond int64 comes out negative."""
    data = array.buffers()[1]
    kind = np.dtype(array.type.to_pandas_dtype())
    if data is None:
        return np.full(len(array), ABSENT, np.int64)
    values = np.frombuffer(data, kind)[array.offset : array.offset + len(array)]
    signed = values.astype(np.int64) if kind.kind == "u" else values
    valid = _validity(array)
    # With every bit set, a null becomes -1. This is several times faster than a choice by mask.
    return signed if valid is None else signed | (valid - np.int8(1))


def read_ticks(array: pa.Array) -> Ints:
    """Return times in the unit of an array; any number for null.

    Returns: int64[n].
    """
    data = array.buffers()[1]
    if data is None:
        return np.zeros(len(array), np.int64)
    return np.frombuffer(data, np.int64)[array.offset : array.offset + len(array)]


def is_null(array: pa.Array) -> Flags:
    """Return whether each value is null.

    Returns: bool[n].
    """
    if pat.is_null(array.type):
        return np.ones(len(array), np.bool_)
    valid = _validity(array)
    return np.zeros(len(array), np.bool_) if valid is None else valid == 0


def split_lists(array: pa.Array) -> ListColumn:
    """Return the parts of a column of lists."""
    missing = is_null(array)
    width = np.int64 if pat.is_large_list(array.type) else np.int32
    ends = array.buffers()[1]
    if ends is None:
        return ListColumn(np.zeros(len(array), np.int64), array.values[:0], missing)
    offsets = np.frombuffer(ends, width)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    counts = np.diff(offsets)
    if counts[missing].any():
        counts[missing] = 0
        return ListColumn(counts, array.flatten(), missing)  # null lists may have entries, which are ignored
    return ListColumn(counts, array.values.slice(offsets[0], offsets[-1] - offsets[0]), missing)


def read_integers(array: pa.Array, least: int, most: int) -> tuple[NDArray[np.signedinteger[Any]], Flags]:
    """Return the numbers of an array, ABSENT for null, and whether each is below `least` (0 or more) or above `most`.

    Returns: the numbers, and bool[n].
    """
    values = _read_numbers(array)
    below = values < least
    if np.count_nonzero(below) == array.null_count and values.max(initial=ABSENT) <= most:
        return values, np.zeros(len(values), np.bool_)
    return values, (below | (values > most)) & ~is_null(array)


def read_flags(array: pa.Array) -> Flags:
    """Return flags, false for null.

    Returns: bool[n].
    """
    bits = array.buffers()[1]
    if bits is None:
        return np.zeros(len(array), np.bool_)
    whole = np.unpackbits(np.frombuffer(bits, np.uint8), count=array.offset + len(array), bitorder="little")
    valid, bits_set = _validity(array), whole[array.offset :]
    return bits_set.view(np.bool_) if valid is None else (bits_set & valid.view(np.uint8)).view(np.bool_)


class DecodedTexts(NamedTuple):
    """Column of text, ABSENT also for bytes that are not UTF-8."""

    column: CodedColumn
    """The column."""
    garbled: Flags
    """True for bytes that are not UTF-8, bool[n]."""


def read_coded_texts(array: pa.Array) -> DecodedTexts:
    """Return a column of text, dictionary-coded or not."""
    if array.null_count == len(array):
        return DecodedTexts(no_names(len(array)), np.zeros(len(array), np.bool_))
    if not pat.is_dictionary(array.type):
        array = array.dictionary_encode()
    names = list_texts(array.dictionary)
    codes = _read_numbers(array.indices)
    sound = codes.max(initial=ABSENT) < len(names) and codes.min(initial=ABSENT) >= ABSENT
    if sound and len({*names, None}) == len(names) + 1:
        column = CodedColumn(codes=codes.astype(np.int32, copy=False), names=tuple(names))  # type: ignore[arg-type]
        return DecodedTexts(column, np.zeros(len(codes), np.bool_))
    # A name occurs twice, is garbled, or is missing, as in a damaged file.
    recorded = codes != ABSENT
    codes = np.where((codes >= 0) & (codes < len(names)), codes, ABSENT)
    place: dict[str | None, int] = {None: ABSENT}
    table = [place.setdefault(name, len(place) - 1) for name in names]
    distinct = tuple(name for name in place if name is not None)
    column = CodedColumn(codes=np.array([*table, ABSENT], np.int32)[codes], names=distinct)
    return DecodedTexts(column, recorded & (column.codes < 0))


def read_choices(array: pa.Array, closed: Sequence[str]) -> Ints8:
    """Return the index of each text in a closed list, `len(closed)` for any other text.

    Returns: int8[n].
    """
    column, garbled = read_coded_texts(array)
    place = {name: code for code, name in enumerate(closed)}
    table = np.array([*(place.get(name, len(closed)) for name in column.names), ABSENT], np.int8)
    if len(table) > 256 or garbled.any():
        return np.where(garbled, np.int8(len(closed)), table[column.codes])
    by_byte = np.full(256, ABSENT, np.int8)
    by_byte[: len(table)] = table
    return np.frombuffer(column.codes.astype(np.uint8).tobytes().translate(by_byte.tobytes()), np.int8)


def read_hands(array: pa.Array) -> DecodedHands:
    """Return a column of hands, decoded from the bytes of its text."""
    if array.null_count == len(array):
        return DecodedHands(no_hands(len(array)), np.ones(len(array), np.bool_))
    missing = is_null(array)
    decoded = decode_hand_bytes(*_read_characters(array, missing))
    count = np.where(missing, np.int16(ABSENT), decoded.hands.count)
    return decoded._replace(hands=replace(decoded.hands, count=count))


def read_recorded_hands(array: pa.Array) -> tuple[Indices, DecodedHands]:
    """Return the hands that are recorded.

    Returns: their rows, int64[k], and the hands.
    """
    missing = is_null(array)
    characters, lengths = _read_characters(array, missing)
    return np.flatnonzero(~missing), decode_hand_bytes(characters, lengths[~missing])


def _read_characters(array: pa.Array, missing: Flags) -> tuple[Codes, Ints]:
    """Return the bytes of all texts end to end; a missing text has none.

    Returns: the bytes, and the length of each text, int64[n].
    """
    plain = _to_plain_text(array)
    width = np.int64 if pat.is_large_string(plain.type) else np.int32
    _, ends, characters = plain.buffers()
    if not len(plain) or characters is None:
        return np.empty(0, np.uint8), np.zeros(len(plain), np.int64)
    offsets = np.frombuffer(ends, width)[plain.offset : plain.offset + len(plain) + 1].astype(np.int64)
    lengths = np.diff(offsets)
    if lengths[missing].any():  # Arrow allows bytes outside any text
        return _read_characters(plain.fill_null(""), np.zeros(len(plain), np.bool_))
    return np.frombuffer(characters, np.uint8)[offsets[0] : offsets[-1]], lengths


def list_texts(array: pa.Array) -> list[str | None]:
    """Return texts as Python values; None for null and for bytes that are not UTF-8."""
    plain = _to_plain_text(array)
    try:
        texts_: list[str | None] = plain.to_pylist()
    except UnicodeDecodeError:
        return [None if text is None else _decode_utf8(text) for text in _list_bytes(plain)]
    return texts_


def read_text_at(array: pa.Array, row: int) -> str:
    """Return one text, with replacement characters for invalid bytes; empty for null."""
    (text,) = _list_bytes(_to_plain_text(array.slice(row, 1)))
    return "" if text is None else text.decode(errors="replace")


def _decode_utf8(text: bytes) -> str | None:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


def _list_bytes(array: pa.Array) -> list[bytes | None]:
    wide = pat.is_large_string(array.type)
    values: list[bytes | None] = array.cast(pa.large_binary() if wide else pa.binary()).to_pylist()
    return values


def _to_plain_text(array: pa.Array) -> pa.Array:
    """Return text of any type with offsets."""
    if pat.is_dictionary(array.type):
        codes, names = array.indices, _to_plain_text(array.dictionary)  # views of text do not support lookup
        return pa.DictionaryArray.from_arrays(codes, names, safe=False).dictionary_decode()
    return array.cast(pa.large_string()) if pat.is_string_view(array.type) else array


_MISSING = "a value is required here"


class TableFields:
    """Fields of one relation. Bad rows are refused at its level."""

    __slots__ = ("_arrays", "grain")

    def __init__(self, grain: RowLevel, parent: pa.Table | pa.StructArray, schema: pa.DataType | pa.Schema) -> None:
        self.grain = grain
        self._arrays = {field.name: get_field_array(parent, field.name, field.type) for field in schema}

    def array(self, field: str) -> pa.Array:
        """Return the field as an Arrow array, all null if there is no such column."""
        return self._arrays[field]

    def require(self, field: str) -> None:
        """Refuse rows in which the field is null."""
        self.grain.refuse(is_null(self._arrays[field]), field, _MISSING)

    def text(self, field: str, longest: int) -> CodedColumn:
        """Return a column of text; null if not recorded."""
        column, garbled = read_coded_texts(self._arrays[field])
        self.grain.refuse(garbled, field, "the text is not UTF-8")
        misfit = np.array([*(not 0 < len(name) <= longest for name in column.names), False])
        if misfit.any():
            self.grain.refuse(misfit[column.codes], field, f"expected text of 1 to {longest} characters")
        return column

    def choice(self, field: str, closed: Sequence[str]) -> Ints8:
        """Return codes of a closed list; ABSENT also for a text outside the list.

        Returns: int8[n].
        """
        codes = read_choices(self._arrays[field], closed)
        unknown = codes == len(closed)
        if not unknown.any():
            return codes
        array = self._arrays[field]
        self.grain.refuse(unknown, field, lambda row: f"unknown value {quote(read_text_at(array, row))}")
        return np.where(unknown, np.int8(ABSENT), codes)

    def integers(self, field: str, least: int = 0, most: int = MAX_AMOUNT) -> Ints:
        """Return integers; ABSENT if not recorded or out of bounds.

        Returns: int64[n].
        """
        array = self._arrays[field]
        if array.null_count == len(array):
            return no_numbers(len(array))
        values, outside = read_integers(array, least, most)
        if outside.any():
            self.grain.refuse(outside, field, f"expected a whole number from {least} to {most}")
            values = np.where(outside, ABSENT, values)
        return values.astype(np.int64, copy=False)

    def flags(self, field: str) -> Flags:
        """Return flags, false if not recorded.

        Returns: bool[n].
        """
        return read_flags(self._arrays[field])

    def answers(self, field: str) -> Ints8:
        """Return 1 for true, 0 for false, ABSENT if not recorded.

        Returns: int8[n].
        """
        array = self._arrays[field]
        values_ = read_flags(array).astype(np.int8)
        values_[is_null(array)] = ABSENT
        return values_

    def hands(self, field: str) -> Hands:
        """Return a column of hands."""
        array = self._arrays[field]
        return self.grain.check_hands(read_hands(array), field, lambda row: read_text_at(array, row))

    def lists(self, field: str, most: int) -> ListColumn:
        """Return a column of lists. Null entries are refused."""
        column = split_lists(self._arrays[field])
        self.grain.refuse(column.counts > most, field, f"must not have more than {most} entries")
        inner = self.grain.nested_list(field, column.counts)
        inner.refuse(is_null(column.entries), "", _MISSING)
        return column
