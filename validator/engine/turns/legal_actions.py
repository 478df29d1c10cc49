"""Legality of declared actions, over columns."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Ints, Truths
from validator.engine.betting.decision_kinds import BROUGHT_IN, CALLS, COMPLETIONS, OPENINGS, RAISES
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import NO, YES
from validator.engine.timeline.last_actions import is_decision_of_kind
from validator.engine.turns.predicates import evaluate_replay_predicate
from validator.engine.turns.quantities import EventNumbers, evaluate_replay_quantity


def is_lawful(scope: EvaluationContext, chosen: Ints) -> Truths:
    """Return whether the declared decision of each event, with the total it names, can be a legal action.

    A decision that is no betting action, or that the game does not have, cannot.

    Args:
        chosen: int64[m], the events.

    Returns:
        uint8[m].
    """
    level, recorded = _quantity_at(scope, "level", chosen)
    faced = evaluate_replay_predicate(scope, "faced").take(chosen)
    opened = kleene.where_known(level > 0, recorded)
    may_raise = evaluate_replay_predicate(scope, "may-raise").take(chosen)
    size, sized = _quantity_at(scope, "smallest-bet", chosen)
    short = kleene.where_known(level < size, recorded & sized)
    value = kleene.constant(NO, len(chosen))
    raising = _is_legal_raise(scope, "smallest-raise", chosen)
    for kinds, fits in (
        (frozenset({"fold"}), kleene.constant(YES, len(chosen))),
        (frozenset({"check"}), kleene.negate(faced)),
        (CALLS, faced),
        (OPENINGS, kleene.every([kleene.negate(opened), _is_legal_raise(scope, "smallest-bet", chosen)])),
        (RAISES - COMPLETIONS, kleene.every([opened, may_raise, raising])),
        (COMPLETIONS, kleene.every([short, may_raise, raising])),
    ):
        value = np.where(is_decision_of_kind(scope, kinds).take(chosen), fits, value)
    return value


def _quantity_at(scope: EvaluationContext, name: str, chosen: Ints) -> EventNumbers:
    values, known = evaluate_replay_quantity(scope, name)
    return values.take(chosen), known.take(chosen)


def _is_legal_raise(scope: EvaluationContext, least: str, chosen: Ints) -> Truths:
    """Return whether the seat can exceed the bet, and whether the named total is a legal raise.

    All chips of the seat are never too few.
    """
    to_call, recorded = _quantity_at(scope, "to-call", chosen)
    behind, stacked = _quantity_at(scope, "behind", chosen)
    level, _ = _quantity_at(scope, "level", chosen)
    able = kleene.where_known(behind > to_call, recorded & stacked)
    amount = scope.batch.events.amount.take(chosen)
    by = amount - level
    smallest, small = _quantity_at(scope, least, chosen)
    # A bring-in is less than a bet.
    brought = is_decision_of_kind(scope, BROUGHT_IN).take(chosen)
    smallest, small = np.where(brought, 1, smallest), small | brought
    largest, large = _quantity_at(scope, "largest-raise", chosen)
    all_in = kleene.where_known(by == behind - to_call, recorded & stacked)
    sized = kleene.every(
        [
            kleene.from_flags(by > 0),
            kleene.some([all_in, kleene.where_known(by >= smallest, small)]),
            kleene.where_known(by <= largest, large),
        ]
    )
    silent = kleene.from_flags(amount == ABSENT)
    return kleene.every([able, kleene.some([silent, sized])])
