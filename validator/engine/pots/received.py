"""What each seat received: of the pots, of stakes given back, and in all."""

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
"""An amount that the log does not show."""


class Received(Struct, frozen=True, kw_only=True):
    """What seats received, int64[seats] minor units, UNTOLD where the log does not show it.

    `won` is what came from pots, `back` what was given back of stakes, `all` both together.
    """

    won: Ints
    back: Ints
    all: Ints


@fact
def received(scope: Scope) -> Received:
    """Return what each seat received: as events tell; else as the summary does; else by chips before and after.

    Chips that are missing at a seat were not taken out of the pots, and no more of them goes back than may: what the
    stacks show beyond that is for the count of chips to report.
    """
    seats = scope.batch.seats
    awarded = amounts_of(scope, "award")
    won = np.where(awarded != UNTOLD, awarded, np.where(seats.won != ABSENT, seats.won, UNTOLD))
    back = amounts_of(scope, "return")
    both = _by_stacks(scope)
    by_events = (won != UNTOLD) & (back != UNTOLD)
    by_stacks = ~by_events & (both != UNTOLD)
    from_won = by_stacks & (won != UNTOLD)
    from_back = by_stacks & (back != UNTOLD)
    won = np.where(from_back, _not_below_zero(scope, both - back), won)
    most = np.where(stacks_are_of_play(scope), may_go_back(scope), FAR)
    back = np.where(from_won, np.clip(both - won, 0, most), back)
    told_apart = (won != UNTOLD) & (back != UNTOLD)
    only_both = np.where(by_stacks & ~from_back, _not_below_zero(scope, both), UNTOLD)
    return Received(won=won, back=back, all=np.where(told_apart, won + back, only_both))


def amounts_of(scope: Scope, kind: str) -> Ints:
    """int64[seats]: the amounts of all events of a kind at each seat; UNTOLD where the log does not record them."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    result = np.zeros(scope.length("seat"), np.int64)
    np.add.at(result, events.seat[chosen], np.maximum(events.amount[chosen], 0))
    recorded = kinds_recorded(scope, (kind,)) & scope.batch.complete
    return np.where(recorded[scope.batch.seats.round], result, UNTOLD)


def _not_below_zero(scope: Scope, amount: Ints) -> Ints:
    """Return amounts of seats with those below 0 corrected: a seat that is out won nothing; of others nobody knows."""
    out, put = np.ones(scope.length("seat"), bool), put_in(scope)
    row, round_ = np.nonzero(members(put.remaining | put.conceded, len(put.seats)) & (put.seats >= 0))
    out[put.seats[row, round_]] = False
    return np.where(amount >= 0, amount, np.where(out & put.known[scope.batch.seats.round], 0, UNTOLD))


@fact
def stacks_are_of_play(scope: Scope) -> Flags:
    """Return whether play alone explains the chips of each seat: nothing else came or went without a word.

    A record without awards has its stacks from the play, which explains them where all that was put in is known.
    """
    recorded = moved(scope, "added").recorded & moved(scope, "removed").recorded
    from_play = put_in(scope).known & ~kinds_recorded(scope, ("award",))
    return recorded | (taking_part(scope) & from_play[scope.batch.seats.round])


@fact
def may_go_back(scope: Scope) -> Ints:
    """Return the most of its stakes that each seat may be given back, int64[seats] minor units.

    Where somebody won a pot and nothing went wrong, that is what nobody called, and what a seat put in when it was out.
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


def _by_stacks(scope: Scope) -> Ints:
    """Return what came back to each seat, as its chips before and after tell.

    They tell it where no other chips came in or went out, the house settles nothing besides, and no act leaves open how
    much was put in.
    """
    seats, record = scope.batch.seats, record_of(scope)
    recorded = (seats.stack != ABSENT) & (seats.stack_after != ABSENT) & ~_changed(scope)
    recorded &= (record.broken == len(scope.batch.events.round))[seats.round]
    if scope.prepared.game.settlement.order:
        recorded &= False
    return np.where(recorded, seats.stack_after - seats.stack + staked(scope), UNTOLD)


def _changed(scope: Scope) -> Flags:
    """bool[seats]: whether the seat's chips changed otherwise once stakes were placed."""
    return (moved(scope, "added").during > 0) | (moved(scope, "removed").during > 0)
