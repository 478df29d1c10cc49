"""Relations built from lists of plain values, one list per column."""

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
    """Build a relation (a struct of columns) of a number of rows.

    Args:
        of: the struct.
        rows: the number of rows.
        names: first names of columns of text or codes, by field.
        given: by field, a list with one value per row (None if not recorded), or a finished column. Nothing is recorded
            in a column that is left out.
    """
    first = names or {}
    fields = of.__annotations__.items()
    return of(**{name: _build_column(type_, given.get(name), rows, first.get(name)) for name, type_ in fields})


def _build_column(kind: str, values: Any, rows: int, names: Sequence[str] | None) -> Any:
    if (values is not None and not isinstance(values, list)) or kind.endswith("| None"):
        return values
    recorded = None if values is None or values.count(None) == rows else values
    if kind == "Hands":
        return no_hands(rows) if recorded is None else hands(recorded)
    if kind == "Coded" or names is not None:
        column = _encode(recorded or [None] * rows, names or ())
        return column if kind == "Coded" else column.codes.astype(_NUMBERS[kind])
    if recorded is None:
        return no_numbers(rows).astype(_NUMBERS[kind])
    return np.array([ABSENT if value is None else value for value in recorded], _NUMBERS[kind])


def hands(hand_cards: Sequence[Sequence[int] | None]) -> Hands:
    """Build columns from lists of cards; None gives an unrecorded hand."""
    text = b"".join([bytes(value).ljust(WIDEST_HAND, _EMPTY) if value else _NO_CARDS for value in hand_cards])
    cards = np.frombuffer(text, np.uint8).reshape(len(hand_cards), WIDEST_HAND).copy()
    return Hands(
        cards=cards, count=np.array([ABSENT if value is None else len(value) for value in hand_cards], np.int16)
    )


def _encode(column: Sequence[str | None], names: Sequence[str]) -> Coded:
    codes = Numbered(names)
    column_codes = np.fromiter(map(codes.__getitem__, column), np.int32, len(column))
    return Coded(codes=column_codes, names=codes.names)


class Numbered(dict[Any, int]):
    """Dictionary that numbers its keys: a new key gets the next number, None is ABSENT."""

    def __init__(self, names: Sequence[Any] = ()) -> None:
        super().__init__({None: ABSENT} | {name: code for code, name in enumerate(names)})

    def __missing__(self, name: Any) -> int:
        code = self[name] = len(self) - 1
        return code

    @property
    def names(self) -> tuple[Any, ...]:
        """Keys in the order of their numbers."""
        return tuple(self)[1:]
