"""Casino, table, day and dealer of each round: the groups of the statistics."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from validator.arrays import Indices, Ints, Ints32
from validator.evidence.columns.batch import UNDATED, Batch, Coded
from validator.evidence.handlog.context import read

_EPOCH = date(1970, 1, 1)
_NO_DAY = -(1 << 40)
DEALER = "dealer"
"""Key of the dealer in the context of a round."""


class Place(NamedTuple):
    """Casino, table, day, dealer and currency of some rounds; each None if the log does not state it."""

    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    currency: str | None


class Cloth(NamedTuple):
    """Table of a casino, with a deck in play there."""

    casino: str | None
    table: str | None
    deck: str | None


def places_of(batch: Batch) -> tuple[list[Place], Indices]:
    """Return the distinct places of rounds, and the index of the place of each round, int64[rounds]."""
    dealers = [read(text).get(DEALER) for text in batch.context.names]
    names = list(dict.fromkeys(name for name in dealers if name is not None))
    codes = np.array([-1 if name is None else names.index(name) for name in dealers] + [-1], np.int64)
    day = np.where(batch.dated == UNDATED, _NO_DAY, batch.day)
    rows, place = _find_distinct_rows(
        batch.casino.codes, batch.table.codes, day, codes[batch.context.codes], batch.currency.codes
    )
    return [
        Place(
            casino=_name_of_code(batch.casino, casino),
            table=_name_of_code(batch.table, table),
            day=None if days == _NO_DAY else (_EPOCH + timedelta(days=days)).isoformat(),
            dealer=None if dealer < 0 else names[dealer],
            currency=_name_of_code(batch.currency, currency),
        )
        for casino, table, days, dealer, currency in rows.tolist()
    ], place


def cloths_of(batch: Batch) -> tuple[list[Cloth], Indices]:
    """Return the distinct tables with their decks, and the index for each round, int64[rounds]."""
    rows, cloth = _find_distinct_rows(batch.casino.codes, batch.table.codes, batch.deck.codes)
    return [
        Cloth(
            casino=_name_of_code(batch.casino, casino),
            table=_name_of_code(batch.table, table),
            deck=_name_of_code(batch.deck, deck),
        )
        for casino, table, deck in rows.tolist()
    ], cloth


def _find_distinct_rows(*columns: Ints | Ints32) -> tuple[Ints, Indices]:
    rows, at = np.unique(np.stack([column.astype(np.int64) for column in columns], axis=1), axis=0, return_inverse=True)
    return rows, at.reshape(-1)


def _name_of_code(column: Coded, code: int) -> str | None:
    return None if code < 0 else column.names[code]


def in_order(place: Mapping[str, str | None] | tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    """Return the sort key of a place: by name, with missing names last."""
    values = place.values() if isinstance(place, Mapping) else place
    return tuple((value is None, value or "") for value in values)
