"""Lookup of the pay tables in use for a line, for every seat of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints
from validator.engine.cards.ranked_hands import hand_strength
from validator.engine.compiled.ladders import Ladder, compile_scale, find_spans
from validator.engine.compiled.printed_tables import MAX_TABLE_DENOMINATOR, Worth, find_common_denominator
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.kleene import UNKNOWN, YES
from validator.engine.payouts.pay_table_cells import CellRates, assign_hand_cells, assign_value_cells, compute_rates
from validator.engine.payouts.tables_in_use import TableInUse, find_tables_in_use
from validator.rules.model.pay_tables import SharedAward
from validator.rules.model.settlement import ByTable, Unlisted

_MAX_SHARERS = 10
"""Largest number of seats that share an award; no deck has as many such hands at once."""


class SharedRow(Struct, frozen=True, kw_only=True):
    """Row whose award several seats share."""

    name: str
    """Name of the row."""
    cells: Flags
    """Cells of the row, bool[256]."""
    sharer_count: Ints
    """Number of seats that share in each round, int64[rounds], at least 1."""
    is_known: Flags
    """True if that number is known, bool[rounds]."""


class TableLookup(Struct, frozen=True, kw_only=True):
    """Tables that a line may be paid by, and what each seat has in them."""

    tables: tuple[TableInUse, ...]
    """The k tables that may be in use."""
    rates: tuple[CellRates, ...]
    """Rates of each table."""
    shared_rows: tuple[tuple[SharedRow, ...], ...]
    """Shared rows of each table."""
    cells: Codes
    """Cell of each seat's hand or scale, uint8[seats]."""
    stake: Ints
    """Pay of each table per unit staked, by cell, in parts, int64[k, 256]."""
    has_row: Flags
    """Cells for which each table has a row, bool[1 or k, 256]."""
    is_by_stake: Flags
    """Cells whose row pays by the stake, bool[k, 256]."""
    is_minimum: Flags | None
    """Cells for which more may be paid, bool[k, 256]; None if nowhere."""
    usable_rounds: Flags | None
    """Rounds in which each table may be in use, bool[k, rounds]; None if in all."""
    denominator: int
    """Number of parts in a unit."""
    largest_rate: int
    """Highest of all rates."""
    is_by_stake_only: bool
    """True if only the stake matters."""


def find_looked_up_name(scope: EvaluationContext, due: ByTable) -> str:
    """Return the hand, or the scale, by which an amount due by table is looked up."""
    return due.hand or scope.compiled_game.printed_tables[due.of][0].table.lookup_names[0]


@cached_fact
def look_up_tables(scope: EvaluationContext, due: ByTable) -> TableLookup | None:
    """Look up the tables that a line may be paid by; None if they determine nothing."""
    tables = find_tables_in_use(scope, due)
    name = find_looked_up_name(scope, due)
    scale = scope.compiled_game.game.scales.get(name)
    ladder: Ladder = scope.compiled_game.hands[name].ranking if scale is None else compile_scale(scale)
    rows = [_fill_missing_rows(table.worths, scope.compiled_game.unlisted_rows, ladder) for table in tables]
    per = lcm(*map(find_common_denominator, rows))
    if not tables or per > MAX_TABLE_DENOMINATOR:
        return None
    cells, floors = _assign_cells(scope, name, {row for worths in rows for row in worths})
    rates = tuple(compute_rates(worths, ladder, floors, per) for worths in rows)
    listed = np.stack([table_rates.is_listed for table_rates in rates])
    open_above = np.stack(
        [table_rates.pays_something & table.is_minimum for table_rates, table in zip(rates, tables, strict=True)]
    )
    shares = tuple(
        tuple(_count_sharers(scope, shared, ladder, floors) for shared in table.printed.shared_rows) for table in tables
    )
    return TableLookup(
        tables=tables,
        rates=rates,
        shared_rows=shares,
        cells=cells,
        stake=np.stack([table_rates.stake for table_rates in rates]),
        has_row=listed[:1] if (listed == listed[0]).all() else listed,
        is_by_stake=np.stack([table_rates.is_by_stake for table_rates in rates]),
        is_minimum=open_above if open_above.any() else None,
        usable_rounds=_stack_usable_rounds(scope, tables),
        denominator=per,
        largest_rate=max(table_rates.largest_rate for table_rates in rates),
        is_by_stake_only=all(table_rates.is_by_stake_only for table_rates in rates) and not any(shares),
    )


def _stack_usable_rounds(scope: EvaluationContext, tables: tuple[TableInUse, ...]) -> Flags | None:
    """Return the rounds in which each table may be in use; None if all are in use in all rounds."""
    if all(table.usable_rounds is None for table in tables):
        return None
    everywhere = np.ones(scope.count_items("round"), bool)
    return np.stack([everywhere if table.usable_rounds is None else table.usable_rounds for table in tables])


def _fill_missing_rows(rows: Mapping[str, Worth], unlisted: tuple[Unlisted, ...], ladder: Ladder) -> dict[str, Worth]:
    """Return the rows of a table with the pay of the rows that it lacks."""
    filled = dict(rows)
    for rule in unlisted:
        if rule.category not in rows and find_spans(ladder, [rule.category]):
            if rule.pays is not None:
                filled[rule.category] = (rule.pays.unit, rule.pays.worth)
            elif rule.pays_as is not None and rule.pays_as in rows:
                filled[rule.category] = rows[rule.pays_as]
    return filled


def _assign_cells(scope: EvaluationContext, name: str, rows: set[str]) -> tuple[Codes, tuple[int, ...]]:
    """Return the cell of every seat for a hand or a scale, and the lowest number of each cell."""
    scale = scope.compiled_game.game.scales.get(name)
    if scale is not None:
        return _cells_of_scale(scope, name)
    ranking = scope.compiled_game.hands[name].ranking
    ends = frozenset(end for span in find_spans(ranking, sorted(rows)).values() for end in span)
    return _cells_of_hand(scope, name, ends)


@cached_fact
def _cells_of_hand(scope: EvaluationContext, name: str, ends: frozenset[int]) -> tuple[Codes, tuple[int, ...]]:
    return assign_hand_cells(scope.compiled_game.hands[name].ranking, hand_strength(scope, name), ends)


@cached_fact
def _cells_of_scale(scope: EvaluationContext, name: str) -> tuple[Codes, tuple[int, ...]]:
    scale = scope.compiled_game.game.scales[name]
    values, known = scope.evaluate_numbers(scale.of, "seat")
    floors = (np.iinfo(np.int64).min, *sorted(band.at_least for band in scale.bands))
    return assign_value_cells(values, known, floors), floors


def _count_sharers(scope: EvaluationContext, shared: SharedAward, ladder: Ladder, floors: tuple[int, ...]) -> SharedRow:
    """Return a shared row, with the number of seats that share it in each round."""
    low, high = ladder.span(shared.row)
    row = np.zeros(256, bool)
    row[: len(floors)] = [low <= floor < high for floor in floors]
    among, rounds = scope.evaluate(shared.among, "seat"), scope.count_items("round")
    owner = scope.batch.seats.round
    count = np.bincount(owner[among == YES], minlength=rounds)
    sure = np.bincount(owner[among == UNKNOWN], minlength=rounds) == 0
    return SharedRow(
        name=shared.row,
        cells=row,
        sharer_count=np.clip(count, 1, _MAX_SHARERS),
        is_known=sure & (count <= _MAX_SHARERS),
    )
