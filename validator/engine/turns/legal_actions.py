"""Whether words name an act that the game leaves open to the seat, over columns."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Ints, Tri
from validator.engine.betting.decision_kinds import BROUGHT_IN, CALLS, COMPLETIONS, OPENINGS, RAISES
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.engine.timeline.last_actions import decided
from validator.engine.turns.predicates import betting_word
from validator.engine.turns.quantities import Numbers, betting_number


def lawful(scope: Scope, chosen: Ints) -> Tri:
    """uint8[m]: whether some lawful act fits the decision that each of some events names, int64[m], and the total where
    it names one. A decision that is no act of betting, or that the game does not know, fits none."""
    level, recorded = _number(scope, "level", chosen)
    faced = betting_word(scope, "faced").take(chosen)
    opened = kleene.where_known(level > 0, recorded)
    may_raise = betting_word(scope, "may-raise").take(chosen)
    size, sized = _number(scope, "smallest-bet", chosen)
    short = kleene.where_known(level < size, recorded & sized)
    value = kleene.constant(NO, len(chosen))
    raising = _within(scope, "smallest-raise", chosen)
    for kinds, fits in (
        (frozenset({"fold"}), kleene.constant(YES, len(chosen))),
        (frozenset({"check"}), kleene.negated(faced)),
        (CALLS, faced),
        (OPENINGS, kleene.every([kleene.negated(opened), _within(scope, "smallest-bet", chosen)])),
        (RAISES - COMPLETIONS, kleene.every([opened, may_raise, raising])),
        (COMPLETIONS, kleene.every([short, may_raise, raising])),
    ):
        value = np.where(decided(scope, kinds).take(chosen), fits, value)
    return value


def _number(scope: Scope, name: str, chosen: Ints) -> Numbers:
    values, known = betting_number(scope, name)
    return values.take(chosen), known.take(chosen)


def _within(scope: Scope, least: str, chosen: Ints) -> Tri:
    """Whether the seat has chips to go beyond the bet, and the total named does so by as much as must be, but no
    more than may be; all that the seat has is never too little."""
    to_call, recorded = _number(scope, "to-call", chosen)
    behind, stacked = _number(scope, "behind", chosen)
    level, _ = _number(scope, "level", chosen)
    able = kleene.where_known(behind > to_call, recorded & stacked)
    amount = scope.batch.events.amount.take(chosen)
    by = amount - level
    smallest, small = _number(scope, least, chosen)
    # What is brought in is less than a bet.
    brought = decided(scope, BROUGHT_IN).take(chosen)
    smallest, small = np.where(brought, 1, smallest), small | brought
    largest, large = _number(scope, "largest-raise", chosen)
    all_in = kleene.where_known(by == behind - to_call, recorded & stacked)
    sized = kleene.every(
        [
            kleene.known(by > 0),
            kleene.some([all_in, kleene.where_known(by >= smallest, small)]),
            kleene.where_known(by <= largest, large),
        ]
    )
    silent = kleene.known(amount == ABSENT)
    return kleene.every([able, kleene.some([silent, sized])])
