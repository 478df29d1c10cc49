"""What every wager is due, why, and what the log says was paid and taken.

For each line (a wager or a bonus) the cases of settlement are gone through in order, each over the stakes that
none before it has decided. Where the evidence leaves several cases open, a stake is settled only if all of them
agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints, Ints16, Ints32, Tri
from validator.engine.cards.ranked_hands import cards_of
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, YES
from validator.engine.facts.stakes import Reckoned, stakes_on
from validator.engine.payouts.case_ledger import Docket
from validator.engine.payouts.payouts import by_table
from validator.engine.payouts.scaled_amounts import MOST, Award, times, widened
from validator.engine.timeline.truncated_records import breaks_off
from validator.rules.model.settlement import Case


class Line(Struct, frozen=True, kw_only=True):
    """Every stake on one wager, or every seat a bonus may be due to, and what it is due.

    All arrays have one entry a stake. `paid` and `taken` are what the log says, ABSENT where it does not.
    `due_paid` is int64[k, n] in units of 1 / `per` of a minor currency unit, `due_taken` int64[1 or k, n] in minor
    units: a row for each pay table that may be in use (one, where it is known). `floor` is bool[k, n], where more
    may be paid than is due; None if nowhere. `case` is an index into the game's cases, the last that may apply;
    `settled` is false where the evidence leaves open what is due, and `may_apply` then says of each case, by its
    index, which stakes (int64[m]) it may apply to. `net` says that the stake is spent, so that only the balance
    counts; `fractions` how a due that is no whole minor unit is met.
    """

    name: str
    seat: Ints32
    tip: Flags
    amount: Ints
    paid: Ints
    taken: Ints
    kept: Ints
    """Least amount that the house kept of a stake; 0 if the log does not record returns."""
    case: Ints16
    may_apply: Mapping[int, Ints]
    settled: Flags
    due_paid: Ints
    per: int
    due_taken: Ints
    floor: Flags | None
    net: bool
    fractions: Literal["exactly", "either", "down", "up"]
    exhausted: Flags
    """Whether one of the cases that may apply surely does if none before it does, bool[n]."""

    def agrees(self) -> Flags:
        """bool[k, n]: whether what was paid and taken is what a row of the dues asks for."""
        if self.net:
            over = (self.paid - self.taken) * self.per - (self.due_paid - self.due_taken * self.per)
        else:
            over = self.paid * self.per - self.due_paid
        fits = self._met(over)
        if self.floor is not None:
            fits |= self.floor & (over > 0)
        return fits if self.net else fits & (self.due_taken == self.taken)

    def may_agree(self) -> Flags:
        """Return whether a row of the dues asks for what was paid and may have been kept, bool[k, n]."""
        result = self.agrees()
        if self.kept is self.taken or (self.kept == self.taken).all():
            return result
        put_back = self.kept < self.taken
        if self.net:
            over = (self.paid - self.taken) * self.per - (self.due_paid - self.due_taken * self.per)
            return result | (put_back & (over < 0) & (over + (self.taken - self.kept) * self.per >= 0))
        fits = self._met(self.paid * self.per - self.due_paid)
        if self.floor is not None:
            fits |= self.floor & (self.paid * self.per > self.due_paid)
        return result | (put_back & fits & (self.kept <= self.due_taken) & (self.due_taken <= self.taken))

    def _met(self, over: Ints) -> Flags:
        """Whether a whole amount meets what is due, that it is over it by so many parts."""
        match self.fractions:
            case "exactly":
                return over == 0
            case "down":
                return (over <= 0) & (over > -self.per)
            case "up":
                return (over >= 0) & (over < self.per)
            case _:
                return abs(over) < self.per

    def too_much(self) -> Flags:
        """Return whether more was paid than any row of the dues asks for, bool[n]."""
        over = self.paid * self.per - self.due_paid
        beyond = over >= self.per if self.fractions in ("either", "up") else over > 0
        if self.floor is not None:
            beyond &= ~self.floor
        return np.all(beyond, axis=0)

    def decided_by(self, wanted: Flags) -> Flags:
        """bool[n]: the stakes that a wanted case decides or, where that is left open, may decide. `wanted` is
        bool[cases + 1], its last entry for stakes that no case decides."""
        chosen = wanted.take(self.case)
        if not self.settled.all():
            for index, possible in self.may_apply.items():
                if wanted[index]:
                    chosen[possible[~self.settled[possible]]] = True
        return chosen

    def recorded(self) -> Flags:
        """bool[n]: whether the log says what was paid and taken."""
        return (self.paid != ABSENT) & (self.taken != ABSENT)

    def dues(self, index: int) -> tuple[tuple[Fraction, int], ...]:
        """Everything that may be due to a stake: what is paid beyond it, and what is taken of it, in minor units."""
        taken = widened(self.due_taken, len(self.due_paid))
        pairs = zip(self.due_paid[:, index].tolist(), taken[:, index].tolist(), strict=True)
        return tuple(dict.fromkeys((Fraction(paid, self.per), taken) for paid, taken in pairs))

    def may_be_more(self, index: int) -> bool:
        """Whether more may be paid to a stake than is due."""
        return self.floor is not None and bool(self.floor[:, index].any())


@fact
def settle(scope: Scope) -> Mapping[str, Line]:
    """Every line of the game settled, by name, in the order of settlement."""
    return {name: _line(scope, name, _cases_of(scope, name)) for name in scope.prepared.game.settlement.order}


@fact
def paid_as_due(scope: Scope, name: str) -> Tri:
    """uint8[seats]: whether what was paid and taken of a seat's own stake on a line is what is due to it."""
    line, result = settle(scope)[name], kleene.constant(YES, scope.length("seat"))
    agrees = line.agrees()
    judged = line.settled & line.recorded()
    wrong = ~line.may_agree().any(axis=0) & (line.too_much() | ~breaks_off(scope, "seat")[line.seat])
    answers = kleene.decided(judged & agrees.all(axis=0), judged & wrong)
    result[line.seat[~line.tip]] = answers[~line.tip]
    return result


def settle_as_a_house(scope: Scope) -> Mapping[str, Line]:
    """Every line settled as by a house that leaves nothing open: cases without an amount are passed over."""
    return {name: line_of_a_house(scope, name) for name in scope.prepared.game.settlement.order}


def line_of_a_house(scope: Scope, name: str) -> Line:
    """One line settled as by a house that leaves nothing open."""
    cases = scope.prepared.game.settlement.cases
    return _line(scope, name, tuple(index for index in _cases_of(scope, name) if not is_open(cases[index])))


def due_by(scope: Scope, name: str, index: int) -> Line:
    """A line settled by one case alone, by its index; stakes that it is not for are not settled."""
    return _line(scope, name, (index,))


def is_open(case: Case) -> bool:
    """Whether a case leaves to the house what is due."""
    return case.due.operator == "outcome" and case.due.operand == "open"


def _cases_of(scope: Scope, name: str) -> tuple[int, ...]:
    """The cases that speak of a line, by their indices."""
    return tuple(index for index, case in enumerate(scope.prepared.game.settlement.cases) if name in case.lines)


@fact
def _line(scope: Scope, name: str, cases: tuple[int, ...]) -> Line:
    """A line settled by some of its cases, by their indices."""
    stakes = stakes_on(scope, name)
    docket = Docket.over(len(stakes.seat))
    for index in cases:
        case = scope.prepared.game.settlement.cases[index]
        if not len(docket.open):
            break
        holds = None if case.when is None else scope.truth(case.when, "seat").take(stakes.seat.take(docket.open))
        possible = docket.may_apply[index] = docket.open if holds is None else docket.open.compress(holds != NO)
        if len(possible) and is_open(case):
            docket.leave_open(index, possible)
        elif len(possible):
            docket.enter(index, possible, _award(scope, name, case, stakes.at(possible)))
        docket.open = docket.open[:0] if holds is None else docket.open.compress(holds != YES)
    docket.settled[docket.open] = False
    exhausted = np.ones(len(stakes.seat), bool)
    exhausted[docket.open] = False
    return Line(
        name=name,
        seat=stakes.seat,
        tip=stakes.tip,
        amount=stakes.amount,
        paid=stakes.paid,
        taken=stakes.taken,
        kept=stakes.kept,
        case=docket.case,
        may_apply=docket.may_apply,
        settled=docket.settled,
        due_paid=docket.paid,
        per=docket.per,
        due_taken=docket.taken,
        floor=docket.floor,
        net=_spent(scope, name),
        fractions=scope.prepared.fractions,
        exhausted=exhausted,
    )


@fact
def wrong_in_every_case(scope: Scope, name: str) -> Flags:
    """Return the stakes of a line that no case which may apply settles as they were, bool[stakes]."""
    line = settle(scope)[name]
    result = line.recorded() & ~line.settled & ~breaks_off(scope, "seat")[line.seat]
    # No case need be for a hand of another number of cards than it is ranked by.
    result &= line.exhausted | ~_miscounted(scope)[line.seat]
    for index, possible in line.may_apply.items():
        chosen = possible[result[possible]]
        if len(chosen):
            alone = _by_one_case(scope, line, index, chosen)
            result[chosen] = False if alone is None else (alone.settled & ~alone.may_agree().any(axis=0))[chosen]
    return result


@fact
def _miscounted(scope: Scope) -> Flags:
    """Return the seats where some hand surely has another number of cards than it is ranked by, bool[seats]."""
    result, round_ = np.zeros(scope.length("seat"), bool), scope.batch.seats.round
    for name, hand in scope.prepared.hands.items():
        for place, wanted in zip(hand.places, hand.sizes, strict=True):
            count = cards_of(scope, name, place).count
            wrong = (count != ABSENT) & (count != wanted)
            result |= wrong if place == "player" else wrong[round_]
    return result


def by_each_case(scope: Scope, line: Line, index: int) -> tuple[Line, ...]:
    """Return a line as each of the cases that may apply to one of its stakes settles this stake."""
    chosen = np.array([index])
    cases = (case for case, possible in line.may_apply.items() if index in possible)
    return tuple(
        settled_line
        for settled_line in (_by_one_case(scope, line, case, chosen) for case in cases)
        if settled_line is not None
    )


def _by_one_case(scope: Scope, line: Line, index: int, chosen: Ints) -> Line | None:
    """Return a line with some of its stakes settled by one case; None where the case leaves the amount open."""
    case = scope.prepared.game.settlement.cases[index]
    if is_open(case):
        return None
    docket = Docket.over(len(line.seat))
    docket.enter(index, chosen, _award(scope, line.name, case, stakes_on(scope, line.name).at(chosen)))
    return replace(
        line,
        case=docket.case,
        settled=docket.settled,
        due_paid=docket.paid,
        due_taken=docket.taken,
        per=docket.per,
        floor=docket.floor,
    )


def _spent(scope: Scope, name: str) -> bool:
    wager = scope.prepared.game.wagers.get(name)
    return wager is not None and wager.stake == "spent"


def _award(scope: Scope, name: str, case: Case, stakes: Reckoned) -> Award:
    """What a case makes due to stakes on a line."""
    amount, nothing = stakes.amount[None, :], np.zeros((1, len(stakes.amount)), np.int64)
    match case.due.operator:
        case "odds" if _spent(scope, name):
            return _at_odds(amount, case.due.operand.worth + 1, taken=amount)
        case "odds":
            return _at_odds(amount, case.due.operand.worth, taken=nothing)
        case "outcome":
            return Award(paid=nothing, taken=amount if case.due.operand == "lost" else nothing)
        case _:
            return by_table(scope, name, case.due.operand, stakes)


def _at_odds(amount: Ints, rate: Fraction, *, taken: Ints) -> Award:
    pays = min(rate.numerator, MOST)
    return Award(paid=times(amount, np.full(1, pays, np.int64), pays), taken=taken, per=rate.denominator)


__all__ = [
    "ABSENT",
    "Line",
    "by_each_case",
    "is_open",
    "line_of_a_house",
    "paid_as_due",
    "settle",
    "settle_as_a_house",
    "wrong_in_every_case",
]
