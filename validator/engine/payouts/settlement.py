"""Settlement of every line: what each stake is due and why, and what the log says was paid and taken.

For each line (a wager or a bonus) the cases of settlement are applied in order to the stakes that no earlier case has
decided. If the evidence leaves several cases open, a stake is settled only if all of them agree.
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
    """Settled stakes on one wager, or seats that a bonus may be due to. All arrays have one entry per stake."""

    name: str
    """Name of the wager or bonus."""
    seat: Ints32
    """Seat of each stake."""
    tip: Flags
    """True if the stake is a tip."""
    amount: Ints
    """Amount of the stake; for a bonus, the amount that it is computed from."""
    paid: Ints
    """Recorded amount paid; ABSENT if unknown."""
    taken: Ints
    """Recorded amount taken; ABSENT if unknown."""
    kept: Ints
    """Least amount that was kept of a stake; 0 if the log does not record returns."""
    case: Ints16
    """Index of the last case of the game that may apply."""
    may_apply: Mapping[int, Ints]
    """Stakes that each case may apply to, int64[m] by index of the case; only where `is_settled` is false."""
    settled: Flags
    """False if the evidence leaves open what is due."""
    due_paid: Ints
    """Amount due beyond the stake, in parts of a minor unit, int64[k, n]: one row per pay table that may be in use."""
    per: int
    """Number of parts in a minor unit."""
    due_taken: Ints
    """Amount due of the stake, in minor units, int64[1 or k, n]."""
    floor: Flags | None
    """True if more may be paid than is due, bool[k, n]; None if nowhere."""
    net: bool
    """True if the stake is spent, so that only the balance counts."""
    fractions: Literal["exactly", "either", "down", "up"]
    """Rounding of an amount due that is no whole minor unit."""
    exhausted: Flags
    """True if one of the cases that may apply surely does if no earlier case does, bool[n]."""

    def agrees(self) -> Flags:
        """Return whether the amounts paid and taken match a row of the dues.

        Returns:
            bool[k, n].
        """
        if self.net:
            over = (self.paid - self.taken) * self.per - (self.due_paid - self.due_taken * self.per)
        else:
            over = self.paid * self.per - self.due_paid
        fits = self._meets_due(over)
        if self.floor is not None:
            fits |= self.floor & (over > 0)
        return fits if self.net else fits & (self.due_taken == self.taken)

    def may_agree(self) -> Flags:
        """Return whether the amounts paid, and possibly kept, may match a row of the dues.

        Returns:
            bool[k, n].
        """
        result = self.agrees()
        if self.kept is self.taken or (self.kept == self.taken).all():
            return result
        put_back = self.kept < self.taken
        if self.net:
            over = (self.paid - self.taken) * self.per - (self.due_paid - self.due_taken * self.per)
            return result | (put_back & (over < 0) & (over + (self.taken - self.kept) * self.per >= 0))
        fits = self._meets_due(self.paid * self.per - self.due_paid)
        if self.floor is not None:
            fits |= self.floor & (self.paid * self.per > self.due_paid)
        return result | (put_back & fits & (self.kept <= self.due_taken) & (self.due_taken <= self.taken))

    def _meets_due(self, over: Ints) -> Flags:
        """Return whether a whole amount meets what is due, given the excess in parts."""
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
        """Return whether more was paid than any row of the dues.

        Returns:
            bool[n].
        """
        over = self.paid * self.per - self.due_paid
        beyond = over >= self.per if self.fractions in ("either", "up") else over > 0
        if self.floor is not None:
            beyond &= ~self.floor
        return np.all(beyond, axis=0)

    def decided_by(self, wanted: Flags) -> Flags:
        """Return the stakes that a wanted case decides, or may decide if this is open.

        Args:
            wanted: bool[cases + 1], the last entry for stakes that no case decides.

        Returns:
            bool[n].
        """
        chosen = wanted.take(self.case)
        if not self.settled.all():
            for index, possible in self.may_apply.items():
                if wanted[index]:
                    chosen[possible[~self.settled[possible]]] = True
        return chosen

    def recorded(self) -> Flags:
        """Return whether the log states what was paid and taken.

        Returns:
            bool[n].
        """
        return (self.paid != ABSENT) & (self.taken != ABSENT)

    def dues(self, index: int) -> tuple[tuple[Fraction, int], ...]:
        """Return all amounts that may be due to a stake: paid beyond it, and taken of it, in minor units."""
        taken = widened(self.due_taken, len(self.due_paid))
        pairs = zip(self.due_paid[:, index].tolist(), taken[:, index].tolist(), strict=True)
        return tuple(dict.fromkeys((Fraction(paid, self.per), taken) for paid, taken in pairs))

    def may_be_more(self, index: int) -> bool:
        """Return whether more may be paid to a stake than is due."""
        return self.floor is not None and bool(self.floor[:, index].any())


@fact
def settle(scope: Scope) -> Mapping[str, Line]:
    """Settle every line of the game, by name, in the order of settlement."""
    return {name: _settle_line(scope, name, _find_cases(scope, name)) for name in scope.prepared.game.settlement.order}


@fact
def paid_as_due(scope: Scope, name: str) -> Tri:
    """Return whether the amounts paid and taken of a seat's own stake on a line are what is due.

    Returns:
        uint8[seats].
    """
    line, result = settle(scope)[name], kleene.constant(YES, scope.length("seat"))
    agrees = line.agrees()
    judged = line.settled & line.recorded()
    wrong = ~line.may_agree().any(axis=0) & (line.too_much() | ~breaks_off(scope, "seat")[line.seat])
    answers = kleene.decided(judged & agrees.all(axis=0), judged & wrong)
    result[line.seat[~line.tip]] = answers[~line.tip]
    return result


def settle_as_a_house(scope: Scope) -> Mapping[str, Line]:
    """Settle every line with nothing left open: cases without an amount are skipped."""
    return {name: line_of_a_house(scope, name) for name in scope.prepared.game.settlement.order}


def line_of_a_house(scope: Scope, name: str) -> Line:
    """Settle one line with nothing left open."""
    cases = scope.prepared.game.settlement.cases
    return _settle_line(scope, name, tuple(index for index in _find_cases(scope, name) if not is_open(cases[index])))


def due_by(scope: Scope, name: str, index: int) -> Line:
    """Settle a line by one case alone, by its index; other stakes are not settled."""
    return _settle_line(scope, name, (index,))


def is_open(case: Case) -> bool:
    """Return whether a case leaves open what is due."""
    return case.due.operator == "outcome" and case.due.operand == "open"


def _find_cases(scope: Scope, name: str) -> tuple[int, ...]:
    """Return the indices of the cases that apply to a line."""
    return tuple(index for index, case in enumerate(scope.prepared.game.settlement.cases) if name in case.lines)


@fact
def _settle_line(scope: Scope, name: str, cases: tuple[int, ...]) -> Line:
    """Settle a line by some of its cases, by their indices."""
    stakes = stakes_on(scope, name)
    ledger = Docket.over(len(stakes.seat))
    for index in cases:
        case = scope.prepared.game.settlement.cases[index]
        if not len(ledger.open):
            break
        holds = None if case.when is None else scope.truth(case.when, "seat").take(stakes.seat.take(ledger.open))
        possible = ledger.may_apply[index] = ledger.open if holds is None else ledger.open.compress(holds != NO)
        if len(possible) and is_open(case):
            ledger.leave_open(index, possible)
        elif len(possible):
            ledger.enter(index, possible, _compute_due(scope, name, case, stakes.at(possible)))
        ledger.open = ledger.open[:0] if holds is None else ledger.open.compress(holds != YES)
    ledger.settled[ledger.open] = False
    exhausted = np.ones(len(stakes.seat), bool)
    exhausted[ledger.open] = False
    return Line(
        name=name,
        seat=stakes.seat,
        tip=stakes.tip,
        amount=stakes.amount,
        paid=stakes.paid,
        taken=stakes.taken,
        kept=stakes.kept,
        case=ledger.case,
        may_apply=ledger.may_apply,
        settled=ledger.settled,
        due_paid=ledger.paid,
        per=ledger.per,
        due_taken=ledger.taken,
        floor=ledger.floor,
        net=_is_spent(scope, name),
        fractions=scope.prepared.fractions,
        exhausted=exhausted,
    )


@fact
def wrong_in_every_case(scope: Scope, name: str) -> Flags:
    """Return the stakes of a line that match no case that may apply.

    Returns:
        bool[stakes].
    """
    line = settle(scope)[name]
    result = line.recorded() & ~line.settled & ~breaks_off(scope, "seat")[line.seat]
    # A hand with a wrong number of cards need not match any case.
    result &= line.exhausted | ~_has_wrong_card_count(scope)[line.seat]
    for index, possible in line.may_apply.items():
        chosen = possible[result[possible]]
        if len(chosen):
            alone = _settle_by_one_case(scope, line, index, chosen)
            result[chosen] = False if alone is None else (alone.settled & ~alone.may_agree().any(axis=0))[chosen]
    return result


@fact
def _has_wrong_card_count(scope: Scope) -> Flags:
    """Return the seats where some hand surely has a wrong number of cards."""
    result, round_ = np.zeros(scope.length("seat"), bool), scope.batch.seats.round
    for name, hand in scope.prepared.hands.items():
        for place, wanted in zip(hand.places, hand.sizes, strict=True):
            count = cards_of(scope, name, place).count
            wrong = (count != ABSENT) & (count != wanted)
            result |= wrong if place == "player" else wrong[round_]
    return result


def by_each_case(scope: Scope, line: Line, index: int) -> tuple[Line, ...]:
    """Return a line as each case that may apply to one of its stakes settles this stake."""
    chosen = np.array([index])
    cases = (case for case, possible in line.may_apply.items() if index in possible)
    return tuple(
        settled_line
        for settled_line in (_settle_by_one_case(scope, line, case, chosen) for case in cases)
        if settled_line is not None
    )


def _settle_by_one_case(scope: Scope, line: Line, index: int, chosen: Ints) -> Line | None:
    """Return a line with some of its stakes settled by one case; None if the case leaves the amount open."""
    case = scope.prepared.game.settlement.cases[index]
    if is_open(case):
        return None
    ledger = Docket.over(len(line.seat))
    ledger.enter(index, chosen, _compute_due(scope, line.name, case, stakes_on(scope, line.name).at(chosen)))
    return replace(
        line,
        case=ledger.case,
        settled=ledger.settled,
        due_paid=ledger.paid,
        due_taken=ledger.taken,
        per=ledger.per,
        floor=ledger.floor,
    )


def _is_spent(scope: Scope, name: str) -> bool:
    wager = scope.prepared.game.wagers.get(name)
    return wager is not None and wager.stake == "spent"


def _compute_due(scope: Scope, name: str, case: Case, stakes: Reckoned) -> Award:
    """Compute what a case makes due to stakes on a line."""
    amount, nothing = stakes.amount[None, :], np.zeros((1, len(stakes.amount)), np.int64)
    match case.due.operator:
        case "odds" if _is_spent(scope, name):
            return _compute_at_odds(amount, case.due.operand.worth + 1, taken=amount)
        case "odds":
            return _compute_at_odds(amount, case.due.operand.worth, taken=nothing)
        case "outcome":
            return Award(paid=nothing, taken=amount if case.due.operand == "lost" else nothing)
        case _:
            return by_table(scope, name, case.due.operand, stakes)


def _compute_at_odds(amount: Ints, rate: Fraction, *, taken: Ints) -> Award:
    pays = min(rate.numerator, MOST)
    return Award(paid=times(amount, np.full(1, pays, np.int64), pays), taken=taken, per=rate.denominator)
