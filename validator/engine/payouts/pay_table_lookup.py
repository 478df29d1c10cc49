"""The pay tables in use for a line, looked up for every seat of a batch."""

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

_MOST_SHARES = 10
"""The largest number of seats that an award is shared out among; no deck makes as many such hands at once."""


class Shares(Struct, frozen=True, kw_only=True):
    """A row whose award is shared: `row` is bool[256], the cells of the row; `seats` int64[rounds], by how many seats
    in each round, at least 1; `sure` bool[rounds], where that is known."""

    name: str
    row: Flags
    seats: Ints
    sure: Flags


class Lookup(Struct, frozen=True, kw_only=True):
    """The tables that a line may be paid by, with what is looked up in them.

    `cells` is uint8[seats], where each seat's hand (or scale) stands. `stake` is int64[k, 256], what each of the k
    tables pays for a unit staked by cell, in 1 / `per`; `listed` bool[1 or k, 256], which cells it has a row for;
    `by_stake` bool[k, 256], which of those rows go by the stake; `floor` bool[k, 256], where it may pay more, None if
    nowhere. `largest` is the highest of all rates. `plain` says that only the stake matters. `rounds` is
    bool[k, rounds], where each table may be in use, None if everywhere.
    """

    tables: tuple[InUse, ...]
    rates: tuple[Rates, ...]
    shares: tuple[tuple[Shares, ...], ...]
    cells: Codes
    stake: Ints
    listed: Flags
    by_stake: Flags
    floor: Flags | None
    rounds: Flags | None
    per: int
    largest: int
    plain: bool


def looked_at(scope: Scope, due: ByTable) -> str:
    """The hand, or the scale, that a due by table looks at."""
    return due.hand or scope.prepared.printed[due.of][0].table.looks_at[0]


@fact
def look_up(scope: Scope, due: ByTable) -> Lookup | None:
    """The tables that a line may be paid by, looked up; None where nothing can be told by them."""
    tables = tables_in_use(scope, due)
    name = looked_at(scope, due)
    scale = scope.prepared.game.scales.get(name)
    ladder: Ladder = scope.prepared.hands[name].ranking if scale is None else ladder_of(scale)
    rows = [_filled(table.rows, scope.prepared.unlisted, ladder) for table in tables]
    per = lcm(*map(parts_of, rows))
    if not tables or per > MOST_PARTS:
        return None
    cells, floors = _cells(scope, name, {row for worths in rows for row in worths})
    rates = tuple(rates_of(worths, ladder, floors, per) for worths in rows)
    listed = np.stack([table_rates.listed for table_rates in rates])
    open_above = np.stack([table_rates.above & table.floor for table_rates, table in zip(rates, tables, strict=True)])
    shares = tuple(tuple(_shares(scope, shared, ladder, floors) for shared in table.printed.shared) for table in tables)
    return Lookup(
        tables=tables,
        rates=rates,
        shares=shares,
        cells=cells,
        stake=np.stack([table_rates.stake for table_rates in rates]),
        listed=listed[:1] if (listed == listed[0]).all() else listed,
        by_stake=np.stack([table_rates.by_stake for table_rates in rates]),
        floor=open_above if open_above.any() else None,
        rounds=_rounds(scope, tables),
        per=per,
        largest=max(table_rates.largest for table_rates in rates),
        plain=all(table_rates.plain for table_rates in rates) and not any(shares),
    )


def _rounds(scope: Scope, tables: tuple[InUse, ...]) -> Flags | None:
    """bool[k, rounds]: in which rounds each table may be in use; None if all in all."""
    if all(table.rounds is None for table in tables):
        return None
    everywhere = np.ones(scope.length("round"), bool)
    return np.stack([everywhere if table.rounds is None else table.rounds for table in tables])


def _filled(rows: Mapping[str, Worth], unlisted: tuple[Unlisted, ...], ladder: Ladder) -> dict[str, Worth]:
    """The rows of a table, with what is paid for those that it lacks."""
    filled = dict(rows)
    for rule in unlisted:
        if rule.category not in rows and spans_of(ladder, [rule.category]):
            if rule.pays is not None:
                filled[rule.category] = (rule.pays.unit, rule.pays.worth)
            elif rule.pays_as is not None and rule.pays_as in rows:
                filled[rule.category] = rows[rule.pays_as]
    return filled


def _cells(scope: Scope, name: str, rows: set[str]) -> tuple[Codes, tuple[int, ...]]:
    """The cell of every seat under a hand or a scale, and the lowest number of each cell."""
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


def _shares(scope: Scope, shared: Shared, ladder: Ladder, floors: tuple[int, ...]) -> Shares:
    """A shared row, and by how many seats it is shared in each round."""
    low, high = ladder.span(shared.row)
    row = np.zeros(256, bool)
    row[: len(floors)] = [low <= floor < high for floor in floors]
    among, rounds = scope.truth(shared.among, "seat"), scope.length("round")
    owner = scope.batch.seats.round
    count = np.bincount(owner[among == YES], minlength=rounds)
    sure = np.bincount(owner[among == UNKNOWN], minlength=rounds) == 0
    return Shares(name=shared.row, row=row, seats=np.clip(count, 1, _MOST_SHARES), sure=sure & (count <= _MOST_SHARES))
