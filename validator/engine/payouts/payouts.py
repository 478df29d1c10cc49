"""Amounts due by pay tables: by hand or scale; per stake, meter or amount; shared or added up."""

from __future__ import annotations

from math import lcm

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Ints32, distinct
from validator.engine.core.context import Scope
from validator.engine.facts.meters import meter_reads
from validator.engine.facts.other_players import Others, others_where
from validator.engine.facts.stakes import Reckoned
from validator.engine.payouts.pay_table_cells import OFF
from validator.engine.payouts.pay_table_lookup import Lookup, Shares, look_up
from validator.engine.payouts.scaled_amounts import MOST_PER, Award, nothing_evident, rescaled, times
from validator.language.conditions import Condition
from validator.rules.model.settlement import ByTable


class _TableDue(Struct, frozen=True, kw_only=True):
    """Amounts due by one table."""

    paid: Ints
    """Amount due to each stake, in parts."""
    per: int
    """Number of parts in a minor unit."""
    evident: Flags
    """True if the evidence shows the amount."""


def by_table(scope: Scope, line: str, due: ByTable, stakes: Reckoned) -> Award:
    """Compute what stakes on a line are due by the tables in use."""
    looked = look_up(scope, due)
    if looked is None:
        return nothing_evident(len(stakes.seat))
    game = scope.prepared.game
    bonus = game.bonuses.get(line)
    if bonus is not None and bonus.earned_by is not None:
        return _compute_by_other_hands(scope, looked, bonus.earned_by.other_players, stakes)
    cell = looked.cells.take(stakes.seat)
    evident = cell != OFF
    if looked.plain:
        paid, per = times(stakes.amount, looked.stake.take(cell, axis=1), looked.largest), looked.per
    else:
        sums = [_compute_by_table(scope, looked, table, cell, stakes) for table in range(len(looked.tables))]
        paid, per, known = _combine(sums)
        evident &= known
    taken = np.zeros((1, len(cell)), np.int64)
    if bonus is None:
        spent = game.wagers[line].stake == "spent"
        taken = stakes.amount[None, :] if spent else np.where(looked.listed.take(cell, axis=1), 0, stakes.amount)
        if spent:
            # The stake is spent, so the returned stake is added to the payout.
            paid = paid + looked.by_stake.take(cell, axis=1) * (stakes.amount * per)
    floor = None if looked.floor is None else looked.floor.take(cell, axis=1)
    award = Award(paid=paid, taken=taken, per=per, floor=floor, evident=evident)
    return _replace_unused_tables(looked, award, scope.batch.seats.round[stakes.seat])


def earned_from(scope: Scope, line: str, seat: int) -> list[int] | None:
    """Return the seats of other players whose hands earn a seat a bonus; None if its own hand decides."""
    bonus = scope.prepared.game.bonuses.get(line)
    if bonus is None or bonus.earned_by is None:
        return None
    others = others_where(scope, bonus.earned_by.other_players)
    in_round = np.flatnonzero(others.round == others.round[seat])
    return [int(other) for other in in_round if others.chosen[other] and others.player[other] != others.player[seat]]


def _compute_by_table(scope: Scope, looked: Lookup, table: int, cell: Codes, stakes: Reckoned) -> _TableDue:
    """Compute what one table makes due to stakes, by stake, meter and amount."""
    rates, per = looked.rates[table], looked.per
    round_ = scope.batch.seats.round[stakes.seat]
    by_cell = (rates.stake.take(cell), rates.meter.take(cell), rates.money.take(cell))
    paid, evident = _compute_at_rates(scope, looked, table, stakes, *by_cell)
    for shares in looked.shares[table]:
        paid, per, evident = _divide_among_sharers(shares, cell, round_, paid, per, evident)
    return _TableDue(paid=paid, per=per, evident=evident)


def _compute_at_rates(
    scope: Scope, looked: Lookup, table: int, stakes: Reckoned, rate: Ints, share: Ints, money: Ints
) -> tuple[Ints, Flags]:
    """Compute what stakes are due at the rates of a table.

    Args:
        rate: int64[n], pay per unit staked.
        share: int64[n], share of the meter's reading when awards are made.
        money: int64[n], fixed amount.

    Returns:
        int64[n], the amounts; bool[n], whether the evidence shows them.
    """
    paid = times(stakes.amount, rate, int(rate.max(initial=0))) + money
    if not share.any():
        return paid, np.ones(len(paid), bool)
    meter = looked.tables[table].printed.table.meter
    assert meter is not None, "a table with rows that pay from a meter names the meter"
    reads, known = (values[scope.batch.seats.round[stakes.seat]] for values in meter_reads(scope, meter, "shown"))
    return paid + times(np.where(known, reads, 0), share, int(share.max())), known | (share == 0)


def _divide_among_sharers(
    shares: Shares, cell: Codes, round_: Ints32, paid: Ints, per: int, evident: Flags
) -> tuple[Ints, int, Flags]:
    """Divide awards of a row by the number of seats that share them."""
    in_row = shares.row[cell]
    by = np.where(in_row, shares.seats[round_], 1)
    parts = lcm(*distinct(by).tolist())
    sure = ~in_row | shares.sure[round_]
    if per * parts > MOST_PER:
        return np.where(in_row, 0, paid), per, evident & ~in_row
    return rescaled(paid, parts) // by, per * parts, evident & sure


def _combine(sums: list[_TableDue]) -> tuple[Ints, int, Flags]:
    per = lcm(*(table_sum.per for table_sum in sums))
    paid = np.stack([rescaled(table_sum.paid, per // table_sum.per) for table_sum in sums])
    return paid, per, np.logical_and.reduce([table_sum.evident for table_sum in sums])


def _compute_by_other_hands(scope: Scope, looked: Lookup, condition: Condition, stakes: Reckoned) -> Award:
    """Compute what stakes are due for the hands of other players, each looked up and all added up."""
    others = others_where(scope, condition)
    unknown = others.unsure | (others.chosen & (looked.cells == OFF))
    evident = others.total(unknown.astype(np.int64))[stakes.seat] == 0
    round_ = scope.batch.seats.round[stakes.seat]
    rows: list[Ints] = []
    floors: list[Flags] = []
    for table, rates in enumerate(looked.rates):
        floor = np.zeros(len(rates.listed), bool) if looked.floor is None else looked.floor[table]
        floors.append(_sum_rates_of_others(looked, others, floor.astype(np.int64))[stakes.seat] > 0)
        of_others = (
            _sum_rates_of_others(looked, others, part)[stakes.seat] for part in (rates.stake, rates.meter, rates.money)
        )
        paid, known = _compute_at_rates(scope, looked, table, stakes, *of_others)
        evident &= known
        rows.append(paid)
    award = Award(
        paid=np.stack(rows),
        taken=np.zeros((1, len(round_)), np.int64),
        per=looked.per,
        floor=None if looked.floor is None else np.stack(floors),
        evident=evident,
    )
    return _replace_unused_tables(looked, award, round_)


def _sum_rates_of_others(looked: Lookup, others: Others, rates: Ints) -> Ints:
    """Return the sum of the rates of the hands of others."""
    return others.total(np.where(others.chosen, rates.take(looked.cells), 0))


def _replace_unused_tables(looked: Lookup, award: Award, round_: Ints32) -> Award:
    """Replace tables that are not in use in a round by one that may be."""
    if looked.rounds is None:
        return award
    possible = looked.rounds[:, round_]
    table = np.where(possible, np.arange(len(possible))[:, None], possible.argmax(axis=0))
    evident: Flags = np.logical_or.reduce(possible)
    return Award(
        paid=np.take_along_axis(award.paid, table, axis=0),
        taken=award.taken if len(award.taken) == 1 else np.take_along_axis(award.taken, table, axis=0),
        per=award.per,
        floor=None if award.floor is None else np.take_along_axis(award.floor, table, axis=0),
        evident=evident if award.evident is None else award.evident & evident,
    )
