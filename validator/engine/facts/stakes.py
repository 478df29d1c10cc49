"""Every stake on a wager, and every seat that a bonus may be due to, as columns."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Ints32
from validator.engine.core.context import Scope
from validator.engine.facts.outcomes import outcomes, paid_on


class Reckoned(Struct, frozen=True, kw_only=True):
    """What amounts due are reckoned on: the seats of stakes, int32[n], and the stakes, int64[n] in minor units."""

    seat: Ints32
    amount: Ints


class StakesOn(Struct, frozen=True, kw_only=True):
    """The stakes on one line. All arrays have one entry a stake; for a bonus `amount` is what it is reckoned on.

    `paid` and `taken` are what the record tells, ABSENT where it does not.
    """

    seat: Ints32
    tip: Flags
    amount: Ints
    paid: Ints
    taken: Ints
    kept: Ints
    """Least amount that the house kept of a stake that was taken."""

    def at(self, chosen: Ints) -> Reckoned:
        """Some of the stakes, as far as amounts due are reckoned on them."""
        return Reckoned(seat=self.seat.take(chosen), amount=self.amount.take(chosen))


def stakes_on(scope: Scope, line: str) -> StakesOn:
    """The stakes on a wager, or those that a bonus is reckoned on."""
    if line in scope.prepared.game.bonuses:
        return _bonus(scope, line)
    stakes, result = scope.batch.stakes, outcomes(scope)
    chosen = scope.stakes_on(line)
    return StakesOn(
        seat=stakes.seat.take(chosen),
        tip=stakes.tip.take(chosen),
        amount=stakes.amount.take(chosen),
        paid=result.paid.take(chosen),
        taken=result.taken.take(chosen),
        kept=result.kept.take(chosen),
    )


def _bonus(scope: Scope, name: str) -> StakesOn:
    """Return the seats that a bonus may be due to: wherever there is a stake on its wager."""
    base = scope.prepared.game.bonuses[name].reckoned_on
    parts: list[StakesOn] = []
    for tip in (False, True):
        amount, paid = scope.amount(base, tip=tip), paid_on(scope, name, tip=tip)
        listed = np.zeros(len(paid), bool)
        own = scope.stakes_on(name)
        listed[scope.batch.stakes.seat[own[scope.batch.stakes.tip[own] == tip]]] = True
        # A tip earns the bonus only where the log shows that the house pays it; an entry of nothing shows the opposite.
        due = (listed & (paid != 0)) | (paid > 0) if tip else listed | (amount > 0)
        seat = np.flatnonzero(due).astype(np.int32)
        parts.append(
            StakesOn(
                seat=seat,
                tip=np.full(len(seat), tip),
                amount=amount[seat],
                paid=paid[seat],
                taken=np.zeros(len(seat), np.int64),
                kept=np.zeros(len(seat), np.int64),
            )
        )
    plain, tips = parts
    if not len(tips.seat):
        return plain
    return StakesOn(
        seat=np.concatenate([plain.seat, tips.seat]),
        tip=np.concatenate([plain.tip, tips.tip]),
        amount=np.concatenate([plain.amount, tips.amount]),
        paid=np.concatenate([plain.paid, tips.paid]),
        taken=np.concatenate([plain.taken, tips.taken]),
        kept=np.concatenate([plain.kept, tips.kept]),
    )
