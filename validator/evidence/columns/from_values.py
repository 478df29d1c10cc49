"""Relations from plain values: each column from a list of them, by the type that it has in its relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validator.arrays import ABSENT
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import Coded, Hands
from validator.evidence.columns.empty import no_hands, no_numbers
from validator.evidence.columns.tables import Relation
from validator.evidence.handlog.event_values import WIDEST_HAND

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


def relation(
    of: type[Relation], rows: int, names: Mapping[str, Sequence[str]] | None = None, /, **given: object
) -> Relation:
    """A relation of so many rows. What is given as a list, one value a row and None where nothing is recorded, becomes
    a column; what is given otherwise is one; of what is left out nothing is recorded. `names` are those that columns of
    text or of codes begin with."""
    first = names or {}
    fields = of.__annotations__.items()
    return of(**{name: _column(type_, given.get(name), rows, first.get(name)) for name, type_ in fields})


def _column(kind: str, values: Any, rows: int, names: Sequence[str] | None) -> Any:
    if (values is not None and not isinstance(values, list)) or kind.endswith("| None"):
        return values
    told = None if values is None or values.count(None) == rows else values
    if kind == "Hands":
        return no_hands(rows) if told is None else hands(told)
    if kind == "Coded" or names is not None:
        column = _coded(told or [None] * rows, names or ())
        return column if kind == "Coded" else column.codes.astype(_NUMBERS[kind])
    if told is None:
        return no_numbers(rows).astype(_NUMBERS[kind])
    return np.array([ABSENT if one is None else one for one in told], _NUMBERS[kind])


def hands(held: Sequence[Sequence[int] | None]) -> Hands:
    """Lists of cards as columns, not recorded where there is none."""
    text = b"".join([bytes(one).ljust(WIDEST_HAND, _EMPTY) if one else _NO_CARDS for one in held])
    cards = np.frombuffer(text, np.uint8).reshape(len(held), WIDEST_HAND).copy()
    return Hands(cards=cards, count=np.array([ABSENT if one is None else len(one) for one in held], np.int16))


def _coded(column: Sequence[str | None], names: Sequence[str]) -> Coded:
    codes = Numbered(names)
    found = np.fromiter(map(codes.__getitem__, column), np.int32, len(column))
    return Coded(codes=found, names=codes.names)


class Numbered(dict[Any, int]):
    """Things by their numbers: another one has the next, None is ABSENT."""

    def __init__(self, names: Sequence[Any] = ()) -> None:
        super().__init__({None: ABSENT} | {name: code for code, name in enumerate(names)})

    def __missing__(self, name: Any) -> int:
        code = self[name] = len(self) - 1
        return code

    @property
    def names(self) -> tuple[Any, ...]:
        """All of them in the order of their numbers."""
        return tuple(self)[1:]
