"""Lookup of the pay tables in use for a line, for every seat of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints
from validator.engine.cards.ranked_hands import strength
from validator.engine.compiled.ladders import Ladder, ladder_of, spans_of
from validator.engine.compiled.printed_tables import MOST_PARTS, Worth, parts_of
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import UNKNOWN, YES
from validator.engine.payouts.pay_table_cells import Rates, cells_of_hands, cells_of_values, rates_of
from validator.engine.payouts.tables_in_use import InUse, tables_in_use
from validator.rules.model.pay_tables import Shared
from validator.rules.model.settlement import ByTable, Unlisted

_MAX_SHARERS = 10
"""Largest number of seats that share an award; no deck has as many such hands at once."""


class Shares(Struct, frozen=True, kw_only=True):
    """Row whose award several seats share."""

    name: str
    """Name of the row."""
    row: Flags
    """Cells of the row, bool[256]."""
    seats: Ints
    """Number of seats that share in each round, int64[rounds], at least 1."""
    sure: Flags
    """True if that number is known, bool[rounds]."""


class Lookup(Struct, frozen=True, kw_only=True):
    """Tables that a line may be paid by, and what each seat has in them."""

    tables: tuple[InUse, ...]
    """The k tables that may be in use."""
    rates: tuple[Rates, ...]
    """Rates of each table."""
    shares: tuple[tuple[Shares, ...], ...]
    """Shared rows of each table."""
    cells: Codes
    """Cell of each seat's hand or scale, uint8[seats]."""
    stake: Ints
    """Pay of each table per unit staked, by cell, in parts, int64[k, 256]."""
    listed: Flags
    """Cells for which each table has a row, bool[1 or k, 256]."""
    by_stake: Flags
    """Cells whose row pays by the stake, bool[k, 256]."""
    floor: Flags | None
    """Cells for which more may be paid, bool[k, 256]; None if nowhere."""
    rounds: Flags | None
    """Rounds in which each table may be in use, bool[k, rounds]; None if in all."""
    per: int
    """Number of parts in a unit."""
    largest: int
    """Highest of all rates."""
    plain: bool
    """True if only the stake matters."""


def looked_at(scope: Scope, due: ByTable) -> str:
    """Return the hand, or the scale, by which an amount due by table is looked up."""
    return due.hand or scope.prepared.printed[due.of][0].table.looks_at[0]


@fact
def look_up(scope: Scope, due: ByTable) -> Lookup | None:
    """Look up the tables that a line may be paid by; None if they determine nothing."""
    tables = tables_in_use(scope, due)
    name = looked_at(scope, due)
    scale = scope.prepared.game.scales.get(name)
    ladder: Ladder = scope.prepared.hands[name].ranking if scale is None else ladder_of(scale)
    rows = [_fill_missing_rows(table.rows, scope.prepared.unlisted, ladder) for table in tables]
    per = lcm(*map(parts_of, rows))
    if not tables or per > MOST_PARTS:
        return None
    cells, floors = _assign_cells(scope, name, {row for worths in rows for row in worths})
    rates = tuple(rates_of(worths, ladder, floors, per) for worths in rows)
    listed = np.stack([table_rates.listed for table_rates in rates])
    open_above = np.stack([table_rates.above & table.floor for table_rates, table in zip(rates, tables, strict=True)])
    shares = tuple(
        tuple(_count_sharers(scope, shared, ladder, floors) for shared in table.printed.shared) for table in tables
    )
    return Lookup(
        tables=tables,
        rates=rates,
        shares=shares,
        cells=cells,
        stake=np.stack([table_rates.stake for table_rates in rates]),
        listed=listed[:1] if (listed == listed[0]).all() else listed,
        by_stake=np.stack([table_rates.by_stake for table_rates in rates]),
        floor=open_above if open_above.any() else None,
        rounds=_stack_usable_rounds(scope, tables),
        per=per,
        largest=max(table_rates.largest for table_rates in rates),
        plain=all(table_rates.plain for table_rates in rates) and not any(shares),
    )


def _stack_usable_rounds(scope: Scope, tables: tuple[InUse, ...]) -> Flags | None:
    """Return the rounds in which each table may be in use; None if all are in use in all rounds."""
    if all(table.rounds is None for table in tables):
        return None
    everywhere = np.ones(scope.length("round"), bool)
    return np.stack([everywhere if table.rounds is None else table.rounds for table in tables])


def _fill_missing_rows(rows: Mapping[str, Worth], unlisted: tuple[Unlisted, ...], ladder: Ladder) -> dict[str, Worth]:
    """Return the rows of a table with the pay of the rows that it lacks."""
    filled = dict(rows)
    for rule in unlisted:
        if rule.category not in rows and spans_of(ladder, [rule.category]):
            if rule.pays is not None:
                filled[rule.category] = (rule.pays.unit, rule.pays.worth)
            elif rule.pays_as is not None and rule.pays_as in rows:
                filled[rule.category] = rows[rule.pays_as]
    return filled


def _assign_cells(scope: Scope, name: str, rows: set[str]) -> tuple[Codes, tuple[int, ...]]:
    """Return the cell of every seat for a hand or a scale, and the lowest number of each cell."""
    scale = scope.prepared.game.scales.get(name)
    if scale is not None:
        return _cells_of_scale(scope, name)
    ranking = scope.prepared.hands[name].ranking
    ends = frozenset(end for span in spans_of(ranking, sorted(rows)).values() for end in span)
    return _cells_of_hand(scope, name, ends)


@fact
def _cells_of_hand(scope: Scope, name: str, ends: frozenset[int]) -> tuple[Codes, tuple[int, ...]]:
    return cells_of_hands(scope.prepared.hands[name].ranking, strength(scope, name), ends)


@fact
def _cells_of_scale(scope: Scope, name: str) -> tuple[Codes, tuple[int, ...]]:
    scale = scope.prepared.game.scales[name]
    values, known = scope.numbers(scale.of, "seat")
    floors = (np.iinfo(np.int64).min, *sorted(band.at_least for band in scale.bands))
    return cells_of_values(values, known, floors), floors


def _count_sharers(scope: Scope, shared: Shared, ladder: Ladder, floors: tuple[int, ...]) -> Shares:
    """Return a shared row, with the number of seats that share it in each round."""
    low, high = ladder.span(shared.row)
    row = np.zeros(256, bool)
    row[: len(floors)] = [low <= floor < high for floor in floors]
    among, rounds = scope.truth(shared.among, "seat"), scope.length("round")
    owner = scope.batch.seats.round
    count = np.bincount(owner[among == YES], minlength=rounds)
    sure = np.bincount(owner[among == UNKNOWN], minlength=rounds) == 0
    return Shares(name=shared.row, row=row, seats=np.clip(count, 1, _MAX_SHARERS), sure=sure & (count <= _MAX_SHARERS))
