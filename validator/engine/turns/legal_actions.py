"""Whether words name an act that the game leaves open to the seat, over columns."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Tri
from validator.engine.betting.decision_kinds import BROUGHT_IN, CALLS, COMPLETIONS, OPENINGS, RAISES
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, YES
from validator.engine.timeline.last_actions import decided
from validator.engine.turns.predicates import betting_word
from validator.engine.turns.quantities import betting_number


@fact
def lawful(scope: Scope) -> Tri:
    """uint8[events]: whether some lawful act fits the decision an event names, and the total where it names one. A
    decision that is no act of betting, or that the game does not know, fits none."""
    level, told = betting_number(scope, "level")
    faced = betting_word(scope, "faced")
    opened = kleene.where_known(level > 0, told)
    may_raise = betting_word(scope, "may-raise")
    size, sized = betting_number(scope, "smallest-bet")
    short = kleene.where_known(level < size, told & sized)
    value = kleene.constant(NO, len(level))
    for kinds, fits in (
        (frozenset({"fold"}), kleene.constant(YES, len(level))),
        (frozenset({"check"}), kleene.negated(faced)),
        (CALLS, faced),
        (OPENINGS, kleene.every([kleene.negated(opened), _within(scope, "smallest-bet")])),
        (RAISES - COMPLETIONS, kleene.every([opened, may_raise, _within(scope, "smallest-raise")])),
        (COMPLETIONS, kleene.every([short, may_raise, _within(scope, "smallest-raise")])),
    ):
        value = np.where(decided(scope, kinds), fits, value)
    return value


def _within(scope: Scope, least: str) -> Tri:
    """Whether the seat has chips to go beyond the bet, and the total named does so by as much as must be, but no
    more than may be; all that the seat has is never too little."""
    to_call, told = betting_number(scope, "to-call")
    behind, stacked = betting_number(scope, "behind")
    level, _ = betting_number(scope, "level")
    able = kleene.where_known(behind > to_call, told & stacked)
    by = scope.batch.events.amount - level
    smallest, small = betting_number(scope, least)
    # What is brought in is less than a bet.
    brought = decided(scope, BROUGHT_IN)
    smallest, small = np.where(brought, 1, smallest), small | brought
    largest, large = betting_number(scope, "largest-raise")
    all_in = kleene.where_known(by == behind - to_call, told & stacked)
    sized = kleene.every(
        [
            kleene.known(by > 0),
            kleene.some([all_in, kleene.where_known(by >= smallest, small)]),
            kleene.where_known(by <= largest, large),
        ]
    )
    silent = kleene.known(scope.batch.events.amount == ABSENT)
    return kleene.every([able, kleene.some([silent, sized])])
