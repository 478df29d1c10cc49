"""Pay tables in use for a line, and their lookup for every seat of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import lcm
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32, Truths, are_all, has_any
from fairdeal.validator.cards.hand_orders import HandOrder
from fairdeal.validator.engine.core import house_terms, kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_by_terms, cached_fact
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.final_hands import hand_strength
from fairdeal.validator.language.grammar import Grain, ListedHand
from fairdeal.validator.rules.payment_model import ByTable, SharedAward, Unlisted


class TableInUse(Struct, frozen=True, kw_only=True, eq=False):
    """Pay table that a line may be paid by."""

    printed: house_terms.PrintedTable
    """Printed table that it is derived from."""
    worths: Mapping[str, house_terms.Worth]
    """Worth of its rows."""
    is_minimum: bool
    """True if more may be paid."""


def find_tables_in_use(scope: EvaluationContext, due: ByTable) -> tuple[TableInUse, ...]:
    """Return the tables that a line may be paid by, in printed order.

    Printed tables that are in use in no round are left out. With `match: exactly`, a posted table decides if it is one
    of the printed ones, and is ignored otherwise. With `at-least`, the posted tables that are nowhere below a printed
    table replace it. If the regulator waived the printed tables, the posted tables replace all of them.
    """
    usable = (_find_usable_rounds(scope, printed) for printed in scope.compiled_game.printed_tables.get(due.of, ()))
    return _list_tables(scope, due, tuple(rounds is None or has_any(rounds) for rounds in usable))


@cached_by_terms
def _list_tables(
    game: CompiledGame, configuration: LicenseeConfiguration | None, due: ByTable, usable: tuple[bool, ...]
) -> tuple[TableInUse, ...]:
    """Return the tables that a line may be paid by, given which printed tables may be in use."""
    result: list[TableInUse] = []
    for printed, is_usable in zip(game.printed_tables.get(due.of, ()), usable, strict=True):
        if is_usable:
            result += _list_alternatives(game, configuration, due, printed)
    permitted = _find_permitted(game, configuration, due.of, result)
    if permitted:
        return permitted
    if game.resolve_match(due) == "exactly":
        posted = [table for table in result if table.worths in _list_posted(game, configuration, due.of, table.printed)]
        return tuple(posted or result)
    return tuple(result)


def _find_permitted(
    game: CompiledGame, configuration: LicenseeConfiguration | None, line: str, printed_tables: list[TableInUse]
) -> tuple[TableInUse, ...]:
    """Return the posted tables of a line that a waiver permits to pay any odds, each with the most similar printed
    table.

    The result is empty without such a waiver.
    """
    if configuration is None or line not in configuration.permitted_tables or not printed_tables:
        return ()
    tables: list[TableInUse] = []
    for number in range(len(configuration.pay_tables.get(line, ()))):
        candidates = [
            (table, _list_posted(game, configuration, line, table.printed)[number]) for table in printed_tables
        ]
        nearest, rows = min(candidates, key=lambda pair: len(pair[0].printed.worth.items() ^ pair[1].items()))
        if house_terms.find_common_denominator(rows) <= house_terms.MAX_TABLE_DENOMINATOR:
            tables.append(TableInUse(printed=nearest.printed, worths=rows, is_minimum=False))
    return tuple(tables)


def _find_usable_rounds(scope: EvaluationContext, printed: house_terms.PrintedTable) -> Flags | None:
    """Return the rounds in which a table may be in use; None if in all."""
    if printed.table.when is None:
        return None
    possible: Flags = scope.evaluate(printed.table.when, "round") != NO
    return None if are_all(possible) else possible


def _list_alternatives(
    game: CompiledGame, configuration: LicenseeConfiguration | None, due: ByTable, printed: house_terms.PrintedTable
) -> list[TableInUse]:
    """Return a printed table as a case of settlement uses it: the table itself, a minimum, or the posted tables above
    it.
    """
    match = game.resolve_match(due)
    if match == "exactly":
        return [TableInUse(printed=printed, worths=printed.worth, is_minimum=False)]
    lawful = [
        posted
        for posted in _list_posted(game, configuration, due.of, printed)
        if match != "at-least-printed"
        and printed.is_floor_of(posted)
        and house_terms.find_common_denominator(posted) <= house_terms.MAX_TABLE_DENOMINATOR
    ]
    if not lawful:
        return [TableInUse(printed=printed, worths=printed.worth, is_minimum=True)]
    floor = match == "at-least-posted"
    return [TableInUse(printed=printed, worths=posted, is_minimum=floor) for posted in lawful]


def _list_posted(
    game: CompiledGame, configuration: LicenseeConfiguration | None, line: str, printed: house_terms.PrintedTable
) -> list[Mapping[str, house_terms.Worth]]:
    """Return the posted tables of a line by worth, in the units of a printed table."""
    if configuration is None:
        return []
    size = configuration.fixed_stake(house_terms.find_base_wager(game.game, line))
    return [printed.compute_posted_worth(rows, size) for rows in configuration.pay_tables.get(line, ())]


def is_listed(scope: EvaluationContext, operand: ListedHand, grain: Grain) -> Truths:
    """Return whether every table that may be in use has a row for each seat's hand; unknown if only some have one."""
    looked = look_up_tables(scope, ByTable(of=operand.of, hand=operand.hand, match="at-least"))
    if looked is None:
        return kleene.constant(UNKNOWN, scope.count_items(grain))
    rows = looked.has_row.take(looked.cells, axis=1)
    out = np.zeros((1, 1), bool) if looked.usable_rounds is None else ~looked.usable_rounds[:, scope.batch.seats.round]
    everywhere, somewhere = np.all(rows | out, axis=0), np.any(rows & ~out, axis=0)
    return kleene.where_known(everywhere, (looked.cells != NO_CELL) & (everywhere == somewhere))


NO_CELL = 255
"""Cell of an unknown strength or value."""
_CELLS = 256
_ANY = 2**62


def assign_value_cells(values: Ints, known: Flags, floors: Sequence[int]) -> Codes:
    """Assign each value to a cell: the number of the ascending floors it reaches, minus 1.

    The first floor is below all values.
    """
    cells = np.searchsorted(np.array(floors, np.int64), values, side="right") - 1
    return np.where(known, cells, NO_CELL).astype(np.uint8)


class HandCells(NamedTuple):
    """Cells of hands, none of which contains the end of a row's range in its interior."""

    floors: tuple[int, ...]
    """Lowest strength of each cell, ascending."""
    are_categories: bool
    """True if the cells are the categories of the ranking, which is faster."""


def find_hand_cells(ranking: HandOrder, ends: Set[int]) -> HandCells:
    """Return the cells of hands for the ends of some ranges."""
    spans = [ranking.span(category) for category in ranking.categories]
    if ends <= {end for span in spans for end in span}:
        return HandCells(tuple(low for low, _ in spans), are_categories=True)
    return HandCells(tuple(sorted({spans[0][0], *ends})), are_categories=False)


def assign_hand_cells(ranking: HandOrder, strengths: Ints32, hand_cells: HandCells) -> Codes:
    """Assign each strength to a cell."""
    if hand_cells.are_categories:
        return ranking.category(strengths)
    cells = np.searchsorted(np.array(hand_cells.floors, np.int32), strengths, side="right") - 1
    return cells.astype(np.uint8)  # a strength below the first floor is unknown: -1 becomes NO_CELL


class CellRates(Struct, frozen=True, kw_only=True):
    """Rates of a pay table by cell: arrays of 256 entries; cells without a row pay nothing."""

    row_names: dict[int, str]
    """Row of each cell."""
    is_listed: Flags
    """True if the cell has a row."""
    pays_something: Flags
    """True if that row pays more than nothing."""
    is_by_stake: Flags
    """True if that row pays by the stake."""
    stake: Ints
    """Pay per unit staked, in parts."""
    meter: Ints
    """Share of the meter's reading, in parts."""
    money: Ints
    """Pay in minor units, in parts."""
    denominator: int
    """Number of parts in a unit."""

    @property
    def is_by_stake_only(self) -> bool:
        """Return whether all rows pay by the stake."""
        return not has_any(self.meter) and not has_any(self.money)

    @property
    def largest_rate(self) -> int:
        """Return the highest factor of an amount."""
        return max(int(self.stake.max()), int(self.meter.max()))


def compute_rates(
    rows: Mapping[str, house_terms.Worth], ladder: house_terms.Ladder, floors: Sequence[int], per: int
) -> CellRates:
    """Compute the rates of a table over cells given by their lowest values.

    Rows with names that the ladder does not have pay nothing. Of overlapping rows the first one counts.

    Args:
        per: the denominator, a multiple of every row's denominator.
    """
    spans = house_terms.find_spans(ladder, list(rows))
    row_names: dict[int, str] = {}
    is_listed, pays_something, is_by_stake = (np.zeros(_CELLS, bool) for _ in range(3))
    by_unit = {unit: np.zeros(_CELLS, np.int64) for unit in ("stake", "meter", "money")}
    for cell, floor in enumerate(floors):
        name = next((name for name, (low, high) in spans.items() if low <= floor < high), None)
        if name is not None:
            unit, worth = rows[name]
            row_names[cell] = name
            is_listed[cell], pays_something[cell], is_by_stake[cell] = True, worth > 0, unit == "stake"
            by_unit[unit][cell] = min(int(worth * per), _ANY)
    return CellRates(
        row_names=row_names,
        is_listed=is_listed,
        pays_something=pays_something,
        is_by_stake=is_by_stake,
        denominator=per,
        **by_unit,
    )


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


class RatedTables(Struct, frozen=True, kw_only=True, eq=False):
    """Tables that a line may be paid by, with their rates by cell."""

    tables: tuple[TableInUse, ...]
    """The k tables that may be in use."""
    hand_cells: HandCells
    """Cells of hands, or of the values of a scale."""
    rates: tuple[CellRates, ...]
    """Rates of each table."""
    stake: Ints
    """Pay of each table per unit staked, by cell, in parts, int64[k, 256]."""
    has_row: Flags
    """Cells for which each table has a row, bool[1 or k, 256]."""
    is_by_stake: Flags
    """Cells whose row pays by the stake, bool[k, 256]."""
    is_minimum: Flags | None
    """Cells for which more may be paid, bool[k, 256]; None if nowhere."""
    denominator: int
    """Number of parts in a unit."""
    largest_rate: int
    """Highest of all rates."""
    is_by_stake_only: bool
    """True if only the stake matters."""


class TableLookup(RatedTables, frozen=True, kw_only=True, eq=False):
    """Tables that a line may be paid by, and what each seat has in them."""

    shared_rows: tuple[tuple[SharedRow, ...], ...]
    """Shared rows of each table."""
    cells: Codes
    """Cell of each seat's hand or scale, uint8[seats]."""
    usable_rounds: Flags | None
    """Rounds in which each table may be in use, bool[k, rounds]; None if in all."""


def find_looked_up_name(scope: EvaluationContext, due: ByTable) -> str:
    """Return the hand, or the scale, by which an amount due by table is looked up."""
    return due.hand or scope.compiled_game.printed_tables[due.of][0].table.lookup_names[0]


@cached_fact
def look_up_tables(scope: EvaluationContext, due: ByTable) -> TableLookup | None:
    """Look up the tables that a line may be paid by; None if they determine nothing."""
    name = find_looked_up_name(scope, due)
    rated = _rate_tables(scope, name, find_tables_in_use(scope, due))
    if rated is None:
        return None
    usable = [_find_usable_rounds(scope, table.printed) for table in rated.tables]
    return TableLookup(
        **{field: getattr(rated, field) for field in RatedTables.__struct_fields__},
        cells=_assign_cells(scope, name, rated.hand_cells),
        shared_rows=tuple(
            tuple(_count_sharers(scope, name, shared, rated.hand_cells.floors) for shared in table.printed.shared_rows)
            for table in rated.tables
        ),
        usable_rounds=_stack_usable_rounds(scope, usable),
    )


def _find_ladder(game: CompiledGame, name: str) -> house_terms.Ladder:
    """Return the ranking of a hand, or the bands of a scale."""
    scale = game.game.scales.get(name)
    return game.hands[name].ranking if scale is None else house_terms.compile_scale(scale)


@cached_by_terms
def _rate_tables(
    game: CompiledGame, _: LicenseeConfiguration | None, name: str, tables: tuple[TableInUse, ...]
) -> RatedTables | None:
    """Return the rates of tables that are looked up by a hand or a scale; None if they determine nothing."""
    ladder = _find_ladder(game, name)
    rows = [_fill_missing_rows(table.worths, game.unlisted_rows, ladder) for table in tables]
    per = lcm(*map(house_terms.find_common_denominator, rows))
    if not tables or per > house_terms.MAX_TABLE_DENOMINATOR:
        return None
    hand_cells = _find_cells(game, name, {row for worths in rows for row in worths})
    rates = tuple(compute_rates(worths, ladder, hand_cells.floors, per) for worths in rows)
    listed = np.stack([table_rates.is_listed for table_rates in rates])
    open_above = np.stack(
        [table_rates.pays_something & table.is_minimum for table_rates, table in zip(rates, tables, strict=True)]
    )
    return RatedTables(
        tables=tables,
        hand_cells=hand_cells,
        rates=rates,
        stake=np.stack([table_rates.stake for table_rates in rates]),
        has_row=listed[:1] if are_all(listed == listed[0]) else listed,
        is_by_stake=np.stack([table_rates.is_by_stake for table_rates in rates]),
        is_minimum=open_above if has_any(open_above) else None,
        denominator=per,
        largest_rate=max(table_rates.largest_rate for table_rates in rates),
        is_by_stake_only=all(table_rates.is_by_stake_only for table_rates in rates)
        and not any(table.printed.shared_rows for table in tables),
    )


def _stack_usable_rounds(scope: EvaluationContext, usable: Sequence[Flags | None]) -> Flags | None:
    """Return the rounds in which each table may be in use; None if all are in use in all rounds."""
    if all(rounds is None for rounds in usable):
        return None
    everywhere = np.ones(scope.count_items("round"), bool)
    return np.stack([everywhere if rounds is None else rounds for rounds in usable])


def _fill_missing_rows(
    rows: Mapping[str, house_terms.Worth], unlisted: tuple[Unlisted, ...], ladder: house_terms.Ladder
) -> dict[str, house_terms.Worth]:
    """Return the rows of a table with the pay of the rows that it lacks."""
    filled = dict(rows)
    for rule in unlisted:
        if rule.category not in rows and house_terms.find_spans(ladder, [rule.category]):
            if rule.pays is not None:
                filled[rule.category] = (rule.pays.unit, rule.pays.worth)
            elif rule.pays_as is not None and rule.pays_as in rows:
                filled[rule.category] = rows[rule.pays_as]
    return filled


def _find_cells(game: CompiledGame, name: str, rows: set[str]) -> HandCells:
    """Return the cells of a hand or a scale for some rows."""
    scale = game.game.scales.get(name)
    if scale is not None:
        return HandCells((np.iinfo(np.int64).min, *sorted(scale.bands.values())), are_categories=False)
    ranking = game.hands[name].ranking
    spans = house_terms.find_spans(ranking, sorted(rows)).values()
    return find_hand_cells(ranking, {end for span in spans for end in span})


@cached_fact
def _assign_cells(scope: EvaluationContext, name: str, hand_cells: HandCells) -> Codes:
    """Return the cell of every seat for a hand or a scale."""
    scale = scope.compiled_game.game.scales.get(name)
    if scale is None:
        return assign_hand_cells(scope.compiled_game.hands[name].ranking, hand_strength(scope, name), hand_cells)
    values, known = scope.evaluate_numbers(scale.of, "seat")
    return assign_value_cells(values, known, hand_cells.floors)


def _count_sharers(scope: EvaluationContext, name: str, shared: SharedAward, floors: tuple[int, ...]) -> SharedRow:
    """Return a shared row, with the number of seats that share it in each round."""
    low, high = _find_ladder(scope.compiled_game, name).span(shared.category)
    row = np.zeros(256, bool)
    row[: len(floors)] = [low <= floor < high for floor in floors]
    among, rounds = scope.evaluate(shared.when, "seat"), scope.count_items("round")
    owner = scope.batch.seats.round
    count = np.bincount(owner[among == YES], minlength=rounds)
    sure = np.bincount(owner[among == UNKNOWN], minlength=rounds) == 0
    return SharedRow(
        name=shared.category,
        cells=row,
        sharer_count=np.clip(count, 1, _MAX_SHARERS),
        is_known=sure & (count <= _MAX_SHARERS),
    )
