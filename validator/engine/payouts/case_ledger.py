"""Ledger of the settlement of one line, updated case by case."""

from __future__ import annotations

from math import lcm

import numpy as np
from msgspec import Struct, field

from validator.arrays import ABSENT, Flags, Ints, Ints16
from validator.engine.payouts.scaled_amounts import MOST_PER, Award, nothing_evident, rescaled, widened


class Docket(Struct, kw_only=True):
    """Amounts due to the stakes on a line, by the cases applied so far. Arrays are those of `SettledLine`."""

    case: Ints16
    """Last case that may apply to each stake."""
    settled: Flags
    """False if the evidence leaves open what is due."""
    open: Ints
    """Stakes that no case has decided yet, int64[m]."""
    paid: Ints
    """Amounts due beyond the stakes, in parts of a minor unit."""
    taken: Ints
    """Amounts due of the stakes, in minor units."""
    per: int = 1
    """Number of parts in a minor unit."""
    floor: Flags | None = None
    """True if more may be paid than is due; None if nowhere."""
    may_apply: dict[int, Ints] = field(default_factory=dict)
    """Stakes that each case may apply to."""

    @classmethod
    def over(cls, stakes: int) -> Docket:
        """Build a ledger in which no stake is decided."""
        return cls(
            case=np.full(stakes, ABSENT, np.int16),
            settled=np.ones(stakes, bool),
            open=np.arange(stakes),
            paid=np.zeros((1, stakes), np.int64),
            taken=np.zeros((1, stakes), np.int64),
        )

    def enter(self, case: int, where: Ints, award: Award) -> None:
        """Apply a case to the stakes that it may apply to.

        If an earlier case may also apply to a stake, the stake stays settled only if both make the same amount due.
        """
        award = self._convert(award)
        first = self.case.take(where) == ABSENT
        if award.evident is not None:
            self.settled[where] &= award.evident
        if first.all():
            self._write(where, award)
        else:
            same = first | self._is_same_due(where, award)
            self.settled[where] &= same
            fresh = np.flatnonzero(first)
            self._write(where[fresh], _select(award, fresh))
        self.case[where] = case

    def leave_open(self, case: int, where: Ints) -> None:
        """Apply a case that leaves open what is due."""
        self.settled[where] = False
        self.case[where] = case

    def _convert(self, award: Award) -> Award:
        """Convert the amounts due and the ledger to the same denominator and number of rows."""
        per = lcm(self.per, award.per)
        if per > MOST_PER:
            award, per = nothing_evident(award.paid.shape[1]), self.per
        self.paid = widened(rescaled(self.paid, per // self.per), max(len(self.paid), len(award.paid)))
        self.taken = widened(self.taken, max(len(self.taken), len(award.taken)))
        if award.floor is not None and self.floor is None:
            self.floor = np.zeros(self.paid.shape, bool)
        if self.floor is not None:
            self.floor = widened(self.floor, len(self.paid))
        paid = rescaled(award.paid, per // award.per)
        self.per = per
        return Award(
            paid=widened(paid, len(self.paid)),
            taken=widened(award.taken, len(self.taken)),
            per=per,
            floor=award.floor if award.floor is None else widened(award.floor, len(self.paid)),
            evident=award.evident,
        )

    def _write(self, where: Ints, award: Award) -> None:
        # Row by row: assignment to some columns of all rows takes several times as long.
        for row, paid in zip(self.paid, award.paid, strict=True):
            row[where] = paid
        for row, taken in zip(self.taken, award.taken, strict=True):
            row[where] = taken
        if self.floor is not None:
            self.floor[:, where] = False if award.floor is None else award.floor

    def _is_same_due(self, where: Ints, award: Award) -> Flags:
        same: Flags = (self.paid[:, where] == award.paid).all(axis=0)
        same &= (self.taken[:, where] == award.taken).all(axis=0)
        if self.floor is not None:
            floor = np.zeros(award.paid.shape, bool) if award.floor is None else award.floor
            same &= (self.floor[:, where] == floor).all(axis=0)
        return same


def _select(award: Award, chosen: Ints) -> Award:
    """Return the amounts due to some of the stakes."""
    return Award(
        paid=award.paid[:, chosen],
        taken=award.taken[:, chosen],
        per=award.per,
        floor=None if award.floor is None else award.floor[:, chosen],
    )
