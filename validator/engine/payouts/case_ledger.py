"""Ledger of the settlement of one line, updated case by case."""

from __future__ import annotations

from math import lcm

import numpy as np
from msgspec import Struct, field

from validator.arrays import ABSENT, Flags, Ints, Ints16
from validator.engine.payouts.scaled_amounts import (
    MAX_DENOMINATOR,
    DueAmounts,
    build_unknown_due,
    repeat_last_row,
    rescale,
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
    """Amounts due of the stakes, in minor units."""
    denominator: int = 1
    """Number of parts in a minor unit."""
    is_minimum: Flags | None = None
    """True if more may be paid than is due; None if nowhere."""
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
        if first.all():
            self._write(where, award)
        else:
            same = first | self._is_same_due(where, award)
            self.is_settled[where] &= same
            fresh = np.flatnonzero(first)
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
        self.taken = repeat_last_row(self.taken, max(len(self.taken), len(award.taken)))
        if award.is_minimum is not None and self.is_minimum is None:
            self.is_minimum = np.zeros(self.paid.shape, bool)
        if self.is_minimum is not None:
            self.is_minimum = repeat_last_row(self.is_minimum, len(self.paid))
        paid = rescale(award.paid, per // award.denominator)
        self.denominator = per
        return DueAmounts(
            paid=repeat_last_row(paid, len(self.paid)),
            taken=repeat_last_row(award.taken, len(self.taken)),
            denominator=per,
            is_minimum=award.is_minimum
            if award.is_minimum is None
            else repeat_last_row(award.is_minimum, len(self.paid)),
            is_known=award.is_known,
        )

    def _write(self, where: Ints, award: DueAmounts) -> None:
        # Row by row: assignment to some columns of all rows takes several times as long.
        for row, paid in zip(self.paid, award.paid, strict=True):
            row[where] = paid
        for row, taken in zip(self.taken, award.taken, strict=True):
            row[where] = taken
        if self.is_minimum is not None:
            self.is_minimum[:, where] = False if award.is_minimum is None else award.is_minimum

    def _is_same_due(self, where: Ints, award: DueAmounts) -> Flags:
        same: Flags = (self.paid[:, where] == award.paid).all(axis=0)
        same &= (self.taken[:, where] == award.taken).all(axis=0)
        if self.is_minimum is not None:
            floor = np.zeros(award.paid.shape, bool) if award.is_minimum is None else award.is_minimum
            same &= (self.is_minimum[:, where] == floor).all(axis=0)
        return same


def _select(award: DueAmounts, chosen: Ints) -> DueAmounts:
    """Return the amounts due to some of the stakes."""
    return DueAmounts(
        paid=award.paid[:, chosen],
        taken=award.taken[:, chosen],
        denominator=award.denominator,
        is_minimum=None if award.is_minimum is None else award.is_minimum[:, chosen],
    )
