"""Where, when and by whom rounds were dealt: what statistics are told apart by."""

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
"""What the dealer is called in the context of a round."""


class Place(NamedTuple):
    """A casino, a table, a day and a dealer there, and the currency; None where the log does not say."""

    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    currency: str | None


class Cloth(NamedTuple):
    """A table of a casino, and a deck that was in play there."""

    casino: str | None
    table: str | None
    deck: str | None


def places_of(batch: Batch) -> tuple[list[Place], Indices]:
    """The places of rounds, and int64[rounds], which of them each is at."""
    dealers = [read(text).get(DEALER) for text in batch.context.names]
    names = list(dict.fromkeys(name for name in dealers if name is not None))
    codes = np.array([-1 if name is None else names.index(name) for name in dealers] + [-1], np.int64)
    day = np.where(batch.dated == UNDATED, _NO_DAY, batch.day)
    rows, place = _distinct(
        batch.casino.codes, batch.table.codes, day, codes[batch.context.codes], batch.currency.codes
    )
    return [
        Place(
            casino=_name(batch.casino, casino),
            table=_name(batch.table, table),
            day=None if at == _NO_DAY else (_EPOCH + timedelta(days=at)).isoformat(),
            dealer=None if dealer < 0 else names[dealer],
            currency=_name(batch.currency, currency),
        )
        for casino, table, at, dealer, currency in rows.tolist()
    ], place


def cloths_of(batch: Batch) -> tuple[list[Cloth], Indices]:
    """The tables and decks of rounds, and int64[rounds], which of them each was played with."""
    rows, cloth = _distinct(batch.casino.codes, batch.table.codes, batch.deck.codes)
    return [
        Cloth(casino=_name(batch.casino, casino), table=_name(batch.table, table), deck=_name(batch.deck, deck))
        for casino, table, deck in rows.tolist()
    ], cloth


def _distinct(*columns: Ints | Ints32) -> tuple[Ints, Indices]:
    rows, at = np.unique(np.stack([column.astype(np.int64) for column in columns], axis=1), axis=0, return_inverse=True)
    return rows, at.reshape(-1)


def _name(column: Coded, code: int) -> str | None:
    return None if code < 0 else column.names[code]


def in_order(place: Mapping[str, str | None] | tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    """By what places are sorted: by name, what is not told last."""
    values = place.values() if isinstance(place, Mapping) else place
    return tuple((value is None, value or "") for value in values)
