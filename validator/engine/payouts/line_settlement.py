"""Settlement of every line: what each stake is due and why, and what the log says was paid and taken.

For each line (a wager or a bonus) the cases of settlement are applied in order to the stakes that no earlier case has
decided. If the evidence leaves several cases open, a stake is settled only if all of them agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import (
    ABSENT,
    Bounds,
    Flags,
    Ints,
    Ints16,
    Ints32,
    Truths,
    are_all,
    find_true,
    has_any,
    look_up,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, UNKNOWN, YES
from fairdeal.validator.engine.facts.final_hands import collect_hand_cards
from fairdeal.validator.engine.facts.outcome_values import may_be_late
from fairdeal.validator.engine.facts.seat_layout import is_banking_seat
from fairdeal.validator.engine.facts.stake_outcomes import (
    LineStakes,
    StakeBasis,
    collect_line_stakes,
    late_amounts,
    sum_events,
)
from fairdeal.validator.engine.payouts import due_amounts
from fairdeal.validator.engine.timeline.excused_acts import is_truncated
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rules.payment_model import Case, Commission, Rounding


class SettledLine(Struct, frozen=True, kw_only=True):
    """Settled stakes on one wager, or seats that a bonus may be due to. All arrays have one entry per stake."""

    name: str
    """Name of the wager or bonus."""
    stake: Ints
    """Index of each stake in the batch; ABSENT for a bonus."""
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
    is_settled: Flags
    """False if the evidence leaves open what is due."""
    due_paid: Ints
    """Amount due beyond the stake, in parts of a minor unit, int64[k, n]: one row per pay table that may be in use."""
    denominator: int
    """Number of parts in a minor unit."""
    due_taken: Ints
    """Amount due of the stake, in parts of a minor unit, int64[1 or k, n]."""
    is_minimum: Flags | None
    """True if more may be paid than is due, bool[k, n]; None if nowhere."""
    is_net: bool
    """True if the stake is spent, so that only the balance counts."""
    spread: Ints | None
    """Amount by which the payment may be larger, as a commission may be rounded either way, in parts of a minor unit,
    int64[1, n]; None if nowhere."""
    rounding: Rounding | None
    """Rounding of amounts due; None if they are due exactly."""
    has_certain_case: Flags
    """True if one of the cases that may apply surely does if no earlier case does, bool[n]."""

    may_be_late: Flags
    """True if the stake may have been placed too late, and nothing was paid or taken, as is due then; bool[n]."""

    def matches_due(self) -> Flags:
        """Return whether the amounts paid and taken match a row of the dues.

        Returns:
            bool[k, n].
        """
        if self.is_net:
            return self._is_payment_met(self.paid - self.taken, self.due_paid - self.due_taken)
        return self._is_payment_met(self.paid, self.due_paid) & self._meets_due(self.taken, self.due_taken)

    def may_match_due(self) -> Flags:
        """Return whether the amounts paid, and possibly kept, may match a row of the dues.

        Returns:
            bool[k, n].
        """
        result = self.matches_due() | self.may_be_late
        if self.kept is self.taken or are_all(self.kept == self.taken):
            return result
        put_back = self.kept < self.taken
        if self.is_net:
            over = (self.paid - self.taken) * self.denominator - (self.due_paid - self.due_taken)
            return result | (put_back & (over < 0) & (over + (self.taken - self.kept) * self.denominator >= 0))
        fits = self._is_payment_met(self.paid, self.due_paid)
        least, most = self.bound_due_taken()
        return result | (put_back & fits & (self.kept <= most) & (least <= self.taken))

    def bound_due_taken(self) -> tuple[Ints, Ints]:
        """Return the least and the most that may be taken of each stake, in minor units, int64[1 or k, n] each."""
        return due_amounts.bound_rounded(self.due_taken, self.denominator, self.rounding)

    def _is_payment_met(self, amount: Ints, due: Ints) -> Flags:
        """Return whether amounts meet what is due, with a commission rounded either way, or exceed a minimum."""
        fits = self._meets_due(amount, due)
        if self.spread is not None:
            fits |= self._meets_due(amount, due + self.spread)
        if self.is_minimum is not None:
            fits |= self.is_minimum & (amount * self.denominator > due)
        return fits

    def _meets_due(self, amount: Ints, due: Ints) -> Flags:
        """Return whether amounts in minor units meet what is due, in parts, by the rule of rounding."""
        if self.rounding is None:
            return amount * self.denominator == due
        least, most = due_amounts.bound_rounded(due, self.denominator, self.rounding)
        return (amount == least) | (amount == most)

    def is_overpaid(self) -> Flags:
        """Return whether more was paid than any row of the dues.

        Returns:
            bool[n].
        """
        due = self.due_paid if self.spread is None else self.due_paid + self.spread
        beyond = self.paid > due_amounts.bound_rounded(due, self.denominator, self.rounding)[1]
        if self.is_minimum is not None:
            beyond &= ~self.is_minimum
        return np.all(beyond, axis=0)

    def is_decided_by(self, wanted: Flags) -> Flags:
        """Return the stakes that a wanted case decides, or may decide if this is open.

        Args:
            wanted: bool[cases + 1], the last entry for stakes that no case decides.

        Returns:
            bool[n].
        """
        chosen = wanted.take(self.case)
        if not are_all(self.is_settled):
            for index, possible in self.may_apply.items():
                if wanted[index]:
                    chosen[possible[~self.is_settled[possible]]] = True
        return chosen

    def is_recorded(self) -> Flags:
        """Return whether the log states what was paid and taken.

        Returns:
            bool[n].
        """
        return (self.paid != ABSENT) & (self.taken != ABSENT)

    def list_possible_dues(self, index: int) -> tuple[tuple[Fraction, Fraction], ...]:
        """Return all amounts that may be due to a stake: paid beyond it, and taken of it, in minor units."""
        taken = due_amounts.repeat_last_row(self.due_taken, len(self.due_paid))[:, index].tolist()
        pairs = [*zip(self.due_paid[:, index].tolist(), taken, strict=True)]
        if self.spread is not None and self.spread[0, index]:
            pairs += [(paid + int(self.spread[0, index]), taken) for paid, taken in pairs]
        return tuple(
            dict.fromkeys(
                (Fraction(paid, self.denominator), Fraction(taken, self.denominator)) for paid, taken in pairs
            )
        )

    def may_exceed_due(self, index: int) -> bool:
        """Return whether more may be paid to a stake than is due."""
        return self.is_minimum is not None and bool(has_any(self.is_minimum[:, index]))


@cached_fact
def settle_lines(scope: EvaluationContext) -> Mapping[str, SettledLine]:
    """Settle every line of the game, by name, in the order of settlement."""
    return {
        name: _settle_line(scope, name, _find_cases(scope, name)) for name in scope.compiled_game.game.settlement.order
    }


@cached_fact
def is_paid_as_due(scope: EvaluationContext, name: str) -> Truths:
    """Return whether the amounts paid and taken of a seat's own stake on a line are what is due.

    Returns:
        uint8[seats].
    """
    line, result = settle_lines(scope)[name], kleene.constant(YES, scope.count_items("seat"))
    agrees = line.matches_due()
    judged = line.is_settled & line.is_recorded()
    wrong = ~line.may_match_due().any(axis=0) & (line.is_overpaid() | ~is_truncated(scope, "seat")[line.seat])
    answers = kleene.from_yes_no(judged & agrees.all(axis=0), judged & wrong)
    np.minimum.at(result, line.seat[~line.tip], answers[~line.tip])
    return result


def settle_lines_definitely(scope: EvaluationContext) -> Mapping[str, SettledLine]:
    """Settle every line with nothing left open: cases without an amount are skipped."""
    return {name: settle_line_definitely(scope, name) for name in scope.compiled_game.game.settlement.order}


def settle_line_definitely(scope: EvaluationContext, name: str) -> SettledLine:
    """Settle one line with nothing left open."""
    cases = scope.compiled_game.game.settlement.cases
    return _settle_line(
        scope, name, tuple(index for index in _find_cases(scope, name) if not leaves_due_open(cases[index]))
    )


def settle_line_by_case(scope: EvaluationContext, name: str, index: int) -> SettledLine:
    """Settle a line by one case alone, by its index; other stakes are not settled."""
    return _settle_line(scope, name, (index,))


def leaves_due_open(case: Case) -> bool:
    """Return whether a case leaves open what is due."""
    return case.due.operator == "outcome" and case.due.operand == "open"


def _find_cases(scope: EvaluationContext, name: str) -> tuple[int, ...]:
    """Return the indices of the cases that apply to a line."""
    return tuple(index for index, case in enumerate(scope.compiled_game.game.settlement.cases) if name in case.lines)


def evaluate_case(
    scope: EvaluationContext, when: Condition, stakes: LineStakes | SettledLine, chosen: Ints | None = None
) -> Truths:
    """Evaluate the condition of a case for the stakes of a line, or for some of them.

    A condition about the selection of a stake is evaluated for the stake, any other for its seat.

    Returns:
        uint8[n].
    """
    grain: Grain = "stake" if scope.compiled_game.find_grain(when) == "stake" else "seat"
    items = stakes.stake if grain == "stake" else stakes.seat
    return scope.evaluate(when, grain).take(items if chosen is None else items.take(chosen))


@cached_fact
def _settle_line(
    scope: EvaluationContext, name: str, cases: tuple[int, ...], *, before_commission: bool = False
) -> SettledLine:
    """Settle a line by some of its cases, by their indices."""
    compute = _compute_award if before_commission else _compute_due
    stakes = collect_line_stakes(scope, name)
    ledger = due_amounts.SettlementLedger.for_stakes(len(stakes.seat))
    for index in cases:
        case = scope.compiled_game.game.settlement.cases[index]
        if not len(ledger.undecided):
            break
        holds = None if case.when is None else evaluate_case(scope, case.when, stakes, ledger.undecided)
        possible = ledger.may_apply[index] = (
            ledger.undecided if holds is None else ledger.undecided.compress(holds != NO)
        )
        if len(possible) and leaves_due_open(case):
            ledger.leave_undetermined(index, possible)
        elif len(possible):
            ledger.apply_case(index, possible, compute(scope, name, case, stakes.select(possible)))
            ledger.is_settled[_find_unknown_shares(scope, case, stakes, possible)] = False
        ledger.undecided = ledger.undecided[:0] if holds is None else ledger.undecided.compress(holds != YES)
    ledger.is_settled[ledger.undecided] = False
    exhausted = np.ones(len(stakes.seat), bool)
    exhausted[ledger.undecided] = False
    return SettledLine(
        name=name,
        stake=stakes.stake,
        seat=stakes.seat,
        tip=stakes.tip,
        amount=stakes.amount,
        paid=stakes.paid,
        taken=stakes.taken,
        kept=stakes.kept,
        case=ledger.case,
        may_apply=ledger.may_apply,
        is_settled=ledger.is_settled,
        due_paid=ledger.paid,
        denominator=ledger.denominator,
        due_taken=ledger.taken,
        is_minimum=ledger.is_minimum,
        spread=ledger.spread,
        is_net=_is_spent(scope, name),
        rounding=scope.compiled_game.rounding,
        has_certain_case=exhausted,
        may_be_late=(stakes.stake != ABSENT)
        & (stakes.paid == 0)
        & (stakes.taken == 0)
        & look_up(may_be_late(scope), stakes.stake, missing=False),
    )


@cached_fact
def is_wrong_in_every_case(scope: EvaluationContext, name: str) -> Flags:
    """Return the stakes of a line that match no case that may apply.

    Returns:
        bool[stakes].
    """
    line = settle_lines(scope)[name]
    result = line.is_recorded() & ~line.is_settled & ~is_truncated(scope, "seat")[line.seat]
    # A hand with a wrong number of cards need not match any case.
    result &= line.has_certain_case | ~_has_wrong_card_count(scope)[line.seat]
    for index, possible in line.may_apply.items():
        chosen = possible[result[possible]]
        if len(chosen):
            alone = _settle_by_one_case(scope, line, index, chosen)
            result[chosen] = False if alone is None else (alone.is_settled & ~alone.may_match_due().any(axis=0))[chosen]
    return result


@cached_fact
def _has_wrong_card_count(scope: EvaluationContext) -> Flags:
    """Return the seats where some hand surely has a wrong number of cards."""
    result, round_ = np.zeros(scope.count_items("seat"), bool), scope.batch.seats.round
    for name, hand in scope.compiled_game.hands.items():
        for place, fewest, most in zip(hand.places, hand.fewest, hand.sizes, strict=True):
            count = collect_hand_cards(scope, name, place).count
            wrong = (count != ABSENT) & ((count < fewest) | (count > most))
            result |= wrong if place == "player" else wrong[round_]
    return result


def settle_by_each_case(scope: EvaluationContext, line: SettledLine, index: int) -> tuple[SettledLine, ...]:
    """Return a line as each case that may apply to one of its stakes settles this stake."""
    chosen = np.array([index])
    cases = (case for case, possible in line.may_apply.items() if index in possible)
    return tuple(
        settled_line
        for settled_line in (_settle_by_one_case(scope, line, case, chosen) for case in cases)
        if settled_line is not None
    )


def _settle_by_one_case(scope: EvaluationContext, line: SettledLine, index: int, chosen: Ints) -> SettledLine | None:
    """Return a line with some of its stakes settled by one case; None if the case leaves the amount open."""
    case = scope.compiled_game.game.settlement.cases[index]
    if leaves_due_open(case):
        return None
    ledger, stakes = due_amounts.SettlementLedger.for_stakes(len(line.seat)), collect_line_stakes(scope, line.name)
    ledger.apply_case(index, chosen, _compute_due(scope, line.name, case, stakes.select(chosen)))
    ledger.is_settled[_find_unknown_shares(scope, case, stakes, chosen)] = False
    return replace(
        line,
        case=ledger.case,
        is_settled=ledger.is_settled,
        due_paid=ledger.paid,
        due_taken=ledger.taken,
        denominator=ledger.denominator,
        is_minimum=ledger.is_minimum,
        spread=ledger.spread,
    )


def _is_spent(scope: EvaluationContext, name: str) -> bool:
    wager = scope.compiled_game.game.wagers.get(name)
    return wager is not None and wager.stake == "spent"


def _compute_due(scope: EvaluationContext, name: str, case: Case, stakes: StakeBasis) -> due_amounts.DueAmounts:
    """Compute what a case makes due to stakes on a line, less a commission."""
    award = _compute_award(scope, name, case, stakes)
    commission = case.due.commission
    if commission is None or commission.owed is not None:
        return award
    return due_amounts.deduct_commission(award, commission)


def _compute_award(scope: EvaluationContext, name: str, case: Case, stakes: StakeBasis) -> due_amounts.DueAmounts:
    amount, nothing = stakes.amount[None, :], np.zeros((1, len(stakes.amount)), np.int64)
    match case.due.operator:
        case "odds" | "loses" if _is_spent(scope, name):
            rate = case.due.operand.worth if case.due.operator == "odds" else -case.due.operand.worth
            return _compute_at_odds(amount, rate + 1, taken=amount * rate.denominator)
        case "odds":
            return _compute_at_odds(amount, case.due.operand.worth, taken=nothing)
        case "loses":
            part = _compute_at_odds(amount, case.due.operand.worth, taken=nothing)
            return due_amounts.DueAmounts(paid=nothing, taken=part.paid, denominator=part.denominator)
        case "share":
            win = _sum_bank_wins(scope, case.due.operand.of)
            whole = win.amount[scope.batch.seats.round[stakes.seat]][None, :] * case.due.operand.percent
            return due_amounts.DueAmounts(
                paid=np.maximum(whole, 0), taken=np.maximum(-whole, 0), denominator=win.denominator * _PERCENT
            )
        case "outcome":
            return due_amounts.DueAmounts(paid=nothing, taken=amount if case.due.operand == "lost" else nothing)
        case _:
            return due_amounts.compute_table_due(scope, name, case.due.operand, stakes)


def _compute_at_odds(amount: Ints, rate: Fraction, *, taken: Ints) -> due_amounts.DueAmounts:
    pays = min(rate.numerator, due_amounts.OVERFLOW_AMOUNT)
    return due_amounts.DueAmounts(
        paid=due_amounts.multiply_amounts(amount, np.full(1, pays, np.int64), pays),
        taken=taken,
        denominator=rate.denominator,
    )


_PERCENT = 100


@cached_fact
def bound_commission_owed(scope: EvaluationContext, name: str) -> Bounds:
    """Return bounds of the commission that each stake of a line makes due and the player owes, int64[stakes], twice.

    A stake whose case is not known owes nothing or any amount.
    """
    line, cases = settle_lines(scope)[name], scope.compiled_game.game.settlement.cases
    low, high = np.zeros((2, len(line.seat)), np.int64)
    for number, case in enumerate(cases):
        if case.due.commission is None or case.due.commission.owed is None or name not in case.lines:
            continue
        high[~line.is_settled] = UNBOUNDED
        own = find_true(line.is_settled & (line.case == number))
        award = due_amounts.DueAmounts(
            paid=line.due_paid[:1, own], taken=line.due_taken[:1, own], denominator=line.denominator
        )
        rest = due_amounts.deduct_commission(award, case.due.commission)
        high[own] = (award.paid - rest.paid)[0] // line.denominator
        low[own] = high[own] if rest.spread is None else high[own] - rest.spread[0] // line.denominator
    return low, high


def bound_owed_on(scope: EvaluationContext, name: str) -> Bounds:
    """Return bounds of the commissions of a round that each seat owes on a debt, int64[seats], twice."""
    low, high = np.zeros((2, scope.count_items("seat")), np.int64)
    is_open, cases = np.zeros(len(low), np.bool_), scope.compiled_game.game.settlement.cases
    owing = [case for case in cases if case.due.commission is not None and case.due.commission.owed == name]
    for other in dict.fromkeys(line for case in owing for line in case.lines):
        seats, (least, most) = settle_lines(scope)[other].seat, bound_commission_owed(scope, other)
        np.add.at(low, seats, least)
        np.add.at(high, seats, np.where(most < UNBOUNDED, most, 0))
        is_open[seats[most == UNBOUNDED]] = True
    for other, wager in scope.compiled_game.game.wagers.items():
        bank = wager.against
        if bank is not None and bank.commission is not None and bank.commission.owed == name:
            banks = is_banking_seat(scope, bank.outcome)
            owner, is_open = np.flatnonzero(banks == YES), is_open | (banks == UNKNOWN)
            rounds = scope.batch.seats.round[owner]
            least, most = (bound[rounds] for bound in _bound_bank_commission(scope, other, bank.commission))
            low[owner] += least
            high[owner] += np.where(most < UNBOUNDED, most, 0)
            is_open[owner[most == UNBOUNDED]] = True
    return np.where(is_truncated(scope, "seat"), 0, low), np.where(is_open, UNBOUNDED, high)


def _bound_bank_commission(scope: EvaluationContext, name: str, commission: Commission) -> Bounds:
    """Return bounds of the commission on what a bank wins in each round on a wager, int64[rounds], twice."""
    win = _sum_bank_wins(scope, name)
    least, most = due_amounts.bound_commission(np.maximum(win.amount, 0), commission, win.denominator)
    return np.where(win.is_open, 0, least), np.where(win.is_open, UNBOUNDED, most)


class _BankWins(Struct, frozen=True, kw_only=True, eq=False):
    """Amounts that the bank wins on a wager, less what it pays."""

    amount: Ints
    """Amount of each round, in parts of a minor unit, int64[rounds]."""
    denominator: int
    """Number of parts in a minor unit."""
    is_open: Flags
    """Rounds with a stake that may be settled in several ways, bool[rounds]."""


@cached_fact
def _sum_bank_wins(scope: EvaluationContext, name: str) -> _BankWins:
    """Return what the bank wins on a wager in each round. Commissions do not count."""
    line = _settle_line(scope, name, _find_cases(scope, name), before_commission=True)
    round_, won = scope.batch.seats.round[line.seat], np.zeros(scope.count_items("round"), np.int64)
    np.add.at(won, round_, (line.due_taken - line.due_paid)[0])
    is_open = np.zeros(len(won), np.bool_)
    is_open[round_[~line.is_settled]] = True
    return _BankWins(amount=won, denominator=line.denominator, is_open=is_open)


def _find_unknown_shares(scope: EvaluationContext, case: Case, stakes: LineStakes, chosen: Ints) -> Ints:
    """Return those of some stakes whose case is a share of a bank with an unknown win, int64[m]."""
    if case.due.operator != "share":
        return chosen[:0]
    is_open = _sum_bank_wins(scope, case.due.operand.of).is_open
    return chosen[is_open[scope.batch.seats.round[stakes.seat[chosen]]]]


@cached_fact
def bound_left_on(scope: EvaluationContext, name: str) -> Bounds:
    """Return bounds of what each seat leaves on a wager for the next round, without tips.

    It is the whole stake by a case that leaves it, less what was returned, and nothing by any other case. If the stake
    was settled in another way, or the log does not show how, it may be anything between.

    Returns:
        int64[seats], twice.
    """
    seats = scope.count_items("seat")
    low, high = np.zeros((2, seats), np.int64)
    if name in scope.compiled_game.game.staying_wagers:
        line = settle_lines(scope)[name]
        least, most = _bound_stakes_left(scope, line)
        own = ~line.tip
        np.add.at(low, line.seat[own], least[own])
        np.add.at(high, line.seat[own], most[own])
    stops = is_truncated(scope, "seat")
    return np.where(stops, 0, low), np.where(stops, UNBOUNDED, high)


def _bound_stakes_left(scope: EvaluationContext, line: SettledLine) -> Bounds:
    """Return bounds of what is left of each stake of a line, int64[stakes] each."""
    cases = scope.compiled_game.game.settlement.cases
    leaves = np.array([*(case.due.leaves_stake for case in cases), False], np.bool_)
    # A stake that was collected by mistake and returned is on the table again.
    back = sum_events(scope, "return") - sum_events(scope, "collect") - late_amounts(scope)
    back = np.maximum(back, 0).take(line.stake)
    rest = line.amount - np.minimum(back, line.amount)
    is_known = line.is_settled & line.is_recorded() & line.matches_due().all(axis=0)
    rounds = scope.batch.seats.round[line.seat]
    shows_returns, shows_collections = (is_recorded(scope.batch, kind)[rounds] for kind in ("return", "collect"))
    stays = leaves[line.case] & line.is_settled
    least = np.where(is_known & stays & shows_returns, rest, 0)
    # What was returned may have been collected before, in an event that the log does not record.
    most = np.where(shows_collections, rest, line.amount)
    return least, np.where(is_known, np.where(stays, most, 0), line.amount)
