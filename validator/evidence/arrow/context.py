"""What the house notes of rounds besides, in a column of its own: a struct or a map whose keys are anybody's choice."""

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


def contexts(take: Fields) -> Coded:
    """The contexts of all rounds as texts; rounds are refused for what a line of JSON would be refused for."""
    array = take.array("context")
    if array.null_count == len(array):
        return no_names(len(array))
    names: dict[str, int] = {}
    codes = np.full(len(array), ABSENT, np.int32)
    for row, value in enumerate(_values(array)):
        if value is None:
            continue
        try:
            text = _text(value)
        except (msgspec.ValidationError, UnicodeError) as error:
            take.grain.wrong.note(row, f"at `$.context`: {error}")
        else:
            codes[row] = names.setdefault(text, len(names))
    return Coded(codes=codes, names=tuple(names))


def _values(array: pa.Array) -> list[Any]:
    """The context of every round as Python has it: a mapping, a list of pairs, the error where its text is garbled."""
    try:
        found: list[Any] = array.to_pylist()
    except UnicodeDecodeError:
        found = [_value(array[row]) for row in range(len(array))]
    return found


def _value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        return error


def _text(value: Any) -> str:
    """The text of a context. Raises ValidationError where it is none, UnicodeError where it is garbled."""
    if isinstance(value, UnicodeError):
        raise value
    pairs = value.items() if isinstance(value, dict) else value
    said = [(key, told) for key, told in pairs if told is not None]
    context = dict(said)
    if len(context) < len(said):
        raise msgspec.ValidationError("a key stands twice")
    return written(msgspec.convert(context, Context))
