"""Chips that each seat received: from pots, as returned stakes, and in total."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.actions_recorded import record_of
from validator.engine.betting.chip_movements import moved
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR
from validator.engine.pots.contributions_to_pots import of_those_out, per_round, put_in, staked
from validator.engine.pots.side_pots import members, uncalled
from validator.engine.seats.seat_order import taking_part
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded

UNTOLD = -(2**61)
"""Amount that the log does not show."""


class Received(Struct, frozen=True, kw_only=True):
    """Chips that seats received, int64[seats] in minor units; NOT_RECORDED if the log does not show them."""

    won: Ints
    """Chips from pots."""
    back: Ints
    """Returned stakes."""
    all: Ints
    """Both together."""


@fact
def received(scope: Scope) -> Received:
    """Return what each seat received: from events, else from the summary, else from stacks before and after.

    Chips that are missing at a seat were not taken out of the pots. A return is at most the amount that may be
    returned; the check of the stacks reports any further difference.
    """
    seats = scope.batch.seats
    awarded = amounts_of(scope, "award")
    won = np.where(awarded != UNTOLD, awarded, np.where(seats.won != ABSENT, seats.won, UNTOLD))
    back = amounts_of(scope, "return")
    both = _compute_from_stacks(scope)
    by_events = (won != UNTOLD) & (back != UNTOLD)
    by_stacks = ~by_events & (both != UNTOLD)
    from_won = by_stacks & (won != UNTOLD)
    from_back = by_stacks & (back != UNTOLD)
    won = np.where(from_back, _correct_negative(scope, both - back), won)
    most = np.where(stacks_are_of_play(scope), may_go_back(scope), FAR)
    back = np.where(from_won, np.clip(both - won, 0, most), back)
    is_split = (won != UNTOLD) & (back != UNTOLD)
    only_both = np.where(by_stacks & ~from_back, _correct_negative(scope, both), UNTOLD)
    return Received(won=won, back=back, all=np.where(is_split, won + back, only_both))


def amounts_of(scope: Scope, kind: str) -> Ints:
    """Return the sum of the amounts of all events of a kind at each seat; NOT_RECORDED if not recorded.

    Returns:
        int64[seats].
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    result = np.zeros(scope.length("seat"), np.int64)
    np.add.at(result, events.seat[chosen], np.maximum(events.amount[chosen], 0))
    recorded = kinds_recorded(scope, (kind,)) & scope.batch.complete
    return np.where(recorded[scope.batch.seats.round], result, UNTOLD)


def _correct_negative(scope: Scope, amount: Ints) -> Ints:
    """Correct negative amounts of seats: a folded seat won nothing; for others the amount is unknown."""
    out, put = np.ones(scope.length("seat"), bool), put_in(scope)
    row, round_ = np.nonzero(members(put.remaining | put.conceded, len(put.seats)) & (put.seats >= 0))
    out[put.seats[row, round_]] = False
    return np.where(amount >= 0, amount, np.where(out & put.known[scope.batch.seats.round], 0, UNTOLD))


@fact
def stacks_are_of_play(scope: Scope) -> Flags:
    """Return whether play alone explains the chips of each seat: no other chips were added or removed unrecorded.

    The stacks of a record without awards follow from the play if all contributions are known.
    """
    recorded = moved(scope, "added").recorded & moved(scope, "removed").recorded
    from_play = put_in(scope).known & ~kinds_recorded(scope, ("award",))
    return recorded | (taking_part(scope) & from_play[scope.batch.seats.round])


@fact
def may_go_back(scope: Scope) -> Ints:
    """Return the most of its stakes that each seat may be given back.

    If somebody won a pot and nothing went wrong, this is the uncalled bet, and what a seat put in after folding.

    Returns:
        int64[seats], in minor units.
    """
    put, seats, whole = put_in(scope), scope.batch.seats, staked(scope)
    free = uncalled(put.matched)
    rounds = np.flatnonzero(free.amount)
    own = of_those_out(scope).copy()
    np.add.at(own, put.seats[free.row[rounds], rounds], free.amount[rounds])
    won = np.where(seats.won == ABSENT, 0, seats.won)
    np.maximum(won, amounts_of(scope, "award"), out=won)
    wrong = np.zeros(scope.length("round"), bool)
    wrong[scope.batch.events.round[events_of_kinds(scope, ("fault", "remedy", "misdeal"))]] = True
    played = put.known & (per_round(scope, won) > 0) & ~wrong
    return np.where(played[seats.round], own, whole)


def _compute_from_stacks(scope: Scope) -> Ints:
    """Return what came back to each seat, from its stacks before and after.

    The stacks show it if no other chips were added or removed, the game settles nothing else, and all contributions are
    known.
    """
    seats, record = scope.batch.seats, record_of(scope)
    recorded = (seats.stack != ABSENT) & (seats.stack_after != ABSENT) & ~_has_other_changes(scope)
    recorded &= (record.broken == len(scope.batch.events.round))[seats.round]
    if scope.prepared.game.settlement.order:
        recorded &= False
    return np.where(recorded, seats.stack_after - seats.stack + staked(scope), UNTOLD)


def _has_other_changes(scope: Scope) -> Flags:
    """Return whether the seat's chips changed otherwise after stakes were placed."""
    return (moved(scope, "added").during > 0) | (moved(scope, "removed").during > 0)
