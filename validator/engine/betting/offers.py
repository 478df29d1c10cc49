"""What is put in beyond the bet without being it: an offer, which is the bet if the table takes it for that."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validator.arrays import Bits32, Codes, Flags, Ints, Ints8
from validator.engine.betting.action_codes import BRING_IN, CALL, FOLD, STREET


class Step(NamedTuple):
    """The acts of one step, a round each; as in `Acts`, and the mask of the seat of each."""

    op: Codes
    row: Ints8
    bit: Bits32
    amount: Ints
    floor: Ints


def acts_in(step: Step) -> Flags:
    """bool[many]: acts of seats in the betting."""
    return (step.op >= FOLD) & (step.op < STREET)


class Offers:
    """The last offer of each round that is still open. `level` int64[rounds] is the bet that it would be, 0 where there
    is none; `apart` int64[rounds] the chips of it that count for nothing until it is taken up, `by` int8[rounds] whose
    it is, `op` uint8[rounds] by which act and `entry` int64[rounds] the entry of that act among the states."""

    def __init__(self, rounds: int) -> None:
        self.level, self.apart, self.entry = (np.zeros(rounds, np.int64) for _ in range(3))
        self.by, self.op = np.zeros(rounds, np.int8), np.zeros(rounds, np.uint8)

    def note(self, offers: Flags, step: Step, level: Ints, apart: Ints, entry: Ints) -> None:
        """Note the offers among the acts of a step: what each would make the bet, how much of it lies apart."""
        many = len(offers)
        for column, values in (
            (self.level, level),
            (self.apart, apart),
            (self.entry, entry),
            (self.by, step.row),
            (self.op, step.op),
        ):
            column[:many] = np.where(offers, values, column[:many])

    def counted(self, step: Step, put: Ints, level: Ints) -> Flags:
        """bool[many]: where the next act of the seat shows that what lies apart is part of an answer to the bet."""
        many, to = len(step.op), put + step.amount
        apart = self.apart[:many]
        own = (self.level[:many] > 0) & (step.row == self.by[:many]) & (apart > 0)
        fits = np.where(step.op == CALL, to + apart == level, (to <= level) & (to + apart > level))
        return own & fits & (step.op >= BRING_IN) & (step.op < STREET)

    def answered(self, step: Step, put: Ints, level: Ints, behind: Ints, owing: Flags) -> Flags:
        """bool[many]: where another seat calls an offer, be it with all of its chips, or bets or raises to no less. A
        seat that owes nothing answers it with a fold as well."""
        op, to, offer = step.op, put + step.amount, self.level[: len(step.op)]
        all_in = (step.amount >= behind) & (to > level) & (to < offer)
        calls = (op == CALL) & ((to == offer) | all_in)
        reaches = (op >= BRING_IN) & (op != CALL) & (op < STREET) & (to >= offer)
        folds = (op == FOLD) & (put >= level) & ~owing
        return (offer > level) & (step.row != self.by[: len(op)]) & (calls | reaches | folds)
