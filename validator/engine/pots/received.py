"""Chips that each seat received: from pots, as returned stakes, and in total."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.actions_recorded import betting_actions
from validator.engine.betting.chip_movements import collect_chip_movement
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.intervals import UNBOUNDED
from validator.engine.pots.contributions_to_pots import (
    chips_of_folded_seats,
    pot_contributions,
    staked_in_pots,
    sum_per_round,
)
from validator.engine.pots.side_pots import expand_masks, find_uncalled_bets
from validator.engine.seats.seat_order import is_playing
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds

NOT_RECORDED = -(2**61)
"""Amount that the log does not show."""


class ReceivedChips(Struct, frozen=True, kw_only=True):
    """Chips that seats received, int64[seats] in minor units; NOT_RECORDED if the log does not show them."""

    won: Ints
    """Chips from pots."""
    returned_stakes: Ints
    """Returned stakes."""
    total: Ints
    """Both together."""


@cached_fact
def received_chips(scope: EvaluationContext) -> ReceivedChips:
    """Return what each seat received: from events, else from the summary, else from stacks before and after.

    Chips that are missing at a seat were not taken out of the pots. A return is at most the amount that may be
    returned; the check of the stacks reports any further difference.
    """
    seats = scope.batch.seats
    awarded = sum_events_per_seat(scope, "award")
    won = np.where(awarded != NOT_RECORDED, awarded, np.where(seats.won != ABSENT, seats.won, NOT_RECORDED))
    back = sum_events_per_seat(scope, "return")
    both = _compute_from_stacks(scope)
    by_events = (won != NOT_RECORDED) & (back != NOT_RECORDED)
    by_stacks = ~by_events & (both != NOT_RECORDED)
    from_won = by_stacks & (won != NOT_RECORDED)
    from_back = by_stacks & (back != NOT_RECORDED)
    won = np.where(from_back, _correct_negative(scope, both - back), won)
    most = np.where(is_explained_by_play(scope), find_most_returnable(scope), UNBOUNDED)
    back = np.where(from_won, np.clip(both - won, 0, most), back)
    is_split = (won != NOT_RECORDED) & (back != NOT_RECORDED)
    only_both = np.where(by_stacks & ~from_back, _correct_negative(scope, both), NOT_RECORDED)
    return ReceivedChips(won=won, returned_stakes=back, total=np.where(is_split, won + back, only_both))


def sum_events_per_seat(scope: EvaluationContext, kind: str) -> Ints:
    """Return the sum of the amounts of all events of a kind at each seat; NOT_RECORDED if not recorded.

    Returns:
        int64[seats].
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    result = np.zeros(scope.count_items("seat"), np.int64)
    np.add.at(result, events.seat[chosen], np.maximum(events.amount[chosen], 0))
    recorded = are_kinds_recorded(scope, (kind,)) & scope.batch.complete
    return np.where(recorded[scope.batch.seats.round], result, NOT_RECORDED)


def _correct_negative(scope: EvaluationContext, amount: Ints) -> Ints:
    """Correct negative amounts of seats: a folded seat won nothing; for others the amount is unknown."""
    out, put = np.ones(scope.count_items("seat"), bool), pot_contributions(scope)
    row, round_ = np.nonzero(expand_masks(put.remaining | put.conceded, len(put.seats)) & (put.seats >= 0))
    out[put.seats[row, round_]] = False
    return np.where(amount >= 0, amount, np.where(out & put.is_known[scope.batch.seats.round], 0, NOT_RECORDED))


@cached_fact
def is_explained_by_play(scope: EvaluationContext) -> Flags:
    """Return whether play alone explains the chips of each seat: no other chips were added or removed unrecorded.

    The stacks of a record without awards follow from the play if all contributions are known.
    """
    recorded = collect_chip_movement(scope, "added").is_recorded & collect_chip_movement(scope, "removed").is_recorded
    from_play = pot_contributions(scope).is_known & ~are_kinds_recorded(scope, ("award",))
    return recorded | (is_playing(scope) & from_play[scope.batch.seats.round])


@cached_fact
def find_most_returnable(scope: EvaluationContext) -> Ints:
    """Return the most of its stakes that each seat may be given back.

    If somebody won a pot and nothing went wrong, this is the uncalled bet, and what a seat put in after folding.

    Returns:
        int64[seats], in minor units.
    """
    put, seats, whole = pot_contributions(scope), scope.batch.seats, staked_in_pots(scope)
    free = find_uncalled_bets(put.matched)
    rounds = np.flatnonzero(free.amount)
    own = chips_of_folded_seats(scope).copy()
    np.add.at(own, put.seats[free.row[rounds], rounds], free.amount[rounds])
    won = np.where(seats.won == ABSENT, 0, seats.won)
    np.maximum(won, sum_events_per_seat(scope, "award"), out=won)
    wrong = np.zeros(scope.count_items("round"), bool)
    wrong[scope.batch.events.round[events_of_kinds(scope, ("fault", "remedy", "misdeal"))]] = True
    played = put.is_known & (sum_per_round(scope, won) > 0) & ~wrong
    return np.where(played[seats.round], own, whole)


def _compute_from_stacks(scope: EvaluationContext) -> Ints:
    """Return what came back to each seat, from its stacks before and after.

    The stacks show it if no other chips were added or removed, the game settles nothing else, and all contributions are
    known.
    """
    seats, record = scope.batch.seats, betting_actions(scope)
    recorded = (seats.stack != ABSENT) & (seats.stack_after != ABSENT) & ~_has_other_changes(scope)
    recorded &= (record.first_unclear_event == len(scope.batch.events.round))[seats.round]
    if scope.compiled_game.game.settlement.order:
        recorded &= False
    return np.where(recorded, seats.stack_after - seats.stack + staked_in_pots(scope), NOT_RECORDED)


def _has_other_changes(scope: EvaluationContext) -> Flags:
    """Return whether the seat's chips changed otherwise after stakes were placed."""
    return (collect_chip_movement(scope, "added").during_play > 0) | (
        collect_chip_movement(scope, "removed").during_play > 0
    )
