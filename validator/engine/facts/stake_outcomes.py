"""Stakes of seats, what was paid and taken of them, and what the submission in force states about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Bounds,
    Flags,
    Ints,
    Ints32,
    Truths,
    are_all,
    find_distinct,
    find_true,
    has_any,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.house_terms import SubmissionView
from fairdeal.validator.engine.core.kleene import (
    UNBOUNDED,
    bounds_where_known,
    exact_bounds,
    keep_where_known,
    recorded_bounds,
)
from fairdeal.validator.engine.timeline.excused_acts import is_truncated, may_stake_later
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, certain_events, events_of_kinds
from fairdeal.validator.evidence.columns.log_draft import number_lines
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.evidence.stake_amounts import find_reversed_collections
from fairdeal.validator.language.grammar import Grain


@cached_fact
def read_meter(scope: EvaluationContext, meter: str, at: Literal["opening", "shown", "closing"]) -> tuple[Ints, Flags]:
    """Return the reading of a meter in each round, and whether it is known.

    Returns:
        int64[rounds], in minor units; bool[rounds].
    """
    meters = scope.batch.meters
    values = np.full(scope.count_items("round"), ABSENT, np.int64)
    ours = find_true(meters.meter.codes == meters.meter.code(meter))
    values[meters.round[ours]] = getattr(meters, at)[ours]
    return values, values != ABSENT


def build_submission_view(scope: EvaluationContext) -> SubmissionView | None:
    """Return the view of the submission in force; None if there is none."""
    result = scope.configuration
    return (
        None
        if result is None
        else SubmissionView(data=result.data, regulation=scope.compiled_game.regulation, day=result.effective)
    )


def bound_constant(scope: EvaluationContext, value: object) -> Bounds:
    """Return the bounds of a whole number that holds for all rounds; the bounds are open if the value is no number."""
    rounds = scope.count_items("round")
    known = isinstance(value, int) and not isinstance(value, bool)
    return bounds_where_known(np.full(rounds, known), np.full(rounds, value if known else 0, np.int64))


def evaluate_per_line(scope: EvaluationContext, line: str, stated: Callable[[str], int]) -> Truths:
    """Return a statement about a line for each round, or for `this`, about the wager of each stake.

    Returns:
        uint8[rounds], or uint8[stakes] for `this`.
    """
    if line != "this":
        return kleene.constant(stated(line), scope.count_items("round"))
    wager = scope.batch.stakes.wager
    return np.array([stated(name) for name in wager.names], np.uint8)[wager.codes]


class StakeOutcomes(Struct, frozen=True, kw_only=True):
    """Amounts of each stake, int64[stakes]; ABSENT if the record does not state them."""

    paid: Ints
    taken: Ints
    """Amount that was taken, including any amount put back if the log does not record returns."""
    kept: Ints
    """Least amount that was kept."""


@cached_fact
def stake_outcomes(scope: EvaluationContext) -> StakeOutcomes:
    """Return what was paid and taken of each stake."""
    stakes = scope.batch.stakes
    rounds = scope.rounds_of("stake")
    paid_by_events = (stakes.paid == ABSENT) & _records_all(scope, "pay")[rounds]
    taken_by_events = (stakes.taken == ABSENT) & ~stakes.bonus & _records_all(scope, "collect", "return")[rounds]
    paid, taken = stakes.paid, stakes.taken
    if has_any(paid_by_events):
        paid = np.where(paid_by_events, sum_events(scope, "pay"), paid)
    if has_any(taken_by_events):
        taken = np.where(taken_by_events, sum_events(scope, "collect"), taken)
        for stake in find_reversed_collections(scope.batch):
            if taken_by_events[stake.stake]:
                taken[stake.stake] = stake.kept
    lacks_returns = scope.batch.recorded & ~is_recorded(scope.batch, "return")
    kept = np.where((taken > 0) & lacks_returns[rounds], 0, taken) if has_any(lacks_returns) else taken
    return StakeOutcomes(paid=paid, taken=taken, kept=kept)


def amounts_paid_on(scope: EvaluationContext, line: str, *, tip: bool) -> Ints:
    """Return what each seat was paid on a line; 0 if it has nothing, ABSENT if the payment is unknown.

    A bonus that is not listed was not paid if the summary has its wager and no event pays it; otherwise events decide.

    Returns:
        int64[seats].
    """
    stakes, paid = scope.batch.stakes, stake_outcomes(scope).paid
    result = np.zeros(scope.count_items("seat"), np.int64)
    bonus = scope.compiled_game.game.bonuses.get(line)
    if bonus is not None:
        base = _select_tips(scope, bonus.of, tip=tip)
        unrecorded = np.zeros(len(result), bool)
        unrecorded[stakes.seat[base[stakes.paid[base] == ABSENT]]] = True
        by_events = _records_all(scope, "pay")[scope.batch.seats.round]
        paid_then = _paid_by_events(scope, line, tip=tip)
        result = np.where(unrecorded | (paid_then > 0), np.where(by_events, paid_then, ABSENT), result)
    listed = _select_tips(scope, line, tip=tip)
    if line in scope.compiled_game.selections:
        return _sum_of_seats(scope, listed, paid[listed])
    result[stakes.seat[listed]] = paid[listed]
    return result


def _sum_of_seats(scope: EvaluationContext, chosen: Ints, amounts: Ints) -> Ints:
    """Sum amounts of some stakes by seat; ABSENT if one of them is.

    Returns:
        int64[seats].
    """
    seat, sums = scope.batch.stakes.seat[chosen], np.zeros(scope.count_items("seat"), np.int64)
    np.add.at(sums, seat, amounts)
    sums[seat[amounts == ABSENT]] = ABSENT
    return sums


def _select_tips(scope: EvaluationContext, line: str, *, tip: bool) -> Ints:
    """Return the stakes on a line that are tips, or those that are not."""
    chosen = scope.stake_indices(line)
    return chosen.compress(scope.batch.stakes.tip.take(chosen) == tip)


def _records_all(scope: EvaluationContext, *kinds: str) -> Flags:
    """Return whether a record has all events of some kinds until the end of the round."""
    return is_recorded(scope.batch, *kinds) & scope.batch.complete


@cached_fact
def sum_events(scope: EvaluationContext, kind: str) -> Ints:
    """Return the sum of the amounts in events of a kind for each stake."""
    events, stakes = scope.batch.events, scope.batch.stakes
    recorded = find_true((events.kind == KIND_CODES[kind]) & (events.seat != ABSENT))
    lines, line_of, names = number_lines(scope.batch)
    of_stakes = (stakes.seat.astype(np.int64) * len(names) + lines) * 2 + stakes.tip
    of_events = (events.seat[recorded].astype(np.int64) * len(names) + line_of[recorded]) * 2 + events.tip[recorded]
    keys = find_distinct(np.concatenate([of_stakes, of_events]))
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, np.searchsorted(keys, of_events), events.amount[recorded])
    return sums[np.searchsorted(keys, of_stakes)]


def _paid_by_events(scope: EvaluationContext, line: str, *, tip: bool) -> Ints:
    """Return what events pay each seat on a line."""
    events, result = scope.batch.events, np.zeros(scope.count_items("seat"), np.int64)
    of_line = (events.kind == KIND_CODES["pay"]) & (events.wager.codes == events.wager.code(line))
    recorded = find_true(of_line & (events.tip == tip) & (events.seat != ABSENT))
    np.add.at(result, events.seat[recorded], events.amount[recorded])
    return result


class StakeBasis(Struct, frozen=True, kw_only=True):
    """Seats and stakes that amounts due are computed from."""

    seat: Ints32
    """Seat of each stake, int32[n]."""
    amount: Ints
    """Stake in minor currency units, int64[n]."""


class LineStakes(Struct, frozen=True, kw_only=True):
    """Stakes on one line, one entry per stake."""

    stake: Ints
    """Index into `Stakes`; ABSENT for a bonus."""
    seat: Ints32
    """Seat of each stake."""
    tip: Flags
    """True if the stake is a tip."""
    amount: Ints
    """Amount of the stake; for a bonus, the amount that the bonus is computed from."""
    paid: Ints
    """Recorded amount paid; ABSENT if unknown."""
    taken: Ints
    """Recorded amount taken; ABSENT if unknown."""
    kept: Ints
    """Least amount that was kept of a stake that was taken."""

    def select(self, chosen: Ints) -> StakeBasis:
        """Return the seats and amounts of some of the stakes."""
        return StakeBasis(seat=self.seat.take(chosen), amount=self.amount.take(chosen))


def collect_line_stakes(scope: EvaluationContext, line: str) -> LineStakes:
    """Return the stakes on a wager, or those that a bonus is computed from."""
    if line in scope.compiled_game.game.bonuses:
        return _collect_bonus(scope, line)
    stakes, result = scope.batch.stakes, stake_outcomes(scope)
    chosen = scope.stake_indices(line)
    chosen = chosen.compress(placed_stakes(scope).take(chosen))
    return LineStakes(
        stake=chosen,
        seat=stakes.seat.take(chosen),
        tip=stakes.tip.take(chosen),
        amount=(stakes.amount - late_amounts(scope)).take(chosen),
        paid=result.paid.take(chosen),
        taken=result.taken.take(chosen),
        kept=result.kept.take(chosen),
    )


@cached_fact
def placed_stakes(scope: EvaluationContext) -> Flags:
    """Return whether each stake was placed: where players do not bet among themselves, an entry of nothing was not.

    Returns:
        bool[stakes].
    """
    stakes, result = scope.batch.stakes, stake_outcomes(scope)
    if scope.compiled_game.game.betting is not None:
        return np.ones(len(stakes.seat), bool)
    return (stakes.amount > 0) | (result.paid > 0) | (result.taken > 0)


@cached_fact
def late_amounts(scope: EvaluationContext) -> Ints:
    """Return the part of each stake that was certainly placed too late and not withdrawn, int64[stakes]."""
    stakes, events = scope.batch.stakes, scope.batch.events
    step, late = scope.compiled_game.game.settlement.late, np.zeros(len(stakes.seat), np.int64)
    placed = np.zeros(0, np.int64) if step is None else certain_events(scope, step)
    if not len(placed) or not len(late):
        return late
    lines, line_of, names = number_lines(scope.batch)
    width, moved = len(names) + 1, np.concatenate([placed, events_of_kinds(scope, ("withdraw",))])
    own = (stakes.seat.astype(np.int64) * width + lines) * 2 + stakes.tip
    named = (events.seat[moved].astype(np.int64) * width + line_of[moved]) * 2 + events.tip[moved]
    order = np.argsort(own, kind="stable")
    stake = order[np.minimum(np.searchsorted(own[order], named), len(own) - 1)]
    first, is_placed = np.full(len(own), len(events.kind)), np.arange(len(moved)) < len(placed)
    counts = (own[stake] == named) & (events.seat[moved] != ABSENT) & (events.amount[moved] > 0)
    np.minimum.at(first, stake[counts & is_placed], moved[counts & is_placed])
    counts &= moved >= first[stake]
    np.add.at(late, stake[counts], np.where(is_placed, events.amount[moved], -events.amount[moved])[counts])
    return np.clip(late, 0, stakes.amount)


def _collect_bonus(scope: EvaluationContext, name: str) -> LineStakes:
    """Return the seats that a bonus may be due to: all that have a stake on its wager or were paid the bonus."""
    base = scope.compiled_game.game.bonuses[name].of
    parts: list[LineStakes] = []
    for tip in (False, True):
        amount, paid = scope.staked_amounts(base, tip=tip), amounts_paid_on(scope, name, tip=tip)
        listed = np.zeros(len(paid), bool)
        own = scope.stake_indices(name)
        listed[scope.batch.stakes.seat[own[scope.batch.stakes.tip[own] == tip]]] = True
        # A tip earns the bonus only if the log shows a payment; an entry of nothing shows the opposite.
        due = (listed & (paid != 0) if tip else listed | (amount > 0)) | (paid > 0)
        seat = find_true(due).astype(np.int32)
        parts.append(
            LineStakes(
                stake=np.full(len(seat), ABSENT, np.int64),
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
    return LineStakes(
        stake=np.concatenate([plain.stake, tips.stake]),
        seat=np.concatenate([plain.seat, tips.seat]),
        tip=np.concatenate([plain.tip, tips.tip]),
        amount=np.concatenate([plain.amount, tips.amount]),
        paid=np.concatenate([plain.paid, tips.paid]),
        taken=np.concatenate([plain.taken, tips.taken]),
        kept=np.concatenate([plain.kept, tips.kept]),
    )


@cached_fact
def own_stake_on_wager(scope: EvaluationContext, *, tip: bool) -> Ints:
    """Return the seat's own stake, or its tip, on the wager of each stake.

    Returns:
        int64[stakes].
    """
    stakes = scope.batch.stakes
    result = np.zeros(len(stakes.seat), np.int64)
    for line in stakes.wager.used_names():
        chosen = scope.stake_indices(line)
        if line in scope.compiled_game.selections:
            result[chosen] = _find_on_same_selection(scope, chosen, tip=tip)
        else:
            result[chosen] = scope.staked_amounts(line, tip=tip)[stakes.seat[chosen]]
    return result


def _find_on_same_selection(scope: EvaluationContext, chosen: Ints, *, tip: bool) -> Ints:
    """Return what the seat staked on the selection of each of some stakes on one wager.

    Returns:
        int64[m].
    """
    stakes = scope.batch.stakes
    key = stakes.seat[chosen].astype(np.int64) * (len(stakes.selection.names) + 1) + stakes.selection.codes[chosen] + 1
    distinct, place = np.unique(key, return_inverse=True)
    sums, wanted = np.zeros(len(distinct), np.int64), stakes.tip[chosen] == tip
    np.add.at(sums, place[wanted], stakes.amount[chosen[wanted]])
    return sums[place]


def is_staked(scope: EvaluationContext, line: str, *, tip: bool) -> Truths:
    """Return whether a seat has a stake, or a tip, on a line; for `this`, next to each stake.

    Returns:
        uint8[seats], or uint8[stakes] for `this`.
    """
    low, high = bound_staked_on(scope, line, tip=tip)
    placed = kleene.from_flags(low > 0)
    return placed if high is low else kleene.unknown_where((low == 0) & (high > 0), placed)


def bound_staked_on(scope: EvaluationContext, line: str, *, tip: bool) -> Bounds:
    """Return bounds of what each seat staked on a line, as its own stake or as a tip; for `this`, next to each stake.

    The amount may be larger if the record stops while a seat may still place a wager, or more of it. A wager before the
    deal may also be taken back, and an excess of a wager that goes with a decision.
    """
    if line == "this":
        return _bound_amount(own_stake_on_wager(scope, tip=tip), *_find_changeable(scope))
    amount = scope.staked_amounts(line, tip=tip)
    return _bound_amount(amount, may_stake_later(scope, line), np.full(len(amount), _part_that_stays(scope, line)))


def bound_stakes(scope: EvaluationContext) -> Bounds:
    """Return bounds of the amount of each stake; they differ if the record stops while the stake may still change."""
    return _bound_amount(scope.batch.stakes.amount, *_find_changeable(scope))


def _bound_amount(amount: Ints, changes: Flags, stays: Ints) -> Bounds:
    """Return bounds of amounts, some of which may still change; the part of these that stays is given."""
    if not has_any(changes):
        return exact_bounds(amount)
    return np.where(changes, np.minimum(amount, stays), amount), np.where(changes, UNBOUNDED, amount)


def _part_that_stays(scope: EvaluationContext, line: str) -> int:
    """Return how much of a wager surely stays: nothing of an opening one, some of one with a decision, all of a bet."""
    game = scope.compiled_game.game
    if line in game.wagers and game.wagers[line].is_opening:
        return 0
    return 1 if game.betting is None else UNBOUNDED


@cached_fact
def _find_changeable(scope: EvaluationContext) -> tuple[Flags, Ints]:
    """Find the stakes that may change after the record stopped, and the part of each that stays.

    Returns:
        bool[stakes], int64[stakes].
    """
    stakes = scope.batch.stakes
    changes, stays = np.zeros(scope.count_items("stake"), bool), np.zeros(scope.count_items("stake"), np.int64)
    if not are_all(scope.batch.complete):
        for line in stakes.wager.used_names():
            chosen = scope.stake_indices(line)
            changes[chosen] = may_stake_later(scope, line)[stakes.seat[chosen]]
            stays[chosen] = _part_that_stays(scope, line)
    return changes, stays


def bound_outcome(scope: EvaluationContext, column: Literal["paid", "taken"], line: str) -> Bounds:
    """Return bounds of what was paid or taken, per seat, or for `this`, per stake; 0 if a seat has no stake on a line.

    After a truncated record, more may be paid or taken, and what was taken may be put back.
    """
    stakes, result = scope.batch.stakes, stake_outcomes(scope)
    if line == "this":
        if column == "paid":
            return _extend_outcome(scope, column, recorded_bounds(result.paid), "stake")
        taken = np.where(stakes.bonus, 0, result.taken)
        kept = taken if result.kept is result.taken else np.where(stakes.bonus, 0, result.kept)
        return _extend_outcome(scope, column, keep_where_known(kept, taken, taken != ABSENT), "stake")
    if column == "paid":
        return _extend_outcome(scope, column, recorded_bounds(amounts_paid_on(scope, line, tip=False)), "seat")
    if line in scope.compiled_game.game.bonuses:
        return exact_bounds(np.zeros(scope.count_items("seat"), np.int64))
    chosen = scope.stake_indices(line)
    chosen = chosen[~stakes.tip[chosen]]
    taken = _sum_of_seats(scope, chosen, result.taken[chosen])
    kept = taken if result.kept is result.taken else _sum_of_seats(scope, chosen, result.kept[chosen])
    return _extend_outcome(scope, column, keep_where_known(kept, taken, taken != ABSENT), "seat")


def _extend_outcome(scope: EvaluationContext, column: Literal["paid", "taken"], bounds: Bounds, grain: Grain) -> Bounds:
    """Return bounds of what was paid or taken, extended for truncated records."""
    low, high = bounds
    stops = is_truncated(scope, grain)
    if not has_any(stops):
        return low, high
    return np.where(stops, np.maximum(low, 0) if column == "paid" else 0, low), np.where(stops, UNBOUNDED, high)


def bound_posted_limit(scope: EvaluationContext, side: Literal["minimum", "maximum"], line: str) -> Bounds:
    """Return bounds of a posted limit: per round for one wager, or for `this`, of the wager of each stake."""
    offers = {} if scope.configuration is None else scope.configuration.offers or {}
    names = scope.batch.stakes.wager.names if line == "this" else (line,)
    posted = [getattr(offers.get(name), side, None) for name in names]
    codes = scope.batch.stakes.wager.codes if line == "this" else np.zeros(scope.count_items("round"), np.int32)
    values = np.array([limit or 0 for limit in posted], np.int64)[codes]
    return bounds_where_known(np.array([limit is not None for limit in posted], bool)[codes], values)


def is_claimed(scope: EvaluationContext, line: str) -> Truths:
    """Return whether a win was declared on a line; for `this`, on the wager of each stake.

    The summary decides, or else the events.

    Returns:
        uint8[seats], or uint8[stakes] for `this`.
    """
    stakes = scope.batch.stakes
    if line != "this":
        return _is_claimed_on(scope, line)
    result = np.zeros(len(stakes.seat), np.uint8)
    for name in stakes.wager.used_names():
        chosen = scope.stake_indices(name)
        result[chosen] = _is_claimed_on(scope, name)[stakes.seat[chosen]]
    return result


def _is_claimed_on(scope: EvaluationContext, line: str) -> Truths:
    stakes, events = scope.batch.stakes, scope.batch.events
    chosen = scope.stake_indices(line)
    said = np.full(scope.count_items("seat"), ABSENT, np.int8)
    np.maximum.at(said, stakes.seat[chosen], stakes.claimed[chosen])
    claims = events_of_kinds(scope, ("claim",))
    claims = claims[events.wager.codes[claims] == events.wager.code(line)]
    by_events = np.zeros(len(said), bool)
    by_events[events.seat[claims]] = True
    over = scope.batch.complete[scope.batch.seats.round]
    recorded = are_kinds_recorded(scope, ["claim"])[scope.batch.seats.round] | (said != ABSENT)
    return kleene.where_known(by_events | (said == 1), by_events | (said == 1) | (recorded & over))
