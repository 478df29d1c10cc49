"""Context of rounds, in a column of its own: a struct or a map with any keys."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from validator.arrays import ABSENT
from validator.evidence.arrow.fields import Fields
from validator.evidence.columns.batch import Coded
from validator.evidence.columns.empty import no_names
from validator.evidence.handlog.context import written
from validator.evidence.handlog.record import Context


def contexts(fields: Fields) -> Coded:
    """Return the contexts of all rounds as texts. Faults are the same as in a line of JSON."""
    array = fields.array("context")
    if array.null_count == len(array):
        return no_names(len(array))
    names: dict[str, int] = {}
    codes = np.full(len(array), ABSENT, np.int32)
    for row, value in enumerate(_list_values(array)):
        if value is None:
            continue
        try:
            text = _encode_value(value)
        except (msgspec.ValidationError, UnicodeError) as error:
            fields.grain.wrong.note(row, f"at `$.context`: {error}")
        else:
            codes[row] = names.setdefault(text, len(names))
    return Coded(codes=codes, names=tuple(names))


def _list_values(array: pa.Array) -> list[Any]:
    """Return the context of every round as a Python value: a mapping, a list of pairs, or the error of a garbled
    text."""
    try:
        values: list[Any] = array.to_pylist()
    except UnicodeDecodeError:
        values = [_read_value(array[row]) for row in range(len(array))]
    return values


def _read_value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        return error


def _encode_value(value: Any) -> str:
    """Return the text of a context. Raises ValidationError if it is malformed, UnicodeError if it is garbled."""
    if isinstance(value, UnicodeError):
        raise value
    pairs = value.items() if isinstance(value, dict) else value
    entries = [(key, item) for key, item in pairs if item is not None]
    context = dict(entries)
    if len(context) < len(entries):
        raise msgspec.ValidationError("a key occurs twice")
    return written(msgspec.convert(context, Context))
