"""The cases of settlement of one line as they are gone through: what each stake is due so far."""

from __future__ import annotations

from math import lcm

import numpy as np
from msgspec import Struct, field

from validator.arrays import ABSENT, Flags, Ints, Ints16
from validator.engine.payouts.scaled_amounts import MOST_PER, Award, nothing_evident, rescaled, widened


class Docket(Struct, kw_only=True):
    """What the stakes on a line are due, by the cases gone through. Arrays are those of `settlement.Line`.

    `open` is int64[m], the stakes that no case has decided yet.
    """

    case: Ints16
    settled: Flags
    open: Ints
    paid: Ints
    taken: Ints
    per: int = 1
    floor: Flags | None = None
    may_apply: dict[int, Ints] = field(default_factory=dict)

    @classmethod
    def over(cls, stakes: int) -> Docket:
        """A docket of so many stakes, all of them open."""
        return cls(
            case=np.full(stakes, ABSENT, np.int16),
            settled=np.ones(stakes, bool),
            open=np.arange(stakes),
            paid=np.zeros((1, stakes), np.int64),
            taken=np.zeros((1, stakes), np.int64),
        )

    def enter(self, case: int, where: Ints, award: Award) -> None:
        """Note what a case makes due to those stakes that it may apply to. A stake to which an earlier case may
        apply as well stays settled only if both make the same due."""
        award = self._in_one_measure(award)
        first = self.case.take(where) == ABSENT
        if award.evident is not None:
            self.settled[where] &= award.evident
        if first.all():
            self._write(where, award)
        else:
            same = first | self._same(where, award)
            self.settled[where] &= same
            fresh = np.flatnonzero(first)
            self._write(where[fresh], _some(award, fresh))
        self.case[where] = case

    def leave_open(self, case: int, where: Ints) -> None:
        """Note that a case leaves to the house what those stakes are due that it may apply to."""
        self.settled[where] = False
        self.case[where] = case

    def _in_one_measure(self, award: Award) -> Award:
        """The award, and the docket, in the same parts of a minor unit and with as many rows."""
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
        # Row by row: an assignment to some columns of all rows at once takes several times as long.
        for row, paid in zip(self.paid, award.paid, strict=True):
            row[where] = paid
        for row, taken in zip(self.taken, award.taken, strict=True):
            row[where] = taken
        if self.floor is not None:
            self.floor[:, where] = False if award.floor is None else award.floor

    def _same(self, where: Ints, award: Award) -> Flags:
        same: Flags = (self.paid[:, where] == award.paid).all(axis=0)
        same &= (self.taken[:, where] == award.taken).all(axis=0)
        if self.floor is not None:
            floor = np.zeros(award.paid.shape, bool) if award.floor is None else award.floor
            same &= (self.floor[:, where] == floor).all(axis=0)
        return same


def _some(award: Award, chosen: Ints) -> Award:
    """What an award makes due to some of its stakes."""
    return Award(
        paid=award.paid[:, chosen],
        taken=award.taken[:, chosen],
        per=award.per,
        floor=None if award.floor is None else award.floor[:, chosen],
    )
