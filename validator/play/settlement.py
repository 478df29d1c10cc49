"""What every wager is due, why, and what the log says was paid and taken.

For each line (a wager or a bonus) the cases of settlement are gone through in order over all its stakes at
once. Where the evidence leaves several cases open, a stake is settled only if all of them agree.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.play.prepared import OFF_THE_TABLE, Odds
from validator.play.scope import Scope
from validator.play.tri import NO, YES
from validator.rulebook.language.game import Case

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_CASE = -1
"""Index of the case where none applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Every stake on one wager, or every seat a bonus may be due to, and what it is due.

    All arrays have one entry a stake. `paid` and `taken` are what the log says, ABSENT where it does not.
    `due_paid` is int64[k, n] in units of 1 / `per` of a minor currency unit: a row for each pay table that
    may be in use (one, where it is known); `due_taken` is in minor units. `case` is an index into the
    game's cases, the last that may apply; `settled` is false where the evidence leaves open what is due, and
    `may_apply` then says of each case, by its index, to which stakes (bool[n]) it may apply.
    """

    name: str
    seat: NDArray[np.int32]
    tip: Flags
    amount: Ints
    paid: Ints
    taken: Ints
    case: NDArray[np.int16]
    may_apply: Mapping[int, Flags]
    settled: Flags
    due_paid: Ints
    per: int
    due_taken: Ints

    def agrees(self) -> Flags:
        """bool[k, n]: whether what was paid and taken is what a row of `due_paid` asks for."""
        return (self.due_paid == self.paid * self.per) & (self.due_taken == self.taken)

    def decided_by(self, cases: Collection[int]) -> Flags:
        """bool[n]: the stakes that one of these cases decides or, where that is left open, may decide."""
        wanted = np.zeros(max(cases, default=0) + 2, bool)
        wanted[list(cases)] = True
        chosen = wanted[np.minimum(self.case, len(wanted) - 1)]  # the last one is for NO_CASE and cases beyond
        if not self.settled.all():
            for index in cases:
                chosen |= ~self.settled & self.may_apply.get(index, False)
        return chosen

    def recorded(self) -> Flags:
        """bool[n]: whether the log says what was paid and taken."""
        return (self.paid != ABSENT) & (self.taken != ABSENT)

    def dues(self, index: int) -> tuple[Fraction, ...]:
        """Every amount that may be due to a stake beyond its return, in minor units."""
        return tuple(dict.fromkeys(Fraction(int(row[index]), self.per) for row in self.due_paid))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stakes:
    seat: NDArray[np.int32]
    tip: Flags
    amount: Ints
    paid: Ints
    taken: Ints


def settle(scope: Scope) -> Mapping[str, Line]:
    """Every line of the game settled, by name, in the order of settlement."""
    return scope.once(
        ("settled",), lambda: {name: _settle(scope, name) for name in scope.prepared.game.settlement.order}
    )


def _settle(scope: Scope, name: str) -> Line:
    game = scope.prepared.game
    stakes = _bonus(scope, name) if name in game.bonuses else _wager(scope, name)
    tables = odds_in_use(scope, name)
    fixed = [
        case.due.operand.profit for case in game.settlement.cases if name in case.lines and case.due.operator == "odds"
    ]
    per = lcm(*(odds.per for odds in tables), *(profit.denominator for profit in fixed))
    count, length = max(len(tables), 1), len(stakes.seat)
    due_paid, due_taken = np.zeros((count, length), np.int64), np.zeros(length, np.int64)
    owner = np.full(length, NO_CASE, np.int16)
    open_, agreed = np.ones(length, bool), np.ones(length, bool)
    may_apply: dict[int, Flags] = {}
    for index, case in enumerate(game.settlement.cases):
        if name not in case.lines:
            continue
        holds = np.full(length, YES, np.uint8) if case.when is None else scope.truth(case.when, "seat")[stakes.seat]
        possible = may_apply[index] = open_ & (holds != NO)
        if possible.any():
            paid, taken, evident, per = _due(scope, name, case, stakes, tables, per)
            if paid.shape[0] != count:
                paid = np.broadcast_to(paid, (count, length))
            first = possible & (owner == NO_CASE)
            same = (due_paid == paid).all(axis=0) & (due_taken == taken)
            agreed &= ~possible | (evident & (first | same))
            due_paid = np.where(first, paid, due_paid)
            due_taken = np.where(first, taken, due_taken)
            owner[possible] = index
            open_ &= holds != YES
    return Line(
        name=name,
        seat=stakes.seat,
        tip=stakes.tip,
        amount=stakes.amount,
        paid=stakes.paid,
        taken=stakes.taken,
        case=owner,
        may_apply=may_apply,
        settled=agreed & ~open_,
        due_paid=due_paid,
        per=per,
        due_taken=due_taken,
    )


def _due(
    scope: Scope, name: str, case: Case, stakes: _Stakes, tables: tuple[Odds, ...], per: int
) -> tuple[Ints, Ints, Flags, int]:
    """What a case makes due to every stake: paid (in 1 / per) and taken, where it is evident, and `per`."""
    amount, nothing = stakes.amount, np.zeros(len(stakes.seat), np.int64)
    evident = np.ones(len(nothing), bool)
    match case.due.operator:
        case "odds":
            return (amount * int(case.due.operand.profit * per))[None, :], nothing, evident, per
        case "outcome":
            lost = case.due.operand == "lost"
            return nothing[None, :], amount if lost else nothing, evident, per
        case _:
            return _by_table(scope, name, stakes, tables, per)


def _by_table(
    scope: Scope, name: str, stakes: _Stakes, tables: tuple[Odds, ...], per: int
) -> tuple[Ints, Ints, Flags, int]:
    hand = scope.prepared.hand_of(name)
    ranking = scope.prepared.hands[hand].ranking
    category = ranking.category(scope.strength(hand)[stakes.seat])
    evident = category != OFF_THE_TABLE
    looked_up = np.where(evident, category, 0)
    profits = np.stack([odds.profit[looked_up] * (per // odds.per) for odds in tables])
    listed = profits >= 0
    paid = np.where(listed, profits, 0) * stakes.amount
    bonus = name in scope.prepared.game.bonuses
    taken = np.zeros(len(category), np.int64) if bonus else np.where(listed[0], 0, stakes.amount)
    # Which hands are paid at all may differ from table to table; what is taken then cannot be told.
    evident &= bonus | (listed == listed[0]).all(axis=0)
    return paid, taken, evident, per


def odds_in_use(scope: Scope, line: str) -> tuple[Odds, ...]:
    """The pay tables a line may be paid by: the posted one, or else every one the text permits.

    A posted table that the text does not permit settles nothing: the permitted ones remain.
    """
    names = tables_in_use(scope, line)
    prepared = scope.prepared
    return scope.once(("odds", line), lambda: tuple(prepared.odds(line, prepared.printed_rows(name)) for name in names))


def tables_in_use(scope: Scope, line: str) -> tuple[str, ...]:
    """The printed pay tables a line may be paid by, by name."""
    prepared = scope.prepared
    posted = () if scope.configuration is None else scope.configuration.pay_tables.get(line, ())
    printed = prepared.printed.get(line, ())
    return tuple(name for name in printed if prepared.printed_rows(name) in posted) or printed


def _wager(scope: Scope, name: str) -> _Stakes:
    stakes = scope.batch.stakes
    chosen = scope.stakes_on(name)
    return _Stakes(
        seat=stakes.seat[chosen],
        tip=stakes.tip[chosen],
        amount=stakes.amount[chosen],
        paid=stakes.paid[chosen],
        taken=stakes.taken[chosen],
    )


def _bonus(scope: Scope, name: str) -> _Stakes:
    """A bonus may be due wherever there is a stake on its wager; where the log has no entry for it, nothing
    was paid, provided that the log says what became of that stake."""
    base = scope.prepared.game.bonuses[name].reckoned_on
    parts: list[_Stakes] = []
    for tip in (False, True):
        amount = scope.amount(base, tip=tip)
        entry = scope.paid(name, tip=tip)
        # A tip earns the bonus only where the log shows that the house lets it.
        due = (entry != ABSENT) if tip else (entry != ABSENT) | (amount > 0)
        seat = np.flatnonzero(due).astype(np.int32)
        told = scope.paid(base, tip=tip)[seat] != ABSENT
        paid = np.where((entry[seat] == ABSENT) & told, 0, entry[seat])
        parts.append(
            _Stakes(
                seat=seat,
                tip=np.full(len(seat), tip),
                amount=amount[seat],
                paid=paid,
                taken=np.zeros(len(seat), np.int64),
            )
        )
    own, tips = parts
    if not len(tips.seat):
        return own
    return _Stakes(
        seat=np.concatenate([own.seat, tips.seat]),
        tip=np.concatenate([own.tip, tips.tip]),
        amount=np.concatenate([own.amount, tips.amount]),
        paid=np.concatenate([own.paid, tips.paid]),
        taken=np.concatenate([own.taken, tips.taken]),
    )
