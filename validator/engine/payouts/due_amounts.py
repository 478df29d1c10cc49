"""Amounts due by pay tables, and the ledger that settles a line case by case.

Amounts are whole numbers in parts of a minor unit, so that no rounding occurs before the comparison.
"""

from __future__ import annotations

from math import lcm
from typing import TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from fairdeal.validator.arrays import (
    ABSENT,
    Codes,
    Flags,
    Ints,
    Ints16,
    Ints32,
    are_all,
    find_distinct,
    find_true,
    has_any,
)
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.player_facts import OtherPlayers, find_other_players
from fairdeal.validator.engine.facts.stake_outcomes import StakeBasis, read_meter
from fairdeal.validator.engine.payouts.pay_table_lookup import NO_CELL, SharedRow, TableLookup, look_up_tables
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rules.payment_model import ByTable, Commission, Rounding

Item = TypeVar("Item", bound=np.generic)

MAX_DENOMINATOR = 9 * 10**6
"""Largest rate, and number of parts, with which every amount that evidence can state fits 64 bits."""
OVERFLOW_AMOUNT = 2**62
"""Amount due where the exact amount would overflow; no amount that evidence can state is near it."""


class DueAmounts(Struct, frozen=True, kw_only=True):
    """Amounts due to some stakes, where any of `k` tables may be in use."""

    paid: Ints
    """Amounts due beyond the stakes, in parts of a minor unit, int64[k, n]."""
    taken: Ints
    """Amounts due of the stakes, in parts of a minor unit, int64[1 or k, n]."""
    denominator: int = 1
    """Number of parts in a minor unit."""
    is_minimum: Flags | None = None
    """True if more may be paid, bool[k, n]; None if nowhere."""
    is_known: Flags | None = None
    """True if the evidence shows the amounts, bool[n]; None if everywhere."""
    spread: Ints | None = None
    """Amount by which the payment may be larger, as a commission may be rounded either way, in parts of a minor unit,
    int64[1, n]; None if nowhere."""


def build_unknown_due(count: int) -> DueAmounts:
    """Build unknown amounts due for some stakes."""
    none = np.zeros((1, count), np.int64)
    return DueAmounts(paid=none, taken=none, is_known=np.zeros(count, bool))


def multiply_amounts(amounts: Ints, rates: Ints, largest: int) -> Ints:
    """Multiply amounts by rates of at most `largest`; OVERFLOW_AMOUNT if the product does not fit."""
    if largest <= MAX_DENOMINATOR:
        return amounts * rates
    too_much = amounts.astype(np.float64) * rates >= OVERFLOW_AMOUNT
    return np.where(too_much, OVERFLOW_AMOUNT, amounts * np.where(too_much, 0, rates))


def rescale(paid: Ints, factor: int) -> Ints:
    """Convert amounts to smaller parts; OVERFLOW_AMOUNT if the result does not fit."""
    return paid if factor == 1 else np.where(paid > OVERFLOW_AMOUNT // factor, OVERFLOW_AMOUNT, paid * factor)


def repeat_last_row(rows: NDArray[Item], count: int) -> NDArray[Item]:
    """Extend rows of alternatives to a number of rows by repeating the last one."""
    return rows if len(rows) == count else rows[np.minimum(np.arange(count), len(rows) - 1)]


def bound_rounded(due: Ints, denominator: int, rounding: Rounding | None) -> tuple[Ints, Ints]:
    """Return the smallest and the largest amount that a rounding permits, in minor units.

    Only these two amounts are permitted. Without rounding, the first exceeds the second unless the amount is whole.

    Args:
        due: amounts in parts of a minor unit.
        denominator: number of parts in a minor unit.
        rounding: the rounding; None if amounts are due exactly.
    """
    if rounding is None:
        return -(-due // denominator), due // denominator
    count, rest = np.divmod(due, rounding.to * denominator)
    below = count * rounding.to
    above = below + rounding.to * (rest > 0)
    match rounding.allow:
        case "down":
            return below, below
        case "up":
            return above, above
        case "nearest":
            left = rounding.to * denominator - rest
            return np.where(rest > left, above, below), np.where(rest >= left, above, below)
        case _:
            return below, above


def deduct_commission(award: DueAmounts, commission: Commission) -> DueAmounts:
    """Return the amounts due less a commission, rounded by its own rule and no larger than the payment.

    Args:
        award: the amounts due.
        commission: the commission.
    """
    whole = award.paid // award.denominator
    least, most = (np.minimum(bound, whole) for bound in bound_commission(award.paid, commission, award.denominator))
    return DueAmounts(
        paid=award.paid - rescale(most, award.denominator),
        taken=award.taken,
        denominator=award.denominator,
        spread=rescale(most - least, award.denominator) if has_any(most != least) else None,
    )


def bound_commission(base: Ints, commission: Commission, denominator: int) -> tuple[Ints, Ints]:
    """Return the smallest and the largest commission on some amounts, in minor units.

    Args:
        base: the amounts, in parts of a minor unit.
        commission: the commission.
        denominator: number of parts in a minor unit.
    """
    due = multiply_amounts(base, np.full(1, commission.percent), commission.percent)
    return bound_rounded(due, denominator * _PERCENT, commission.rounded or _EITHER)


_PERCENT = 100
_EITHER = Rounding.model_construct(allow="either")


class _TableDue(Struct, frozen=True, kw_only=True):
    """Amounts due by one table."""

    paid: Ints
    """Amount due to each stake, in parts."""
    per: int
    """Number of parts in a minor unit."""
    evident: Flags
    """True if the evidence shows the amount."""


def compute_table_due(scope: EvaluationContext, line: str, due: ByTable, stakes: StakeBasis) -> DueAmounts:
    """Compute what stakes on a line are due by the tables in use."""
    looked = look_up_tables(scope, due)
    if looked is None:
        return build_unknown_due(len(stakes.seat))
    game = scope.compiled_game.game
    bonus = game.bonuses.get(line)
    if bonus is not None and bonus.earned_by is not None:
        return _compute_by_other_hands(scope, looked, bonus.earned_by, stakes)
    cell = looked.cells.take(stakes.seat)
    evident = cell != NO_CELL
    if looked.is_by_stake_only:
        paid, per = (
            multiply_amounts(stakes.amount, looked.stake.take(cell, axis=1), looked.largest_rate),
            looked.denominator,
        )
    else:
        sums = [_compute_by_table(scope, looked, table, cell, stakes) for table in range(len(looked.tables))]
        paid, per, known = _combine(sums)
        evident &= known
    taken = np.zeros((1, len(cell)), np.int64)
    if bonus is None:
        spent = game.wagers[line].stake == "spent"
        taken = stakes.amount[None, :] if spent else np.where(looked.has_row.take(cell, axis=1), 0, stakes.amount)
        taken = rescale(taken, per)
        if spent:
            # The stake is spent, so the returned stake is added to the payout.
            paid = paid + looked.is_by_stake.take(cell, axis=1) * (stakes.amount * per)
    floor = None if looked.is_minimum is None else looked.is_minimum.take(cell, axis=1)
    award = DueAmounts(paid=paid, taken=taken, denominator=per, is_minimum=floor, is_known=evident)
    return _replace_unused_tables(looked, award, scope.batch.seats.round[stakes.seat])


def find_earning_seats(scope: EvaluationContext, line: str, seat: int) -> list[int] | None:
    """Return the seats of other players whose hands earn a seat a bonus; None if its own hand decides."""
    bonus = scope.compiled_game.game.bonuses.get(line)
    if bonus is None or bonus.earned_by is None:
        return None
    others = find_other_players(scope, bonus.earned_by)
    in_round = find_true(others.round == others.round[seat])
    return [
        int(other)
        for other in in_round
        if others.fulfils[other] and others.first_seat_of_player[other] != others.first_seat_of_player[seat]
    ]


def _compute_by_table(
    scope: EvaluationContext, looked: TableLookup, table: int, cell: Codes, stakes: StakeBasis
) -> _TableDue:
    """Compute what one table makes due to stakes, by stake, meter and amount."""
    rates, per = looked.rates[table], looked.denominator
    round_ = scope.batch.seats.round[stakes.seat]
    by_cell = (rates.stake.take(cell), rates.meter.take(cell), rates.money.take(cell))
    paid, evident = _compute_at_rates(scope, looked, table, stakes, *by_cell)
    for shares in looked.shared_rows[table]:
        paid, per, evident = _divide_among_sharers(shares, cell, round_, paid, per, evident)
    return _TableDue(paid=paid, per=per, evident=evident)


def _compute_at_rates(
    scope: EvaluationContext, looked: TableLookup, table: int, stakes: StakeBasis, rate: Ints, share: Ints, money: Ints
) -> tuple[Ints, Flags]:
    """Compute what stakes are due at the rates of a table.

    Args:
        rate: int64[n], pay per unit staked.
        share: int64[n], share of the meter's reading when awards are made.
        money: int64[n], fixed amount.

    Returns:
        int64[n], the amounts; bool[n], whether the evidence shows them.
    """
    paid = multiply_amounts(stakes.amount, rate, int(rate.max(initial=0))) + money
    if not has_any(share):
        return paid, np.ones(len(paid), bool)
    meter = looked.tables[table].printed.table.meter
    assert meter is not None, "a table with rows that pay from a meter names the meter"
    reads, known = (values[scope.batch.seats.round[stakes.seat]] for values in read_meter(scope, meter, "shown"))
    return paid + multiply_amounts(np.where(known, reads, 0), share, int(share.max())), known | (share == 0)


def _divide_among_sharers(
    shares: SharedRow, cell: Codes, round_: Ints32, paid: Ints, per: int, evident: Flags
) -> tuple[Ints, int, Flags]:
    """Divide awards of a row by the number of seats that share them."""
    in_row = shares.cells[cell]
    by = np.where(in_row, shares.sharer_count[round_], 1)
    parts = lcm(*find_distinct(by).tolist())
    sure = ~in_row | shares.is_known[round_]
    if per * parts > MAX_DENOMINATOR:
        return np.where(in_row, 0, paid), per, evident & ~in_row
    return rescale(paid, parts) // by, per * parts, evident & sure


def _combine(sums: list[_TableDue]) -> tuple[Ints, int, Flags]:
    per = lcm(*(table_sum.per for table_sum in sums))
    paid = np.stack([rescale(table_sum.paid, per // table_sum.per) for table_sum in sums])
    return paid, per, np.logical_and.reduce([table_sum.evident for table_sum in sums])


def _compute_by_other_hands(
    scope: EvaluationContext, looked: TableLookup, condition: Condition, stakes: StakeBasis
) -> DueAmounts:
    """Compute what stakes are due for the hands of other players, each looked up and all added up."""
    others = find_other_players(scope, condition)
    unknown = others.is_uncertain | (others.fulfils & (looked.cells == NO_CELL))
    evident = others.sum_over_others(unknown.astype(np.int64))[stakes.seat] == 0
    round_ = scope.batch.seats.round[stakes.seat]
    rows: list[Ints] = []
    floors: list[Flags] = []
    for table, rates in enumerate(looked.rates):
        floor = np.zeros(len(rates.is_listed), bool) if looked.is_minimum is None else looked.is_minimum[table]
        floors.append(_sum_rates_of_others(looked, others, floor.astype(np.int64))[stakes.seat] > 0)
        of_others = (
            _sum_rates_of_others(looked, others, part)[stakes.seat] for part in (rates.stake, rates.meter, rates.money)
        )
        paid, known = _compute_at_rates(scope, looked, table, stakes, *of_others)
        evident &= known
        rows.append(paid)
    award = DueAmounts(
        paid=np.stack(rows),
        taken=np.zeros((1, len(round_)), np.int64),
        denominator=looked.denominator,
        is_minimum=None if looked.is_minimum is None else np.stack(floors),
        is_known=evident,
    )
    return _replace_unused_tables(looked, award, round_)


def _sum_rates_of_others(looked: TableLookup, others: OtherPlayers, rates: Ints) -> Ints:
    """Return the sum of the rates of the hands of others."""
    return others.sum_over_others(np.where(others.fulfils, rates.take(looked.cells), 0))


def _replace_unused_tables(looked: TableLookup, award: DueAmounts, round_: Ints32) -> DueAmounts:
    """Replace tables that are not in use in a round by one that may be."""
    if looked.usable_rounds is None:
        return award
    possible = looked.usable_rounds[:, round_]
    table = np.where(possible, np.arange(len(possible))[:, None], possible.argmax(axis=0))
    evident: Flags = np.logical_or.reduce(possible)
    return DueAmounts(
        paid=np.take_along_axis(award.paid, table, axis=0),
        taken=award.taken if len(award.taken) == 1 else np.take_along_axis(award.taken, table, axis=0),
        denominator=award.denominator,
        is_minimum=None if award.is_minimum is None else np.take_along_axis(award.is_minimum, table, axis=0),
        is_known=evident if award.is_known is None else award.is_known & evident,
    )


class SettlementLedger(Struct, kw_only=True):
    """Amounts due to the stakes on a line, by the cases applied so far. Arrays are those of `SettledLine`."""

    case: Ints16
    """Last case that may apply to each stake."""
    is_settled: Flags
    """False if the evidence leaves open what is due."""
    undecided: Ints
    """Stakes that no case has decided yet, int64[m]."""
    paid: Ints
    """Amounts due beyond the stakes, in parts of a minor unit."""
    taken: Ints
    """Amounts due of the stakes, in parts of a minor unit."""
    denominator: int = 1
    """Number of parts in a minor unit."""
    is_minimum: Flags | None = None
    """True if more may be paid than is due; None if nowhere."""
    spread: Ints | None = None
    """Amount by which the payment may be larger, in parts of a minor unit; None if nowhere."""
    may_apply: dict[int, Ints] = field(default_factory=dict)
    """Stakes that each case may apply to."""

    @classmethod
    def for_stakes(cls, stakes: int) -> SettlementLedger:
        """Build a ledger in which no stake is decided."""
        return cls(
            case=np.full(stakes, ABSENT, np.int16),
            is_settled=np.ones(stakes, bool),
            undecided=np.arange(stakes),
            paid=np.zeros((1, stakes), np.int64),
            taken=np.zeros((1, stakes), np.int64),
        )

    def apply_case(self, case: int, where: Ints, award: DueAmounts) -> None:
        """Apply a case to the stakes that it may apply to.

        If an earlier case may also apply to a stake, the stake stays settled only if both make the same amount due.
        """
        award = self._convert(award)
        first = self.case.take(where) == ABSENT
        if award.is_known is not None:
            self.is_settled[where] &= award.is_known
        if are_all(first):
            self._write(where, award)
        else:
            same = first | self._is_same_due(where, award)
            self.is_settled[where] &= same
            fresh = find_true(first)
            self._write(where[fresh], _select(award, fresh))
        self.case[where] = case

    def leave_undetermined(self, case: int, where: Ints) -> None:
        """Apply a case that leaves open what is due."""
        self.is_settled[where] = False
        self.case[where] = case

    def _convert(self, award: DueAmounts) -> DueAmounts:
        """Convert the amounts due and the ledger to the same denominator and number of rows."""
        per = lcm(self.denominator, award.denominator)
        if per > MAX_DENOMINATOR:
            award, per = build_unknown_due(award.paid.shape[1]), self.denominator
        self.paid = repeat_last_row(rescale(self.paid, per // self.denominator), max(len(self.paid), len(award.paid)))
        self.taken = repeat_last_row(
            rescale(self.taken, per // self.denominator), max(len(self.taken), len(award.taken))
        )
        if award.is_minimum is not None and self.is_minimum is None:
            self.is_minimum = np.zeros(self.paid.shape, bool)
        if self.is_minimum is not None:
            self.is_minimum = repeat_last_row(self.is_minimum, len(self.paid))
        spread = None if award.spread is None else rescale(award.spread, per // award.denominator)
        if self.spread is not None:
            self.spread = rescale(self.spread, per // self.denominator)
        elif spread is not None:
            self.spread = np.zeros((1, self.paid.shape[1]), np.int64)
        paid, taken = (rescale(amounts, per // award.denominator) for amounts in (award.paid, award.taken))
        self.denominator = per
        return DueAmounts(
            paid=repeat_last_row(paid, len(self.paid)),
            taken=repeat_last_row(taken, len(self.taken)),
            denominator=per,
            is_minimum=award.is_minimum
            if award.is_minimum is None
            else repeat_last_row(award.is_minimum, len(self.paid)),
            is_known=award.is_known,
            spread=spread,
        )

    def _write(self, where: Ints, award: DueAmounts) -> None:
        # Row by row: assignment to some columns of all rows takes several times as long.
        for row, paid in zip(self.paid, award.paid, strict=True):
            row[where] = paid
        for row, taken in zip(self.taken, award.taken, strict=True):
            row[where] = taken
        if self.is_minimum is not None:
            self.is_minimum[:, where] = False if award.is_minimum is None else award.is_minimum
        if self.spread is not None:
            self.spread[:, where] = 0 if award.spread is None else award.spread

    def _is_same_due(self, where: Ints, award: DueAmounts) -> Flags:
        same: Flags = (self.paid[:, where] == award.paid).all(axis=0)
        same &= (self.taken[:, where] == award.taken).all(axis=0)
        if self.is_minimum is not None:
            floor = np.zeros(award.paid.shape, bool) if award.is_minimum is None else award.is_minimum
            same &= (self.is_minimum[:, where] == floor).all(axis=0)
        if self.spread is not None:
            same &= self.spread[0, where] == (0 if award.spread is None else award.spread[0])
        return same


def _select(award: DueAmounts, chosen: Ints) -> DueAmounts:
    """Return the amounts due to some of the stakes."""
    return DueAmounts(
        paid=award.paid[:, chosen],
        taken=award.taken[:, chosen],
        denominator=award.denominator,
        is_minimum=None if award.is_minimum is None else award.is_minimum[:, chosen],
        spread=None if award.spread is None else award.spread[:, chosen],
    )
