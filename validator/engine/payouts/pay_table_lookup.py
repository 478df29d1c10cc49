"""Pay tables in use for a line, and their lookup for every seat of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import lcm

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32, Truths, are_all, has_any
from fairdeal.validator.cards.hand_orders import HandOrder
from fairdeal.validator.engine.core import house_terms, kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
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
    usable_rounds: Flags | None
    """Rounds in which it may be in use; None if in all."""


@cached_fact
def find_tables_in_use(scope: EvaluationContext, due: ByTable) -> tuple[TableInUse, ...]:
    """Return the tables that a line may be paid by, in printed order.

    Printed tables that are in use in no round are left out. With `match: exactly`, a posted table decides if it is one
    of the printed ones, and is ignored otherwise. With `at-least`, the posted tables that are nowhere below a printed
    table replace it. If the regulator waived the printed tables, the posted tables replace all of them.
    """
    result: list[TableInUse] = []
    for printed in scope.compiled_game.printed_tables.get(due.of, ()):
        rounds = _find_usable_rounds(scope, printed)
        if rounds is None or has_any(rounds):
            result += _list_alternatives(scope, due, printed, rounds)
    permitted = _find_permitted(scope, due.of, result)
    if permitted:
        return permitted
    if scope.compiled_game.resolve_match(due) == "exactly":
        posted = [table for table in result if table.worths in _list_posted(scope, due.of, table.printed)]
        return tuple(posted or result)
    return tuple(result)


def _find_permitted(scope: EvaluationContext, line: str, printed_tables: list[TableInUse]) -> tuple[TableInUse, ...]:
    """Return the posted tables of a line that a waiver permits to pay any odds, each with the most similar printed
    table.

    The result is empty without such a waiver.
    """
    configuration = scope.configuration
    if configuration is None or line not in configuration.permitted_tables or not printed_tables:
        return ()
    tables: list[TableInUse] = []
    for number in range(len(configuration.pay_tables.get(line, ()))):
        candidates = [(table, _list_posted(scope, line, table.printed)[number]) for table in printed_tables]
        nearest, rows = min(candidates, key=lambda pair: len(pair[0].printed.worth.items() ^ pair[1].items()))
        if house_terms.find_common_denominator(rows) <= house_terms.MAX_TABLE_DENOMINATOR:
            tables.append(
                TableInUse(printed=nearest.printed, worths=rows, is_minimum=False, usable_rounds=nearest.usable_rounds)
            )
    return tuple(tables)


def _find_usable_rounds(scope: EvaluationContext, printed: house_terms.PrintedTable) -> Flags | None:
    """Return the rounds in which a table may be in use; None if in all."""
    if printed.table.when is None:
        return None
    possible: Flags = scope.evaluate(printed.table.when, "round") != NO
    return None if are_all(possible) else possible


def _list_alternatives(
    scope: EvaluationContext, due: ByTable, printed: house_terms.PrintedTable, rounds: Flags | None
) -> list[TableInUse]:
    """Return a printed table as a case of settlement uses it: the table itself, a minimum, or the posted tables above
    it.
    """
    match = scope.compiled_game.resolve_match(due)
    if match == "exactly":
        return [TableInUse(printed=printed, worths=printed.worth, is_minimum=False, usable_rounds=rounds)]
    lawful = [
        posted
        for posted in _list_posted(scope, due.of, printed)
        if match != "at-least-printed"
        and printed.is_floor_of(posted)
        and house_terms.find_common_denominator(posted) <= house_terms.MAX_TABLE_DENOMINATOR
    ]
    if not lawful:
        return [TableInUse(printed=printed, worths=printed.worth, is_minimum=True, usable_rounds=rounds)]
    floor = match == "at-least-posted"
    return [TableInUse(printed=printed, worths=posted, is_minimum=floor, usable_rounds=rounds) for posted in lawful]


def _list_posted(
    scope: EvaluationContext, line: str, printed: house_terms.PrintedTable
) -> list[Mapping[str, house_terms.Worth]]:
    """Return the posted tables of a line by worth, in the units of a printed table."""
    configuration = scope.configuration
    if configuration is None:
        return []
    size = configuration.fixed_stake(house_terms.find_base_wager(scope.compiled_game.game, line))
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


def assign_hand_cells(ranking: HandOrder, strengths: Ints32, ends: Set[int]) -> tuple[Codes, tuple[int, ...]]:
    """Assign each strength to a cell, and return the lowest strength of each cell.

    No cell contains a range end in its interior. If all ends are those of categories, the cells are the categories,
    which is faster.
    """
    spans = [ranking.span(category) for category in ranking.categories]
    if ends <= {end for span in spans for end in span}:
        return ranking.category(strengths), tuple(low for low, _ in spans)
    floors = tuple(sorted({spans[0][0], *ends}))
    cells = np.searchsorted(np.array(floors, np.int32), strengths, side="right") - 1
    return cells.astype(np.uint8), floors  # a strength below the first floor is unknown: -1 becomes NO_CELL


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
    ladder: house_terms.Ladder = (
        scope.compiled_game.hands[name].ranking if scale is None else house_terms.compile_scale(scale)
    )
    rows = [_fill_missing_rows(table.worths, scope.compiled_game.unlisted_rows, ladder) for table in tables]
    per = lcm(*map(house_terms.find_common_denominator, rows))
    if not tables or per > house_terms.MAX_TABLE_DENOMINATOR:
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
        has_row=listed[:1] if are_all(listed == listed[0]) else listed,
        is_by_stake=np.stack([table_rates.is_by_stake for table_rates in rates]),
        is_minimum=open_above if has_any(open_above) else None,
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


def _assign_cells(scope: EvaluationContext, name: str, rows: set[str]) -> tuple[Codes, tuple[int, ...]]:
    """Return the cell of every seat for a hand or a scale, and the lowest number of each cell."""
    scale = scope.compiled_game.game.scales.get(name)
    if scale is not None:
        return _cells_of_scale(scope, name)
    ranking = scope.compiled_game.hands[name].ranking
    ends = frozenset(end for span in house_terms.find_spans(ranking, sorted(rows)).values() for end in span)
    return _cells_of_hand(scope, name, ends)


@cached_fact
def _cells_of_hand(scope: EvaluationContext, name: str, ends: frozenset[int]) -> tuple[Codes, tuple[int, ...]]:
    return assign_hand_cells(scope.compiled_game.hands[name].ranking, hand_strength(scope, name), ends)


@cached_fact
def _cells_of_scale(scope: EvaluationContext, name: str) -> tuple[Codes, tuple[int, ...]]:
    scale = scope.compiled_game.game.scales[name]
    values, known = scope.evaluate_numbers(scale.of, "seat")
    floors = (np.iinfo(np.int64).min, *sorted(scale.bands.values()))
    return assign_value_cells(values, known, floors), floors


def _count_sharers(
    scope: EvaluationContext, shared: SharedAward, ladder: house_terms.Ladder, floors: tuple[int, ...]
) -> SharedRow:
    """Return a shared row, with the number of seats that share it in each round."""
    low, high = ladder.span(shared.category)
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
