"""Awards that name a pot: what seats were awarded of pots beyond what they may be due of them."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope, fact
from validator.engine.pots.pot_shares import division, most_of_each_pot, settled
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded


@fact
def beyond_named_pots(scope: Scope) -> Ints:
    """Return what each row was awarded of pots beyond its share of them, int64[S, H] minor units.

    A total may be right although a part of it came out of a pot that the seat does not win: which pot was raked
    leaves it open. Logs may number pots otherwise, so a number counts where awards name exactly the pots there are, and
    each award fits the pot of its number.
    """
    made = settled(scope)
    result = np.zeros(made.put.seats.shape, np.int64)
    named = _awards_that_name_pots(scope)
    if not len(named):
        return result
    events, pots = scope.batch.events, made.pots
    first = np.cumsum(pots.count) - pots.count
    pot = first[events.round[named]] + np.maximum(events.pot[named], 0)
    got = np.zeros((len(result), len(pots.amount)), np.int64)
    np.add.at(got, (_rows(scope)[events.seat[named]], pot), events.amount[named])
    total, free = got.sum(axis=0), made.free.amount[pots.hand]
    net, number = division(scope).net, pots.number
    fits = (total >= net.least) & (total <= net.most + free)
    sure = np.zeros(len(pots.count), bool)
    sure[events.round[named]] = True
    sure[pots.hand[~fits]] = False
    # An uncalled bet may come with any award to its owner. With one to another it is found as not returned.
    owner = made.free.row[pots.hand] == np.arange(len(result))[:, None]
    allowed = most_of_each_pot(scope) + np.where(owner, free, np.maximum(total - net.most, 0))
    excess = np.maximum(got - allowed, 0)
    for step in range(1, int(pots.count.max(initial=0))):
        other = first[pots.hand] + (number + step) % pots.count[pots.hand]
        # The awards of a number may be of another pot, if that one explains them all.
        explained = (total >= net.least[other]) & (total <= (net.most + free)[other])
        explained &= (got <= allowed[:, other]).all(axis=0)
        excess[:, explained] = 0
    np.add.at(result.T, pots.hand, np.where(sure[pots.hand], excess, 0).T)
    return result


def _awards_that_name_pots(scope: Scope) -> Ints:
    """Return the awards of rounds with several pots in which awards name exactly the pots there are, int64[n]."""
    made, events = settled(scope), scope.batch.events
    chosen = events_of_kinds(scope, ("award",))
    chosen = chosen[(events.seat[chosen] != ABSENT) & (events.amount[chosen] > 0)]
    count = made.pots.count
    sure: Flags = kinds_recorded(scope, ("award",)) & scope.batch.complete & made.known & (count > 1)
    highest = np.zeros(len(count), np.int64)
    np.maximum.at(highest, events.round[chosen], events.pot[chosen])
    sure &= highest + 1 == count
    sure[events.round[chosen[_rows(scope)[events.seat[chosen]] == ABSENT]]] = False
    return chosen[sure[events.round[chosen]]]


@fact
def _rows(scope: Scope) -> Ints:
    """Return the row of each seat among what was put in, ABSENT if it has none, int64[seats]."""
    seats = settled(scope).put.seats
    result = np.full(scope.length("seat"), ABSENT, np.int64)
    row, round_ = np.nonzero(seats >= 0)
    result[seats[row, round_]] = row
    return result
