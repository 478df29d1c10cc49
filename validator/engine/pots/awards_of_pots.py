"""Awards that name a pot, and amounts awarded beyond the shares of that pot."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.pots.pot_shares import find_most_due_of_pots, pot_division, settle_pots
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds


@cached_fact
def find_excess_of_named_pots(scope: EvaluationContext) -> Ints:
    """Return what each row was awarded of pots beyond its share of them.

    A total may be right although a part of it is from a pot that the seat does not win: the recorded rake need not name
    its pot. Logs may number pots differently. A number therefore counts only if awards name exactly the pots there are,
    and each award fits its pot.

    Returns:
        int64[S, H], in minor units.
    """
    made = settle_pots(scope)
    result = np.zeros(made.contributions.seats.shape, np.int64)
    awards = _find_named_awards(scope)
    if not len(awards):
        return result
    events, pots = scope.batch.events, made.pots
    first = np.cumsum(pots.count) - pots.count
    pot = first[events.round[awards]] + np.maximum(events.pot[awards], 0)
    got = np.zeros((len(result), len(pots.amount)), np.int64)
    np.add.at(got, (_find_rows(scope)[events.seat[awards]], pot), events.amount[awards])
    total, free = got.sum(axis=0), made.uncalled_bets.amount[pots.round]
    net, number = pot_division(scope).net, pots.number
    fits = (total >= net.least) & (total <= net.most + free)
    sure = np.zeros(len(pots.count), bool)
    sure[events.round[awards]] = True
    sure[pots.round[~fits]] = False
    # An uncalled bet may be included in any award to its owner. In another award it is reported as not returned.
    owner = made.uncalled_bets.row[pots.round] == np.arange(len(result))[:, None]
    allowed = find_most_due_of_pots(scope) + np.where(owner, free, np.maximum(total - net.most, 0))
    excess = np.maximum(got - allowed, 0)
    for step in range(1, int(pots.count.max(initial=0))):
        other = first[pots.round] + (number + step) % pots.count[pots.round]
        # The awards of a number may belong to another pot if it explains all of them.
        explained = (total >= net.least[other]) & (total <= (net.most + free)[other])
        explained &= (got <= allowed[:, other]).all(axis=0)
        excess[:, explained] = 0
    np.add.at(result.T, pots.round, np.where(sure[pots.round], excess, 0).T)
    return result


def _find_named_awards(scope: EvaluationContext) -> Ints:
    """Return the awards of rounds with several pots in which awards name exactly the pots there are."""
    made, events = settle_pots(scope), scope.batch.events
    chosen = events_of_kinds(scope, ("award",))
    chosen = chosen[(events.seat[chosen] != ABSENT) & (events.amount[chosen] > 0)]
    count = made.pots.count
    sure: Flags = are_kinds_recorded(scope, ("award",)) & scope.batch.complete & made.is_known & (count > 1)
    highest = np.zeros(len(count), np.int64)
    np.maximum.at(highest, events.round[chosen], events.pot[chosen])
    sure &= highest + 1 == count
    sure[events.round[chosen[_find_rows(scope)[events.seat[chosen]] == ABSENT]]] = False
    return chosen[sure[events.round[chosen]]]


@cached_fact
def _find_rows(scope: EvaluationContext) -> Ints:
    """Return the row of each seat in the contributions; ABSENT if it has none."""
    seats = settle_pots(scope).contributions.seats
    result = np.full(scope.count_items("seat"), ABSENT, np.int64)
    row, round_ = np.nonzero(seats >= 0)
    result[seats[row, round_]] = row
    return result
